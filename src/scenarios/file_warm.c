/* SPDX-License-Identifier: MIT */
/*
 * A file in the page cache, mapped and read. One fault maps the neighbours as well (fault-around),
 * and how many depends on the folios the cache holds: so the file is always cached the same way, by
 * writes of one page, and the pages a fault are measured instead of assumed. A fault that finds its
 * page locked for a moment (compaction, reclaim looking at it) is retried, and a retried fault counts as
 * major (mm_account_fault), though nothing is read: hence a few are allowed.
 */
#include "src/bench/scenario.h"

SCENARIO(file_warm) = {
	.title = "mapped file in the page cache, read",
	.question = "What does a page cost that only has to be mapped?",
	.needs = NEEDS(&need_data_dir),
	.minor_per_page = {0.0001, 1.0},
	.major_per_page = {0.0, 0.001},
	.kernel_decides = true,
	.access = BENCH_READ,
	.file = BENCH_FILE_WARM,
	.warm = BENCH_WARM_FILE,
	.prepare = bench_map_warm_file,
	.measure = bench_touch_read,
	.cleanup = bench_unmap,
};
