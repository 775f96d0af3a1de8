/* SPDX-License-Identifier: MIT */
/* Anonymous memory in huge pages, every base page of it written: one fault a huge page. */
#include "src/bench/scenario.h"

SCENARIO(anon_thp) = {
	.title = "anonymous huge page (MADV_HUGEPAGE), first write",
	.question = "What does a page cost when one fault brings hundreds?",
	.needs = NEEDS(&need_thp),
	.minor_per_page = {1.0, 1.01},
	.major_per_page = {0.0, 0.0},
	.pages = BENCH_PAGES_THP,
	.per_huge_page = true,
	.prepare = bench_map_anon_huge,
	.measure = bench_touch_write,
	.cleanup = bench_unmap,
};
