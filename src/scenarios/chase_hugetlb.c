/* SPDX-License-Identifier: MIT */
/* The same chase in huge pages of a pool (hugetlb), of the size that THP has. */
#include "src/bench/scenario.h"

SCENARIO(chase_hugetlb) = {
	.title = "pointer chase over memory in hugetlb pages",
	.question = "Are huge pages from a pool any faster than transparent ones?",
	.needs = NEEDS(&need_hugetlb),
	.minor_per_page = {0.0, 0.001},
	.major_per_page = {0.0, 0.0},
	.access = BENCH_CHASE,
	.pages = BENCH_PAGES_HUGETLB,
	.n_accesses = 1 << 19,
	.warm = BENCH_WARM_MAPPING,
	.default_bytes = 128 << 20,
	.prepare = bench_map_chase,
	.measure = bench_chase,
	.cleanup = bench_unmap,
};
