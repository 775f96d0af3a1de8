/* SPDX-License-Identifier: MIT */
/* The price table, final or while it grows. */
#include "src/report/report.h"

#include "src/base/array.h"
#include "src/base/option.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/report/cell.h"
#include "src/report/compare_table.h"
#include "src/report/table.h"

#include <math.h>
#include <string.h>

enum cell {
	CELL_ARTICLE,
	CELL_SCENARIO,
	CELL_SIZE,
	CELL_MINOR,
	CELL_MAJOR,
	CELL_TRAP,
	CELL_NS_PER_FAULT,
	CELL_NS_PER_PAGE,
	CELL_HALF_WIDTH,
	CELL_CHANGE,
	CELL_TIMES_FLOOR,
	CELL_PUBLISHED,
	CELL_VERDICT,
	N_CELLS,
};

static const struct table_column columns[N_CELLS] = {
	[CELL_ARTICLE] = {"ARTICLE", false, 6},
	[CELL_SCENARIO] = {"SCENARIO", false, 0},
	[CELL_SIZE] = {"SIZE", true, 10},
	[CELL_MINOR] = {"MIN/PAGE", true, 5},
	[CELL_MAJOR] = {"MAJ/PAGE", true, 4},
	[CELL_TRAP] = {"TRAP/PAGE", true, 8},
	[CELL_NS_PER_FAULT] = {"NS/FAULT", true, 1},
	[CELL_NS_PER_PAGE] = {"NS/PAGE", true, 0},
	[CELL_HALF_WIDTH] = {"+-", true, 3},
	[CELL_CHANGE] = {"CHANGE", true, 0},
	[CELL_TIMES_FLOOR] = {"x FLOOR", true, 9},
	[CELL_PUBLISHED] = {"PUBLISHED", true, 7},
	[CELL_VERDICT] = {"VERDICT", false, 2},
};

typedef char cells_of_row[N_CELLS][TABLE_CELL];

/* A price that is not final is marked by '~'. */
static void put_ns(char *cell, double ns, bool running)
{
	cell_ns(cell, ns);
	if (running && !isnan(ns))
		(void)snprintf(cell, TABLE_CELL, "~%s", units_ns(ns).s);
}

static void fill_row(const struct model_bench *doc, const struct model_scenario *s, bool running,
		     cells_of_row cells)
{
	text_copy(cells[CELL_ARTICLE], TABLE_CELL, s->article[0] ? s->article : "-");
	text_copy(cells[CELL_SCENARIO], TABLE_CELL, s->name);
	if (s->side)
		text_append(cells[CELL_SCENARIO], TABLE_CELL, ", %s", model_side_name(s));
	text_copy(cells[CELL_SIZE], TABLE_CELL, units_bytes(s->n_pages * s->page_bytes).s);
	cell_count(cells[CELL_MINOR], s->minor_per_page);
	cell_count(cells[CELL_MAJOR], s->major_per_page);
	cell_count(cells[CELL_TRAP], s->trap_per_page);
	put_ns(cells[CELL_NS_PER_FAULT], s->ns_per_fault.median, running);
	put_ns(cells[CELL_NS_PER_PAGE], s->ns_per_page.median, running);
	cell_half_width(cells[CELL_HALF_WIDTH], s);
	report_change_cell(cells[CELL_CHANGE], model_bench_change(doc, s));
	cell_times_floor(cells[CELL_TIMES_FLOOR],
			 s->ns_per_page.median / doc->floor.ns_per_page.median);
	cell_ns(cells[CELL_PUBLISHED], s->published.ns_per_page);
	text_copy(cells[CELL_VERDICT], TABLE_CELL, cell_verdict(s, running));
}

static void hide_empty(const struct model_bench *doc, struct table *t)
{
	bool article = false, published = false, traps = false, sizes = false;
	uint64_t n_pages = 0;

	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct model_scenario *s = &doc->scenarios[i];

		if (s->n_accesses)
			continue;
		sizes = sizes || (n_pages && s->n_pages && n_pages != s->n_pages);
		n_pages = s->n_pages ? s->n_pages : n_pages;
		article = article || s->article[0];
		published = published || !isnan(s->published.ns_per_page);
		traps = traps || cell_traps_differ(s);
	}
	t->hidden[CELL_CHANGE] = !doc->baseline[0];
	t->hidden[CELL_ARTICLE] = !article;
	t->hidden[CELL_SIZE] = !sizes;
	t->hidden[CELL_PUBLISHED] = !published;
	t->hidden[CELL_TRAP] = !traps;
	t->hidden[CELL_TIMES_FLOOR] = doc->floor.ns_per_page.n == 0;
}

/* The rows whose pages are touched once each. */
static void print_page_rows(const struct model_bench *doc, FILE *out,
			    const struct report_style *style, bool running)
{
	struct table t;
	size_t n_hidden;
	char left_out[128], note[192];

	table_init(&t, columns, N_CELLS);
	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const char *texts[N_CELLS];
		cells_of_row cells;

		if (doc->scenarios[i].n_accesses)
			continue;
		fill_row(doc, &doc->scenarios[i], running, cells);
		for (size_t c = 0; c < N_CELLS; c++)
			texts[c] = cells[c];
		table_add(&t, texts);
	}
	hide_empty(doc, &t);
	n_hidden = table_fit(&t, style->width, left_out, sizeof(left_out));
	table_print(&t, out);
	if (n_hidden && !running) {
		(void)snprintf(note, sizeof(note), "(left out, as the terminal is %zu wide: %s)",
			       style->width, left_out);
		option_print_folded(out, note, 0, 0, style->width);
	}
	table_fini(&t);
}

void report_bench_table(const struct model_bench *doc, FILE *out, const struct report_style *style,
			bool running)
{
	size_t n_access_rows = 0;

	for (size_t i = 0; i < doc->n_scenarios; i++)
		n_access_rows += doc->scenarios[i].n_accesses != 0;
	if (n_access_rows < doc->n_scenarios)
		print_page_rows(doc, out, style, running);
	if (n_access_rows && n_access_rows < doc->n_scenarios && !running)
		(void)fputc('\n', out);
	report_access_tables(doc, out, style, running);
}
