/* SPDX-License-Identifier: MIT */
/* The clocks everything is timed by. */
#ifndef SYS_CLOCK_H
#define SYS_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t sys_clock_ns(clockid_t id)
{
	struct timespec t;

	(void)clock_gettime(id, &t); /* cannot fail for the two clocks used here */
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* CLOCK_MONOTONIC: the same in all processes of a boot, no system call on the usual clock sources. */
static inline uint64_t sys_now_ns(void)
{
	return sys_clock_ns(CLOCK_MONOTONIC);
}

#endif
