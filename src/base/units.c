/* SPDX-License-Identifier: MIT */
/* Sizes, durations and shares as people write and read them. */
#include "src/base/units.h"

#include "src/base/why.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct unit {
	const char *name;
	double factor;
};

/* A plain decimal number, at its end the unit. strtod alone would take "inf", "nan", "0x10" and
 * the locale's comma. */
static int parse_number(const char *text, double *ret_value, const char **ret_rest)
{
	const char *p = text;
	double value = 0;
	double digit = 1;
	bool any = false;

	for (; isdigit((unsigned char)*p); p++, any = true)
		value = value * 10 + (*p - '0');
	if (*p == '.')
		for (p++; isdigit((unsigned char)*p); p++, any = true)
			value += (*p - '0') * (digit /= 10);
	if (!any)
		return -EINVAL;
	while (*p == ' ')
		p++;
	*ret_value = value;
	*ret_rest = p;
	return 0;
}

static int parse_with_unit(const char *text, const struct unit *units, double *ret_value)
{
	const char *rest;
	double value;
	int r;

	r = parse_number(text, &value, &rest);
	if (r < 0)
		return r;
	for (; units->name; units++) {
		/* 'p' is pages; 'P' would be petabytes to most */
		if (strcasecmp(units->name, rest) != 0 || *rest == 'P')
			continue;
		*ret_value = value * units->factor;
		return 0;
	}
	return -EINVAL;
}

int units_parse_bytes(const char *text, uint64_t *ret_bytes, struct why *why)
{
	const double k = 1024;
	const double page = (double)sysconf(_SC_PAGESIZE);
	const struct unit units[] = {
		{"", 1},
		{"b", 1},
		{"k", k},
		{"kb", k},
		{"kib", k},
		{"m", k * k},
		{"mb", k * k},
		{"mib", k * k},
		{"g", k * k * k},
		{"gb", k * k * k},
		{"gib", k * k * k},
		{"t", k * k * k * k},
		{"tb", k * k * k * k},
		{"tib", k * k * k * k},
		{"p", page},
		{"pages", page},
		{NULL, 0},
	};
	double value;

	if (parse_with_unit(text, units, &value) < 0)
		return why_set(why, -EINVAL,
			       "'%s' is not a size; write 64M, 1.5GiB or 100p (pages)", text);
	if (value >= 0x1p62)
		return why_set(why, -ERANGE, "'%s' is larger than any address space", text);
	*ret_bytes = (uint64_t)value;
	return 0;
}

int units_parse_duration(const char *text, uint64_t *ret_ns, struct why *why)
{
	static const struct unit units[] = {
		{"", 1e9},   {"s", 1e9},  {"sec", 1e9},  {"ns", 1},     {"us", 1e3},
		{"ms", 1e6}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {NULL, 0},
	};
	double value;

	if (parse_with_unit(text, units, &value) < 0)
		return why_set(why, -EINVAL, "'%s' is not a duration; write 50us, 10ms, 2s or 1.5m",
			       text);
	if (value >= 0x1p62)
		return why_set(why, -ERANGE, "'%s' is longer than a century", text);
	*ret_ns = (uint64_t)value;
	return 0;
}

int units_parse_share(const char *text, double *ret_share, struct why *why)
{
	static const struct unit units[] = {{"", 1}, {"%", 0.01}, {NULL, 0}};
	double value;

	if (parse_with_unit(text, units, &value) < 0)
		return why_set(why, -EINVAL, "'%s' is not a share; write 2%% or 0.02", text);
	if (value > 1)
		return why_set(why, -ERANGE, "'%s' is more than 100 %%; write 2%% or 0.02", text);
	*ret_share = value;
	return 0;
}

int units_parse_u64(const char *text, uint64_t *ret_value, struct why *why)
{
	uint64_t value;
	char *end;

	if (!isdigit((unsigned char)*text))
		return why_set(why, -EINVAL, "'%s' is not a whole number", text);
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end)
		return why_set(why, -EINVAL, "'%s' is not a whole number", text);
	if (errno == ERANGE)
		return why_set(why, -ERANGE, "'%s' is too large", text);
	*ret_value = value;
	return 0;
}

struct units_text units_bytes(uint64_t bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double value = (double)bytes;
	struct units_text t;
	size_t i = 0;

	/* from 1023.95 on one digit would read 1024.0 */
	while (value >= 1023.95 && i + 1 < sizeof(names) / sizeof(names[0])) {
		value /= 1024;
		i++;
	}
	(void)snprintf(t.s, sizeof(t.s), value == floor(value) ? "%.0f %s" : "%.1f %s", value,
		       names[i]);
	return t;
}

struct units_text units_count(uint64_t n)
{
	struct units_text t;
	char *p = t.s + sizeof(t.s);

	*--p = 0;
	for (unsigned digits = 0; n || digits == 0; n /= 10, digits++) {
		if (digits && digits % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + n % 10);
	}
	memmove(t.s, p, strlen(p) + 1);
	return t;
}

static const struct unit times[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};

/* The largest unit that leaves one digit at least; 999.5 of a unit and more would read 1e+03. */
static const struct unit *unit_of_time(double ns)
{
	const struct unit *unit = times;

	while (unit->factor > 1 && ns < 0.9995 * unit->factor)
		unit++;
	return unit;
}

struct units_text units_time(double ns)
{
	const struct unit *unit = unit_of_time(ns);
	double value = ns / unit->factor;
	struct units_text t;

	(void)snprintf(t.s, sizeof(t.s), value >= 999.5 && value < 1e9 ? "%.0f %s" : "%.3g %s",
		       value, unit->name);
	return t;
}

struct units_text units_time_aligned(double ns)
{
	const struct unit *unit = unit_of_time(ns);
	double value = ns / unit->factor;
	struct units_text t;

	if (value >= 1e9)
		return units_time(ns);
	(void)snprintf(t.s, sizeof(t.s), "%.*f %s",
		       value < 9.995   ? 2
		       : value < 99.95 ? 1
				       : 0,
		       value, unit->name);
	return t;
}

struct units_text units_duration(uint64_t ns)
{
	return units_time((double)ns);
}

struct units_text units_estimate(double ns)
{
	struct units_text unknown = {"?"};

	if (isnan(ns))
		return unknown;
	return units_duration((uint64_t)fmin(fmax(ns, 0), 0x1p62)); /* a century, at the most */
}

struct units_text units_share(double share)
{
	double percent = 100 * share;
	int digits = percent >= 9.95 || percent <= 0 ? 0 : percent < 0.095 ? 2 : 1;
	struct units_text t;

	(void)snprintf(t.s, sizeof(t.s), "%.*f %%", digits, percent);
	return t;
}

struct units_text units_ns(double ns)
{
	struct units_text t;

	if (isnan(ns))
		return (struct units_text){"-"};
	(void)snprintf(t.s, sizeof(t.s), "%.*f", ns < 10 ? 2 : ns < 100 ? 1 : 0, ns);
	return t;
}
