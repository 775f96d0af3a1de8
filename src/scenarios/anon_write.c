/* SPDX-License-Identifier: MIT */
/* Anonymous memory, written for the first time: the fault everybody means. */
#include "src/bench/scenario.h"

SCENARIO(anon_write) = {
	.title = "anonymous page, first write",
	.question = "What does a new page cost?",
	.needs = NEEDS(&need_base_pages),
	.minor_per_page = {1.0, 1.01},
	.major_per_page = {0.0, 0.0},
	.prepare = bench_map_anon,
	.measure = bench_touch_write,
	.cleanup = bench_unmap,
	.any_pages = true,
};
