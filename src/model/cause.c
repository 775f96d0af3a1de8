/* SPDX-License-Identifier: MIT */
/* Why a relation differs here: each cause is named only on evidence in the document. */
#include "src/model/cause.h"

#include "src/base/array.h"
#include "src/base/units.h"
#include "src/stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_READ_AHEAD_BYTES = 128 * 1024 }; /* VM_READAHEAD_PAGES, the kernel's default */

typedef bool check(const struct cause_case *c, char *ret, size_t size);

/* --- waiting for a disk: counts a pass, all measured --------------------------------------------------- */

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

static double a_pass(const struct model_scenario *s, double a_page)
{
	return a_page * (double)s->n_pages;
}

static bool is_near(double a, double b)
{
	return a >= b / 2 && a <= b * 2;
}

/*
 * One major fault brings in one readahead window, so majors a pass follow from its size. Where the window
 * is told it must agree with what one fault brought; where not, there must be enough faults to speak
 * of a size, each of them a wait, and none that readahead took over.
 */
static bool other_window(const struct cause_case *c, char *ret, size_t size)
{
	const struct model_scenario *of = c->of;
	double per_major = (double)of->page_bytes / of->major_per_page;
	char text[48];
	uint64_t window = read_ahead(c->doc, text, sizeof(text));
	bool each_waits = of->sleeps_per_page < 1.5 * of->major_per_page;

	if (!isfinite(per_major) || is_near(per_major, USUAL_READ_AHEAD_BYTES))
		return false;
	if (window ? !is_near(per_major, (double)window)
		   : a_pass(of, of->major_per_page) < 3 || !each_waits)
		return false;
	(void)snprintf(ret, size, "readahead is of another size here%s: one major fault brings %s",
		       text, units_bytes((uint64_t)per_major).s);
	return true;
}

/* Readahead that stays ahead leaves one major fault, the first; later faults find their page under
 * way and sleep for it, but are called minor. */
static bool stays_ahead(const struct cause_case *c, char *ret, size_t size)
{
	const struct model_scenario *of = c->of;
	double majors = a_pass(of, of->major_per_page);
	double sleeps = a_pass(of, of->sleeps_per_page);
	char text[48];
	uint64_t window = read_ahead(c->doc, text, sizeof(text));

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

/* One wait for many pages makes each cheaper, and copying and mapping weigh more. What one wait brings is
 * measured; it must be far more than usual, and waiting must be what the time goes to. */
static bool large_reads(const struct cause_case *c, char *ret, size_t size)
{
	const struct model_scenario *of = c->of;
	double sleeps = a_pass(of, of->sleeps_per_page);
	double per_sleep = (double)of->page_bytes / of->sleeps_per_page;
	double asleep = model_time_share(of, of->times.blocked_ns);
	char text[48];

	(void)read_ahead(c->doc, text, sizeof(text));
	if (sleeps < 2 || per_sleep < 4 * USUAL_READ_AHEAD_BYTES || !(asleep > 0.1))
		return false;
	(void)snprintf(ret, size,
		       "reads are large here%s: one wait brings %s, so it sleeps only %.0f times a "
		       "pass, %.0f %% of the time",
		       text, units_bytes((uint64_t)per_sleep).s, sleeps, 100 * asleep);
	return true;
}

/* --- fault-around ------------------------------------------------------------------------------------------- */

/* The setting, where it can be read, against what was measured. */
static bool fault_around(const struct cause_case *c, char *ret, size_t size)
{
	const struct model_scenario *of = c->of;
	uint64_t set = sys_machine_u64(&c->doc->machine, "fault_around_bytes", 0);
	double brought = of->pages_per_fault * (double)of->page_bytes;
	bool as_set = set && fabs(brought - (double)set) < (double)of->page_bytes / 2;

	if (!isfinite(brought) || !set || (!as_set && brought < (double)set))
		return false;
	(void)snprintf(ret, size,
		       as_set ? "fault_around_bytes is set to %s here, in pages of %s"
			      : "fault_around_bytes is %s in pages of %s, and one fault maps more: "
				"the file lies in large folios",
		       units_bytes(set).s, units_bytes(of->page_bytes).s);
	return true;
}

/* --- first rounds ----------------------------------------------------------------------------------------------- */

double cause_median_sleep(const struct model_scenario *s, bool first)
{
	double *values = calloc(s->n_rounds + 1, sizeof(*values)), median;
	size_t n = 0;

	if (!values)
		return NAN;
	for (size_t i = 0; i < s->n_rounds; i++)
		if (model_round_is_valid(s, &s->rounds[i]) && (s->rounds[i].round == 0) == first)
			values[n++] = (double)s->rounds[i].blocked_ns;
	median = stats_median(values, n);
	free(values);
	return median;
}

static bool tell_sleeps(const struct cause_case *c, const char *what, char *ret, size_t size)
{
	(void)snprintf(ret, size, "%s: the first round sleeps %s, the later ones %s (%s)", what,
		       units_duration((uint64_t)cause_median_sleep(c->of, true)).s,
		       units_duration((uint64_t)cause_median_sleep(c->of, false)).s,
		       sys_machine_text(&c->doc->machine, "disk", "an unknown disk"));
	return true;
}

static bool rounds_alike(const struct cause_case *c, char *ret, size_t size)
{
	double ratio = cause_median_sleep(c->of, true) / cause_median_sleep(c->of, false);

	if (!(fabs(ratio - 1) < 0.5) || !(fabs(c->of->first_round_ratio - 1) < 0.5))
		return false;
	return tell_sleeps(c, "the disk takes as long each time, no cache below it shows", ret,
			   size);
}

static bool slow_first(const struct cause_case *c, char *ret, size_t size)
{
	double ratio = cause_median_sleep(c->of, true) / cause_median_sleep(c->of, false);

	if (!(ratio > 1.2) || !(c->of->first_round_ratio > 1.1))
		return false;
	return tell_sleeps(c,
			   "here the later rounds are the fast ones, as below a cache that has "
			   "read the file by then",
			   ret, size);
}

/* --- populating and page tables ---------------------------------------------------------------------------------- */

/* rusage counts what is populated inside a call as minor faults; perf counts the traps. */
static bool populated_in_call(const struct cause_case *c, char *ret, size_t size)
{
	const struct model_scenario *of = c->of;

	if (!(of->minor_per_page > 0.99) || !(of->trap_per_page < 0.01))
		return false;
	(void)snprintf(ret, size,
		       "the %.0f minor faults that rusage counts are pages filled in inside the "
		       "call: perf counts %.0f traps",
		       a_pass(of, of->minor_per_page), a_pass(of, of->trap_per_page));
	return true;
}

/* pgtable_trans_huge_deposit(): a table is kept for each huge page, to be able to split it. */
static bool deposited_tables(const struct cause_case *c, char *ret, size_t size)
{
	double per_huge = c->of->page_table_bytes * (double)c->of->huge_page_bytes /
			  ((double)c->of->n_pages * (double)c->of->page_bytes);

	if (strcmp(c->of->pages, "thp") != 0 || !(per_huge >= (double)c->of->page_bytes))
		return false;
	(void)snprintf(
		ret, size,
		"the kernel keeps a page table in reserve for each transparent huge page, to "
		"split it: %s for %.0f of them",
		units_bytes((uint64_t)c->of->page_table_bytes).s,
		(double)c->of->n_pages * (double)c->of->page_bytes /
			(double)c->of->huge_page_bytes);
	return true;
}

/* --- the table ------------------------------------------------------------------------------------------------------- */

/* Which way a cause moves a figure: one that makes things cheaper explains no dearer ones. */
enum direction { EITHER, BELOW, ABOVE };

struct cause_row {
	const char *name;
	enum direction direction;
	check *holds;
};

static const struct cause_row cause_rows[] = {
	{"read_ahead", EITHER, other_window},
	{"async_read_ahead", BELOW, stays_ahead},
	{"large_reads", BELOW, large_reads},
	{"large_reads_compute", ABOVE, large_reads}, /* the share on CPU grows */
	{"fault_around", EITHER, fault_around},
	{"rounds_alike", ABOVE, rounds_alike},
	{"slow_first", ABOVE, slow_first},
	{"populated_in_call", BELOW, populated_in_call},
	{"deposited_tables", ABOVE, deposited_tables},
};

static const struct cause_row *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(cause_rows); i++)
		if (strcmp(cause_rows[i].name, name) == 0)
			return &cause_rows[i];
	return NULL;
}

bool cause_is_known(const char *name)
{
	return find(name) != NULL;
}

bool cause_check(const char *name, const struct cause_case *c, char *ret, size_t size)
{
	const struct cause_row *row = find(name);

	if (!row || (row->direction != EITHER && (row->direction == BELOW) != c->is_below))
		return false;
	return row->holds(c, ret, size);
}
