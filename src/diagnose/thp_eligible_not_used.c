/* SPDX-License-Identifier: MIT */
/* Huge pages were asked for, and small ones came. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"
#include <string.h>

static double huge_bytes(const struct diagnose_case *c)
{
	return (double)sys_machine_u64(&c->doc->machine, "huge_page_bytes", 0);
}

static double filled_bytes(const struct diagnose_case *c, uint64_t count)
{
	return (double)count * (double)sys_machine_u64(&c->doc->machine, "page_bytes", 0);
}

/* Most of what was filled in small pages lies where a huge one might have come. */
static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	const struct model_mapping_row *m = place_mapping(c, site);

	return m && (site->kind == MODEL_ANON_WRITE || site->kind == MODEL_SHMEM) &&
	       huge_bytes(c) > 0 && !place_comes_again(site) &&
	       filled_bytes(c, site->cost.count) >= 4 * huge_bytes(c) &&
	       2 * m->eligible_bytes > m->size_bytes && 2 * m->huge_bytes < m->rss_bytes;
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	const struct model_mapping_row *m;

	if (!c->bill || !part->site)
		return false;
	m = place_mapping(c, part->site);
	EVIDENCE(
		ret,
		"%s faults of a small page each in memory that may have huge ones (THPeligible%s); only %s of %s were in "
		"huge pages",
		units_count(part->count).s, strstr(m->vm_flags, "hg") ? ", MADV_HUGEPAGE" : "",
		units_bytes(m->huge_bytes).s, units_bytes(m->rss_bytes).s);
	ADVICE(ret,
	       "a huge page comes only where the whole aligned range of %s is mapped and empty at the first touch: grow in "
	       "such steps, aligned, and give MADV_HUGEPAGE before touching. What is there already can be made huge by "
	       "MADV_COLLAPSE (Linux 6.1); mTHP of 64 kB (hugepages-64kB/enabled) needs smaller ranges",
	       units_bytes((uint64_t)huge_bytes(c)).s);
	text_copy(ret->remedy, sizeof(ret->remedy), "thp");
	place_predict(ret, part->time_ns - (double)part->count * c->bill->fill_fresh_huge_ns *
						   filled_bytes(c, 1) / huge_bytes(c));
	if (place_is_virtual(c) && ret->saving_lo_ns > 0)
		ADVICE(ret,
		       ". In this virtual machine a huge page that the host must find first costs milliseconds: what is "
		       "predicted is for memory that it has");
	return true;
}

FINDING(thp_eligible_not_used) = {
	.title = "huge pages were possible, small ones came",
	.what = "The memory may have huge pages, by its advice or by the system's setting, and yet each fault brings a small page: mostly since the mapping grows in small steps, so that no whole huge page fits when it is touched.",
	.told = "Most of the mapping is THPeligible in smaps, less than half of what is resident is in huge pages, and the small pages filled would make up four huge ones or more.",
	.todo = "Grow in steps of a huge page, aligned to one; or make huge pages of what is there by MADV_COLLAPSE; or have the system use mTHP, pages of sizes between.",
	.false_alarm =
		"Memory so fragmented that no huge page was free looks the same; then thp_fault_fallback in /proc/vmstat has grown.",
	.rank = DIAGNOSE_BY_PATTERN,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
