/* SPDX-License-Identifier: MIT */
/* Robust statistics of small samples. Pure: no system calls, no state, nothing allocated. */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts ascending, in place. Values must not be NaN. */
void stats_sort(double *values, size_t n);

/* Quantile q (0..1) of ascending values, linear between neighbours (Hyndman-Fan type 7). NaN for
 * n == 0. */
double stats_quantile_sorted(const double *sorted, size_t n, double q);

/* Median; sorts values in place. NaN for n == 0. */
double stats_median(double *values, size_t n);

/* Median absolute deviation from the median, not scaled. Overwrites values. */
double stats_mad(double *values, size_t n);

enum stats_interval_kind {
	STATS_INTERVAL_NONE,  /* fewer than two values, or no one price */
	STATS_INTERVAL_RANGE, /* too few values for 95 %: smallest and largest */
	STATS_INTERVAL_95,    /* order statistics, 95 % */
};

struct stats_interval {
	enum stats_interval_kind kind;
	double lo, hi;
};

/* How sure an interval is, and how sure one has to be computed that ended a series by being narrow: of the
 * looks at it one is taken that happened to be narrow, and 97.5 % then cover what 95 % promise (make
 * bench-coverage). */
#define STATS_CONFIDENCE 0.95
#define STATS_CONFIDENCE_STOPPED 0.975

/* Values that it takes, each: of fewer there is a range. */
enum { STATS_LEAST_FIXED = 6, STATS_LEAST_STOPPED = 7 };

/*
 * Distribution-free 95 % interval of the median from order statistics, interpolated between two of
 * them (Hettmansperger and Sheather 1986), save across a gap: see GAP_SHARE in stats.c. Below six values no
 * pair of order statistics reaches 95 %, and the range is returned, named as such (five values: 93.75 %).
 */
struct stats_interval stats_median_interval_sorted(const double *sorted, size_t n);

struct stats_summary {
	double median, min, mad;
	struct stats_interval interval;
	size_t n;
};

/* All of the above at once. Overwrites values. n == 0 gives NaN everywhere. */
struct stats_summary stats_summarize(double *values, size_t n);

/* The same with an interval of STATS_CONFIDENCE_STOPPED: of a series that stats_wants_trial() may end. */
struct stats_summary stats_summarize_stopped(double *values, size_t n);

/* Half the interval as a share of the median: what "+-" prints. NaN without an interval. */
double stats_half_width(const struct stats_summary *summary);

/* P(X = k) for X ~ Binomial(n, 1/2). */
double stats_binomial_half(size_t k, size_t n);

/* The stopping rule: at least so many trials; then, where a precision is asked for (not 0), one at a time until
 * half the interval of stats_summarize_stopped(), which must be no range, is that share of the median. */
bool stats_wants_trial(const struct stats_summary *summary, size_t n_trials, size_t least_trials,
		       double precision);

/* A small generator for orders of trials (splitmix64): reproducible by its seed, not secret. */
uint64_t stats_random(uint64_t *state);

/* Shuffles indices 0..n-1 into ret_order (Fisher-Yates). */
void stats_shuffle(uint64_t *state, size_t *ret_order, size_t n);

#endif
