/* SPDX-License-Identifier: MIT */
/* Records of all rings in the order of time, and what is made of each. */
#ifndef TRACE_PERF_SESSION_H
#define TRACE_PERF_SESSION_H

#include "src/trace/aggregate.h"
#include "src/trace/perf_source.h"

enum { TRACE_BATCH = 4000, TRACE_MOST_WAITING = 16000 };

/* The last times when full and lean entries changed places. */
enum { TRACE_TURNS = 8 };
struct trace_turn {
	uint64_t from_ns, to_ns;
};

struct trace_session {
	const struct trace_options *options;
	struct trace_events events;
	struct trace_tasks tasks;
	struct trace_spaces *spaces;
	struct trace_symbols *symbols;
	struct trace_stacks stacks;
	struct trace_kinds kinds;
	struct trace_pairs pairs;
	struct trace_aggregate aggregate;
	struct trace_seen *batch;
	size_t n_batch;
	struct trace_seen *waiting; /* faults whose kind only others of their like will tell */
	size_t n_waiting;
	uint64_t start_ns; /* CLOCK_MONOTONIC_RAW */
	uint64_t round_ns; /* the last round of draining began */
	/* seen until now */
	uint64_t n_entries[2]; /* in user mode, and in the kernel */
	uint64_t n_records_lost, n_faults, n_switches, n_unmapped;
	uint64_t n_twice[2];    /* of these told of by both events */
	uint64_t n_lean;        /* by the lean one */
	uint64_t n_lean_kernel; /* faults in the kernel that the lean event counted */
	uint64_t n_forks;
	uint64_t n_turns;
	struct trace_turn turns[TRACE_TURNS];
	uint64_t fault_ns, slowest_ns, n_major;
	uint64_t n_looks_before;
	/* the rate, for which timing is chosen */
	uint64_t rate_from_ns, rate_from_n, calm_since_ns;
	uint64_t turn_ns,
		window_from_ns; /* when lean and full entries change places; when they last did */
	bool is_ending;         /* the thread whose fault is taken */
	bool is_hot, was_hot, failed;
};

int trace_session_init(struct trace_session *session, const struct trace_options *options,
		       uint32_t roles, struct why *why);
void trace_session_free(struct trace_session *session);

/* Empties the rings and processes what can no longer be overtaken; all of it where last. 0 or -ENOMEM. */
int trace_session_round(struct trace_session *session, bool last);

/* Descriptors to wait for are those of session->events.rings; this is how long, at the most. */
uint64_t trace_session_wait_ns(const struct trace_session *session);

#endif
