/* SPDX-License-Identifier: MIT */
/* Two groups of few values: how far apart their means are, and how sure that is. */
#ifndef STATS_GROUPS_H
#define STATS_GROUPS_H

#include "src/stats/stats.h"

#include <stddef.h>

/* The quantile of Student's t: P(T <= t) = p. NaN unless 0 < p < 1 and df > 0. */
double stats_t_quantile(double p, double df);

/* variance is of one value, NaN for n < 2. */
struct stats_group {
	double mean, variance;
	size_t n;
};

struct stats_group stats_group_of(const double *values, size_t n);

/* How values of one group spread, and from how many degrees of freedom that is known; df 0: it is not. */
struct stats_spread {
	double variance, df;
};

/*
 * Of groups that are taken to spread alike: with three values a side Welch's own degrees of freedom are
 * a wild guess, and the interval with them.
 */
struct stats_spread stats_spread_pooled(struct stats_group a, struct stats_group b);

/* No smaller than the floor: values that happen to agree spread less than each of them is known. */
struct stats_spread stats_spread_floored(struct stats_spread spread, double floor);

/*
 * The standard error of the median's logarithm that the interval implies, taken as normal. A range of few
 * values covers less than 95 %, so it is worth a larger error. NaN without an interval above 0.
 */
double stats_log_error(const struct stats_summary *summary);

/* Its interval is of STATS_CONFIDENCE. */
struct stats_difference {
	double difference; /* of the means, b less a */
	double half_width; /* of its interval; NaN where the spread is not known */
	double detectable; /* the smallest difference that is found 4 times in 5; NaN */
	double chance;     /* how probable one as large is, either way, where there is none; NaN */
};

struct stats_difference stats_difference(struct stats_group a, struct stats_group b,
					 struct stats_spread spread);

#endif
