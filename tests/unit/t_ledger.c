/* SPDX-License-Identifier: MIT */
/* The ledger: which rounds took the faults that were claimed. */
#include "tests/tap.h"
#include "tests/unit/made_up.h"

static struct model_scenario scenario;

/* A round of these counts; n_traps in user mode. */
static bool valid(uint64_t minor, uint64_t major, int64_t n_traps)
{
	struct model_round r = {.minor = minor,
				.major = major,
				.trap_user = n_traps,
				.trap_kernel = MODEL_NOT_COUNTED};

	return model_round_is_valid(&scenario, &r);
}

static void claim(double minor_lo, double minor_hi, double major_lo, double major_hi)
{
	scenario = (struct model_scenario){.n_pages = 1000};
	scenario.ledger.minor = (struct model_range){minor_lo, minor_hi};
	scenario.ledger.major = (struct model_range){major_lo, major_hi};
	scenario.ledger.trap = (struct model_range){minor_lo + major_lo, minor_hi + major_hi};
}

static void test_minor(void)
{
	claim(1, 1.01, 0, 0);
	t_ok(valid(1000, 0, 1000), "the lower bound is inside");
	t_ok(valid(1005, 0, 1005), "the middle");
	t_ok(valid(1010, 0, 1010), "the upper bound");
	t_ok(!valid(999, 0, 1000), "one below");
	t_ok(!valid(1011, 0, 1000), "one above");
	t_ok(!valid(0, 0, 1000), "none at all");
	t_ok(!valid(UINT64_MAX, 0, 1000), "an absurd number");
}

static void test_major(void)
{
	claim(0, 1, 0.1, 0.2);
	t_ok(valid(0, 100, 100) && valid(0, 200, 200), "major faults at their bounds");
	t_ok(!valid(0, 99, 100), "one too few");
	t_ok(!valid(0, 201, 201), "one too many");
	claim(0, 1, 0, 0);
	t_ok(valid(500, 0, 500), "no major fault, as claimed");
	t_ok(!valid(500, 1, 500), "a single one where none was claimed");
}

/* Counts are whole numbers, bounds are not. */
static void test_slack(void)
{
	claim(0.0005, 0.0015, 0, 0);
	t_ok(valid(0, 0, 0), "0 of at least 0.5: half a fault of slack");
	t_ok(valid(2, 0, 2), "2 of at most 1.5");
	t_ok(!valid(3, 0, 2), "3 of at most 1.5");
	claim(0.0006, 0.0014, 0, 0);
	t_ok(!valid(0, 0, 1), "0 of at least 0.6");
	t_ok(valid(1, 0, 1), "1 of 0.6 to 1.4");
	t_ok(!valid(2, 0, 1), "2 of at most 1.4");
	claim(0, 0, 0, 0);
	t_ok(valid(0, 0, 0) && !valid(1, 0, 0), "nothing claimed: one is too many");
}

static void test_traps(void)
{
	struct model_round r = {.minor = 1000, .trap_user = 600, .trap_kernel = 400};

	claim(1, 1, 0, 0);
	t_ok(valid(1000, 0, MODEL_NOT_COUNTED), "traps that were not counted prove nothing");
	t_ok(!valid(1000, 0, 999) && !valid(1000, 0, 1001),
	     "traps that were counted must be those claimed");
	t_ok(model_round_is_valid(&scenario, &r), "traps of user and kernel mode add up");
	r.trap_kernel = MODEL_NOT_COUNTED;
	t_ok(!model_round_is_valid(&scenario, &r), "without the kernel's half they are too few");
	r.trap_user = MODEL_NOT_COUNTED;
	r.trap_kernel = 5;
	t_ok(model_round_is_valid(&scenario, &r), "the kernel's half alone is no count");
	scenario.ledger.trap = (struct model_range){0, 0.001};
	t_ok(valid(1000, 0, 0) && valid(1000, 0, 1),
	     "pages populated inside a call: minor without traps");
	t_ok(!valid(1000, 0, 1000), "where they trap, the claim is wrong");
}

static void test_marks(void)
{
	struct model_round r = {.minor = 1000, .trap_user = 1000};

	claim(1, 1, 0, 0);
	for (unsigned bit = 0; bit < MODEL_N_MARKS; bit++) {
		bool invalidates = (MODEL_MARKS_INVALID >> bit & 1) != 0;

		r.marks = 1U << bit;
		t_ok(model_round_is_valid(&scenario, &r) != invalidates, "mark %s %s",
		     model_mark_names[bit], invalidates ? "invalidates" : "does not");
	}
	t_ok((MODEL_MARKS_INVALID & MODEL_MARKS_NOISE) == 0, "noise is no lie");
	t_ok((MODEL_MARKS_INVALID | MODEL_MARKS_NOISE) == (1 << MODEL_N_MARKS) - 1,
	     "each mark is one of both");
	r.marks = MODEL_MARKS_NOISE;
	t_ok(model_round_is_valid(&scenario, &r), "all noise at once is still valid");
}

int main(void)
{
	test_minor();
	test_major();
	test_slack();
	test_traps();
	test_marks();
	return t_done();
}
