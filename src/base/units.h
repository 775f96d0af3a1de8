/* SPDX-License-Identifier: MIT */
/* Sizes, durations and shares as people write and read them. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

struct why;

/* "64M", "64MiB", "1.5G", a bare number (bytes), "100p" (pages of this system): bytes. -EINVAL for what is no
 * size (a sign included), -ERANGE for what does not fit 63 bits. */
int units_parse_bytes(const char *text, uint64_t *ret_bytes, struct why *why);

/* "50us", "10ms", "2s", "1.5m", "1h"; a bare number is seconds. Nanoseconds. */
int units_parse_duration(const char *text, uint64_t *ret_ns, struct why *why);

/* "3%", "3 %" or "0.03": a fraction between 0 and 1. */
int units_parse_share(const char *text, double *ret_share, struct why *why);

/* A whole number without sign. */
int units_parse_u64(const char *text, uint64_t *ret_value, struct why *why);

struct units_text {
	char s[32];
};

struct units_text units_bytes(uint64_t bytes); /* "200 MiB"; exact where it divides, else 1 digit */
struct units_text units_count(uint64_t n);     /* "11,203" */
struct units_text units_duration(uint64_t ns); /* "85 ns", "12.3 us", "4.5 s" */
struct units_text units_time(double ns);       /* the same of a fraction: "6.24 ns" */
struct units_text units_time_aligned(double ns); /* with three digits, zeroes too: "6.20 ns" */
struct units_text units_estimate(double ns);     /* the same of a computed time; "?" for NaN */
struct units_text units_share(double share);     /* "68 %", "0.4 %" */
struct units_text units_ns(double ns);           /* "19.3" below 100, else "2103" */

#endif
