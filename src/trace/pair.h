/* SPDX-License-Identifier: MIT */
/* From entries and completions to faults with a latency. */
#ifndef TRACE_PAIR_H
#define TRACE_PAIR_H

#include "src/model/bill.h"
#include "src/trace/perf_record.h"
#include "src/trace/tasks.h"

struct trace_fault {
	struct trace_thread *thread;
	uint64_t entered_ns; /* of the completion, where the entry was not seen */
	uint64_t address, ip, sp, bp;
	uint64_t frame_before, frame_after; /* physical addresses; as in records */
	uint64_t page_bytes; /* what completion found mapped; 0: not seen, or nothing */
	uint64_t latency_ns, blocked_ns, preempted_ns;
	const uint64_t *chain; /* NULL: not known */
	size_t n_chain;
	const unsigned char *stack; /* the top of it; NULL: not known */
	size_t stack_bytes;
	bool timed, present, major, kernel_mode;
	bool is_lean;            /* whether the page was present is not known */
	bool has_code, is_write; /* is_write is known where has_code */
	bool unfinished, unentered;
};

/* Told of each fault as soon as it is over; chain is valid during the call. */
typedef void trace_fault_hook(void *data, const struct trace_fault *fault);

struct trace_pairs {
	trace_fault_hook *hook;
	void *data;
	uint64_t page_mask;
	uint64_t counts[MODEL_N_BILL_COUNTS];
};

/* False: this entry was told of before, by the other kind of entry event: no fault of its own. */
bool trace_pairs_entry(struct trace_pairs *pairs, struct trace_thread *thread,
		       const struct trace_record *record, size_t ring);
/* What the CPU says of the fault that this thread enters next. */
void trace_pairs_code(struct trace_thread *thread, const struct trace_record *record);
void trace_pairs_done(struct trace_pairs *pairs, struct trace_thread *thread,
		      const struct trace_record *record);
void trace_pairs_switch(struct trace_thread *thread, const struct trace_record *record);

/* The thread ends, or records of this ring were lost: what is pending will not be completed, or not seen so. */
void trace_pairs_end(struct trace_pairs *pairs, struct trace_thread *thread);
void trace_pairs_lost(struct trace_pairs *pairs, struct trace_thread *thread, size_t ring);

#endif
