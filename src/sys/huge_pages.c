/* SPDX-License-Identifier: MIT */
/* What this machine has for larger pages: free memory, pools, transparent huge pages. */
#include "src/sys/huge_pages.h"

#include "src/sys/memory.h"

#include <string.h>
#include <unistd.h>

void sys_huge_pages_probe(struct sys_huge_pages *ret)
{
	struct sys_memory memory;

	memset(ret, 0, sizeof(*ret));
	sys_memory_probe(&memory);
	ret->memory_bytes = memory.total_bytes;
	ret->can_compact = access("/proc/sys/vm/compact_memory", F_OK) == 0;
	ret->knows_free = sys_buddy_read(&ret->buddy, &ret->no_buddy) == 0;
	ret->n_pools = sys_hugetlb_pools(ret->pools);
	sys_thp_probe(&ret->thp);
}
