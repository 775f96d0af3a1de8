/* SPDX-License-Identifier: MIT */
/* Huge pages that come at their first touch, each of which takes long. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	(void)c;
	return site->kind == MODEL_THP && !place_comes_again(site);
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill)
		return false;
	EVIDENCE(ret, "%s huge pages were cleared in the middle of a touch, %s each, the worst %s",
		 units_count(part->count).s, units_estimate(part->time_ns / (double)part->count).s,
		 units_estimate(part->site ? part->site->cost.worst_ns : 0).s);
	if (place_figure(c, MODEL_COMPACT_STALLS) > 0)
		EVIDENCE(ret, "; memory was compacted in faults %s times on this machine",
			 units_count((uint64_t)place_figure(c, MODEL_COMPACT_STALLS)).s);
	ADVICE(ret,
	       "for throughput nothing: small pages would cost more in all. Where one touch must not take so long: "
	       "MADV_POPULATE_WRITE ahead of time from another thread, smaller pages there (MADV_NOHUGEPAGE, or mTHP of "
	       "64 kB), and for compaction defrag set to defer or madvise in /sys/kernel/mm/transparent_hugepage");
	text_copy(ret->remedy, sizeof(ret->remedy), "no-thp");
	return true;
}

FINDING(thp_fault_latency) = {
	.title = "latency of huge page faults",
	.what = "A huge page is cleared at its first touch: hundreds of microseconds in one fault, and more where memory must be compacted for it. Per byte it is the cheapest kind of fill.",
	.told = "Faults that brought a huge page which had not been there before.",
	.todo = "For throughput nothing. Where one touch must not take so long, populate ahead of time or use smaller pages.",
	.false_alarm =
		"In a virtual machine most of it can be the host that has to find memory: see host-cold-memory.",
	.rank = DIAGNOSE_BY_KIND,
	.severity = MODEL_SEVERITY_NOTE,
	.owns = owns,
	.tell = tell,
};
