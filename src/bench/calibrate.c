/* SPDX-License-Identifier: MIT */
/* How fast the CPU is at this moment: a loop that does the same each time, timed. */
#include "src/bench/calibrate.h"

#include "src/sys/clock.h"

/* Aligned as the timed loops are, so that its time does not move with its place in the program. */
__attribute__((noinline, aligned(64))) uint64_t calibrate_steps(uint64_t seed, uint32_t n_steps)
{
	uint64_t x = seed;

	for (; n_steps > 0; n_steps--) {
		x = x * 6364136223846793005U + 1442695040888963407U;
		__asm__ volatile("" : "+r"(x)); /* compilers unite steps that nobody looks at */
	}
	return x;
}

uint64_t calibrate_ns(uint32_t n_steps)
{
	uint64_t fastest_ns = UINT64_MAX;
	uint64_t x = n_steps;

	for (int i = 0; i < CALIBRATE_PARTS; i++) {
		uint64_t before = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		uint64_t ns;

		x = calibrate_steps(x, n_steps / CALIBRATE_PARTS);
		ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
		fastest_ns = ns < fastest_ns ? ns : fastest_ns;
	}
	__asm__ volatile("" : : "r"(x)); /* the result is used */
	return CALIBRATE_PARTS * fastest_ns;
}
