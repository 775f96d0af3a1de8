/* SPDX-License-Identifier: MIT */
/* How a price has changed between two sides: the row of a comparison, and the verdict on it. */
#ifndef MODEL_COMPARE_H
#define MODEL_COMPARE_H

#include "src/model/bench.h"

#include <stddef.h>
#include <stdint.h>

enum model_change {
	MODEL_CHANGE_UNKNOWN,
	MODEL_CHANGE_NONE, /* the interval lies inside +- MODEL_CHANGE_SHARE */
	MODEL_CHANGE_FASTER,
	MODEL_CHANGE_SLOWER,
};

/* What is called no change. */
#define MODEL_CHANGE_SHARE 0.03

const char *model_change_name(enum model_change change); /* "cannot tell", "no change", ... */

/* Of the interval of a ratio of times; NaN where there is none. */
enum model_change model_change_judge(double lo, double hi);

struct model_compare_row {
	char scenario[64], article[64];
	uint64_t n_pages, page_bytes, huge_page_bytes, n_accesses;
	uint32_t threads;
	char pages[16], access[16];
	char unit[16];        /* "ns/page" or "ns/access" */
	double a_ns, b_ns;    /* the price on each side; NaN: none */
	size_t n_a, n_b;      /* resampling units: documents, boots, or pairs */
	double ratio, lo, hi; /* of B to A, with its 95 % interval; NaN: none */
	double detectable;    /* the smallest change that is found 4 times in 5, a share; NaN */
	enum model_change verdict;
	char reason[256]; /* why it cannot tell, or what is to be known beside the verdict; "" */
};

/* As an object of an array. */
struct json_writer;
void model_compare_row_write(struct json_writer *w, const struct model_compare_row *row);

/* Names and parameters of a scenario; all figures are NaN, and the verdict is open. */
void model_compare_row_init(struct model_compare_row *row, const struct model_scenario *s);

#endif
