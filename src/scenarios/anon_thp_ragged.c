/* SPDX-License-Identifier: MIT */
/*
 * Huge pages wherever one fits, and a rest of base pages: the size that nobody rounded. The faults are
 * one a huge page and one a page of the rest at the most, so the range follows from the size; smaps must
 * show the huge pages.
 */
#include "src/bench/scenario.h"

SCENARIO(anon_thp_ragged) = {
	.title = "anonymous memory with MADV_HUGEPAGE, of any size",
	.question = "How many faults are behind so many touches?",
	.needs = NEEDS(&need_thp),
	.major_per_page = {0.0, 0.0},
	.ragged = true,
	.kernel_decides = true, /* how many faults the rest takes: see mTHP */
	.pages = BENCH_PAGES_THP,
	.default_bytes = (64 << 20) + (1 << 20), /* no whole number of huge pages */
	.prepare = bench_map_anon_huge,
	.measure = bench_touch_write,
	.cleanup = bench_unmap,
};
