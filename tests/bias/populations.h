/* SPDX-License-Identifier: MIT */
/* Populations that prices of trials may come from, with their true medians: for simulations. */
#ifndef BIAS_POPULATIONS_H
#define BIAS_POPULATIONS_H

#include "src/stats/stats.h"

#include <math.h>
#include <stdbool.h>

/* A mixture of normal distributions, or of their exponentials. */
struct population {
	const char *name;
	bool log;
	struct {
		double weight, mean, sd;
	} parts[2];
};

enum { N_POPULATIONS = 7 };

static const struct population populations[N_POPULATIONS] = {
	{"normal", false, {{1, 100, 5}, {0, 0, 1}}},
	{"wide", false, {{1, 100, 20}, {0, 0, 1}}},
	/* as measured prices of faults are: nothing below a floor, a long tail above */
	{"log-normal", true, {{1, 4.6, 0.25}, {0, 0, 1}}},
	{"outliers", false, {{0.9, 100, 3}, {0.1, 150, 20}}},
	{"50/50", false, {{0.5, 100, 1}, {0.5, 115, 1}}},
	{"80/20", false, {{0.8, 100, 1}, {0.2, 115, 1}}},
	{"overlap", false, {{0.5, 100, 3.5}, {0.5, 115, 3.5}}},
};

static inline double population_below(const struct population *p, double x)
{
	double sum = 0;

	for (size_t i = 0; i < 2; i++)
		sum += p->parts[i].weight *
		       erfc((p->parts[i].mean - x) / p->parts[i].sd / sqrt(2)) / 2;
	return sum;
}

/* By halving what it must lie in; in an empty gap the middle of it, as symmetry has it. */
static inline double population_median(const struct population *p)
{
	double lo = 0, hi = 1000;

	while (hi - lo > 1e-9) {
		double middle = (lo + hi) / 2;

		if (population_below(p, middle) < 0.5)
			lo = middle;
		else
			hi = middle;
	}
	return p->log ? exp(lo) : lo;
}

static inline double population_uniform(uint64_t *random)
{
	return ((double)(stats_random(random) >> 11) + 0.5) * 0x1p-53;
}

static inline void population_draw(const struct population *p, uint64_t *random, double *ret,
				   size_t n)
{
	for (size_t k = 0; k < n; k++) {
		size_t i = population_uniform(random) < p->parts[0].weight ? 0 : 1;
		double u = population_uniform(random);
		double z = sqrt(-2 * log(u)) * cos(2 * M_PI * population_uniform(random));

		ret[k] = p->parts[i].mean + p->parts[i].sd * z;
		if (p->log)
			ret[k] = exp(ret[k]);
	}
}

#endif
