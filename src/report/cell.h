/* SPDX-License-Identifier: MIT */
/* Figures as every table writes them. */
#ifndef REPORT_CELL_H
#define REPORT_CELL_H

#include "src/model/bench.h"
#include "src/report/table.h"

#include <stdbool.h>

/* Each fills a cell of TABLE_CELL bytes; what is not defined is "-". */
void cell_count(char *cell, double per_page);
void cell_ns(char *cell, double ns);
void cell_half_width(char *cell, const struct model_scenario *s); /* "drift": it has none */
void cell_times_floor(char *cell, double ratio);

/* A row that was not run says why elsewhere; one that still runs has no verdict yet. */
const char *cell_verdict(const struct model_scenario *s, bool running);

/* Whether traps are others than rusage's faults, as where pages are populated inside a call: else a
 * column for them says nothing that the others do not. */
bool cell_traps_differ(const struct model_scenario *s);

/* What the intervals of a document are: of all its rows, or of those alone that have a price. */
struct cell_intervals {
	bool range, interval; /* some are ranges, some are 95 % intervals */
	size_t least, most;   /* trials of a row that has one */
	size_t from;          /* trials that an interval takes; fewer have a range */
};

struct cell_intervals cell_intervals(const struct model_bench *doc, bool invalid_too);

#endif
