/* SPDX-License-Identifier: MIT */
/* Test programs in C: each check is one line of TAP, and a failed one says what it got. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	int planned, run, failed;
	bool plan_printed;
} t_state;

/* Where a check stands. */
struct t_at {
	const char *file;
	int line;
};
#define T_AT ((struct t_at){__FILE__, __LINE__})

/* fmt... names the check; the macros return whether it passed. */
#define t_ok(cond, ...) t_ok_at(T_AT, (cond), __VA_ARGS__)
#define t_is_u64(got, expected, ...) t_is_u64_at(T_AT, (got), (expected), __VA_ARGS__)
#define t_is_i64(got, expected, ...) t_is_i64_at(T_AT, (got), (expected), __VA_ARGS__)
/* NaN is expected by NAN. */
#define t_is_double(got, expected, tolerance, ...) \
	t_is_double_at(T_AT, (got), (expected), (tolerance), __VA_ARGS__)
#define t_is_str(got, expected, ...) t_is_str_at(T_AT, (got), (expected), __VA_ARGS__)
#define t_contains(haystack, needle, ...) t_contains_at(T_AT, (haystack), (needle), __VA_ARGS__)

/* Prints text as part of a line. In a name '#' would begin a directive; a control character or a
 * broken byte would not arrive. */
static inline void t_put(const char *text, bool is_name)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c >= 0x7f)
			(void)printf("<%02x>", c);
		else
			(void)printf("%s%c", is_name && c == '#' ? "\\" : "", c);
	}
}

__attribute__((format(printf, 1, 2))) static inline void t_note(const char *fmt, ...)
{
	char text[2048];
	char *line = text, *rest;
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (; line; line = rest) {
		rest = strchr(line, '\n');
		if (rest)
			*rest++ = 0;
		(void)fputs("# ", stdout);
		t_put(line, false);
		(void)putchar('\n');
	}
}

static inline void t_plan(int n)
{
	t_state.planned = n;
	t_state.plan_printed = true;
	(void)printf("1..%d\n", n);
	(void)fflush(stdout);
}

/* One result. The name comes as a va_list, so that all checks share this. */
__attribute__((format(printf, 3, 0))) static inline bool t_result(struct t_at at, bool good,
								  const char *fmt, va_list ap)
{
	char name[512];

	(void)vsnprintf(name, sizeof(name), fmt, ap);
	t_state.run++;
	t_state.failed += !good;
	(void)printf("%s %d - ", good ? "ok" : "not ok", t_state.run);
	t_put(name, true);
	(void)putchar('\n');
	if (!good)
		t_note("at %s:%d", at.file, at.line);
	(void)fflush(stdout); /* what comes next may crash */
	return good;
}

__attribute__((format(printf, 3, 4))) static inline bool t_ok_at(struct t_at at, bool good,
								 const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)t_result(at, good, fmt, ap);
	va_end(ap);
	return good;
}

__attribute__((format(printf, 4, 5))) static inline bool
t_is_u64_at(struct t_at at, uint64_t got, uint64_t expected, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!t_result(at, got == expected, fmt, ap))
		t_note("got      %" PRIu64 "\nexpected %" PRIu64, got, expected);
	va_end(ap);
	return got == expected;
}

__attribute__((format(printf, 4, 5))) static inline bool
t_is_i64_at(struct t_at at, int64_t got, int64_t expected, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!t_result(at, got == expected, fmt, ap))
		t_note("got      %" PRId64 "\nexpected %" PRId64, got, expected);
	va_end(ap);
	return got == expected;
}

__attribute__((format(printf, 5, 6))) static inline bool
t_is_double_at(struct t_at at, double got, double expected, double tolerance, const char *fmt, ...)
{
	bool good = isnan(expected) ? isnan(got) : fabs(got - expected) <= tolerance;
	va_list ap;

	va_start(ap, fmt);
	if (!t_result(at, good, fmt, ap))
		t_note("got      %.17g\nexpected %.17g, give or take %g", got, expected, tolerance);
	va_end(ap);
	return good;
}

__attribute__((format(printf, 4, 5))) static inline bool
t_is_str_at(struct t_at at, const char *got, const char *expected, const char *fmt, ...)
{
	bool good = got && expected ? strcmp(got, expected) == 0 : got == expected;
	va_list ap;

	va_start(ap, fmt);
	if (!t_result(at, good, fmt, ap))
		t_note("got      '%s'\nexpected '%s'", got ? got : "(null)",
		       expected ? expected : "(null)");
	va_end(ap);
	return good;
}

__attribute__((format(printf, 4, 5))) static inline bool
t_contains_at(struct t_at at, const char *haystack, const char *needle, const char *fmt, ...)
{
	bool good = haystack && strstr(haystack, needle);
	va_list ap;

	va_start(ap, fmt);
	if (!t_result(at, good, fmt, ap))
		t_note("got      '%s'\nexpected '%s' in it", haystack ? haystack : "(null)",
		       needle);
	va_end(ap);
	return good;
}

/* Counts n checks as skipped; the reason says what was found and what would fix it. */
__attribute__((format(printf, 2, 3))) static inline void t_skip(int n, const char *fmt, ...)
{
	char reason[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	while (n-- > 0) {
		(void)printf("ok %d # SKIP ", ++t_state.run);
		t_put(reason, false);
		(void)putchar('\n');
	}
	(void)fflush(stdout);
}

/* Skips the whole program and ends it; only before the plan and the first check. */
__attribute__((format(printf, 1, 2), noreturn)) static inline void t_skip_all(const char *fmt, ...)
{
	char reason[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	(void)printf("1..0 # SKIP ");
	t_put(reason, false);
	(void)putchar('\n');
	exit(EXIT_SUCCESS);
}

/* Ends the test: the exit status. Prints the plan where there was none. */
static inline int t_done(void)
{
	if (!t_state.plan_printed)
		t_plan(t_state.run);
	if (t_state.run != t_state.planned)
		t_note("planned %d checks, ran %d", t_state.planned, t_state.run);
	if (t_state.failed)
		t_note("%d of %d checks failed", t_state.failed, t_state.run);
	return t_state.failed || t_state.run != t_state.planned || t_state.run == 0 ? EXIT_FAILURE
										    : EXIT_SUCCESS;
}

#endif
