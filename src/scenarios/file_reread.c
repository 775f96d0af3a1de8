/* SPDX-License-Identifier: MIT */
/*
 * The file of file_cold_random, mapped again after such a pass has read it: the same pages, the same
 * loop, but nothing to wait for. How it came into the cache decides how many pages a fault maps, so it is
 * read the same way each time, a page at a time. Majors as in file_warm: a retried fault counts as one.
 */
#include "src/bench/scenario.h"

SCENARIO(file_reread) = {
	.title = "mapped file, read again after a cold pass",
	.question = "What does the same file cost once it has been read?",
	.needs = NEEDS(&need_cold_files),
	.minor_per_page = {0.0001, 1.0},
	.major_per_page = {0.0, 0.001},
	.kernel_decides = true,
	.access = BENCH_READ,
	.file = BENCH_FILE_REREAD,
	.warm = BENCH_WARM_FILE,
	.default_bytes = 16 << 20,
	.prepare = bench_map_reread_file,
	.measure = bench_touch_read,
	.cleanup = bench_unmap,
};
