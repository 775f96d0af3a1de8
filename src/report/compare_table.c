/* SPDX-License-Identifier: MIT */
/* The table of a comparison: two prices, their ratio with its interval, and the verdict. */
#include "src/report/compare_table.h"

#include "src/base/option.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/report/cell.h"
#include "src/report/list.h"
#include "src/report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum cell {
	CELL_ARTICLE,
	CELL_SCENARIO,
	CELL_SIZE,
	CELL_A,
	CELL_B,
	CELL_UNIT,
	CELL_RATIO,
	CELL_DETECTABLE,
	CELL_UNITS,
	CELL_VERDICT,
	N_CELLS,
};

enum { MAX_TITLE = 24 };

static const struct table_column columns[N_CELLS] = {
	[CELL_ARTICLE] = {"ARTICLE", false, 5},
	[CELL_SCENARIO] = {"SCENARIO", false, 0},
	[CELL_SIZE] = {"SIZE", true, 6},
	[CELL_A] = {"A", true, 1},
	[CELL_B] = {"B", true, 0},
	[CELL_UNIT] = {"UNIT", false, 3},
	[CELL_RATIO] = {"B/A", false, 0},
	[CELL_DETECTABLE] = {"DETECTABLE", true, 4},
	[CELL_UNITS] = {"N", true, 2},
	[CELL_VERDICT] = {"VERDICT", false, 0},
};

typedef char cells_of_row[N_CELLS][TABLE_CELL];

enum report_paint report_change_paint(enum model_change change)
{
	static const enum report_paint paints[] = {
		[MODEL_CHANGE_UNKNOWN] = PAINT_DIM,
		[MODEL_CHANGE_NONE] = PAINT_NONE,
		[MODEL_CHANGE_FASTER] = PAINT_GOOD,
		[MODEL_CHANGE_SLOWER] = PAINT_BAD,
	};

	return paints[change];
}

void report_change_ratio(char *cell, const struct model_compare_row *row)
{
	if (!isfinite(row->ratio))
		text_copy(cell, TABLE_CELL, "-");
	else if (isnan(row->lo) || isnan(row->hi))
		(void)snprintf(cell, TABLE_CELL, "%.3g", row->ratio);
	else if (row->ratio < 10)
		(void)snprintf(cell, TABLE_CELL, "%.3f [%.3f, %.3f]", row->ratio, row->lo, row->hi);
	else
		(void)snprintf(cell, TABLE_CELL, "%.3g [%.3g, %.3g]", row->ratio, row->lo, row->hi);
}

static void fill_row(const struct model_compare_row *row, cells_of_row cells)
{
	text_copy(cells[CELL_ARTICLE], TABLE_CELL, row->article[0] ? row->article : "-");
	text_copy(cells[CELL_SCENARIO], TABLE_CELL, row->scenario);
	text_copy(cells[CELL_SIZE], TABLE_CELL, units_bytes(row->n_pages * row->page_bytes).s);
	cell_ns(cells[CELL_A], row->a_ns);
	cell_ns(cells[CELL_B], row->b_ns);
	text_copy(cells[CELL_UNIT], TABLE_CELL, row->unit);
	report_change_ratio(cells[CELL_RATIO], row);
	if (isfinite(row->detectable))
		(void)snprintf(cells[CELL_DETECTABLE], TABLE_CELL, "%.1f%%", 100 * row->detectable);
	else
		text_copy(cells[CELL_DETECTABLE], TABLE_CELL, "-");
	if (row->n_a == row->n_b)
		(void)snprintf(cells[CELL_UNITS], TABLE_CELL, "%zu", row->n_a);
	else
		(void)snprintf(cells[CELL_UNITS], TABLE_CELL, "%zu, %zu", row->n_a, row->n_b);
	text_copy(cells[CELL_VERDICT], TABLE_CELL, model_change_name(row->verdict));
}

/* What says nothing in any row: names that are the scenario's, sizes that are all the same. */
static void hide_empty(const struct model_compare_row *rows, size_t n_rows, struct table *t)
{
	bool article = false, sizes = false;

	for (size_t i = 0; i < n_rows; i++) {
		article = article ||
			  (rows[i].article[0] && strcmp(rows[i].article, rows[i].scenario) != 0);
		sizes = sizes || rows[i].n_pages * rows[i].page_bytes !=
					 rows[0].n_pages * rows[0].page_bytes;
	}
	t->hidden[CELL_ARTICLE] = !article;
	t->hidden[CELL_SIZE] = !sizes;
}

static enum report_paint paint_of(const char *verdict)
{
	for (enum model_change c = MODEL_CHANGE_UNKNOWN; c <= MODEL_CHANGE_SLOWER; c++)
		if (strcmp(model_change_name(c), verdict) == 0)
			return report_change_paint(c);
	return PAINT_NONE;
}

/* The verdict is the last of each line, where a colour moves no column. */
void report_table_print(const struct table *t, size_t i_verdict, FILE *out,
			const struct report_style *style)
{
	char *text = NULL, *line, *end;
	size_t size = 0;
	FILE *lines = open_memstream(&text, &size);

	if (lines)
		table_print(t, lines);
	if (!lines || fclose(lines) != 0 || !(line = strchr(text, '\n'))) {
		free(text);
		table_print(t, out);
		return;
	}
	line++;
	(void)fwrite(text, 1, (size_t)(line - text), out);
	for (size_t i = 0; (end = strchr(line, '\n')); line = end + 1, i++) {
		const char *name = t->cells[i * t->n_columns + i_verdict];

		(void)fwrite(line, 1, (size_t)(end - line) - strlen(name), out);
		report_paint(out, style, paint_of(name), name);
		(void)fputc('\n', out);
	}
	free(text);
}

/* The names of all rows that have the reason of row i; none where an earlier row has told it. */
static void join_names(const struct model_compare_row *rows, size_t n_rows, size_t i,
		       struct report_list *ret)
{
	*ret = (struct report_list){.n = 0};
	for (size_t k = 0; k < i; k++)
		if (strcmp(rows[k].reason, rows[i].reason) == 0)
			return;
	for (size_t k = i; k < n_rows; k++)
		if (strcmp(rows[k].reason, rows[i].reason) == 0)
			report_list_add(ret, ", ", "%s",
					rows[k].article[0] ? rows[k].article : rows[k].scenario);
}

void report_compare_reasons(const struct model_compare_row *rows, size_t n_rows, FILE *out,
			    const struct report_style *style)
{
	char text[sizeof(rows->reason) + REPORT_LIST_BYTES + 8];
	struct report_list names;

	for (size_t i = 0; i < n_rows; i++) {
		if (!rows[i].reason[0])
			continue;
		join_names(rows, n_rows, i, &names);
		if (!names.n)
			continue;
		(void)snprintf(text, sizeof(text), "%s: %s", report_list_text(&names),
			       rows[i].reason);
		text_make_harmless(text);
		option_print_folded(out, text, 2, 0, style->width ? style->width : 100);
	}
}

void report_compare_table(const struct model_compare_row *rows, size_t n_rows, const char *a,
			  const char *b, FILE *out, const struct report_style *style)
{
	struct table_column titled[N_CELLS];
	char a_title[MAX_TITLE], b_title[MAX_TITLE], left_out[128], note[192];
	struct table t;

	memcpy(titled, columns, sizeof(titled));
	titled[CELL_A].title = text_copy(a_title, sizeof(a_title), a);
	titled[CELL_B].title = text_copy(b_title, sizeof(b_title), b);
	text_make_harmless(a_title);
	text_make_harmless(b_title);
	table_init(&t, titled, N_CELLS);
	for (size_t i = 0; i < n_rows; i++) {
		const char *texts[N_CELLS];
		cells_of_row cells;

		fill_row(&rows[i], cells);
		for (size_t c = 0; c < N_CELLS; c++)
			texts[c] = cells[c];
		table_add(&t, texts);
	}
	if (n_rows)
		hide_empty(rows, n_rows, &t);
	if (table_fit(&t, style->width, left_out, sizeof(left_out))) {
		(void)snprintf(note, sizeof(note), "(left out, as the terminal is %zu wide: %s)",
			       style->width, left_out);
		report_table_print(&t, CELL_VERDICT, out, style);
		option_print_folded(out, note, 0, 0, style->width);
	} else {
		report_table_print(&t, CELL_VERDICT, out, style);
	}
	report_compare_reasons(rows, n_rows, out, style);
	table_fini(&t);
}

void report_change_cell(char *cell, const struct model_compare_row *row)
{
	if (!row)
		text_copy(cell, TABLE_CELL, "-");
	else if (row->verdict == MODEL_CHANGE_UNKNOWN)
		text_copy(cell, TABLE_CELL, "?");
	else if (row->verdict == MODEL_CHANGE_NONE)
		text_copy(cell, TABLE_CELL, model_change_name(row->verdict));
	else
		(void)snprintf(cell, TABLE_CELL, "%+.1f%% %s", 100 * (row->ratio - 1),
			       model_change_name(row->verdict));
}

void report_bench_changes(const struct model_bench *doc, FILE *out,
			  const struct report_style *style)
{
	size_t width = style->width ? style->width : 100;
	char text[768], change[TABLE_CELL], ratio[TABLE_CELL];

	if (!doc->baseline[0])
		return;
	(void)snprintf(text, sizeof(text), "CHANGE: this run (B) against %s (A); ?: cannot tell.",
		       doc->baseline);
	option_print_folded(out, text, 0, 0, width);
	for (size_t i = 0; i < doc->n_changes; i++) {
		const struct model_compare_row *row = &doc->changes[i];

		report_change_cell(change, row);
		if (row->verdict == MODEL_CHANGE_UNKNOWN)
			text_copy(change, sizeof(change), model_change_name(row->verdict));
		report_change_ratio(ratio, row);
		if (!row->n_accesses && !style->verbose && row->verdict != MODEL_CHANGE_UNKNOWN)
			continue;
		(void)snprintf(text, sizeof(text), "%s: %s, %s%s%s",
			       row->article[0] ? row->article : row->scenario, change, ratio,
			       row->reason[0] ? "; " : "", row->reason);
		report_headed(out, style, report_change_paint(row->verdict), "change", text);
	}
}
