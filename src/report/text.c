/* SPDX-License-Identifier: MIT */
/* For people: the price list, what holds of the source, the machine, warnings, a conclusion. */
#include "src/report/report.h"

#include "src/base/option.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/report/cell.h"
#include "src/report/compare_report.h"
#include "src/report/compare_table.h"
#include "src/report/list.h"

#include <math.h>
#include <string.h>

static void print_title(const struct model_bench *doc, FILE *out, const struct report_style *style)
{
	const struct model_suite_head *suite = &doc->suite;
	size_t width = style->width ? style->width : 100;

	if (!suite->name[0])
		return;
	(void)fprintf(out, "%s: ", suite->name);
	option_print_folded(out, suite->title, 0, strlen(suite->name) + 2, width);
	if (suite->source[0])
		option_print_folded(out, suite->source, 0, 0, width);
	(void)fputc('\n', out);
}

static void print_interval_note(const struct model_bench *doc, FILE *out, size_t width)
{
	struct cell_intervals all = cell_intervals(doc, true);
	char half[96] = "", from[24] = "", nearly_all[96] = "", floor[160] = "", text[400];

	if (!all.range && !all.interval)
		return;
	if (all.range)
		(void)snprintf(half, sizeof(half), "half the range of %s%zu trials",
			       all.interval ? "up to " : "",
			       all.interval ? all.from - 1 : all.most);
	if (all.range)
		(void)snprintf(from, sizeof(from), "; from %zu on ", all.from);
	if (all.interval)
		(void)snprintf(nearly_all, sizeof(nearly_all),
			       "%shalf the 95 %% interval of the median of %s%zu trials", from,
			       all.least == all.most ? "" : "up to ", all.most);
	if (doc->floor.ns_per_page.n)
		(void)snprintf(floor, sizeof(floor),
			       " x FLOOR: against zeroing a mapped page (%s, %.0f ns).",
			       doc->floor.name, doc->floor.ns_per_page.median);
	(void)snprintf(text, sizeof(text), "+- this run: %s%s.%s", half, nearly_all, floor);
	option_print_folded(out, text, 0, 0, width);
}

static void print_list(struct report_list *list, const char *head, FILE *out, size_t width)
{
	char text[REPORT_LIST_BYTES + 32];

	if (!list->n)
		return;
	(void)snprintf(text, sizeof(text), "%s: %s", head, report_list_text(list));
	option_print_folded(out, text, 0, 0, width);
}

/* Where the kernel decides how many pages a fault brings, that is a result, too. */
static void print_pages_per_fault(const struct model_bench *doc, FILE *out, size_t width)
{
	struct report_list list = {.n = 0};

	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct model_scenario *s = &doc->scenarios[i];

		if (s->ledger.kernel_decides && !isnan(s->pages_per_fault))
			report_list_add(&list, ", ", "%s %.1f", s->name, s->pages_per_fault);
	}
	print_list(&list, "Pages a fault", out, width);
}

/* What of each file was cached around its passes: the residency that a price belongs to. */
static void print_residency(const struct model_bench *doc, FILE *out, size_t width)
{
	struct report_list list = {.n = 0};

	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct model_scenario *s = &doc->scenarios[i];

		if (!isnan(s->resident_before) && !isnan(s->resident_after))
			report_list_add(&list, "; ", "%s %.0f before, %.0f after of %llu",
					s->article[0] ? s->article : s->name, s->resident_before,
					s->resident_after, (unsigned long long)s->n_pages);
	}
	print_list(&list, "Cached pages", out, width);
}

/* Said once: without counters there is no column for them. */
static void print_pmu_note(const struct model_bench *doc, FILE *out, size_t width)
{
	const char *pmu = sys_machine_text(&doc->machine, "pmu", "");
	char text[256];

	for (size_t i = 0; i < doc->n_scenarios; i++)
		if (!isnan(doc->scenarios[i].instructions_per_cycle))
			return;
	if (!*pmu || strcmp(pmu, "counted") == 0)
		return;
	(void)snprintf(text, sizeof(text), "Cycles, instructions, IPC: %s.", pmu);
	option_print_folded(out, text, 0, 0, width);
}

static void print_published_note(const struct model_bench *doc, FILE *out, size_t width)
{
	char text[600];

	bool any = false;

	for (size_t i = 0; i < doc->n_scenarios; i++)
		any = any || !isnan(doc->scenarios[i].published.ns_per_page);
	if (!doc->suite.machine[0] || !any)
		return;
	(void)snprintf(text, sizeof(text), "PUBLISHED: ns/page in the article; its machine: %s.",
		       doc->suite.machine);
	option_print_folded(out, text, 0, 0, width);
}

static void print_relation(const struct model_relation *r, FILE *out,
			   const struct report_style *style)
{
	char text[700], range[96] = "", accepted[128] = "";

	if (style->verbose)
		model_claim_range(&r->claim, range, sizeof(range));
	if (*range)
		(void)snprintf(accepted, sizeof(accepted), " (accepted: %s)", range);
	(void)snprintf(text, sizeof(text), "%s: %s%s", r->text, r->figure, accepted);
	if (!r->measured) {
		report_headed(out, style, PAINT_DIM, "unknown", text);
	} else if (r->holds) {
		report_headed(out, style, PAINT_GOOD, "holds", text);
	} else {
		(void)snprintf(text, sizeof(text), "%s: here %s%s; %s", r->text, r->figure,
			       accepted, r->cause);
		report_headed(out, style, PAINT_WARN, "differs", text);
	}
}

static void print_relations(const struct model_bench *doc, FILE *out,
			    const struct report_style *style)
{
	bool any = false;

	for (size_t i = 0; i < doc->n_scenarios; i++)
		any = any || doc->scenarios[i].n_rounds > 0;
	if (!any || !doc->n_relations)
		return;
	(void)fputc('\n', out);
	for (unsigned i = 0; i < doc->n_relations; i++)
		print_relation(&doc->relations[i], out, style);
}

static bool same_reason(const struct model_scenario *a, const struct model_scenario *b)
{
	return a->status == b->status && strcmp(a->reason, b->reason) == 0;
}

/* The names of all rows that did not run for the reason of row i; none where an earlier row has told
 * it. */
static void join_names(const struct model_bench *doc, size_t i, struct report_list *ret)
{
	const struct model_scenario *s = model_bench_row(doc, i), *other;

	*ret = (struct report_list){.n = 0};
	for (size_t k = 0; k < i; k++)
		if (same_reason(model_bench_row(doc, k), s))
			return;
	for (size_t k = i; (other = model_bench_row(doc, k)); k++)
		if (same_reason(other, s))
			report_list_add(ret, ", ", "%s", model_scenario_label(other).s);
}

static void print_not_done(const struct model_bench *doc, FILE *out,
			   const struct report_style *style)
{
	char text[REPORT_LIST_BYTES + sizeof(doc->floor.reason) + 2];
	const struct model_scenario *s;
	struct report_list names;
	bool any = false;

	for (size_t i = 0; (s = model_bench_row(doc, i)); i++) {
		if (s->status == MODEL_DONE)
			continue;
		join_names(doc, i, &names);
		if (!names.n)
			continue;
		if (!any)
			(void)fputc('\n', out);
		any = true;
		(void)snprintf(text, sizeof(text), "%s: %s", report_list_text(&names), s->reason);
		report_headed(out, style, s->status == MODEL_FAILED ? PAINT_BAD : PAINT_WARN,
			      model_status_name(s->status), text);
	}
}

static void print_warning(FILE *out, const struct report_style *style, const char *name,
			  const struct model_warning *w)
{
	bool bad = strcmp(w->id, "ledger") == 0;
	char text[500];

	(void)snprintf(text, sizeof(text), "%s%s%s", name, *name ? ": " : "", w->text);
	report_headed(out, style, bad ? PAINT_BAD : PAINT_WARN, bad ? "INVALID" : "warning", text);
}

/* That the price of a side is no one price does not touch the ratio, which is what the run is about. */
static bool is_told(const struct model_scenario *s, const struct model_warning *w,
		    const struct report_style *style)
{
	return style->verbose || !s->side ||
	       (strcmp(w->id, "drifting") != 0 && strcmp(w->id, "two-groups") != 0);
}

static void print_warnings(const struct model_bench *doc, FILE *out,
			   const struct report_style *style)
{
	const struct model_scenario *s;
	bool any = doc->n_warnings > 0;

	for (size_t i = 0; (s = model_bench_row(doc, i)); i++)
		for (unsigned k = 0; k < s->n_warnings; k++)
			any = any || is_told(s, &s->warnings[k], style);
	if (any)
		(void)fputc('\n', out);
	for (unsigned i = 0; i < doc->n_warnings; i++)
		print_warning(out, style, "", &doc->warnings[i]);
	for (size_t i = 0; (s = model_bench_row(doc, i)); i++)
		for (unsigned k = 0; k < s->n_warnings; k++)
			if (is_told(s, &s->warnings[k], style))
				print_warning(out, style, model_scenario_label(s).s,
					      &s->warnings[k]);
}

/* Appends where the figure is one. */
static void append_figure(char *text, size_t size, const char *format, double figure)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (isfinite(figure))
		text_append(text, size, format, figure);
#pragma GCC diagnostic pop
}

/* What the PMU counted; "" where it did not. */
static void describe_pmu(const struct model_scenario *s, char *ret, size_t size)
{
	*ret = 0;
	append_figure(ret, size, "; %.0f cycles a page", s->cycles_per_page);
	append_figure(ret, size, ", %.0f instructions", s->instructions_per_page);
	append_figure(ret, size, "; %.0f cycles an access", s->cycles_per_access);
	append_figure(ret, size, ", IPC %.2f", s->instructions_per_cycle);
	append_figure(ret, size, "; %.3f dTLB load misses a page", s->dtlb_load_misses_per_page);
	append_figure(ret, size, "; %.3f dTLB load misses an access",
		      s->dtlb_load_misses_per_access);
}

static void describe_rate(const struct model_scenario *s, char *ret, size_t size)
{
	double rate = model_bytes_per_second(s);

	*ret = 0;
	if (isfinite(rate))
		(void)snprintf(ret, size, ", %.2f GiB/s", rate / (double)(1U << 30));
}

/* With --verbose: where the time of each row went, and how its claim reads. */
static void print_detail(const struct model_scenario *s, FILE *out,
			 const struct report_style *style)
{
	const struct stats_summary *price = model_price(s);
	const struct model_published *p = &s->published;
	char text[1000], split[64] = "", published[128] = "", pmu[160], rate[32];

	describe_pmu(s, pmu, sizeof(pmu));
	describe_rate(s, rate, sizeof(rate));
	if (s->times.split_known)
		(void)snprintf(split, sizeof(split), " (user %.0f %%, system %.0f %%)",
			       100 * model_time_share(s, s->times.user_ns),
			       100 * model_time_share(s, s->times.sys_ns));
	append_figure(published, sizeof(published), "; published %.0f ns/fault", p->ns_per_fault);
	append_figure(published, sizeof(published), "; published %.0f minor", p->minor);
	append_figure(published, sizeof(published), ", %.0f major", p->major);
	(void)snprintf(
		text, sizeof(text),
		"%s: %s; %s, %zu rounds in %zu trials; least %s, MAD %s ns/%s%s; on CPU %.0f %%%s, "
		"asleep %.0f %%; claimed %g to %g minor, %g to %g major, %g to %g traps a page; "
		"%s%s%s",
		s->name, s->title, units_bytes(s->n_pages * s->page_bytes).s, s->n_rounds, price->n,
		units_ns(price->min).s, units_ns(price->mad).s, s->n_accesses ? "access" : "page",
		rate, 100 * model_time_share(s, s->times.user_ns + s->times.sys_ns), split,
		100 * model_time_share(s, s->times.blocked_ns), s->ledger.minor.lo,
		s->ledger.minor.hi, s->ledger.major.lo, s->ledger.major.hi, s->ledger.trap.lo,
		s->ledger.trap.hi, s->traps_counted ? "traps counted by perf" : "traps not counted",
		pmu, published);
	report_headed(out, style, PAINT_DIM, "detail", text);
}

static void print_details(const struct model_bench *doc, FILE *out,
			  const struct report_style *style)
{
	(void)fputc('\n', out);
	for (size_t i = 0; i < doc->n_scenarios; i++)
		if (doc->scenarios[i].times.wall_ns)
			print_detail(&doc->scenarios[i], out, style);
}

static void print_prices(const struct model_bench *doc, FILE *out, const struct report_style *style,
			 size_t width)
{
	report_bench_table(doc, out, style, false);
	print_interval_note(doc, out, width);
	report_bench_changes(doc, out, style);
	print_pages_per_fault(doc, out, width);
	print_residency(doc, out, width);
	if (style->verbose)
		print_pmu_note(doc, out, width);
	print_published_note(doc, out, width);
	print_relations(doc, out, style);
}

static void bench(const struct model_bench *doc, FILE *out, const struct report_style *style)
{
	size_t width = style->width ? style->width : 100;
	bool sides = doc->ab.setting[0] != 0;

	print_title(doc, out, style);
	if (sides)
		report_ab_text(doc, out, style);
	if (sides && style->verbose)
		(void)fputc('\n', out);
	if (!sides || style->verbose) { /* else the table of sides has told it */
		print_prices(doc, out, style, width);
		print_not_done(doc, out, style);
	}
	if (style->verbose)
		print_details(doc, out, style);
	(void)fputc('\n', out);
	report_machine(&doc->machine, out, style->width);
	report_noise(doc, out, style);
	print_warnings(doc, out, style);
	if (!sides)
		report_bench_conclusions(doc, out, style->width);
	if (doc->interrupted)
		(void)fputs("\nInterrupted: this is what was done until then.\n", out);
}

REPORT(text) = {
	.title = "for people (the default)",
	.bench = bench,
	.trace = report_trace_text,
	.bill = report_trace_text,
	.compare = report_compare_text,
};
