/* SPDX-License-Identifier: MIT */
/* Few values a side: quantiles of Student's t, pooled spread, and what an interval covers. */
#include "src/base/array.h"
#include "src/stats/groups.h"
#include "src/stats/stats.h"
#include "tests/tap.h"

#include <math.h>

struct known {
	double p, df, t;
};

/* Quantiles as tables print them, to twelve digits. */
static const struct known known[] = {
	{0.8, 1, 1.37638192047},      {0.8, 2, 1.06066017178},       {0.8, 3, 0.978472312363},
	{0.8, 4, 0.940964577235},     {0.8, 5, 0.919543780241},      {0.8, 7, 0.896029644314},
	{0.8, 10, 0.879057828551},    {0.8, 30, 0.853767261471},     {0.8, 98, 0.845304389623},
	{0.8, 1000, 0.841980822162},  {0.9, 1, 3.07768353718},       {0.9, 2, 1.88561808316},
	{0.9, 3, 1.6377443537},       {0.9, 4, 1.53320627406},       {0.9, 5, 1.47588404882},
	{0.9, 7, 1.41492392765},      {0.9, 10, 1.37218364111},      {0.9, 30, 1.31041502539},
	{0.9, 98, 1.29024990389},     {0.9, 1000, 1.28239872146},    {0.975, 1, 12.7062047362},
	{0.975, 2, 4.30265272975},    {0.975, 3, 3.18244630528},     {0.975, 4, 2.7764451052},
	{0.975, 5, 2.57058183564},    {0.975, 7, 2.36462425159},     {0.975, 10, 2.22813885199},
	{0.975, 30, 2.0422724563},    {0.975, 98, 1.98446745451},    {0.975, 1000, 1.96233908083},
	{0.995, 1, 63.6567411629},    {0.995, 2, 9.92484320092},     {0.995, 3, 5.84090930973},
	{0.995, 4, 4.60409487135},    {0.995, 5, 4.03214298356},     {0.995, 7, 3.49948329735},
	{0.995, 10, 3.16927267262},   {0.995, 30, 2.74999565357},    {0.995, 98, 2.62693109576},
	{0.995, 1000, 2.58075469807}, {0.9995, 1, 636.619248769},    {0.9995, 2, 31.5990545764},
	{0.9995, 3, 12.9239786367},   {0.9995, 4, 8.61030158138},    {0.9995, 5, 6.86882662588},
	{0.9995, 7, 5.40788252086},   {0.9995, 10, 4.5868938587},    {0.9995, 30, 3.64595863504},
	{0.9995, 98, 3.39258811413},  {0.9995, 1000, 3.30028264842}, {0.975, 2.5, 3.574654842},
};

static void test_quantiles(void)
{
	bool all = true;

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		double t = stats_t_quantile(known[i].p, known[i].df);

		if (fabs(t - known[i].t) > 1e-6 * fmax(1, fabs(known[i].t))) {
			t_note("p %g, df %g: %.10g, not %.10g", known[i].p, known[i].df, t,
			       known[i].t);
			all = false;
		}
	}
	t_ok(all, "%zu quantiles of Student's t are the known ones", ARRAY_LEN(known));
	t_is_double(stats_t_quantile(0.1, 7), -stats_t_quantile(0.9, 7), 0, "both sides are alike");
	t_is_double(stats_t_quantile(0.5, 3), 0, 1e-9, "the median is 0");
	t_ok(isnan(stats_t_quantile(0, 3)) && isnan(stats_t_quantile(1, 3)) &&
		     isnan(stats_t_quantile(0.9, 0)) && isnan(stats_t_quantile(NAN, 3)) &&
		     isnan(stats_t_quantile(0.9, NAN)),
	     "what is no quantile is none");
}

static void test_groups(void)
{
	const double a[] = {1, 2, 3}, b[] = {5, 5, 8, 8};
	struct stats_group ga = stats_group_of(a, 3), gb = stats_group_of(b, 4);
	struct stats_group one = stats_group_of(a, 1), none = stats_group_of(a, 0);
	struct stats_spread s = stats_spread_pooled(ga, gb);
	struct stats_difference d = stats_difference(ga, gb, s);
	double se;

	t_is_double(ga.mean, 2, 1e-12, "a mean");
	t_is_double(ga.variance, 1, 1e-12, "a variance, by n - 1");
	t_ok(isnan(one.variance) && isnan(none.mean), "one value has no variance, none no mean");
	t_is_double(s.variance, (2 * 1 + 3 * 3) / 5.0, 1e-12,
		    "variances are pooled by their weight");
	t_is_double(s.df, 5, 0, "with the degrees of freedom of both");
	se = sqrt(s.variance * (1 / 3.0 + 1 / 4.0));
	t_is_double(d.difference, 4.5, 1e-12, "a difference is b less a");
	t_is_double(d.half_width, 2.5705818356 * se, 1e-6, "its interval is t times its error");
	t_is_double(d.detectable, (2.5705818356 + 0.9195437802) * se, 1e-6,
		    "what is detectable is that and the quantile of the power");
	t_is_double(stats_spread_pooled(ga, one).df, 2, 0, "one value adds nothing to a spread");
	t_is_double(stats_spread_pooled(one, one).df, 0, 0, "two single values tell of no spread");
	t_ok(isnan(stats_difference(one, one, stats_spread_pooled(one, one)).half_width),
	     "and their difference has no interval");
	t_ok(isnan(stats_difference(ga, none, s).half_width), "nor has one against nothing");
	t_is_double(stats_spread_floored(s, 100).variance, 100, 0, "a floor raises a spread");
	t_is_double(stats_spread_floored(s, 0.1).variance, s.variance, 0, "or leaves it");
}

static void test_log_error(void)
{
	struct stats_summary s = {.median = 100, .n = 9, .interval = {STATS_INTERVAL_95, 90, 110}};
	double half = (log(110) - log(90)) / 2;

	t_is_double(stats_log_error(&s), half / 1.96, 1e-3,
		    "an interval of 95 %% is 1.96 errors wide");
	s.interval.kind = STATS_INTERVAL_RANGE;
	s.n = 2;
	t_is_double(stats_log_error(&s), half / 0.6745, 1e-3, "the range of two values is 0.67");
	s.interval.lo = 0;
	t_ok(isnan(stats_log_error(&s)), "0 has no logarithm");
	s.interval.kind = STATS_INTERVAL_NONE;
	t_ok(isnan(stats_log_error(&s)), "no interval tells of no error");
}

/* A sum of 12 uniform values: close enough to normal for what is asked of it here. */
static double nearly_normal(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(stats_random(state) >> 11) * 0x1p-53;
	return sum;
}

static void test_coverage(void)
{
	enum { N_PAIRS = 4000 };
	uint64_t state = 7;
	size_t n_false = 0, n_found = 0;
	double shift = 0;

	for (int i = 0; i < N_PAIRS; i++) {
		double a[3], b[3], moved[3];
		struct stats_group ga, gb;
		struct stats_difference d;

		for (int k = 0; k < 3; k++) {
			a[k] = nearly_normal(&state);
			b[k] = nearly_normal(&state);
		}
		ga = stats_group_of(a, 3);
		gb = stats_group_of(b, 3);
		d = stats_difference(ga, gb, stats_spread_pooled(ga, gb));
		n_false += fabs(d.difference) > d.half_width;
		/* with the true spread the detectable difference is one number */
		shift = stats_difference(ga, gb, (struct stats_spread){1, 4}).detectable;
		for (int k = 0; k < 3; k++)
			moved[k] = b[k] + shift;
		gb = stats_group_of(moved, 3);
		d = stats_difference(ga, gb, stats_spread_pooled(ga, gb));
		n_found += d.difference > d.half_width;
	}
	t_note("of %d: %zu false, %zu found", N_PAIRS, n_false, n_found);
	t_ok(n_false > N_PAIRS * 4 / 100 && n_false < N_PAIRS * 6 / 100,
	     "two groups of the same kind are told apart 5 times in 100");
	t_ok(n_found > N_PAIRS * 75 / 100 && n_found < N_PAIRS * 85 / 100,
	     "and groups that far apart 4 times in 5");
}

int main(void)
{
	test_quantiles();
	test_groups();
	test_log_error();
	test_coverage();
	return t_done();
}
