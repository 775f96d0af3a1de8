/* SPDX-License-Identifier: MIT */
/* Records of perf's rings, decoded. */
#ifndef TRACE_PERF_RECORD_H
#define TRACE_PERF_RECORD_H

#include "src/trace/perf_events.h"
#include "src/trace/spaces.h"

enum trace_record_type {
	TRACE_RECORD_ENTRY,
	TRACE_RECORD_CODE,
	TRACE_RECORD_DONE,
	TRACE_RECORD_SWITCH_OUT, /* preempted or asleep */
	TRACE_RECORD_SWITCH_IN,
	TRACE_RECORD_MMAP,
	TRACE_RECORD_COMM,
	TRACE_RECORD_FORK,
	TRACE_RECORD_EXIT,
	TRACE_RECORD_LOST,
	TRACE_RECORD_OTHER,
};

/* Bits of an error code: the page was there; it was a write. */
#define TRACE_CODE_PRESENT 1U
#define TRACE_CODE_WRITE 2U

struct trace_record {
	enum trace_record_type type;
	enum trace_role role; /* of samples */
	uint64_t time_ns;     /* CLOCK_MONOTONIC_RAW */
	int32_t pid, tid;
	int32_t parent_pid, parent_tid; /* fork */
	bool kernel_mode, major, preempted, is_exec;
	bool is_lean; /* page_bytes is not told */
	/* samples */
	uint64_t address, ip;
	uint64_t code;       /* x86's error code (Intel SDM 3A, 4.7), as bits of TRACE_CODE_... */
	uint64_t page_bytes; /* 0: missing; as perf says it, which knows of the page table alone */
	uint64_t
		frame; /* physical address; 0: none, or the zero page; of the roles that are shown it */
	uint64_t sp, bp;       /* entry; 0: not asked for */
	const uint64_t *chain; /* innermost first, markers included; NULL: not asked for */
	size_t n_chain;
	const unsigned char *stack; /* from the stack pointer on; NULL: not asked for */
	size_t stack_bytes;
	uint64_t count; /* lost */
	const char *comm;
	struct trace_mmap_event mmap;
};

/* Time of a raw record, for merging; 0 for those that have none. */
uint64_t trace_record_time(const struct trace_events *events, const unsigned char *raw);

/* Bytes of a raw record; 0: not whole, or no record. */
size_t trace_record_bytes(const unsigned char *raw, size_t n_left);

/* Texts and chain point into raw. */
void trace_record_decode(const struct trace_events *events, const unsigned char *raw,
			 struct trace_record *ret);

#endif
