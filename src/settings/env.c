/* SPDX-License-Identifier: MIT */
/* A variable in the trial's environment; an empty value takes it out. */
#include "src/bench/setting.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int env_check(const struct bench_arm *arm, struct why *why)
{
	if (strcmp(arm->param, "LD_PRELOAD") == 0)
		return why_set(
			why, -EINVAL,
			"use --ab preload=none,/path/of/library.so, which sees that it is loaded");
	for (const char *c = arm->param; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return why_set(why, -EINVAL, "'%s' is no name of a variable", arm->param);
	return 0;
}

static void env_environment(const struct bench_arm *arm, char *ret_assignment, size_t size)
{
	(void)snprintf(ret_assignment, size, "%s%s%s", arm->param, *arm->value ? "=" : "",
		       arm->value);
}

static int env_in_trial(struct bench_trial *trial, const struct bench_arm *arm)
{
	const char *value = getenv(arm->param);

	if (*arm->value ? value && strcmp(value, arm->value) == 0 : !value)
		return 0;
	return why_set(&trial->why, -EIO, "the trial has not %s=%s but '%s'", arm->param,
		       arm->value, value ? value : "");
}

SETTING(env) = {
	.title = "a variable of the trial's environment; empty: not there",
	.param = "VARIABLE",
	.values = "texts without a comma",
	.check = env_check,
	.environment = env_environment,
	.in_trial = env_in_trial,
};
