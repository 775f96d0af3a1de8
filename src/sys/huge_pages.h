/* SPDX-License-Identifier: MIT */
/* What this machine has for larger pages: free memory, pools, transparent huge pages. */
#ifndef SYS_HUGE_PAGES_H
#define SYS_HUGE_PAGES_H

#include "src/base/why.h"
#include "src/sys/buddy.h"
#include "src/sys/hugetlb.h"
#include "src/sys/thp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sys_huge_pages {
	uint64_t memory_bytes; /* MemTotal, pools included; 0: not known */
	bool can_compact;      /* there is /proc/sys/vm/compact_memory */
	bool knows_free;       /* buddy is filled in; else no_buddy says why not */
	struct why no_buddy;
	struct sys_buddy buddy;
	size_t n_pools;
	struct sys_hugetlb_pool pools[SYS_MAX_HUGETLB_POOLS];
	struct sys_thp thp; /* with the page sizes */
};

void sys_huge_pages_probe(struct sys_huge_pages *ret);

#endif
