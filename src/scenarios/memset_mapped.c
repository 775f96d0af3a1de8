/* SPDX-License-Identifier: MIT */
/* Floor: zeroing pages that are mapped already, one after the other, as the kernel does in a fault. */
#include "src/bench/scenario.h"

SCENARIO(memset_mapped) = {
	.title = "floor: zeroing pages that are mapped",
	.question = "What does zeroing a page cost, the part of a fault that cannot be saved?",
	.needs = NEEDS(&need_base_pages),
	.minor_per_page = {0.0, 0.001},
	.major_per_page = {0.0, 0.0},
	.access = BENCH_FILL,
	.warm = BENCH_WARM_MAPPING,
	.prepare = bench_map_anon_filled,
	.measure = bench_fill_pages,
	.cleanup = bench_unmap,
	.any_pages = true,
};
