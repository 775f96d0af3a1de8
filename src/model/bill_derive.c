/* SPDX-License-Identifier: MIT */
/* What follows from the rows of a bill: their order, culprits, dominant kinds, shares of threads, and phases. */
#include "src/model/trace.h"

#include "src/base/array.h"
#include "src/model/bill_phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run this short did nothing but start. */
#define ALL_START_NS 10000000
/* A thread with less than this share of the busiest one's time is no thread that a program waits for. */
#define LEAST_OF_BUSIEST 0.05

/* --- order -------------------------------------------------------------------------------------------- */

struct sort_key {
	double key;
	uint32_t row;
};

/* The largest first; what is equal, or not known, in the order it came in. */
static int compare_keys(const void *left, const void *right)
{
	const struct sort_key *a = left, *b = right;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* A table whose rows are sorted. */
struct sortable {
	void *rows;
	size_t n, row_bytes;
	double (*key)(const void *row);
};

/* Puts rows in the order of keys; in *ret_moved each old row has its new number. */
static void move_rows(const struct sortable *t, const struct sort_key *keys, char *scratch,
		      uint32_t *ret_moved)
{
	for (size_t i = 0; i < t->n; i++) {
		memcpy(scratch + i * t->row_bytes, (char *)t->rows + keys[i].row * t->row_bytes,
		       t->row_bytes);
		ret_moved[keys[i].row] = (uint32_t)i;
	}
	memcpy(t->rows, scratch, t->n * t->row_bytes);
}

/* Sorts, and returns where each row went: the caller's to free. NULL: all stayed where they were. */
static uint32_t *sort_rows(const struct sortable *t)
{
	struct sort_key *keys;
	uint32_t *moved;
	char *scratch;
	bool sorted = true;

	if (t->n < 2)
		return NULL;
	keys = calloc(t->n, sizeof(*keys));
	moved = calloc(t->n, sizeof(*moved));
	scratch = malloc(t->n * t->row_bytes);
	for (size_t i = 0; keys && i < t->n; i++) {
		double key = t->key((const char *)t->rows + i * t->row_bytes);

		keys[i] = (struct sort_key){isnan(key) ? -INFINITY : key, (uint32_t)i};
		sorted = sorted && (i == 0 || compare_keys(&keys[i - 1], &keys[i]) < 0);
	}
	if (keys && moved && scratch && !sorted) {
		qsort(keys, t->n, sizeof(*keys), compare_keys);
		move_rows(t, keys, scratch, moved);
	} else {
		free(moved);
		moved = NULL;
	}
	free(scratch);
	free(keys);
	return moved;
}

static double mapping_key(const void *row)
{
	return ((const struct model_mapping_row *)row)->cost.time_ns;
}

static double site_key(const void *row)
{
	return ((const struct model_site_row *)row)->cost.time_ns;
}

static double thread_key(const void *row)
{
	return ((const struct model_thread_row *)row)->cost.time_ns;
}

static double latency_key(const void *row)
{
	return ((const struct model_fault_row *)row)->latency_ns;
}

static double early_key(const void *row)
{
	return -(double)((const struct model_fault_row *)row)->at_ns;
}

static void renumber(uint32_t *row, const uint32_t *moved)
{
	if (moved && *row != MODEL_NO_ROW)
		*row = moved[*row];
}

/* Where the rows of each table went. */
struct moves {
	uint32_t *mappings, *sites, *threads;
};

static void renumber_faults(struct model_fault_row *rows, size_t n, const struct moves *moves)
{
	for (size_t i = 0; i < n; i++) {
		renumber(&rows[i].mapping, moves->mappings);
		renumber(&rows[i].site, moves->sites);
		renumber(&rows[i].thread, moves->threads);
	}
}

static void sort_tables(struct model_bill *bill)
{
	struct moves moves = {
		.mappings = sort_rows(&(struct sortable){bill->mappings, bill->n_mappings,
							 sizeof(*bill->mappings), mapping_key}),
		.sites = sort_rows(&(struct sortable){bill->sites, bill->n_sites,
						      sizeof(*bill->sites), site_key}),
		.threads = sort_rows(&(struct sortable){bill->threads, bill->n_threads_listed,
							sizeof(*bill->threads), thread_key}),
	};

	for (size_t i = 0; i < bill->n_sites; i++)
		renumber(&bill->sites[i].mapping, moves.mappings);
	renumber_faults(bill->worst, bill->n_worst, &moves);
	renumber_faults(bill->each, bill->n_each, &moves);
	renumber_faults(&bill->fatal, bill->has_fatal, &moves);
	free(moves.mappings);
	free(moves.sites);
	free(moves.threads);
	free(sort_rows(&(struct sortable){bill->worst, bill->n_worst, sizeof(*bill->worst),
					  latency_key}));
	free(sort_rows(&(struct sortable){bill->each, bill->n_each, sizeof(*bill->each),
					  early_key}));
}

/* --- what each row says ------------------------------------------------------------------------------------ */

/* No set of faults took less than nothing, whatever was taken off for the tracer. And times are whole, as the document
 * has them, so that whoever reads it derives the same. */
static void settle_time(double *ns)
{
	*ns = isnan(*ns) ? NAN : fmax(0, round(*ns));
}

static void settle_cost(struct model_cost *c)
{
	double *const times[] = {&c->raw_ns,       &c->time_ns, &c->on_cpu_ns, &c->blocked_ns,
				 &c->preempted_ns, &c->p50_ns,  &c->p99_ns,    &c->worst_ns};

	for (size_t i = 0; i < ARRAY_LEN(times); i++)
		settle_time(times[i]);
}

static void settle_faults(struct model_fault_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		settle_time(&rows[i].latency_ns);
		settle_time(&rows[i].blocked_ns);
	}
}

static void settle_times(struct model_bill *bill)
{
	settle_cost(&bill->total);
	settle_time(&bill->slowdown_ns);
	for (size_t i = 0; i < MODEL_N_FAULT_KINDS; i++)
		settle_cost(&bill->kinds[i].cost);
	for (size_t i = 0; i < bill->n_mappings; i++)
		settle_cost(&bill->mappings[i].cost);
	for (size_t i = 0; i < bill->n_sites; i++)
		settle_cost(&bill->sites[i].cost);
	for (size_t i = 0; i < bill->n_threads_listed; i++) {
		settle_cost(&bill->threads[i].cost);
		settle_time(&bill->threads[i].cpu_ns);
	}
	for (size_t i = 0; i < bill->n_moments; i++)
		for (size_t k = 0; k < MODEL_N_FAULT_KINDS; k++)
			settle_time(&bill->moments[i].time_ns[k]);
	settle_faults(bill->worst, bill->n_worst);
	settle_faults(bill->each, bill->n_each);
	settle_faults(&bill->fatal, bill->has_fatal);
}

/* Libraries that do what their caller asked for: their code is no culprit as long as there is other code. */
static const char *const runtime_modules[] = {
	"libc.so",    "libc-2.",    "libc.musl-",  "ld-linux",    "ld-2.",       "ld-musl-",
	"ld64.so",    "libm.so",    "libpthread",  "libstdc++",   "libc++",      "libgcc_s",
	"libasan.so", "libtsan.so", "libjemalloc", "libtcmalloc", "libmimalloc", "[vdso]",
};

static bool is_runtime(const struct model_frame *frame)
{
	const char *name = model_base_name(frame->module);

	/* each program has it, out of the C library */
	if (strcmp(frame->function, "_start") == 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(runtime_modules); i++)
		if (strncmp(name, runtime_modules[i], strlen(runtime_modules[i])) == 0)
			return true;
	return false;
}

/* How well a frame names who is to blame; the innermost of the best is taken. */
static int blame(const struct model_frame *frame)
{
	if (frame->file[0])
		return is_runtime(frame) ? 2 : 4;
	if (frame->function[0])
		return is_runtime(frame) ? 1 : 3;
	return 0;
}

static uint32_t find_culprit(const struct model_site_row *site)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < site->n_stack; i++)
		if (blame(&site->stack[i]) > blame(&site->stack[best]))
			best = i;
	return best;
}

struct kind_times {
	double ns[MODEL_N_FAULT_KINDS];
};

/* A mapping that no site names keeps the kind it has. */
static void find_dominant_kinds(struct model_bill *bill)
{
	struct kind_times *times = calloc(bill->n_mappings + 1, sizeof(*times));

	if (!times)
		return;
	for (size_t i = 0; i < bill->n_sites; i++)
		if (bill->sites[i].mapping != MODEL_NO_ROW)
			times[bill->sites[i].mapping].ns[bill->sites[i].kind] +=
				bill->sites[i].cost.time_ns;
	for (size_t m = 0; m < bill->n_mappings; m++) {
		double most = 0;

		for (size_t k = 0; k < MODEL_N_FAULT_KINDS; k++)
			if (times[m].ns[k] > most) {
				most = times[m].ns[k];
				bill->mappings[m].kind = (enum model_fault_kind)k;
			}
	}
	free(times);
}

/* --- shares ------------------------------------------------------------------------------------------------- */

static double or_0(double value)
{
	return isnan(value) ? 0 : value;
}

/*
 * What a thread had to spend: on the CPU, less what the tracer made of it, and blocked in faults; sleeping for other
 * reasons does not thin out the share. Never less than its faults took, where it is not known what blocked them.
 */
static double thread_time(const struct model_bill *bill, const struct model_thread_row *t)
{
	double part = bill->total.count ? (double)t->cost.count / (double)bill->total.count : 0;
	double own_ns = t->cpu_ns - or_0(bill->slowdown_ns) * part;

	return fmax(own_ns + or_0(t->cost.blocked_ns), t->cost.time_ns);
}

/* How much of a thread's time is its own; 0 where the CPU time is not known. */
static double known_thread_time(const struct model_bill *bill, const struct model_thread_row *t)
{
	return isnan(t->cpu_ns) ? 0 : thread_time(bill, t);
}

static void find_shares(struct model_bill *bill)
{
	double busiest = 0, sum = 0, faults = 0;

	bill->worst_thread_share = NAN;
	for (size_t i = 0; i < bill->n_threads_listed; i++) {
		struct model_thread_row *t = &bill->threads[i];
		double time = known_thread_time(bill, t);

		t->share = time > 0 ? t->cost.time_ns / time : NAN;
		sum += time;
		faults += time > 0 ? t->cost.time_ns : 0;
		if (!t->is_rest)
			busiest = fmax(busiest, time);
	}
	bill->process_share = sum > 0 ? faults / sum : NAN;
	for (size_t i = 0; i < bill->n_threads_listed; i++) {
		const struct model_thread_row *t = &bill->threads[i];

		if (!t->is_rest && known_thread_time(bill, t) >= LEAST_OF_BUSIEST * busiest)
			bill->worst_thread_share = fmax(bill->worst_thread_share, t->share);
	}
}

/* The figures that both sources have. */
static void fill_totals(struct model_trace *doc)
{
	const struct model_bill *bill = doc->bill;
	struct model_totals *t = &doc->totals;

	memset(t, 0, sizeof(*t));
	t->time_ns = (struct model_span){bill->time_lo_ns, bill->total.time_ns, bill->time_hi_ns};
	t->minor_ns = t->major_ns = (struct model_span){NAN, NAN, NAN};
	t->share = (struct model_span){NAN, model_bill_share(bill), NAN};
	t->share_of_wall = bill->share_of_wall;
	t->uncapped_ns = NAN;
}

/* --- phases --------------------------------------------------------------------------------------------------- */

static double moment_time(const struct model_moment *m)
{
	double sum = 0;

	for (size_t k = 0; k < MODEL_N_FAULT_KINDS; k++)
		sum += m->time_ns[k];
	return sum;
}

/* Moments without a fault at the end need not be kept, but belong to the run. */
static size_t n_moments_of_run(const struct model_trace *doc)
{
	const struct model_bill *bill = doc->bill;
	uint64_t n = bill->moment_ns ? (doc->wall_ns + bill->moment_ns - 1) / bill->moment_ns : 0;

	if (n > MODEL_MAX_MOMENTS)
		n = MODEL_MAX_MOMENTS;
	if (n < bill->n_moments)
		n = bill->n_moments;
	return n ? (size_t)n : 1;
}

static struct model_phase_ends find_phases(const struct model_trace *doc, size_t n)
{
	const struct model_bill *bill = doc->bill;
	double times[MODEL_MAX_MOMENTS] = {0};

	/* what was attached to had started before */
	if (doc->n_pids)
		return (struct model_phase_ends){.steady = 0, .exit = n};
	if (doc->wall_ns <= ALL_START_NS)
		return (struct model_phase_ends){.steady = n, .exit = n};
	for (size_t i = 0; i < bill->n_moments && i < MODEL_MAX_MOMENTS; i++)
		times[i] = moment_time(&bill->moments[i]);
	return model_phases_find(times, n);
}

static void sum_phase(const struct model_bill *bill, size_t from, size_t to,
		      struct model_phase_row *ret)
{
	for (size_t i = from; i < to && i < bill->n_moments; i++) {
		for (size_t k = 0; k < MODEL_N_FAULT_KINDS; k++)
			ret->count += bill->moments[i].count[k];
		ret->time_ns += moment_time(&bill->moments[i]);
	}
}

static void fill_phases(struct model_trace *doc)
{
	struct model_bill *bill = doc->bill;
	size_t n = n_moments_of_run(doc);
	struct model_phase_ends ends = find_phases(doc, n);
	const size_t from[] = {0, ends.steady, ends.exit, n};
	uint64_t end_ns = doc->wall_ns ? doc->wall_ns : n * bill->moment_ns;
	uint64_t from_ns[MODEL_N_PHASES + 1];

	for (size_t p = 0; p <= MODEL_N_PHASES; p++) {
		from_ns[p] = from[p] * bill->moment_ns;
		if (from[p] >= n || from_ns[p] > end_ns)
			from_ns[p] = end_ns;
	}
	for (size_t p = 0; p < MODEL_N_PHASES; p++) {
		struct model_phase_row *row = &bill->phases[p];

		*row = (struct model_phase_row){.from_ns = from_ns[p], .to_ns = from_ns[p + 1]};
		sum_phase(bill, from[p], from[p + 1], row);
	}
}

static void phase_faults(const struct model_bill *bill, struct model_fault_row *rows, size_t n)
{
	const struct model_phase_row *start = &bill->phases[MODEL_PHASE_START];
	const struct model_phase_row *exit = &bill->phases[MODEL_PHASE_EXIT];

	for (size_t i = 0; i < n; i++) {
		bool all_start =
			start->to_ns > 0 && start->to_ns == bill->phases[MODEL_PHASE_EXIT].to_ns;
		bool is_start = all_start || rows[i].at_ns < start->to_ns;
		bool is_exit = exit->to_ns > exit->from_ns && rows[i].at_ns >= exit->from_ns;

		rows[i].phase = is_start  ? MODEL_PHASE_START
				: is_exit ? MODEL_PHASE_EXIT
					  : MODEL_PHASE_STEADY;
	}
}

void model_bill_derive(struct model_trace *doc)
{
	struct model_bill *bill = doc->bill;

	settle_times(bill);
	sort_tables(bill);
	for (size_t i = 0; i < bill->n_sites; i++)
		bill->sites[i].culprit = find_culprit(&bill->sites[i]);
	find_dominant_kinds(bill);
	bill->share_of_wall = doc->wall_ns ? bill->total.time_ns / (double)doc->wall_ns : NAN;
	find_shares(bill);
	fill_totals(doc);
	fill_phases(doc);
	phase_faults(bill, bill->worst, bill->n_worst);
	phase_faults(bill, bill->each, bill->n_each);
	phase_faults(bill, &bill->fatal, bill->has_fatal);
}
