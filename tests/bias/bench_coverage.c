/* SPDX-License-Identifier: MIT */
/* Bar: what is called a 95 % interval covers 93 % at least, and what is called drift is chance in 1 of 100 at most. */
#include "src/base/array.h"
#include "src/stats/series.h"
#include "tests/bias/populations.h"

#include <stdio.h>
#include <string.h>

enum {
	LEAST_N = 5,
	MOST_N = 30,
	LEAST_STOPPED = 10, /* trials at least of bench --precision */
	REPETITIONS = 20000,
	TYPICAL = 2000,
};

static const double bar = 0.93, false_alarms = 0.01;

struct extremes {
	double least, most;
};

static void include(struct extremes *e, double share)
{
	e->least = share < e->least ? share : e->least;
	e->most = share > e->most ? share : e->most;
}

static void print_names(const char *first)
{
	printf("%-9s", first);
	for (size_t p = 0; p < N_POPULATIONS; p++)
		printf("%13s", populations[p].name);
	printf("\n");
}

static bool covers(const struct stats_interval *i, double median)
{
	return i->lo <= median && median <= i->hi;
}

/* --- a number of trials that is fixed beforehand ------------------------------------------------------ */

static double coverage(const struct population *p, double median, size_t n, uint64_t *random)
{
	unsigned inside = 0;

	for (int k = 0; k < REPETITIONS; k++) {
		double x[MOST_N];
		struct stats_interval i;

		population_draw(p, random, x, n);
		stats_sort(x, n);
		i = stats_median_interval_sorted(x, n);
		inside += covers(&i, median);
	}
	return (double)inside / REPETITIONS;
}

static void print_fixed(struct extremes *all, uint64_t *random)
{
	printf("coverage of the interval of n trials, in %%\n");
	print_names("n");
	for (size_t n = LEAST_N; n <= MOST_N; n++) {
		printf("%-9zu", n);
		for (size_t p = 0; p < N_POPULATIONS; p++) {
			double share = coverage(&populations[p], population_median(&populations[p]),
						n, random);

			include(all, share);
			printf("%13.1f", 100 * share);
		}
		printf("%s\n", n < 6 ? "  (range)" : "");
	}
}

/* --- stopped as the engine stops ---------------------------------------------------------------------- */

/* What is reported after the first n trials: no interval where they drift. */
static struct stats_summary look(const double *in_order, size_t n)
{
	struct stats_summary s;
	double x[MOST_N];

	memcpy(x, in_order, n * sizeof(*x));
	s = stats_summarize_stopped(x, n);
	if (stats_find_drift(in_order, n).found)
		s.interval.kind = STATS_INTERVAL_NONE;
	return s;
}

static struct stats_summary run_until(const struct population *p, double precision,
				      uint64_t *random)
{
	double in_order[MOST_N];
	struct stats_summary s;
	size_t n = LEAST_STOPPED;

	population_draw(p, random, in_order, n);
	for (s = look(in_order, n);
	     n < MOST_N && stats_wants_trial(&s, n, LEAST_STOPPED, precision);
	     s = look(in_order, n))
		population_draw(p, random, &in_order[n++], 1);
	return s;
}

/* Half the interval of n trials, as a share of the price, on an average: a precision reached at about that n. */
static double typical_precision(const struct population *p, size_t n, uint64_t *random)
{
	double sum = 0;

	for (int k = 0; k < TYPICAL; k++) {
		struct stats_summary s;
		double x[MOST_N];

		population_draw(p, random, x, n);
		s = stats_summarize_stopped(x, n);
		sum += stats_half_width(&s);
	}
	return sum / TYPICAL;
}

struct stopped {
	double coverage, n_mean;
};

static struct stopped stopped_coverage(const struct population *p, double median, double precision,
				       uint64_t *random)
{
	unsigned inside = 0, n_intervals = 0;
	double n_trials = 0;

	for (int k = 0; k < REPETITIONS; k++) {
		struct stats_summary s = run_until(p, precision, random);

		n_trials += (double)s.n;
		if (s.interval.kind == STATS_INTERVAL_NONE)
			continue;
		n_intervals++;
		inside += covers(&s.interval, median);
	}
	return (struct stopped){(double)inside / n_intervals, n_trials / REPETITIONS};
}

static void print_stopped(struct extremes *all, uint64_t *random)
{
	/* trials after which the precision asked for is typically reached; 0: the precision is given */
	static const struct {
		size_t n;
		double precision;
	} asked[] = {{11, 0}, {14, 0}, {18, 0}, {24, 0}, {0, 0.02}, {0, 0.05}};

	printf("\ncoverage of the interval where --precision stopped (mean trials), in %%\n");
	print_names("precision");
	for (size_t i = 0; i < ARRAY_LEN(asked); i++) {
		if (asked[i].n)
			printf("as at %-3zu", asked[i].n);
		else
			printf("%-9g", asked[i].precision);
		for (size_t p = 0; p < N_POPULATIONS; p++) {
			const struct population *of = &populations[p];
			double precision = asked[i].n ? typical_precision(of, asked[i].n, random)
						      : asked[i].precision;
			struct stopped s =
				stopped_coverage(of, population_median(of), precision, random);

			include(all, s.coverage);
			printf("%8.1f (%2.0f)", 100 * s.coverage, s.n_mean);
		}
		printf("\n");
	}
}

/* --- what chance alone is called ---------------------------------------------------------------------- */

static double alarms(const struct population *p, size_t n, bool groups, uint64_t *random)
{
	unsigned found = 0;

	for (int k = 0; k < REPETITIONS; k++) {
		double x[MOST_N];

		population_draw(p, random, x, n);
		if (groups)
			stats_sort(x, n);
		found += groups ? stats_find_groups_sorted(x, n).found
				: stats_find_drift(x, n).found;
	}
	return (double)found / REPETITIONS;
}

/* The greatest share over all n. */
static double print_alarms(bool groups, uint64_t *random)
{
	double most = 0;

	for (size_t n = LEAST_N; n <= MOST_N; n++) {
		printf("%-9zu", n);
		for (size_t p = 0; p < N_POPULATIONS; p++) {
			double share = alarms(&populations[p], n, groups, random);

			most = share > most ? share : most;
			printf("%13.2f", 100 * share);
		}
		printf("\n");
	}
	return most;
}

int main(void)
{
	struct extremes all = {1, 0};
	uint64_t random = 20240229;
	double drift;

	print_fixed(&all, &random);
	print_stopped(&all, &random);
	printf("\nindependent trials called drifting, in %%\n");
	print_names("n");
	drift = print_alarms(false, &random);
	printf("\ncalled two groups, in %%: chance in the first three, outliers of 10 %%, then what is there\n");
	print_names("n");
	(void)print_alarms(true, &random);
	printf("\ncoverage %.1f to %.1f %% (bar: %.0f or more): %s; drift by chance at most %.2f %% "
	       "(bar: %.0f): %s\n",
	       100 * all.least, 100 * all.most, 100 * bar,
	       all.least >= bar ? "reached" : "NOT REACHED", 100 * drift, 100 * false_alarms,
	       drift <= false_alarms ? "reached" : "NOT REACHED");
	return all.least >= bar && drift <= false_alarms ? 0 : 1;
}
