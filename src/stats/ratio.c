/* SPDX-License-Identifier: MIT */
/* The ratio of two things measured in pairs, with an interval. */
#include "src/stats/ratio.h"

#include "src/stats/stats.h"

#include <math.h>
#include <stdbool.h>

/* Up to here the distribution of signed ranks is counted out, beyond it is near enough to a normal one. */
enum { MAX_EXACT = 40, MAX_EXACT_SUM = MAX_EXACT * (MAX_EXACT + 1) / 2 };

#define TWO_SIDED_ERROR (1 - STATS_PAIRED_CONFIDENCE)
/* Quantiles of the normal distribution: 1 - error / 4, as each of two tests has half of it; 1 - error / 2;
 * four of five. */
#define Z_EACH 2.807
#define Z_BOTH 2.576
#define Z_POWER 0.842

/* --- how many order statistics lie outside the interval, at each end ----------------------------------- */

/* P(fewer than d of n signs are positive) for the largest d whose interval still covers. */
static size_t sign_depth(size_t n)
{
	double below = 0;
	size_t d = 0;

	for (;; d++) {
		below += stats_binomial_half(d, n);
		if (2 * below > TWO_SIDED_ERROR / 2)
			return d;
	}
}

/* Of n ranks 1..n, each positive with probability 1/2: the same for their sum. */
static size_t exact_rank_depth(size_t n)
{
	double ways[MAX_EXACT_SUM + 1] = {1};
	size_t most = 0, k = 0;
	double below = 0;

	for (size_t rank = 1; rank <= n; rank++) {
		most += rank;
		for (size_t sum = most; sum >= rank; sum--)
			ways[sum] = (ways[sum] + ways[sum - rank]) / 2;
		for (size_t sum = 0; sum < rank; sum++)
			ways[sum] /= 2;
	}
	for (;; k++) {
		below += ways[k];
		if (2 * below > TWO_SIDED_ERROR / 2)
			return k;
	}
}

static size_t rank_depth(size_t n)
{
	double m = (double)n;
	double depth;

	if (n <= MAX_EXACT)
		return exact_rank_depth(n);
	depth = m * (m + 1) / 4 - Z_EACH * sqrt(m * (m + 1) * (2 * m + 1) / 24) + 0.5;
	return (size_t)floor(depth);
}

/* --- averages of two (Walsh) --------------------------------------------------------------------------- */

/* How many pairs i <= j of ascending values average at most x. */
static double count_averages(const double *sorted, size_t n, double x)
{
	double count = 0;
	size_t end = n;

	for (size_t i = 0; i < n; i++) {
		while (end > i && sorted[i] + sorted[end - 1] > 2 * x)
			end--;
		if (end <= i)
			break;
		count += (double)(end - i);
	}
	return count;
}

/* The k-th smallest of them, counted from 1, by halving: there are too many to keep. */
static double kth_average(const double *sorted, size_t n, double k)
{
	double lo = sorted[0], hi = sorted[n - 1];

	if (count_averages(sorted, n, lo) >= k)
		return lo;
	for (int i = 0; i < 60; i++) {
		double middle = lo + (hi - lo) / 2;

		if (count_averages(sorted, n, middle) >= k)
			hi = middle;
		else
			lo = middle;
	}
	return hi;
}

/* --- together ------------------------------------------------------------------------------------------- */

struct span {
	double lo, hi;
};

static struct span sign_span(const double *sorted, size_t n)
{
	size_t d = sign_depth(n);

	return (struct span){sorted[d - 1], sorted[n - d]};
}

static struct span rank_span(const double *sorted, size_t n)
{
	double all = (double)n * ((double)n + 1) / 2;
	double k = (double)rank_depth(n);

	return (struct span){kth_average(sorted, n, k), kth_average(sorted, n, all + 1 - k)};
}

/* What both leave; where they leave nothing they contradict each other, and neither is believed. */
static struct span common(struct span a, struct span b)
{
	struct span both = {fmax(a.lo, b.lo), fmin(a.hi, b.hi)};

	return both.lo <= both.hi ? both : (struct span){fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
}

struct stats_ratio stats_ratio_of_pairs(double *log_ratios, size_t n)
{
	struct stats_ratio r = {NAN, NAN, NAN, NAN, n};
	double middle;
	struct span span;

	if (n == 0)
		return r;
	stats_sort(log_ratios, n);
	middle = kth_average(log_ratios, n, ceil((double)n * ((double)n + 1) / 4));
	r.ratio = exp(middle);
	if (n < STATS_LEAST_PAIRS)
		return r;
	span = common(sign_span(log_ratios, n), rank_span(log_ratios, n));
	r.ratio = exp(fmin(fmax(middle, span.lo), span.hi));
	r.lo = exp(span.lo);
	r.hi = exp(span.hi);
	r.detectable = exp((Z_BOTH + Z_POWER) / Z_BOTH * (span.hi - span.lo) / 2) - 1;
	return r;
}
