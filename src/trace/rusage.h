/* SPDX-License-Identifier: MIT */
/* The source that needs no privilege: counters that the kernel keeps of every process anyway. */
#ifndef TRACE_RUSAGE_H
#define TRACE_RUSAGE_H

#include "src/model/trace.h"
#include "src/trace/command.h"

#include <stdbool.h>

struct why;

/*
 * Runs argv to its end and fills doc with what was counted: command, exit status, times, faults, evidence,
 * blind spots. Prices are the caller's to add, and then model_trace_derive(). 0, or negative errno where
 * the command was not started; *ret_not_executed says that exec refused it.
 */
int trace_rusage_run(char *const *argv, const struct trace_caller *caller, struct model_trace *doc,
		     bool *ret_not_executed, struct why *why);

/* Looks at the running process. When to look next, CLOCK_MONOTONIC: so late that looking costs it little. */
uint64_t trace_rusage_sample(struct model_trace *doc, pid_t pid);

/* Fills in the end of a command that has ended: exit status, times and faults. */
int trace_rusage_reap(struct trace_command *c, struct model_trace *doc, struct why *why);

#endif
