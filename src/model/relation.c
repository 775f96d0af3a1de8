/* SPDX-License-Identifier: MIT */
/* Whether a suite's relations hold in a document, and what they differ by. */
#include "src/model/suite.h"

#include "src/base/array.h"
#include "src/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PAIRED_TRIALS = 1000 };

/* A measured figure; lo and hi are NaN where it is a count or a share without an interval. */
struct figure {
	double value, lo, hi;
};

/* --- figures: one row each -------------------------------------------------------------------- */

/*
 * Ratio of two prices, paired by block: both trials of a pair ran within seconds of each other, so
 * that what drifts on the machine drops out.
 */
static struct figure ratio(const struct model_scenario *of, const struct model_scenario *to)
{
	double a[MAX_PAIRED_TRIALS], b[MAX_PAIRED_TRIALS];
	size_t n_a = model_trial_prices(of, a, MAX_PAIRED_TRIALS);
	size_t n_b = model_trial_prices(to, b, MAX_PAIRED_TRIALS);
	struct stats_summary s;
	size_t n = 0;

	for (size_t i = 0; i < n_a && i < n_b; i++)
		if (!isnan(a[i]) && !isnan(b[i]) && b[i] > 0)
			a[n++] = a[i] / b[i];
	s = stats_summarize(a, n);
	return (struct figure){s.median, s.interval.lo, s.interval.hi};
}

static struct figure saving(const struct model_scenario *of, const struct model_scenario *to)
{
	struct figure f = ratio(of, to);

	return (struct figure){1 - f.value, 1 - f.hi, 1 - f.lo};
}

static struct figure count(double value)
{
	return (struct figure){value, NAN, NAN};
}

static struct figure sys_share(const struct model_scenario *of, const struct model_scenario *to)
{
	(void)to;
	return count(of->times.split_known ? model_time_share(of, of->times.sys_ns) : NAN);
}

static struct figure cpu_share(const struct model_scenario *of, const struct model_scenario *to)
{
	(void)to;
	return count(model_time_share(of, of->times.user_ns + of->times.sys_ns));
}

static struct figure minor_per_page(const struct model_scenario *of,
				    const struct model_scenario *to)
{
	(void)to;
	return count(of->minor_per_page);
}

static struct figure majors_per_pass(const struct model_scenario *of,
				     const struct model_scenario *to)
{
	(void)to;
	return count(of->major_per_page * (double)of->n_pages);
}

static struct figure pages_per_fault(const struct model_scenario *of,
				     const struct model_scenario *to)
{
	(void)to;
	return count(of->pages_per_fault);
}

static struct figure first_round(const struct model_scenario *of, const struct model_scenario *to)
{
	(void)to;
	return count(of->first_round_ratio);
}

struct figure_row {
	const char *name;
	struct figure (*measure)(const struct model_scenario *of, const struct model_scenario *to);
	double scale;       /* 100 for what is printed in percent */
	const char *format; /* of the value */
	const char *unit;
};

static const struct figure_row figure_rows[] = {
	{"ratio", ratio, 1, "%.2f", ""},
	{"saving", saving, 100, "%.1f", " %"},
	{"sys_share", sys_share, 100, "%.0f", " % system"},
	{"cpu_share", cpu_share, 100, "%.0f", " % on CPU"},
	{"minor_per_page", minor_per_page, 1, "%.4f", " minor a page"},
	{"majors_per_pass", majors_per_pass, 1, "%.0f", " major"},
	{"pages_per_fault", pages_per_fault, 1, "%.1f", " pages a fault"},
	{"first_round", first_round, 1, "%.2f", " times the later rounds"},
};

/* --- causes: one row each, true only on evidence ------------------------------------------------ */

enum { USUAL_READ_AHEAD_BYTES = 128 * 1024 }; /* VM_READAHEAD_PAGES, the kernel's default */

typedef bool cause_check(const struct model_bench *doc, const struct model_scenario *of, char *ret,
			 size_t size);

/* "read_ahead_kb 8192", or "" where the filesystem (overlay, btrfs) does not tell. */
static uint64_t read_ahead(const struct model_bench *doc, char *ret_text, size_t size)
{
	uint64_t window = sys_machine_u64(&doc->machine, "read_ahead_bytes", 0);

	*ret_text = 0;
	if (window)
		(void)snprintf(ret_text, size, " (read_ahead_kb %llu)",
			       (unsigned long long)(window / 1024));
	return window;
}

/* One major fault brings in one readahead window, so majors a pass follow from its size. Where that is
 * not known what one fault brought is the evidence. */
static bool cause_read_ahead(const struct model_bench *doc, const struct model_scenario *of,
			     char *ret, size_t size)
{
	const double usual = USUAL_READ_AHEAD_BYTES;
	double per_major = (double)of->page_bytes / of->major_per_page;
	char text[48];
	uint64_t window = read_ahead(doc, text, sizeof(text));
	double expected = window ? (double)window : per_major;

	if (!isfinite(per_major) || window == USUAL_READ_AHEAD_BYTES)
		return false;
	if (per_major < expected / 2 || per_major > expected * 2)
		return false;
	if (!window && per_major > usual / 2 && per_major < usual * 2)
		return false;
	(void)snprintf(ret, size, "readahead is of another size here%s: one major fault brings %s",
		       text, units_bytes((uint64_t)per_major).s);
	return true;
}

/* Readahead that stays ahead leaves one major fault, the first; later faults find their page under
 * way and sleep for it, but are called minor. */
static bool cause_async_read_ahead(const struct model_bench *doc, const struct model_scenario *of,
				   char *ret, size_t size)
{
	double n = (double)of->n_pages;
	double majors = of->major_per_page * n;
	double sleeps = of->sleeps_per_page * n;
	char text[48];
	uint64_t window = read_ahead(doc, text, sizeof(text));

	window = window ? window : USUAL_READ_AHEAD_BYTES;
	if (!(sleeps > 2 * majors) ||
	    (double)of->page_bytes / of->major_per_page < 2 * (double)window)
		return false;
	(void)snprintf(
		ret, size,
		"readahead%s stays ahead of the reader: it sleeps %.0f times a pass, but in minor "
		"faults, for pages already under way",
		text, sleeps);
	return true;
}

/* Larger windows mean fewer, longer waits, so the copying and mapping weighs more. */
static bool cause_large_reads(const struct model_bench *doc, const struct model_scenario *of,
			      char *ret, size_t size)
{
	double sleeps = of->sleeps_per_page * (double)of->n_pages;
	char text[48];
	uint64_t window = read_ahead(doc, text, sizeof(text));
	double per_sleep = (double)of->page_bytes / of->sleeps_per_page;

	if (!(sleeps > 0) || (window ? (double)window : per_sleep / 2) <= USUAL_READ_AHEAD_BYTES)
		return false;
	(void)snprintf(ret, size,
		       "reads are larger here%s: it sleeps %.0f times a pass, %.0f %% of the time",
		       text, sleeps, 100 * model_time_share(of, of->times.blocked_ns));
	return true;
}

static bool cause_fault_around(const struct model_bench *doc, const struct model_scenario *of,
			       char *ret, size_t size)
{
	(void)doc;
	if (!isfinite(of->pages_per_fault) || fabs(of->pages_per_fault - 16) < 0.5)
		return false;
	(void)snprintf(
		ret, size,
		"one fault maps %.0f pages here: fault_around_bytes or the folios in the cache "
		"are of another size",
		of->pages_per_fault);
	return true;
}

static bool cause_rounds_alike(const struct model_bench *doc, const struct model_scenario *of,
			       char *ret, size_t size)
{
	const char *disk = sys_machine_text(&doc->machine, "disk", "the disk");

	if (!(fabs(of->first_round_ratio - 1) < 0.35))
		return false;
	(void)snprintf(ret, size, "the first read gains little from the storage below %s", disk);
	return true;
}

static bool cause_slow_first(const struct model_bench *doc, const struct model_scenario *of,
			     char *ret, size_t size)
{
	(void)doc;
	if (!(of->first_round_ratio > 1.1))
		return false;
	(void)snprintf(
		ret, size,
		"here the later rounds are the fast ones: the storage below has read the file "
		"by then");
	return true;
}

struct cause_row {
	const char *name;
	cause_check *check;
};

static const struct cause_row cause_rows[] = {
	{"read_ahead", cause_read_ahead},     {"async_read_ahead", cause_async_read_ahead},
	{"large_reads", cause_large_reads},   {"fault_around", cause_fault_around},
	{"rounds_alike", cause_rounds_alike}, {"slow_first", cause_slow_first},
};

/* --- judging -------------------------------------------------------------------------------- */

static const struct figure_row *find_figure(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(figure_rows); i++)
		if (strcmp(figure_rows[i].name, name) == 0)
			return &figure_rows[i];
	return NULL;
}

static void print_figure(const struct figure_row *row, struct figure f, char *ret, size_t size)
{
	char value[3][32];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	(void)snprintf(value[0], sizeof(value[0]), row->format, f.value * row->scale);
	(void)snprintf(value[1], sizeof(value[1]), row->format, f.lo * row->scale);
	(void)snprintf(value[2], sizeof(value[2]), row->format, f.hi * row->scale);
#pragma GCC diagnostic pop
	if (isnan(f.lo))
		(void)snprintf(ret, size, "%s%s", value[0], row->unit);
	else
		(void)snprintf(ret, size, "%s%s [%s, %s]", value[0], row->unit, value[1], value[2]);
}

static void find_cause(const struct model_bench *doc, const struct model_suite_relation *rel,
		       const struct model_scenario *of, char *ret, size_t size)
{
	for (unsigned c = 0; c < rel->n_causes; c++)
		for (size_t i = 0; i < ARRAY_LEN(cause_rows); i++)
			if (strcmp(cause_rows[i].name, rel->causes[c]) == 0 &&
			    cause_rows[i].check(doc, of, ret, size))
				return;
	(void)snprintf(ret, size, "cause not found");
}

static bool is_priced(const struct model_scenario *s)
{
	return s && s->verdict != MODEL_INVALID && model_price(s)->n > 0;
}

/* It holds where the middle of what was measured lies inside the claim, and differs where all of it
 * lies outside; a middle outside whose interval reaches in says nothing. */
static void compare(const struct model_suite_relation *rel, struct figure f,
		    struct model_relation *ret)
{
	bool overlaps = !isnan(f.lo) && f.hi >= rel->lo && f.lo <= rel->hi;

	ret->holds = f.value >= rel->lo && f.value <= rel->hi;
	ret->measured = !isnan(f.value) && (ret->holds || !overlaps);
}

static void judge(const struct model_bench *doc, const struct model_suite_relation *rel,
		  struct model_relation *ret)
{
	const struct model_scenario *of = model_bench_find(doc, rel->of);
	const struct model_scenario *to = rel->to[0] ? model_bench_find(doc, rel->to) : NULL;
	const struct figure_row *row = find_figure(rel->figure);
	char figure[104];
	struct figure f;

	(void)snprintf(ret->text, sizeof(ret->text), "%s", rel->text);
	(void)snprintf(ret->figure, sizeof(ret->figure), "not measured");
	if (!row || !is_priced(of) || (rel->to[0] && !is_priced(to)))
		return;
	f = row->measure(of, to);
	compare(rel, f, ret);
	if (isnan(f.value))
		return;
	print_figure(row, f, figure, sizeof(figure));
	(void)snprintf(ret->figure, sizeof(ret->figure), "%s%s", figure,
		       ret->measured ? "" : ", too wide to say");
	if (ret->measured && !ret->holds)
		find_cause(doc, rel, of, ret->cause, sizeof(ret->cause));
}

bool model_relation_is_known(const struct model_suite_relation *relation, const char **ret_unknown)
{
	*ret_unknown = relation->figure;
	if (!find_figure(relation->figure))
		return false;
	for (unsigned c = 0; c < relation->n_causes; c++) {
		bool known = false;

		for (size_t i = 0; i < ARRAY_LEN(cause_rows); i++)
			known = known || strcmp(cause_rows[i].name, relation->causes[c]) == 0;
		*ret_unknown = relation->causes[c];
		if (!known)
			return false;
	}
	return true;
}

void model_suite_judge(const struct model_suite *suite, struct model_bench *doc)
{
	doc->n_relations = 0;
	memset(doc->relations, 0, sizeof(doc->relations));
	for (unsigned i = 0; i < suite->n_relations; i++)
		judge(doc, &suite->relations[i], &doc->relations[doc->n_relations++]);
}
