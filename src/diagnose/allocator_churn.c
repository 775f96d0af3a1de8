/* SPDX-License-Identifier: MIT */
/* Memory that an allocator gives back and takes anew, again and again. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"
#include <string.h>

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	const struct model_mapping_row *m = place_mapping(c, site);
	bool is_heap = m && strcmp(m->name, "[heap]") == 0;
	bool is_remapped = place_share(&site->habits, site->cost.count, MODEL_REMAPPED) >= 0.5;

	return place_fills(site) && place_comes_again(site) && (is_heap || is_remapped);
}

/* Who allocates, by the libraries that the program has. */
static const char *allocator(const struct model_bill *bill)
{
	static const char *const names[] = {"jemalloc", "tcmalloc", "mimalloc"};

	for (size_t i = 0; i < bill->n_mappings; i++)
		for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
			if (strstr(model_base_name(bill->mappings[i].name), names[n]))
				return names[n];
	return NULL;
}

static void advise(const struct diagnose_case *c, const struct diagnose_part *part,
		   struct model_finding *ret)
{
	const char *other = c->bill ? allocator(c->bill) : NULL;
	bool is_heap = part->site && strcmp(ret->culprit.mapping, "[heap]") == 0;

	if (other) {
		ADVICE(ret,
		       "%s has options that keep memory longer (its decay or release rate); or keep the buffer and use "
		       "it again",
		       other);
		return;
	}
	ADVICE(ret,
	       "%s; or have malloc keep it: mallopt with both M_MMAP_THRESHOLD and M_TRIM_THRESHOLD above its size (one "
	       "alone turns off glibc's own adjustment and makes it worse), or without a change "
	       "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=N:glibc.malloc.trim_threshold=N. Prefaulting would pay the "
	       "same each time",
	       is_heap ? "the top of the heap is trimmed and grown again: allocate once and keep the buffer"
		       : "keep the buffer and use it again");
	text_copy(ret->remedy, sizeof(ret->remedy), "malloc-retain");
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill) {
		if (c->doc->verdict.id != MODEL_REPEATED_TOUCH)
			return false;
		EVIDENCE(ret, "%s", c->doc->verdict.text);
		advise(c, part, ret);
		return true;
	}
	EVIDENCE(
		ret,
		"%s of %s faults brought a page that the process had had before, and that was given back "
		"(munmap, or the heap trimmed) since",
		units_share(place_share(&part->habits, part->count, MODEL_AGAIN)).s,
		units_count(part->count).s);
	advise(c, part, ret);
	/* what comes again is saved, and the giving back with it: a fifth more, in programs that were tried */
	place_predict(ret,
		      1.2 * part->time_ns * place_share(&part->habits, part->count, MODEL_AGAIN));
	return true;
}

FINDING(allocator_churn) = {
	.title = "blocks that malloc maps anew each time",
	.what = "malloc maps a large block anew each time and free unmaps it, or the top of the heap is trimmed and grown again. Each time all pages of the block fault once more.",
	.told = "At least half of the faults bring a page that the process has had before, in memory that was mapped anew since, or in the heap.",
	.todo = "Keep the buffer and use it again; or have malloc keep the memory: M_MMAP_THRESHOLD and M_TRIM_THRESHOLD, both above the size of the block. One of them alone makes it worse.",
	.false_alarm =
		"A program that calls mmap and munmap by itself looks the same; then it is its own allocator, and options of malloc change nothing.",
	.rank = DIAGNOSE_BY_PATTERN,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
