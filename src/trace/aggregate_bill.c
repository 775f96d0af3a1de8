/* SPDX-License-Identifier: MIT */
/* From sums to the rows of a bill: what is not timed at the mean of its like, the tracer's share taken out. */
#include "src/trace/aggregate.h"

#include "src/base/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* gcc 12 loses sight of memory that is stored behind a pointer it was given. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

enum {
	LEAST_LIKE = 8,   /* timed faults that are enough to speak for others of their cell */
	MOST_SITES = 512, /* rows; what costs less is in one row together */
};

/* Sums that can be added up further. */
struct roll {
	uint64_t count, n_major, n_timed, hist[TRACE_HIST];
	double raw_ns, time_ns, blocked_ns, preempted_ns, worst_ns, variance;
};

/* --- one cell -------------------------------------------------------------------------------------------------- */

/* Where a step of the histogram begins. */
static double step_ns(size_t i)
{
	return ldexp(1 + (double)(i % TRACE_HIST_STEPS) / TRACE_HIST_STEPS,
		     (int)(i / TRACE_HIST_STEPS) + 6);
}

static double quantile_ns(const struct roll *r, double q)
{
	double rank = q * (double)r->n_timed, seen = 0;

	for (size_t i = 0; i < TRACE_HIST; i++) {
		double lo = i == 0 ? 0 : step_ns(i), hi = step_ns(i + 1), n = (double)r->hist[i];

		if (n > 0 && seen + n >= rank)
			return fmin(lo + (hi - lo) * fmax(rank - seen, 0) / n, r->worst_ns);
		seen += n;
	}
	return NAN;
}

static double variance_of(const struct trace_sum *sum, const uint32_t hist[TRACE_HIST])
{
	double mean = (double)sum->raw_ns / (double)sum->n_timed, squares = 0;

	for (size_t i = 0; i < TRACE_HIST; i++) {
		double middle = i == 0 ? 48 : (step_ns(i) + step_ns(i + 1)) / 2;

		squares += (double)hist[i] * (middle - mean) * (middle - mean);
	}
	return squares / (double)sum->n_timed;
}

/* Mean raw times of a kind, and of all minor faults, for cells that have none of their own. */
struct likes {
	double sum_ns[MODEL_N_FAULT_KINDS], n[MODEL_N_FAULT_KINDS];
};

static double mean_of_like(const struct likes *likes, uint32_t kind)
{
	double sum = 0, n = 0;

	if (likes->n[kind] > 0 || kind == MODEL_UNKNOWN)
		return likes->n[kind] > 0 ? likes->sum_ns[kind] / likes->n[kind] : 0;
	for (size_t k = 0; k < MODEL_N_FAULT_KINDS; k++) {
		if (k == MODEL_FILE_MAJOR || k == MODEL_SWAP_IN)
			continue;
		sum += likes->sum_ns[k];
		n += likes->n[k];
	}
	return n > 0 ? sum / n : 0;
}

static const uint8_t class_of_kind[MODEL_N_FAULT_KINDS] = {
	[MODEL_ANON_WRITE] = TRACE_CLASS_FILLING, [MODEL_STACK] = TRACE_CLASS_FILLING,
	[MODEL_SHMEM] = TRACE_CLASS_FILLING,      [MODEL_THP] = TRACE_CLASS_FILLING,
	[MODEL_HUGETLB] = TRACE_CLASS_FILLING,    [MODEL_COW] = TRACE_CLASS_COPYING,
	[MODEL_WP_REUSE] = TRACE_CLASS_REUSING,   [MODEL_FILE_MKWRITE] = TRACE_CLASS_REUSING,
};

static double each_ns(const struct trace_corrections *c, uint32_t kind)
{
	const struct trace_correction *one = &c->of[class_of_kind[kind]];

	return one->trap_ns - one->tracer_ns;
}

static struct roll roll_of(const struct trace_sum *sum, const uint32_t hist[TRACE_HIST],
			   double like_ns, double correction_ns)
{
	double n_untimed = (double)(sum->count - sum->n_timed);
	double raw = (double)sum->raw_ns, scale = 1;
	struct roll r = {.count = sum->count, .n_major = sum->n_major, .n_timed = sum->n_timed};

	for (size_t i = 0; i < TRACE_HIST; i++)
		r.hist[i] = hist[i];
	if (sum->n_timed >= LEAST_LIKE)
		like_ns = raw / (double)sum->n_timed;
	r.raw_ns = raw + n_untimed * like_ns;
	if (raw > 0)
		scale = r.raw_ns / raw;
	r.blocked_ns = (double)sum->blocked_ns * scale;
	r.preempted_ns = (double)sum->preempted_ns * scale;
	r.time_ns = fmax(r.raw_ns - r.preempted_ns + (double)sum->count * correction_ns, 0);
	r.worst_ns = (double)sum->worst_ns;
	if (n_untimed > 0 && sum->n_timed > 0)
		r.variance = n_untimed * n_untimed * variance_of(sum, hist) / (double)sum->n_timed;
	return r;
}

static void add_roll(struct roll *into, const struct roll *r)
{
	into->count += r->count;
	into->n_major += r->n_major;
	into->n_timed += r->n_timed;
	for (size_t i = 0; i < TRACE_HIST; i++)
		into->hist[i] += r->hist[i];
	into->raw_ns += r->raw_ns;
	into->time_ns += r->time_ns;
	into->blocked_ns += r->blocked_ns;
	into->preempted_ns += r->preempted_ns;
	into->worst_ns = fmax(into->worst_ns, r->worst_ns);
	into->variance += r->variance;
}

static struct model_cost cost_of(const struct roll *r, bool switches_seen)
{
	bool timed = r->n_timed > 0;

	return (struct model_cost){
		.count = r->count,
		.n_major = r->n_major,
		.n_timed = r->n_timed,
		.raw_ns = r->raw_ns,
		.time_ns = r->time_ns,
		.on_cpu_ns = switches_seen ? r->raw_ns - r->blocked_ns - r->preempted_ns : NAN,
		.blocked_ns = switches_seen ? r->blocked_ns : NAN,
		.preempted_ns = switches_seen ? r->preempted_ns : NAN,
		.p50_ns = timed ? quantile_ns(r, 0.5) : NAN,
		.p99_ns = timed ? quantile_ns(r, 0.99) : NAN,
		.worst_ns = timed ? r->worst_ns : NAN,
	};
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

/* What cells make of the faults that were not timed, by kind: so that threads and moments come to the same sums. */
struct untimed {
	double n, raw_ns, blocked_ns, preempted_ns;
};

struct maker {
	const struct trace_aggregate *a;
	const struct trace_stacks *stacks;
	const struct trace_spaces *spaces;
	const struct trace_corrections *corrections;
	struct likes likes;
	struct untimed untimed[MODEL_N_FAULT_KINDS];
	struct model_bill *bill;
	struct roll *rolls;     /* of each cell */
	uint32_t *mapping_rows; /* of each name */
	uint32_t *site_rows;    /* of each cell */
	uint32_t *thread_rows;  /* of each thread sum */
};

static void find_likes(struct maker *m)
{
	for (size_t i = 0; i < m->a->n_cells; i++) {
		const struct trace_cell *c = &m->a->cells[i];

		m->likes.sum_ns[c->kind] += (double)c->sum.raw_ns;
		m->likes.n[c->kind] += (double)c->sum.n_timed;
	}
}

static void note_untimed(struct untimed *u, const struct trace_sum *sum, const struct roll *r)
{
	u->n += (double)(sum->count - sum->n_timed);
	u->raw_ns += r->raw_ns - (double)sum->raw_ns;
	u->blocked_ns += r->blocked_ns - (double)sum->blocked_ns;
	u->preempted_ns += r->preempted_ns - (double)sum->preempted_ns;
}

/* The part of what was not timed of a kind that n of these faults have. */
static struct untimed part_of(const struct maker *m, size_t kind, uint64_t n)
{
	const struct untimed *all = &m->untimed[kind];
	double part = all->n > 0 ? (double)n / all->n : 0;

	return (struct untimed){(double)n, part * all->raw_ns, part * all->blocked_ns,
				part * all->preempted_ns};
}

static void make_kinds_and_total(struct maker *m)
{
	struct roll kinds[MODEL_N_FAULT_KINDS] = {{.count = 0}}, total = {.count = 0};
	double spread_ns = 0;

	for (size_t i = 0; i < m->a->n_cells; i++) {
		const struct trace_cell *c = &m->a->cells[i];

		m->rolls[i] = roll_of(&c->sum, c->hist, mean_of_like(&m->likes, c->kind),
				      each_ns(m->corrections, c->kind));
		note_untimed(&m->untimed[c->kind], &c->sum, &m->rolls[i]);
		add_roll(&kinds[c->kind], &m->rolls[i]);
		add_roll(&total, &m->rolls[i]);
	}
	m->bill->tracer_ns = m->bill->trap_ns = 0;
	for (size_t k = 0; k < MODEL_N_FAULT_KINDS; k++) {
		const struct trace_correction *c = &m->corrections->of[class_of_kind[k]];

		if (kinds[k].count == 0)
			continue;
		m->bill->kinds[k].cost = cost_of(&kinds[k], m->a->switches_seen);
		m->bill->tracer_ns += (double)kinds[k].count * c->tracer_ns;
		m->bill->trap_ns += (double)kinds[k].count * c->trap_ns;
		spread_ns += (double)kinds[k].count * c->spread_ns;
	}
	m->bill->total = cost_of(&total, m->a->switches_seen);
	spread_ns = hypot(spread_ns, 1.96 * sqrt(total.variance));
	m->bill->time_lo_ns = fmax(total.time_ns - spread_ns, 0);
	m->bill->time_hi_ns = total.time_ns + spread_ns;
	m->bill->trap_each_ns = m->corrections->of[TRACE_CLASS_FILLING].trap_ns;
	m->bill->fill_each_ns = m->corrections->fill_ns;
	m->bill->tracer_each_ns = m->corrections->of[TRACE_CLASS_FILLING].tracer_ns;
}

struct mapping_sum {
	struct roll sum;
	double by_kind_ns[MODEL_N_FAULT_KINDS];
};

/* Numbers the names that occur. Returns how many do. */
static size_t number_mappings(struct maker *m, size_t n_names)
{
	size_t n = 0;

	for (size_t i = 0; i <= n_names; i++)
		m->mapping_rows[i] = MODEL_NO_ROW;
	for (size_t i = 0; i < m->a->n_cells; i++)
		if (m->mapping_rows[m->a->cells[i].name] == MODEL_NO_ROW)
			m->mapping_rows[m->a->cells[i].name] = (uint32_t)n++;
	return n;
}

static void fill_pages(const struct trace_name_pages *pages, struct model_mapping_row *row)
{
	row->size_bytes = pages->size_bytes;
	row->rss_bytes = pages->rss_bytes;
	row->huge_bytes = pages->huge_bytes;
	row->eligible_bytes = pages->eligible_bytes;
	trace_vm_flags_text(pages->flags, row->vm_flags, sizeof(row->vm_flags));
}

static void fill_mapping(const struct maker *m, uint32_t name, const struct mapping_sum *sum,
			 struct model_mapping_row *row)
{
	text_copy(row->name, sizeof(row->name), trace_spaces_name(m->spaces, name));
	row->cost = cost_of(&sum->sum, m->a->switches_seen);
	if (name < m->a->n_names) {
		row->deleted = m->a->names[name].deleted;
		row->shared = m->a->names[name].shared;
		row->writable = m->a->names[name].writable;
		row->executable = m->a->names[name].executable;
		fill_pages(&m->a->pages.kept[name], row);
	}
	for (int k = 0; k < MODEL_N_FAULT_KINDS; k++)
		if (sum->by_kind_ns[k] > sum->by_kind_ns[row->kind])
			row->kind = k;
}

static int make_mappings(struct maker *m)
{
	size_t n_names = trace_spaces_n_names(m->spaces), n;
	struct mapping_sum *sums;

	m->mapping_rows = reallocarray(NULL, n_names + 1, sizeof(*m->mapping_rows));
	if (!m->mapping_rows)
		return -ENOMEM;
	n = number_mappings(m, n_names);
	m->bill->mappings = calloc(n + 1, sizeof(*m->bill->mappings));
	sums = m->bill->mappings ? calloc(n + 1, sizeof(*sums)) : NULL;
	if (!sums)
		return -ENOMEM;
	m->bill->n_mappings = n;
	for (size_t i = 0; i < m->a->n_cells; i++) {
		const struct trace_cell *cell = &m->a->cells[i];
		struct mapping_sum *sum = &sums[m->mapping_rows[cell->name]];

		add_roll(&sum->sum, &m->rolls[i]);
		sum->by_kind_ns[cell->kind] += m->rolls[i].time_ns;
	}
	for (uint32_t i = 0; i < n_names; i++)
		if (m->mapping_rows[i] != MODEL_NO_ROW)
			fill_mapping(m, i, &sums[m->mapping_rows[i]],
				     &m->bill->mappings[m->mapping_rows[i]]);
	free(sums);
	return 0;
}

/* --- sites --------------------------------------------------------------------------------------------------------- */

struct group {
	uint64_t hash;
	uint32_t stack, cell; /* of its first cell */
	struct roll sum;
	struct model_habits habits;
	uint32_t row;
};

static uint64_t mix_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = map_mix_in(hash, (unsigned char)*text);
	return hash;
}

/* Two instructions of one line are one place; where no name is known the instruction is. */
static uint64_t site_hash(const struct model_frame *frames, size_t n)
{
	uint64_t hash = n;

	for (size_t i = 0; i < n; i++) {
		hash = mix_text(hash, frames[i].function);
		hash = map_mix_in(hash, frames[i].line);
		hash = mix_text(hash, frames[i].function[0] ? frames[i].file : frames[i].module);
		if (!frames[i].function[0])
			hash = map_mix_in(hash, frames[i].module_offset);
	}
	return hash;
}

static int by_time(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->sum.time_ns != y->sum.time_ns)
		return x->sum.time_ns < y->sum.time_ns ? 1 : -1;
	return x->sum.count < y->sum.count ? 1 : x->sum.count > y->sum.count ? -1 : 0;
}

static void add_habits(struct model_habits *into, const struct model_habits *h)
{
	for (size_t i = 0; i < MODEL_N_HABITS; i++)
		into->n[i] += h->n[i];
}

/* Adds each cell to the group of its place, kind and mapping. Returns how many groups there are, or -ENOMEM. */
static long make_groups(struct maker *m, struct group *groups, uint32_t *group_of_cell)
{
	struct model_frame *frames = calloc(MODEL_MAX_STACK, sizeof(*frames));
	struct map by_hash = {.slots = NULL}, hash_of_stack = {.slots = NULL};
	uint64_t *hashes = calloc(m->stacks->n_stacks, sizeof(*hashes));
	long n = 0;

	for (size_t i = 0; i < m->a->n_cells && frames && hashes && n >= 0; i++) {
		const struct trace_cell *c = &m->a->cells[i];
		uint64_t hash;
		uint32_t g;

		if (map_get(&hash_of_stack, c->stack) == MAP_NONE) {
			hashes[c->stack] =
				site_hash(frames, trace_stacks_resolve(m->stacks, c->stack, frames,
								       MODEL_MAX_STACK));
			if (map_put(&hash_of_stack, c->stack, 1) < 0)
				n = -ENOMEM;
		}
		hash = map_mix_in(map_mix_in(hashes[c->stack], c->kind), c->name);
		g = map_get(&by_hash, hash);
		if (g == MAP_NONE && n >= 0) {
			g = (uint32_t)n;
			groups[n++] = (struct group){
				.hash = hash, .stack = c->stack, .cell = (uint32_t)i};
			if (map_put(&by_hash, hash, g) < 0)
				n = -ENOMEM;
		}
		if (n >= 0) {
			add_roll(&groups[g].sum, &m->rolls[i]);
			add_habits(&groups[g].habits, &c->habits);
			group_of_cell[i] = g;
		}
	}
	if (!frames || !hashes)
		n = -ENOMEM;
	free(frames);
	free(hashes);
	map_free(&by_hash);
	map_free(&hash_of_stack);
	return n;
}

static int fill_site(const struct maker *m, const struct group *g, struct model_frame *frames,
		     struct model_site_row *row)
{
	const struct trace_cell *c = &m->a->cells[g->cell];

	row->kind = c->kind;
	row->mapping = m->mapping_rows[c->name];
	row->cost = cost_of(&g->sum, m->a->switches_seen);
	row->habits = g->habits;
	row->n_stack = (uint32_t)trace_stacks_resolve(m->stacks, g->stack, frames, MODEL_MAX_STACK);
	if (row->n_stack == 0)
		return 0;
	row->stack = reallocarray(NULL, row->n_stack, sizeof(*row->stack));
	if (!row->stack)
		return -ENOMEM;
	memcpy(row->stack, frames, row->n_stack * sizeof(*frames));
	return 0;
}

/* The last row is of all groups that are not listed. */
static int fill_sites(struct maker *m, struct group *groups, size_t n)
{
	struct model_frame *frames = calloc(MODEL_MAX_STACK, sizeof(*frames));
	size_t n_listed = n < MOST_SITES ? n : MOST_SITES;
	int r = frames ? 0 : -ENOMEM;

	m->bill->sites = calloc(n_listed + 1, sizeof(*m->bill->sites));
	if (!m->bill->sites)
		r = -ENOMEM;
	for (size_t i = 0; i < n_listed && r == 0; i++) {
		groups[i].row = (uint32_t)i;
		r = fill_site(m, &groups[i], frames, &m->bill->sites[i]);
		m->bill->n_sites = i + 1;
	}
	if (r == 0 && n > n_listed) {
		struct model_site_row *rest = &m->bill->sites[n_listed];
		struct roll sum = {.count = 0};

		for (size_t i = n_listed; i < n; i++) {
			groups[i].row = (uint32_t)n_listed;
			add_roll(&sum, &groups[i].sum);
		}
		*rest = (struct model_site_row){.mapping = MODEL_NO_ROW,
						.kind = MODEL_UNKNOWN,
						.cost = cost_of(&sum, m->a->switches_seen)};
		m->bill->n_sites = n_listed + 1;
	}
	free(frames);
	return r;
}

static int make_sites(struct maker *m)
{
	size_t n_cells = m->a->n_cells;
	struct group *groups = calloc(n_cells + 1, sizeof(*groups));
	uint32_t *group_of_cell = calloc(n_cells + 1, sizeof(*group_of_cell));
	struct map rows = {.slots = NULL};
	long n = groups && group_of_cell ? make_groups(m, groups, group_of_cell) : -ENOMEM;
	uint64_t *hashes = n >= 0 ? calloc((size_t)n + 1, sizeof(*hashes)) : NULL;
	int r = hashes ? 0 : -ENOMEM;

	for (long i = 0; i < n && r == 0; i++)
		hashes[i] = groups[i].hash;
	if (r == 0) {
		qsort(groups, (size_t)n, sizeof(*groups), by_time);
		r = fill_sites(m, groups, (size_t)n);
	}
	for (long i = 0; i < n && r == 0; i++)
		r = map_put(&rows, groups[i].hash, groups[i].row);
	m->site_rows = calloc(n_cells + 1, sizeof(*m->site_rows));
	for (size_t i = 0; i < n_cells && r == 0 && m->site_rows; i++)
		m->site_rows[i] = map_get(&rows, hashes[group_of_cell[i]]);
	if (!m->site_rows)
		r = -ENOMEM;
	map_free(&rows);
	free(hashes);
	free(groups);
	free(group_of_cell);
	return r;
}

/* --- threads, moments, single faults ---------------------------------------------------------------------------------- */

static struct roll roll_of_thread(const struct maker *m, const struct trace_thread_sum *t)
{
	struct roll r = {.count = t->sum.count,
			 .n_major = t->sum.n_major,
			 .n_timed = t->sum.n_timed,
			 .raw_ns = (double)t->sum.raw_ns,
			 .blocked_ns = (double)t->sum.blocked_ns,
			 .preempted_ns = (double)t->sum.preempted_ns,
			 .worst_ns = (double)t->sum.worst_ns};
	double correction_ns = 0;

	for (size_t i = 0; i < TRACE_HIST; i++)
		r.hist[i] = t->hist[i];
	for (size_t k = 0; k < MODEL_N_FAULT_KINDS; k++) {
		struct untimed part = part_of(m, k, t->untimed_by_kind[k]);

		r.raw_ns += part.raw_ns;
		r.blocked_ns += part.blocked_ns;
		r.preempted_ns += part.preempted_ns;
		correction_ns += (double)t->by_kind[k] * each_ns(m->corrections, (uint32_t)k);
	}
	r.time_ns = fmax(r.raw_ns - r.preempted_ns + correction_ns, 0);
	return r;
}

static int make_threads(struct maker *m)
{
	const struct trace_aggregate *a = m->a;
	size_t n = 0;

	m->bill->threads = calloc(a->n_threads, sizeof(*m->bill->threads));
	m->thread_rows = calloc(a->n_threads, sizeof(*m->thread_rows));
	if (!m->bill->threads || !m->thread_rows)
		return -ENOMEM;
	for (size_t i = 0; i < a->n_threads; i++) {
		const struct trace_thread_sum *t = &a->threads[i];
		struct model_thread_row *row = &m->bill->threads[n];
		struct roll r;

		m->thread_rows[i] = MODEL_NO_ROW;
		if (t->sum.count == 0)
			continue;
		r = roll_of_thread(m, t);
		*row = (struct model_thread_row){.pid = t->pid,
						 .tid = t->tid,
						 .cost = cost_of(&r, a->switches_seen),
						 .cpu_ns = t->cpu_ns,
						 .share = NAN,
						 .is_rest = i == 0};
		text_copy(row->comm, sizeof(row->comm), t->comm);
		m->thread_rows[i] = (uint32_t)n++;
	}
	m->bill->n_threads_listed = n;
	return 0;
}

static int make_moments(struct maker *m)
{
	const struct trace_aggregate *a = m->a;

	m->bill->moments = calloc(a->n_moments + 1, sizeof(*m->bill->moments));
	if (!m->bill->moments)
		return -ENOMEM;
	m->bill->n_moments = a->n_moments;
	m->bill->moment_ns = a->moment_ns;
	for (size_t i = 0; i < a->n_moments; i++)
		for (uint32_t k = 0; k < MODEL_N_FAULT_KINDS; k++) {
			const struct trace_moment *from = &a->moments[i];
			struct untimed part = part_of(m, k, from->count[k] - from->n_timed[k]);
			double traced = (double)from->raw_ns[k] - (double)from->preempted_ns[k] +
					part.raw_ns - part.preempted_ns;

			m->bill->moments[i].count[k] = from->count[k];
			m->bill->moments[i].time_ns[k] =
				fmax(traced + (double)from->count[k] * each_ns(m->corrections, k),
				     0);
		}
	return 0;
}

static struct model_fault_row fault_row(const struct maker *m, const struct trace_seen *seen)
{
	uint32_t cell = map_get(&m->a->by_key, trace_cell_key(seen->kind, seen->name, seen->stack));

	return (struct model_fault_row){
		.at_ns = seen->entered_ns > m->a->start_ns ? seen->entered_ns - m->a->start_ns : 0,
		.latency_ns = seen->timed ? (double)seen->latency_ns : NAN,
		.blocked_ns = seen->timed && m->a->switches_seen ? (double)seen->blocked_ns : NAN,
		.address = seen->address,
		.file_offset = seen->file_offset,
		.thread = m->thread_rows[seen->row],
		.mapping = m->mapping_rows[seen->name],
		.site = cell == MAP_NONE ? MODEL_NO_ROW : m->site_rows[cell],
		.kind = seen->kind,
		.major = seen->major,
		.kernel_mode = seen->kernel_mode,
	};
}

static int longer(const void *a, const void *b)
{
	const struct model_fault_row *x = a, *y = b;

	return x->latency_ns < y->latency_ns ? 1 : x->latency_ns > y->latency_ns ? -1 : 0;
}

static bool is_listed(const struct model_fault_row *rows, size_t n,
		      const struct model_fault_row *row)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].at_ns == row->at_ns && rows[i].address == row->address &&
		    rows[i].thread == row->thread)
			return true;
	return false;
}

/* The longest of all, and the longest of each sixteenth of the run, so that what comes after start-up is there
 * whatever start-up was. */
static int make_worst(struct maker *m)
{
	enum { STRETCHES = 16 };
	const struct trace_aggregate *a = m->a;
	size_t n = a->n_worst, per = a->n_moments / STRETCHES + 1;
	struct model_fault_row *rows = calloc(MODEL_MAX_WORST + STRETCHES, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		rows[i] = fault_row(m, &a->worst[i]);
	qsort(rows, n, sizeof(*rows), longer);
	n = n < MODEL_MAX_WORST - STRETCHES ? n : MODEL_MAX_WORST - STRETCHES;
	for (size_t from = 0; from < a->n_moments; from += per) {
		const struct trace_seen *worst = &a->moments[from].worst;
		struct model_fault_row row;

		for (size_t i = from + 1; i < from + per && i < a->n_moments; i++)
			if (a->moments[i].worst.latency_ns > worst->latency_ns)
				worst = &a->moments[i].worst;
		if (worst->latency_ns == 0)
			continue;
		row = fault_row(m, worst);
		if (!is_listed(rows, n, &row))
			rows[n++] = row;
	}
	qsort(rows, n, sizeof(*rows), longer);
	m->bill->worst = rows;
	m->bill->n_worst = n;
	return 0;
}

static int make_each(struct maker *m)
{
	const struct trace_aggregate *a = m->a;

	m->bill->n_each_left_out = a->n_each_left_out;
	if (a->n_each == 0)
		return 0;
	m->bill->each = reallocarray(NULL, a->n_each, sizeof(*m->bill->each));
	if (!m->bill->each)
		return -ENOMEM;
	for (size_t i = 0; i < a->n_each; i++)
		m->bill->each[i] = fault_row(m, &a->each[i]);
	m->bill->n_each = a->n_each;
	return 0;
}

/* What it was about alone counts: it is in no table, as it was not completed. */
static int make_fatal(struct maker *m)
{
	const struct trace_seen *fatal = &m->a->fatal;
	struct model_frame *frames;

	if (!fatal->thread)
		return 0;
	frames = calloc(MODEL_MAX_STACK, sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	m->bill->has_fatal = true;
	m->bill->fatal = fault_row(m, fatal);
	m->bill->fatal.site = MODEL_NO_ROW;
	text_copy(m->bill->fatal_mapping, sizeof(m->bill->fatal_mapping),
		  fatal->name ? trace_spaces_name(m->spaces, fatal->name) : "");
	if (trace_stacks_resolve(m->stacks, fatal->stack, frames, MODEL_MAX_STACK) > 0)
		m->bill->fatal_frame = frames[0];
	free(frames);
	return 0;
}

int trace_aggregate_finish(const struct trace_aggregate *a, const struct trace_stacks *stacks,
			   const struct trace_spaces *spaces,
			   const struct trace_corrections *corrections, struct model_bill *bill)
{
	static int (*const steps[])(struct maker *) = {make_mappings, make_sites, make_threads,
						       make_moments,  make_worst, make_each,
						       make_fatal};
	struct maker m = {.a = a,
			  .stacks = stacks,
			  .spaces = spaces,
			  .corrections = corrections,
			  .bill = bill};
	int r = 0;

	m.rolls = calloc(a->n_cells + 1, sizeof(*m.rolls));
	if (!m.rolls)
		return -ENOMEM;
	find_likes(&m);
	make_kinds_and_total(&m);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && r == 0; i++)
		r = steps[i](&m);
	free(m.rolls);
	free(m.mapping_rows);
	free(m.site_rows);
	free(m.thread_rows);
	return r;
}
