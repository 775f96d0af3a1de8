/* SPDX-License-Identifier: MIT */
/* A dependent access anywhere in the working set, in base pages: cache miss and page walk together. */
#include "src/bench/scenario.h"

SCENARIO(chase_base) = {
	.title = "pointer chase over memory in base pages",
	.question = "What does a random access cost, its address translation included?",
	.needs = NEEDS(&need_base_pages),
	CHASE_IN(BENCH_PAGES_BASE),
};
