/* SPDX-License-Identifier: MIT */
/* What a scenario is, and the library of hooks it is made of. The one header scenarios include. */
#ifndef BENCH_SCENARIO_H
#define BENCH_SCENARIO_H

#include "src/base/why.h"
#include "src/model/bench.h"
#include "src/sys/need.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* What the mapping consists of; smaps must show it. */
enum bench_pages {
	BENCH_PAGES_BASE,
	BENCH_PAGES_THP,      /* wherever a huge page fits */
	BENCH_PAGES_HUGETLB,  /* of the pool whose page is as large as a transparent huge page */
	BENCH_PAGES_GIGANTIC, /* of the pool above that */
	BENCH_PAGES_KERNEL,   /* the kernel's to choose: not looked at */
};

struct bench_arm;

/*
 * A trial as its hooks see it. Hooks run in a process of their own, pinned to one CPU, one thread.
 * What cleanup has to undo is recorded here, so that it can be called after any failure.
 */
struct bench_trial {
	char *map; /* the measured range; NULL where nothing is mapped */
	size_t n_pages, page_bytes;
	size_t bytes;      /* n_pages * page_bytes */
	size_t map_bytes;  /* of map: bytes, or more where they end within a huge page */
	size_t huge_bytes; /* 0: this system has none */
	enum bench_pages pages;
	size_t unit_bytes;      /* of one of these pages */
	size_t most_warm_bytes; /* 0, or no more may be taken to warm the free lists: a limit is near */
	bool is_unadvised; /* base or huge pages as the system gives them: no madvise asks for any */
	/* a setting's, after each prepare: the mapping is there, no page of it touched by the round */
	int (*prepared)(struct bench_trial *trial, const struct bench_arm *arm);
	const struct bench_arm *arm;
	char *reserved; /* the mapping that map was aligned in */
	size_t reserved_bytes;
	bool forbade_thp;           /* by bench_forbid_thp() */
	int fd;                     /* the data file; -1 */
	bool has_read_file;         /* bench_map_reread_file() has, in this trial */
	void **first;               /* where a chase begins */
	uint64_t n_accesses;        /* of a chase */
	unsigned char mark;         /* what this round writes to each page; never 0 */
	uint64_t sum, expected_sum; /* of the bytes that a read loop met, and should have met */
	struct why why;
};

enum { BENCH_SKIP = 1 };

/* 0; BENCH_SKIP or a negative errno with the sentence in trial->why. */
typedef int bench_hook(struct bench_trial *trial);

/* Which memory goes cold on the host and has to be touched right before the timed section. */
enum bench_warm {
	BENCH_WARM_FREE,    /* memory the round is about to allocate: the free lists */
	BENCH_WARM_MAPPING, /* memory the round has mapped already */
	BENCH_WARM_FILE,    /* the data file's pages in the page cache */
};

enum bench_file {
	BENCH_FILE_NONE,
	BENCH_FILE_WARM, /* in the page cache, written in page-sized pieces, never dropped */
	BENCH_FILE_COLD, /* fsynced; each round drops it, and looks that it is gone */
	BENCH_FILE_REREAD, /* the cold file, brought into the cache page by page by a mapping like ours */
	BENCH_N_FILES,
};

enum bench_access { BENCH_WRITE, BENCH_READ, BENCH_FILL, BENCH_CHASE };

enum { BENCH_MAX_NEEDS = 4 };

/*
 * The ranges are the hypothesis: faults a page, as rusage counts them. The trap range follows from
 * them unless the scenario populates inside a system call.
 */
struct bench_scenario {
	const char *title;
	const char *question;
	const char *unavailable; /* why this build has not got it; NULL */
	const struct sys_need *needs[BENCH_MAX_NEEDS];

	struct model_range minor_per_page, major_per_page;
	bool per_huge_page; /* the ranges count faults a huge page, and sizes are whole huge pages */
	bool ragged;        /* pages are THP wherever one fits: the range follows from the size */
	bool kernel_decides; /* ranges wide on purpose: fault-around, readahead */
	bool populates;      /* rusage counts pages that no trap was taken for */

	enum bench_access access;
	enum bench_pages pages;
	uint64_t n_accesses; /* of a chase: as many in each pass, whatever the size */
	enum bench_file file;
	enum bench_warm warm;
	uint64_t default_bytes; /* 0: the engine's default */
	bool any_pages; /* its hooks map whatever pages the trial is told; the ranges count faults of one */

	bench_hook *prepare; /* untimed, before each round */
	bench_hook *measure; /* timed; a library loop, the same for all */
	bench_hook *cleanup; /* untimed, also after a failure */
};

/* Emits the declaration first, so that no warning about a missing one is needed in every file. */
#define SCENARIO(name)                                      \
	extern const struct bench_scenario scenario_##name; \
	const struct bench_scenario scenario_##name

#define NEEDS(...)          \
	{                   \
		__VA_ARGS__ \
	}

/* What all pointer chases have in common; they differ in their pages alone. */
#define CHASE_IN(kind)                                                                       \
	.minor_per_page = {0.0, 0.001}, .major_per_page = {0.0, 0.0}, .access = BENCH_CHASE, \
	.pages = (kind), .any_pages = (kind) == BENCH_PAGES_BASE, .n_accesses = 1 << 19,     \
	.warm = BENCH_WARM_MAPPING, .default_bytes = 128 << 20, .prepare = bench_map_chase,  \
	.measure = bench_chase, .cleanup = bench_unmap

/* --- mapping: aligned to the huge page, so that counts do not depend on the address ------------- */

bench_hook bench_map_anon; /* of the trial's pages, whole ones; base pages by MADV_NOHUGEPAGE */
bench_hook bench_map_anon_huge;    /* MADV_HUGEPAGE */
bench_hook bench_map_anon_touched; /* bench_map_anon, and every page written */
bench_hook
	bench_map_anon_numbered; /* bench_map_anon, page i beginning with a byte that depends on i */
bench_hook bench_map_anon_filled; /* bench_map_anon, and every byte written */
bench_hook bench_map_file;        /* the data file, read-only, shared */
bench_hook bench_unmap;

/* A chain of addresses through every line of the working set, in the scenario's pages; where the
 * working set is smaller than one of them it lies within one. BENCH_SKIP where a pool has run dry. */
bench_hook bench_map_chase;

/* mmap with MAP_POPULATE, where THP is forbidden by bench_forbid_thp: advice would come too late. */
bench_hook bench_map_populated;
bench_hook bench_forbid_thp;

int bench_advise(struct bench_trial *trial, int advice);

/* --- the data file ------------------------------------------------------------------------------ */

/* Drops it from the page cache and maps it. BENCH_SKIP with the reason where pages stay. */
bench_hook bench_map_cold_file;

/* Sees to it that every page is cached, in folios of one page, and maps it. */
bench_hook bench_map_warm_file;

/* The cold file: dropped and read through a mapping with MADV_RANDOM, once a trial and again where pages
 * have left the cache since, then mapped. BENCH_SKIP with the reason where it cannot be dropped. */
bench_hook bench_map_reread_file;

/* --- touching: one access a step --------------------------------------------------------------- */

bench_hook bench_touch_write; /* writes one byte a page */
bench_hook bench_touch_read;  /* reads one byte a page */
bench_hook bench_fill_pages;  /* zeroes whole pages, one after the other */
bench_hook bench_chase;       /* follows n_accesses addresses */

#endif
