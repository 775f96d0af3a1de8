/* SPDX-License-Identifier: MIT */
/* A file that is on disk only, under MADV_RANDOM: one major fault, one read, one wait a page. */
#include "src/bench/scenario.h"

static int file_cold_random_prepare(struct bench_trial *trial)
{
	int r = bench_map_cold_file(trial);

	return r != 0 ? r : bench_advise(trial, MADV_RANDOM);
}

SCENARIO(file_cold_random) = {
	.title = "mapped file on disk, MADV_RANDOM: no readahead",
	.question = "What does one wait for the disk cost?",
	.needs = NEEDS(&need_cold_files),
	.minor_per_page = {0.0, 0.01},
	.major_per_page = {0.99, 1.0},
	.access = BENCH_READ,
	.file = BENCH_FILE_COLD,
	.default_bytes = 16 << 20,
	.prepare = file_cold_random_prepare,
	.measure = bench_touch_read,
	.cleanup = bench_unmap,
};
