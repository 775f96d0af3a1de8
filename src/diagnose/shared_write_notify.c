/* SPDX-License-Identifier: MIT */
/* A filesystem that wants to hear of the first write to each page. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	(void)c;
	return site->kind == MODEL_FILE_MKWRITE;
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill)
		return false;
	EVIDENCE(ret, "%s first writes to clean pages of a shared mapping, %s each",
		 units_count(part->count).s, units_estimate(part->time_ns / (double)part->count).s);
	ADVICE(ret,
	       "MADV_POPULATE_WRITE on the range after mmap, and again after each msync or writeback, which protect the "
	       "pages anew; MAP_POPULATE and mlock populate for reading only. Or write by pwrite(2), which takes no "
	       "fault");
	text_copy(ret->remedy, sizeof(ret->remedy), "populate");
	return true;
}

FINDING(shared_write_notify) = {
	.title = "write notification of a shared file",
	.what = "In a shared mapping of a file the first write to each clean page is a fault of its own, so that the filesystem can make room for it. After each writeback it comes again.",
	.told = "Write faults on pages of a file that is mapped shared.",
	.todo = "MADV_POPULATE_WRITE after mmap and after each sync; or pwrite.",
	.false_alarm =
		"A tool that tracks changed pages (soft-dirty bits, as for checkpoints) causes the same faults.",
	.rank = DIAGNOSE_BY_KIND,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
