/* SPDX-License-Identifier: MIT */
/* Why a relation differs here: each cause is named only on evidence in the document. */
#include "src/model/cause.h"

#include "src/base/array.h"
#include "src/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { USUAL_READ_AHEAD_BYTES = 128 * 1024 }; /* VM_READAHEAD_PAGES, the kernel's default */

typedef bool check(const struct cause_case *c, char *ret, size_t size);

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
static bool window_of_another_size(const struct cause_case *c, char *ret, size_t size)
{
	const struct model_scenario *of = c->of;
	const double usual = USUAL_READ_AHEAD_BYTES;
	double per_major = (double)of->page_bytes / of->major_per_page;
	char text[48];
	uint64_t window = read_ahead(c->doc, text, sizeof(text));
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
static bool read_ahead_stays_ahead(const struct cause_case *c, char *ret, size_t size)
{
	const struct model_scenario *of = c->of;
	double n = (double)of->n_pages;
	double majors = of->major_per_page * n;
	double sleeps = of->sleeps_per_page * n;
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

/* Larger windows mean fewer, longer waits, so the copying and mapping weighs more. */
static bool large_reads(const struct cause_case *c, char *ret, size_t size)
{
	const struct model_scenario *of = c->of;
	double sleeps = of->sleeps_per_page * (double)of->n_pages;
	char text[48];
	uint64_t window = read_ahead(c->doc, text, sizeof(text));
	double per_sleep = (double)of->page_bytes / of->sleeps_per_page;

	if (!(sleeps > 0) || (window ? (double)window : per_sleep / 2) <= USUAL_READ_AHEAD_BYTES)
		return false;
	(void)snprintf(ret, size,
		       "reads are larger here%s: it sleeps %.0f times a pass, %.0f %% of the time",
		       text, sleeps, 100 * model_time_share(of, of->times.blocked_ns));
	return true;
}

static bool other_fault_around(const struct cause_case *c, char *ret, size_t size)
{
	const struct model_scenario *of = c->of;

	if (!isfinite(of->pages_per_fault) || fabs(of->pages_per_fault - 16) < 0.5)
		return false;
	(void)snprintf(
		ret, size,
		"one fault maps %.0f pages here: fault_around_bytes or the folios in the cache "
		"are of another size",
		of->pages_per_fault);
	return true;
}

static bool rounds_alike(const struct cause_case *c, char *ret, size_t size)
{
	const struct model_scenario *of = c->of;
	const char *disk = sys_machine_text(&c->doc->machine, "disk", "the disk");

	if (!(fabs(of->first_round_ratio - 1) < 0.35))
		return false;
	(void)snprintf(ret, size, "the first read gains little from the storage below %s", disk);
	return true;
}

static bool slow_first(const struct cause_case *c, char *ret, size_t size)
{
	const struct model_scenario *of = c->of;

	if (!(of->first_round_ratio > 1.1))
		return false;
	(void)snprintf(
		ret, size,
		"here the later rounds are the fast ones: the storage below has read the file "
		"by then");
	return true;
}

/* rusage counts what is populated inside a call as minor faults; perf counts the traps. */
static bool populated_in_call(const struct cause_case *c, char *ret, size_t size)
{
	double n = (double)c->of->n_pages;

	if (!(c->of->minor_per_page > 0.99) || !(c->of->trap_per_page < 0.01))
		return false;
	(void)snprintf(ret, size,
		       "the %.0f minor faults that rusage counts are pages filled in inside the "
		       "call: perf counts %.0f traps",
		       c->of->minor_per_page * n, c->of->trap_per_page * n);
	return true;
}

/* pgtable_trans_huge_deposit(): a table is kept for each huge page, to be able to split it. */
static bool deposited_tables(const struct cause_case *c, char *ret, size_t size)
{
	double share;

	if (!c->to || strcmp(c->of->pages, "thp") != 0)
		return false;
	share = c->of->page_table_bytes / c->to->page_table_bytes;
	if (!(share > 0.9 && share < 1.1))
		return false;
	(void)snprintf(
		ret, size,
		"the kernel keeps a page table in reserve for each transparent huge page, to "
		"split it: %s here, %s in base pages",
		units_bytes((uint64_t)c->of->page_table_bytes).s,
		units_bytes((uint64_t)c->to->page_table_bytes).s);
	return true;
}

struct cause_row {
	const char *name;
	check *holds;
};

static const struct cause_row cause_rows[] = {
	{"read_ahead", window_of_another_size},
	{"async_read_ahead", read_ahead_stays_ahead},
	{"large_reads", large_reads},
	{"fault_around", other_fault_around},
	{"rounds_alike", rounds_alike},
	{"slow_first", slow_first},
	{"populated_in_call", populated_in_call},
	{"deposited_tables", deposited_tables},
};

bool cause_is_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(cause_rows); i++)
		if (strcmp(cause_rows[i].name, name) == 0)
			return true;
	return false;
}

bool cause_check(const char *name, const struct cause_case *c, char *ret, size_t size)
{
	for (size_t i = 0; i < ARRAY_LEN(cause_rows); i++)
		if (strcmp(cause_rows[i].name, name) == 0)
			return cause_rows[i].holds(c, ret, size);
	return false;
}
