/* SPDX-License-Identifier: MIT */
/* Which kind a fault was: from its mapping, from what was there before and after, and from pagemap. */
#ifndef TRACE_KINDS_H
#define TRACE_KINDS_H

#include "src/trace/pair.h"
#include "src/trace/spaces.h"

/* A fault with everything that its rows need; small, as they are kept in batches. */
struct trace_seen {
	struct trace_thread *thread;
	uint64_t entered_ns, address, file_offset, ip;
	uint64_t latency_ns, blocked_ns, preempted_ns;
	uint32_t name, stack;
	uint32_t row;    /* of its thread, in the sums */
	uint32_t mapped; /* number of the record that made its mapping: trace_habits_record() */
	uint32_t epoch;  /* how often its process had called exec */
	int32_t pid;
	uint8_t kind; /* enum model_fault_kind */
	uint8_t look; /* enum trace_look */
	bool timed, major, kernel_mode, deleted, shared, writable, executable;
	bool has_shared; /* its process had shared its pages since a fork */
	bool on_stack;
};

/* What pagemap is to be asked about the page. */
enum trace_look {
	TRACE_LOOK_NOT,
	TRACE_LOOK_ZERO,  /* anonymous memory: is it the zero page? then it was read */
	TRACE_LOOK_COPY,  /* a private file mapping: is it a copy? then it was written */
	TRACE_LOOK_LATER, /* a lean entry of which nothing is known yet: trace_kinds_again() */
};

struct trace_kinds {
	struct trace_tasks *tasks;
	uint64_t page_bytes, huge_bytes;
	struct map answers; /* hash of process and instruction -> what the last look said */
	struct map
		before; /* hash of process, instruction and mapping -> kind and look of its last full entry */
	struct map
		handlers; /* hash of process and mapping -> whether userfaultfd handles it; process -> any of it */
	uint64_t smaps_ns; /* CLOCK_MONOTONIC before which smaps is not read again */
	bool sees_frames;  /* faults say which page frames they had */
	uint64_t n_looks, n_unanswered;
};

void trace_kinds_init(struct trace_kinds *kinds, struct trace_tasks *tasks, bool sees_frames);
void trace_kinds_free(struct trace_kinds *kinds);

/* The kind as far as the fault itself tells, and whether a look would tell more. mapping NULL: not known. */
void trace_kinds_first(struct trace_kinds *kinds, const struct trace_fault *fault,
		       const struct trace_mapping *mapping, struct trace_seen *seen);

/* A fault that waits (TRACE_LOOK_LATER): true once it is known what its like do. */
bool trace_kinds_again(struct trace_kinds *kinds, struct trace_seen *seen);

/* The same where nothing more will be known: what relatives do will have to do. */
void trace_kinds_guess(struct trace_kinds *kinds, struct trace_seen *seen);

/* Looks at pages of a batch while they are still as the faults left them, at some of each process and instruction. */
void trace_kinds_settle(struct trace_kinds *kinds, struct trace_seen *batch, size_t n);

#endif
