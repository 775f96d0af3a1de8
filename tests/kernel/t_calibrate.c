/* SPDX-License-Identifier: MIT */
/* The calibration loop does all of its steps, and its time is theirs. */
#include "src/bench/calibrate.h"
#include "tests/tap.h"

#include <sys/resource.h>

enum { N_TRIES = 20 };

/* The least of some: others' bursts only add. */
static uint64_t least_ns(uint32_t n_steps)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < N_TRIES; i++) {
		uint64_t ns = calibrate_ns(n_steps);

		least = ns < least ? ns : least;
	}
	return least;
}

static uint64_t by_hand(uint64_t seed, unsigned n_steps)
{
	while (n_steps-- > 0)
		seed = seed * 6364136223846793005U + 1442695040888963407U;
	return seed;
}

int main(void)
{
	struct rusage before, after;
	double ratio;

	t_plan(5);
	t_ok(calibrate_steps(7, 1000) == by_hand(7, 1000), "a thousand steps are a thousand");
	t_ok(calibrate_steps(7, 0) == 7, "none are none");
	ratio = (double)least_ns(8 * CALIBRATE_STEPS) / (double)least_ns(CALIBRATE_STEPS);
	t_ok(ratio > 4 && ratio < 16, "eight times the steps take about eight times: %.2f", ratio);
	t_ok(CALIBRATE_STEPS % CALIBRATE_PARTS == 0, "no step is lost between the parts");
	(void)getrusage(RUSAGE_SELF, &before);
	(void)calibrate_ns(CALIBRATE_STEPS);
	(void)getrusage(RUSAGE_SELF, &after);
	t_ok(after.ru_minflt == before.ru_minflt && after.ru_majflt == before.ru_majflt,
	     "it takes no fault");
	return t_done();
}
