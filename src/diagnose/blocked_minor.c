/* SPDX-License-Identifier: MIT */
/* Minor faults that slept: for data that readahead had under way. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

#include <math.h>

/* Of a file that is being read the faults that do not sleep start the reads: they belong to it. Where the disk is quick
 * that is all of them; then the bytes tell, as readahead brings many pages for each fault. */
#define WAITS 0.25
#define READ_TIMES 4

static bool is_read_meanwhile(const struct diagnose_case *c, uint32_t mapping)
{
	double blocked_ns = 0, raw_ns = 0;

	for (size_t i = 0; i < c->bill->n_sites; i++) {
		const struct model_site_row *site = &c->bill->sites[i];

		if (site->mapping != mapping || site->kind != MODEL_FILE_MINOR ||
		    isnan(site->cost.blocked_ns))
			continue;
		blocked_ns += site->cost.blocked_ns;
		raw_ns += site->cost.raw_ns;
	}
	return blocked_ns > WAITS * raw_ns ||
	       (place_bytes_faulted(c) > 0 &&
		place_bytes_read(c) >= READ_TIMES * place_bytes_faulted(c));
}

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	return site->kind == MODEL_FILE_MINOR && place_is_data_file(c, site) &&
	       place_share(&site->habits, site->cost.count, MODEL_ONWARD) >= 0.5 &&
	       is_read_meanwhile(c, site->mapping);
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill)
		return false;
	EVIDENCE(
		ret,
		"%s in %s faults that the kernel calls minor, %s of it asleep: %s were read from disk, and their data was under way when it was touched",
		units_estimate(part->time_ns).s, units_count(part->count).s,
		units_share(part->blocked_ns / part->time_ns).s,
		units_bytes((uint64_t)place_bytes_read(c)).s);
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
	.told = "Minor faults that go onward through a mapped file, where a quarter of their time or more was sleep, or much more was read from disk than they touched. rusage and time -v show hardly any major fault.",
	.todo = "Have it read earlier, while there is something else to do: MADV_WILLNEED or MADV_POPULATE_READ from another thread.",
	.false_alarm =
		"Sleep for another reason, such as a lock of the filesystem, looks the same.",
	.rank = DIAGNOSE_BY_PATTERN,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
