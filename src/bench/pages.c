/* SPDX-License-Identifier: MIT */
/* The kinds of pages a scenario may claim: their sizes here, and whether there are enough. */
#include "src/bench/pages.h"

#include "src/sys/hugetlb.h"
#include "src/sys/page.h"

struct pages_row {
	const char *name;
	uint64_t (*bytes)(void);
	bool pooled;
};

static const struct pages_row rows[] = {
	[BENCH_PAGES_BASE] = {"base", sys_page_bytes, false},
	[BENCH_PAGES_THP] = {"thp", sys_huge_page_bytes, false},
	[BENCH_PAGES_HUGETLB] = {"hugetlb", sys_huge_page_bytes, true},
	[BENCH_PAGES_GIGANTIC] = {"hugetlb", sys_gigantic_page_bytes, true},
	[BENCH_PAGES_KERNEL] = {"", sys_page_bytes, false},
};

const char *bench_pages_name(enum bench_pages pages)
{
	return rows[pages].name;
}

uint64_t bench_pages_bytes(enum bench_pages pages)
{
	return rows[pages].bytes();
}

bool bench_pages_are_pooled(enum bench_pages pages)
{
	return rows[pages].pooled;
}

size_t bench_pages_whole_bytes(const struct bench_trial *t)
{
	return (t->bytes + t->unit_bytes - 1) / t->unit_bytes * t->unit_bytes;
}

int bench_pages_map_flags(const struct bench_trial *t)
{
	if (!bench_pages_are_pooled(t->pages))
		return 0;
	return MAP_HUGETLB | __builtin_ctzll(t->unit_bytes) << MAP_HUGE_SHIFT;
}
