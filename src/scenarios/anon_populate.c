/* SPDX-License-Identifier: MIT */
/*
 * mmap with MAP_POPULATE, call and first write timed together. rusage counts a minor fault for each
 * page that the call fills in; no trap is taken for any of them. THP is forbidden for the process,
 * since the call populates before any advice about the mapping could be given.
 */
#include "src/bench/scenario.h"

static int anon_populate_measure(struct bench_trial *trial)
{
	int r = bench_map_populated(trial);

	return r < 0 ? r : bench_touch_write(trial);
}

SCENARIO(anon_populate) = {
	.title = "MAP_POPULATE: the call, then the first write",
	.question = "How much of a fault is the trap, and how much the page?",
	.needs = NEEDS(&need_base_pages),
	.minor_per_page = {1.0, 1.01},
	.major_per_page = {0.0, 0.0},
	.populates = true,
	.prepare = bench_forbid_thp,
	.measure = anon_populate_measure,
	.cleanup = bench_unmap,
};
