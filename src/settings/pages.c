/* SPDX-License-Identifier: MIT */
/* What the scenario's memory consists of: base pages, transparent huge pages, or pages of a pool. */
#include "src/base/array.h"
#include "src/bench/setting.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	enum bench_pages pages;
} kinds[] = {
	{"base", BENCH_PAGES_BASE},
	{"thp", BENCH_PAGES_THP},
	{"hugetlb", BENCH_PAGES_HUGETLB},
	{"gigantic", BENCH_PAGES_GIGANTIC},
};

static bool pages_concerns(const struct bench_scenario *scenario)
{
	return scenario->any_pages;
}

static int pages_check(const struct bench_arm *arm, struct why *why)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(arm->value, kinds[i].name) == 0)
			return 0;
	return why_set(why, -EINVAL, "there are no pages '%s', but base, thp, hugetlb and gigantic",
		       arm->value);
}

static enum bench_pages pages_pages(const struct bench_arm *arm)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(arm->value, kinds[i].name) == 0)
			return kinds[i].pages;
	return BENCH_PAGES_BASE;
}

SETTING(pages) = {
	.title = "the page size: what the scenario's memory consists of",
	.values = "base, thp, hugetlb or gigantic",
	.concerns = pages_concerns,
	.check = pages_check,
	.pages = pages_pages,
};
