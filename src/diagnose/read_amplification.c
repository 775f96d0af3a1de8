/* SPDX-License-Identifier: MIT */
/* Far more is read from disk than is looked at. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

/* Read for each page faulted on, from here on; a fault maps at the most a few pages around. */
enum { LEAST_TIMES = 16, LEAST_READS = 8 };

static uint64_t n_reads(const struct diagnose_case *c, uint32_t mapping)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->bill->n_sites; i++)
		n += c->bill->sites[i].mapping == mapping ? c->bill->sites[i].cost.n_major : 0;
	return n;
}

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	bool jumps = place_share(&site->habits, site->cost.count, MODEL_ONWARD) < 0.5;

	return (site->kind == MODEL_FILE_MAJOR || site->kind == MODEL_FILE_MINOR) && jumps &&
	       place_is_data_file(c, site) && n_reads(c, site->mapping) >= LEAST_READS &&
	       place_bytes_faulted(c) > 0 &&
	       place_bytes_read(c) >= LEAST_TIMES * place_bytes_faulted(c);
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	(void)part;
	if (!c->bill)
		return false;
	EVIDENCE(
		ret,
		"%s were read from disk for %s faulted on, %.0f times as much, and the faults jump about: what "
		"readahead brings is mostly not wanted",
		units_bytes((uint64_t)place_bytes_read(c)).s,
		units_bytes((uint64_t)place_bytes_faulted(c)).s,
		place_bytes_read(c) / place_bytes_faulted(c));
	ADVICE(ret,
	       "madvise(MADV_RANDOM) on the mapping: then each miss reads its own page. Major faults go up by it, and "
	       "that is right; bytes read and time go down. The disk's own readahead is in "
	       "/sys/block/DISK/queue/read_ahead_kb");
	text_copy(ret->remedy, sizeof(ret->remedy), "readahead");
	/* a read of one page is little beside one of a window: a fifth is left, where that was tried */
	place_predict(ret, 0.8 * part->time_ns);
	return true;
}

FINDING(read_amplification) = {
	.title = "far more read from disk than wanted",
	.what = "Lookups at random places of a mapped file make the kernel read a whole window of pages around each, of which one is wanted.",
	.told = "At least 16 times as much was read from disk as the pages faulted on hold, and most faults do not lie a little ahead of the one before.",
	.todo = "MADV_RANDOM on the mapping.",
	.false_alarm =
		"Whatever else the process reads, such as large files by read(2), counts into the same bytes.",
	.rank = DIAGNOSE_BY_PATTERN,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
