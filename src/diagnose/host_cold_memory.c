/* SPDX-License-Identifier: MIT */
/* Memory that the host of a virtual machine had to find first. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"
#include <math.h>

/* As many times the usual price. */
enum { TIMES = 3 };

/* What it costs where the memory was used just before; NaN: not known of this kind. */
static double usual_ns(const struct diagnose_case *c, enum model_fault_kind kind)
{
	return kind == MODEL_ANON_WRITE ? c->bill->fill_each_ns
	       : kind == MODEL_THP      ? c->bill->fill_huge_ns
					: NAN;
}

/* What fills cost beyond that. */
static double excess_ns(const struct diagnose_case *c, struct diagnose_part *ret)
{
	double excess = 0;

	for (size_t i = 0; i < c->bill->n_sites; i++) {
		const struct model_site_row *site = &c->bill->sites[i];
		double usual = (double)site->cost.count * usual_ns(c, site->kind);

		if (place_sleeps(site) ||
		    !(site->cost.time_ns >= TIMES * usual)) /* nor where it is not known */
			continue;
		if (!ret->site)
			ret->site = site;
		if (site->kind != ret->site->kind)
			continue;
		ret->count += site->cost.count;
		ret->time_ns += site->cost.time_ns;
		excess += site->cost.time_ns - usual;
	}
	return excess;
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	struct diagnose_part cold = {.count = 0};
	double excess;

	(void)part;
	if (!c->bill || c->is_quiet || !place_is_virtual(c) ||
	    place_figure(c, MODEL_GROUP_LIMIT_HITS) > 0 ||
	    place_figure(c, MODEL_DIRECT_RECLAIM) > 0)
		return false;
	excess = excess_ns(c, &cold);
	if (!cold.site || !(excess >= 0.2 * c->bill->total.time_ns))
		return false;
	place_culprit(c, cold.site, ret);
	ret->time_ns = excess;
	EVIDENCE(
		ret,
		"%s first touches took %s each, where one of memory just used costs %s here, and nothing in this machine "
		"was short: the host had to find the memory",
		units_count(cold.count).s, units_estimate(cold.time_ns / (double)cold.count).s,
		units_estimate(usual_ns(c, cold.site->kind)).s);
	ADVICE(ret,
	       "touch the memory before it matters and keep it (pages given back go cold within seconds where free page "
	       "reporting is on); on the host, back the guest with huge pages or preallocate its memory");
	return true;
}

FINDING(host_cold_memory) = {
	.title = "memory that is cold in the host",
	.what = "In a virtual machine memory can be free while the host has none behind it. The first touch then takes a second fault, in the host, that no counter of the guest sees, and costs several times as much.",
	.told = "First touches at three times their usual price on this machine or more, under a hypervisor, with no sign that memory was short here. Its time is a part of what other findings have, and is told twice.",
	.todo = "Keep memory that was touched; on the host, back the guest with memory that is there from the start.",
	.false_alarm = "A neighbour that takes the CPU or the cache makes touches dear, too.",
	.rank = DIAGNOSE_REST,
	.severity = MODEL_SEVERITY_COSTS,
	.tell = tell,
};
