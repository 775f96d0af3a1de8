/* SPDX-License-Identifier: MIT */
/* Pages that come back from swap. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

static bool was_swapped(const struct diagnose_case *c)
{
	return place_figure(c, MODEL_VM_SWAP) > 0 || place_figure(c, MODEL_SMAPS_SWAP) > 0;
}

/* A page that readahead brought back from swap is mapped by a minor fault, which looks like a fill. */
static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	bool is_back = site->kind == MODEL_ANON_WRITE && place_comes_again(site) &&
		       place_share(&site->habits, site->cost.count, MODEL_REMAPPED) < 0.5;

	return site->kind == MODEL_SWAP_IN || (is_back && was_swapped(c));
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill) {
		if (c->doc->verdict.id != MODEL_SHORT_OF_RAM)
			return false;
		EVIDENCE(ret, "%s", c->doc->verdict.text);
	} else {
		EVIDENCE(ret, "%s faults brought pages back from swap, %s each",
			 units_count(part->count).s,
			 units_estimate(part->time_ns / (double)part->count).s);
		if (place_figure(c, MODEL_GROUP_LIMIT_HITS) > 0)
			EVIDENCE(ret, "; the limit of its memory cgroup was hit %s times",
				 units_count((uint64_t)place_figure(c, MODEL_GROUP_LIMIT_HITS)).s);
	}
	ADVICE(ret,
	       "it is short of memory: give it more, or a higher cgroup limit, or have it use less. What must not wait can "
	       "be locked (mlock) or fetched before it is needed (MADV_WILLNEED, MADV_POPULATE_WRITE). Faster swap "
	       "(zram) only makes it less bad");
	text_copy(ret->remedy, sizeof(ret->remedy), "mlock");
	return true;
}

FINDING(swap_in) = {
	.title = "memory that comes back from swap",
	.what = "Memory that was written out to swap is wanted again: the fault waits until it has been read.",
	.told = "Major faults on memory that is of no file on disk: nothing but swap makes those wait. Pages that came along with others from swap take minor faults: known as such where they had been there before, and the process was in swap.",
	.todo = "Give it more memory or have it use less; mlock what must not wait.",
	.false_alarm =
		"Pages that were written out in a shortage of somebody else's come back once, and then stay.",
	.rank = DIAGNOSE_BY_KIND,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
