/* SPDX-License-Identifier: MIT */
/* The same chase in transparent huge pages: what is saved against chase_base is address translation. */
#include "src/bench/scenario.h"

SCENARIO(chase_thp) = {
	.title = "pointer chase over memory in transparent huge pages",
	.question = "How much of a random access is the page walk that huge pages shorten?",
	.needs = NEEDS(&need_thp),
	.minor_per_page = {0.0, 0.001},
	.major_per_page = {0.0, 0.0},
	.access = BENCH_CHASE,
	.pages = BENCH_PAGES_THP,
	.n_accesses = 1 << 19,
	.warm = BENCH_WARM_MAPPING,
	.default_bytes = 128 << 20,
	.prepare = bench_map_chase,
	.measure = bench_chase,
	.cleanup = bench_unmap,
};
