/* SPDX-License-Identifier: MIT */
/* The first write after MAP_POPULATE: what is left at the moment of use. */
#include "src/bench/scenario.h"

static int anon_populated_prepare(struct bench_trial *trial)
{
	int r = bench_forbid_thp(trial);

	return r < 0 ? r : bench_map_populated(trial);
}

SCENARIO(anon_populated) = {
	.title = "anonymous page, populated by mmap, then written",
	.question = "Does MAP_POPULATE leave as little as a touch ahead of time does?",
	.needs = NEEDS(&need_base_pages),
	.minor_per_page = {0.0, 0.001},
	.major_per_page = {0.0, 0.0},
	.warm = BENCH_WARM_MAPPING,
	.prepare = anon_populated_prepare,
	.measure = bench_touch_write,
	.cleanup = bench_unmap,
};
