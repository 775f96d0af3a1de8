/* SPDX-License-Identifier: MIT */
/* The data files of file scenarios: nameless, of a known pattern, in a known cache state. */
#ifndef BENCH_DATAFILE_H
#define BENCH_DATAFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct why;

/* How the warm file came into the cache; goes into the document. */
#define BENCH_WARM_STATE "written one page a write, fsynced, kept in the cache: folios of one page"
#define BENCH_REREAD_STATE "the cold file, read by a mapping with MADV_RANDOM: folios of one page"
#define BENCH_COLD_STATE "fsynced, dropped by POSIX_FADV_DONTNEED, seen gone by mincore"

/* Asked by long work whether to end early. */
struct bench_stop {
	bool (*asked)(void *data);
	void *data;
};

/*
 * Makes a file of that size in dir, page i beginning with a byte that depends on i, and fsyncs it.
 * stop is asked every few MiB; where it says yes the answer is -EINTR. fd or negative errno.
 */
int bench_datafile_create(const char *dir, uint64_t bytes, const struct bench_stop *stop,
			  struct why *why);

/* Looks that the first bytes of the file are in the cache; where reclaim took some, drops and
 * rewrites them, so that the folios are of one page again. */
int bench_datafile_make_warm(int fd, uint64_t bytes, struct why *why);

/* What page i begins with; never 0, so that a hole or a zero page is told from it. */
unsigned char bench_datafile_byte(uint64_t i_page);

/* The sum of these bytes of n_pages pages. */
uint64_t bench_datafile_sum(uint64_t n_pages);

#endif
