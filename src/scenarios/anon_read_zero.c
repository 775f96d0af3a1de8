/* SPDX-License-Identifier: MIT */
/* Anonymous memory, read before it was written: every page maps the one zero page. */
#include "src/bench/scenario.h"

SCENARIO(anon_read_zero) = {
	.title = "anonymous page, read first: the zero page",
	.question = "What does reading untouched memory cost, when nothing is allocated?",
	.needs = NEEDS(&need_base_pages),
	.minor_per_page = {1.0, 1.01},
	.major_per_page = {0.0, 0.0},
	.access = BENCH_READ,
	.prepare = bench_map_anon,
	.measure = bench_touch_read,
	.cleanup = bench_unmap,
};
