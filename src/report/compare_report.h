/* SPDX-License-Identifier: MIT */
/* The compare document in each format. */
#ifndef REPORT_COMPARE_REPORT_H
#define REPORT_COMPARE_REPORT_H

#include "src/report/report.h"

void report_compare_text(const struct model_compare *doc, FILE *out,
			 const struct report_style *style);
void report_compare_csv(const struct model_compare *doc, FILE *out,
			const struct report_style *style);
void report_compare_html(const struct model_compare *doc, FILE *out,
			 const struct report_style *style);

/* The table of a history: each row's prices over time, and the latest against the earlier ones. */
void report_history_table(const struct model_compare *doc, FILE *out,
			  const struct report_style *style);

/* Prices as one character each, low to high between the least and the largest; for REPORT_CHART_BYTES. */
enum { REPORT_CHART_BYTES = 3 * MODEL_MAX_HISTORY + 1 };
void report_chart_line(const struct model_history *history, bool unicode, char *ret);

/* "3 boots a side", "3 documents in A, 1 document in B", "12 runs". */
void report_compare_units(const struct model_compare *doc, char *ret, size_t size);

/* "smallest change detectable 0.9 to 2.7 %"; "" where there is none. */
void report_compare_detectable(const struct model_compare *doc, char *ret, size_t size);

#endif
