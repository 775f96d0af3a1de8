/* SPDX-License-Identifier: MIT */
/* After a fork each page that is written faults once more. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

enum { PER_FORK = 256 };

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	return (site->kind == MODEL_COW || site->kind == MODEL_WP_REUSE) && !place_is_start(site) &&
	       c->bill->n_forks && site->cost.count >= PER_FORK * c->bill->n_forks &&
	       place_share(&site->habits, site->cost.count, MODEL_SHARED) >= 0.5;
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	bool copies;

	if (!c->bill)
		return false;
	copies = part->site && part->site->kind == MODEL_COW;
	EVIDENCE(
		ret,
		"%s write faults on pages that were there, after %s fork%s: fork protects all private memory, and each "
		"first write %s",
		units_count(part->count).s, units_count(c->bill->n_forks).s,
		c->bill->n_forks == 1 ? "" : "s",
		copies ? "copies a page"
		       : "makes one page writable again, even when the child has gone");
	ADVICE(ret,
	       "madvise(MADV_DONTFORK) on what the child does not need; or start helpers by posix_spawn or vfork, which "
	       "protect nothing; or fork early, before there is much memory (a helper process). mlock and prefaulting do "
	       "not help: MADV_POPULATE_WRITE again after the fork does, ahead of time");
	text_copy(ret->remedy, sizeof(ret->remedy), "dontfork");
	/* fork itself need not go over these pages any more: four tenths more, where that was tried */
	place_predict(ret, 1.4 * part->time_ns);
	return true;
}

FINDING(cow_after_fork) = {
	.title = "copy on write after fork",
	.what = "fork shares all private memory with the child and write-protects it. Each page that is written next faults: it is copied, or, where the child is gone already, made writable again.",
	.told = "Write faults on pages that were there, in a process that shared its memory with a relative: at least 256 for each fork. Fewer are what a child writes until it calls exec (process-start).",
	.todo = "Keep large memory from the child by MADV_DONTFORK, start helpers by posix_spawn or vfork, or populate again after the fork.",
	.false_alarm =
		"Programs that fork to take a snapshot, as some databases do, pay this on purpose.",
	.rank = DIAGNOSE_BY_EVENT,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
