/* SPDX-License-Identifier: MIT */
/* What is asked of the kernel for each traced task: the events, and the rings they write into. */
#ifndef TRACE_PERF_EVENTS_H
#define TRACE_PERF_EVENTS_H

#include "src/trace/perf_ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct why;

/*
 * One event each, per task and CPU. Entry and completion of user-mode faults are apart from those of
 * kernel mode, so that each has a count that is exact. Of ENTRY and ENTRY_LEAN one is on at any time, and
 * while the other takes over both.
 */
enum trace_role {
	TRACE_ENTRY, /* a fault begins */
	/* the same, and no more than can be had at the least cost: where faults come too fast. Of kernel mode, too, where
	 * TRACE_ENTRY_KERNEL is there */
	TRACE_ENTRY_LEAN,
	TRACE_CODE, /* what the CPU says of a fault, right before its entry; on with full entries, for those who may see it */
	TRACE_DONE, /* a minor fault is completed: not asked for while entries are lean */
	TRACE_DONE_MAJOR,   /* a major fault is completed: always */
	TRACE_ENTRY_KERNEL, /* the same of faults that system calls take, where we may see them */
	TRACE_DONE_KERNEL,
	TRACE_DONE_MAJOR_KERNEL,
	TRACE_SIDE,   /* mappings, names, forks, exits */
	TRACE_SWITCH, /* context switches */
	TRACE_N_ROLES,
};

/* Of the user's stack, from its pointer on: what functions without a frame keep there. */
enum { TRACE_STACK_BYTES = 128 };

/* Lean entries are on for so many times as long as full ones, where faults come fast. */
enum { TRACE_FEW = 31 };

struct trace_role_row {
	uint64_t config, fields; /* PERF_SAMPLE_... beside those that all have */
	bool kernel_mode, is_side, is_switch, is_tracepoint, starts_off;
};
extern const struct trace_role_row trace_role_rows[TRACE_N_ROLES];

/* Beside the bits of roles: root sees which page frame an address has, before and after. */
#define TRACE_SEES_FRAMES (1U << 31)

/* A tracepoint's number, and where its fields are in what it hands over; id 0: it cannot be read. */
struct trace_tracepoint {
	uint32_t id, address_at, code_at;
};

/* PERF_SAMPLE_... of all records of a role, as they are decoded. */
uint64_t trace_sample_fields(const struct trace_events *events, enum trace_role role);

/* Bytes of a lean entry that lacks its thread and its time; no other entry has as many. */
size_t trace_thin_bytes(const struct trace_events *events);

struct trace_event {
	int fd;
	int32_t tid;
	uint8_t role;
	bool is_on;
};

struct trace_events {
	struct trace_ring *rings;
	size_t n_rings;
	struct trace_event *events;
	size_t n_events;
	/* kernel's number of an event -> its role */
	uint64_t *ids;
	uint8_t *id_roles;
	size_t n_ids, ids_room;
	size_t ring_bytes;
	int *cpus;
	size_t n_cpus;
	uint32_t roles;               /* bit role: is opened; TRACE_SEES_FRAMES */
	struct trace_tracepoint code; /* of TRACE_CODE */
	bool chains;
	bool by_thread; /* too many tasks for an event on each CPU: one a thread, which its children do not inherit */
	bool is_lean;
	bool is_thin; /* lean entries are written without thread and time, as long as switches are followed */
	uint64_t ids_of_role[TRACE_N_ROLES]; /* the number of one event of each */
	bool switches_off;
};

/* Which roles the caller's rights allow; a negative errno where not even the entry event. */
int trace_events_probe(uint32_t *ret_roles, struct why *why);

int trace_events_init(struct trace_events *events, uint32_t roles, bool chains, struct why *why);
void trace_events_close(struct trace_events *events);

/*
 * Opens all roles for one task, which its future threads and children inherit. on_exec: they begin when it calls
 * exec. -ESRCH: there is no such task.
 */
int trace_events_add(struct trace_events *events, pid_t tid, bool on_exec, struct why *why);

/* Entries alone, or completions with them. */
void trace_events_lean(struct trace_events *events, bool lean);

void trace_events_no_switches(struct trace_events *events);

/* Of these roles (bits). */
void trace_events_turn_on(struct trace_events *events, uint32_t roles);

/* Stops all of them; counts stay. */
void trace_events_stop(struct trace_events *events);

/* The same of all events that this process has opened, be they of others: one call for thousands of them. */
void trace_events_stop_all(struct trace_events *events);

/* Sum of a role's counts over all tasks, exact also where records were lost. */
uint64_t trace_events_read(const struct trace_events *events, enum trace_role role);

enum trace_role trace_events_role(const struct trace_events *events,
				  uint64_t id); /* TRACE_N_ROLES: none of ours */

#endif
