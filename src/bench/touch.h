/* SPDX-License-Identifier: MIT */
/* The loops that are timed: out of line, one access a step, nothing else. */
#ifndef BENCH_TOUCH_H
#define BENCH_TOUCH_H

#include <stddef.h>
#include <stdint.h>

void touch_write(char *start, const char *end, size_t stride, unsigned char value);

/* The sum of the bytes met proves afterwards that they were read. */
uint64_t touch_read(const char *start, const char *end, size_t stride);

void touch_fill(char *start, const char *end, size_t stride);

/* Follows n addresses, each kept where the one before led. Returns the last: where it led proves
 * that all were followed. */
void **touch_chase(void **start, uint64_t n);

#endif
