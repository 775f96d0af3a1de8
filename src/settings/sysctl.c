/* SPDX-License-Identifier: MIT */
/* Any setting in /proc/sys, named as sysctl(8) names it: sysctl.vm.swappiness. */
#include "src/bench/setting.h"

#include <stdio.h>
#include <string.h>

static void path_of(const struct bench_arm *arm, char *ret_path, size_t size)
{
	char *at;

	(void)snprintf(ret_path, size, "/proc/sys/%s", arm->param);
	if (strchr(arm->param, '/')) /* a name in it holds a dot */
		return;
	while ((at = strchr(ret_path, '.')))
		*at = '/';
}

static int sysctl_check(const struct bench_arm *arm, struct why *why)
{
	char path[2 * BENCH_SETTING_TEXT];

	path_of(arm, path, sizeof(path));
	return bench_knob_check(path, arm->value, why);
}

static int sysctl_open(struct bench_arm *arm, struct why *why)
{
	char path[2 * BENCH_SETTING_TEXT];

	path_of(arm, path, sizeof(path));
	return bench_knob_open(arm, path, arm->value, why);
}

SETTING(sysctl) = {
	.title = "a setting in /proc/sys: sysctl.vm.swappiness, sysctl.kernel.numa_balancing",
	.param = "NAME",
	.values = "what the kernel takes",
	.changes_system = true,
	.check = sysctl_check,
	.open = sysctl_open,
	.close = bench_knob_close,
	.enter = bench_knob_enter,
};
