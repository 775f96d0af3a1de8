/* SPDX-License-Identifier: MIT */
/* The pools of huge pages that an administrator sets aside (hugetlb). */
#include "src/sys/hugetlb.h"

#include "src/base/array.h"
#include "src/base/units.h"
#include "src/base/why.h"
#include "src/sys/file.h"
#include "src/sys/page.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define POOLS "/sys/kernel/mm/hugepages"

struct pool_file {
	const char *name;
	size_t offset;
};

static const struct pool_file pool_files[] = {
	{"nr_hugepages", offsetof(struct sys_hugetlb_pool, total)},
	{"free_hugepages", offsetof(struct sys_hugetlb_pool, available)},
	{"resv_hugepages", offsetof(struct sys_hugetlb_pool, reserved)},
	{"surplus_hugepages", offsetof(struct sys_hugetlb_pool, surplus)},
	{"nr_overcommit_hugepages", offsetof(struct sys_hugetlb_pool, overcommit)},
};

static int read_pool(const char *folder, uint64_t page_bytes, struct sys_hugetlb_pool *ret)
{
	struct sys_hugetlb_pool pool = {.page_bytes = page_bytes};
	char path[512];

	for (size_t i = 0; i < ARRAY_LEN(pool_files); i++) {
		(void)snprintf(path, sizeof(path), POOLS "/%s/%s", folder, pool_files[i].name);
		/* gigantic pages know no overcommit, and no file for it */
		if (sys_read_u64(path, (uint64_t *)((char *)&pool + pool_files[i].offset)) < 0 &&
		    i == 0)
			return -ENOENT;
	}
	pool.available -= pool.reserved < pool.available ? pool.reserved : pool.available;
	*ret = pool;
	return 0;
}

static int by_page_size(const void *a, const void *b)
{
	const struct sys_hugetlb_pool *x = a;
	const struct sys_hugetlb_pool *y = b;

	return (x->page_bytes > y->page_bytes) - (x->page_bytes < y->page_bytes);
}

size_t sys_hugetlb_pools(struct sys_hugetlb_pool ret_pools[SYS_MAX_HUGETLB_POOLS])
{
	unsigned long kib;
	struct dirent *e;
	size_t n = 0;
	DIR *dir;

	dir = opendir(POOLS);
	if (!dir)
		return 0;
	while (n < SYS_MAX_HUGETLB_POOLS && (e = readdir(dir)))
		if (sscanf(e->d_name, "hugepages-%lukB", &kib) == 1 &&
		    read_pool(e->d_name, (uint64_t)kib * 1024, &ret_pools[n]) == 0)
			n++;
	(void)closedir(dir);
	qsort(ret_pools, n, sizeof(*ret_pools), by_page_size);
	return n;
}

int sys_hugetlb_pool(uint64_t page_bytes, struct sys_hugetlb_pool *ret_pool)
{
	struct sys_hugetlb_pool pools[SYS_MAX_HUGETLB_POOLS];
	size_t n = sys_hugetlb_pools(pools);

	for (size_t i = 0; i < n; i++) {
		if (pools[i].page_bytes != page_bytes)
			continue;
		*ret_pool = pools[i];
		return 0;
	}
	return -ENOENT;
}

int sys_hugetlb_ask(uint64_t page_bytes, uint64_t bytes, struct why *why)
{
	struct sys_hugetlb_pool pool;
	uint64_t n_pages;

	if (!sys_huge_pages_are_told())
		return why_set(
			why, 1,
			"needs huge pages from a pool (hugetlb): whether there are any is not "
			"known, " SYS_UNTOLD "; mount /sys");
	if (page_bytes == 0 || sys_hugetlb_pool(page_bytes, &pool) < 0)
		return why_set(
			why, 1,
			"needs huge pages of that size (hugetlb): this kernel, or this CPU, has "
			"none");
	n_pages = (bytes + page_bytes - 1) / page_bytes;
	if (pool.available >= n_pages)
		return 0;
	return why_set(why, 1,
		       "needs %" PRIu64 " hugetlb page%s of %s: the pool has %" PRIu64
		       " of %" PRIu64 " free; as root: echo %" PRIu64 " > " POOLS
		       "/hugepages-%" PRIu64 "kB/nr_hugepages",
		       n_pages, n_pages == 1 ? "" : "s", units_bytes(page_bytes).s, pool.available,
		       pool.total, pool.total - pool.available + n_pages, page_bytes / 1024);
}

uint64_t sys_gigantic_page_bytes(void)
{
	struct sys_hugetlb_pool pools[SYS_MAX_HUGETLB_POOLS];
	size_t n = sys_hugetlb_pools(pools);
	uint64_t huge = sys_huge_page_bytes();

	for (size_t i = 0; i < n; i++)
		if (huge && pools[i].page_bytes > huge)
			return pools[i].page_bytes;
	return 0;
}
