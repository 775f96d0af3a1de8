/* SPDX-License-Identifier: MIT */
/* Series that are no one price: values that move with time, and values that fall into two groups. Pure. */
#ifndef STATS_SERIES_H
#define STATS_SERIES_H

#include <stdbool.h>
#include <stddef.h>

struct stats_drift {
	bool found;
	double from, to; /* medians of the first and of the last quarter of the values */
};

/*
 * Whether values in order of time show a trend or a step that chance does not explain (in fewer than 1 of
 * 100 series of independent values, whatever their distribution), and that is large enough to matter. Never below
 * five values.
 */
struct stats_drift stats_find_drift(const double *values, size_t n);

struct stats_groups {
	bool found;
	double low, high; /* medians of the two */
	double between;   /* the middle of the gap: who lies below is of the low group */
	size_t n_low, n_high;
};

/* Whether ascending values fall into two groups with a wide gap between them. One odd value is no group.
 * Never below six values. */
struct stats_groups stats_find_groups_sorted(const double *sorted, size_t n);

#endif
