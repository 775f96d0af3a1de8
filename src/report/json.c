/* SPDX-License-Identifier: MIT */
/* The document itself, schema 1. */
#include "src/report/report.h"

static void bench(const struct model_bench *doc, FILE *out, const struct report_style *style)
{
	(void)style;
	model_bench_write(doc, out);
}

static void trace(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	(void)style;
	model_trace_write(doc, out);
}

static void compare(const struct model_compare *doc, FILE *out, const struct report_style *style)
{
	(void)style;
	model_compare_write(doc, out);
}

REPORT(json) = {
	.title = "the whole document, schema 1; see pagetoll-results(5)",
	.bench = bench,
	.trace = trace,
	.bill = trace,
	.compare = compare,
};
