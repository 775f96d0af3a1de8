/* SPDX-License-Identifier: MIT */
/* A comparison as one line a row, for spreadsheets and scripts. */
#include "src/report/compare_report.h"

#include "src/base/array.h"
#include "src/report/csv_write.h"

#include <math.h>
#include <string.h>

static const char *const heads[] = {
	"scenario", "article", "n_pages", "page_bytes", "pages",    "accesses",
	"threads",  "access",  "unit",    "a",          "b",        "n_a",
	"n_b",      "n_known", "ratio",   "ratio_lo",   "ratio_hi", "detectable",
	"verdict",  "reason",  "runs",    "min",        "median",   "max",
};

static void put_texts(FILE *out, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		(void)fputs(i ? "," : "", out);
		csv_put_text(out, texts[i]);
	}
}

static void put_doubles(FILE *out, const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		(void)fputc(',', out);
		csv_put_double(out, values[i]);
	}
}

static void put_row(FILE *out, const struct model_compare_row *row, const struct model_history *h)
{
	const char *const names[] = {row->scenario, row->article};
	const char *const kinds[] = {row->access, row->unit};
	const char *const ends[] = {model_change_name(row->verdict), row->reason};
	const double sizes[] = {(double)row->n_pages, (double)row->page_bytes};
	const double counts[] = {row->n_accesses ? (double)row->n_accesses : NAN,
				 (double)row->threads};
	const double figures[] = {
		row->a_ns,  row->b_ns, (double)row->n_a, (double)row->n_b, (double)row->n_known,
		row->ratio, row->lo,   row->hi,          row->detectable};
	const double over_time[] = {h ? (double)h->n : NAN, h ? h->min_ns : NAN,
				    h ? h->median_ns : NAN, h ? h->max_ns : NAN};

	put_texts(out, names, ARRAY_LEN(names));
	put_doubles(out, sizes, ARRAY_LEN(sizes));
	(void)fputc(',', out);
	csv_put_text(out, row->pages);
	put_doubles(out, counts, ARRAY_LEN(counts));
	(void)fputc(',', out);
	put_texts(out, kinds, ARRAY_LEN(kinds));
	put_doubles(out, figures, ARRAY_LEN(figures));
	(void)fputc(',', out);
	put_texts(out, ends, ARRAY_LEN(ends));
	put_doubles(out, over_time, ARRAY_LEN(over_time));
	(void)fputc('\n', out);
}

/* A row that was left out has a line, too, of names, verdict and reason. */
static void put_left(FILE *out, const struct model_compare_left *left)
{
	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		const char *const texts[] = {left->scenario, left->article};

		(void)fputs(i ? "," : "", out);
		if (i < ARRAY_LEN(texts))
			csv_put_text(out, texts[i]);
		else if (strcmp(heads[i], "verdict") == 0)
			csv_put_text(out, "not compared");
		else if (strcmp(heads[i], "reason") == 0)
			csv_put_text(out, left->reason);
	}
	(void)fputc('\n', out);
}

void report_compare_csv(const struct model_compare *doc, FILE *out,
			const struct report_style *style)
{
	(void)style;
	put_texts(out, heads, ARRAY_LEN(heads));
	(void)fputc('\n', out);
	for (size_t i = 0; i < doc->n_rows; i++)
		put_row(out, &doc->rows[i], doc->histories ? &doc->histories[i] : NULL);
	for (size_t i = 0; i < doc->n_left; i++)
		put_left(out, &doc->left[i]);
}
