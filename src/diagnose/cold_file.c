/* SPDX-License-Identifier: MIT */
/* A file that is read from disk for the first time. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	/* what readahead has under way; of a program that is its cold start */
	(void)c;
	return site->kind == MODEL_FILE_MAJOR ||
	       (site->kind == MODEL_FILE_MINOR && place_sleeps(site));
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill) {
		if (c->doc->verdict.id != MODEL_COLD_FILE)
			return false;
		EVIDENCE(ret, "%s", c->doc->verdict.text);
	} else {
		EVIDENCE(
			ret,
			"%s fault%s waited for the file, %s each, and its pages had not been there before",
			units_count(part->count).s, part->count == 1 ? "" : "s",
			units_estimate(part->time_ns / (double)part->count).s);
	}
	ADVICE(ret,
	       "have it read before it is needed: MADV_WILLNEED or MADV_POPULATE_READ in windows from another thread, "
	       "readahead(2), or a program that keeps it cached. A second run with the file cached shows what is "
	       "left. The time of the disk itself stays");
	text_copy(ret->remedy, sizeof(ret->remedy), "willneed");
	return true;
}

FINDING(cold_file) = {
	.title = "first read of a file from disk",
	.what = "The first touch of a mapped file that is not cached waits for the disk. Memory is not short, however many major faults there are.",
	.told = "Major faults, and minor ones that slept, on pages that did not come again. Neither are they one by one in order (io-per-page), nor was far more read than was wanted (read-amplification).",
	.todo = "Have it read before it is needed, or keep the file cached.",
	.false_alarm =
		"A second run finds the file cached, so it may not matter. What was thrown out of the cache before the trace began looks cold, too.",
	.rank = DIAGNOSE_REST,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
