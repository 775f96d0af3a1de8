/* SPDX-License-Identifier: MIT */
/* A comparison for people: what differs, the table, what was left out, warnings. */
#include "src/report/compare_report.h"

#include "src/base/option.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/report/compare_table.h"

#include <string.h>

/* A price column is no wider than that. */
enum { MAX_TITLE = 16 };

static void side_units(const struct model_compare_side *side, bool boots, char *ret, size_t size)
{
	size_t n = boots ? side->n_boots : side->n_documents;

	(void)snprintf(ret, size, "%zu %s%s", n, boots ? "boot" : "document", n == 1 ? "" : "s");
}

void report_compare_units(const struct model_compare *doc, char *ret, size_t size)
{
	char a[64], b[64];
	size_t n_known = 0;

	side_units(&doc->a, doc->by_boots, a, sizeof(a));
	side_units(&doc->b, doc->by_boots, b, sizeof(b));
	if (doc->of_history)
		(void)snprintf(ret, size, "%zu runs", doc->a.n_documents);
	else if (strcmp(a, b) == 0)
		(void)snprintf(ret, size, "%s a side", a);
	else
		(void)snprintf(ret, size, "%s in A, %s in B", a, b);
	for (size_t i = 0; i < doc->n_rows; i++)
		if (doc->rows[i].n_known > n_known)
			n_known = doc->rows[i].n_known;
	if (n_known)
		text_append(ret, size, "; how runs spread is known from %zu saved ones", n_known);
}

void report_compare_detectable(const struct model_compare *doc, char *ret, size_t size)
{
	char from[32] = "";
	double least, most;

	*ret = 0;
	if (!model_compare_detectable(doc->rows, doc->n_rows, &least, &most))
		return;
	if (most - least >= 0.001)
		(void)snprintf(from, sizeof(from), "%.1f to ", 100 * least);
	(void)snprintf(ret, size, "smallest change detectable %s%.1f %%", from, 100 * most);
}

static void print_side(FILE *out, const char *which, const struct model_compare_side *side,
		       size_t width)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "%s%s", which, side->name);
	if (side->first[0])
		text_append(text, sizeof(text), ", %s", side->first);
	if (strcmp(side->first, side->last) != 0)
		text_append(text, sizeof(text), " to %s", side->last);
	option_print_folded(out, text, strlen(which), 0, width);
}

static void print_facts(const struct model_compare *doc, FILE *out, size_t width)
{
	char text[sizeof(doc->facts[0]) + 32];

	for (size_t i = 0; i < doc->n_facts; i++) {
		const struct model_compare_fact *fact = &doc->facts[i];

		if (doc->of_history)
			(void)snprintf(text, sizeof(text), "%s changed: %s", fact->key, fact->a);
		else
			(void)snprintf(text, sizeof(text), "%s differs: %s -> %s", fact->key,
				       fact->a, fact->b);
		option_print_folded(out, text, 2, 0, width);
	}
}

static void print_head(const struct model_compare *doc, FILE *out, size_t width)
{
	char text[320], detectable[96];

	print_side(out, doc->of_history ? "" : "A: ", &doc->a, width);
	if (!doc->of_history)
		print_side(out, "B: ", &doc->b, width);
	print_facts(doc, out, width);
	report_compare_units(doc, text, sizeof(text) - sizeof(detectable));
	report_compare_detectable(doc, detectable, sizeof(detectable));
	if (*detectable)
		text_append(text, sizeof(text), "; %s", detectable);
	option_print_folded(out, text, 0, 0, width);
}

/* The last part of a path, where that is short enough; else what letter it goes by. */
static void short_name(const char *name, const char *letter, char ret[MAX_TITLE])
{
	const char *slash = strrchr(name, '/');
	const char *last = slash && slash[1] ? slash + 1 : name;

	text_copy(ret, MAX_TITLE, strlen(last) < MAX_TITLE && *last ? last : letter);
}

static void print_table(const struct model_compare *doc, FILE *out,
			const struct report_style *style)
{
	char a[MAX_TITLE], b[MAX_TITLE];

	if (doc->of_history && doc->histories) {
		report_history_table(doc, out, style);
		return;
	}
	short_name(doc->a.name, "A", a);
	short_name(doc->b.name, "B", b);
	if (strcmp(a, b) == 0)
		report_compare_table(doc->rows, doc->n_rows, "A", "B", out, style);
	else
		report_compare_table(doc->rows, doc->n_rows, a, b, out, style);
}

static void print_left(const struct model_compare *doc, FILE *out, const struct report_style *style)
{
	char text[sizeof(doc->left[0]) + 8];

	if (doc->n_left)
		(void)fputc('\n', out);
	for (size_t i = 0; i < doc->n_left; i++) {
		const struct model_compare_left *left = &doc->left[i];

		(void)snprintf(text, sizeof(text), "%s: %s",
			       left->article[0] ? left->article : left->scenario, left->reason);
		report_headed(out, style, PAINT_WARN, "left out", text);
	}
}

/* With --verbose: of what each row is, and from how many. */
static void print_details(const struct model_compare *doc, FILE *out,
			  const struct report_style *style)
{
	char text[512];

	(void)fputc('\n', out);
	for (size_t i = 0; i < doc->n_rows; i++) {
		const struct model_compare_row *row = &doc->rows[i];

		(void)snprintf(text, sizeof(text),
			       "%s: %s in pages of %s, %s, %u thread%s; A from %zu, B from %zu",
			       row->article[0] ? row->article : row->scenario,
			       units_bytes(row->n_pages * row->page_bytes).s,
			       units_bytes(row->page_bytes).s, row->access, row->threads,
			       row->threads == 1 ? "" : "s", row->n_a, row->n_b);
		if (row->n_known)
			text_append(text, sizeof(text), ", their spread from %zu saved runs",
				    row->n_known);
		report_headed(out, style, PAINT_DIM, "detail", text);
	}
}

void report_compare_text(const struct model_compare *doc, FILE *out,
			 const struct report_style *style)
{
	size_t width = style->width ? style->width : 100;

	if (!style->brief) {
		print_head(doc, out, width);
		(void)fputc('\n', out);
	}
	print_table(doc, out, style);
	if (style->brief)
		return;
	if (style->verbose)
		print_details(doc, out, style);
	print_left(doc, out, style);
	if (doc->n_warnings)
		(void)fputc('\n', out);
	for (unsigned i = 0; i < doc->n_warnings; i++)
		report_headed(out, style, PAINT_WARN, "warning", doc->warnings[i].text);
}
