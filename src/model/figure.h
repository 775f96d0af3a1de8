/* SPDX-License-Identifier: MIT */
/* What a relation of a suite may be about: figures of one row, or of two. */
#ifndef MODEL_FIGURE_H
#define MODEL_FIGURE_H

#include "src/model/bench.h"

/* A measured figure; lo and hi are NaN where it is a count or a share without an interval. */
struct figure {
	double value, lo, hi;
};

struct figure_row {
	const char *name;
	/* to is NULL where n_rows is 1. A value of NaN: not measured. */
	struct figure (*measure)(const struct model_scenario *of, const struct model_scenario *to);
	double scale;       /* 100 for what is printed in percent */
	const char *format; /* of the value */
	const char *unit;
	unsigned n_rows; /* that it is about: 1 or 2 */
	bool has_interval;
	bool of_size;     /* depends on the size: comparable at the source's alone */
	const char *fact; /* of the machine, that says why there may be none; NULL */
};

/* NULL where nothing is called so. */
const struct figure_row *figure_find(const char *name);

void figure_print(const struct figure_row *row, struct figure f, char *ret, size_t size);

#endif
