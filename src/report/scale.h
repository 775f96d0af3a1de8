/* SPDX-License-Identifier: MIT */
/* Logarithmic axes: from values to places, and which ticks are labelled. Pure mathematics. */
#ifndef REPORT_SCALE_H
#define REPORT_SCALE_H

#include <math.h>
#include <stdbool.h>

/* Ticks of an axis by tens stand at 1, 2 and 5 times a power of ten, where there is room, else at powers of
 * ten; those of an axis by twos at powers of two. */
enum scale_base { SCALE_TENS, SCALE_TWOS };

enum { SCALE_LEAST_TICKS = 5, SCALE_MAX_TICKS = 16 };

/* Whether a value has a place on such an axis: positive, finite, and nothing astronomic. */
bool scale_has(double value);

/* The values seen so far that have a place; begin with SCALE_EMPTY. */
struct scale_range {
	double lo, hi;
};
#define SCALE_EMPTY ((struct scale_range){HUGE_VAL, -HUGE_VAL})
void scale_include(struct scale_range *range, double value);

struct scale {
	double lo, hi;   /* values at the ends, ticks themselves; lo < hi */
	double from, to; /* their places */
	double ticks[SCALE_MAX_TICKS];
	unsigned n_ticks;
};

/* Where an axis lies, and how many labels fit: SCALE_LEAST_TICKS to SCALE_MAX_TICKS. */
struct scale_place {
	double from, to;
	unsigned max_ticks;
};

/* An axis that holds the range. False where the range is empty: nothing can be drawn. */
bool scale_make(enum scale_base base, struct scale_range range, struct scale_place place,
		struct scale *ret);

/* The place of a value that scale_has(). */
double scale_at(const struct scale *s, double value);

#endif
