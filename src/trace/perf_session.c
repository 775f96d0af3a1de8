/* SPDX-License-Identifier: MIT */
/*
 * Records of all rings in the order of time, and what is made of each. A ring is in order, so its first record is
 * its earliest. A round takes out of the rings all that is there; what is older than the beginning of the round
 * before can be overtaken by nothing that is still to come, and is processed.
 */
#include "src/trace/perf_session.h"

#include "src/base/why.h"
#include "src/sys/clock.h"
#include "src/sys/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Above this rate timing each fault costs the run 5 % and more; below the other it is taken up again. */
#define LEAN_FROM_PER_S 40000.0
#define ALL_BELOW_PER_S 15000.0
#define RATE_OVER_NS 2000000U
#define CALM_NS 100000000U
#define WINDOW_NS 500000U
#define EARLY_NS 3000000U
#define YOUNG_NS 100000000U
/* Switches that are so many more than faults cost the run more than they tell. */
enum {
	SWITCHES_PER_FAULT = 10,
	LEAST_SWITCHES = 2000,
	CALM_WAIT_NS = 50000000,
	LOOK_WAIT_NS = 3000000,
	YOUNG_WAIT_NS = 1000000,
	BUSY_WAIT_NS = 10000000,
	DISTURBED_NS = 50000, /* a fault that takes so long is none the worse for it */
	LEAN_TO_TIMED = TRACE_FEW
};

/* --- faults ------------------------------------------------------------------------------------------------------ */

/* Those that now are known, or whose process has ended, so that nothing more will be; all of them where there is no more
 * room, or no more time. */
static void settle_waiting(struct trace_session *s, bool all)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_waiting; i++) {
		if (!trace_kinds_again(&s->kinds, &s->waiting[i])) {
			if (!all && trace_tasks_process(&s->tasks, s->waiting[i].pid)) {
				s->waiting[n++] = s->waiting[i];
				continue;
			}
			trace_kinds_guess(&s->kinds, &s->waiting[i]);
		}
		trace_kinds_settle(&s->kinds, &s->waiting[i], 1);
		trace_aggregate_add(&s->aggregate, &s->waiting[i]);
	}
	s->n_waiting = n;
}

static void flush_batch(struct trace_session *s)
{
	trace_kinds_settle(&s->kinds, s->batch, s->n_batch);
	for (size_t i = 0; i < s->n_batch; i++) {
		if (s->batch[i].look != TRACE_LOOK_LATER) {
			trace_aggregate_add(&s->aggregate, &s->batch[i]);
			continue;
		}
		if (s->n_waiting == TRACE_MOST_WAITING)
			settle_waiting(s, true);
		s->waiting[s->n_waiting++] = s->batch[i];
	}
	s->n_batch = 0;
	if (s->n_waiting)
		settle_waiting(s, false);
}

static uint32_t stack_of(struct trace_session *s, const struct trace_fault *f)
{
	const struct trace_thread *t = f->thread;
	const struct trace_process *process = trace_tasks_process(&s->tasks, t->pid);
	const struct trace_place at = {f->ip, f->sp, f->bp};
	uint32_t epoch = process ? process->n_execs : 0, stack;
	uint64_t caller = 0;

	if (!f->chain || f->n_chain == 0)
		return f->sp ? trace_stacks_guess(&s->stacks, t->pid, epoch, t->tid, &at)
			     : trace_stacks_of_chain(&s->stacks, t->pid, epoch, &f->ip, 1, 0);
	if (f->stack)
		caller = trace_stacks_caller(&s->stacks, t->pid, f->chain, f->n_chain, f->stack,
					     f->stack_bytes);
	stack = trace_stacks_of_chain(&s->stacks, t->pid, epoch, f->chain, f->n_chain, caller);
	if (f->kernel_mode && trace_stacks_is_astray(&s->stacks, stack))
		return TRACE_STACK_KERNEL;
	if (f->sp && s->was_hot) /* else nothing will ask */
		trace_stacks_learn(&s->stacks, t->pid, epoch, t->tid, &at, stack);
	return stack;
}

static void take_mapping(struct trace_session *s, const struct trace_mapping *m,
			 struct trace_seen *seen)
{
	if (!m) {
		s->n_unmapped++;
		return;
	}
	seen->name = m->name;
	seen->file_offset = m->backing == TRACE_FILE || m->backing == TRACE_SHMEM
				    ? seen->address - m->start + m->offset
				    : 0;
	seen->deleted = m->deleted;
	seen->shared = m->shared;
	seen->writable = m->writable;
	seen->executable = m->executable;
}

/* While events are turned on or off the CPU that runs the task is interrupted for each of them. */
static bool is_disturbed(const struct trace_session *s, const struct trace_fault *f)
{
	uint64_t done_ns = f->entered_ns + f->latency_ns;

	if (f->latency_ns >= DISTURBED_NS)
		return false;
	for (size_t i = 0; i < TRACE_TURNS && i < s->n_turns; i++)
		if (f->entered_ns < s->turns[i].to_ns && done_ns > s->turns[i].from_ns)
			return true;
	return false;
}

/* Where the stack pointer is in the same mapping, and not far: the function's own variables, or its arguments. */
static bool is_on_stack(const struct trace_fault *f, const struct trace_mapping *m)
{
	enum { RED_ZONE = 128, MOST_ABOVE = 8 << 20 };

	return f->sp && (m->backing == TRACE_ANON || m->backing == TRACE_STACK) &&
	       f->sp >= m->start && f->sp < m->end && f->address + RED_ZONE >= f->sp &&
	       f->address < f->sp + MOST_ABOVE;
}

/* What tells later why its page was missing. */
static void take_history(struct trace_session *s, const struct trace_fault *f,
			 const struct trace_mapping *m, struct trace_seen *seen)
{
	const struct trace_process *process = trace_tasks_process(&s->tasks, seen->pid);

	if (process) {
		seen->epoch = process->n_execs;
		seen->has_shared = trace_tasks_family(&s->tasks, process)->n_ever > 1;
	}
	if (m) {
		seen->mapped = trace_habits_record(&s->aggregate.habits, seen->pid, m->start);
		seen->on_stack = is_on_stack(f, m);
	}
}

/* A trace_fault_hook. */
static void take_fault(void *data, const struct trace_fault *f)
{
	struct trace_session *s = data;
	struct trace_seen *seen = &s->batch[s->n_batch];
	const struct trace_mapping *m;

	if (f->unfinished &&
	    !s->is_ending) /* told by its count: where it comes again it is another */
		return;
	*seen = (struct trace_seen){
		.thread = f->thread,
		.pid = f->thread->pid,
		.entered_ns = f->entered_ns,
		.address = f->address,
		.ip = f->ip,
		.latency_ns = f->latency_ns,
		.blocked_ns = f->blocked_ns,
		.preempted_ns = f->preempted_ns,
		.timed = f->timed && !is_disturbed(s, f),
		.major = f->major,
		.kernel_mode = f->kernel_mode,
	};
	/* before the mapping is looked for: both look into the same tables */
	seen->stack = stack_of(s, f);
	m = trace_spaces_find(s->spaces, f->thread->pid, f->address, true);
	take_mapping(s, m, seen);
	take_history(s, f, m, seen);
	seen->row = trace_aggregate_row(&s->aggregate, f->thread);
	trace_kinds_first(&s->kinds, f, m, seen);
	if (s->is_ending)
		s->aggregate.fatal = *seen;
	if (f->unfinished)
		return;
	s->n_faults++;
	s->n_major += f->major;
	s->fault_ns += f->latency_ns;
	s->slowest_ns = f->latency_ns > s->slowest_ns ? f->latency_ns : s->slowest_ns;
	if (++s->n_batch == TRACE_BATCH)
		flush_batch(s);
}

/* --- records --------------------------------------------------------------------------------------------------------- */

/* What its thread row is to keep of a thread, as it is now. */
static void note_thread(struct trace_session *s, const struct trace_thread *t)
{
	struct trace_thread_sum *sum;

	if (t->row == MAP_NONE || t->row == 0)
		return;
	sum = &s->aggregate.threads[t->row];
	memcpy(sum->comm, t->comm, sizeof(sum->comm));
	if (!s->events.switches_off)
		sum->cpu_ns = (double)t->cpu_ns;
}

static void take_exit(struct trace_session *s, struct trace_thread *t,
		      const struct trace_record *record)
{
	const struct trace_process *process;

	s->is_ending = true;
	trace_pairs_end(&s->pairs, t);
	s->is_ending = false;
	if (t->in_ns && record->time_ns > t->in_ns)
		t->cpu_ns += record->time_ns - t->in_ns;
	t->in_ns = 0;
	note_thread(s, t);
	process = trace_tasks_process(&s->tasks, t->pid);
	if (process && process->n_threads == 1)
		flush_batch(s); /* while it is known what the process was */
	if (trace_tasks_exit(&s->tasks, record->tid))
		trace_spaces_exit(s->spaces, record->pid);
}

static void take_exec(struct trace_session *s, struct trace_thread *t,
		      const struct trace_record *record)
{
	trace_pairs_end(&s->pairs, t);
	if (!t->in_ns)
		t->in_ns = record->time_ns; /* a first process runs already when its events begin */
	flush_batch(s);
	trace_tasks_exec(&s->tasks, record->pid, record->tid);
	trace_spaces_exec(s->spaces, record->pid);
}

static void take_fork(struct trace_session *s, const struct trace_record *record)
{
	trace_tasks_fork(&s->tasks, record->parent_pid, record->parent_tid, record->pid,
			 record->tid);
	s->n_forks += record->pid != record->parent_pid;
	if (record->pid != record->parent_pid)
		trace_spaces_fork(s->spaces, record->parent_pid, record->pid);
}

static void take_lost(struct trace_session *s, size_t ring)
{
	for (size_t i = 0; i < s->tasks.n_threads; i++) {
		struct trace_thread *t = s->tasks.threads[i];

		if (trace_tasks_find(&s->tasks, t->tid) == t)
			trace_pairs_lost(&s->pairs, t, ring);
	}
}

static void take_comm(struct trace_session *s, struct trace_thread *t,
		      const struct trace_record *record)
{
	if (record->is_exec)
		take_exec(s, t, record);
	(void)strncpy(t->comm, record->comm, sizeof(t->comm) - 1);
	note_thread(s, t);
}

/* What both kinds of entry tell of, the lean one has counted once, whichever came first. */
static void take_entry(struct trace_session *s, struct trace_thread *t,
		       const struct trace_record *record, size_t ring)
{
	bool is_kernel = record->kernel_mode, was_lean = t->pending[is_kernel].is_lean;
	bool is_new = trace_pairs_entry(&s->pairs, t, record, ring);

	s->n_entries[is_kernel]++;
	s->n_twice[is_kernel] += !is_new;
	s->n_lean += record->is_lean;
	s->n_lean_kernel += is_kernel && (is_new ? record->is_lean : !was_lean);
}

static void take_record(struct trace_session *s, const struct trace_record *record, size_t ring)
{
	struct trace_thread *t;

	switch (record->type) {
	case TRACE_RECORD_FORK:
		take_fork(s, record);
		return;
	case TRACE_RECORD_LOST:
		s->n_records_lost += record->count;
		take_lost(s, ring);
		return;
	case TRACE_RECORD_MMAP:
		trace_spaces_mmap(s->spaces, &record->mmap);
		trace_habits_mapped(&s->aggregate.habits, record->pid, record->mmap.start);
		return;
	case TRACE_RECORD_OTHER:
		return;
	default:
		break;
	}
	if (record->type == TRACE_RECORD_EXIT && !trace_tasks_find(&s->tasks, record->tid))
		return;
	t = trace_tasks_thread(&s->tasks, record->pid, record->tid);
	if (!t) {
		s->failed = true;
		return;
	}
	switch (record->type) {
	case TRACE_RECORD_ENTRY:
		take_entry(s, t, record, ring);
		break;
	case TRACE_RECORD_CODE:
		trace_pairs_code(t, record);
		break;
	case TRACE_RECORD_DONE:
		trace_pairs_done(&s->pairs, t, record);
		break;
	case TRACE_RECORD_SWITCH_OUT:
	case TRACE_RECORD_SWITCH_IN:
		s->n_switches++;
		trace_pairs_switch(t, record);
		break;
	case TRACE_RECORD_COMM:
		take_comm(s, t, record);
		break;
	default:
		take_exit(s, t, record);
		break;
	}
}

/* --- in the order of time --------------------------------------------------------------------------------------------- */

struct head {
	uint64_t time_ns;
	size_t ring;
};

/* The time of a ring's next record; UINT64_MAX: it has none. One without a time of its own goes at once. */
static uint64_t next_time(const struct trace_session *s, size_t ring)
{
	const struct trace_ring *r = &s->events.rings[ring];
	const unsigned char *raw = r->queue + r->n_used;

	if (trace_record_bytes(raw, r->n_queued - r->n_used) == 0)
		return UINT64_MAX;
	return trace_record_time(&s->events, raw);
}

static void sift(struct head *heap, size_t n)
{
	for (size_t i = 0;;) {
		size_t child = 2 * i + 1;
		struct head moved = heap[i];

		if (child + 1 < n && heap[child + 1].time_ns < heap[child].time_ns)
			child++;
		if (child >= n || heap[i].time_ns <= heap[child].time_ns)
			return;
		heap[i] = heap[child];
		heap[child] = moved;
		i = child;
	}
}

static size_t make_heap(const struct trace_session *s, struct head *heap)
{
	size_t n = 0;

	for (size_t i = 0; i < s->events.n_rings; i++) {
		uint64_t time_ns = next_time(s, i);
		size_t at = n;

		if (time_ns == UINT64_MAX)
			continue;
		for (n++; at > 0 && heap[(at - 1) / 2].time_ns > time_ns; at = (at - 1) / 2)
			heap[at] = heap[(at - 1) / 2];
		heap[at] = (struct head){time_ns, i};
	}
	return n;
}

static int process_until(struct trace_session *s, uint64_t limit_ns)
{
	struct head *heap = reallocarray(NULL, s->events.n_rings + 1, sizeof(*heap));
	struct trace_record record;
	size_t n;

	if (!heap)
		return -ENOMEM;
	n = make_heap(s, heap);
	while (n > 0 && heap[0].time_ns < limit_ns) {
		size_t ring = heap[0].ring;
		struct trace_ring *r = &s->events.rings[ring];
		const unsigned char *raw = r->queue + r->n_used;
		size_t bytes = trace_record_bytes(raw, r->n_queued - r->n_used);

		trace_record_decode(&s->events, raw, &record);
		take_record(s, &record, ring);
		r->n_used += bytes;
		heap[0].time_ns = next_time(s, ring);
		if (heap[0].time_ns == UINT64_MAX)
			heap[0] = heap[--n];
		sift(heap, n);
	}
	free(heap);
	return 0;
}

/* --- rounds -------------------------------------------------------------------------------------------------------------- */

static void go_lean(struct trace_session *s, bool lean)
{
	uint64_t before_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW), now_ns;

	trace_events_lean(&s->events, lean);
	now_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW);
	s->turns[s->n_turns++ % TRACE_TURNS] = (struct trace_turn){before_ns, now_ns};
	if (lean)
		s->turn_ns = now_ns + LEAN_TO_TIMED * (now_ns - s->window_from_ns);
	else
		s->turn_ns = now_ns + WINDOW_NS;
	s->window_from_ns = before_ns;
}

/* While faults come fast a window in which each is timed is opened now and then: it is LEAN_TO_TIMED times as
 * long closed, however long turning the events of many tasks takes. */
static void choose_timing(struct trace_session *s)
{
	uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW);
	uint64_t n_entries = s->n_entries[0] + s->n_entries[1];
	double rate;

	if (s->options->timing == TRACE_TIMING_ALL || !(s->events.roles >> TRACE_ENTRY_LEAN & 1))
		return;
	/* what is not known can be told by a window alone */
	if (s->n_waiting && s->events.is_lean && s->turn_ns > s->window_from_ns + EARLY_NS)
		s->turn_ns = s->window_from_ns + EARLY_NS;
	if (s->is_hot && now_ns >= s->turn_ns)
		go_lean(s, !s->events.is_lean);
	if (now_ns - s->rate_from_ns < RATE_OVER_NS)
		return;
	rate = (double)(n_entries - s->rate_from_n) * 1e9 / (double)(now_ns - s->rate_from_ns);
	s->rate_from_ns = now_ns;
	s->rate_from_n = n_entries;
	if (rate >= ALL_BELOW_PER_S)
		s->calm_since_ns = now_ns;
	if (!s->is_hot && rate > LEAN_FROM_PER_S &&
	    !(s->events.is_thin && s->events.switches_off)) {
		s->is_hot = s->was_hot = true;
		s->window_from_ns = now_ns - WINDOW_NS;
		go_lean(s, true);
	} else if (s->is_hot && now_ns - s->calm_since_ns > CALM_NS) {
		s->is_hot = false;
		if (s->events.is_lean)
			go_lean(s, false);
	}
}

static void choose_switches(struct trace_session *s)
{
	/* where entries are lean switches tell whose they are */
	if (s->events.switches_off || s->is_hot || s->n_switches < LEAST_SWITCHES ||
	    s->n_switches < SWITCHES_PER_FAULT * s->n_faults)
		return;
	trace_events_no_switches(&s->events);
	s->aggregate.switches_seen = false;
}

/* What is nobody's is lost to us, too: its count is the kernel's. */
static int drain(struct trace_session *s, struct trace_ring *ring)
{
	long r = trace_ring_drain(ring, &s->events, sys_clock_ns(CLOCK_MONOTONIC_RAW));

	s->n_records_lost += ring->n_nobodys;
	ring->n_nobodys = 0;
	return r < 0 ? (int)r : 0;
}

int trace_session_round(struct trace_session *s, bool last)
{
	uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW),
		 limit_ns = last ? UINT64_MAX : s->round_ns;
	int r = 0;

	s->n_looks_before = s->kinds.n_looks;
	for (size_t i = 0; i < s->events.n_rings && r >= 0; i++)
		r = drain(s, &s->events.rings[i]);
	if (r == 0)
		r = process_until(s, limit_ns);
	flush_batch(s);
	if (last)
		settle_waiting(s, true);
	s->round_ns = now_ns;
	choose_timing(s);
	choose_switches(s);
	return s->failed || s->aggregate.failed || s->tasks.failed ? -ENOMEM : r;
}

uint64_t trace_session_wait_ns(const struct trace_session *s)
{
	uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW), wait_ns;

	/* pages that are to be looked at must still be there, and what is young may end soon */
	if (!s->is_hot && now_ns - s->start_ns < YOUNG_NS)
		return YOUNG_WAIT_NS;
	if (!s->is_hot)
		return s->kinds.n_looks != s->n_looks_before ? LOOK_WAIT_NS : CALM_WAIT_NS;
	wait_ns = s->turn_ns > now_ns ? s->turn_ns - now_ns : 0;
	return wait_ns < BUSY_WAIT_NS ? wait_ns : BUSY_WAIT_NS;
}

int trace_session_init(struct trace_session *s, const struct trace_options *options, uint32_t roles,
		       struct why *why)
{
	*s = (struct trace_session){.options = options,
				    .start_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW)};
	s->pairs = (struct trace_pairs){
		.hook = take_fault, .data = s, .page_mask = ~(sys_page_bytes() - 1)};
	s->round_ns = s->rate_from_ns = s->start_ns;
	trace_kinds_init(&s->kinds, &s->tasks, roles & TRACE_SEES_FRAMES);
	s->batch = calloc(TRACE_BATCH, sizeof(*s->batch));
	s->waiting = calloc(TRACE_MOST_WAITING, sizeof(*s->waiting));
	if (!s->batch || !s->waiting || trace_spaces_new(&s->spaces) < 0 ||
	    trace_symbols_new(&s->symbols) < 0 ||
	    trace_stacks_init(&s->stacks, s->spaces, s->symbols) < 0 ||
	    trace_aggregate_init(&s->aggregate, s->start_ns) < 0)
		return why_set(why, -ENOMEM, "no memory to trace");
	s->aggregate.deadline_ns = options->deadline_ns;
	s->aggregate.keep_each = options->each;
	s->aggregate.each_least_ns = options->min_latency_ns;
	s->aggregate.each_kinds = options->each_kinds;
	return trace_events_init(&s->events, roles, options->chains, why);
}

void trace_session_free(struct trace_session *s)
{
	trace_events_close(&s->events);
	trace_aggregate_free(&s->aggregate);
	trace_stacks_free(&s->stacks);
	trace_symbols_free(s->symbols);
	trace_spaces_free(s->spaces);
	trace_kinds_free(&s->kinds);
	trace_tasks_free(&s->tasks);
	free(s->batch);
	free(s->waiting);
}
