/* SPDX-License-Identifier: MIT */
/* Ratios of pairs: intervals against ranks counted by hand, and how often they are wrong, by simulation. */
#include "src/stats/ratio.h"
#include "src/stats/stats.h"
#include "tests/tap.h"

#include <stdlib.h>

static void test_few(void)
{
	double none[1] = {0}, one[] = {log(2)}, eight[8];
	struct stats_ratio r = stats_ratio_of_pairs(none, 0);

	t_ok(isnan(r.ratio) && isnan(r.lo) && r.n == 0, "no pairs, no ratio");
	r = stats_ratio_of_pairs(one, 1);
	t_is_double(r.ratio, 2, 1e-9, "of one pair the ratio is its own");
	t_ok(isnan(r.lo) && isnan(r.hi) && isnan(r.detectable), "and has no interval");
	for (int i = 0; i < 8; i++)
		eight[i] = 0.01 * i;
	t_ok(isnan(stats_ratio_of_pairs(eight, 8).lo),
	     "nor of eight: 2 / 2^8 is above a half percent");
}

/* Of ten values 1..10: W(2) = 1.5 is the second smallest average of two, and P(T <= 1) = 2 / 1024. */
static void test_by_hand(void)
{
	double nine[9], ten[10];
	struct stats_ratio r;

	for (int i = 0; i < 9; i++)
		nine[i] = 0.01 * (9 - i);
	r = stats_ratio_of_pairs(nine, 9);
	t_is_double(log(r.lo), 0.01, 1e-9, "nine pairs: from the smallest");
	t_is_double(log(r.hi), 0.09, 1e-9, "to the largest");
	t_is_double(log(r.ratio), 0.05, 1e-9, "the ratio is the middle");
	for (int i = 0; i < 10; i++)
		ten[i] = 0.01 * (10 - i);
	r = stats_ratio_of_pairs(ten, 10);
	t_is_double(log(r.lo), 0.015, 1e-9, "ten pairs: from the second smallest average of two");
	t_is_double(log(r.hi), 0.095, 1e-9, "to the second largest");
	t_ok(r.detectable > 0.04 && r.detectable < 0.06, "what is detectable is wider than half");
}

/* Torn between two states by the machine: most pairs are within one. The sign test keeps it narrow. */
static void test_torn(void)
{
	double pairs[300];
	struct stats_ratio r;

	for (int i = 0; i < 300; i++)
		pairs[i] = (i % 3 == 0   ? 0.2
			    : i % 3 == 1 ? -0.2
					 : 0.0) *
				   (i < 120) +
			   0.001 * (i % 7 - 3);
	r = stats_ratio_of_pairs(pairs, 300);
	t_ok(log(r.hi) - log(r.lo) < 0.004, "120 torn pairs of 300 do not widen it: %.4f",
	     log(r.hi) - log(r.lo));
	t_ok(r.lo < 1 && r.hi > 1, "and it holds 1");
}

/* Sum of uniforms, now and then a burst: noise as it is. */
static double noise(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 6; i++)
		sum += (double)(stats_random(state) >> 11) / 9007199254740992.0 - 0.5;
	if (stats_random(state) % 10 == 0)
		sum += fabs(sum) * 8;
	return 0.03 * sum;
}

static void test_simulated(void)
{
	enum { RUNS = 2000, PAIRS = 60 };
	unsigned missed = 0, found = 0;
	uint64_t state = 7;

	for (int run = 0; run < RUNS; run++) {
		double same[PAIRS], other[PAIRS];
		struct stats_ratio r;

		for (int i = 0; i < PAIRS; i++) {
			same[i] = noise(&state) - noise(&state);
			other[i] = same[i] + log(1.04);
		}
		r = stats_ratio_of_pairs(same, PAIRS);
		missed += r.lo > 1 || r.hi < 1;
		found += stats_ratio_of_pairs(other, PAIRS).lo > 1;
	}
	t_ok(missed <= RUNS * 15 / 1000, "skewed noise: %u of %d intervals miss, 20 at 99 %%",
	     missed, (int)RUNS);
	t_ok(found > RUNS * 8 / 10, "a change of 4 %% is found in %u of %d", found, (int)RUNS);
}

/* More pairs than have an average of two each in memory; ties and order do not matter. */
static void test_many(void)
{
	enum { N = 20000 };
	double *pairs = malloc(N * sizeof(*pairs));
	struct stats_ratio r;

	t_ok(pairs != NULL, "memory");
	for (int i = 0; pairs && i < N; i++)
		pairs[i] = 0.01 * ((i * 7919) % 100 - 50) + 0.05;
	r = stats_ratio_of_pairs(pairs, N);
	free(pairs);
	t_ok(r.lo > 1.03 && r.hi < 1.06 && r.lo <= r.ratio && r.ratio <= r.hi,
	     "20,000 pairs: %.4f [%.4f, %.4f]", r.ratio, r.lo, r.hi);
	t_ok(r.hi - r.lo < 0.03, "and the interval is narrow");
}

int main(void)
{
	test_few();
	test_by_hand();
	test_torn();
	test_simulated();
	test_many();
	return t_done();
}
