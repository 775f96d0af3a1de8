/* SPDX-License-Identifier: MIT */
/* Pages of a file that are pressed out of the cache, and read again. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"
#include <math.h>

#define AGAIN 0.2
enum { LEAST_REFAULTS = 64 };

/* Of its own cgroup where that is counted, else of the machine. */
static double refaults(const struct diagnose_case *c)
{
	return c->doc->evidence.figures[MODEL_GROUP_REFAULTS_FILE] >= 0
		       ? place_figure(c, MODEL_GROUP_REFAULTS_FILE)
		       : place_figure(c, MODEL_REFAULTS_FILE);
}

/* Pages of this file that came again, of all faults on it: some wait, and some map what those waits brought. */
static bool comes_again(const struct diagnose_case *c, uint32_t mapping)
{
	struct model_habits sum = {.n = {0}};
	uint64_t n = 0;

	for (size_t i = 0; i < c->bill->n_sites; i++) {
		const struct model_site_row *site = &c->bill->sites[i];

		if (site->mapping != mapping)
			continue;
		n += site->cost.count;
		sum.n[MODEL_JUDGED] += site->habits.n[MODEL_JUDGED];
		sum.n[MODEL_AGAIN] += site->habits.n[MODEL_AGAIN];
	}
	return place_share(&sum, n, MODEL_AGAIN) >= AGAIN && refaults(c) >= LEAST_REFAULTS &&
	       refaults(c) >= (double)sum.n[MODEL_AGAIN] / 2;
}

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	return (site->kind == MODEL_FILE_MAJOR || site->kind == MODEL_FILE_MINOR) &&
	       (place_is_data_file(c, site) || place_is_image(c, site)) &&
	       comes_again(c, site->mapping);
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill)
		return false;
	EVIDENCE(
		ret,
		"%s of the pages waited for had been there before, and %s pages were pressed out of the cache and "
		"read again",
		units_share(place_share(&part->habits, part->count, MODEL_AGAIN)).s,
		units_count((uint64_t)refaults(c)).s);
	if (place_figure(c, MODEL_GROUP_LIMIT_HITS) > 0)
		EVIDENCE(ret, "; the limit of its memory cgroup was hit %s times",
			 units_count((uint64_t)place_figure(c, MODEL_GROUP_LIMIT_HITS)).s);
	ADVICE(ret,
	       "give it more memory or a higher cgroup limit (memory.max, memory.high), or have it touch less at a time: "
	       "what is done with can go by MADV_DONTNEED or POSIX_FADV_DONTNEED, so that what is needed stays; "
	       "mlock what must not go");
	text_copy(ret->remedy, sizeof(ret->remedy), "mlock");
	return true;
}

FINDING(cache_thrash) = {
	.title = "pages of a file that are read again and again",
	.what = "The file is larger than the memory it may use: its pages are thrown out of the cache before they are wanted again, so each pass reads them from disk once more.",
	.told = "At least a fifth of the pages of a file that faulted had been there before, and the kernel counted refaults: pages read again that it had thrown out.",
	.todo = "Give it more memory or a higher cgroup limit, or have it touch less at a time.",
	.false_alarm =
		"Proactive reclaim takes idle pages although memory is not short; then they come back after pauses only.",
	.rank = DIAGNOSE_BY_EVENT,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
