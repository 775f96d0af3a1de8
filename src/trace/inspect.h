/* SPDX-License-Identifier: MIT */
/* A running process as it is now: its figures and its mappings, out of /proc. */
#ifndef TRACE_INSPECT_H
#define TRACE_INSPECT_H

#include "src/model/inspect.h"

#include <sys/types.h>

struct why;

/* Fills process, rows and nodes. 0; -ESRCH: there is none; -EACCES: it is not ours to look at; -ENOENT: it has no memory
 * (a kernel thread, or one that has ended). */
int trace_inspect(pid_t pid, struct model_inspect *doc, struct why *why);

#endif
