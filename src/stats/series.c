/* SPDX-License-Identifier: MIT */
/* Series that are no one price: drift by rank tests, and groups by the widest gap. */
#include "src/stats/series.h"

#include "src/stats/stats.h"

#include <math.h>

/* --- drift -------------------------------------------------------------------------------------- */

enum {
	LEAST_DRIFTING = 5,
	MAX_POINTS =
		60, /* more values are condensed: the tests are exact, and take the cube of it */
	MAX_PAIRS = MAX_POINTS * (MAX_POINTS - 1) / 2,
};

/* Two tests, each two-sided, are to err together in fewer than 1 of 100 series. */
static const double CHANCE_EACH = 0.0045;

/* Less is smaller than what moves between two runs anyway. */
static const double LEAST_CHANGE = 0.03;

/* Five values are in perfect order in 1 of 60 series by chance: too often, unless their steps are even, too: none
 * below this share of the mean step, as in about half of such series. */
static const double LEAST_STEP_OF_FIVE = 0.25;

/* Values, or medians of as many neighbours as it takes. */
struct points {
	double y[MAX_POINTS];
	size_t n;
};

static void condense(const double *values, size_t n, struct points *ret)
{
	size_t each = (n + MAX_POINTS - 1) / MAX_POINTS;
	double some[64];

	ret->n = 0;
	for (size_t i = 0; i < n; i += each) {
		size_t n_here = n - i < each ? n - i : each, n_some = 0;
		size_t every = (n_here + 63) / 64; /* of very many each second, third ... will do */

		for (size_t k = 0; k < n_here; k += every)
			some[n_some++] = values[i + k];
		ret->y[ret->n++] = stats_median(some, n_some);
	}
}

static double median_of(const double *y, size_t n)
{
	double sorted[MAX_POINTS];

	for (size_t i = 0; i < n; i++)
		sorted[i] = y[i];
	return stats_median(sorted, n);
}

static double mad_of(const struct points *p)
{
	double y[MAX_POINTS];

	for (size_t i = 0; i < p->n; i++)
		y[i] = p->y[i];
	return stats_mad(y, p->n);
}

/* Pairs of which the later value is the larger, less those of which it is the smaller: Kendall's S. From
 * points [0, split) to [split, n); split 0: all pairs. */
static double order(const struct points *p, size_t split)
{
	double s = 0;

	for (size_t i = 0; i < (split ? split : p->n); i++)
		for (size_t k = split ? split : i + 1; k < p->n; k++)
			s += (p->y[k] > p->y[i]) - (p->y[k] < p->y[i]);
	return s;
}

/* How probable at most n_wrong pairs of a random order of n values are in the wrong order (inversions). */
static double chance_of_order(size_t n, size_t n_wrong)
{
	double p[MAX_PAIRS + 1] = {1}, sum = 0;

	for (size_t i = 2; i <= n; i++) {
		double before[MAX_PAIRS + 1], window = 0;

		for (size_t k = 0; k <= n_wrong; k++)
			before[k] = p[k];
		for (size_t k = 0; k <= n_wrong; k++) {
			window += before[k] - (k >= i ? before[k - i] : 0);
			p[k] = window / (double)i;
		}
	}
	for (size_t k = 0; k <= n_wrong; k++)
		sum += p[k];
	return sum;
}

/* The same of pairs between n_a earlier and n_b later values: Mann and Whitney's U, its counts by the generating
 * function of partitions, over all ways to choose the earlier ones. */
static double chance_of_halves(size_t n_a, size_t n_b, size_t n_wrong)
{
	double ways[MAX_PAIRS + 1] = {1}, sum = 0, all = 1;

	for (size_t i = 1; i <= n_a; i++) {
		for (size_t k = n_wrong; k >= n_b + i; k--)
			ways[k] -= ways[k - n_b - i];
		for (size_t k = i; k <= n_wrong; k++)
			ways[k] += ways[k - i];
		all *= (double)(n_b + i) / (double)i;
	}
	for (size_t k = 0; k <= n_wrong; k++)
		sum += ways[k];
	return sum / all;
}

/* How many of n_pairs are wrong, for the side that s points to. Ties count half, rounded up: less evidence. */
static size_t n_wrong(size_t n_pairs, double s)
{
	return (size_t)ceil(((double)n_pairs - fabs(s)) / 2);
}

static bool has_trend(const struct points *p)
{
	double n = (double)p->n, s = order(p, 0);
	double sigma = sqrt(n * (n - 1) * (2 * n + 5) / 18);

	if (fabs(s) < 2 * sigma) /* far from it: spare the exact sum */
		return false;
	return 2 * chance_of_order(p->n, n_wrong(p->n * (p->n - 1) / 2, s)) <= CHANCE_EACH;
}

static bool has_step(const struct points *p)
{
	size_t a = p->n / 2, b = p->n - a;
	double n_a = (double)a, n_b = (double)b, s = order(p, a);
	double sigma = sqrt(n_a * n_b * (n_a + n_b + 1) / 3);

	if (fabs(s) < 2 * sigma)
		return false;
	return 2 * chance_of_halves(a, b, n_wrong(a * b, s)) <= CHANCE_EACH;
}

static bool climbs_evenly(const struct points *p)
{
	double mean = (p->y[p->n - 1] - p->y[0]) / (double)(p->n - 1);

	for (size_t i = 1; i < p->n; i++)
		if (!((p->y[i] - p->y[i - 1]) / mean >= LEAST_STEP_OF_FIVE))
			return false;
	return true;
}

/* A change that is less than what values lie off their median anyway is told by their interval. */
static bool matters(const struct points *p, double change)
{
	return change > LEAST_CHANGE * fabs(median_of(p->y, p->n)) && change > mad_of(p);
}

struct stats_drift stats_find_drift(const double *values, size_t n)
{
	struct stats_drift d = {.from = NAN, .to = NAN};
	struct points p;
	size_t quarter;

	if (n < LEAST_DRIFTING)
		return d;
	condense(values, n, &p);
	quarter = p.n / 4 > 2 ? p.n / 4 : 2;
	d.from = median_of(p.y, quarter);
	d.to = median_of(p.y + p.n - quarter, quarter);
	if (!matters(&p, fabs(d.to - d.from)))
		return d;
	d.found = p.n == LEAST_DRIFTING ? climbs_evenly(&p) : has_trend(&p) || has_step(&p);
	return d;
}

/* --- groups ------------------------------------------------------------------------------------- */

enum {
	LEAST_GROUPED = 6,
	LEAST_IN_GROUP = 2,
	LEAST_GROUP_PART = 6, /* a group has a sixth of the values: fewer are outliers */
};

/* A gap is wide that is this many times as wide as the values of either group lie off its median, on an average:
 * so in 1 of 100 series of six normal values, in 1 of thousands from ten on. */
static const double WIDE_GAP = 10;

/* Mean distance from the median. */
static double spread(const double *sorted, size_t n)
{
	double median = stats_quantile_sorted(sorted, n, 0.5), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabs(sorted[i] - median);
	return sum / (double)n;
}

/* Where the upper group would begin: behind the widest gap that leaves enough on each side. */
static size_t widest_gap(const double *sorted, size_t n)
{
	size_t least =
		n / LEAST_GROUP_PART > LEAST_IN_GROUP ? n / LEAST_GROUP_PART : LEAST_IN_GROUP;
	size_t at = least;

	for (size_t i = least; i + least <= n; i++)
		if (sorted[i] - sorted[i - 1] > sorted[at] - sorted[at - 1])
			at = i;
	return at;
}

struct stats_groups stats_find_groups_sorted(const double *sorted, size_t n)
{
	struct stats_groups g = {.low = NAN, .high = NAN, .between = NAN};
	double gap;

	if (n < LEAST_GROUPED)
		return g;
	g.n_low = widest_gap(sorted, n);
	g.n_high = n - g.n_low;
	g.low = stats_quantile_sorted(sorted, g.n_low, 0.5);
	g.high = stats_quantile_sorted(sorted + g.n_low, g.n_high, 0.5);
	g.between = (sorted[g.n_low - 1] + sorted[g.n_low]) / 2;
	gap = sorted[g.n_low] - sorted[g.n_low - 1];
	g.found =
		gap > LEAST_CHANGE * fabs(stats_quantile_sorted(sorted, n, 0.5)) &&
		gap > WIDE_GAP * fmax(spread(sorted, g.n_low), spread(sorted + g.n_low, g.n_high));
	return g;
}
