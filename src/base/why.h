/* SPDX-License-Identifier: MIT */
/* One sentence of context beside an error number. */
#ifndef BASE_WHY_H
#define BASE_WHY_H

#include <stdarg.h>

/*
 * Functions that can fail return 0 or a negative errno and leave one sentence for people here.
 * The caller owns the struct; only cli prints it. Not shared between threads.
 */
struct why {
	char text[512];
};

/* Keeps the sentence and returns r, so that "return why_set(why, -ENOENT, ...)" reads well.
 * A NULL why is allowed and keeps nothing. Control bytes in arguments are made harmless. */
int why_set(struct why *why, int r, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The same, with ": <strerror(-r)>" behind the sentence, and why_limit(). */
int why_errno(struct why *why, int r, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Where a limit of this process gives such an error, "; raise the limit, ulimit -n"; else "". */
const char *why_limit(int r);

/* The same of a process that could not be started. */
int why_no_process(struct why *why, int r, const char *name);

/* Copies a sentence made elsewhere. Returns r. */
int why_copy(struct why *why, int r, const struct why *from);

#endif
