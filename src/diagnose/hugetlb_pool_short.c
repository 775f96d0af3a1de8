/* SPDX-License-Identifier: MIT */
/* A huge page of a pool that was empty. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"
#include <signal.h>
#include <string.h>

static bool is_hugetlb(const struct diagnose_case *c)
{
	return c->bill->fatal.kind == MODEL_HUGETLB || strstr(c->bill->fatal_mapping, "hugepage");
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	(void)part;
	if (!c->bill || !c->bill->has_fatal || c->doc->signal != SIGBUS || !is_hugetlb(c))
		return false;
	place_fatal_culprit(c, ret);
	EVIDENCE(
		ret,
		"it was killed by SIGBUS at a touch of hugetlb memory: no page was free in the pool");
	ADVICE(ret,
	       "raise /proc/sys/vm/nr_hugepages (or nr_overcommit_hugepages) before it starts, and map without "
	       "MAP_NORESERVE, so that mmap fails in place of the touch; after fork the child needs pages of its own for "
	       "what it writes: MADV_DONTFORK");
	text_copy(ret->remedy, sizeof(ret->remedy), "hugetlb");
	return true;
}

FINDING(hugetlb_pool_short) = {
	.title = "hugetlb pool too small",
	.what = "Huge pages of a pool are reserved at mmap. Without a reservation (MAP_NORESERVE), or in the child after a fork, a touch that finds the pool empty kills the process.",
	.told = "The process was killed by SIGBUS, and its last fault was in hugetlb memory.",
	.todo = "A larger pool, and no MAP_NORESERVE: then mmap fails, which can be handled, and not the touch.",
	.false_alarm =
		"A huge page that lies behind the end of its file, or that has a memory error, ends in SIGBUS, too.",
	.rank = DIAGNOSE_BY_KIND,
	.severity = MODEL_SEVERITY_FAILED,
	.whatever_the_time = true,
	.tell = tell,
};
