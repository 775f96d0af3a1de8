/* SPDX-License-Identifier: MIT */
/* Axes: the ends are ticks that hold every value, and the labels are few and round. */
#include "src/report/scale.h"
#include "tests/tap.h"

static struct scale scale;

static struct scale_range range_of(double a, double b)
{
	struct scale_range range = SCALE_EMPTY;

	scale_include(&range, a);
	scale_include(&range, b);
	return range;
}

/* An axis over both values from 0 to 100, with room for max labels: these. */
static void ticks_are(enum scale_base base, double a, double b, unsigned max, const char *expected)
{
	char got[512] = "";
	size_t n = 0;

	if (!scale_make(base, range_of(a, b), (struct scale_place){0, 100, max}, &scale)) {
		t_ok(false, "%g to %g has an axis", a, b);
		return;
	}
	for (unsigned i = 0; i < scale.n_ticks; i++)
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%g", i ? " " : "",
				      scale.ticks[i]);
	t_is_str(got, expected, "%g to %g, room for %u", a, b, max);
	t_ok(scale_at(&scale, a) > -1e-6 && scale_at(&scale, b) < 100 + 1e-6,
	     "both lie on the axis");
}

static void test_tens(void)
{
	ticks_are(SCALE_TENS, 6.24, 272270, 5, "10 100 1000 10000 100000");
	ticks_are(SCALE_TENS, 1, 1e6, 7, "1 10 100 1000 10000 100000 1e+06");
	ticks_are(SCALE_TENS, 1, 1e6, 6, "1 100 10000 1e+06");
	ticks_are(SCALE_TENS, 2, 300, 5, "10 100");
	ticks_are(SCALE_TENS, 2, 300, 8, "2 5 10 20 50 100 200 500");
	ticks_are(SCALE_TENS, 0.004, 0.03, 5, "0.002 0.005 0.01 0.02 0.05");
	ticks_are(SCALE_TENS, 1e-4, 1e-1, 5, "0.0001 0.001 0.01 0.1");
	ticks_are(SCALE_TENS, 1e-30, 1e30, 5, "1e-30 1e-17 0.0001 1e+09 1e+22");
}

static void test_tiny(void)
{
	ticks_are(SCALE_TENS, 600, 606, 5, "500 1000");
	ticks_are(SCALE_TENS, 999, 1001, 5, "500 1000 2000");
	ticks_are(SCALE_TENS, 1000, 1000, 5, "500 1000 2000");
	ticks_are(SCALE_TENS, 700, 700, 5, "500 1000");
	ticks_are(SCALE_TENS, 1, 1, 5, "0.5 1 2");
	ticks_are(SCALE_TWOS, 1 << 20, 1 << 20, 5, "524288 1.04858e+06 2.09715e+06");
	t_is_double(scale_at(&scale, 1 << 20), 50, 1e-9, "a single value stands in the middle");
}

static void test_twos(void)
{
	ticks_are(SCALE_TWOS, 1, 1024, 6, "1 4 16 64 256 1024");
	ticks_are(SCALE_TWOS, 1, 1024, 11, "1 2 4 8 16 32 64 128 256 512 1024");
	ticks_are(SCALE_TWOS, 3, 100, 7, "2 4 8 16 32 64 128");
	ticks_are(SCALE_TWOS, 0.3, 1, 5, "0.25 0.5 1");
}

static void test_places(void)
{
	ticks_are(SCALE_TENS, 1, 100, 7, "1 2 5 10 20 50 100");
	t_is_double(scale_at(&scale, 1), 0, 1e-9, "the least value at one end");
	t_is_double(scale_at(&scale, 10), 50, 1e-9, "a decade is half of two");
	t_is_double(scale_at(&scale, 100), 100, 1e-9, "the most at the other end");
	t_ok(scale_make(SCALE_TENS, range_of(1, 100), (struct scale_place){300, 100, 5}, &scale),
	     "an axis may run upwards");
	t_is_double(scale_at(&scale, 1), 300, 1e-9, "then the least value is below");
	t_is_double(scale_at(&scale, 10), 200, 1e-9, "and a larger one above it");
}

static void test_no_place(void)
{
	static const double without[] = {0, -1, -0.0, NAN, HUGE_VAL, -HUGE_VAL, 1e-31, 1e31, 1e308};
	struct scale_range range = SCALE_EMPTY;

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		t_ok(!scale_has(without[i]), "%g has no place", without[i]);
		scale_include(&range, without[i]);
	}
	scale = (struct scale){.n_ticks = 7};
	t_ok(!scale_make(SCALE_TENS, range, (struct scale_place){0, 100, 5}, &scale),
	     "there is no axis of nothing");
	t_is_u64(scale.n_ticks, 7, "and what was there is left alone");
	scale_include(&range, 20);
	t_ok(scale_make(SCALE_TENS, range, (struct scale_place){0, 100, 5}, &scale) &&
		     scale.lo <= 20 && scale.hi >= 20,
	     "one value among them is enough");
}

/* Whatever the range, labels are as many as there is room for, and the ends hold it. */
static void test_all(void)
{
	size_t n_wrong = 0;

	for (double lo = 1e-12; lo < 1e12; lo *= 1.37)
		for (double factor = 1; factor < 1e12; factor *= 2.3)
			for (unsigned max = SCALE_LEAST_TICKS; max <= SCALE_MAX_TICKS; max++)
				for (enum scale_base base = SCALE_TENS; base <= SCALE_TWOS;
				     base++) {
					bool made =
						scale_make(base, range_of(lo, lo * factor),
							   (struct scale_place){0, 1, max}, &scale);

					n_wrong += !made || scale.n_ticks < 2 ||
						   scale.n_ticks > max ||
						   scale.lo > lo * (1 + 1e-8) ||
						   scale.hi < lo * factor * (1 - 1e-8) ||
						   scale.ticks[0] < scale.lo ||
						   scale.ticks[scale.n_ticks - 1] > scale.hi;
				}
	t_is_u64(n_wrong, 0, "axes of all ranges have two labels at least, and room for them");
}

int main(void)
{
	test_tens();
	test_tiny();
	test_twos();
	test_places();
	test_no_place();
	test_all();
	return t_done();
}
