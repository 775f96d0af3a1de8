/* SPDX-License-Identifier: MIT */
/* Reading the counters that a trace document keeps as evidence. */
#ifndef TRACE_EVIDENCE_H
#define TRACE_EVIDENCE_H

#include "src/model/trace.h"

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Counters that only grow, as they stood before the run. */
struct trace_evidence_before {
	int64_t figures[MODEL_N_FIGURES]; /* MODEL_NOT_COUNTED: not known */
};

void trace_evidence_begin(struct trace_evidence_before *ret, struct model_trace *doc);

/* A look at the running process: keeps the largest of what was seen. Nanoseconds that it took. */
uint64_t trace_evidence_sample(struct model_trace *doc, pid_t pid);

/* What /proc still says of a process that has ended and is not reaped. */
void trace_evidence_of_zombie(struct model_trace *doc, pid_t pid);

void trace_evidence_of_rusage(struct model_trace *doc, const struct rusage *u);

/* What the system and the cgroup counted since; and why what is not known is not. */
void trace_evidence_end(const struct trace_evidence_before *before, struct model_trace *doc);

#endif
