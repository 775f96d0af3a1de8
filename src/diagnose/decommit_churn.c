/* SPDX-License-Identifier: MIT */
/* Pages that are given back in place, and touched again. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"
#include <string.h>

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	const struct model_mapping_row *m = place_mapping(c, site);
	bool is_heap = m && strcmp(m->name, "[heap]") == 0;
	bool is_remapped = place_share(&site->habits, site->cost.count, MODEL_REMAPPED) >= 0.5;

	return place_fills(site) && place_comes_again(site) && !(is_heap || is_remapped);
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill)
		return false;
	EVIDENCE(
		ret,
		"%s of %s faults brought a page that the process had had before, in memory that stayed mapped: it was "
		"given back in place (MADV_DONTNEED, MADV_FREE, a hole punched)",
		units_share(place_share(&part->habits, part->count, MODEL_AGAIN)).s,
		units_count(part->count).s);
	ADVICE(ret,
	       "give pages back less often, or only those that were not needed for a while: MADV_FREE in place of "
	       "MADV_DONTNEED takes them only when memory is short. Allocators have options for it: jemalloc's "
	       "dirty_decay_ms, tcmalloc's release rate, glibc's M_TRIM_THRESHOLD, GODEBUG=madvdontneed=0");
	place_predict(ret,
		      1.2 * part->time_ns * place_share(&part->habits, part->count, MODEL_AGAIN));
	return true;
}

FINDING(decommit_churn) = {
	.title = "memory given back in place, then wanted again",
	.what = "Pages are given back to the kernel while their memory stays mapped (MADV_DONTNEED, MADV_FREE), and are wanted again soon after: each faults once more.",
	.told = "At least half of the faults bring a page that the process has had before, in a mapping that stayed. In the heap, or in memory mapped anew, it is allocator-churn.",
	.todo = "Give back less often, or by MADV_FREE, which takes pages only when memory is short.",
	.false_alarm =
		"Pages that the kernel took by itself come again, too: those of a file that is cached still, but was unmapped by reclaim, look the same.",
	.rank = DIAGNOSE_BY_PATTERN,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
