/* SPDX-License-Identifier: MIT */
/* The table of a history: each row's prices over time, and the latest against the earlier ones. */
#include "src/report/compare_report.h"

#include "src/base/option.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/report/cell.h"
#include "src/report/compare_table.h"
#include "src/report/table.h"

#include <math.h>
#include <string.h>

enum cell {
	CELL_NAME,
	CELL_SIZE,
	CELL_RUNS,
	CELL_MIN,
	CELL_MEDIAN,
	CELL_MAX,
	CELL_LATEST,
	CELL_CHART,
	CELL_RATIO,
	CELL_VERDICT,
	N_CELLS,
};

static const struct table_column columns[N_CELLS] = {
	[CELL_NAME] = {"ROW", false, 0},
	[CELL_SIZE] = {"SIZE", true, 5},
	[CELL_RUNS] = {"RUNS", true, 3},
	[CELL_MIN] = {"MIN", true, 6},
	[CELL_MEDIAN] = {"MEDIAN", true, 2},
	[CELL_MAX] = {"MAX", true, 6},
	[CELL_LATEST] = {"LATEST", true, 0},
	[CELL_CHART] = {"OVER TIME", false, 4},
	[CELL_RATIO] = {"LATEST/EARLIER", false, 1},
	[CELL_VERDICT] = {"VERDICT", false, 0},
};

typedef char cells_of_row[N_CELLS][TABLE_CELL];

/* A table has room for so many, and a terminal beside the figures, too. */
enum { MOST_IN_TABLE = 24 };

void report_chart_line(const struct model_history *history, bool unicode, char *ret)
{
	enum { N_LEVELS = 8 };
	static const char *const plain[N_LEVELS] = {"_", ".", "-", "=", "+", "*", "#", "@"};
	static const char *const blocks[N_LEVELS] = {
		"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
		"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88",
	};
	double least = INFINITY, most = 0;

	*ret = 0;
	for (size_t i = 0; i < history->n_prices; i++) {
		least = fmin(least, history->prices[i]);
		most = fmax(most, history->prices[i]);
	}
	for (size_t i = 0; i < history->n_prices; i++) {
		double share = most > least ? (history->prices[i] - least) / (most - least) : 0;
		size_t level = (size_t)(share * (N_LEVELS - 1) + 0.5);

		text_append(ret, REPORT_CHART_BYTES, "%s", unicode ? blocks[level] : plain[level]);
	}
}

/* The newest ones. */
static void chart_cell(const struct model_history *history, bool unicode, char *cell)
{
	struct model_history newest = *history;
	char line[REPORT_CHART_BYTES];
	size_t left = 0;

	if (history->n_prices > MOST_IN_TABLE)
		left = history->n_prices - MOST_IN_TABLE;
	newest.n_prices -= left;
	memmove(newest.prices, newest.prices + left, newest.n_prices * sizeof(*newest.prices));
	report_chart_line(&newest, unicode, line);
	text_copy(cell, TABLE_CELL, line);
}

static void fill_row(const struct model_compare_row *row, const struct model_history *history,
		     bool unicode, cells_of_row cells)
{
	bool named = row->article[0] && strcmp(row->article, row->scenario) != 0;

	text_copy(cells[CELL_NAME], TABLE_CELL, named ? row->article : row->scenario);
	text_copy(cells[CELL_SIZE], TABLE_CELL, units_bytes(row->n_pages * row->page_bytes).s);
	(void)snprintf(cells[CELL_RUNS], TABLE_CELL, "%zu", history->n);
	cell_ns(cells[CELL_MIN], history->min_ns);
	cell_ns(cells[CELL_MEDIAN], history->median_ns);
	cell_ns(cells[CELL_MAX], history->max_ns);
	cell_ns(cells[CELL_LATEST], row->b_ns);
	chart_cell(history, unicode, cells[CELL_CHART]);
	report_change_ratio(cells[CELL_RATIO], row);
	text_copy(cells[CELL_VERDICT], TABLE_CELL, model_change_name(row->verdict));
}

void report_history_table(const struct model_compare *doc, FILE *out,
			  const struct report_style *style)
{
	char left_out[128], note[192];
	struct table t;

	table_init(&t, columns, N_CELLS);
	for (size_t i = 0; i < doc->n_rows; i++) {
		const char *texts[N_CELLS];
		cells_of_row cells;

		fill_row(&doc->rows[i], &doc->histories[i], style->unicode, cells);
		for (size_t c = 0; c < N_CELLS; c++)
			texts[c] = cells[c];
		table_add(&t, texts);
	}
	if (table_fit(&t, style->width, left_out, sizeof(left_out)))
		(void)snprintf(note, sizeof(note), "(left out, as the terminal is %zu wide: %s)",
			       style->width, left_out);
	else
		(void)snprintf(note, sizeof(note), "Times are ns a page, or an access of a chase.");
	report_table_print(&t, CELL_VERDICT, out, style);
	option_print_folded(out, note, 0, 0, style->width ? style->width : 100);
	report_compare_reasons(doc->rows, doc->n_rows, out, style);
	table_fini(&t);
}
