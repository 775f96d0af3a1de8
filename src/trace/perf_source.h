/* SPDX-License-Identifier: MIT */
/* The source that sees each fault: software events of perf, paired at entry and completion. */
#ifndef TRACE_PERF_SOURCE_H
#define TRACE_PERF_SOURCE_H

#include "src/model/trace.h"
#include "src/trace/command.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct why;

enum trace_timing {
	TRACE_TIMING_AUTO, /* each fault, save where they come so fast that timing them would be dear */
	TRACE_TIMING_ALL,
};

struct trace_live {
	double seconds;
	uint64_t n_faults, n_major, n_lost;
	double fault_ns, slowest_ns;
	uint32_t n_processes, n_threads;
};

struct trace_options {
	/* one of the two */
	char *const *argv;
	const struct trace_caller *caller;
	const pid_t *pids;
	size_t n_pids;
	bool tree; /* present and future children of pids, too */

	uint64_t duration_ns; /* 0: until the end, or a signal */
	uint64_t deadline_ns; /* 0: none */
	bool chains;          /* call chains, not the instruction alone */
	enum trace_timing timing;
	bool each;               /* keep each fault that passes: */
	uint64_t min_latency_ns; /* at least this long, and */
	uint32_t each_kinds;     /* bit enum model_fault_kind; 0: of any kind */
	void (*live)(const struct trace_live *now,
		     void *data); /* about ten times a second; may be NULL */
	void *live_data;
};

/* Whether perf counts and samples page faults of own processes here: 0, or negative errno and why, with the line
 * that would help. *ret_kernel: those in kernel mode, too. */
int trace_perf_probe(bool *ret_kernel, struct why *why);

/*
 * Traces to the end and fills doc: source, bill, counters, blind spots. 0, or negative errno: nothing was traced.
 * *ret_not_executed: exec refused the command.
 */
int trace_perf_run(const struct trace_options *options, struct model_trace *doc,
		   bool *ret_not_executed, struct why *why);

#endif
