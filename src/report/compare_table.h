/* SPDX-License-Identifier: MIT */
/* The table of a comparison: two prices, their ratio with its interval, and the verdict. */
#ifndef REPORT_COMPARE_TABLE_H
#define REPORT_COMPARE_TABLE_H

#include "src/model/compare.h"
#include "src/report/report.h"
#include "src/report/table.h"

/* a and b head the columns of the two prices. Reasons follow below the table. */
void report_compare_table(const struct model_compare_row *rows, size_t n_rows, const char *a,
			  const char *b, FILE *out, const struct report_style *style);

/* Prints a table whose last column, i_verdict, holds verdicts, which have colours. */
void report_table_print(const struct table *t, size_t i_verdict, FILE *out,
			const struct report_style *style);

/* What rows have to say, one paragraph each. */
void report_compare_reasons(const struct model_compare_row *rows, size_t n_rows, FILE *out,
			    const struct report_style *style);

/* "faster" is good news, "slower" is not. */
enum report_paint report_change_paint(enum model_change change);

/* "1.08 [1.05, 1.11]", "1.08" or "-"; for a cell of TABLE_CELL bytes. */
void report_change_ratio(char *cell, const struct model_compare_row *row);

/* The change since a baseline in a cell: "+3.1% slower", "no change", "?"; "-" for NULL. */
void report_change_cell(char *cell, const struct model_compare_row *row);

/* Below a price list: what its changes are against, and those of rows that have no cell for them. */
void report_bench_changes(const struct model_bench *doc, FILE *out,
			  const struct report_style *style);

#endif
