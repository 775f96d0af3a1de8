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
	/* fork itself need not go over these pages any more */
	place_predict(ret, 1.1 * part->time_ns);
	return true;
}

FINDING(cow_after_fork) = {
	.title = "copy on write after fork",
	.what = "fork shares all private memory with the child and write-protects it. Each page that is written next faults: to be copied, or, where the child is gone, to be made writable again.",
	.told = "Writes to pages that were present, in a process that has forked, many a fork.",
	.todo = "MADV_DONTFORK, posix_spawn or vfork; populate again after the fork.",
	.false_alarm = "Snapshots by fork (as databases make them) pay this on purpose.",
	.rank = DIAGNOSE_BY_EVENT,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
