/* SPDX-License-Identifier: MIT */
/* What will be run at which size, and what cannot be and why. */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "src/bench/bench.h"
#include "src/bench/scenario.h"

/* One row of the run. */
struct plan_entry {
	const struct bench_registry_row *row;
	size_t i_scenario; /* in doc->scenarios; PLAN_FLOOR: doc->floor */
	uint64_t n_pages;
	enum bench_pages pages; /* the scenario's, unless the setting under test says others */
	bool other_pages;       /* it does */
	uint64_t unit_pages;    /* sizes are multiples of this */
	uint32_t n_trials;      /* begun */
	bool closed;            /* skipped, failed, or done */
};

#define PLAN_FLOOR SIZE_MAX

enum { PLAN_MAX_ENTRIES = MODEL_MAX_SCENARIOS + 1 }; /* and a floor */

/* Of a run with two sides the entries of a request are neighbours: A, then B. */
struct plan {
	struct plan_entry entries[PLAN_MAX_ENTRIES];
	size_t n_entries;
	size_t n_sides;                     /* 1, or 2 */
	uint64_t file_bytes[BENCH_N_FILES]; /* the largest that an open entry maps */
};

struct model_scenario *plan_scenario(const struct plan_entry *entry, struct model_bench *doc);

/* Of a run with two sides: the entry of the other side of the same request. */
struct plan_entry *plan_mate(struct plan *plan, const struct plan_entry *entry);

/* Makes an entry and a document row of each request, probes needs once, and sizes by the memory and
 * the disk there is. 0 or -ENOMEM, -E2BIG. */
int plan_make(struct plan *plan, const struct bench_config *config, struct model_bench *doc,
	      struct why *why);

/* The data file that an entry maps: what is reread is the cold file. */
enum bench_file plan_file(const struct plan_entry *entry);

/* Ends an entry with a status and a sentence. */
void plan_close(struct plan_entry *entry, struct model_bench *doc, enum model_status status,
		const char *reason);

#endif
