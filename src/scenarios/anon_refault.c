/* SPDX-License-Identifier: MIT */
/* Anonymous pages given back with MADV_DONTNEED, then written again. */
#include "src/bench/scenario.h"

static int anon_refault_prepare(struct bench_trial *trial)
{
	int r = bench_map_anon_touched(trial);

	return r != 0 ? r : bench_advise(trial, MADV_DONTNEED);
}

SCENARIO(anon_refault) = {
	.title = "anonymous page, written again after MADV_DONTNEED",
	.question = "Is the second first touch cheaper than the first?",
	.needs = NEEDS(&need_base_pages),
	.minor_per_page = {1.0, 1.01},
	.major_per_page = {0.0, 0.0},
	.prepare = anon_refault_prepare,
	.measure = bench_touch_write,
	.cleanup = bench_unmap,
	.any_pages = true,
};
