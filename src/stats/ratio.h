/* SPDX-License-Identifier: MIT */
/* The ratio of two things measured in pairs, with an interval. Pure, nothing kept. */
#ifndef STATS_RATIO_H
#define STATS_RATIO_H

#include <stddef.h>

/* Of every hundred intervals of pairs one may miss what it is about. Fewer pairs than these have none. */
#define STATS_PAIRED_CONFIDENCE 0.99
enum { STATS_LEAST_PAIRS = 9 };

struct stats_ratio {
	double ratio;
	double lo, hi; /* NaN: too few for an interval */
	double detectable; /* the smallest change, as a share, that is found in four of five runs; NaN */
	size_t n;          /* pairs */
};

/*
 * The ratio of pairs whose order was random, from their log ratios, which it sorts. Where there is no
 * difference these are symmetric about 0, whatever drifts and however noise is distributed. The interval
 * is what two tests leave: Wilcoxon's signed ranks, best for noise of one kind, and the sign test, best
 * where pairs were torn apart by a machine that changes between two states; each at half the error
 * (Bonferroni), so that together they keep to STATS_PAIRED_CONFIDENCE. The ratio is Hodges and Lehmann's
 * (1963) pseudomedian. Log ratios must not be NaN.
 */
struct stats_ratio stats_ratio_of_pairs(double *log_ratios, size_t n);

#endif
