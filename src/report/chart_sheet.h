/* SPDX-License-Identifier: MIT */
/* A chart with a row for each scenario, below an upright legend and between two axes that read alike. */
#ifndef REPORT_CHART_SHEET_H
#define REPORT_CHART_SHEET_H

#include "src/report/chart.h"

/* Each row has a line for its name and two lanes below. All sheets of a page are measured alike, so that
 * rows stand level where sheets stand side by side. */
enum {
	SHEET_LEFT = 30, /* of the axis: half a label stands left of it */
	SHEET_RIGHT = SVG_WIDTH - 28,
	SHEET_ROW = 54,
	SHEET_LANE_1 = 28, /* from the top of a row */
	SHEET_LANE_2 = 43,
};

typedef bool sheet_belongs(const struct model_scenario *s);

struct sheet {
	const struct model_bench *doc;
	FILE *out;
	sheet_belongs *belongs;
	unsigned line;      /* of the legend, the next one */
	double top, bottom; /* of the rows */
};

/* The next scenario of the sheet, at or behind *i; NULL at the end. */
const struct model_scenario *sheet_next(const struct sheet *sheet, size_t *i);

/* Measures a sheet whose legend has n_lines. False where it has no row. */
bool sheet_measure(struct sheet *sheet, unsigned n_lines);

/* Begins the figure of a measured sheet. */
void sheet_open(const struct sheet *sheet, const char *title, const char *text);

/* A line through all rows, its label above and below; and the name of the axis. */
void sheet_tick(const struct sheet *sheet, double x, const char *text);
void sheet_axis_name(const struct sheet *sheet, double x, const char *text);

/* The name of a row whose top is y, and, where it is noisy, that it is. */
void sheet_name(const struct sheet *sheet, const struct model_scenario *s, double y);

/* Instead of marks: a row without a price is named, never drawn as 0. */
void sheet_no_price(const struct sheet *sheet, const struct model_scenario *s, double y);

/* Whether prices can be compared with the floor. */
bool sheet_has_floor(const struct model_bench *doc);

/* Whether a row says what its source published. */
bool sheet_is_published(const struct model_scenario *s);

#endif
