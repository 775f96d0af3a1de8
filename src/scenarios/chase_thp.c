/* SPDX-License-Identifier: MIT */
/* The same chase in transparent huge pages: what is saved against chase_base is address translation. */
#include "src/bench/scenario.h"

SCENARIO(chase_thp) = {
	.title = "pointer chase over memory in transparent huge pages",
	.question = "How much of a random access is the page walk that huge pages shorten?",
	.needs = NEEDS(&need_thp),
	CHASE_IN(BENCH_PAGES_THP),
};
