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

enum { MAX_KINDS = TABLE_MAX_COLUMNS - 1, MAX_SETS = 64 };

/* What the rows with accesses span. */
struct grid {
	const char *kinds[MAX_KINDS]; /* names of scenarios, as they first come */
	size_t n_kinds;
	uint64_t sets[MAX_SETS]; /* n_pages, ascending */
	size_t n_sets;
};

static void add_kind(struct grid *g, const char *name)
{
	for (size_t i = 0; i < g->n_kinds; i++)
		if (strcmp(g->kinds[i], name) == 0)
			return;
	if (g->n_kinds < MAX_KINDS)
		g->kinds[g->n_kinds++] = name;
}

static void add_set(struct grid *g, uint64_t n_pages)
{
	size_t at = g->n_sets;

	for (size_t i = 0; i < g->n_sets; i++)
		if (g->sets[i] == n_pages)
			return;
	if (g->n_sets == MAX_SETS)
		return;
	for (; at > 0 && g->sets[at - 1] > n_pages; at--)
		g->sets[at] = g->sets[at - 1];
	g->sets[at] = n_pages;
	g->n_sets++;
}

static struct grid grid_of(const struct model_bench *doc)
{
	struct grid g = {.n_kinds = 0};

	for (size_t i = 0; i < doc->n_scenarios; i++) {
		if (!doc->scenarios[i].n_accesses)
			continue;
		add_kind(&g, doc->scenarios[i].name);
		add_set(&g, doc->scenarios[i].n_pages);
	}
	return g;
}

static const struct model_scenario *find(const struct model_bench *doc, const char *kind,
					 uint64_t n_pages)
{
	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct model_scenario *s = &doc->scenarios[i];

		if (s->n_accesses && s->n_pages == n_pages && strcmp(s->name, kind) == 0)
			return s;
	}
	return NULL;
}

typedef void put_cell(const struct model_scenario *s, char *cell);

static void put_price(const struct model_scenario *s, char *cell)
{
	double half = stats_half_width(&s->ns_per_access);

	if (s->status != MODEL_DONE)
		text_copy(cell, TABLE_CELL, model_status_name(s->status));
	else if (s->verdict == MODEL_INVALID)
		text_copy(cell, TABLE_CELL, "INVALID");
	else if (s->ns_per_access.n == 0)
		text_copy(cell, TABLE_CELL, "");
	else if (isnan(half))
		(void)snprintf(cell, TABLE_CELL, "%s", units_ns(s->ns_per_access.median).s);
	else
		(void)snprintf(cell, TABLE_CELL, "%s +-%.0f%%", units_ns(s->ns_per_access.median).s,
			       100 * half);
}

static void put_page_tables(const struct model_scenario *s, char *cell)
{
	text_copy(cell, TABLE_CELL,
		  isnan(s->page_table_bytes) ? "-" : units_bytes((uint64_t)s->page_table_bytes).s);
}

static void put_tlb_misses(const struct model_scenario *s, char *cell)
{
	if (isnan(s->dtlb_load_misses_per_access))
		text_copy(cell, TABLE_CELL, "-");
	else
		(void)snprintf(cell, TABLE_CELL, "%.4f", s->dtlb_load_misses_per_access);
}

static void print_grid(const struct model_bench *doc, const struct grid *g, const char *title,
		       put_cell *put, FILE *out)
{
	struct table_column columns[MAX_KINDS + 1] = {{title, false, 0}};
	struct table t;

	for (size_t k = 0; k < g->n_kinds; k++)
		columns[k + 1] = (struct table_column){g->kinds[k], true, 0};
	table_init(&t, columns, g->n_kinds + 1);
	for (size_t i = 0; i < g->n_sets; i++) {
		char cells[MAX_KINDS + 1][TABLE_CELL] = {""};
		const char *texts[MAX_KINDS + 1];

		for (size_t k = 0; k < g->n_kinds; k++) {
			const struct model_scenario *s = find(doc, g->kinds[k], g->sets[i]);

			if (s)
				text_copy(cells[0], TABLE_CELL,
					  units_bytes(s->n_pages * s->page_bytes).s);
			if (s)
				put(s, cells[k + 1]);
		}
		for (size_t k = 0; k <= g->n_kinds; k++)
			texts[k] = cells[k];
		table_add(&t, texts);
	}
	table_print(&t, out);
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

void report_access_tables(const struct model_bench *doc, FILE *out, bool running)
{
	struct grid g = grid_of(doc);

	if (g.n_kinds == 0)
		return;
	print_grid(doc, &g, "NS/ACCESS IN", put_price, out);
	if (running)
		return;
	if (any(doc, page_tables)) {
		(void)fputc('\n', out);
		print_grid(doc, &g, "PAGE TABLES", put_page_tables, out);
	}
	(void)fputc('\n', out);
	if (any(doc, tlb_misses))
		print_grid(doc, &g, "dTLB MISSES/ACCESS", put_tlb_misses, out);
	else
		(void)fprintf(out, "dTLB load misses: %s\n",
			      sys_machine_text(&doc->machine, "pmu", "not counted"));
}
