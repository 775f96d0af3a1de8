/* SPDX-License-Identifier: MIT */
/* What will be run at which size, and what cannot be and why. */
#include "src/bench/plan.h"

#include "src/base/text.h"
#include "src/base/units.h"
#include "src/base/why.h"
#include "src/bench/datafile.h"
#include "src/bench/pages.h"
#include "src/bench/scenario.h"
#include "src/sys/disk.h"
#include "src/sys/hugetlb.h"
#include "src/sys/memory.h"
#include "src/sys/page.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct model_scenario *plan_scenario(const struct plan_entry *entry, struct model_bench *doc)
{
	return entry->i_scenario == PLAN_FLOOR ? &doc->floor : &doc->scenarios[entry->i_scenario];
}

enum bench_file plan_file(const struct plan_entry *entry)
{
	enum bench_file file = entry->row->scenario->file;

	return file == BENCH_FILE_REREAD ? BENCH_FILE_COLD : file;
}

struct plan_entry *plan_mate(struct plan *plan, const struct plan_entry *entry)
{
	return &plan->entries[(size_t)(entry - plan->entries) ^ 1];
}

void plan_close(struct plan_entry *entry, struct model_bench *doc, enum model_status status,
		const char *reason)
{
	struct model_scenario *s = plan_scenario(entry, doc);

	s->status = status;
	text_copy(s->reason, sizeof(s->reason), reason);
	entry->closed = true;
}

/* --- rows of the document ------------------------------------------------------------------------- */

/* Ranges a larger page become ranges a page: one claim, whatever the sizes on this machine. That there is
 * none, or hardly one, is said of all sizes alike. */
static struct model_range per_page(struct model_range range, const struct plan_entry *e)
{
	double pages = (double)bench_pages_bytes(e->pages) / (double)sys_page_bytes();

	if ((!e->row->scenario->per_huge_page && !e->other_pages) || range.lo <= 0 || pages < 1)
		return range;
	return (struct model_range){range.lo / pages, range.hi / pages};
}

/*
 * Of huge pages wherever one fits: one fault for each, and one for each page of the rest at the most; fewer
 * where the kernel takes sizes between (mTHP), but one if there is a rest.
 */
static struct model_range ragged_minors(uint64_t n_pages)
{
	uint64_t unit = sys_huge_page_bytes() / sys_page_bytes();
	uint64_t n_huge = unit ? n_pages / unit : 0;
	uint64_t rest = n_pages - n_huge * unit;

	return (struct model_range){
		(double)(n_huge + (rest > 0)) / (double)n_pages,
		(double)(n_huge + rest) / (double)n_pages,
	};
}

static struct model_ledger ledger_of(const struct plan_entry *e)
{
	const struct bench_scenario *s = e->row->scenario;
	struct model_ledger ledger = {
		.minor = s->ragged ? ragged_minors(e->n_pages) : per_page(s->minor_per_page, e),
		.major = per_page(s->major_per_page, e),
		.kernel_decides = s->kernel_decides,
	};

	ledger.trap.lo = s->populates ? 0 : ledger.minor.lo + ledger.major.lo;
	ledger.trap.hi = s->populates ? 0.01 : fmin(ledger.minor.hi + ledger.major.hi, 1.01);
	return ledger;
}

static void describe(struct model_scenario *d, const struct plan_entry *entry)
{
	static const char *const accesses[] = {
		[BENCH_WRITE] = "write",
		[BENCH_READ] = "read",
		[BENCH_FILL] = "zero",
		[BENCH_CHASE] = "chase",
	};
	static const char *const states[] = {
		[BENCH_FILE_NONE] = "",
		[BENCH_FILE_WARM] = BENCH_WARM_STATE,
		[BENCH_FILE_COLD] = BENCH_COLD_STATE,
		[BENCH_FILE_REREAD] = BENCH_REREAD_STATE,
	};
	const struct bench_scenario *s = entry->row->scenario;

	text_copy(d->name, sizeof(d->name), entry->row->name);
	text_copy(d->title, sizeof(d->title), s->title);
	text_copy(d->access, sizeof(d->access), accesses[s->access]);
	text_copy(d->cache_state, sizeof(d->cache_state), states[s->file]);
	d->page_bytes = sys_page_bytes();
	d->n_accesses = s->n_accesses;
	text_copy(d->pages, sizeof(d->pages), bench_pages_name(entry->pages));
	if (bench_pages_bytes(entry->pages) != d->page_bytes)
		d->huge_page_bytes = bench_pages_bytes(entry->pages);
}

/* Both sides have one size, so whole pages of the larger of the two kinds. */
static uint64_t unit_pages_of(const struct bench_scenario *s, const struct bench_ab *ab)
{
	uint64_t unit = s->per_huge_page ? sys_huge_page_bytes() : sys_page_bytes();

	for (size_t side = 0; ab && ab->row->setting->pages && side < 2; side++) {
		uint64_t bytes = bench_pages_bytes(ab->row->setting->pages(&ab->arms[side]));

		unit = bytes > unit ? bytes : unit;
	}
	return unit > sys_page_bytes() ? unit / sys_page_bytes() : 1;
}

static int add_entry(struct plan *plan, const struct plan_entry *entry, struct model_bench *doc)
{
	struct plan_entry *kept;

	if (plan->n_entries == PLAN_MAX_ENTRIES)
		return -E2BIG;
	kept = &plan->entries[plan->n_entries++];
	*kept = *entry;
	describe(plan_scenario(kept, doc), kept);
	return 0;
}

/* What a side of a request is run with: the scenario's own, save for what the setting says. */
static struct plan_entry entry_of(const struct bench_registry_row *row, struct bench_ab *ab,
				  unsigned side)
{
	struct plan_entry entry = {
		.row = row,
		.pages = row->scenario->pages,
		.unit_pages = unit_pages_of(row->scenario, ab),
	};

	if (ab && ab->row->setting->pages) {
		entry.pages = ab->row->setting->pages(&ab->arms[side]);
		entry.other_pages = true;
	}
	return entry;
}

static int add_side(struct plan *plan, const struct bench_request *request, struct bench_ab *ab,
		    unsigned side, struct model_bench *doc)
{
	struct model_scenario *s = model_bench_add(doc, request->row->name);
	struct plan_entry entry = entry_of(request->row, ab, side);

	if (!s)
		return -ENOMEM;
	entry.i_scenario = doc->n_scenarios - 1;
	text_copy(s->article, sizeof(s->article), request->article);
	s->published = request->published;
	s->side = ab ? side + 1 : 0;
	return add_entry(plan, &entry, doc);
}

static int add_request(struct plan *plan, const struct bench_request *request, struct bench_ab *ab,
		       struct model_bench *doc)
{
	int r = 0;

	for (unsigned side = 0; side < plan->n_sides && r == 0; side++)
		r = add_side(plan, request, ab, side, doc);
	return r;
}

/* The floor is a row of its own only where it was not asked for anyway; see bench_run(). */
static int add_floor(struct plan *plan, const struct bench_config *config, struct model_bench *doc)
{
	const struct bench_registry_row *row;
	struct plan_entry entry;

	if (!config->floor || model_bench_find(doc, config->floor))
		return 0;
	row = bench_registry_find(config->registry, config->floor);
	if (!row)
		return 0;
	entry = entry_of(row, NULL, 0);
	entry.i_scenario = PLAN_FLOOR;
	return add_entry(plan, &entry, doc);
}

/* --- needs, asked once a run ----------------------------------------------------------------------- */

/* Where other pages are mapped than the scenario is about, theirs are the needs. */
static const struct sys_need *need_of(const struct plan_entry *e, size_t k)
{
	static const struct sys_need *const of_pages[] = {
		[BENCH_PAGES_BASE] = &need_base_pages, [BENCH_PAGES_THP] = &need_thp,
		[BENCH_PAGES_HUGETLB] = &need_hugetlb, [BENCH_PAGES_GIGANTIC] = &need_gigantic,
		[BENCH_PAGES_KERNEL] = NULL,
	};

	if (e->other_pages)
		return k == 0 ? of_pages[e->pages] : NULL;
	return k < BENCH_MAX_NEEDS ? e->row->scenario->needs[k] : NULL;
}

static void check_needs_of(struct plan_entry *e, const struct sys_env *env,
			   struct sys_answers *answers, struct model_bench *doc)
{
	for (size_t k = 0; need_of(e, k) && !e->closed; k++) {
		struct why why;
		int r = sys_ask(answers, need_of(e, k), env, &why);

		if (r != 0)
			plan_close(e, doc, r > 0 ? MODEL_SKIPPED : MODEL_FAILED, why.text);
	}
}

static void check_needs(struct plan *plan, const struct bench_config *config,
			struct model_bench *doc)
{
	const struct bench_setting *setting = config->ab ? config->ab->row->setting : NULL;
	struct sys_env env = {.dir = config->dir};
	struct sys_answers answers = {.n = 0};
	struct why why;

	for (size_t i = 0; i < plan->n_entries; i++) {
		struct plan_entry *e = &plan->entries[i];
		const struct bench_scenario *s = e->row->scenario;

		if (s->unavailable)
			plan_close(e, doc, MODEL_SKIPPED, s->unavailable);
		if (setting && setting->concerns && !setting->concerns(s)) {
			(void)why_set(&why, 0, "the setting %s changes nothing about it",
				      config->ab->row->name);
			plan_close(e, doc, MODEL_SKIPPED, why.text);
		}
		check_needs_of(e, &env, &answers, doc);
	}
}

/* --- sizes ------------------------------------------------------------------------------------------ */

static const struct bench_request *
request_of(const struct plan *plan, const struct bench_config *config, const struct plan_entry *e)
{
	return &config->requests[(size_t)(e - plan->entries) / plan->n_sides];
}

/* Pairs are many and small: what is near in time is alike. */
static uint64_t wished_by_request(const struct bench_config *config,
				  const struct bench_request *request)
{
	const struct bench_scenario *s = request->row->scenario;
	uint64_t bytes = request->size_bytes ? request->size_bytes
			 : s->default_bytes  ? s->default_bytes
					     : BENCH_DEFAULT_BYTES;

	return config->ab && !request->own_size && bytes > BENCH_PAIR_BYTES ? BENCH_PAIR_BYTES
									    : bytes;
}

static bool has_own_size(const struct plan *plan, const struct bench_config *config,
			 const struct plan_entry *e)
{
	return e->i_scenario != PLAN_FLOOR && request_of(plan, config, e)->own_size;
}

/* The floor is as large as the largest row that is touched page by page: zeroing what fits in a cache
 * would be too low a floor. */
static uint64_t wished_bytes(const struct plan *plan, const struct bench_config *config,
			     const struct plan_entry *e)
{
	uint64_t largest = 0;

	if (has_own_size(plan, config, e))
		return request_of(plan, config, e)->size_bytes;
	if (config->size_bytes)
		return config->size_bytes;
	if (e->i_scenario != PLAN_FLOOR)
		return wished_by_request(config, request_of(plan, config, e));
	for (size_t i = 0; i < config->n_requests; i++) {
		uint64_t wished = wished_by_request(config, &config->requests[i]);

		if (!config->requests[i].row->scenario->n_accesses)
			largest = wished > largest ? wished : largest;
	}
	return largest;
}

/* Whole pages, whole huge pages where these are claimed, and one of those claimed at the least. */
static uint64_t pages_of(uint64_t bytes, const struct plan_entry *e)
{
	uint64_t page = sys_page_bytes();
	uint64_t huge = sys_huge_page_bytes() / page; /* in pages */
	uint64_t least = e->row->scenario->ragged && huge ? huge : e->unit_pages;
	uint64_t n_pages = bytes / page;

	n_pages -= n_pages % e->unit_pages;
	return n_pages > least ? n_pages : least;
}

/*
 * The largest size whose trial fits in what is available. A tenth of that stays free; beside its size a
 * trial takes the alignment's reserve and the process itself, and a 64th for page tables. Twice the size
 * is taken where the file's pages are cached beside the mapping, and, of address space, where the
 * warm-up pass has a mapping of its own.
 */
static uint64_t largest_bytes(const struct sys_memory *memory, bool files)
{
	uint64_t room = memory->available_bytes - memory->available_bytes / 10;
	uint64_t fixed = 2 * sys_huge_page_bytes() + (16 << 20);
	uint64_t times = files || memory->counts_mappings ? 2 : 1;

	if (memory->available_bytes == UINT64_MAX)
		return UINT64_MAX;
	if (room <= fixed)
		return 0;
	return (room - fixed) / times / 65 * 64;
}

/* A size that was given and cannot be kept is said: huge pages come whole. */
static void warn_if_raised(const struct bench_config *config, const struct plan_entry *e,
			   struct model_bench *doc)
{
	uint64_t bytes = e->n_pages * sys_page_bytes();

	if (config->size_bytes && bytes > config->size_bytes &&
	    plan_scenario(e, doc)->side != 2) /* both sides have one size */
		model_warn(doc->warnings, &doc->n_warnings, "size-raised",
			   "%s: size raised from %s to %s, one huge page", e->row->name,
			   units_bytes(config->size_bytes).s, units_bytes(bytes).s);
}

/*
 * Where there is a pool memory's limits say nothing, the pool does. It is asked again where the need was
 * unmet: only now is it known how many pages would have to be reserved, for the largest row of that
 * kind of page, so that one line serves all.
 */
static void size_pooled(const struct plan *plan, struct plan_entry *e,
			const struct bench_config *config, struct model_bench *doc)
{
	enum bench_pages pages = e->pages;
	uint64_t page_bytes = bench_pages_bytes(pages), largest = 0;
	struct why why;
	int r = sys_hugetlb_ask(page_bytes, e->n_pages * sys_page_bytes(), &why);

	if (r == 0)
		return;
	for (size_t i = 0; i < plan->n_entries; i++) {
		const struct plan_entry *other = &plan->entries[i];
		uint64_t bytes = wished_bytes(plan, config, other);

		if (other->pages == pages && bytes > largest &&
		    !(config->size_bytes && bytes > config->size_bytes))
			largest = bytes;
	}
	(void)sys_hugetlb_ask(page_bytes, largest, &why);
	plan_close(e, doc, MODEL_SKIPPED, why.text);
}

/* Sizes one entry; what does not fit is closed, or, where nobody asked for that size, lowers *cut. */
static void size_entry(struct plan *plan, struct plan_entry *e, const struct bench_config *config,
		       const struct sys_memory *memory, struct model_bench *doc, uint64_t *cut)
{
	const struct bench_scenario *s = e->row->scenario;
	uint64_t wished, most = largest_bytes(memory, s->file != BENCH_FILE_NONE);
	uint64_t least = pages_of(0, e) * sys_page_bytes();
	char reason[256];

	e->n_pages = pages_of(wished_bytes(plan, config, e), e);
	wished = e->n_pages * sys_page_bytes();
	if (e->closed && !bench_pages_are_pooled(e->pages))
		return;
	if (config->size_bytes && wished > config->size_bytes && has_own_size(plan, config, e)) {
		(void)snprintf(reason, sizeof(reason), "its size is above --size %s",
			       units_bytes(config->size_bytes).s);
		plan_close(e, doc, MODEL_SKIPPED, reason);
		return;
	}
	if (bench_pages_are_pooled(e->pages)) {
		size_pooled(plan, e, config, doc);
		return;
	}
	if (wished > most &&
	    (config->size_bytes || has_own_size(plan, config, e) || most < least)) {
		(void)snprintf(
			reason, sizeof(reason),
			"a size of %s does not fit: %s leaves %s for it; give a smaller --size",
			units_bytes(wished).s, memory->limited_by, units_bytes(most).s);
		plan_close(e, doc, MODEL_SKIPPED, reason);
	} else if (wished > most) {
		*cut = most < *cut ? most : *cut;
	}
	if (!e->closed)
		warn_if_raised(config, e, doc);
}

static void size_entries(struct plan *plan, const struct bench_config *config,
			 struct model_bench *doc)
{
	uint64_t cut = UINT64_MAX, largest = 0;
	struct sys_memory memory;

	sys_memory_probe(&memory);
	for (size_t i = 0; i < plan->n_entries; i++)
		size_entry(plan, &plan->entries[i], config, &memory, doc, &cut);
	if (cut == UINT64_MAX)
		return;
	/* all to one size: a price list whose rows differ in size would mislead */
	for (size_t i = 0; i < plan->n_entries; i++) {
		struct plan_entry *e = &plan->entries[i];
		uint64_t bytes = e->n_pages * sys_page_bytes();

		largest = bytes > largest ? bytes : largest;
		if (bytes > cut && !has_own_size(plan, config, e) &&
		    !bench_pages_are_pooled(e->pages))
			e->n_pages = pages_of(cut, e);
	}
	model_warn(doc->warnings, &doc->n_warnings, "size-cut", "sizes cut from %s to %s: %s",
		   units_bytes(largest).s, units_bytes(cut / sys_page_bytes() * sys_page_bytes()).s,
		   memory.limited_by);
}

static void size_files(struct plan *plan, const struct bench_config *config,
		       struct model_bench *doc)
{
	uint64_t needed = 0;
	struct sys_disk disk;
	char reason[512];

	for (size_t i = 0; i < plan->n_entries; i++) {
		const struct plan_entry *e = &plan->entries[i];
		uint64_t *largest = &plan->file_bytes[plan_file(e)];
		uint64_t bytes = e->n_pages * sys_page_bytes();

		if (!e->closed && bytes > *largest)
			*largest = bytes;
	}
	needed = plan->file_bytes[BENCH_FILE_WARM] + plan->file_bytes[BENCH_FILE_COLD];
	if (needed == 0)
		return;
	sys_disk_probe(config->dir, &disk);
	if (disk.free_bytes >= needed + needed / 20)
		return;
	(void)snprintf(
		reason, sizeof(reason),
		"needs %s for data files in %s, where %s is free; give another --dir or a smaller "
		"--size",
		units_bytes(needed).s, config->dir, units_bytes(disk.free_bytes).s);
	for (size_t i = 0; i < plan->n_entries; i++)
		if (plan->entries[i].row->scenario->file != BENCH_FILE_NONE &&
		    !plan->entries[i].closed)
			plan_close(&plan->entries[i], doc, MODEL_SKIPPED, reason);
}

/* One side without the other proves nothing. */
static void close_widows(struct plan *plan, const struct bench_ab *ab, struct model_bench *doc)
{
	struct why why;

	for (size_t i = 0; i < plan->n_entries; i++) {
		struct plan_entry *e = &plan->entries[i];
		const struct plan_entry *mate = plan_mate(plan, e);

		if (e->closed || !mate->closed)
			continue;
		(void)why_set(&why, 0, "its other side, %s=%s, cannot be run: %s", ab->row->name,
			      ab->arms[(i ^ 1) & 1].value, plan_scenario(mate, doc)->reason);
		plan_close(e, doc, MODEL_SKIPPED, why.text);
	}
}

int plan_make(struct plan *plan, const struct bench_config *config, struct model_bench *doc,
	      struct why *why)
{
	int r = 0;

	*plan = (struct plan){.n_sides = config->ab ? 2 : 1};
	for (size_t i = 0; i < config->n_requests && r == 0; i++)
		r = add_request(plan, &config->requests[i], config->ab, doc);
	if (r == 0)
		r = add_floor(plan, config, doc);
	if (r < 0)
		return why_errno(why, r, "cannot plan %zu scenarios", config->n_requests);
	check_needs(plan, config, doc);
	size_entries(plan, config, doc);
	size_files(plan, config, doc);
	for (size_t i = 0; i < plan->n_entries; i++) {
		struct model_scenario *s = plan_scenario(&plan->entries[i], doc);

		s->n_pages = plan->entries[i].n_pages;
		s->ledger = ledger_of(&plan->entries[i]);
	}
	if (config->ab)
		close_widows(plan, config->ab, doc);
	return 0;
}
