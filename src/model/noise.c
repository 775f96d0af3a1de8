/* SPDX-License-Identifier: MIT */
/* Noise: what disturbed a run, as measured, and what is said of it. */
#include "src/model/noise.h"

#include "src/base/array.h"
#include "src/base/units.h"
#include "src/model/bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/*
 * Where it was tried (AMD Zen 4 in a VM of 2 CPUs, neighbours compiling) the slower of two
 * calibrations was more than 5 % above the lower tenth in 1 to 2 of 100 pairs, with the other CPU
 * busy or not; half of all pairs were within 0.1 %. So what is above is no chance, and a fifth of
 * the rounds above it is a slower CPU.
 */
#define SLOW_CPU_EXCESS 0.05

/* The usual is what the fastest tenth of the rounds take: a run of which half is slow has no median
 * that is usual. */
#define USUAL_QUANTILE 0.1

/*
 * Without a shortage rounds show 0 of memory pressure, so little of it tells. Waits for a disk are
 * everyday: beside compilers rounds that read none showed up to 2 % of I/O pressure, at their usual
 * price, and beside a writer that kept the disk busy 43 %, at a price up by a tenth.
 */
#define MEMORY_PRESSURE_SHARE 0.05
#define IO_PRESSURE_SHARE 0.25

/* The window of PSI is wider than the timed section, by our own looks before and after. */
enum { LEAST_PRESSURE_NS = 200000 };

static double known(int64_t count)
{
	return count < 0 ? NAN : (double)count;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static int64_t add_counts(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? MODEL_NOT_COUNTED : a + b;
}

static void extend(struct model_noise *last, const struct model_noise *by)
{
	last->elapsed_ns += by->elapsed_ns;
	last->steal_ns += by->steal_ns;
	last->steal_all_ns += by->steal_all_ns;
	last->psi_cpu_ns = add_counts(last->psi_cpu_ns, by->psi_cpu_ns);
	last->psi_memory_ns = add_counts(last->psi_memory_ns, by->psi_memory_ns);
	last->psi_io_ns = add_counts(last->psi_io_ns, by->psi_io_ns);
}

int model_noise_add(struct model_bench *doc, const struct model_noise *noise)
{
	struct model_noise *grown;

	if (doc->n_noise == MODEL_MAX_NOISE) {
		extend(&doc->noise[doc->n_noise - 1], noise);
		return 0;
	}
	grown = array_grow(doc->noise, doc->n_noise, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	doc->noise = grown;
	grown[doc->n_noise] = *noise;
	grown[doc->n_noise++].calibration_ns = MODEL_NOT_COUNTED;
	return 0;
}

/* --- calibration: what is usual, and which block was slow ----------------------------------------- */

/* What a round tells of its block. */
struct sample {
	uint32_t block;
	double calibration_ns; /* NaN: not known */
	uint64_t nivcsw;
};

static int by_block(const void *a, const void *b)
{
	const struct sample *x = a;
	const struct sample *y = b;

	return (x->block > y->block) - (x->block < y->block);
}

/* All rounds, by block; NULL without one, or without memory. */
static struct sample *collect(const struct model_bench *doc, size_t *ret_n)
{
	const struct model_scenario *s;
	struct sample *samples;
	size_t n = 0;

	for (size_t i = 0; (s = model_bench_row(doc, i)); i++)
		n += s->n_rounds;
	samples = n ? calloc(n, sizeof(*samples)) : NULL;
	*ret_n = samples ? n : 0;
	if (!samples)
		return NULL;
	n = 0;
	for (size_t i = 0; (s = model_bench_row(doc, i)); i++)
		for (size_t k = 0; k < s->n_rounds; k++)
			samples[n++] = (struct sample){
				.block = s->rounds[k].block,
				.calibration_ns = known(s->rounds[k].calibration_ns),
				.nivcsw = s->rounds[k].nivcsw,
			};
	qsort(samples, n, sizeof(*samples), by_block);
	return samples;
}

/* The calibrations of n samples, ascending; how many there are. */
static size_t sort_calibrations(const struct sample *samples, size_t n, double *ret_values)
{
	size_t n_known = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(samples[i].calibration_ns))
			ret_values[n_known++] = samples[i].calibration_ns;
	stats_sort(ret_values, n_known);
	return n_known;
}

static void derive_calibration(struct model_noise_summary *sum, const double *sorted, size_t n)
{
	double usual = stats_quantile_sorted(sorted, n, USUAL_QUANTILE);

	if (!(usual > 0)) /* NaN, or a document in which nothing takes time */
		return;
	sum->calibration_ns = usual;
	sum->calibration_spread =
		(stats_quantile_sorted(sorted, n, 0.9) - stats_quantile_sorted(sorted, n, 0.1)) /
		2 / stats_quantile_sorted(sorted, n, 0.5);
}

/* Block i is of the samples from its number on, up to the number of the next one. */
static void derive_blocks(struct model_bench *doc, const struct sample *samples, size_t n,
			  double *scratch)
{
	struct model_noise_summary *sum = &doc->noise_summary;
	size_t k = 0;

	for (size_t i = 0; i < doc->n_noise; i++) {
		struct model_noise *block = &doc->noise[i];
		bool last = i + 1 == doc->n_noise;
		size_t begin, n_known;

		block->nivcsw = 0;
		block->calibration_ns = MODEL_NOT_COUNTED;
		while (k < n && samples[k].block < block->block)
			k++;
		for (begin = k; k < n && (last || samples[k].block < block[1].block); k++)
			block->nivcsw += samples[k].nivcsw;
		n_known = sort_calibrations(samples + begin, k - begin, scratch);
		if (!n_known || isnan(sum->calibration_ns))
			continue;
		block->calibration_ns = (int64_t)stats_quantile_sorted(scratch, n_known, 0.5);
		sum->worst_block_excess =
			fmax(sum->worst_block_excess,
			     (double)block->calibration_ns / sum->calibration_ns - 1);
	}
}

static void derive_shares(struct model_bench *doc)
{
	struct model_noise_summary *sum = &doc->noise_summary;
	double elapsed = 0, steal = 0, cpu = 0, memory = 0, io = 0;

	for (size_t i = 0; i < doc->n_noise; i++) {
		const struct model_noise *n = &doc->noise[i];

		elapsed += (double)n->elapsed_ns;
		steal += (double)n->steal_ns;
		cpu += known(n->psi_cpu_ns);
		memory += known(n->psi_memory_ns);
		io += known(n->psi_io_ns);
	}
	if (!(elapsed > 0))
		return;
	sum->steal_share = fmin(steal / elapsed, 1); /* a tick may be longer than a short run */
	sum->psi_cpu_share = cpu / elapsed;
	sum->psi_memory_share = memory / elapsed;
	sum->psi_io_share = io / elapsed;
}

void model_noise_derive(struct model_bench *doc)
{
	size_t n;
	struct sample *samples = collect(doc, &n);
	double *values = calloc(n + 1, sizeof(*values));

	doc->noise_summary = (struct model_noise_summary){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	derive_shares(doc);
	if (values) {
		derive_calibration(&doc->noise_summary, values,
				   sort_calibrations(samples, n, values));
		derive_blocks(doc, samples, n, values);
	}
	for (size_t i = 0; i < doc->n_scenarios; i++)
		doc->scenarios[i].usual_calibration_ns = doc->noise_summary.calibration_ns;
	doc->floor.usual_calibration_ns = doc->noise_summary.calibration_ns;
	free(values);
	free(samples);
}

bool model_noise_is_seen(const struct model_bench *doc)
{
	const struct model_scenario *s;

	if (doc->noise_summary.worst_block_excess > SLOW_CPU_EXCESS)
		return true;
	for (size_t i = 0; (s = model_bench_row(doc, i)); i++)
		for (size_t k = 0; k < s->n_rounds; k++)
			if (s->rounds[k].marks & MODEL_MARKS_NOISE)
				return true;
	return false;
}

/* --- rounds: their derived marks, and what is said of all marks ------------------------------------ */

/* How hard a round was hit, as a share; NaN: not known, or not by this. */
typedef double round_share(const struct model_scenario *s, const struct model_round *r);

static double slow_touches(const struct model_scenario *s, const struct model_round *r)
{
	return (double)r->warm_slow_touches / (double)s->n_pages;
}

/* At most all of it: steal has the tick's resolution and PSI a wider window, so either may be the longer. */
static double share_of_round(double part_ns, const struct model_round *r)
{
	double share = part_ns / (double)r->elapsed_ns;

	return share > 1 ? 1 : share;
}

static double waited(const struct model_scenario *s, const struct model_round *r)
{
	(void)s;
	return share_of_round((double)r->run_delay_ns, r);
}

static double stolen(const struct model_scenario *s, const struct model_round *r)
{
	(void)s;
	return share_of_round((double)r->steal_ns, r);
}

static double slept(const struct model_scenario *s, const struct model_round *r)
{
	(void)s;
	return share_of_round((double)r->blocked_ns, r);
}

static double slow_cpu(const struct model_scenario *s, const struct model_round *r)
{
	double excess = known(r->calibration_ns) / s->usual_calibration_ns - 1;

	return excess > SLOW_CPU_EXCESS ? excess : NAN;
}

/* NaN where it is no more than least. */
static double pressure(int64_t psi_ns, const struct model_round *r, double least)
{
	double share = share_of_round(known(psi_ns), r);

	return psi_ns >= LEAST_PRESSURE_NS && share > least ? share : NAN;
}

static double memory_pressure(const struct model_scenario *s, const struct model_round *r)
{
	(void)s;
	return pressure(r->psi_memory_ns, r, MEMORY_PRESSURE_SHARE);
}

/* A row that waits for a disk is itself a task that waits. */
static double io_pressure(const struct model_scenario *s, const struct model_round *r)
{
	return s->ledger.major.hi > 0 ? NAN : pressure(r->psi_io_ns, r, IO_PRESSURE_SHARE);
}

/*
 * No mark for CPU pressure: with a busy other CPU it is the rule and disturbs nobody, and whether
 * this thread waited its own run_delay_ns says (switched).
 */
static const struct derived_mark {
	enum model_mark mark;
	round_share *share;
} derived_marks[] = {
	{MODEL_MARK_SLOW_CPU, slow_cpu},
	{MODEL_MARK_PRESSURE, memory_pressure},
	{MODEL_MARK_PRESSURE, io_pressure},
};

void model_noise_mark(struct model_scenario *s)
{
	for (size_t i = 0; i < s->n_rounds; i++) {
		s->rounds[i].marks &= ~(uint32_t)MODEL_MARKS_DERIVED;
		for (size_t k = 0; k < ARRAY_LEN(derived_marks); k++)
			if (!isnan(derived_marks[k].share(s, &s->rounds[i])))
				s->rounds[i].marks |= derived_marks[k].mark;
	}
}

/* A sentence: how many rounds, what befell them, the median of its share, and what would help. */
struct cause {
	enum model_mark mark;
	bool derived; /* only those rounds with the mark that have the share */
	round_share *share;
	const char *what, *before, *after; /* the share, and what stands around it */
	const char *help;
};

static const struct cause causes[] = {
	{MODEL_MARK_HOST_COLD, false, slow_touches,
	 ": over 0.5 % of the warm-up touches took more than 10 us", " (median ", ")",
	 "; the host was short of memory or busy: a smaller --size or a quieter host would help"},
	{MODEL_MARK_SWITCHED, false, waited, " had to wait for the CPU", ", ", " of their time",
	 ": other tasks had it (stop them, or choose another --cpu), or the cgroup's CPU limit was "
	 "used up (raise it)"},
	{MODEL_MARK_STOLEN, false, stolen, " lost CPU time to the hypervisor (steal", ", ", "",
	 "); other guests are busy: measure when they are not, or on CPUs of your own"},
	{MODEL_MARK_SLEPT, false, slept, " slept for more than 1 % of their time", " (median ", ")",
	 ", though nothing had to come from a disk; reclaim, a memory cgroup's limit or a lock does "
	 "that: more free memory would help"},
	{MODEL_MARK_WARM_LATE, false, NULL, " began more than 0.1 s after the warm-up pass", "", "",
	 "; memory may have gone cold: keep other tasks off the CPU"},
	{MODEL_MARK_SLOW_CPU, true, slow_cpu, ": the CPU ran", " ", " slower than usual",
	 " (a lower clock, a busy sibling thread or another guest); use an idle machine, or --ab, "
	 "whose sides share such phases"},
	{MODEL_MARK_PRESSURE, true, memory_pressure, ": tasks waited for memory", " ",
	 " of the time",
	 " (reclaim, swap or a cgroup's limit); free memory, or give a smaller --size"},
	{MODEL_MARK_PRESSURE, true, io_pressure, ": tasks waited for a disk", " ", " of the time",
	 ", though this row reads none; stop what reads or writes, or wait until it is done"},
};

/* The rounds that a cause has hit, and the median of their shares; NaN where none is above 0. */
static size_t count_hit(const struct model_scenario *s, const struct cause *c, double *ret_median)
{
	double *shares = calloc(s->n_rounds, sizeof(*shares));
	size_t n_hit = 0, n_shares = 0;

	for (size_t i = 0; i < s->n_rounds; i++) {
		double share = c->share ? c->share(s, &s->rounds[i]) : NAN;

		if (!(s->rounds[i].marks & c->mark) || (c->derived && isnan(share)))
			continue;
		n_hit++;
		if (shares && isfinite(share) && share > 0)
			shares[n_shares++] = share;
	}
	*ret_median = stats_median(shares, n_shares);
	free(shares);
	return n_hit;
}

static const char *mark_name(enum model_mark mark)
{
	unsigned bit = 0;

	while (!((uint32_t)mark >> bit & 1))
		bit++;
	return model_mark_names[bit];
}

void model_noise_warn(struct model_scenario *s)
{
	for (size_t i = 0; i < ARRAY_LEN(causes); i++) {
		const struct cause *c = &causes[i];
		double median;
		size_t n = count_hit(s, c, &median);
		bool told = !isnan(median);

		if (5 * n <= s->n_rounds) /* a fifth of them does not move a median */
			continue;
		model_warn(s->warnings, &s->n_warnings, mark_name(c->mark),
			   "%zu of %zu rounds%s%s%s%s%s", n, s->n_rounds, c->what,
			   told ? c->before : "", told ? units_share(median).s : "",
			   told ? c->after : "", c->help);
		s->verdict = MODEL_NOISY;
	}
}
