/* SPDX-License-Identifier: MIT */
/* A file that is read in order, one page and one wait at a time. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

enum { LEAST = 32 };

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	return site->kind == MODEL_FILE_MAJOR && site->cost.count >= LEAST &&
	       (place_is_data_file(c, site) || place_is_image(c, site)) &&
	       place_share(&site->habits, site->cost.count, MODEL_NEXT) >= 0.5;
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill)
		return false;
	EVIDENCE(
		ret,
		"%s faults waited for the disk one at a time, %s each, and %s of them were on the page right behind "
		"the last one",
		units_count(part->count).s, units_estimate(part->time_ns / (double)part->count).s,
		units_share(place_share(&part->habits, part->count, MODEL_NEXT)).s);
	if (part->site && place_has_flag(c, part->site, "rr"))
		EVIDENCE(ret, "; the mapping has MADV_RANDOM, which turns readahead off");
	ADVICE(ret,
	       "take madvise(MADV_RANDOM) away from what is read in order (or POSIX_FADV_RANDOM, or a readahead of 0 on "
	       "the disk); or say MADV_SEQUENTIAL, or read it in windows ahead of time by MADV_POPULATE_READ");
	text_copy(ret->remedy, sizeof(ret->remedy), "no-random-advice");
	/* with readahead the disk is waited for once a window, which is little beside once a page */
	place_predict(ret, 0.95 * part->time_ns);
	return true;
}

FINDING(io_per_page) = {
	.title = "one wait for the disk for each page",
	.what = "Each page of a mapped file is read from disk by itself, although they are wanted in order: readahead is off, so every fault waits as long as the disk takes for one page.",
	.told = "At least 32 major faults, half of them or more on the page right behind the one before.",
	.todo = "Remove MADV_RANDOM, or say MADV_SEQUENTIAL, or read ahead by MADV_POPULATE_READ.",
	.false_alarm =
		"It is missed where two streams take turns in one mapping, as neither looks sequential. Filesystems without readahead do it whatever the program advises.",
	.rank = DIAGNOSE_BY_PATTERN,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
