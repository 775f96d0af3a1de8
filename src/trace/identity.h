/* SPDX-License-Identifier: MIT */
/* The user that a command is run as, where we are root for somebody else. */
#ifndef TRACE_IDENTITY_H
#define TRACE_IDENTITY_H

#include "src/trace/command.h"

#include <sys/types.h>

struct why;

/* All that a child needs to become that user by system calls alone, since it may share our memory. */
struct trace_identity {
	uid_t uid;
	gid_t gid;
	gid_t *groups; /* owned */
	size_t n_groups;
	char **environment; /* owned; ours, with HOME, USER and LOGNAME of the user, */
	char *texts;        /* which lie here, owned */
	bool changes;       /* false: stay as we are, with our own environment */
};

/* Looks up whom the caller wants. 0 or negative errno; then there is nothing to free. */
int trace_identity_find(const struct trace_caller *caller, struct trace_identity *ret,
			struct why *why);
void trace_identity_free(struct trace_identity *who);

/* In the child: groups, group, user, in this order, each of them for good. 0 or negative errno. */
int trace_identity_become(const struct trace_identity *who);

#endif
