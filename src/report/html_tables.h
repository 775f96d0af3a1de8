/* SPDX-License-Identifier: MIT */
/* The tables of the HTML page, each with its heading, or nothing where it has no row. */
#ifndef REPORT_HTML_TABLES_H
#define REPORT_HTML_TABLES_H

#include "src/model/bench.h"

#include <stdio.h>

void html_table_prices(const struct model_bench *doc, FILE *out);
void html_table_relations(const struct model_bench *doc, FILE *out);
void html_table_warnings(const struct model_bench *doc, FILE *out);
void html_table_not_done(const struct model_bench *doc, FILE *out);
void html_table_machine(const struct model_bench *doc, FILE *out);
void html_table_options(const struct model_bench *doc, FILE *out);

#endif
