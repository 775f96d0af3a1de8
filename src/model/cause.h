/* SPDX-License-Identifier: MIT */
/* Why a relation differs here: each cause is named only on evidence in the document. */
#ifndef MODEL_CAUSE_H
#define MODEL_CAUSE_H

#include "src/model/bench.h"

/* The rows of the relation that differs; to is NULL where it names one. */
struct cause_case {
	const struct model_bench *doc;
	const struct model_scenario *of, *to;
	bool is_below; /* what was measured is less than the claim; else it is more */
};

bool cause_is_known(const char *name);

/* True, with a sentence that holds the evidence, where that cause is at work. */
bool cause_check(const char *name, const struct cause_case *c, char *ret, size_t size);

/* Median time asleep in the first rounds of the trials, or in all others; NaN without any. */
double cause_median_sleep(const struct model_scenario *s, bool first);

#endif
