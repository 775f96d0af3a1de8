/* SPDX-License-Identifier: MIT */
/* The loops that are timed: out of line, one access a step, nothing else. */
#include "src/bench/touch.h"

#include <string.h>

/*
 * Aligned to a cache line: on one processor (AMD Zen 4, in a VM) the same loop took 1,500 ns a first
 * write where it crossed a line, and 1,800 wherever it did not. So its place must not change from
 * one build to the next, and be the common one.
 */
#define TIMED_LOOP __attribute__((noinline, aligned(64)))

/* volatile: compilers delete stores that nobody reads. */
TIMED_LOOP void touch_write(char *start, const char *end, size_t stride, unsigned char value)
{
	for (char *p = start; p < end; p += stride)
		*(volatile unsigned char *)p = value;
}

TIMED_LOOP uint64_t touch_read(const char *start, const char *end, size_t stride)
{
	uint64_t sum = 0;

	for (const char *p = start; p < end; p += stride)
		sum += *(const volatile unsigned char *)p;
	return sum;
}

TIMED_LOOP void touch_fill(char *start, const char *end, size_t stride)
{
	for (char *p = start; p < end; p += stride) {
		memset(p, 0, stride);
		__asm__ volatile("" : : "r"(p) : "memory");
	}
}

TIMED_LOOP void **touch_chase(void **start, uint64_t n)
{
	void **p = start;

	for (; n > 0; n--)
		p = (void **)*(void *volatile *)p;
	return p;
}
