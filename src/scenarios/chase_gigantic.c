/* SPDX-License-Identifier: MIT */
/* The same chase in the next larger page of a pool (1 GiB on x86-64). */
#include "src/bench/scenario.h"

SCENARIO(chase_gigantic) = {
	.title = "pointer chase over memory in gigantic hugetlb pages",
	.question = "Is there anything left to save by pages larger still?",
	.needs = NEEDS(&need_gigantic),
	.minor_per_page = {0.0, 0.001},
	.major_per_page = {0.0, 0.0},
	.access = BENCH_CHASE,
	.pages = BENCH_PAGES_GIGANTIC,
	.n_accesses = 1 << 19,
	.warm = BENCH_WARM_MAPPING,
	.default_bytes = 128 << 20,
	.prepare = bench_map_chase,
	.measure = bench_chase,
	.cleanup = bench_unmap,
};
