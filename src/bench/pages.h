/* SPDX-License-Identifier: MIT */
/* The kinds of pages a scenario may claim: their sizes here, and whether there are enough. */
#ifndef BENCH_PAGES_H
#define BENCH_PAGES_H

#include "src/bench/scenario.h"

/* "base", "thp", "hugetlb"; "" where the kernel chooses. */
const char *bench_pages_name(enum bench_pages pages);

/* Size of one; that of a base page where the kernel chooses; 0 where this system has none. Reads
 * files at each call. */
uint64_t bench_pages_bytes(enum bench_pages pages);

/* The trial's size in whole pages of its kind, and what mmap() takes for them beside MAP_ANONYMOUS. */
size_t bench_pages_whole_bytes(const struct bench_trial *trial);
int bench_pages_map_flags(const struct bench_trial *trial);

/* Whether they come from a pool that an administrator fills, and not from free memory. */
bool bench_pages_are_pooled(enum bench_pages pages);

#endif
