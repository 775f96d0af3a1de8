/* SPDX-License-Identifier: MIT */
/* The tables of the HTML page, each with its heading, or nothing where it has no row. */
#ifndef REPORT_HTML_TABLES_H
#define REPORT_HTML_TABLES_H

#include "src/model/bench.h"

#include <stdbool.h>
#include <stdio.h>

/* What every table is made of: a heading and the frame; heads, which end with NULL; the end. */
void html_table_open(FILE *out, const char *title);
void html_table_heads(FILE *out, const char *const *heads);
void html_table_close(FILE *out);

/* A row of what there is to say: of what, of which kind, and the text. */
void html_table_remark(FILE *out, const char *name, const char *kind, bool bad, const char *text);

/* The beginning of a page, up to its body. */
void html_page_begin(FILE *out, const char *subject, const char *when);

/* Two prices of each row, their ratio and the verdict. */
struct model_compare_row;
void html_table_changes(const struct model_compare_row *rows, size_t n_rows, const char *title,
			FILE *out);

void html_table_prices(const struct model_bench *doc, FILE *out);
void html_table_relations(const struct model_bench *doc, FILE *out);
void html_table_warnings(const struct model_bench *doc, FILE *out);
void html_table_not_done(const struct model_bench *doc, FILE *out);
void html_table_machine(const struct model_bench *doc, FILE *out);
void html_table_options(const struct model_bench *doc, FILE *out);

#endif
