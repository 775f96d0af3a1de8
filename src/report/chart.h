/* SPDX-License-Identifier: MIT */
/* The charts of the HTML page: each writes one figure, or nothing where there is nothing to draw. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "src/model/bench.h"
#include "src/report/svg.h"

#include <stdbool.h>
#include <stdio.h>

/* Time a fault beside time a page, one row a scenario. */
void chart_prices(const struct model_bench *doc, FILE *out);

/* Where the time went: on the CPU, waiting for it, asleep. */
void chart_times(const struct model_bench *doc, FILE *out);

/* What the suite's source printed beside what was measured. */
void chart_published(const struct model_bench *doc, FILE *out);

/* Time an access, and memory for page tables, by the memory that is visited in random order. */
void chart_accesses(const struct model_bench *doc, FILE *out);

/* --- what the charts share -------------------------------------------------------------------- */

/* Begins a figure: its heading, one sentence below, and its SVG of that height. */
void chart_open(FILE *out, double height, const char *title, const char *text);
void chart_close(FILE *out);

/* Whether the price of a row, of whatever kind, may be drawn. */
bool chart_is_priced(const struct model_scenario *s);

/* Why it is not: "skipped: needs swap ...". */
void chart_no_price(const struct model_scenario *s, char *ret, size_t size);

/* A line of the legend: the text behind a mark that the caller drew at the place returned. */
enum { CHART_HALF = SVG_WIDTH / 2, CHART_ICON = 30 };
struct svg_point chart_legend(FILE *out, unsigned line, unsigned half, const char *text);

/* Whether a price of this document has an interval, and the line of the legend that says which kind. */
bool chart_has_whiskers(const struct model_bench *doc);
void chart_whisker_legend(const struct model_bench *doc, FILE *out, unsigned line);

#endif
