/* SPDX-License-Identifier: MIT */
/* What to say where perf is refused: why, and the lines that would have it. */
#ifndef CLI_REFUSED_H
#define CLI_REFUSED_H

#include "src/base/why.h"
#include "src/model/trace.h"

/* That perf cannot be used, or not for these processes. */
struct cli_refusal {
	int r; /* 0: it can be used; else the negative errno, and why */
	struct why why;
};

/* The lines, each by itself enough, between "; or ": behind operands as "-- CMD". "": none would help. */
void cli_refused_lines(const struct cli_refusal *refusal, const char *operands,
		       char ret_lines[sizeof(((struct why *)0)->text)]);

/* Says in a document of counters alone that its times are an estimate, why, and what would give more. */
void cli_refused_say(const struct cli_refusal *refusal, struct model_trace *doc);

#endif
