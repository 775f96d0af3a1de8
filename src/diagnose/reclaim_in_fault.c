/* SPDX-License-Identifier: MIT */
/* Faults that had to free memory before they could have any. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

/* As many times the usual price of a fill, where it was not the run's own limit that was hit. */
#define TIMES 3.0
/* Hits of the limit, of the fills. */
#define HITS 0.25

static bool is_limited(const struct diagnose_case *c, uint64_t n_fills)
{
	return place_figure(c, MODEL_GROUP_LIMIT_HITS) >= HITS * (double)n_fills;
}

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	double each_ns = site->cost.count ? site->cost.time_ns / (double)site->cost.count : 0;
	bool fills = site->kind == MODEL_ANON_WRITE || site->kind == MODEL_SHMEM ||
		     site->kind == MODEL_COW;

	if (!fills)
		return false;
	if (is_limited(c, site->cost.count))
		return true;
	return place_figure(c, MODEL_DIRECT_RECLAIM) >= (double)site->cost.count &&
	       each_ns >= TIMES * c->bill->fill_each_ns;
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill)
		return false;
	EVIDENCE(
		ret,
		"%s fills took %s each, where one costs %s here; the limit of the memory cgroup was hit %s times, and "
		"allocations reclaimed %s pages by themselves",
		units_count(part->count).s, units_estimate(part->time_ns / (double)part->count).s,
		units_estimate(c->bill->fill_each_ns).s,
		units_count((uint64_t)place_figure(c, MODEL_GROUP_LIMIT_HITS)).s,
		units_count((uint64_t)place_figure(c, MODEL_DIRECT_RECLAIM)).s);
	ADVICE(ret,
	       "raise the limit (memory.max, memory.high) or use less; have reclaim begin earlier, in the background "
	       "(vm.watermark_scale_factor, memory.reclaim). Prefault while there is room");
	/* the usual price stays */
	place_predict(ret, part->time_ns - (double)part->count * c->bill->fill_each_ns);
	return true;
}

FINDING(reclaim_in_fault) = {
	.title = "faults that had to free memory first",
	.what = "No memory was free: the fault had to take pages from others, and perhaps to write them out, before it got one.",
	.told = "Fills of which a quarter or more hit the limit of the run's memory cgroup; or fills at three times the usual price or more, while allocations reclaimed as many pages by themselves.",
	.todo = "Give it a higher limit or more memory, or have reclaim begin earlier.",
	.false_alarm =
		"Where the run has no memory cgroup of its own, the allocations that reclaimed may have been of others on the machine.",
	.rank = DIAGNOSE_BY_EVENT,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
