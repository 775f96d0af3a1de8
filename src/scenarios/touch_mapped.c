/* SPDX-License-Identifier: MIT */
/* Floor: reading one byte of pages that are mapped already, so the loop, the TLB and the cache. */
#include "src/bench/scenario.h"

SCENARIO(touch_mapped) = {
	.title = "floor: reading pages that are mapped",
	.question = "What does the access itself cost?",
	.needs = NEEDS(&need_base_pages),
	.minor_per_page = {0.0, 0.001},
	.major_per_page = {0.0, 0.0},
	.access = BENCH_READ,
	.warm = BENCH_WARM_MAPPING,
	.prepare = bench_map_anon_numbered,
	.measure = bench_touch_read,
	.cleanup = bench_unmap,
	.any_pages = true,
};
