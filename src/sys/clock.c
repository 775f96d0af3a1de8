/* SPDX-License-Identifier: MIT */
/* The clocks everything is timed by. */
#include "src/sys/clock.h"

uint64_t sys_clock_cost_ns(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		uint64_t a = sys_now_ns();
		uint64_t b = sys_now_ns();

		if (b - a < least)
			least = b - a;
	}
	return least;
}
