/* SPDX-License-Identifier: MIT */
/* Faults that sleep since another thread changes the address space. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

/* These wait for no data. */
static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	bool needs_no_data = site->kind == MODEL_ANON_WRITE || site->kind == MODEL_ANON_ZERO_READ ||
			     site->kind == MODEL_THP || site->kind == MODEL_COW ||
			     site->kind == MODEL_WP_REUSE || site->kind == MODEL_STACK;

	return needs_no_data && place_sleeps(site) && c->bill->n_threads > c->bill->n_processes &&
	       place_figure(c, MODEL_GROUP_LIMIT_HITS) == 0 &&
	       place_figure(c, MODEL_SWAP_OUTS) == 0;
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill)
		return false;
	EVIDENCE(
		ret,
		"%s of %s in %s faults that need no data was sleep, in a process of several threads, and memory was not "
		"short: they waited for mmap_lock",
		units_share(part->blocked_ns / part->time_ns).s, units_estimate(part->time_ns).s,
		units_count(part->count).s);
	ADVICE(ret,
	       "have fewer calls that change the address space while others fault: mmap, munmap, mprotect, madvise, brk, and "
	       "the start and end of threads. Map large ranges once, prefault them before other threads run; touch a "
	       "mapping once after mmap, so that later faults need only the lock of their own mapping (Linux 6.4)");
	text_copy(ret->remedy, sizeof(ret->remedy), "populate");
	return true;
}

FINDING(mmap_lock_contention) = {
	.title = "contention for mmap_lock",
	.what = "The kernel has one lock for the address space of a process, mmap_lock. A fault that needs it waits while another thread holds it: in mmap, munmap or mprotect, or while smaps is read.",
	.told = "Faults that need no data, and yet slept for more than half of their time, in a process of several threads, while memory was not short.",
	.todo = "Change the address space less often; prefault before other threads run.",
	.false_alarm =
		"A page that is being migrated, or compaction, makes a fault sleep, too. The lock may be held by a monitor that reads /proc/PID/smaps, and not by the program.",
	.rank = DIAGNOSE_BY_EVENT,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
