/* SPDX-License-Identifier: MIT */
/* What a page did before it faulted: whether it was given back since, was only read, or follows the page before. */
#ifndef TRACE_HABITS_H
#define TRACE_HABITS_H

#include "src/base/map.h"
#include "src/trace/kinds.h"

struct trace_habits {
	uint64_t page_bytes, huge_bytes;
	struct map pages;  /* hash of process and page -> what it did last */
	unsigned shift;    /* one page in 2^shift is followed */
	struct map mapped; /* hash of process and start of a mapping -> number of its last record */
	uint32_t n_records; /* of mappings */
};

void trace_habits_init(struct trace_habits *habits);
void trace_habits_free(struct trace_habits *habits);

/* Memory was mapped there. */
void trace_habits_mapped(struct trace_habits *habits, pid_t pid, uint64_t start);

/* The number of the record that made a mapping; 0: it was there before. */
uint32_t trace_habits_record(const struct trace_habits *habits, pid_t pid, uint64_t start);

/* Looks at a fault whose kind is known, and keeps what its page did. Faults of a thread come in order. */
void trace_habits_add(struct trace_habits *habits, const struct trace_seen *seen,
		      struct model_habits *sums);

#endif
