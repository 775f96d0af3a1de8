/* SPDX-License-Identifier: MIT */
/* The statistics against values computed another way, and the interval's coverage by simulation. */
#include "src/base/array.h"
#include "src/stats/stats.h"
#include "tests/tap.h"

enum { MAX_N = 64 };

static void test_medians(void)
{
	double none[1] = {0};
	double one[] = {7};
	double even[] = {4, 1, 3, 2};
	double odd[] = {9, -1, 5};
	double same[] = {2, 2, 2, 2};
	double sorted[] = {10, 20, 30, 40, 50};

	t_is_double(stats_median(none, 0), NAN, 0, "median of nothing");
	t_is_double(stats_median(one, 1), 7, 0, "of one");
	t_is_double(stats_median(even, 4), 2.5, 0, "of four, not sorted");
	t_is_double(stats_median(odd, 3), 5, 0, "of three");
	t_ok(odd[0] < odd[1] && odd[1] < odd[2], "they are sorted in place");
	t_is_double(stats_median(same, 4), 2, 0, "of equals");
	t_is_double(stats_quantile_sorted(sorted, 5, 0), 10, 0, "quantile 0 is the smallest");
	t_is_double(stats_quantile_sorted(sorted, 5, 1), 50, 0, "quantile 1 is the largest");
	t_is_double(stats_quantile_sorted(sorted, 5, 0.25), 20, 1e-12, "quartile");
	t_is_double(stats_quantile_sorted(sorted, 5, 0.9), 46, 1e-12,
		    "0.9: between neighbours (type 7)");
	t_is_double(stats_quantile_sorted(sorted, 5, 0.999), 49.96, 1e-9, "0.999");
	t_is_double(stats_quantile_sorted(sorted, 1, 0.9), 10, 0, "of one");
	t_is_double(stats_quantile_sorted(sorted, 0, 0.5), NAN, 0, "of nothing");
}

static void test_mad(void)
{
	double none[1] = {0};
	double values[] = {1, 1, 2, 2, 4, 6, 9};
	double equal[] = {3, 3, 3};
	double one[] = {5};

	t_is_double(stats_mad(values, 7), 1, 0, "the textbook's MAD");
	t_is_double(stats_mad(equal, 3), 0, 0, "of equals");
	t_is_double(stats_mad(one, 1), 0, 0, "of one");
	t_is_double(stats_mad(none, 0), NAN, 0, "of nothing");
}

/* P(X <= k), X ~ Binomial(n, 1/2), by Pascal's triangle in whole numbers. */
static double binomial_cdf(unsigned k, unsigned n)
{
	uint64_t row[MAX_N + 1] = {1};
	double sum = 0;

	for (unsigned i = 1; i <= n; i++)
		for (unsigned j = i; j > 0; j--)
			row[j] += row[j - 1];
	for (unsigned j = 0; j <= k; j++)
		sum += (double)row[j];
	return sum / ldexp(1, (int)n);
}

/* Hettmansperger and Sheather (1986), written down a second time: where the lower end lies, counted
 * in order statistics from 0. */
static double lower_rank(unsigned n)
{
	unsigned d = 1;
	double outer, inner, i, lambda;

	while (1 - 2 * binomial_cdf(d, n) >= 0.95)
		d++;
	outer = 1 - 2 * binomial_cdf(d - 1, n);
	inner = 1 - 2 * binomial_cdf(d, n);
	i = (outer - 0.95) / (outer - inner);
	lambda = (n - d) * i / (d + (n - 2.0 * d) * i);
	return d - 1 + lambda;
}

static void test_interval(void)
{
	unsigned n_same = 0;
	/* d of the tables of the sign test: the widest pair inside 95 % is [x_(d), x_(n+1-d)] */
	static const struct {
		unsigned n, d;
	} table[] = {{6, 1},  {8, 1},  {9, 2},  {10, 2},  {11, 2}, {12, 3},
		     {15, 4}, {20, 6}, {25, 8}, {30, 10}, {50, 18}};
	double x[MAX_N];

	for (unsigned i = 0; i < MAX_N; i++)
		x[i] = i;
	t_is_i64(stats_median_interval_sorted(x, 0).kind, STATS_INTERVAL_NONE, "none of nothing");
	t_is_i64(stats_median_interval_sorted(x, 1).kind, STATS_INTERVAL_NONE, "none of one");
	t_is_double(stats_median_interval_sorted(x, 1).lo, NAN, 0, "and no ends");
	for (unsigned n = 2; n < 6; n++) {
		struct stats_interval i = stats_median_interval_sorted(x, n);

		t_ok(i.kind == STATS_INTERVAL_RANGE && i.lo == 0 && i.hi == n - 1,
		     "%u: the range, named so", n);
	}
	t_is_double(stats_median_interval_sorted(x, 6).lo, 5.0 / 14, 1e-9, "6: lambda is 5/14");
	t_is_double(stats_median_interval_sorted(x, 10).lo, lower_rank(10), 1e-9,
		    "10: by a second way");
	for (size_t k = 0; k < ARRAY_LEN(table); k++) {
		unsigned n = table[k].n, d = table[k].d;
		struct stats_interval i = stats_median_interval_sorted(x, n);

		t_ok(i.kind == STATS_INTERVAL_95 && i.lo >= d - 1 && i.lo < d,
		     "%u: begins at or behind x(%u): %g", n, d, i.lo);
		t_is_double(i.hi, n - 1 - i.lo, 1e-9, "%u: ends as far from the other side", n);
	}
	for (unsigned n = 6; n <= 60; n++)
		n_same += fabs(stats_median_interval_sorted(x, n).lo - lower_rank(n)) <= 1e-6;
	t_is_u64(n_same, 55, "6 to 60: as the second way has it");
}

/* As many trials as a document may hold: near what the normal distribution says, and soon. */
static void test_large(void)
{
	enum { N = 100000 };
	double *x = calloc(N, sizeof(*x));
	struct stats_interval i;

	for (size_t k = 0; x && k < N; k++)
		x[k] = (double)k;
	i = stats_median_interval_sorted(x, x ? N : 0);
	t_is_double(i.lo, N / 2 - 0.5 - 1.959964 * sqrt(N) / 2, 1, "100,000: lower end");
	t_is_double(i.hi, N / 2 - 0.5 + 1.959964 * sqrt(N) / 2, 1, "upper end");
	free(x);
}

/* An end does not lie in a gap that takes more than half of the outer pair's distance. */
static void test_gap(void)
{
	double few[] = {1, 15, 15.5, 16, 16.5, 17, 17.5};
	double half[] = {0, 1, 2, 3, 10, 11, 12};
	double inner[] = {0, 1, 9, 9, 9, 9, 9, 9, 9, 9};
	struct stats_interval i = stats_median_interval_sorted(few, 7);

	t_ok(i.lo == 1, "one of seven far below: the interval reaches to it: %g", i.lo);
	t_ok(i.hi > 17 && i.hi < 17.5, "the other end is interpolated as ever: %g", i.hi);
	i = stats_median_interval_sorted(half, 7);
	t_ok(i.lo > 0 && i.lo < 1 && i.hi > 11 && i.hi < 12,
	     "a gap in the middle is inside: %g, %g", i.lo, i.hi);
	i = stats_median_interval_sorted(inner, 10);
	t_ok(i.lo == 1 && i.hi == 9, "ten: from the second on, not from the first: %g", i.lo);
	few[0] = 13;
	i = stats_median_interval_sorted(few, 7);
	t_ok(i.lo > 13 && i.lo < 15, "less than half is no gap: %g", i.lo);
}

static void test_stopped(void)
{
	double x[MAX_N], y[MAX_N];
	struct stats_summary fixed, stopped;
	unsigned n_wider = 0;

	for (unsigned n = 7; n <= 60; n++) {
		for (unsigned k = 0; k < n; k++)
			x[k] = y[k] = 1000 + k;
		fixed = stats_summarize(x, n);
		stopped = stats_summarize_stopped(y, n);
		n_wider += stopped.interval.kind == STATS_INTERVAL_95 &&
			   stopped.interval.lo < fixed.interval.lo &&
			   stopped.interval.hi > fixed.interval.hi;
	}
	t_is_u64(n_wider, 54, "7 to 60: where one stops the interval is wider");
	t_ok(stats_summarize_stopped(y, STATS_LEAST_STOPPED).interval.kind == STATS_INTERVAL_95 &&
		     stats_summarize_stopped(y, STATS_LEAST_STOPPED - 1).interval.kind ==
			     STATS_INTERVAL_RANGE,
	     "the least there is one for, where one stops");
	t_ok(stats_summarize(y, STATS_LEAST_FIXED).interval.kind == STATS_INTERVAL_95 &&
		     stats_summarize(y, STATS_LEAST_FIXED - 1).interval.kind ==
			     STATS_INTERVAL_RANGE,
	     "and elsewhere");
}

static void test_stopping_rule(void)
{
	struct stats_summary s = {.median = 100, .interval = {STATS_INTERVAL_95, 98, 102}, .n = 12};

	t_ok(stats_wants_trial(&s, 9, 10, 1), "below the least: one more, however precise");
	t_ok(!stats_wants_trial(&s, 10, 10, 0), "no precision asked for: the least is enough");
	t_ok(!stats_wants_trial(&s, 10, 10, 0.02), "as precise as was asked for");
	t_ok(stats_wants_trial(&s, 10, 10, 0.019), "not as precise");
	s.interval.kind = STATS_INTERVAL_RANGE;
	t_ok(stats_wants_trial(&s, 10, 10, 0.02), "a range is not precise");
	s.interval.kind = STATS_INTERVAL_NONE;
	t_ok(stats_wants_trial(&s, 10, 10, 0.02), "nor is what has no interval");
}

static double uniform(uint64_t *state)
{
	return ((double)(stats_random(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
	double u = uniform(state);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * uniform(state));
}

static double exponential(uint64_t *state)
{
	return -log(uniform(state));
}

/* Mostly fast, sometimes slow. */
static double bimodal(uint64_t *state)
{
	return normal(state) + (uniform(state) < 0.3 ? 6 : 0);
}

static void test_properties(void)
{
	uint64_t state = 7;
	unsigned outside = 0, skewed = 0, scaled = 0, shrunk = 0;

	for (int k = 0; k < 500; k++) {
		size_t n = 6 + (size_t)k % 25;
		double x[MAX_N], y[MAX_N], z[MAX_N];
		struct stats_interval i, j, l;
		double median;

		for (size_t m = 0; m < n; m++)
			x[m] = exponential(&state);
		stats_sort(x, n);
		for (size_t m = 0; m < n; m++) {
			y[m] = -x[n - 1 - m];
			z[m] = 3 * x[m] + 100;
		}
		i = stats_median_interval_sorted(x, n);
		j = stats_median_interval_sorted(y, n);
		l = stats_median_interval_sorted(z, n);
		median = stats_quantile_sorted(x, n, 0.5);
		outside += !(x[0] <= i.lo && i.lo <= median && median <= i.hi && i.hi <= x[n - 1]);
		skewed += fabs(i.lo + j.hi) > 1e-12 || fabs(i.hi + j.lo) > 1e-12;
		scaled += fabs(3 * i.lo + 100 - l.lo) > 1e-9 || fabs(3 * i.hi + 100 - l.hi) > 1e-9;
		x[n - 1] += 1000; /* one wild value on top must not move either end down */
		l = stats_median_interval_sorted(x, n);
		shrunk += l.lo < i.lo || l.hi < i.hi;
	}
	t_is_u64(outside, 0, "smallest <= lo <= median <= hi <= largest");
	t_is_u64(skewed, 0, "the interval of the negatives is the negative interval");
	t_is_u64(scaled, 0, "it moves and grows with its values");
	t_is_u64(shrunk, 0, "a larger value moves no end down");
}

static void test_robust(void)
{
	double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1e12};
	struct stats_interval i = stats_median_interval_sorted(x, 10);

	t_ok(i.hi < 10, "one wild value of ten stays outside: %g", i.hi);
}

/* Two narrow groups of equal size: the median is anywhere between. */
static double two_groups(uint64_t *state)
{
	return normal(state) + (uniform(state) < 0.5 ? 30 : 0);
}

/* A seed, so that this is the same on each run; the bounds leave room for another compiler's libm. */
static void covers(double (*draw)(uint64_t *), double median, const char *name, double at_most)
{
	enum { N_SAMPLES = 3000 };
	uint64_t state = 20240229;
	double least = 1, most = 0;

	for (size_t n = 6; n <= 30; n++) {
		unsigned inside = 0;
		double share;

		for (int k = 0; k < N_SAMPLES; k++) {
			double x[MAX_N];
			struct stats_interval i;

			for (size_t m = 0; m < n; m++)
				x[m] = draw(&state);
			stats_sort(x, n);
			i = stats_median_interval_sorted(x, n);
			inside += i.lo <= median && median <= i.hi;
		}
		share = (double)inside / N_SAMPLES;
		least = share < least ? share : least;
		most = share > most ? share : most;
	}
	t_ok(least > 0.93 && most < at_most, "%s samples of 6 to 30: covers in %.1f to %.1f %%",
	     name, 100 * least, 100 * most);
}

static void test_summary(void)
{
	double values[] = {104, 100, 108, 102, 106};
	double one[] = {5};
	struct stats_summary s = stats_summarize(values, 5);

	t_is_double(s.median, 104, 0, "summary: median");
	t_is_double(s.min, 100, 0, "smallest");
	t_is_double(s.mad, 2, 0, "MAD");
	t_is_u64(s.n, 5, "count");
	t_ok(s.interval.kind == STATS_INTERVAL_RANGE && s.interval.lo == 100 &&
		     s.interval.hi == 108,
	     "range");
	t_is_double(stats_half_width(&s), 4.0 / 104, 1e-12, "half of it, as a share of the median");
	s = stats_summarize(one, 1);
	t_ok(s.median == 5 && s.min == 5 && s.mad == 0 && s.n == 1, "of one");
	t_is_double(stats_half_width(&s), NAN, 0, "which has no width");
	s = stats_summarize(one, 0);
	t_ok(isnan(s.median) && isnan(s.min) && isnan(s.mad) && isnan(s.interval.lo) && s.n == 0,
	     "of nothing");
	t_is_double(stats_half_width(&s), NAN, 0, "which has none either");
	s = (struct stats_summary){.median = 0, .interval = {STATS_INTERVAL_RANGE, -1, 1}, .n = 2};
	t_is_double(stats_half_width(&s), NAN, 0, "no share of a median of 0");
}

static void test_shuffle(void)
{
	uint64_t a = 1, b = 1, c = 2, zero = 0;
	size_t first[32], second[32], third[32], places[4] = {0};
	unsigned seen = 0;

	stats_shuffle(&a, first, 32);
	stats_shuffle(&b, second, 32);
	stats_shuffle(&c, third, 32);
	for (size_t i = 0; i < 32; i++)
		seen |= first[i] < 32 ? 1U << first[i] : 0;
	t_ok(seen == UINT32_MAX, "a shuffle is a permutation");
	t_ok(memcmp(first, second, sizeof(first)) == 0, "the same by the same seed");
	t_ok(memcmp(first, third, sizeof(first)) != 0, "another by another");
	stats_shuffle(&a, second, 32);
	t_ok(memcmp(first, second, sizeof(first)) != 0, "and another the next time");
	for (int k = 0; k < 4000; k++) {
		stats_shuffle(&a, first, 4);
		for (size_t i = 0; i < 4; i++)
			places[i] += first[i] == 0;
	}
	for (size_t i = 0; i < 4; i++)
		t_ok(places[i] > 850 && places[i] < 1150,
		     "the first lands on place %zu as often as on others: %zu of 4000", i,
		     places[i]);
	first[0] = 9;
	stats_shuffle(&a, first, 0);
	t_is_u64(first[0], 9, "nothing to shuffle");
	stats_shuffle(&a, first, 1);
	t_is_u64(first[0], 0, "one to shuffle");
	t_is_u64(stats_random(&zero), UINT64_C(0xe220a8397b1dcdaf),
		 "splitmix64's first number of seed 0");
}

int main(void)
{
	test_medians();
	test_mad();
	test_interval();
	test_properties();
	test_large();
	test_robust();
	test_gap();
	test_stopped();
	test_stopping_rule();
	covers(normal, 0, "normal", 0.97);
	covers(exponential, log(2), "exponential", 0.975);
	covers(bimodal, 0.56596, "bimodal", 0.975);
	covers(two_groups, 15, "two groups", 1); /* only widened: interpolated it is 87 % at 7 */
	test_summary();
	test_shuffle();
	return t_done();
}
