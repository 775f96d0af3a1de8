/* SPDX-License-Identifier: MIT */
/* The loops that are timed: out of line, one access a page, nothing else. */
#include "src/bench/touch.h"

#include <string.h>

/* volatile: compilers delete stores that nobody reads. */
__attribute__((noinline)) void touch_write(char *start, const char *end, size_t stride,
					   unsigned char value)
{
	for (char *p = start; p < end; p += stride)
		*(volatile unsigned char *)p = value;
}

__attribute__((noinline)) uint64_t touch_read(const char *start, const char *end, size_t stride)
{
	uint64_t sum = 0;

	for (const char *p = start; p < end; p += stride)
		sum += *(const volatile unsigned char *)p;
	return sum;
}

__attribute__((noinline)) void touch_fill(char *start, const char *end, size_t stride)
{
	for (char *p = start; p < end; p += stride) {
		memset(p, 0, stride);
		__asm__ volatile("" : : "r"(p) : "memory");
	}
}
