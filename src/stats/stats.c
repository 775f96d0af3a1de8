/* SPDX-License-Identifier: MIT */
/* Robust statistics of small samples. */
#include "src/stats/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort(double *values, size_t n)
{
	if (n > 1)
		qsort(values, n, sizeof(*values), compare_doubles);
}

double stats_quantile_sorted(const double *sorted, size_t n, double q)
{
	double at, below;
	size_t i;

	if (n == 0)
		return NAN;
	at = q * (double)(n - 1);
	below = floor(at);
	i = (size_t)below;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]);
}

double stats_median(double *values, size_t n)
{
	stats_sort(values, n);
	return stats_quantile_sorted(values, n, 0.5);
}

double stats_mad(double *values, size_t n)
{
	double median = stats_median(values, n);

	for (size_t i = 0; i < n; i++)
		values[i] = fabs(values[i] - median);
	return stats_median(values, n);
}

/* P(X = k) for X ~ Binomial(n, 1/2), in logarithms so that large n does not overflow. */
double stats_binomial_half(size_t k, size_t n)
{
	int sign; /* lgamma() would write it into a global: threads read documents */

	return exp(lgamma_r((double)n + 1, &sign) - lgamma_r((double)k + 1, &sign) -
		   lgamma_r((double)(n - k) + 1, &sign) - (double)n * log(2));
}

/*
 * Interpolation believes that values lie evenly between two order statistics. Where prices fall into two
 * groups with the median between them there is nothing in the gap, the interpolated end lies in it, and is
 * wrong as often as the inner order statistic is: 87 % at 7 values. So an end is the outer order statistic
 * where the gap takes more than this share of the distance between the two outer ones. Normal values
 * have such gaps by chance now and then, which makes intervals 1.6 % wider on an average.
 */
static const double GAP_SHARE = 0.5;

/* x_(d) and x_(n-d+1), d counted from 1, and how far the ends lie from them towards the next inner ones. */
struct ends {
	size_t d; /* 0: no pair is wide enough */
	double lambda;
};

static struct ends find_ends(size_t n, double wanted)
{
	/* [x_(d), x_(n-d+1)] covers 1 - 2 P(X < d) */
	double below = stats_binomial_half(0, n), outer = 1 - 2 * below, inner, share;
	size_t d = 1;

	if (outer < wanted)
		return (struct ends){0, 0};
	for (;; d++) {
		below += stats_binomial_half(d, n);
		inner = 1 - 2 * below;
		if (inner < wanted)
			break;
		outer = inner;
	}
	share = (outer - wanted) / (outer - inner);
	return (struct ends){d, (double)(n - d) * share /
					((double)d + ((double)n - 2 * (double)d) * share)};
}

static double end_between(double outer, double inner, double lambda, double outer_width)
{
	if (fabs(inner - outer) > GAP_SHARE * outer_width)
		return outer;
	return (1 - lambda) * outer + lambda * inner;
}

static struct stats_interval interval_at(const double *sorted, size_t n, double confidence)
{
	struct stats_interval i = {.kind = STATS_INTERVAL_NONE, .lo = NAN, .hi = NAN};
	struct ends ends;
	double width;

	if (n < 2)
		return i;
	ends = find_ends(n, confidence);
	if (!ends.d)
		return (struct stats_interval){STATS_INTERVAL_RANGE, sorted[0], sorted[n - 1]};
	width = sorted[n - ends.d] - sorted[ends.d - 1];
	i.kind = STATS_INTERVAL_95;
	i.lo = end_between(sorted[ends.d - 1], sorted[ends.d], ends.lambda, width);
	i.hi = end_between(sorted[n - ends.d], sorted[n - ends.d - 1], ends.lambda, width);
	return i;
}

struct stats_interval stats_median_interval_sorted(const double *sorted, size_t n)
{
	return interval_at(sorted, n, STATS_CONFIDENCE);
}

static struct stats_summary summarize_at(double *values, size_t n, double confidence)
{
	struct stats_summary s = {.median = NAN, .min = NAN, .mad = NAN, .n = n};

	stats_sort(values, n);
	s.interval = interval_at(values, n, confidence);
	if (n == 0)
		return s;
	s.median = stats_quantile_sorted(values, n, 0.5);
	s.min = values[0];
	s.mad = stats_mad(values, n);
	return s;
}

struct stats_summary stats_summarize(double *values, size_t n)
{
	return summarize_at(values, n, STATS_CONFIDENCE);
}

struct stats_summary stats_summarize_stopped(double *values, size_t n)
{
	return summarize_at(values, n, STATS_CONFIDENCE_STOPPED);
}

double stats_half_width(const struct stats_summary *summary)
{
	if (summary->interval.kind == STATS_INTERVAL_NONE || !(summary->median > 0))
		return NAN;
	return (summary->interval.hi - summary->interval.lo) / 2 / summary->median;
}

static bool is_precise(const struct stats_summary *summary, double precision)
{
	/* a range of few trials is no interval: it cannot be precise */
	return summary->interval.kind == STATS_INTERVAL_95 &&
	       stats_half_width(summary) <= precision;
}

bool stats_wants_trial(const struct stats_summary *summary, size_t n_trials, size_t least_trials,
		       double precision)
{
	return n_trials < least_trials || (precision > 0 && !is_precise(summary, precision));
}

uint64_t stats_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void stats_shuffle(uint64_t *state, size_t *ret_order, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ret_order[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)(stats_random(state) % i);
		size_t kept = ret_order[i - 1];

		ret_order[i - 1] = ret_order[j];
		ret_order[j] = kept;
	}
}
