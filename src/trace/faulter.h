/* SPDX-License-Identifier: MIT */
/* A process of ours that takes faults of a class when it is asked to. */
#ifndef TRACE_FAULTER_H
#define TRACE_FAULTER_H

#include "src/trace/aggregate.h"

#include <sys/types.h>

struct why;

/* Where the loop that faults lies in the code. */
enum trace_faulter_place { TRACE_WITHIN_A_LINE, TRACE_ACROSS_LINES, TRACE_N_PLACES };

struct trace_faulter {
	pid_t pid;
	int fd_ask, fd_answer;
};

/* Pages that it touches each time. */
enum { TRACE_FAULTER_PAGES = 512 };

/* 0 or negative errno. What was started must be ended. */
int trace_faulter_start(struct trace_faulter *ret, struct why *why);
void trace_faulter_end(struct trace_faulter *faulter);

/*
 * Asks for pages of a class; then for them to be touched. The answer is to be waited for on fd_answer before more is
 * asked. 0 or -EIO.
 */
int trace_faulter_prepare(const struct trace_faulter *faulter, enum trace_class class);
int trace_faulter_touch(const struct trace_faulter *faulter, enum trace_class class,
			enum trace_faulter_place place);

/* Takes the answer: nanoseconds on the CPU that a fault took more than touching the same page again; of a
 * preparation nothing that counts. 0 or -EIO. */
int trace_faulter_answer(const struct trace_faulter *faulter, double *ret_fault_ns);

#endif
