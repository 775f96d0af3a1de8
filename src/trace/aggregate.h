/* SPDX-License-Identifier: MIT */
/* Sums of faults, in bounded memory, and the bill that is made of them. */
#ifndef TRACE_AGGREGATE_H
#define TRACE_AGGREGATE_H

#include "src/model/bill.h"
#include "src/trace/habits.h"
#include "src/trace/kinds.h"
#include "src/trace/pages.h"
#include "src/trace/stacks.h"

/* Quarter octaves from 64 ns to 17 s. */
enum {
	TRACE_HIST_STEPS = 4,
	TRACE_HIST_OCTAVES = 28,
	TRACE_HIST = TRACE_HIST_STEPS * TRACE_HIST_OCTAVES
};

struct trace_sum {
	uint64_t count, n_major, n_timed;
	uint64_t raw_ns, blocked_ns, preempted_ns, worst_ns; /* of those timed */
};

struct trace_cell {
	uint32_t name, stack;
	uint8_t kind;
	struct trace_sum sum;
	struct model_habits habits;
	uint32_t hist[TRACE_HIST];
};

struct trace_thread_sum {
	int32_t pid, tid;
	char comm[16];
	struct trace_sum sum;
	uint64_t by_kind[MODEL_N_FAULT_KINDS]; /* counts */
	uint64_t untimed_by_kind[MODEL_N_FAULT_KINDS];
	uint32_t hist[TRACE_HIST];
	double cpu_ns; /* NaN: not known */
};

struct trace_name_flags {
	bool known, shared, writable, executable, deleted;
};

struct trace_moment {
	uint64_t count[MODEL_N_FAULT_KINDS], n_timed[MODEL_N_FAULT_KINDS],
		raw_ns[MODEL_N_FAULT_KINDS], preempted_ns[MODEL_N_FAULT_KINDS];
	uint64_t n_late;
	struct trace_seen worst; /* latency_ns 0: none */
};

struct trace_aggregate {
	uint64_t start_ns, deadline_ns;
	bool switches_seen;
	struct trace_cell *cells;
	size_t n_cells;
	struct map by_key;
	struct trace_habits habits;
	struct trace_pages pages;
	struct trace_thread_sum *threads; /* [0]: those that did not fit */
	size_t n_threads;
	struct trace_name_flags *names;
	size_t n_names;
	struct trace_moment *moments;
	uint64_t moment_ns;
	size_t n_moments;                         /* that have begun */
	struct trace_seen worst[MODEL_MAX_WORST]; /* a heap, the shortest of them first */
	size_t n_worst;
	struct trace_seen *each;
	size_t n_each;
	struct trace_seen
		fatal; /* the last that a thread had right when it ended; thread NULL: none */
	bool keep_each;
	uint64_t each_least_ns, n_each_left_out;
	uint32_t each_kinds;
	bool failed; /* memory ran out */
};

/* Faults that are corrected alike. What the tracer does costs more where there is a page for it to look at, and
 * where the kernel has just filled one, which takes from the cache what the tracer uses. */
enum trace_class {
	TRACE_CLASS_OTHER,   /* a page is mapped that was there already, as the zero page */
	TRACE_CLASS_FILLING, /* a page that was missing is filled */
	TRACE_CLASS_COPYING, /* the page was there, and is another's */
	TRACE_CLASS_REUSING, /* the page was there, and only has to be made writable */
	TRACE_N_CLASSES,
};

/* What one fault's raw time is corrected by. */
struct trace_correction {
	double tracer_ns, trap_ns; /* each */
	double spread_ns;          /* of their difference, half its interval */
};
struct trace_corrections {
	struct trace_correction of[TRACE_N_CLASSES];
	double slowdown_ns, slowdown_lean_ns; /* each fault, timed or not */
	double fill_ns; /* a first touch of a page, untraced; NaN: not known */
};

/* Of a cell, in by_key. */
uint64_t trace_cell_key(uint32_t kind, uint32_t name, uint32_t stack);

int trace_aggregate_init(struct trace_aggregate *aggregate, uint64_t start_ns);
void trace_aggregate_free(struct trace_aggregate *aggregate);

void trace_aggregate_add(struct trace_aggregate *aggregate, const struct trace_seen *seen);

/* The row of a thread; made at its first fault. */
uint32_t trace_aggregate_row(struct trace_aggregate *aggregate, struct trace_thread *thread);

/* Makes rows of sums: resolves stacks, brings what is not timed to the mean of its like, corrects. 0 or -ENOMEM. */
int trace_aggregate_finish(const struct trace_aggregate *aggregate,
			   const struct trace_stacks *stacks, const struct trace_spaces *spaces,
			   const struct trace_corrections *corrections, struct model_bill *bill);

#endif
