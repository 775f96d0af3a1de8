/* SPDX-License-Identifier: MIT */
/* Memory that is touched for the first time, once. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"
#include <math.h>

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	bool is_copy_of_file = site->kind == MODEL_COW && place_is_data_file(c, site);

	return (place_fills(site) && site->kind != MODEL_THP) || is_copy_of_file;
}

/* What is left to pay when all of it is filled in huge pages. */
static double saved_by_huge(const struct diagnose_case *c, const struct diagnose_part *part)
{
	double page = (double)sys_machine_u64(&c->doc->machine, "page_bytes", 0);
	double huge = (double)sys_machine_u64(&c->doc->machine, "huge_page_bytes", 0);

	return huge > 0 ? part->time_ns -
				  (double)part->count * c->bill->fill_fresh_huge_ns * page / huge
			: NAN;
}

static void tell_of_bill(const struct diagnose_case *c, const struct diagnose_part *part,
			 struct model_finding *ret)
{
	const struct model_phase_row *start = &c->bill->phases[MODEL_PHASE_START];
	enum model_fault_kind kind = part->site ? part->site->kind : MODEL_ANON_WRITE;

	EVIDENCE(ret,
		 "%s pages were filled at their first touch, %s each, and hardly any came again",
		 units_count(part->count).s, units_estimate(part->time_ns / (double)part->count).s);
	if (start->time_ns >= 0.9 * c->bill->total.time_ns && start->to_ns < c->doc->wall_ns)
		EVIDENCE(ret, "; nearly all of it in the first %s",
			 units_duration(start->to_ns - start->from_ns).s);
	if (kind == MODEL_FILE_MINOR || kind == MODEL_COW) {
		ADVICE(ret,
		       "map it with MAP_POPULATE, or call MADV_POPULATE_READ once where it may take its time; "
		       "before it is written, MADV_POPULATE_WRITE");
		return;
	}
	if (kind == MODEL_HUGETLB) {
		ADVICE(ret,
		       "these are huge pages already: to pay ahead of time, map with MAP_POPULATE");
		return;
	}
	ADVICE(ret,
	       "madvise(MADV_HUGEPAGE) on the range, aligned to a huge page and before the first touch; or pay it off "
	       "the critical path: MADV_POPULATE_WRITE (Linux 5.14) from another thread, or MAP_POPULATE, whose "
	       "errors are silent. MADV_WILLNEED does nothing for such memory");
	text_copy(ret->remedy, sizeof(ret->remedy), "thp");
	place_predict(ret, saved_by_huge(c, part));
	if (place_is_virtual(c) && ret->saving_lo_ns > 0)
		ADVICE(ret,
		       ". In this virtual machine a huge page that the host must find first costs milliseconds: what is "
		       "predicted is for memory that it has");
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (c->bill) {
		tell_of_bill(c, part, ret);
		return true;
	}
	if (c->doc->verdict.id != MODEL_FIRST_TOUCH)
		return false;
	EVIDENCE(ret, "%s", c->doc->verdict.text);
	ADVICE(ret,
	       "madvise(MADV_HUGEPAGE) before the first touch; or MADV_POPULATE_WRITE or MAP_POPULATE ahead of time");
	return true;
}

FINDING(first_touch) = {
	.title = "first touch",
	.what = "Memory costs nothing until it is touched; then the kernel finds a page, clears it and maps it, page by page, in the middle of the program's work. A file that is cached is mapped in the same way.",
	.told = "The pages were missing, the faults waited for neither disk nor lock, and few pages came again: to populate them ahead of time would cost it once, too. No other finding fits.",
	.todo = "Huge pages make it a fraction (one fault for hundreds of pages); populating ahead of time moves it to where nobody waits. Often neither is needed, as it is paid once.",
	.false_alarm =
		"In the first second of any program most faults are of this kind: a short trace says little of a long run.",
	.rank = DIAGNOSE_REST,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
