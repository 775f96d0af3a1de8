/* SPDX-License-Identifier: MIT */
/* A comparison as a page of tables, for a browser. */
#include "src/report/compare_report.h"

#include "src/base/html_write.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/report/cell.h"
#include "src/report/compare_table.h"
#include "src/report/html_tables.h"

#include <math.h>
#include <string.h>

static void put_side(FILE *out, const char *which, const struct model_compare_side *side)
{
	html_printf(out, "<p>%s%s, %s", which, side->name, side->first);
	if (strcmp(side->first, side->last) != 0)
		html_printf(out, " to %s", side->last);
	(void)fputs("</p>\n", out);
}

static void put_title(const struct model_compare *doc, FILE *out)
{
	char units[256], detectable[96];

	report_compare_units(doc, units, sizeof(units));
	report_compare_detectable(doc, detectable, sizeof(detectable));
	html_printf(out, "<header class=\"head\">\n<h1>%s</h1>\n",
		    doc->of_history ? "Prices over time" : "What has changed");
	put_side(out, doc->of_history ? "" : "A: ", &doc->a);
	if (!doc->of_history)
		put_side(out, "B: ", &doc->b);
	html_printf(out, "<p>%s%s%s; compared %s by pagetoll %s.</p>\n</header>\n", units,
		    *detectable ? "; " : "", detectable, doc->started, doc->tool_version);
}

static const char *verdict_class(enum model_change change)
{
	static const char *const classes[] = {
		[MODEL_CHANGE_UNKNOWN] = "short",
		[MODEL_CHANGE_NONE] = "short",
		[MODEL_CHANGE_FASTER] = "short good",
		[MODEL_CHANGE_SLOWER] = "short bad",
	};

	return classes[change];
}

static void put_cell(FILE *out, const char *class_name, const char *text)
{
	html_printf(out, "<td class=\"%s\">%s</td>", class_name, text);
}

static void put_ns(FILE *out, double ns)
{
	char cell[TABLE_CELL];

	cell_ns(cell, ns);
	put_cell(out, "num", cell);
}

static void put_row(FILE *out, const struct model_compare_row *row)
{
	char ratio[TABLE_CELL], detectable[32] = "-", units[64];

	report_change_ratio(ratio, row);
	if (!isnan(row->detectable))
		(void)snprintf(detectable, sizeof(detectable), "%.1f %%", 100 * row->detectable);
	(void)snprintf(units, sizeof(units), "%zu, %zu", row->n_a, row->n_b);
	html_printf(out, "<tr><th scope=\"row\">%s</th>", row->scenario);
	put_cell(out, "short", row->article);
	put_cell(out, "num", units_bytes(row->n_pages * row->page_bytes).s);
	put_ns(out, row->a_ns);
	put_ns(out, row->b_ns);
	put_cell(out, "short", row->unit);
	put_cell(out, "num", ratio);
	put_cell(out, "num", detectable);
	put_cell(out, "num", units);
	put_cell(out, verdict_class(row->verdict), model_change_name(row->verdict));
	(void)fputs("</tr>\n", out);
}

void html_table_changes(const struct model_compare_row *rows, size_t n_rows, const char *title,
			FILE *out)
{
	static const char *const heads[] = {"scenario", "article", "size", "A",
					    "B",        "unit",    "B/A",  "detectable",
					    "units",    "verdict", NULL};

	if (!n_rows)
		return;
	html_table_open(out, title);
	html_table_heads(out, heads);
	for (size_t i = 0; i < n_rows; i++)
		put_row(out, &rows[i]);
	html_table_close(out);
}

static void put_histories(const struct model_compare *doc, FILE *out)
{
	static const char *const heads[] = {"scenario", "runs",      "min", "median",
					    "max",      "over time", NULL};
	char line[REPORT_CHART_BYTES], runs[32];

	if (!doc->histories)
		return;
	html_table_open(out, "Over time");
	html_table_heads(out, heads);
	for (size_t i = 0; i < doc->n_rows; i++) {
		const struct model_history *h = &doc->histories[i];

		report_chart_line(h, true, line);
		(void)snprintf(runs, sizeof(runs), "%zu", h->n);
		html_printf(out, "<tr><th scope=\"row\">%s</th>", doc->rows[i].scenario);
		put_cell(out, "num", runs);
		put_ns(out, h->min_ns);
		put_ns(out, h->median_ns);
		put_ns(out, h->max_ns);
		put_cell(out, "short", line);
		(void)fputs("</tr>\n", out);
	}
	html_table_close(out);
}

static void put_facts(const struct model_compare *doc, FILE *out)
{
	static const char *const heads[] = {"fact", "A", "B", NULL};

	if (doc->n_facts == 0)
		return;
	html_table_open(out, doc->of_history ? "What has changed" : "What differs");
	html_table_heads(out, heads);
	for (size_t i = 0; i < doc->n_facts; i++) {
		html_printf(out, "<tr><th scope=\"row\">%s</th>", doc->facts[i].key);
		put_cell(out, "text", doc->facts[i].a);
		put_cell(out, "text", doc->facts[i].b);
		(void)fputs("</tr>\n", out);
	}
	html_table_close(out);
}

static void put_remarks(const struct model_compare *doc, FILE *out)
{
	static const char *const heads[] = {"of", "what was noticed", NULL};
	bool any = doc->n_left || doc->n_warnings;

	for (size_t i = 0; i < doc->n_rows; i++)
		any = any || doc->rows[i].reason[0];
	if (!any)
		return;
	html_table_open(out, "Remarks");
	html_table_heads(out, heads);
	for (size_t i = 0; i < doc->n_rows; i++)
		if (doc->rows[i].reason[0])
			html_table_remark(out, doc->rows[i].scenario, "note", false,
					  doc->rows[i].reason);
	for (size_t i = 0; i < doc->n_left; i++)
		html_table_remark(out, doc->left[i].scenario, "left out", false,
				  doc->left[i].reason);
	for (unsigned i = 0; i < doc->n_warnings; i++)
		html_table_remark(out, "the comparison", "warning", false, doc->warnings[i].text);
	html_table_close(out);
}

void report_compare_html(const struct model_compare *doc, FILE *out,
			 const struct report_style *style)
{
	(void)style;
	html_page_begin(out, doc->of_history ? "history" : "comparison", doc->started);
	put_title(doc, out);
	(void)fputs("<main>\n", out);
	html_table_changes(doc->rows, doc->n_rows,
			   doc->of_history ? "The latest (B) against the earlier ones (A)"
					   : "Prices",
			   out);
	put_histories(doc, out);
	put_facts(doc, out);
	put_remarks(doc, out);
	(void)fputs("</main>\n</body>\n</html>\n", out);
}
