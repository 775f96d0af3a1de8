/* SPDX-License-Identifier: MIT */
/* Fresh memory that is read first, and then written: two faults a page. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"
#include <string.h>

/* Pages of this mapping that were read before they were written. */
static double upgraded(const struct diagnose_case *c, uint32_t mapping)
{
	double n = 0;

	for (size_t i = 0; i < c->bill->n_sites; i++) {
		const struct model_site_row *site = &c->bill->sites[i];

		if (site->mapping == mapping && site->kind == MODEL_COW)
			n += (double)site->cost.count *
			     place_share(&site->habits, site->cost.count, MODEL_UPGRADED);
	}
	return n;
}

static bool is_read_first(const struct diagnose_case *c, const struct model_site_row *site)
{
	return site->kind == MODEL_ANON_ZERO_READ && !place_comes_again(site) &&
	       2 * upgraded(c, site->mapping) >= (double)site->cost.count;
}

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	bool is_upgrade = site->kind == MODEL_COW &&
			  place_share(&site->habits, site->cost.count, MODEL_UPGRADED) >= 0.5;

	return is_upgrade || is_read_first(c, site);
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	double n_pages;

	if (!c->bill || !part->site)
		return false;
	n_pages = upgraded(c, part->site->mapping);
	EVIDENCE(
		ret,
		"%s pages were read before they were written, so each faulted twice: first the shared zero page was "
		"mapped, then replaced",
		units_count((uint64_t)n_pages).s);
	ADVICE(ret,
	       "write first: memset the range, or populate it for writing by MADV_POPULATE_WRITE or MAP_POPULATE, or ask for "
	       "huge pages (MADV_HUGEPAGE), before it is looked at. MADV_POPULATE_READ would only map the zero page");
	text_copy(ret->remedy, sizeof(ret->remedy), "populate");
	/* one fill without a trap is left for each page */
	place_predict(ret,
		      part->time_ns - n_pages * (c->bill->fill_each_ns - c->bill->trap_each_ns));
	return true;
}

FINDING(zero_page_then_write) = {
	.title = "zero page, then write",
	.what = "A page of fresh memory that is read first gets the zero page, which all share; the write that follows faults again to replace it. So each page costs two faults.",
	.told = "Writes to pages that were there and had only been read until then, and the reads that came before these; no fork explains them.",
	.todo = "Write first, or populate for writing.",
	.false_alarm =
		"Memory that is mostly read and seldom written is well served by the zero page.",
	.rank = DIAGNOSE_BY_EVENT,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
