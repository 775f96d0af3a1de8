/* SPDX-License-Identifier: MIT */
/* Sums of faults, in bounded memory: what does not fit is in a row of its own, and counted. */
#include "src/trace/aggregate.h"

#include "src/base/array.h"

#include <errno.h>
#include <string.h>

enum {
	MOST_CELLS = 8000,
	MOST_THREADS = 4000,
	MOST_NAMES = 8192,
	MOST_EACH = 250000,
	FIRST_MOMENT_NS = 1000000,
};

uint64_t trace_cell_key(uint32_t kind, uint32_t name, uint32_t stack)
{
	return (uint64_t)kind << 56 | (uint64_t)(name & 0xffffffU) << 32 | stack;
}

/* --- sums ------------------------------------------------------------------------------------------------------ */

static size_t hist_index(uint64_t ns)
{
	unsigned octave, step;

	if (ns < 64)
		return 0;
	octave = 63U - (unsigned)__builtin_clzll(ns);
	step = (unsigned)(ns >> (octave - 2)) & 3U;
	octave -= 6;
	return octave < TRACE_HIST_OCTAVES ? octave * TRACE_HIST_STEPS + step : TRACE_HIST - 1;
}

static void add_to(struct trace_sum *sum, uint32_t hist[TRACE_HIST], const struct trace_seen *seen)
{
	uint32_t *slot;

	sum->count++;
	sum->n_major += seen->major;
	if (!seen->timed)
		return;
	slot = &hist[hist_index(seen->latency_ns)];
	*slot += *slot < UINT32_MAX;
	sum->n_timed++;
	sum->raw_ns += seen->latency_ns;
	sum->blocked_ns += seen->blocked_ns;
	sum->preempted_ns += seen->preempted_ns;
	sum->worst_ns = seen->latency_ns > sum->worst_ns ? seen->latency_ns : sum->worst_ns;
}

static uint32_t add_cell(struct trace_aggregate *a, const struct trace_cell *new, uint64_t key)
{
	struct trace_cell *grown = array_grow(a->cells, a->n_cells, sizeof(*a->cells));

	if (grown)
		a->cells = grown;
	if (!grown || map_put(&a->by_key, key, (uint32_t)a->n_cells) < 0) {
		a->failed = true;
		return MAP_NONE;
	}
	a->cells[a->n_cells] = *new;
	return (uint32_t)a->n_cells++;
}

/* Where the table is full a cell of the kind and mapping alone, and then of the kind. Room for these is kept. */
static struct trace_cell *cell_of(struct trace_aggregate *a, const struct trace_seen *seen)
{
	struct trace_cell new = {.kind = seen->kind, .name = seen->name, .stack = seen->stack};

	for (int step = 0; step < 3; step++) {
		uint64_t key = trace_cell_key(new.kind, new.name, new.stack);
		uint32_t i = map_get(&a->by_key, key);
		size_t most = step == 0   ? MOST_CELLS
			      : step == 1 ? MOST_CELLS + MOST_CELLS / 4
					  : SIZE_MAX;

		if (i == MAP_NONE && a->n_cells < most)
			i = add_cell(a, &new, key);
		if (i != MAP_NONE)
			return &a->cells[i];
		new.stack = 0;
		if (step == 1)
			new.name = 0;
	}
	return NULL;
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

uint32_t trace_aggregate_row(struct trace_aggregate *a, struct trace_thread *t)
{
	struct trace_thread_sum *grown;

	if (t->row != MAP_NONE)
		return t->row;
	if (a->n_threads >= MOST_THREADS)
		return 0;
	grown = array_grow(a->threads, a->n_threads, sizeof(*a->threads));
	if (!grown) {
		a->failed = true;
		return 0;
	}
	a->threads = grown;
	a->threads[a->n_threads] = (struct trace_thread_sum){
		.pid = t->pid, .tid = t->tid, .cpu_ns = __builtin_nan("")};
	memcpy(a->threads[a->n_threads].comm, t->comm, sizeof(t->comm));
	t->row = (uint32_t)a->n_threads++;
	return t->row;
}

/* --- moments --------------------------------------------------------------------------------------------------------- */

static bool is_worse(const struct trace_seen *a, const struct trace_seen *b)
{
	return a->latency_ns > b->latency_ns;
}

static void join_moments(struct trace_moment *into, const struct trace_moment *from)
{
	for (size_t k = 0; k < MODEL_N_FAULT_KINDS; k++) {
		into->count[k] += from->count[k];
		into->n_timed[k] += from->n_timed[k];
		into->raw_ns[k] += from->raw_ns[k];
		into->preempted_ns[k] += from->preempted_ns[k];
	}
	into->n_late += from->n_late;
	if (is_worse(&from->worst, &into->worst))
		into->worst = from->worst;
}

/* All moments become twice as long. */
static void halve_moments(struct trace_aggregate *a)
{
	struct trace_moment *m = a->moments;

	for (size_t i = 0; i < MODEL_MAX_MOMENTS / 2; i++) {
		struct trace_moment joined = m[2 * i];

		join_moments(&joined, &m[2 * i + 1]);
		m[i] = joined;
	}
	memset(m + MODEL_MAX_MOMENTS / 2, 0, MODEL_MAX_MOMENTS / 2 * sizeof(*m));
	a->n_moments = (a->n_moments + 1) / 2;
	a->moment_ns *= 2;
}

static void add_to_moment(struct trace_aggregate *a, const struct trace_seen *seen)
{
	uint64_t at_ns = seen->entered_ns > a->start_ns ? seen->entered_ns - a->start_ns : 0;
	struct trace_moment *m;

	while (at_ns / a->moment_ns >= MODEL_MAX_MOMENTS)
		halve_moments(a);
	m = &a->moments[at_ns / a->moment_ns];
	if (at_ns / a->moment_ns >= a->n_moments)
		a->n_moments = (size_t)(at_ns / a->moment_ns) + 1;
	m->count[seen->kind]++;
	if (!seen->timed)
		return;
	m->n_timed[seen->kind]++;
	m->raw_ns[seen->kind] += seen->latency_ns;
	m->preempted_ns[seen->kind] += seen->preempted_ns;
	m->n_late += a->deadline_ns && seen->latency_ns > a->deadline_ns;
	if (is_worse(seen, &m->worst))
		m->worst = *seen;
}

/* --- those kept by themselves --------------------------------------------------------------------------------------------- */

static void sift_down(struct trace_seen *heap, size_t n)
{
	for (size_t i = 0;;) {
		size_t child = 2 * i + 1;
		struct trace_seen swapped = heap[i];

		if (child + 1 < n && is_worse(&heap[child], &heap[child + 1]))
			child++;
		if (child >= n || !is_worse(&heap[i], &heap[child]))
			return;
		heap[i] = heap[child];
		heap[child] = swapped;
		i = child;
	}
}

static void sift_up(struct trace_seen *heap, size_t i)
{
	while (i > 0 && is_worse(&heap[(i - 1) / 2], &heap[i])) {
		struct trace_seen swapped = heap[i];

		heap[i] = heap[(i - 1) / 2];
		heap[(i - 1) / 2] = swapped;
		i = (i - 1) / 2;
	}
}

static void add_to_worst(struct trace_aggregate *a, const struct trace_seen *seen)
{
	if (!seen->timed)
		return;
	if (a->n_worst < MODEL_MAX_WORST) {
		a->worst[a->n_worst] = *seen;
		sift_up(a->worst, a->n_worst++);
	} else if (is_worse(seen, &a->worst[0])) {
		a->worst[0] = *seen;
		sift_down(a->worst, a->n_worst);
	}
}

static void add_to_each(struct trace_aggregate *a, const struct trace_seen *seen)
{
	struct trace_seen *grown;

	if (!a->keep_each || (a->each_kinds && !(a->each_kinds >> seen->kind & 1)) ||
	    (a->each_least_ns && (!seen->timed || seen->latency_ns < a->each_least_ns)))
		return;
	grown = a->n_each < MOST_EACH ? array_grow(a->each, a->n_each, sizeof(*a->each)) : NULL;
	if (!grown) {
		a->n_each_left_out++;
		return;
	}
	a->each = grown;
	a->each[a->n_each++] = *seen;
}

/* --- all of it ------------------------------------------------------------------------------------------------------------- */

static void note_flags(struct trace_aggregate *a, const struct trace_seen *seen)
{
	if (seen->name >= a->n_names)
		return;
	a->names[seen->name] = (struct trace_name_flags){.known = true,
							 .shared = seen->shared,
							 .writable = seen->writable,
							 .executable = seen->executable,
							 .deleted = seen->deleted};
}

void trace_aggregate_add(struct trace_aggregate *a, const struct trace_seen *seen)
{
	struct trace_cell *cell = cell_of(a, seen);
	struct trace_thread_sum *thread = &a->threads[seen->row];

	if (cell) {
		add_to(&cell->sum, cell->hist, seen);
		trace_habits_add(&a->habits, seen, &cell->habits);
	}
	add_to(&thread->sum, thread->hist, seen);
	thread->by_kind[seen->kind]++;
	thread->untimed_by_kind[seen->kind] += !seen->timed;
	note_flags(a, seen);
	add_to_moment(a, seen);
	add_to_worst(a, seen);
	add_to_each(a, seen);
}

int trace_aggregate_init(struct trace_aggregate *a, uint64_t start_ns)
{
	*a = (struct trace_aggregate){.start_ns = start_ns,
				      .moment_ns = FIRST_MOMENT_NS,
				      .switches_seen = true,
				      .n_names = MOST_NAMES};
	trace_habits_init(&a->habits);
	a->moments = calloc(MODEL_MAX_MOMENTS, sizeof(*a->moments));
	a->names = calloc(MOST_NAMES, sizeof(*a->names));
	a->threads = array_grow(NULL, 0, sizeof(*a->threads));
	if (!a->moments || !a->names || !a->threads || trace_pages_init(&a->pages, MOST_NAMES) < 0)
		return -ENOMEM;
	a->threads[0] = (struct trace_thread_sum){.cpu_ns = __builtin_nan("")};
	a->n_threads = 1;
	return 0;
}

void trace_aggregate_free(struct trace_aggregate *a)
{
	free(a->cells);
	map_free(&a->by_key);
	trace_habits_free(&a->habits);
	trace_pages_free(&a->pages);
	free(a->threads);
	free(a->names);
	free(a->moments);
	free(a->each);
	*a = (struct trace_aggregate){.n_cells = 0};
}
