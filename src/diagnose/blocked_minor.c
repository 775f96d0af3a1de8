/* SPDX-License-Identifier: MIT */
/* Minor faults that slept: for data that readahead had under way. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	return site->kind == MODEL_FILE_MINOR && place_sleeps(site) &&
	       (place_is_data_file(c, site) || place_is_image(c, site));
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill)
		return false;
	EVIDENCE(
		ret,
		"%s of %s in %s faults that the kernel calls minor were sleep: their data was under way already, and "
		"not there yet",
		units_share(part->blocked_ns / part->time_ns).s, units_estimate(part->time_ns).s,
		units_count(part->count).s);
	ADVICE(ret,
	       "the disk is what it waits for. Have it read while something else is to do: MADV_WILLNEED or "
	       "MADV_POPULATE_READ on the next window, from another thread; or a larger readahead "
	       "(read_ahead_kb, MADV_SEQUENTIAL). Counting major faults would not show it");
	text_copy(ret->remedy, sizeof(ret->remedy), "willneed");
	return true;
}

FINDING(blocked_minor) = {
	.title = "minor faults that sleep",
	.what = "A minor fault need not be quick: readahead puts a page into the cache before its data has come from the disk, and whoever touches the page sleeps until it has.",
	.told = "Minor faults on mapped files that spent more than half of their time asleep. rusage and time -v show hardly any major fault.",
	.todo = "Have it read earlier, while there is something else to do: MADV_WILLNEED or MADV_POPULATE_READ from another thread.",
	.false_alarm =
		"Sleep for another reason, such as a lock of the filesystem, looks the same.",
	.rank = DIAGNOSE_BY_PATTERN,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
