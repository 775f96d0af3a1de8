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
static double binomial_half(size_t k, size_t n)
{
	int sign; /* lgamma() would write it into a global: threads read documents */

	return exp(lgamma_r((double)n + 1, &sign) - lgamma_r((double)k + 1, &sign) -
		   lgamma_r((double)(n - k) + 1, &sign) - (double)n * log(2));
}

struct stats_interval stats_median_interval_sorted(const double *sorted, size_t n)
{
	const double wanted = 0.95;
	struct stats_interval i = {.kind = STATS_INTERVAL_NONE, .lo = NAN, .hi = NAN};
	double below, outer, inner, share, lambda;
	size_t d = 1;

	if (n < 2)
		return i;
	i = (struct stats_interval){STATS_INTERVAL_RANGE, sorted[0], sorted[n - 1]};
	/* [x_(d), x_(n-d+1)], d counted from 1, covers 1 - 2 P(X < d) */
	below = binomial_half(0, n);
	outer = 1 - 2 * below;
	if (outer < wanted)
		return i;
	for (;; d++) {
		below += binomial_half(d, n);
		inner = 1 - 2 * below;
		if (inner < wanted)
			break;
		outer = inner;
	}
	share = (outer - wanted) / (outer - inner);
	lambda = (double)(n - d) * share / ((double)d + ((double)n - 2 * (double)d) * share);
	i.kind = STATS_INTERVAL_95;
	i.lo = (1 - lambda) * sorted[d - 1] + lambda * sorted[d];
	i.hi = (1 - lambda) * sorted[n - d] + lambda * sorted[n - d - 1];
	return i;
}

struct stats_summary stats_summarize(double *values, size_t n)
{
	struct stats_summary s = {.median = NAN, .min = NAN, .mad = NAN, .n = n};

	stats_sort(values, n);
	s.interval = stats_median_interval_sorted(values, n);
	if (n == 0)
		return s;
	s.median = stats_quantile_sorted(values, n, 0.5);
	s.min = values[0];
	s.mad = stats_mad(values, n);
	return s;
}

double stats_half_width(const struct stats_summary *summary)
{
	if (summary->interval.kind == STATS_INTERVAL_NONE || !(summary->median > 0))
		return NAN;
	return (summary->interval.hi - summary->interval.lo) / 2 / summary->median;
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
