/* SPDX-License-Identifier: MIT */
/* The threads and processes of a traced run, as records tell of them. */
#ifndef TRACE_TASKS_H
#define TRACE_TASKS_H

#include "src/base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A fault that has been entered and is not completed yet. */
struct trace_pending {
	bool active, present;
	bool is_lean; /* whether the page was present is not known, and its completion may not be seen */
	bool is_twice; /* both kinds of entry have told of it */
	uint64_t entered_ns, address, ip, sp, bp, frame;
	uint64_t last_ns; /* of its last entry: later than the first where it was retried */
	uint64_t blocked_ns, preempted_ns;
	size_t ring; /* that its entry was in */
	bool has_code;
	uint32_t code; /* TRACE_CODE_...; has_code: is known */
};

struct trace_thread {
	int32_t pid, tid;
	char comm[16];
	bool ended, is_out, out_preempted;
	uint64_t out_ns;                 /* when it was switched out; is_out: still is */
	struct trace_pending pending[2]; /* [1] in kernel mode */
	bool has_code;                   /* of the fault to be entered next */
	uint32_t code;
	uint64_t code_address;
	uint32_t last_in_batch; /* place of its last fault while a batch is looked at */
	uint64_t in_ns;         /* since when it is on a CPU; 0: it is not */
	uint64_t cpu_ns;        /* by switches */
	uint64_t cpu_before_ns; /* of a task that was attached to: what it had used before */
	uint32_t last_name;     /* of the mapping of its last fault */
	uint64_t last_page;
	uint32_t row; /* in the bill's threads, once it has a fault; UINT32_MAX */
};

/* Processes that have pages in common since a fork: as long as two of them live, a write copies. */
struct trace_family {
	uint32_t n_alive, n_ever;
};

struct trace_process {
	int32_t pid;
	uint32_t family;
	uint32_t n_threads, n_execs;
	bool ended;
	int fd_pagemap; /* -1: not opened; -2: refused */
};

/* Bounded: the places of tasks that have ended are used again. */
struct trace_tasks {
	struct trace_thread **threads; /* each allocated by itself, as pointers to them are kept */
	size_t n_threads;
	uint32_t *free_threads;
	size_t n_free_threads;
	struct map by_tid;
	struct trace_process *processes;
	size_t n_processes;
	uint32_t *free_processes;
	size_t n_free_processes;
	struct map by_pid;
	struct trace_family *families;
	size_t n_families;
	uint32_t *free_families;
	size_t n_free_families;
	uint64_t n_threads_ever, n_processes_ever, n_execs;
	size_t n_pagemaps; /* open */
	bool failed;       /* memory ran out */
};

void trace_tasks_free(struct trace_tasks *tasks);

/* The task of a record; made where it was not known, or known in another process: then records of its end were lost.
 * NULL: no memory. */
struct trace_thread *trace_tasks_thread(struct trace_tasks *tasks, int32_t pid, int32_t tid);
struct trace_thread *trace_tasks_find(const struct trace_tasks *tasks,
				      int32_t tid); /* NULL: not known */

/* NULL: not known. Valid until the next call that makes one. */
struct trace_process *trace_tasks_process(struct trace_tasks *tasks, int32_t pid);
const struct trace_family *trace_tasks_family(const struct trace_tasks *tasks,
					      const struct trace_process *process);

void trace_tasks_fork(struct trace_tasks *tasks, int32_t parent_pid, int32_t parent_tid,
		      int32_t pid, int32_t tid);
void trace_tasks_exec(struct trace_tasks *tasks, int32_t pid, int32_t tid);

/* True where that was its process's last thread. The place is used again by the next one: what is to be kept of it
 * must be taken before. */
bool trace_tasks_exit(struct trace_tasks *tasks, int32_t tid);

#endif
