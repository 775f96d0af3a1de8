/* SPDX-License-Identifier: MIT */
/* A stack that grows into pages it never had. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	(void)c;
	if (site->kind == MODEL_STACK)
		return true;
	return site->kind == MODEL_ANON_WRITE &&
	       place_share(&site->habits, site->cost.count, MODEL_ON_STACK) >= 0.5;
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill)
		return false;
	EVIDENCE(ret, "%s pages of stack were touched for the first time, %s each",
		 units_count(part->count).s, units_estimate(part->time_ns / (double)part->count).s);
	ADVICE(ret,
	       "touch as much of the stack as will be needed once, at the start of the thread (a function with a large "
	       "local array that it writes to), or give the thread a stack that is populated "
	       "(pthread_attr_setstack and MADV_POPULATE_WRITE); large local arrays are better off in memory that is "
	       "kept");
	return true;
}

FINDING(stack_first_touch) = {
	.title = "first touch of a stack",
	.what = "A stack is memory like any other: each page that a call reaches for the first time is a fault, in the middle of the call.",
	.told = "The mapping is [stack], or the address lies near the thread's own stack pointer and in the same mapping.",
	.todo = "Touch the stack once before it matters; keep large arrays off it.",
	.false_alarm =
		"A buffer right beside a thread's stack, in the same mapping, can look as if it were on the stack.",
	.rank = DIAGNOSE_BY_PLACE,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
