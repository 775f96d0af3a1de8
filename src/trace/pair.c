/* SPDX-License-Identifier: MIT */
/*
 * From entries and completions to faults with a latency. A thread has one fault at a time in user mode, and one
 * in kernel mode. The rules, where the next record is not the completion of the last entry:
 * - entered again for the same page: the kernel retried it, as a signal makes it do: one fault, from its first
 *   entry on;
 * - entered for another page, or the thread ended: the first was not finished; a signal took it;
 * - completed without an entry: its entry was before the trace began, or lost;
 * - after a lean entry, or before one, no completion need have been asked for: the next entry ends the last fault,
 *   which was not timed;
 * - an error code is told of right before the entry of the same address; one without such an entry is of an access
 *   that was not to fault, and dropped;
 * - for a moment both kinds of entry are on, and tell of the same: same address and instruction, at once.
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
		.frame_before = p->frame,
		.present = p->present,
		.is_lean = p->is_lean,
		.has_code = p->has_code,
		.is_write = p->code & TRACE_CODE_WRITE,
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

static bool is_same_page(const struct trace_pairs *pairs, uint64_t a, uint64_t b)
{
	return ((a ^ b) & pairs->page_mask) == 0;
}

/*
 * Two events of one entry are written one right behind the other. Since 6.0 they share what was gathered for the
 * first, its time and even its number, so that both look like the same event; before, each has its own.
 */
#define TWICE_NS 20000U

static bool is_told_twice(const struct trace_pending *p, const struct trace_record *record)
{
	uint64_t apart_ns = record->time_ns - p->last_ns;

	return p->active && !p->is_twice && p->address == record->address && p->ip == record->ip &&
	       (apart_ns == 0 || (p->is_lean != record->is_lean && apart_ns < TWICE_NS));
}

void trace_pairs_code(struct trace_thread *thread, const struct trace_record *record)
{
	thread->has_code = true;
	thread->code = (uint32_t)record->code;
	thread->code_address = record->address;
}

/* Of a retried fault the first code counts: the page can have come since. */
static void take_code(struct trace_thread *thread, struct trace_pending *p)
{
	p->has_code = thread->has_code && thread->code_address == p->address;
	p->code = p->has_code ? thread->code : 0;
	thread->has_code = false;
}

bool trace_pairs_entry(struct trace_pairs *pairs, struct trace_thread *thread,
		       const struct trace_record *record, size_t ring)
{
	struct trace_pending *p = &thread->pending[record->kernel_mode];
	bool was_timed = p->active && !p->is_lean && !record->is_lean;

	if (is_told_twice(p, record)) {
		p->is_twice = true;
		if (p->is_lean && !record->is_lean) {
			p->present = record->page_bytes != 0;
			p->frame = record->frame;
			p->is_lean = false;
		}
		return false;
	}
	if (was_timed && is_same_page(pairs, p->address, record->address)) {
		pairs->counts[MODEL_RETRIED]++;
		p->is_twice = false;
		p->last_ns = record->time_ns;
		p->ring = ring;
		return true;
	}
	if (p->active)
		give_up(pairs, thread, p, was_timed);
	if (record->kernel_mode && thread->pending[0].active)
		pairs->counts[MODEL_NESTED]++;
	*p = (struct trace_pending){
		.active = true,
		.present = record->page_bytes != 0,
		.is_lean = record->is_lean,
		.entered_ns = record->time_ns,
		.last_ns = record->time_ns,
		.address = record->address,
		.ip = record->ip,
		.sp = record->sp,
		.bp = record->bp,
		.frame = record->frame,
		.ring = ring,
	};
	if (!record->kernel_mode)
		take_code(thread, p);
	return true;
}

static void complete(struct trace_pairs *pairs, struct trace_fault *fault,
		     const struct trace_record *record)
{
	fault->major = record->major;
	fault->page_bytes = record->page_bytes;
	fault->frame_after = record->frame;
	fault->sp = record->sp ? record->sp : fault->sp;
	fault->bp = record->sp ? record->bp : fault->bp;
	fault->chain = record->chain;
	fault->n_chain = record->n_chain;
	fault->stack = record->stack;
	fault->stack_bytes = record->stack_bytes;
	pairs->hook(pairs->data, fault);
}

void trace_pairs_done(struct trace_pairs *pairs, struct trace_thread *thread,
		      const struct trace_record *record)
{
	struct trace_pending *p = &thread->pending[record->kernel_mode];
	struct trace_fault fault;

	if (p->active && !is_same_page(pairs, p->address, record->address))
		give_up(pairs, thread, p, !p->is_lean);
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
			give_up(pairs, thread, &thread->pending[i], !thread->pending[i].is_lean);
}

void trace_pairs_lost(struct trace_pairs *pairs, struct trace_thread *thread, size_t ring)
{
	for (size_t i = 0; i < 2; i++)
		if (thread->pending[i].active && thread->pending[i].ring == ring)
			give_up(pairs, thread, &thread->pending[i], false);
}
