/* SPDX-License-Identifier: MIT */
/* The tables of a bill: what each kind, mapping, call site, thread and phase cost, and the longest faults. */
#include "src/report/bill_tables.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/report/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 10, CHAIN = 3 };

/* --- names and figures ----------------------------------------------------------------------------------- */

void bill_thread_name(const struct model_bill *bill, uint32_t thread, char *ret)
{
	const struct model_thread_row *t = &bill->threads[thread];

	*ret = 0;
	if (thread >= bill->n_threads_listed)
		return;
	if (t->is_rest)
		text_append(ret, BILL_NAME, "all others");
	else
		text_append(ret, BILL_NAME, "%s/%d", t->comm[0] ? t->comm : "?", t->tid);
}

void bill_fault_mapping(const struct model_bill *bill, const struct model_fault_row *f, char *ret)
{
	const struct model_mapping_row *m = &bill->mappings[f->mapping];

	*ret = 0;
	if (f->mapping >= bill->n_mappings)
		text_append(ret, BILL_NAME, "0x%" PRIx64, f->address);
	else if (model_mapping_is_file(m))
		text_append(ret, BILL_NAME, "%s+0x%" PRIx64, model_base_name(m->name),
			    f->file_offset);
	else
		text_append(ret, BILL_NAME, "%s 0x%" PRIx64, m->name, f->address);
}

void bill_fault_site(const struct model_bill *bill, const struct model_fault_row *f, char *ret)
{
	const struct model_frame *culprit =
		f->site < bill->n_sites ? model_site_culprit(&bill->sites[f->site]) : NULL;

	*ret = 0;
	if (culprit)
		model_frame_text(culprit, false, ret, BILL_NAME);
}

/* What a row of a table is written into. */
struct cells {
	char text[TABLE_MAX_COLUMNS][TABLE_CELL];
	size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct cells *c, const char *fmt, ...)
{
	char text[BILL_NAME];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (strlen(text) < TABLE_CELL) {
		text_copy(c->text[c->n++], TABLE_CELL, *text ? text : "-");
		return;
	}
	text_copy(c->text[c->n], TABLE_CELL - 2, text);
	text_append(c->text[c->n++], TABLE_CELL, "..");
}

/* Of a path too long for a cell the end says more. */
static void put_path(struct cells *c, const char *path, const char *behind)
{
	size_t room = TABLE_CELL - 1 - strlen(behind), n = strlen(path);
	bool is_cut = n > room;

	if (is_cut)
		path += n - room + 2;
	while (is_cut && ((unsigned char)*path & 0xc0) == 0x80)
		path++;
	put(c, "%s%s%s", is_cut ? ".." : "", path, behind);
}

static void put_time(struct cells *c, double ns)
{
	put(c, "%s", isnan(ns) ? "" : units_estimate(ns).s);
}

static void put_share(struct cells *c, double share)
{
	put(c, "%s", isnan(share) ? "" : units_share(share).s);
}

static void put_count(struct cells *c, uint64_t count)
{
	put(c, "%s", units_count(count).s);
}

static void put_at(struct cells *c, uint64_t ns)
{
	put(c, "+%.3f s", (double)ns / 1e9);
}

static void put_mapping(struct cells *c, const struct model_bill *bill, uint32_t row)
{
	const struct model_mapping_row *m = row < bill->n_mappings ? &bill->mappings[row] : NULL;

	put(c, "%s", m ? model_base_name(m->name) : "");
}

/* --- a table --------------------------------------------------------------------------------------------- */

struct column {
	const char *title;
	bool right;
	unsigned drop; /* as in struct table_column */
	/* as in struct table */
	size_t least;
	bool keeps_end;
};

struct bill_table {
	const char *one, *more; /* row, rows */
	struct column columns[TABLE_MAX_COLUMNS];
	size_t (*n)(const struct model_bill *bill);
	const struct model_cost *(*cost)(const struct model_bill *bill, size_t i);
	void (*fill)(const struct model_trace *doc, size_t i, struct cells *cells);
	bool (*is_last)(const struct model_bill *bill, size_t i); /* whatever it cost; NULL: none */
};

static double sort_key(const struct model_cost *cost, enum report_sort sort)
{
	const double keys[] = {
		[REPORT_SORT_TIME] = cost->time_ns,
		[REPORT_SORT_COUNT] = (double)cost->count,
		[REPORT_SORT_WORST] = cost->worst_ns,
		[REPORT_SORT_MEAN] = cost->count ? cost->time_ns / (double)cost->count : 0,
	};

	return isnan(keys[sort]) ? -1 : keys[sort];
}

struct ranked {
	double key;
	size_t row;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* The rows of a table that had faults, in the order that was asked for: the caller's to free. */
static struct ranked *rank(const struct model_bill *bill, const struct bill_table *table,
			   enum report_sort sort, size_t *ret_n)
{
	size_t n_rows = table->n(bill), n = 0;
	struct ranked *ranked = calloc(n_rows + 1, sizeof(*ranked));

	*ret_n = 0;
	if (!ranked)
		return NULL;
	for (size_t i = 0; i < n_rows; i++)
		if (table->cost(bill, i)->count) {
			bool is_last = table->is_last && table->is_last(bill, i);

			ranked[n++] = (struct ranked){
				is_last ? -INFINITY : sort_key(table->cost(bill, i), sort), i};
		}
	qsort(ranked, n, sizeof(*ranked), compare_ranked);
	*ret_n = n;
	return ranked;
}

static void begin_table(const struct bill_table *table, struct table_column *titles,
			struct table *ret)
{
	size_t n = 0;

	for (; n < TABLE_MAX_COLUMNS && table->columns[n].title; n++)
		titles[n] = (struct table_column){table->columns[n].title, table->columns[n].right,
						  table->columns[n].drop};
	table_init(ret, titles, n);
	for (size_t c = 0; c < n; c++) {
		ret->least[c] = table->columns[c].least;
		ret->keeps_end[c] = table->columns[c].keeps_end;
	}
}

static void add_row(struct table *t, const struct cells *cells)
{
	const char *texts[TABLE_MAX_COLUMNS];

	for (size_t c = 0; c < t->n_columns; c++)
		texts[c] = cells->text[c];
	table_add(t, texts);
}

/* A table of rows that are costs, with how much there is beside those shown. */
static void print_table(const struct model_trace *doc, const struct bill_table *table, FILE *out,
			const struct report_style *style)
{
	size_t n = 0, top = style->top ? style->top : TOP;
	struct ranked *ranked = rank(doc->bill, table, style->sort, &n);
	struct table_column titles[TABLE_MAX_COLUMNS];
	char hidden[TABLE_CELL];
	double rest_ns = 0;
	struct table t;

	begin_table(table, titles, &t);
	for (size_t i = 0; i < n; i++) {
		struct cells cells = {.n = 0};

		if (i >= top) {
			rest_ns += table->cost(doc->bill, ranked[i].row)->time_ns;
			continue;
		}
		table->fill(doc, ranked[i].row, &cells);
		add_row(&t, &cells);
	}
	(void)table_fit(&t, style->width, hidden, sizeof(hidden));
	if (n) {
		(void)fputc('\n', out);
		table_print(&t, out);
	}
	if (n > top)
		(void)fprintf(out, "and %s more %s: %s\n", units_count(n - top).s,
			      n - top == 1 ? table->one : table->more, units_estimate(rest_ns).s);
	table_fini(&t);
	free(ranked);
}

/* --- kinds ------------------------------------------------------------------------------------------------- */

static size_t n_kinds(const struct model_bill *bill)
{
	enum model_fault_kind kinds[MODEL_N_FAULT_KINDS];

	return model_bill_kinds(bill, kinds);
}

static enum model_fault_kind kind_at(const struct model_bill *bill, size_t i)
{
	enum model_fault_kind kinds[MODEL_N_FAULT_KINDS];

	(void)model_bill_kinds(bill, kinds);
	return kinds[i];
}

static const struct model_cost *kind_cost(const struct model_bill *bill, size_t i)
{
	return &bill->kinds[kind_at(bill, i)].cost;
}

/* "data.mdb scan_leaf < query_range < worker": the dearest site of a kind, and who called it. */
static void put_dearest(struct cells *c, const struct model_bill *bill, enum model_fault_kind kind)
{
	const struct model_site_row *site = bill->sites;
	char text[BILL_NAME] = "";
	size_t n = 0;

	while (site < bill->sites + bill->n_sites &&
	       (site->kind != kind || model_site_is_rest(site)))
		site++;
	if (site < bill->sites + bill->n_sites) {
		if (site->mapping < bill->n_mappings)
			text_append(text, sizeof(text), "%s",
				    model_base_name(bill->mappings[site->mapping].name));
		for (size_t i = site->culprit; i < site->n_stack && n < CHAIN; i++)
			if (site->stack[i].function[0])
				text_append(text, sizeof(text), "%s%s", n++ ? " < " : " ",
					    site->stack[i].function);
	}
	put(c, "%s", text[0] == ' ' ? text + 1 : text);
}

static void fill_kind(const struct model_trace *doc, size_t i, struct cells *c)
{
	enum model_fault_kind kind = kind_at(doc->bill, i);
	const struct model_cost *cost = &doc->bill->kinds[kind].cost;

	put(c, "%s", model_fault_kind_names[kind]);
	put_count(c, cost->count);
	put_time(c, cost->time_ns);
	put_time(c, cost->on_cpu_ns);
	put_time(c, cost->blocked_ns);
	put_time(c, cost->p50_ns);
	put_time(c, cost->p99_ns);
	put_time(c, cost->worst_ns);
	put_dearest(c, doc->bill, kind);
}

static const struct bill_table kinds_table = {
	.one = "kind",
	.more = "kinds",
	.columns =
		{
			{.title = "KIND"},
			{.title = "COUNT", .right = true},
			{.title = "TIME", .right = true},
			{.title = "ON CPU", .right = true, .drop = 5},
			{.title = "BLOCKED", .right = true, .drop = 2},
			{.title = "P50", .right = true, .drop = 6},
			{.title = "P99", .right = true, .drop = 4},
			{.title = "WORST", .right = true, .drop = 1},
			{.title = "WHERE", .drop = 3, .least = 18},
		},
	.n = n_kinds,
	.cost = kind_cost,
	.fill = fill_kind,
};

/* --- mappings ------------------------------------------------------------------------------------------------- */

static size_t n_mappings(const struct model_bill *bill)
{
	return bill->n_mappings;
}

static const struct model_cost *mapping_cost(const struct model_bill *bill, size_t i)
{
	return &bill->mappings[i].cost;
}

static double share_of_faults(const struct model_trace *doc, const struct model_cost *cost)
{
	return cost->time_ns / doc->bill->total.time_ns;
}

static void fill_mapping(const struct model_trace *doc, size_t i, struct cells *c)
{
	const struct model_mapping_row *m = &doc->bill->mappings[i];

	put_path(c, m->name, m->deleted ? " (deleted)" : "");
	put(c, "%s%s", m->shared ? "shared" : "private",
	    m->executable  ? " code"
	    : !m->writable ? " read-only"
			   : "");
	put(c, "%s", model_fault_kind_names[m->kind]);
	put_count(c, m->cost.count);
	put_count(c, m->cost.n_major);
	put_time(c, m->cost.time_ns);
	put_share(c, share_of_faults(doc, &m->cost));
	put_time(c, m->cost.blocked_ns);
	put_time(c, m->cost.worst_ns);
}

static const struct bill_table mappings_table = {
	.one = "mapping",
	.more = "mappings",
	.columns =
		{
			{.title = "MAPPING", .least = 18, .keeps_end = true},
			{.title = "MODE", .drop = 6},
			{.title = "MOST", .drop = 1},
			{.title = "COUNT", .right = true},
			{.title = "MAJOR", .right = true, .drop = 5},
			{.title = "TIME", .right = true},
			{.title = "OF ALL", .right = true, .drop = 2},
			{.title = "BLOCKED", .right = true, .drop = 4},
			{.title = "WORST", .right = true, .drop = 3},
		},
	.n = n_mappings,
	.cost = mapping_cost,
	.fill = fill_mapping,
};

/* --- sites ----------------------------------------------------------------------------------------------------- */

static size_t n_sites(const struct model_bill *bill)
{
	return bill->n_sites;
}

static const struct model_cost *site_cost(const struct model_bill *bill, size_t i)
{
	return &bill->sites[i].cost;
}

static bool is_last_site(const struct model_bill *bill, size_t i)
{
	return model_site_is_rest(&bill->sites[i]);
}

static void fill_site(const struct model_trace *doc, size_t i, struct cells *c)
{
	const struct model_site_row *site = &doc->bill->sites[i];
	const struct model_frame *f = model_site_culprit(site);
	bool is_rest = model_site_is_rest(site);

	put(c, "%s", is_rest ? "all others" : f && f->function[0] ? f->function : "?");
	if (f && f->file[0])
		put(c, "%s:%" PRIu32, model_base_name(f->file), f->line);
	else if (f && f->module[0])
		put(c, "%s+0x%" PRIx64, model_base_name(f->module), f->module_offset);
	else
		put(c, "%s", "");
	put_mapping(c, doc->bill, site->mapping);
	put(c, "%s", is_rest ? "" : model_fault_kind_names[site->kind]);
	put_count(c, site->cost.count);
	put_time(c, site->cost.time_ns);
	put_share(c, share_of_faults(doc, &site->cost));
	put_time(c, site->cost.worst_ns);
}

static const struct bill_table sites_table = {
	.one = "site",
	.more = "sites",
	.columns =
		{
			{.title = "FUNCTION", .least = 14},
			{.title = "PLACE", .drop = 4, .least = 12, .keeps_end = true},
			{.title = "MAPPING", .drop = 5, .least = 10, .keeps_end = true},
			{.title = "KIND", .drop = 2},
			{.title = "COUNT", .right = true, .drop = 3},
			{.title = "TIME", .right = true},
			{.title = "OF ALL", .right = true, .drop = 1},
			{.title = "WORST", .right = true, .drop = 6},
		},
	.n = n_sites,
	.cost = site_cost,
	.fill = fill_site,
	.is_last = is_last_site,
};

/* --- threads ----------------------------------------------------------------------------------------------------- */

static size_t n_threads(const struct model_bill *bill)
{
	return bill->n_threads_listed > 1 ? bill->n_threads_listed : 0;
}

static const struct model_cost *thread_cost(const struct model_bill *bill, size_t i)
{
	return &bill->threads[i].cost;
}

static void fill_thread(const struct model_trace *doc, size_t i, struct cells *c)
{
	const struct model_thread_row *t = &doc->bill->threads[i];
	char name[BILL_NAME];

	bill_thread_name(doc->bill, (uint32_t)i, name);
	put(c, "%s", name);
	put(c, t->is_rest ? "%s" : "%s%d", "", t->pid);
	put_count(c, t->cost.count);
	put_time(c, t->cost.time_ns);
	put_share(c, t->share);
	put_time(c, t->cpu_ns);
	put_time(c, t->cost.blocked_ns);
	put_time(c, t->cost.worst_ns);
}

static const struct bill_table threads_table = {
	.one = "thread",
	.more = "threads",
	.columns =
		{
			{.title = "THREAD", .least = 16},
			{.title = "PID", .right = true, .drop = 4},
			{.title = "COUNT", .right = true},
			{.title = "TIME", .right = true},
			{.title = "OF ITS TIME", .right = true},
			{.title = "CPU", .right = true, .drop = 2},
			{.title = "BLOCKED", .right = true, .drop = 3},
			{.title = "WORST", .right = true, .drop = 1},
		},
	.n = n_threads,
	.cost = thread_cost,
	.fill = fill_thread,
};

/* --- phases, and the longest faults --------------------------------------------------------------------------- */

static void print_phases(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	static const struct table_column titles[] = {
		{"PHASE", false, 0}, {"FROM", true, 0}, {"TO", true, 0},
		{"COUNT", true, 0},  {"TIME", true, 0}, {"A SECOND", true, 1},
	};
	char hidden[TABLE_CELL];
	struct table t;

	if (doc->bill->n_moments == 0)
		return;
	table_init(&t, titles, ARRAY_LEN(titles));
	for (size_t i = 0; i < MODEL_N_PHASES; i++) {
		const struct model_phase_row *p = &doc->bill->phases[i];
		struct cells cells = {.n = 0};

		if (p->to_ns <= p->from_ns)
			continue;
		put(&cells, "%s", model_phase_names[i]);
		put_at(&cells, p->from_ns);
		put_at(&cells, p->to_ns);
		put_count(&cells, p->count);
		put_time(&cells, p->time_ns);
		put_time(&cells, 1e9 * p->time_ns / (double)(p->to_ns - p->from_ns));
		add_row(&t, &cells);
	}
	(void)table_fit(&t, style->width, hidden, sizeof(hidden));
	(void)fputc('\n', out);
	table_print(&t, out);
	table_fini(&t);
}

static void fill_fault(const struct model_trace *doc, const struct model_fault_row *f,
		       struct cells *c)
{
	char name[BILL_NAME];

	put_at(c, f->at_ns);
	put_time(c, f->latency_ns);
	put_time(c, f->blocked_ns);
	put(c, "%s", model_fault_kind_names[f->kind]);
	bill_thread_name(doc->bill, f->thread, name);
	put(c, "%s", name);
	bill_fault_mapping(doc->bill, f, name);
	put(c, "%s", name);
	bill_fault_site(doc->bill, f, name);
	put(c, "%s", name);
	put(c, "%s", model_phase_names[f->phase]);
}

static const struct bill_table worst_table = {
	.columns =
		{
			{.title = "LONGEST AT", .right = true},
			{.title = "LATENCY", .right = true},
			{.title = "BLOCKED", .right = true, .drop = 4},
			{.title = "KIND", .drop = 1},
			{.title = "THREAD", .drop = 3, .least = 10},
			{.title = "WHERE", .drop = 2, .least = 16, .keeps_end = true},
			{.title = "SITE", .least = 20},
			{.title = "PHASE", .drop = 5},
		},
};

static void print_worst(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	size_t n = doc->bill->n_worst, top = style->top ? style->top : TOP;
	struct table_column titles[TABLE_MAX_COLUMNS];
	char hidden[TABLE_CELL];
	struct table t;

	if (n == 0)
		return;
	begin_table(&worst_table, titles, &t);
	for (size_t i = 0; i < n && i < top; i++) {
		struct cells cells = {.n = 0};

		fill_fault(doc, &doc->bill->worst[i], &cells);
		add_row(&t, &cells);
	}
	(void)table_fit(&t, style->width, hidden, sizeof(hidden));
	(void)fputc('\n', out);
	table_print(&t, out);
	table_fini(&t);
}

void bill_tables(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	static const struct bill_table *const tables[] = {&kinds_table, &mappings_table,
							  &sites_table, &threads_table};

	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		print_table(doc, tables[i], out, style);
	print_phases(doc, out, style);
	print_worst(doc, out, style);
}
