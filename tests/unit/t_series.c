/* SPDX-License-Identifier: MIT */
/* Series that are no one price are found, and those that are one are left alone. */
#include "src/base/array.h"
#include "src/stats/series.h"
#include "src/stats/stats.h"
#include "tests/bias/populations.h"
#include "tests/tap.h"

enum { MAX_N = 400 };

static void test_no_drift(void)
{
	static const double flat[] = {100, 100, 100, 100, 100, 100, 100, 100};
	static const double noisy[] = {100, 93, 104, 97, 109, 91, 103, 99, 106, 95};
	static const double odd[] = {100, 101, 100, 102, 101, 100, 102, 180};
	static const double few[] = {100, 110, 120, 130};
	static const double uneven[] = {100, 101, 120, 121, 140};
	static const double slight[] = {100, 100.3, 100.6, 100.9, 101.2, 101.5, 101.8, 102.1};
	static const struct {
		const double *values;
		size_t n;
		const char *name;
	} rows[] = {
		{flat, 8, "flat"},
		{noisy, 10, "noisy, but flat"},
		{odd, 8, "one odd value at the end"},
		{few, 4, "four are too few"},
		{few, 1, "one"},
		{few, 0, "nothing"},
		{uneven, 5, "five in order, but not evenly: chance"},
		{slight, 8, "2 % in perfect order: too little to matter"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		t_ok(!stats_find_drift(rows[i].values, rows[i].n).found, "no drift: %s",
		     rows[i].name);
}

static void test_drift(void)
{
	static const double five[] = {100, 110, 121, 130, 141};
	static const double down[] = {141, 130, 121, 110, 100, 91};
	static const double rough[] = {100, 104, 102, 109, 107, 113, 110, 118, 115, 121};
	static const double step[] = {100, 102, 101, 99, 100, 101, 120, 122, 121, 119, 120, 121};
	static const double below_0[] = {-140, -130, -120, -110, -100, -90};
	struct stats_drift d;

	d = stats_find_drift(five, 5);
	t_ok(d.found && d.from == 105 && d.to == 135.5, "five that climb evenly: %g to %g", d.from,
	     d.to);
	d = stats_find_drift(down, 6);
	t_ok(d.found && d.from == 135.5 && d.to == 95.5, "down: %g to %g", d.from, d.to);
	t_ok(stats_find_drift(rough, 10).found, "up with noise");
	d = stats_find_drift(step, 12);
	t_ok(d.found && d.from == 101 && d.to == 120, "a step: %g to %g", d.from, d.to);
	t_ok(stats_find_drift(below_0, 6).found, "below 0, too");
}

/* Series with more values than the tests look at one by one. */
static void test_long(void)
{
	double x[MAX_N];
	uint64_t random = 11;

	for (size_t n = 59; n <= 62; n++) {
		for (size_t i = 0; i < n; i++)
			x[i] = 100 + 20.0 * (double)i / (double)n;
		t_ok(stats_find_drift(x, n).found, "%zu that climb", n);
		for (size_t i = 0; i < n; i++)
			x[i] = 100 + (double)(i * 37 % n) * 20 / (double)n;
		t_ok(!stats_find_drift(x, n).found, "%zu in no order", n);
	}
	population_draw(&populations[0], &random, x, MAX_N);
	t_ok(!stats_find_drift(x, MAX_N).found, "%d of noise", MAX_N);
	for (size_t i = MAX_N / 2; i < MAX_N; i++)
		x[i] += 6;
	t_ok(stats_find_drift(x, MAX_N).found, "%d with a step of the size of their noise", MAX_N);
}

/* As many as a document may hold, of which one may be odd at each look. */
static void test_longest(void)
{
	enum { N = 10000 };
	double *x = calloc(N, sizeof(*x));

	for (size_t i = 0; x && i < N; i++)
		x[i] = 100 + (double)i / 500;
	t_ok(x && stats_find_drift(x, N).found, "10,000 that climb");
	for (size_t i = 0; x && i < N; i++)
		x[i] = 100 + (double)(i * 7919 % N) / 500;
	t_ok(x && !stats_find_drift(x, N).found, "10,000 in no order");
	free(x);
}

/* The exact chance, where it can be counted by hand: of 6 values only perfect order is rare enough (2 of 720), of
 * 7 one pair may be wrong (14 of 5040). */
static void test_exact(void)
{
	static const double six[] = {100, 110, 120, 130, 150, 140};
	static const double seven[] = {100, 110, 120, 130, 140, 160, 150};
	static const double seven_two[] = {110, 100, 120, 130, 140, 160, 150};
	/* halves of 5 and 6 in perfect order are rare enough (2 of 462), of 5 and 5 not (2 of 252) */
	static const double eleven[] = {104, 103, 102, 101, 100, 125, 124, 123, 122, 121, 120};
	static const double ten[] = {104, 103, 102, 101, 100, 124, 123, 122, 121, 120};

	t_ok(!stats_find_drift(six, 6).found, "six with one pair wrong: chance");
	t_ok(stats_find_drift(seven, 7).found, "seven with one pair wrong: drift");
	t_ok(!stats_find_drift(seven_two, 7).found, "with two wrong: chance");
	t_ok(stats_find_drift(eleven, 11).found, "halves of eleven apart: a step");
	t_ok(!stats_find_drift(ten, 10).found, "of ten: chance");
}

/* By chance in fewer than 1 of 100 series; the bound leaves room for 3,000 of them. */
static void test_false_alarms(void)
{
	enum { N_SERIES = 3000 };
	uint64_t random = 20240229;
	double most = 0;

	for (size_t p = 0; p < N_POPULATIONS; p++)
		for (size_t n = 5; n <= 30; n += 5) {
			unsigned found = 0;
			double x[32];

			for (int k = 0; k < N_SERIES; k++) {
				population_draw(&populations[p], &random, x, n);
				found += stats_find_drift(x, n).found;
			}
			most = (double)found / N_SERIES > most ? (double)found / N_SERIES : most;
		}
	t_ok(most < 0.014, "independent values are called drifting in %.2f %% at most", 100 * most);
	t_ok(most > 0.003, "and not never, or nothing were found");
}

static struct stats_groups groups_of(double *values, size_t n)
{
	stats_sort(values, n);
	return stats_find_groups_sorted(values, n);
}

static void test_groups(void)
{
	double two[] = {100, 121, 101, 120, 100.5, 119.5, 100, 120};
	double mostly[] = {100, 101, 100.5, 99, 100, 120, 100, 121, 100.5, 99.5};
	double odd[] = {100, 101, 100.5, 99, 100, 100.2, 100, 180};
	double spread[] = {100, 104, 108, 112, 116, 120, 124, 128, 132};
	double near[] = {100, 100.01, 100.02, 102, 102.01, 102.02};
	double few[] = {100, 100, 100, 120, 120};
	double three[] = {100, 100.1, 100.2, 120, 120.1, 120.2, 150, 150.1, 150.2};
	struct stats_groups g = groups_of(two, 8);

	t_ok(g.found && g.n_low == 4 && g.n_high == 4, "four and four");
	t_ok(g.low == 100.25 && g.high == 120, "their medians: %g and %g", g.low, g.high);
	t_is_double(g.between, 110.25, 1e-9, "the middle of the gap");
	g = groups_of(mostly, 10);
	t_ok(g.found && g.n_low == 8 && g.n_high == 2, "eight and two");
	t_ok(!groups_of(odd, 8).found, "one outlier is no group");
	t_ok(!groups_of(spread, 9).found, "evenly spread values are none");
	t_ok(!groups_of(near, 6).found, "2 %% apart is one price");
	t_ok(!groups_of(few, 5).found, "five are too few");
	t_ok(!groups_of(few, 0).found, "and so is nothing");
	t_ok(!groups_of(three, 9).found, "three are not two");
}

int main(void)
{
	test_no_drift();
	test_drift();
	test_long();
	test_longest();
	test_exact();
	test_false_alarms();
	test_groups();
	return t_done();
}
