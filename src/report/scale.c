/* SPDX-License-Identifier: MIT */
/* Logarithmic axes: from values to places, and which ticks are labelled. */
#include "src/report/scale.h"

#include <assert.h>
#include <math.h>

#define LEAST_VALUE 1e-30 /* far beyond any measurement, and far from where doubles end */
#define MOST_VALUE 1e30
#define ROUNDING 1e-9 /* a tick reached within this is reached */

enum { TICKS_PER_DECADE = 3 };

bool scale_has(double value)
{
	return isfinite(value) && value >= LEAST_VALUE && value <= MOST_VALUE;
}

void scale_include(struct scale_range *range, double value)
{
	if (!scale_has(value))
		return;
	range->lo = fmin(range->lo, value);
	range->hi = fmax(range->hi, value);
}

/* Ticks are numbered: ..., 0 is 1, then 2, 5, 10 or 2, 4, 8 ... */
static double tick_value(enum scale_base base, int i)
{
	static const double steps[TICKS_PER_DECADE] = {1, 2, 5};
	int step = ((i % TICKS_PER_DECADE) + TICKS_PER_DECADE) % TICKS_PER_DECADE;
	int decade = (i - step) / TICKS_PER_DECADE;

	if (base == SCALE_TWOS)
		return ldexp(1, i);
	return steps[step] * pow(10, decade);
}

/* The last tick at or below value. */
static int tick_below(enum scale_base base, double value)
{
	int i = base == SCALE_TWOS ? (int)floor(log2(value))
				   : TICKS_PER_DECADE * (int)floor(log10(value));

	while (tick_value(base, i) > value * (1 + ROUNDING))
		i--;
	while (tick_value(base, i + 1) <= value * (1 + ROUNDING))
		i++;
	return i;
}

/* Labels every tick where they fit, else every so many powers. */
static void choose_ticks(enum scale_base base, int first, int last, unsigned max, struct scale *ret)
{
	int step = 1;

	if (last - first >= (int)max) {
		int power = base == SCALE_TWOS ? 1 : TICKS_PER_DECADE;

		while (first % power != 0)
			first++;
		step = power;
		while ((last - first) / step >= (int)max)
			step += power;
	}
	for (int i = first; i <= last; i += step)
		ret->ticks[ret->n_ticks++] = tick_value(base, i);
}

bool scale_make(enum scale_base base, struct scale_range range, struct scale_place place,
		struct scale *ret)
{
	int first, last;

	assert(place.max_ticks >= SCALE_LEAST_TICKS && place.max_ticks <= SCALE_MAX_TICKS);
	if (range.lo > range.hi)
		return false;
	first = tick_below(base, range.lo);
	last = tick_below(base, range.hi);
	if (tick_value(base, last) < range.hi * (1 - ROUNDING))
		last++;
	if (first == last) {
		first--;
		last++;
	}
	*ret = (struct scale){
		.lo = tick_value(base, first),
		.hi = tick_value(base, last),
		.from = place.from,
		.to = place.to,
	};
	choose_ticks(base, first, last, place.max_ticks, ret);
	return true;
}

double scale_at(const struct scale *s, double value)
{
	return s->from + (s->to - s->from) * log(value / s->lo) / log(s->hi / s->lo);
}
