/* SPDX-License-Identifier: MIT */
/*
 * From entries and completions to faults with a latency. A thread has one fault at a time in user mode, and one
 * in kernel mode. The rules, where the next record is not the completion of the last entry:
 * - entered again for the same page: the kernel retried it, as a signal makes it do: one fault, from its first
 *   entry on;
 * - entered for another page, or the thread ended: the first was not finished; a signal took it;
 * - completed without an entry: its entry was before the trace began, or lost;
 * - where only some completions are asked for, the next entry ends the last fault, which was not timed.
 */
#include "src/trace/pair.h"

static struct trace_fault fault_of(struct trace_thread *thread, const struct trace_pending *p,
				   bool kernel_mode)
{
	return (struct trace_fault){
		.thread = thread,
		.entered_ns = p->entered_ns,
		.address = p->address,
		.ip = p->ip,
		.sp = p->sp,
		.bp = p->bp,
		.present = p->present,
		.blocked_ns = p->blocked_ns,
		.preempted_ns = p->preempted_ns,
		.kernel_mode = kernel_mode,
	};
}

/* Ends what is pending without a completion: not finished, or not to be seen. */
static void give_up(struct trace_pairs *pairs, struct trace_thread *thread, struct trace_pending *p,
		    bool unfinished)
{
	struct trace_fault fault = fault_of(thread, p, p == &thread->pending[1]);

	fault.unfinished = unfinished;
	pairs->counts[unfinished ? MODEL_UNFINISHED : MODEL_UNTIMED]++;
	p->active = false;
	pairs->hook(pairs->data, &fault);
}

/* All completions are asked for since before the entry. */
static bool was_timed(const struct trace_pairs *pairs, const struct trace_pending *p)
{
	return p->all_timed && pairs->all_timed;
}

static bool is_same_page(const struct trace_pairs *pairs, uint64_t a, uint64_t b)
{
	return ((a ^ b) & pairs->page_mask) == 0;
}

void trace_pairs_entry(struct trace_pairs *pairs, struct trace_thread *thread,
		       const struct trace_record *record, size_t ring)
{
	struct trace_pending *p = &thread->pending[record->kernel_mode];

	if (p->active && was_timed(pairs, p) && is_same_page(pairs, p->address, record->address)) {
		pairs->counts[MODEL_RETRIED]++;
		p->ring = ring;
		return;
	}
	if (p->active)
		give_up(pairs, thread, p, was_timed(pairs, p) || record->kernel_mode);
	if (record->kernel_mode && thread->pending[0].active)
		pairs->counts[MODEL_NESTED]++;
	*p = (struct trace_pending){
		.active = true,
		.present = record->page_bytes != 0,
		.all_timed = record->kernel_mode ||
			     (pairs->all_timed && record->time_ns >= pairs->timed_from_ns),
		.entered_ns = record->time_ns,
		.address = record->address,
		.ip = record->ip,
		.sp = record->sp,
		.bp = record->bp,
		.ring = ring,
	};
}

static void complete(struct trace_pairs *pairs, struct trace_fault *fault,
		     const struct trace_record *record)
{
	fault->major = record->major;
	fault->page_bytes = record->page_bytes;
	fault->chain = record->chain;
	fault->n_chain = record->n_chain;
	pairs->hook(pairs->data, fault);
}

void trace_pairs_done(struct trace_pairs *pairs, struct trace_thread *thread,
		      const struct trace_record *record)
{
	struct trace_pending *p = &thread->pending[record->kernel_mode];
	struct trace_fault fault;

	if (p->active && !is_same_page(pairs, p->address, record->address))
		give_up(pairs, thread, p, was_timed(pairs, p));
	if (!p->active) {
		fault = (struct trace_fault){
			.thread = thread,
			.entered_ns = record->time_ns,
			.address = record->address,
			.kernel_mode = record->kernel_mode,
			.unentered = true,
		};
		for (size_t i = 0; i < record->n_chain && !fault.ip; i++)
			fault.ip = record->chain[i] < (uint64_t)-4095 ? record->chain[i]
								      : 0; /* else a marker */
		pairs->counts[MODEL_UNENTERED]++;
		complete(pairs, &fault, record);
		return;
	}
	fault = fault_of(thread, p, record->kernel_mode);
	p->active = false;
	fault.timed = true;
	/* clocks of two CPUs can differ by some nanoseconds */
	fault.latency_ns = record->time_ns > p->entered_ns ? record->time_ns - p->entered_ns : 0;
	complete(pairs, &fault, record);
}

void trace_pairs_switch(struct trace_thread *thread, const struct trace_record *record)
{
	uint64_t out_ns = thread->out_ns, away_ns;

	if (record->type == TRACE_RECORD_SWITCH_OUT) {
		if (thread->in_ns && record->time_ns > thread->in_ns)
			thread->cpu_ns += record->time_ns - thread->in_ns;
		thread->in_ns = 0;
		thread->is_out = true;
		thread->out_preempted = record->preempted;
		thread->out_ns = record->time_ns;
		return;
	}
	thread->in_ns = record->time_ns;
	if (!thread->is_out || record->time_ns < out_ns)
		return;
	thread->is_out = false;
	away_ns = record->time_ns - out_ns;
	for (size_t i = 0; i < 2; i++) {
		struct trace_pending *p = &thread->pending[i];

		if (!p->active || out_ns < p->entered_ns)
			continue;
		if (thread->out_preempted)
			p->preempted_ns += away_ns;
		else
			p->blocked_ns += away_ns;
	}
}

void trace_pairs_end(struct trace_pairs *pairs, struct trace_thread *thread)
{
	for (size_t i = 0; i < 2; i++)
		if (thread->pending[i].active)
			give_up(pairs, thread, &thread->pending[i],
				was_timed(pairs, &thread->pending[i]));
}

void trace_pairs_lost(struct trace_pairs *pairs, struct trace_thread *thread, size_t ring)
{
	for (size_t i = 0; i < 2; i++)
		if (thread->pending[i].active && thread->pending[i].ring == ring)
			give_up(pairs, thread, &thread->pending[i], false);
}
