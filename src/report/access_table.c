/* SPDX-License-Identifier: MIT */
/* Prices by the access: working sets down, page kinds across. */
#include "src/report/report.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KINDS = TABLE_MAX_COLUMNS - 1 };

/* A line: a working set, and which of the rows of one kind and size it shows, where there are several. */
struct line {
	uint64_t n_pages;
	size_t occurrence;
};

/* What the rows with accesses span. */
struct grid {
	const char *kinds[MAX_KINDS]; /* names of scenarios, as they first come */
	size_t n_kinds;
	struct line *lines; /* ascending, owned */
	size_t n_lines;
};

static void add_kind(struct grid *g, const char *name)
{
	for (size_t i = 0; i < g->n_kinds; i++)
		if (strcmp(g->kinds[i], name) == 0)
			return;
	if (g->n_kinds < MAX_KINDS)
		g->kinds[g->n_kinds++] = name;
}

static int by_size(const void *a, const void *b)
{
	const struct line *x = a;
	const struct line *y = b;

	if (x->n_pages != y->n_pages)
		return x->n_pages < y->n_pages ? -1 : 1;
	return (x->occurrence > y->occurrence) - (x->occurrence < y->occurrence);
}

/* How many rows before row i are of its kind and size. */
static size_t occurrence(const struct model_bench *doc, size_t i)
{
	const struct model_scenario *s = &doc->scenarios[i];
	size_t n = 0;

	for (size_t k = 0; k < i; k++)
		n += doc->scenarios[k].n_accesses && doc->scenarios[k].n_pages == s->n_pages &&
		     strcmp(doc->scenarios[k].name, s->name) == 0;
	return n;
}

static void add_line(struct grid *g, struct line line)
{
	for (size_t i = 0; i < g->n_lines; i++)
		if (by_size(&g->lines[i], &line) == 0)
			return;
	g->lines[g->n_lines++] = line;
}

static struct grid grid_of(const struct model_bench *doc)
{
	struct grid g = {.lines = calloc(doc->n_scenarios + 1, sizeof(*g.lines))};

	for (size_t i = 0; i < doc->n_scenarios && g.lines; i++) {
		if (!doc->scenarios[i].n_accesses)
			continue;
		add_kind(&g, doc->scenarios[i].name);
		add_line(&g, (struct line){doc->scenarios[i].n_pages, occurrence(doc, i)});
	}
	if (g.lines)
		qsort(g.lines, g.n_lines, sizeof(*g.lines), by_size);
	return g;
}

static const struct model_scenario *find(const struct model_bench *doc, const char *kind,
					 struct line line)
{
	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct model_scenario *s = &doc->scenarios[i];

		if (s->n_accesses && s->n_pages == line.n_pages && strcmp(s->name, kind) == 0 &&
		    line.occurrence-- == 0)
			return s;
	}
	return NULL;
}

typedef void put_cell(const struct model_scenario *s, bool running, char *cell);

static void put_price(const struct model_scenario *s, bool running, char *cell)
{
	double half = stats_half_width(&s->ns_per_access);
	const char *mark = running ? "~" : s->verdict == MODEL_NOISY ? "!" : "";

	if (s->status != MODEL_DONE)
		text_copy(cell, TABLE_CELL, model_status_name(s->status));
	else if (s->verdict == MODEL_INVALID)
		text_copy(cell, TABLE_CELL, "INVALID");
	else if (s->ns_per_access.n == 0)
		text_copy(cell, TABLE_CELL, "");
	else if (s->drift.found)
		(void)snprintf(cell, TABLE_CELL, "%s%s drift", mark,
			       units_ns(s->ns_per_access.median).s);
	else if (isnan(half))
		(void)snprintf(cell, TABLE_CELL, "%s%s", mark, units_ns(s->ns_per_access.median).s);
	else
		(void)snprintf(cell, TABLE_CELL, "%s%s +-%.0f%%", mark,
			       units_ns(s->ns_per_access.median).s, 100 * half);
}

static void put_page_tables(const struct model_scenario *s, bool running, char *cell)
{
	(void)running;
	text_copy(cell, TABLE_CELL,
		  isnan(s->page_table_bytes) ? "-" : units_bytes((uint64_t)s->page_table_bytes).s);
}

static void put_tlb_misses(const struct model_scenario *s, bool running, char *cell)
{
	(void)running;
	if (isnan(s->dtlb_load_misses_per_access))
		text_copy(cell, TABLE_CELL, "-");
	else
		(void)snprintf(cell, TABLE_CELL, "%.4f", s->dtlb_load_misses_per_access);
}

static void fill_line(const struct model_bench *doc, const struct grid *g, struct line line,
		      put_cell *put, bool running, char (*cells)[TABLE_CELL])
{
	for (size_t k = 0; k < g->n_kinds; k++) {
		const struct model_scenario *s = find(doc, g->kinds[k], line);

		cells[k + 1][0] = 0;
		if (!s)
			continue;
		text_copy(cells[0], TABLE_CELL, units_bytes(s->n_pages * s->page_bytes).s);
		put(s, running, cells[k + 1]);
	}
}

/* How a grid is printed. */
struct look {
	FILE *out;
	size_t width;
	bool running;
};

static void print_grid(const struct model_bench *doc, const struct grid *g, const char *title,
		       put_cell *put, const struct look *look)
{
	struct table_column columns[MAX_KINDS + 1] = {{title, false, 0}};
	char hidden[256];
	struct table t;

	for (size_t k = 0; k < g->n_kinds; k++) /* the last are left out first where it is narrow */
		columns[k + 1] = (struct table_column){g->kinds[k], true, (unsigned)k};
	table_init(&t, columns, g->n_kinds + 1);
	for (size_t i = 0; i < g->n_lines; i++) {
		char cells[MAX_KINDS + 1][TABLE_CELL] = {""};
		const char *texts[MAX_KINDS + 1];

		fill_line(doc, g, g->lines[i], put, look->running, cells);
		for (size_t k = 0; k <= g->n_kinds; k++)
			texts[k] = cells[k];
		table_add(&t, texts);
	}
	if (table_fit(&t, look->width, hidden, sizeof(hidden)))
		(void)fprintf(look->out, "(too narrow for %s)\n", hidden);
	table_print(&t, look->out);
	table_fini(&t);
}

static bool any(const struct model_bench *doc, double (*figure)(const struct model_scenario *s))
{
	for (size_t i = 0; i < doc->n_scenarios; i++)
		if (doc->scenarios[i].n_accesses && !isnan(figure(&doc->scenarios[i])))
			return true;
	return false;
}

static double page_tables(const struct model_scenario *s)
{
	return s->page_table_bytes;
}

static double tlb_misses(const struct model_scenario *s)
{
	return s->dtlb_load_misses_per_access;
}

static bool any_noisy(const struct model_bench *doc)
{
	for (size_t i = 0; i < doc->n_scenarios; i++)
		if (doc->scenarios[i].n_accesses && doc->scenarios[i].verdict == MODEL_NOISY)
			return true;
	return false;
}

static void print_details(const struct model_bench *doc, const struct grid *g,
			  const struct look *look)
{
	if (any_noisy(doc))
		(void)fputs("! noisy: the machine was not quiet\n", look->out);
	if (any(doc, page_tables)) {
		(void)fputc('\n', look->out);
		print_grid(doc, g, "PAGE TABLES", put_page_tables, look);
	}
	(void)fputc('\n', look->out);
	if (any(doc, tlb_misses))
		print_grid(doc, g, "dTLB MISSES/ACCESS", put_tlb_misses, look);
	else
		(void)fprintf(look->out, "dTLB load misses: %s\n", model_not_counted(doc, "pmu"));
}

void report_access_tables(const struct model_bench *doc, FILE *out,
			  const struct report_style *style, bool running)
{
	struct look look = {.out = out, .width = style->width, .running = running};
	struct grid g = grid_of(doc);

	if (g.n_kinds) {
		print_grid(doc, &g, "NS/ACCESS IN", put_price, &look);
		if (!running)
			print_details(doc, &g, &look);
	}
	free(g.lines);
}
