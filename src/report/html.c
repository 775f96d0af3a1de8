/* SPDX-License-Identifier: MIT */
/* For a browser: one page in one file, with charts and tables, without scripts and without a net. */
#include "src/report/report.h"

#include "src/base/html_write.h"
#include "src/model/ab.h"
#include "src/report/chart.h"
#include "src/report/compare_report.h"
#include "src/report/html_tables.h"
#include "src/report/style.h"

#include <stdlib.h>

/* Nothing may be fetched or run, whatever a document holds; the one style is known by its hash. */
void html_page_begin(FILE *out, const char *subject, const char *when)
{
	html_printf(out,
		    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src '%s'; base-uri 'none'; form-action 'none'\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<meta name=\"color-scheme\" content=\"light dark\">\n"
		    "<title>pagetoll: %s %s</title>\n<style>",
		    report_style_hash, subject, when);
	for (const char *const *line = report_style_lines; *line; line++)
		(void)fputs(*line, out);
	(void)fputs("</style>\n</head>\n<body>\n", out);
}

static void put_title(const struct model_bench *doc, FILE *out)
{
	const struct model_suite_head *suite = &doc->suite;
	const struct sys_machine *m = &doc->machine;

	(void)fputs("<header class=\"head\">\n", out);
	if (suite->name[0])
		html_printf(out, "<h1>%s: %s</h1>\n<p>%s</p>\n", suite->name, suite->title,
			    suite->source);
	else
		(void)fputs("<h1>What page faults cost here</h1>\n", out);
	html_printf(out, "<p>Measured %s by pagetoll %s", doc->started, doc->tool_version);
	html_printf(out, " on %s, kernel %s.</p>\n</header>\n",
		    sys_machine_text(m, "cpu",
				     sys_machine_text(m, "architecture", "an unknown CPU")),
		    sys_machine_text(m, "kernel", "unknown"));
}

/* ", 2 skipped": nothing of what there is none of. */
static void put_count(FILE *out, size_t n, const char *what)
{
	if (n)
		html_printf(out, ", %zu %s", n, what);
}

static void put_row_counts(const struct model_bench *doc, FILE *out)
{
	size_t priced = 0, invalid = 0;

	for (size_t i = 0; i < doc->n_scenarios; i++) {
		priced += chart_is_priced(&doc->scenarios[i]);
		invalid += doc->scenarios[i].verdict == MODEL_INVALID;
	}
	html_printf(out, "With a price: %zu of %zu rows", priced, doc->n_scenarios);
	put_count(out, invalid, "INVALID");
	put_count(out, doc->n_scenarios - priced - invalid, "not run");
	(void)fputs(".", out);
}

static void put_relation_counts(const struct model_bench *doc, FILE *out)
{
	size_t holds = 0, unknown = 0;

	for (unsigned i = 0; i < doc->n_relations; i++) {
		holds += doc->relations[i].measured && doc->relations[i].holds;
		unknown += !doc->relations[i].measured;
	}
	html_printf(out, " What the source says: %zu of %u hold here", holds, doc->n_relations);
	put_count(out, doc->n_relations - holds - unknown, "differ");
	put_count(out, unknown, "unknown");
	(void)fputs(".", out);
}

static void put_answer(const struct model_bench *doc, FILE *out)
{
	char sentences[REPORT_MAX_SENTENCES][REPORT_SENTENCE_BYTES];
	size_t n = report_bench_sentences(doc, sentences);

	(void)fputs("<section class=\"answer\">\n", out);
	if (doc->interrupted)
		(void)fputs(
			"<p class=\"warn\">Interrupted: this is what was done until then.</p>\n",
			out);
	if (n)
		(void)fputs("<p>", out);
	for (size_t i = 0; i < n; i++)
		html_printf(out, "%s%s", i ? " " : "", sentences[i]);
	if (n)
		(void)fputs("</p>\n", out);
	(void)fputs("<p class=\"note\">", out);
	put_row_counts(doc, out);
	if (doc->n_relations)
		put_relation_counts(doc, out);
	(void)fputs("</p>\n", out);
	(void)fputs("</section>\n", out);
}

/* What a run was compared with: its other side, or an earlier run. */
static void put_changes(const struct model_bench *doc, FILE *out)
{
	struct model_compare_row *rows;
	char title[1024];
	size_t n;

	rows = model_ab_rows(doc, &n);
	model_ab_heading(&doc->ab, title, sizeof(title));
	html_table_changes(rows, n, title, out);
	free(rows);
	(void)snprintf(title, sizeof(title), "Since %s (A)", doc->baseline);
	html_table_changes(doc->changes, doc->n_changes, title, out);
}

static void bench(const struct model_bench *doc, FILE *out, const struct report_style *style)
{
	(void)style;
	html_page_begin(out, doc->suite.name[0] ? doc->suite.name : "prices of page faults",
			doc->started);
	put_title(doc, out);
	(void)fputs("<main>\n", out);
	put_answer(doc, out);
	put_changes(doc, out);
	(void)fputs("<div class=\"charts\">\n", out);
	chart_prices(doc, out);
	chart_times(doc, out);
	chart_published(doc, out);
	chart_accesses(doc, out);
	(void)fputs("</div>\n", out);
	html_table_prices(doc, out);
	html_table_relations(doc, out);
	html_table_warnings(doc, out);
	html_table_not_done(doc, out);
	html_table_machine(doc, out);
	html_table_options(doc, out);
	(void)fputs("</main>\n</body>\n</html>\n", out);
}

REPORT(html) = {
	.title = "one page with charts and tables, for a browser",
	.bench = bench,
	.compare = report_compare_html,
};
