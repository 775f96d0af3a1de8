/* SPDX-License-Identifier: MIT */
/* Figures as every table writes them. */
#include "src/report/cell.h"

#include "src/base/text.h"
#include "src/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void cell_count(char *cell, double per_page)
{
	if (isnan(per_page))
		text_copy(cell, TABLE_CELL, "-");
	else if (per_page == 0)
		text_copy(cell, TABLE_CELL, "0");
	else
		(void)snprintf(cell, TABLE_CELL,
			       per_page < 0.001 ? "%.5f"
			       : per_page < 0.9 ? "%.4f"
						: "%.3f",
			       per_page);
}

void cell_ns(char *cell, double ns)
{
	text_copy(cell, TABLE_CELL, isnan(ns) ? "-" : units_ns(ns).s);
}

void cell_half_width(char *cell, const struct model_scenario *s)
{
	double half = stats_half_width(model_price(s));

	if (s->drift.found)
		text_copy(cell, TABLE_CELL, "drift");
	else if (isnan(half))
		text_copy(cell, TABLE_CELL, "-");
	else
		(void)snprintf(cell, TABLE_CELL, "%.1f%%", 100 * half);
}

void cell_times_floor(char *cell, double ratio)
{
	if (!isfinite(ratio))
		text_copy(cell, TABLE_CELL, "-");
	else
		(void)snprintf(cell, TABLE_CELL,
			       ratio < 0.1   ? "%.2f"
			       : ratio < 100 ? "%.1f"
					     : "%.0f",
			       ratio);
}

const char *cell_verdict(const struct model_scenario *s, bool running)
{
	if (s->status != MODEL_DONE)
		return model_status_name(s->status);
	if (s->verdict == MODEL_INVALID)
		return "INVALID";
	return running && s->n_rounds == 0 ? "" : model_verdict_name(s->verdict);
}

bool cell_traps_differ(const struct model_scenario *s)
{
	return !isnan(s->trap_per_page) &&
	       fabs(s->trap_per_page - s->minor_per_page - s->major_per_page) > 0.01;
}

struct cell_intervals cell_intervals(const struct model_bench *doc, bool invalid_too)
{
	struct cell_intervals all = {
		.least = SIZE_MAX,
		.from = model_bench_stops_rows(doc) ? STATS_LEAST_STOPPED : STATS_LEAST_FIXED,
	};

	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct stats_summary *s = model_price(&doc->scenarios[i]);

		if ((doc->scenarios[i].verdict == MODEL_INVALID && !invalid_too) ||
		    s->interval.kind == STATS_INTERVAL_NONE)
			continue;
		all.range = all.range || s->interval.kind == STATS_INTERVAL_RANGE;
		all.interval = all.interval || s->interval.kind == STATS_INTERVAL_95;
		if (s->n < all.least)
			all.least = s->n;
		if (s->n > all.most)
			all.most = s->n;
	}
	return all;
}
