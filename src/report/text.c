/* SPDX-License-Identifier: MIT */
/* For people: the price list, what holds of the source, the machine, warnings, a conclusion. */
#include "src/report/report.h"

#include "src/base/option.h"
#include "src/base/units.h"

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
	option_print_folded(out, suite->source, 0, 0, width);
	(void)fputc('\n', out);
}

static void print_interval_note(const struct model_bench *doc, FILE *out, size_t width)
{
	bool range = false, interval = false;
	size_t least = SIZE_MAX, most = 0;
	char half[96] = "", nearly_all[96] = "", floor[160] = "", text[400];

	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct stats_summary *s = &doc->scenarios[i].ns_per_page;

		range = range || s->interval.kind == STATS_INTERVAL_RANGE;
		interval = interval || s->interval.kind == STATS_INTERVAL_95;
		if (s->n && s->n < least)
			least = s->n;
		if (s->n > most)
			most = s->n;
	}
	if (!range && !interval)
		return;
	if (range)
		(void)snprintf(half, sizeof(half), "half the range of %s%zu trials",
			       interval ? "up to " : "", interval ? 5 : most);
	if (interval)
		(void)snprintf(nearly_all, sizeof(nearly_all),
			       "%shalf the 95 %% interval of the median of %s%zu trials",
			       range ? "; from 6 on " : "", least == most ? "" : "up to ", most);
	if (doc->floor.ns_per_page.n)
		(void)snprintf(floor, sizeof(floor),
			       " x FLOOR: against zeroing a mapped page (%s, %.0f ns).",
			       doc->floor.name, doc->floor.ns_per_page.median);
	(void)snprintf(text, sizeof(text), "+- this run: %s%s.%s", half, nearly_all, floor);
	option_print_folded(out, text, 0, 0, width);
}

/* Where the kernel decides how many pages a fault brings, that is a result, too. */
static void print_pages_per_fault(const struct model_bench *doc, FILE *out, size_t width)
{
	char text[600] = "";
	size_t used = 0;

	for (size_t i = 0; i < doc->n_scenarios && used < sizeof(text); i++) {
		const struct model_scenario *s = &doc->scenarios[i];

		if (s->ledger.kernel_decides && !isnan(s->pages_per_fault))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %.1f",
						 used ? ", " : "Pages a fault: ", s->name,
						 s->pages_per_fault);
	}
	if (!used)
		return;
	option_print_folded(out, text, 0, 0, width);
}

static void print_published_note(const struct model_bench *doc, FILE *out, size_t width)
{
	char text[600];

	if (!doc->suite.machine[0])
		return;
	(void)snprintf(text, sizeof(text), "PUBLISHED: ns/page in the article, on a %s.",
		       doc->suite.machine);
	option_print_folded(out, text, 0, 0, width);
}

static void print_relation(const struct model_relation *r, FILE *out,
			   const struct report_style *style)
{
	char text[600];

	(void)snprintf(text, sizeof(text), "%s: %s", r->text, r->figure);
	if (!r->measured) {
		report_headed(out, style, PAINT_DIM, "unknown", text);
	} else if (r->holds) {
		report_headed(out, style, PAINT_GOOD, "holds", text);
	} else {
		(void)snprintf(text, sizeof(text), "%s: here %s; %s", r->text, r->figure, r->cause);
		report_headed(out, style, PAINT_WARN, "differs", text);
	}
}

static void print_relations(const struct model_bench *doc, FILE *out,
			    const struct report_style *style)
{
	if (doc->n_relations)
		(void)fputc('\n', out);
	for (unsigned i = 0; i < doc->n_relations; i++)
		print_relation(&doc->relations[i], out, style);
}

/* Row i of all that was measured; behind the rows the floor, unless it is a row itself. */
static const struct model_scenario *row_or_floor(const struct model_bench *doc, size_t i)
{
	if (i < doc->n_scenarios)
		return &doc->scenarios[i];
	if (i > doc->n_scenarios || !doc->floor.name[0] || model_bench_find(doc, doc->floor.name))
		return NULL;
	return &doc->floor;
}

static void print_not_done(const struct model_bench *doc, FILE *out,
			   const struct report_style *style)
{
	const struct model_scenario *s;
	bool any = false;
	char text[700];

	for (size_t i = 0; (s = row_or_floor(doc, i)); i++) {
		if (s->status == MODEL_DONE)
			continue;
		if (!any)
			(void)fputc('\n', out);
		any = true;
		(void)snprintf(text, sizeof(text), "%s: %s", s->name, s->reason);
		report_headed(out, style, s->status == MODEL_FAILED ? PAINT_BAD : PAINT_WARN,
			      model_status_name(s->status), text);
	}
}

static void print_warning(FILE *out, const struct report_style *style, const char *name,
			  const struct model_warning *w)
{
	bool bad = strcmp(w->id, "ledger") == 0;
	char text[400];

	(void)snprintf(text, sizeof(text), "%s%s%s", name, *name ? ": " : "", w->text);
	report_headed(out, style, bad ? PAINT_BAD : PAINT_WARN, bad ? "INVALID" : "warning", text);
}

static void print_warnings(const struct model_bench *doc, FILE *out,
			   const struct report_style *style)
{
	const struct model_scenario *s;
	bool any = doc->n_warnings > 0;

	for (size_t i = 0; (s = row_or_floor(doc, i)); i++)
		any = any || s->n_warnings > 0;
	if (any)
		(void)fputc('\n', out);
	for (unsigned i = 0; i < doc->n_warnings; i++)
		print_warning(out, style, "", &doc->warnings[i]);
	for (size_t i = 0; (s = row_or_floor(doc, i)); i++)
		for (unsigned k = 0; k < s->n_warnings; k++)
			print_warning(out, style, s->name, &s->warnings[k]);
}

/* With --verbose: where the time of each row went, and how its claim reads. */
static void print_detail(const struct model_scenario *s, FILE *out,
			 const struct report_style *style)
{
	const struct model_published *p = &s->published;
	char text[800], split[64] = "", published[128] = "";

	if (s->times.split_known)
		(void)snprintf(split, sizeof(split), " (user %.0f %%, system %.0f %%)",
			       100 * model_time_share(s, s->times.user_ns),
			       100 * model_time_share(s, s->times.sys_ns));
	if (!isnan(p->ns_per_fault))
		(void)snprintf(published, sizeof(published),
			       "; published %.0f ns/fault, %.0f minor, %.0f major", p->ns_per_fault,
			       p->minor, p->major);
	(void)snprintf(
		text, sizeof(text),
		"%s: %s; %s, %zu rounds in %zu trials; least %s, MAD %s ns/page; on CPU %.0f %%%s, "
		"asleep %.0f %%; claimed %g to %g minor, %g to %g major, %g to %g traps a page; %s%s",
		s->name, s->title, units_bytes(s->n_pages * s->page_bytes).s, s->n_rounds,
		s->ns_per_page.n, units_ns(s->ns_per_page.min).s, units_ns(s->ns_per_page.mad).s,
		100 * model_time_share(s, s->times.user_ns + s->times.sys_ns), split,
		100 * model_time_share(s, s->times.blocked_ns), s->ledger.minor.lo,
		s->ledger.minor.hi, s->ledger.major.lo, s->ledger.major.hi, s->ledger.trap.lo,
		s->ledger.trap.hi, s->traps_counted ? "traps counted by perf" : "traps not counted",
		published);
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

static void bench(const struct model_bench *doc, FILE *out, const struct report_style *style)
{
	size_t width = style->width ? style->width : 100;

	print_title(doc, out, style);
	report_bench_table(doc, out, style, false);
	print_interval_note(doc, out, width);
	print_pages_per_fault(doc, out, width);
	print_published_note(doc, out, width);
	print_relations(doc, out, style);
	print_not_done(doc, out, style);
	if (style->verbose)
		print_details(doc, out, style);
	(void)fputc('\n', out);
	report_machine(&doc->machine, out, style->width);
	print_warnings(doc, out, style);
	report_bench_conclusions(doc, out, style->width);
	if (doc->interrupted)
		(void)fputs("\nInterrupted: this is what was done until then.\n", out);
}

REPORT(text) = {
	.title = "for people (the default)",
	.bench = bench,
	.trace = report_trace_text,
};
