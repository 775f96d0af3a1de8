/* SPDX-License-Identifier: MIT */
/* What a terminal shows while something runs: the price list while it grows, or a line. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "src/bench/bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli_live {
	bool active;       /* stderr is a terminal that can move its cursor */
	size_t n_lines;    /* on the screen now */
	uint64_t drawn_ns; /* since the run began */
};

void cli_live_init(struct cli_live *live);

/* A bench_config.progress; data is a struct cli_live. */
void cli_live_draw(void *data, const struct model_bench *doc, const struct bench_now *now);

/* One line in its place, cut at the width of the terminal. */
void cli_live_line(struct cli_live *live, const char *text);

/* Takes it off the screen; the final report follows. */
void cli_live_clear(struct cli_live *live);

#endif
