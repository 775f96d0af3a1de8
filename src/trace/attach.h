/* SPDX-License-Identifier: MIT */
/* Running processes to be traced: their threads and descendants, as /proc lists them. */
#ifndef TRACE_ATTACH_H
#define TRACE_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct why;

struct trace_pid_list {
	pid_t *pids;
	size_t n;
};

void trace_pid_list_free(struct trace_pid_list *list);

/* Adds one that is not in it yet. 1 added, 0 was there, -ENOMEM. */
int trace_pid_list_add(struct trace_pid_list *list, pid_t pid);

/* Adds the descendants of those in the list, again until no more are found. 0 or negative errno. */
int trace_add_descendants(struct trace_pid_list *list);

/* The threads of a process. 0, -ESRCH: it is gone, or another negative errno. */
int trace_list_threads(pid_t pid, struct trace_pid_list *ret);

/* Whether pid is a process that can be attached to; a thread of another, or none, is refused with a sentence. */
int trace_check_pid(pid_t pid, struct why *why);

/* Why the kernel refused one: whose it is, and what would help. Returns r. */
int trace_why_not_attached(pid_t pid, int r, struct why *why);

/*
 * Whether executing this would change the user, so that the kernel ends all tracing by us at exec: a file with
 * the set-user-ID or set-group-ID bit or with capabilities, looked for in PATH. 0, or -EPERM with a sentence.
 */
int trace_check_executable(const char *name, struct why *why);

#endif
