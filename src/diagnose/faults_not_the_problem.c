/* SPDX-License-Identifier: MIT */
/* Faults take too little of the time to be worth anything. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"
#include <math.h>

static bool computes(const struct model_trace *doc)
{
	return 2 * (doc->user_ns + doc->sys_ns) >= doc->wall_ns;
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	const struct model_trace *doc = c->doc;

	(void)part;
	if (!c->is_quiet)
		return false;
	EVIDENCE(ret, "%s faults",
		 units_count(c->bill ? c->bill->total.count : doc->n_minor + doc->n_major).s);
	if (!isnan(doc->totals.time_ns.mid))
		EVIDENCE(ret, " took %s", units_estimate(doc->totals.time_ns.mid).s);
	if (!isnan(doc->totals.share.mid))
		EVIDENCE(ret, ", %s of the time of the thread that they matter most to",
			 units_share(doc->totals.share.mid).s);
	if (c->bill) {
		ret->time_ns = c->bill->total.time_ns;
		if (c->bill->n_sites && !model_site_is_rest(&c->bill->sites[0]))
			place_culprit(c, &c->bill->sites[0], ret);
	}
	ADVICE(ret, "%s",
	       computes(doc)
		       ? "look elsewhere: profile where it computes, on the CPU"
		       : "look elsewhere: it slept most of the time, for something that is no fault");
	return true;
}

FINDING(faults_not_the_problem) = {
	.title = "faults are not the problem",
	.what = "Page faults took less than a twentieth of the time of every thread that matters. Whatever makes the program slow is something else.",
	.told = "By time, never by count: a million faults can be nothing in an hour, and a few can be all of a second. The thread that loses the largest share of its time decides, so that threads that sleep do not hide it.",
	.todo = "Profile the CPU (perf record), or look at what it sleeps for (offcputime, strace -c). The longest fault after start-up is named all the same: where a deadline counts, one can be too many (trace --deadline).",
	.false_alarm =
		"The trace was too short, or mostly of the start of something else. Pages populated inside of system calls (mmap with MAP_POPULATE, mlock) take time that no fault shows.",
	.rank = DIAGNOSE_REST,
	.severity = MODEL_SEVERITY_NOTE,
	.tell = tell,
};
