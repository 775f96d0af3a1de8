/* SPDX-License-Identifier: MIT */
/* Two groups of few values: how far apart their means are, and how sure that is. */
#include "src/stats/groups.h"

#include <float.h>
#include <math.h>

/* How often a difference as large as "detectable" is found. */
#define POWER 0.8

enum { MAX_STEPS = 500 };

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
	h = d;
	for (int m = 1; m <= MAX_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
		c = fabs(c) < DBL_MIN ? DBL_MIN : c;
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
		c = fabs(c) < DBL_MIN ? DBL_MIN : c;
		h *= d * c;
		if (fabs(d * c - 1) < 4 * DBL_EPSILON)
			break;
	}
	return h;
}

/* The regularized incomplete beta function I_x(a, b). y is 1 - x, which the caller knows better. */
static double incomplete_beta(double a, double b, double x, double y)
{
	double front;

	if (x <= 0 || y <= 0)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
	if (x < (a + 1) / (a + b + 2)) /* where the fraction converges fast */
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, y) / b;
}

/* P(T > t) for t >= 0. */
static double upper_tail(double t, double df)
{
	return incomplete_beta(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t)) / 2;
}

double stats_t_quantile(double p, double df)
{
	double tail, lo = 0, hi = 1;

	if (!(p > 0 && p < 1 && df > 0))
		return NAN;
	if (p < 0.5)
		return -stats_t_quantile(1 - p, df);
	tail = 1 - p;
	while (upper_tail(hi, df) > tail && hi < DBL_MAX / 4)
		hi *= 2;
	for (int i = 0; i < MAX_STEPS && hi - lo > 1e-12 * hi; i++) {
		double middle = lo + (hi - lo) / 2;

		if (upper_tail(middle, df) > tail)
			lo = middle;
		else
			hi = middle;
	}
	return lo + (hi - lo) / 2;
}

struct stats_group stats_group_of(const double *values, size_t n)
{
	struct stats_group g = {.mean = NAN, .variance = NAN, .n = n};
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	if (n)
		g.mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - g.mean) * (values[i] - g.mean);
	if (n > 1)
		g.variance = squares / (double)(n - 1);
	return g;
}

struct stats_spread stats_spread_pooled(struct stats_group a, struct stats_group b)
{
	double df_a = a.n > 1 ? (double)(a.n - 1) : 0;
	double df_b = b.n > 1 ? (double)(b.n - 1) : 0;
	double squares = 0;

	if (df_a + df_b <= 0)
		return (struct stats_spread){NAN, 0};
	if (df_a > 0)
		squares += df_a * a.variance;
	if (df_b > 0)
		squares += df_b * b.variance;
	return (struct stats_spread){squares / (df_a + df_b), df_a + df_b};
}

struct stats_spread stats_spread_floored(struct stats_spread spread, double floor)
{
	if (spread.variance < floor)
		spread.variance = floor;
	return spread;
}

/* z with P(Z > z) = tail, for tail <= 1/2. */
static double normal_quantile(double tail)
{
	double lo = 0, hi = 40; /* beyond that no tail is left in a double */

	while (hi - lo > 1e-9) {
		double middle = lo + (hi - lo) / 2;

		if (erfc(middle / sqrt(2)) / 2 > tail)
			lo = middle;
		else
			hi = middle;
	}
	return lo;
}

double stats_log_error(const struct stats_summary *summary)
{
	const struct stats_interval *i = &summary->interval;
	double tail = (1 - STATS_CONFIDENCE) / 2;

	if (i->kind == STATS_INTERVAL_NONE || !(i->lo > 0))
		return NAN;
	if (i->kind == STATS_INTERVAL_RANGE) /* all values lie above the median, or all below */
		tail = pow(0.5, (double)summary->n);
	return (log(i->hi) - log(i->lo)) / 2 / normal_quantile(tail);
}

struct stats_difference stats_difference(struct stats_group a, struct stats_group b,
					 struct stats_spread spread)
{
	struct stats_difference d = {b.mean - a.mean, NAN, NAN, NAN};
	double se, critical;

	if (a.n == 0 || b.n == 0 || !(spread.df > 0))
		return d;
	se = sqrt(spread.variance * (1 / (double)a.n + 1 / (double)b.n));
	critical = stats_t_quantile(1 - (1 - STATS_CONFIDENCE) / 2, spread.df);
	d.half_width = critical * se;
	d.detectable = (critical + stats_t_quantile(POWER, spread.df)) * se;
	d.chance = se > 0 ? 2 * upper_tail(fabs(d.difference) / se, spread.df) : NAN;
	return d;
}
