/* SPDX-License-Identifier: MIT */
/* Faults that wait for a handler in user space. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	(void)c;
	return site->kind == MODEL_UFFD;
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill)
		return false;
	EVIDENCE(ret, "%s faults waited for the handler of userfaultfd, %s each, the worst %s",
		 units_count(part->count).s, units_estimate(part->time_ns / (double)part->count).s,
		 units_estimate(part->site ? part->site->cost.worst_ns : 0).s);
	ADVICE(ret,
	       "make the handler faster: several threads that wait on the descriptor, each on a CPU of its own; answer with "
	       "UFFDIO_COPY of more than one page; fetch pages ahead of the faults in the order they will come");
	return true;
}

FINDING(uffd_handler_latency) = {
	.title = "latency of a userfaultfd handler",
	.what = "The memory is registered with userfaultfd: each fault wakes a handler in user space and sleeps until it has answered.",
	.told = "smaps marks the mapping so (um, uw or ui in VmFlags), and the faults slept.",
	.todo = "A faster handler, or pages that come before they are asked for.",
	.false_alarm =
		"smaps is not read for every mapping where there are many: in a process that has such a handler, what sleeps in a mapping not looked at is taken for a wait for it.",
	.rank = DIAGNOSE_BY_KIND,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
