/* SPDX-License-Identifier: MIT */
/* The same chase in the next larger page of a pool (1 GiB on x86-64). */
#include "src/bench/scenario.h"

SCENARIO(chase_gigantic) = {
	.title = "pointer chase over memory in gigantic hugetlb pages",
	.question = "Is there anything left to save by pages larger still?",
	.needs = NEEDS(&need_gigantic),
	CHASE_IN(BENCH_PAGES_GIGANTIC),
};
