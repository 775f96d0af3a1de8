/* SPDX-License-Identifier: MIT */
/* What this machine has for larger pages, in plain words and as JSON. */
#include "src/report/huge_pages.h"

#include "src/base/array.h"
#include "src/base/json_write.h"
#include "src/base/option.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/sys/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { HEAD = 18 };

/* Lines to be typed; the page size in KiB and the number of pages go into them. */
#define NR_HUGEPAGES "/sys/kernel/mm/hugepages/hugepages-%" PRIu64 "kB/nr_hugepages"
#define COMPACT "echo 1 > /proc/sys/vm/compact_memory"

/* Enough pages to try with; an administrator knows the number that is needed. */
enum { SOME_PAGES = 16 };

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* --- free memory ------------------------------------------------------------------------------------ */

/* From which share of unusable free memory on it is called what. */
static const struct level {
	double least;
	const char *word;
	bool needs_help;
} levels[] = {
	{0.75, "fragmented", true},
	{0.25, "partly fragmented", true},
	{0, "not fragmented", false},
};

/* Below this share of memory, what is free says little. */
static const double little_free = 0.02;

static const struct level *find_level(double unusable_share)
{
	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (unusable_share >= levels[i].least)
			return &levels[i];
	return NULL; /* NaN */
}

static struct sys_fragmentation fragmentation(const struct sys_huge_pages *h,
					      const struct sys_buddy_zone *zone)
{
	return sys_buddy_fragmentation(zone, h->thp.page_bytes, h->thp.huge_page_bytes);
}

static void say_fragmented(const struct sys_huge_pages *h, const struct sys_fragmentation *f,
			   char text[REPORT_SENTENCE])
{
	const struct level *level = find_level(f->unusable_share);

	if (!level)
		return;
	text_append(
		text, REPORT_SENTENCE,
		"; up to %s huge page%s of %s can be had at once; %.0f %% of free memory lies in "
		"smaller pieces: %s",
		units_count(f->n_huge).s, plural(f->n_huge), units_bytes(h->thp.huge_page_bytes).s,
		100 * f->unusable_share, level->word);
	if (h->memory_bytes && (double)f->free_bytes < little_free * (double)h->memory_bytes)
		text_append(text, REPORT_SENTENCE,
			    ". Little is free at all: most memory is in use or caches files, and "
			    "the caches give way when memory is asked for");
	if (!level->needs_help)
		return;
	text_append(text, REPORT_SENTENCE,
		    ". Where no huge page is free, a fault takes smaller pages or compacts memory "
		    "first, as thp_defrag says, and a pool grows slowly or not at all");
	if (h->can_compact)
		text_append(text, REPORT_SENTENCE, "; to compact now, as root: " COMPACT);
	else
		text_append(text, REPORT_SENTENCE,
			    "; this kernel cannot compact memory: stopping what holds it, or a "
			    "reboot, helps");
}

void report_free_memory(const struct sys_huge_pages *h, char ret_text[REPORT_SENTENCE])
{
	struct sys_fragmentation f;

	*ret_text = 0;
	if (!h->knows_free) {
		text_append(ret_text, REPORT_SENTENCE, "not known: %s", h->no_buddy.text);
		return;
	}
	f = fragmentation(h, &h->buddy.all);
	text_append(ret_text, REPORT_SENTENCE, "%s free", units_bytes(f.free_bytes).s);
	say_fragmented(h, &f, ret_text);
	if (h->buddy.n_odd)
		text_append(ret_text, REPORT_SENTENCE,
			    ". %zu lines of /proc/buddyinfo were not understood", h->buddy.n_odd);
}

static void say_zone(const struct sys_huge_pages *h, const struct sys_buddy_zone *zone,
		     char text[REPORT_SENTENCE])
{
	struct sys_fragmentation f = fragmentation(h, zone);

	*text = 0;
	text_append(text, REPORT_SENTENCE, "%s free", units_bytes(f.free_bytes).s);
	if (!isnan(f.unusable_share))
		text_append(text, REPORT_SENTENCE, ", %s huge page%s, %.0f %% in smaller pieces",
			    units_count(f.n_huge).s, plural(f.n_huge), 100 * f.unusable_share);
}

/* --- pools -------------------------------------------------------------------------------------------- */

/* Whether pages are larger than the largest free block that the kernel keeps. */
static bool is_gigantic(const struct sys_huge_pages *h, const struct sys_hugetlb_pool *pool)
{
	if (!h->knows_free)
		return pool->page_bytes > h->thp.huge_page_bytes;
	return pool->page_bytes > h->thp.page_bytes << (h->buddy.n_orders - 1);
}

/* "2M", as the kernel's command line has it. */
static struct units_text for_command_line(uint64_t bytes)
{
	static const char letters[] = "KMGT";
	struct units_text t;
	size_t i = 0;

	for (bytes /= 1024; bytes % 1024 == 0 && bytes && letters[i + 1]; bytes /= 1024)
		i++;
	(void)snprintf(t.s, sizeof(t.s), "%" PRIu64 "%c", bytes, letters[i]);
	return t;
}

static void say_how_to_fill(const struct sys_huge_pages *h, const struct sys_hugetlb_pool *pool,
			    char text[REPORT_SENTENCE])
{
	bool gigantic = is_gigantic(h, pool);
	uint64_t n = gigantic ? 1 : SOME_PAGES;

	text_append(text, REPORT_SENTENCE,
		    "; to take %s (%" PRIu64 " page%s) from free memory for it, as root: "
		    "echo %" PRIu64 " > " NR_HUGEPAGES,
		    units_bytes(n * pool->page_bytes).s, n, plural(n), n, pool->page_bytes / 1024);
	if (gigantic)
		text_append(
			text, REPORT_SENTENCE,
			". Each needs as much free memory in one piece, which a running system may "
			"not have: then only at boot, by hugepagesz=%s hugepages=%" PRIu64
			" on the kernel's command line",
			for_command_line(pool->page_bytes).s, n);
}

void report_pool(const struct sys_huge_pages *h, const struct sys_hugetlb_pool *pool,
		 char ret_text[REPORT_SENTENCE])
{
	*ret_text = 0;
	if (pool->total == 0) {
		text_append(ret_text, REPORT_SENTENCE, "empty");
		if (pool->overcommit)
			text_append(
				ret_text, REPORT_SENTENCE,
				", but up to %s page%s (%s) may be taken on demand (overcommit)",
				units_count(pool->overcommit).s, plural(pool->overcommit),
				units_bytes(pool->overcommit * pool->page_bytes).s);
		say_how_to_fill(h, pool, ret_text);
		return;
	}
	text_append(
		ret_text, REPORT_SENTENCE,
		"%s page%s, %s that nothing else can use: %s available, %s reserved, %s surplus, "
		"overcommit %s",
		units_count(pool->total).s, plural(pool->total),
		units_bytes(pool->total * pool->page_bytes).s, units_count(pool->available).s,
		units_count(pool->reserved).s, units_count(pool->surplus).s,
		units_count(pool->overcommit).s);
}

static uint64_t pools_bytes(const struct sys_huge_pages *h)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < h->n_pools; i++)
		bytes += h->pools[i].total * h->pools[i].page_bytes;
	return bytes;
}

static uint64_t idle_bytes(const struct sys_hugetlb_pool *pool)
{
	return pool->available * pool->page_bytes;
}

void report_pools_warning(const struct sys_huge_pages *h, char ret_text[REPORT_SENTENCE])
{
	const struct sys_hugetlb_pool *most = NULL;

	*ret_text = 0;
	if (h->memory_bytes == 0 || pools_bytes(h) <= h->memory_bytes / 2)
		return;
	text_append(
		ret_text, REPORT_SENTENCE,
		"pools hold %s of %s, more than half of memory: everything else must do with the "
		"rest, and programs are killed for want of memory (OOM) while pool pages lie idle",
		units_bytes(pools_bytes(h)).s, units_bytes(h->memory_bytes).s);
	for (size_t i = 0; i < h->n_pools; i++)
		if (idle_bytes(&h->pools[i]) > (most ? idle_bytes(most) : 0))
			most = &h->pools[i];
	if (most)
		text_append(ret_text, REPORT_SENTENCE,
			    "; to give back the %s that are idle, as root: echo %" PRIu64
			    " > " NR_HUGEPAGES,
			    units_bytes(idle_bytes(most)).s, most->total - most->available,
			    most->page_bytes / 1024);
	else
		text_append(ret_text, REPORT_SENTENCE, "; all of it is in use");
}

/* --- for people ---------------------------------------------------------------------------------------- */

static void print(FILE *out, const char *head, const char *text, size_t width)
{
	(void)fprintf(out, "  %-*s%s", HEAD - 2, head, strlen(head) < HEAD - 2 ? "" : " ");
	option_print_folded(out, text, HEAD, HEAD, width);
}

static size_t n_listed(const struct sys_buddy *buddy)
{
	return buddy->n_zones < SYS_MAX_BUDDY_ZONES ? buddy->n_zones : SYS_MAX_BUDDY_ZONES;
}

static void print_free(const struct sys_huge_pages *h, FILE *out, size_t width)
{
	char text[REPORT_SENTENCE], head[64];

	report_free_memory(h, text);
	print(out, "free memory", text, width);
	if (!h->knows_free)
		return;
	for (size_t i = 0; i < n_listed(&h->buddy); i++) {
		const struct sys_buddy_zone *zone = &h->buddy.zones[i];

		(void)snprintf(head, sizeof(head), "  node %u %s", zone->node, zone->name);
		say_zone(h, zone, text);
		print(out, head, text, width);
	}
	if (h->buddy.n_zones > n_listed(&h->buddy)) {
		(void)snprintf(text, sizeof(text), "%zu more, in the sum above",
			       h->buddy.n_zones - n_listed(&h->buddy));
		print(out, "  other zones", text, width);
	}
}

static void print_pools(const struct sys_huge_pages *h, FILE *out, size_t width)
{
	char text[REPORT_SENTENCE], head[64];

	for (size_t i = 0; i < h->n_pools; i++) {
		(void)snprintf(head, sizeof(head), "pool of %s",
			       units_bytes(h->pools[i].page_bytes).s);
		report_pool(h, &h->pools[i], text);
		print(out, head, text, width);
	}
	if (h->n_pools == 0)
		print(out, "pools",
		      h->thp.is_untold ? "not known: " SYS_UNTOLD
				       : "none: this kernel has no hugetlb",
		      width);
	report_pools_warning(h, text);
	if (*text)
		print(out, "WARNING", text, width);
}

static void print_thp(const struct sys_thp *thp, FILE *out, size_t width)
{
	struct sys_thp_meaning meaning;
	char text[REPORT_SENTENCE];

	sys_thp_meaning(thp, SYS_THP_MALLOC, &meaning);
	print(out, "malloc", meaning.text, width);
	sys_thp_meaning(thp, SYS_THP_ADVISED, &meaning);
	print(out, "MADV_HUGEPAGE", meaning.text, width);
	if (!*thp->enabled)
		return;
	sys_thp_khugepaged_meaning(thp, text, sizeof(text));
	print(out, "khugepaged", text, width);
	sys_thp_shmem_meaning(thp, text, sizeof(text));
	print(out, "shared memory", text, width);
	sys_thp_smaller_sizes(thp, text, sizeof(text));
	print(out, "mTHP sizes", text, width);
}

void report_huge_pages(const struct sys_huge_pages *h, FILE *out, size_t width)
{
	width = width ? width : 100;
	print_free(h, out, width);
	print_pools(h, out, width);
	print_thp(&h->thp, out, width);
}

/* --- as JSON -------------------------------------------------------------------------------------------- */

static void put_fragmentation(struct json_writer *w, const struct sys_fragmentation *f)
{
	json_put_u64(w, "free_bytes", f->free_bytes);
	json_put_u64(w, "huge_pages_at_once", f->n_huge);
	json_put_double(w, "unusable_share", f->unusable_share);
}

static void put_zone(struct json_writer *w, const struct sys_huge_pages *h,
		     const struct sys_buddy_zone *zone)
{
	struct sys_fragmentation f = fragmentation(h, zone);

	json_put_object_flat(w, NULL);
	json_put_u64(w, "node", zone->node);
	json_put_string(w, "zone", zone->name);
	put_fragmentation(w, &f);
	json_put_array_flat(w, "free_blocks");
	for (size_t order = 0; order < h->buddy.n_orders; order++)
		json_put_u64(w, NULL, zone->n_blocks[order]);
	json_put_end_array(w);
	json_put_end_object(w);
}

static void put_free(struct json_writer *w, const struct sys_huge_pages *h)
{
	char text[REPORT_SENTENCE];
	struct sys_fragmentation f;
	const struct level *level;

	if (!h->knows_free) {
		json_put_null(w, "fragmentation");
		json_put_string(w, "no_fragmentation", h->no_buddy.text);
		return;
	}
	f = fragmentation(h, &h->buddy.all);
	level = find_level(f.unusable_share);
	report_free_memory(h, text);
	json_put_object(w, "fragmentation");
	put_fragmentation(w, &f);
	json_put_string(w, "level", level ? level->word : NULL);
	json_put_string(w, "meaning", text);
	json_put_u64(w, "odd_lines", h->buddy.n_odd);
	json_put_u64(w, "zones_not_listed", h->buddy.n_zones - n_listed(&h->buddy));
	json_put_array(w, "zones");
	for (size_t i = 0; i < n_listed(&h->buddy); i++)
		put_zone(w, h, &h->buddy.zones[i]);
	json_put_end_array(w);
	json_put_end_object(w);
}

static void put_pools(struct json_writer *w, const struct sys_huge_pages *h)
{
	char text[REPORT_SENTENCE];

	json_put_array(w, "pools");
	for (size_t i = 0; i < h->n_pools; i++) {
		const struct sys_hugetlb_pool *pool = &h->pools[i];

		report_pool(h, pool, text);
		json_put_object(w, NULL);
		json_put_u64(w, "page_bytes", pool->page_bytes);
		json_put_u64(w, "total", pool->total);
		json_put_u64(w, "available", pool->available);
		json_put_u64(w, "reserved", pool->reserved);
		json_put_u64(w, "surplus", pool->surplus);
		json_put_u64(w, "overcommit", pool->overcommit);
		json_put_bool(w, "gigantic", is_gigantic(h, pool));
		json_put_string(w, "meaning", text);
		json_put_end_object(w);
	}
	json_put_end_array(w);
	json_put_u64(w, "pools_bytes", pools_bytes(h));
	report_pools_warning(h, text);
	json_put_string(w, "pools_warning", *text ? text : NULL);
}

/* A setting; null where this kernel has none. */
static void put_word(struct json_writer *w, const char *key, const char *word)
{
	json_put_string(w, key, *word ? word : NULL);
}

static void put_sizes(struct json_writer *w, const struct sys_thp *thp)
{
	json_put_array(w, "sizes");
	for (size_t i = 0; i < thp->n_sizes; i++) {
		json_put_object_flat(w, NULL);
		json_put_u64(w, "page_bytes", thp->sizes[i].page_bytes);
		put_word(w, "enabled", thp->sizes[i].enabled);
		put_word(w, "shmem_enabled", thp->sizes[i].shmem_enabled);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

static void put_khugepaged(struct json_writer *w, const struct sys_khugepaged *k)
{
	if (!k->is_told) {
		json_put_null(w, "khugepaged");
		return;
	}
	json_put_object_flat(w, "khugepaged");
	json_put_bool(w, "defrag", k->defrag);
	json_put_u64(w, "pages_to_scan", k->n_pages_to_scan);
	json_put_u64(w, "scan_sleep_ms", k->scan_sleep_ms);
	json_put_u64(w, "max_ptes_none", k->max_ptes_none);
	json_put_end_object(w);
}

static void put_memory(struct json_writer *w, const char *key, const struct sys_thp *thp,
		       enum sys_thp_memory memory)
{
	struct sys_thp_meaning meaning;

	sys_thp_meaning(thp, memory, &meaning);
	json_put_object(w, key);
	if (thp->is_untold) {
		json_put_null(w, "larger_pages");
		json_put_null(w, "may_stall");
	} else {
		json_put_bool(w, "larger_pages", meaning.larger_pages);
		json_put_bool(w, "may_stall", meaning.may_stall);
	}
	json_put_string(w, "text", meaning.text);
	json_put_end_object(w);
}

static void put_thp(struct json_writer *w, const struct sys_thp *thp)
{
	static const char *const disabled[] = {
		[SYS_THP_NOT_DISABLED] = "no",
		[SYS_THP_DISABLED] = "yes",
		[SYS_THP_DISABLED_NOT_ADVISED] = "save where advised",
	};
	char text[REPORT_SENTENCE];

	json_put_object(w, "thp");
	put_word(w, "enabled", thp->enabled);
	put_word(w, "defrag", thp->defrag);
	put_word(w, "shmem_enabled", thp->shmem_enabled);
	json_put_string(w, "disabled_for_process", disabled[thp->disabled]);
	put_khugepaged(w, &thp->khugepaged);
	put_sizes(w, thp);
	json_put_object(w, "meaning");
	put_memory(w, "malloc", thp, SYS_THP_MALLOC);
	put_memory(w, "madv_hugepage", thp, SYS_THP_ADVISED);
	sys_thp_khugepaged_meaning(thp, text, sizeof(text));
	json_put_string(w, "khugepaged", text);
	sys_thp_shmem_meaning(thp, text, sizeof(text));
	json_put_string(w, "shmem", text);
	json_put_end_object(w);
	json_put_end_object(w);
}

void report_huge_pages_json(const struct sys_huge_pages *h, struct json_writer *w)
{
	json_put_object(w, "huge_pages");
	json_put_u64(w, "page_bytes", h->thp.page_bytes);
	json_put_u64(w, "huge_page_bytes", h->thp.huge_page_bytes);
	put_free(w, h);
	put_pools(w, h);
	put_thp(w, &h->thp);
	json_put_end_object(w);
}
