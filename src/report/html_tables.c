/* SPDX-License-Identifier: MIT */
/* The tables of the HTML page: every figure of the charts, and what no chart can say. */
#include "src/report/html_tables.h"

#include "src/base/array.h"
#include "src/base/html_write.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/report/cell.h"

#include <math.h>
#include <string.h>

static void put_heading(FILE *out, const char *title)
{
	html_printf(out, "<h2>%s</h2>\n", title);
}

/* A wide table scrolls by itself, with the keyboard as well, and never the page. */
static void open_scroller(FILE *out, const char *title)
{
	html_printf(out,
		    "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n"
		    "<table>\n",
		    title);
}

void html_table_open(FILE *out, const char *title)
{
	put_heading(out, title);
	open_scroller(out, title);
}

void html_table_close(FILE *out)
{
	(void)fputs("</tbody>\n</table>\n</div>\n", out);
}

/* The heads of a table of texts; ends with NULL. */
void html_table_heads(FILE *out, const char *const *heads)
{
	(void)fputs("<thead><tr>", out);
	for (; *heads; heads++)
		html_printf(out, "<th scope=\"col\">%s</th>", *heads);
	(void)fputs("</tr></thead>\n<tbody>\n", out);
}

/* --- prices ------------------------------------------------------------------------------------- */

struct column {
	const char *title;
	const char *class_name; /* "num", "short" or "text" */
	void (*put)(const struct model_bench *doc, const struct model_scenario *s, char *cell);
};

#define CELL(name) \
	static void name(const struct model_bench *doc, const struct model_scenario *s, char *cell)
#define NS_CELL(name, value)            \
	CELL(name)                      \
	{                               \
		(void)doc;              \
		cell_ns(cell, (value)); \
	}
#define COUNT_CELL(name, value)            \
	CELL(name)                         \
	{                                  \
		(void)doc;                 \
		cell_count(cell, (value)); \
	}
#define NUMBER_CELL(name, format, value)                                 \
	CELL(name)                                                       \
	{                                                                \
		(void)doc;                                               \
		if (isfinite(value))                                     \
			(void)snprintf(cell, TABLE_CELL, format, value); \
		else                                                     \
			text_copy(cell, TABLE_CELL, "-");                \
	}
#define TEXT_CELL(name, value)                      \
	CELL(name)                                  \
	{                                           \
		(void)doc;                          \
		text_copy(cell, TABLE_CELL, value); \
	}

TEXT_CELL(article, s->article[0] ? s->article : "-")
TEXT_CELL(pages, s->pages[0] ? s->pages : "-")
TEXT_CELL(size, s->n_pages ? units_bytes(s->n_pages * s->page_bytes).s : "-")
COUNT_CELL(minor, s->minor_per_page)
COUNT_CELL(major, s->major_per_page)
COUNT_CELL(trap, s->trap_per_page)
NS_CELL(ns_per_fault, s->ns_per_fault.median)
NS_CELL(ns_per_page, s->ns_per_page.median)
NS_CELL(ns_per_access, s->ns_per_access.median)
NS_CELL(published, s->published.ns_per_page)
NUMBER_CELL(pages_per_fault, "%.1f", s->pages_per_fault)
NUMBER_CELL(resident_before, "%.0f", s->resident_before)
NUMBER_CELL(resident_after, "%.0f", s->resident_after)
NUMBER_CELL(cycles, "%.0f", s->cycles_per_page)
NUMBER_CELL(instructions, "%.2f", s->instructions_per_cycle)
NUMBER_CELL(misses_per_page, "%.3g", s->dtlb_load_misses_per_page)
NUMBER_CELL(misses_per_access, "%.3g", s->dtlb_load_misses_per_access)
NUMBER_CELL(asleep, "%.0f%%", 100 * model_time_share(s, s->times.blocked_ns))

CELL(half_width)
{
	(void)doc;
	cell_half_width(cell, s);
}

CELL(times_floor)
{
	cell_times_floor(cell, s->ns_per_page.median / doc->floor.ns_per_page.median);
}

CELL(page_tables)
{
	bool known = isfinite(s->page_table_bytes) && s->page_table_bytes < (double)INT64_MAX;

	(void)doc;
	text_copy(cell, TABLE_CELL, known ? units_bytes((uint64_t)s->page_table_bytes).s : "-");
}

CELL(throughput)
{
	double rate = model_bytes_per_second(s);

	(void)doc;
	text_copy(cell, TABLE_CELL, "-");
	if (isfinite(rate) && rate < (double)INT64_MAX)
		(void)snprintf(cell, TABLE_CELL, "%s/s", units_bytes((uint64_t)rate).s);
}

CELL(verdict)
{
	(void)doc;
	text_copy(cell, TABLE_CELL, cell_verdict(s, false));
}

/* What one looks for first: a telephone shows no more without scrolling. */
static const struct column columns[] = {
	{"article", "short", article},
	{"ns/fault", "num", ns_per_fault},
	{"ns/page", "num", ns_per_page},
	{"ns/access", "num", ns_per_access},
	{"+-", "num", half_width},
	{"x floor", "num", times_floor},
	{"published ns/page", "num", published},
	{"minor/page", "num", minor},
	{"major/page", "num", major},
	{"traps/page", "num", trap},
	{"pages/fault", "num", pages_per_fault},
	{"verdict", "short", verdict},
	{"size", "num", size},
	{"pages", "short", pages},
	{"throughput", "num", throughput},
	{"asleep", "num", asleep},
	{"page tables", "num", page_tables},
	{"cached pages before", "num", resident_before},
	{"cached pages after", "num", resident_after},
	{"cycles/page", "num", cycles},
	{"instr./cycle", "num", instructions},
	{"dTLB misses/page", "num", misses_per_page},
	{"dTLB misses/access", "num", misses_per_access},
};

/* A column without any value says nothing, nor does one of traps that are the faults beside them. */
static bool is_shown(const struct model_bench *doc, const struct column *c)
{
	char cell[TABLE_CELL];

	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct model_scenario *s = &doc->scenarios[i];

		c->put(doc, s, cell);
		if (strcmp(cell, "-") != 0 && (c->put != trap || cell_traps_differ(s)))
			return true;
	}
	return false;
}

static const char *verdict_class(const struct model_scenario *s)
{
	if (s->verdict == MODEL_INVALID || s->status == MODEL_FAILED)
		return "bad";
	if (s->verdict == MODEL_NOISY || s->status == MODEL_SKIPPED)
		return "warn";
	return s->verdict == MODEL_VALID ? "good" : "";
}

static void put_price_row(const struct model_bench *doc, const struct model_scenario *s,
			  const bool *shown, FILE *out)
{
	char cell[TABLE_CELL];

	html_printf(out, "<tr><th scope=\"row\" title=\"%s\">%s", s->title, s->name);
	if (s->side)
		html_printf(out, ", %s", model_side_name(s));
	html_printf(out, "</th>");
	for (size_t c = 0; c < ARRAY_LEN(columns); c++) {
		if (!shown[c])
			continue;
		columns[c].put(doc, s, cell);
		if (columns[c].put == verdict)
			html_printf(out, "<td class=\"verdict %s\">%s</td>", verdict_class(s),
				    cell);
		else
			html_printf(out, "<td class=\"%s\">%s</td>", columns[c].class_name, cell);
	}
	(void)fputs("</tr>\n", out);
}

static void put_interval_note(const struct model_bench *doc, FILE *out)
{
	struct cell_intervals all = cell_intervals(doc, true);

	if (all.range && all.interval)
		html_printf(out,
			    " +- is half the range of up to %zu trials, from %zu on half the 95 %% "
			    "interval of the median.",
			    all.from - 1, all.from);
	else if (all.range)
		html_printf(out, " +- is half the range of %zu trials.", all.most);
	else if (all.interval)
		html_printf(out, " +- is half the 95 %% interval of the median of %s%zu trials.",
			    all.least == all.most ? "" : "up to ", all.most);
}

static bool has_counters(const struct model_bench *doc)
{
	for (size_t i = 0; i < doc->n_scenarios; i++)
		if (isfinite(doc->scenarios[i].cycles_per_page) ||
		    isfinite(doc->scenarios[i].instructions_per_page) ||
		    isfinite(doc->scenarios[i].dtlb_load_misses_per_page))
			return true;
	return false;
}

/* Why there is no column of the hardware's counters; "" where there is, or nobody knows. */
static const char *no_pmu(const struct model_bench *doc)
{
	return has_counters(doc) ? "" : sys_machine_text(&doc->machine, "pmu", "");
}

static void put_price_notes(const struct model_bench *doc, FILE *out)
{
	(void)fputs("<p class=\"note\">What is not defined is -, never 0.", out);
	put_interval_note(doc, out);
	if (doc->floor.ns_per_page.n)
		html_printf(out, " x floor: against zeroing a mapped page (%s, %s ns).",
			    doc->floor.name, units_ns(doc->floor.ns_per_page.median).s);
	if (doc->suite.machine[0])
		html_printf(out, " Published: ns/page in the article; its machine: %s.",
			    doc->suite.machine);
	if (*no_pmu(doc))
		html_printf(out, " Cycles, instructions and TLB misses: %s.", no_pmu(doc));
	(void)fputs("</p>\n", out);
}

void html_table_prices(const struct model_bench *doc, FILE *out)
{
	bool shown[ARRAY_LEN(columns)];

	html_table_open(out, "Prices");
	(void)fputs("<thead><tr><th scope=\"col\">scenario</th>", out);
	for (size_t c = 0; c < ARRAY_LEN(columns); c++) {
		shown[c] = is_shown(doc, &columns[c]);
		if (shown[c])
			html_printf(out, "<th scope=\"col\" class=\"%s\">%s</th>",
				    columns[c].class_name, columns[c].title);
	}
	(void)fputs("</tr></thead>\n<tbody>\n", out);
	for (size_t i = 0; i < doc->n_scenarios; i++)
		put_price_row(doc, &doc->scenarios[i], shown, out);
	html_table_close(out);
	put_price_notes(doc, out);
}

/* --- what the source claims ----------------------------------------------------------------------- */

void html_table_relations(const struct model_bench *doc, FILE *out)
{
	static const char *const heads[] = {"", "the claim", "here", NULL};

	if (doc->n_relations == 0)
		return;
	html_table_open(out, "Claims, and whether they hold here");
	html_table_heads(out, heads);
	for (unsigned i = 0; i < doc->n_relations; i++) {
		const struct model_relation *r = &doc->relations[i];
		bool differs = r->measured && !r->holds;
		char range[96];

		html_printf(out, "<tr><td class=\"status %s\">%s</td><td class=\"text\">%s</td>",
			    !r->measured ? "dim"
			    : differs    ? "warn"
					 : "good",
			    !r->measured ? "unknown"
			    : differs    ? "differs"
					 : "holds",
			    r->text);
		model_claim_range(&r->claim, range, sizeof(range));
		html_printf(out, "<td class=\"text\">%s", r->figure);
		if (*range)
			html_printf(out, "<span class=\"cause\">accepted: %s</span>", range);
		if (differs)
			html_printf(out, "<span class=\"cause\">%s</span>", r->cause);
		(void)fputs("</td></tr>\n", out);
	}
	html_table_close(out);
}

/* --- warnings, and rows that did not run ------------------------------------------------------------ */

/* What there is to say of a row: kind stands below its name, so that the text has room on a telephone. */
void html_table_remark(FILE *out, const char *name, const char *kind, bool bad, const char *text)
{
	html_printf(out, "<tr><th scope=\"row\">%s<span class=\"kind %s\">%s</span></th>", name,
		    bad ? "bad" : "warn", kind);
	html_printf(out, "<td class=\"text\">%s</td></tr>\n", text);
}

static void put_warnings(FILE *out, const char *name, const struct model_warning *warnings,
			 unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		bool bad = strcmp(warnings[i].id, "ledger") == 0;

		html_table_remark(out, name, bad ? "INVALID" : "warning", bad, warnings[i].text);
	}
}

void html_table_warnings(const struct model_bench *doc, FILE *out)
{
	static const char *const heads[] = {"of", "what was noticed", NULL};
	const struct model_scenario *s;
	bool any = doc->n_warnings > 0;

	for (size_t i = 0; (s = model_bench_row(doc, i)); i++)
		any = any || s->n_warnings > 0;
	if (!any)
		return;
	html_table_open(out, "Warnings");
	html_table_heads(out, heads);
	put_warnings(out, "the run", doc->warnings, doc->n_warnings);
	for (size_t i = 0; (s = model_bench_row(doc, i)); i++)
		put_warnings(out, model_scenario_label(s).s, s->warnings, s->n_warnings);
	html_table_close(out);
}

void html_table_not_done(const struct model_bench *doc, FILE *out)
{
	static const char *const heads[] = {"row", "why, and what would help", NULL};
	const struct model_scenario *s;
	bool any = false;

	for (size_t i = 0; (s = model_bench_row(doc, i)); i++) {
		if (s->status == MODEL_DONE)
			continue;
		if (!any) {
			html_table_open(out, "Rows that did not run");
			html_table_heads(out, heads);
		}
		any = true;
		html_table_remark(out, model_scenario_label(s).s, model_status_name(s->status),
				  s->status == MODEL_FAILED, s->reason);
	}
	if (any)
		html_table_close(out);
}

/* --- the machine and the options -------------------------------------------------------------------- */

static void put_fact(FILE *out, const char *key, const char *value)
{
	html_printf(out, "<tr><th scope=\"row\">%s</th><td class=\"text\">%s</td></tr>\n", key,
		    value);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), n_end = strlen(end);

	return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

/* The facts from begin on, before end. */
static void put_facts(const struct model_bench *doc, unsigned begin, unsigned end, FILE *out)
{
	static const char *const heads[] = {"fact", "value", NULL};
	char number[32];

	open_scroller(out, begin ? "The machine, continued" : "The machine");
	html_table_heads(out, heads);
	for (unsigned i = begin; i < end; i++) {
		const struct sys_fact *f = &doc->machine.facts[i];

		if (strcmp(f->key, "pmu") == 0 && *no_pmu(doc))
			continue; /* said below the prices */
		(void)snprintf(number, sizeof(number), "%llu", (unsigned long long)f->number);
		if (!f->is_number)
			put_fact(out, f->key, f->text);
		else
			put_fact(out, f->key,
				 ends_with(f->key, "_bytes") ? units_bytes(f->number).s : number);
	}
	html_table_close(out);
}

/* There are many: two tables, side by side where there is room. */
void html_table_machine(const struct model_bench *doc, FILE *out)
{
	unsigned n = doc->machine.n_facts, half = (n + 1) / 2;

	if (n == 0)
		return;
	put_heading(out, "The machine");
	(void)fputs("<div class=\"pair\">\n", out);
	put_facts(doc, 0, half, out);
	if (half < n)
		put_facts(doc, half, n, out);
	(void)fputs("</div>\n", out);
}

void html_table_options(const struct model_bench *doc, FILE *out)
{
	static const char *const heads[] = {"option", "value", NULL};
	const struct model_options *o = &doc->options;
	char text[64];

	html_table_open(out, "The options of the run");
	html_table_heads(out, heads);
	put_fact(out, "size", o->size_bytes ? units_bytes(o->size_bytes).s : "each scenario's own");
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)o->n_trials);
	put_fact(out, "trials", text);
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)o->n_rounds);
	put_fact(out, "rounds", text);
	put_fact(out, "budget", units_duration(o->budget_ns).s);
	(void)snprintf(text, sizeof(text), "%.3g %%", 100 * o->precision);
	put_fact(out, "precision", o->precision > 0 ? text : "not asked for");
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)o->seed);
	put_fact(out, "seed", text);
	(void)snprintf(text, sizeof(text), "%d", o->cpu);
	put_fact(out, "CPU", o->cpu >= 0 ? text : "not known");
	html_table_close(out);
}
