/* SPDX-License-Identifier: MIT */
/*
 * A file that is on disk only, mapped and read in order: readahead decides how many pages one major
 * fault brings, and later faults that find their page under way sleep, too, though they are minor.
 */
#include "src/bench/scenario.h"

SCENARIO(file_cold) = {
	.title = "mapped file on disk, read in order (readahead)",
	.question = "What does a page cost that comes from disk, with readahead?",
	.needs = NEEDS(&need_cold_files),
	.minor_per_page = {0.0, 1.0},
	.major_per_page = {0.0, 1.0},
	.kernel_decides = true,
	.access = BENCH_READ,
	.pages = BENCH_PAGES_KERNEL, /* large folios are mapped as huge pages, and may be */
	.file = BENCH_FILE_COLD,
	.prepare = bench_map_cold_file,
	.measure = bench_touch_read,
	.cleanup = bench_unmap,
};
