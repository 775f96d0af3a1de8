/* SPDX-License-Identifier: MIT */
/* A run with two sides, for people: the ratio of B to A of each scenario. */
#include "src/base/option.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/model/ab.h"
#include "src/report/compare_table.h"
#include "src/stats/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_note(const struct model_compare_row *rows, size_t n, FILE *out, size_t width)
{
	size_t fewest = SIZE_MAX, greatest = 0;
	char text[400], span[64];
	double least, most;

	if (!model_compare_detectable(rows, n, &least, &most))
		return;
	for (size_t i = 0; i < n; i++) {
		if (isnan(rows[i].detectable))
			continue;
		fewest = rows[i].n_a < fewest ? rows[i].n_a : fewest;
		greatest = rows[i].n_a > greatest ? rows[i].n_a : greatest;
	}
	if (fewest == greatest)
		(void)snprintf(span, sizeof(span), "%zu", fewest);
	else
		(void)snprintf(span, sizeof(span), "%zu to %zu", fewest, greatest);
	(void)snprintf(
		text, sizeof(text),
		"B/A: the middle of the ratios within %s pairs of trials side by side, in which what "
		"drifts drops out (so not the one price by the other), with its %.0f %% "
		"interval. Smallest change that four of five such runs find: %s",
		span, 100 * STATS_PAIRED_CONFIDENCE, units_share(least).s);
	if (strcmp(units_share(least).s, units_share(most).s) != 0)
		text_append(text, sizeof(text), " to %s", units_share(most).s);
	text_append(text, sizeof(text), ".");
	option_print_folded(out, text, 0, 0, width);
}

void report_ab_text(const struct model_bench *doc, FILE *out, const struct report_style *style)
{
	struct model_compare_row *rows;
	char heading[1024];
	size_t n;

	rows = model_ab_rows(doc, &n);
	model_ab_heading(&doc->ab, heading, sizeof(heading));
	option_print_folded(out, heading, 0, 0, style->width ? style->width : 100);
	(void)fputc('\n', out);
	if (n) {
		report_compare_table(rows, n, "A", "B", out, style);
		print_note(rows, n, out, style->width ? style->width : 100);
	}
	free(rows);
}
