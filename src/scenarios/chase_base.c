/* SPDX-License-Identifier: MIT */
/* A dependent access anywhere in the working set, in base pages: cache miss and page walk together. */
#include "src/bench/scenario.h"

SCENARIO(chase_base) = {
	.title = "pointer chase over memory in base pages",
	.question = "What does a random access cost, its address translation included?",
	.needs = NEEDS(&need_base_pages),
	.minor_per_page = {0.0, 0.001},
	.major_per_page = {0.0, 0.0},
	.access = BENCH_CHASE,
	.pages = BENCH_PAGES_BASE,
	.n_accesses = 1 << 19,
	.warm = BENCH_WARM_MAPPING,
	.default_bytes = 128 << 20,
	.prepare = bench_map_chase,
	.measure = bench_chase,
	.cleanup = bench_unmap,
};
