/* SPDX-License-Identifier: MIT */
/* One line a scenario, for spreadsheets and scripts (quoted as RFC 4180 says, lines end as Unix lines do). */
#include "src/report/report.h"

#include "src/base/array.h"
#include "src/model/ab.h"
#include "src/report/compare_report.h"
#include "src/report/csv_write.h"

#include <math.h>
#include <string.h>

/*
 * Quoted where RFC 4180 asks for it. A text that begins like a formula gets an apostrophe, since
 * spreadsheets would run it.
 */
void csv_put_text(FILE *out, const char *text)
{
	bool formula = *text && strchr("=+-@\t\r", *text);

	if (!formula && !strpbrk(text, ",\"\r\n")) {
		(void)fputs(text, out);
		return;
	}
	(void)fputc('"', out);
	if (formula)
		(void)fputc('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			(void)fputc('"', out);
		(void)fputc(*text, out);
	}
	(void)fputc('"', out);
}

/* What the cells of a line are made of. */
struct line {
	const struct model_bench *doc;
	const struct model_scenario *s;
	struct model_compare_row change; /* what the row was compared with; n_a 0: nothing */
};

struct column {
	const char *title;
	void (*put)(const struct line *line, FILE *out);
};

/* An undefined number is an empty cell, never 0. */
void csv_put_double(FILE *out, double value)
{
	if (isfinite(value))
		(void)fprintf(out, "%.9g", value);
}

#define TEXT_COLUMN(name, value)                                   \
	static void put_##name(const struct line *line, FILE *out) \
	{                                                          \
		const struct model_scenario *s = line->s;          \
		(void)s;                                           \
		csv_put_text(out, value);                          \
	}
#define NUMBER_COLUMN(name, value)                                 \
	static void put_##name(const struct line *line, FILE *out) \
	{                                                          \
		const struct model_scenario *s = line->s;          \
		(void)s;                                           \
		csv_put_double(out, value);                        \
	}

TEXT_COLUMN(name, s->name)
TEXT_COLUMN(article, s->article)
TEXT_COLUMN(status, model_status_name(s->status))
TEXT_COLUMN(verdict, s->verdict == MODEL_NO_VERDICT ? "" : model_verdict_name(s->verdict))
TEXT_COLUMN(reason, s->reason)
TEXT_COLUMN(pages, s->pages)
/* What a row was compared with: B with its A side, or this run with an earlier one. */
static struct model_compare_row change_of(const struct model_bench *doc,
					  const struct model_scenario *s)
{
	const struct model_compare_row *since = model_bench_change(doc, s);
	struct model_compare_row row;
	size_t i = (size_t)(s - doc->scenarios);

	if (since)
		return *since;
	model_compare_row_init(&row, s);
	if (s->side == 2 && i > 0)
		(void)model_ab_row(doc, i - 1, &row);
	return row;
}

NUMBER_COLUMN(ratio, line->change.ratio)
NUMBER_COLUMN(ratio_lo, line->change.lo)
NUMBER_COLUMN(ratio_hi, line->change.hi)
TEXT_COLUMN(change, line->change.n_a ? model_change_name(line->change.verdict) : "")
TEXT_COLUMN(side, s->side == 1 ? "a" : s->side == 2 ? "b" : "")
NUMBER_COLUMN(n_pages, (double)s->n_pages)
NUMBER_COLUMN(page_bytes, (double)s->page_bytes)
NUMBER_COLUMN(minor, s->minor_per_page)
NUMBER_COLUMN(major, s->major_per_page)
NUMBER_COLUMN(trap, s->trap_per_page)
NUMBER_COLUMN(populated, s->populated_per_page)
NUMBER_COLUMN(pages_per_fault, s->pages_per_fault)
NUMBER_COLUMN(ns_per_fault, s->ns_per_fault.median)
NUMBER_COLUMN(ns_per_fault_lo, s->ns_per_fault.interval.lo)
NUMBER_COLUMN(ns_per_fault_hi, s->ns_per_fault.interval.hi)
NUMBER_COLUMN(ns_per_page, s->ns_per_page.median)
NUMBER_COLUMN(ns_per_page_lo, s->ns_per_page.interval.lo)
NUMBER_COLUMN(ns_per_page_hi, s->ns_per_page.interval.hi)
NUMBER_COLUMN(ns_per_page_min, s->ns_per_page.min)
NUMBER_COLUMN(ns_per_page_mad, s->ns_per_page.mad)
NUMBER_COLUMN(accesses, s->n_accesses ? (double)s->n_accesses : NAN)
NUMBER_COLUMN(ns_per_access, s->ns_per_access.median)
NUMBER_COLUMN(ns_per_access_lo, s->ns_per_access.interval.lo)
NUMBER_COLUMN(ns_per_access_hi, s->ns_per_access.interval.hi)
NUMBER_COLUMN(bytes_per_second, model_bytes_per_second(s))
NUMBER_COLUMN(page_table_bytes, s->page_table_bytes)
NUMBER_COLUMN(resident_before, s->resident_before)
NUMBER_COLUMN(resident_after, s->resident_after)
NUMBER_COLUMN(cycles_per_page, s->cycles_per_page)
NUMBER_COLUMN(instructions_per_cycle, s->instructions_per_cycle)
NUMBER_COLUMN(cycles_per_access, s->cycles_per_access)
NUMBER_COLUMN(dtlb_load_misses_per_access, s->dtlb_load_misses_per_access)
NUMBER_COLUMN(dtlb_load_misses_per_page, s->dtlb_load_misses_per_page)
NUMBER_COLUMN(times_floor, s->ns_per_page.median / line->doc->floor.ns_per_page.median)
/* Why the columns lo and hi are empty, or what they are. */
static const char *interval(const struct model_scenario *s)
{
	static const char *const kinds[] = {"", "range", "95%"};

	return s->drift.found ? "drift" : kinds[model_price(s)->interval.kind];
}

TEXT_COLUMN(interval, interval(s))
NUMBER_COLUMN(trials, (double)model_price(s)->n)
NUMBER_COLUMN(rounds, (double)s->n_rounds)
NUMBER_COLUMN(invalid_rounds, (double)s->n_invalid)
NUMBER_COLUMN(user, s->times.split_known ? model_time_share(s, s->times.user_ns) : NAN)
NUMBER_COLUMN(sys, s->times.split_known ? model_time_share(s, s->times.sys_ns) : NAN)
NUMBER_COLUMN(blocked, model_time_share(s, s->times.blocked_ns))
NUMBER_COLUMN(published_ns_per_fault, s->published.ns_per_fault)
NUMBER_COLUMN(published_ns_per_page, s->published.ns_per_page)

static const struct column columns[] = {
	{"scenario", put_name},
	{"article", put_article},
	{"status", put_status},
	{"verdict", put_verdict},
	{"n_pages", put_n_pages},
	{"page_bytes", put_page_bytes},
	{"minor_per_page", put_minor},
	{"major_per_page", put_major},
	{"trap_per_page", put_trap},
	{"populated_per_page", put_populated},
	{"pages_per_fault", put_pages_per_fault},
	{"ns_per_fault", put_ns_per_fault},
	{"ns_per_fault_lo", put_ns_per_fault_lo},
	{"ns_per_fault_hi", put_ns_per_fault_hi},
	{"ns_per_page", put_ns_per_page},
	{"ns_per_page_lo", put_ns_per_page_lo},
	{"ns_per_page_hi", put_ns_per_page_hi},
	{"ns_per_page_min", put_ns_per_page_min},
	{"ns_per_page_mad", put_ns_per_page_mad},
	{"times_floor", put_times_floor},
	{"trials", put_trials},
	{"rounds", put_rounds},
	{"invalid_rounds", put_invalid_rounds},
	{"user", put_user},
	{"sys", put_sys},
	{"blocked", put_blocked},
	{"published_ns_per_fault", put_published_ns_per_fault},
	{"published_ns_per_page", put_published_ns_per_page},
	{"reason", put_reason},
	{"pages", put_pages},
	{"accesses", put_accesses},
	{"ns_per_access", put_ns_per_access},
	{"ns_per_access_lo", put_ns_per_access_lo},
	{"ns_per_access_hi", put_ns_per_access_hi},
	{"bytes_per_second", put_bytes_per_second},
	{"page_table_bytes", put_page_table_bytes},
	{"resident_before", put_resident_before},
	{"resident_after", put_resident_after},
	{"cycles_per_page", put_cycles_per_page},
	{"instructions_per_cycle", put_instructions_per_cycle},
	{"dtlb_load_misses_per_page", put_dtlb_load_misses_per_page},
	{"cycles_per_access", put_cycles_per_access},
	{"dtlb_load_misses_per_access", put_dtlb_load_misses_per_access},
	{"side", put_side},
	{"ratio", put_ratio},
	{"ratio_lo", put_ratio_lo},
	{"ratio_hi", put_ratio_hi},
	{"change", put_change},
	{"interval", put_interval},
};

static void bench(const struct model_bench *doc, FILE *out, const struct report_style *style)
{
	(void)style;
	for (size_t c = 0; c < ARRAY_LEN(columns); c++)
		(void)fprintf(out, "%s%s", c ? "," : "", columns[c].title);
	(void)fputs("\n", out);
	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct model_scenario *s = &doc->scenarios[i];
		struct line line = {.doc = doc, .s = s, .change = change_of(doc, s)};

		for (size_t c = 0; c < ARRAY_LEN(columns); c++) {
			(void)fputs(c ? "," : "", out);
			columns[c].put(&line, out);
		}
		(void)fputs("\n", out);
	}
}

REPORT(csv) = {
	.title = "one line a scenario; undefined numbers are empty",
	.bench = bench,
	.bill = report_bill_csv,
	.compare = report_compare_csv,
};
