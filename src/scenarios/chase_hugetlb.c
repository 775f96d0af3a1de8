/* SPDX-License-Identifier: MIT */
/* The same chase in huge pages of a pool (hugetlb), of the size that THP has. */
#include "src/bench/scenario.h"

SCENARIO(chase_hugetlb) = {
	.title = "pointer chase over memory in hugetlb pages",
	.question = "Are huge pages from a pool any faster than transparent ones?",
	.needs = NEEDS(&need_hugetlb),
	CHASE_IN(BENCH_PAGES_HUGETLB),
};
