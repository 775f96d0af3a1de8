/* SPDX-License-Identifier: MIT */
/* Anonymous memory that was touched ahead of time: what is left is the access itself. */
#include "src/bench/scenario.h"

SCENARIO(anon_prefaulted) = {
	.title = "anonymous page, prefaulted, then written",
	.question = "What is left of the cost when the page is there already?",
	.needs = NEEDS(&need_base_pages),
	.minor_per_page = {0.0, 0.001},
	.major_per_page = {0.0, 0.0},
	.warm = BENCH_WARM_MAPPING,
	.prepare = bench_map_anon_touched,
	.measure = bench_touch_write,
	.cleanup = bench_unmap,
	.any_pages = true,
};
