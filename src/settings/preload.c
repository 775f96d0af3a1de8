/* SPDX-License-Identifier: MIT */
/* A library loaded into the trial before all others: LD_PRELOAD, seen to be mapped. */
#include "src/bench/setting.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_none(const struct bench_arm *arm)
{
	return strcmp(arm->value, "none") == 0;
}

static int preload_check(const struct bench_arm *arm, struct why *why)
{
	if (is_none(arm))
		return 0;
	if (arm->value[0] != '/')
		return why_set(why, -EINVAL, "'%s' is neither none nor a path that begins with /",
			       arm->value);
	if (strpbrk(arm->value, " :"))
		return why_set(why, -EINVAL, "%s: LD_PRELOAD takes no path with a blank or a colon",
			       arm->value);
	if (access(arm->value, R_OK) < 0)
		return why_set(why, -EINVAL, "cannot read %s: %s", arm->value, strerror(errno));
	return 0;
}

static void preload_environment(const struct bench_arm *arm, char *ret_assignment, size_t size)
{
	(void)snprintf(ret_assignment, size, "LD_PRELOAD%s%s", is_none(arm) ? "" : "=",
		       is_none(arm) ? "" : arm->value);
}

static bool is_mapped(const char *path)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[2 * PATH_MAX];
	size_t n = strlen(path);
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		char *at = strchr(line, '/');

		found = at && strncmp(at, path, n) == 0 && at[n] == '\n';
	}
	if (f)
		(void)fclose(f);
	return found;
}

/* ld.so goes on without a library that it cannot load. */
static int preload_in_trial(struct bench_trial *trial, const struct bench_arm *arm)
{
	char path[PATH_MAX];

	if (is_none(arm))
		return getenv("LD_PRELOAD") ? why_set(&trial->why, -EIO, "LD_PRELOAD is set") : 0;
	if (realpath(arm->value, path) && is_mapped(path))
		return 0;
	return why_set(&trial->why, -EIO,
		       "%s was not loaded into the trial: is it a library for this machine?",
		       arm->value);
}

SETTING(preload) = {
	.title = "a library loaded into the trial first: LD_PRELOAD",
	.values = "none or /path/of/library.so",
	.check = preload_check,
	.environment = preload_environment,
	.in_trial = preload_in_trial,
};
