/* SPDX-License-Identifier: MIT */
/* Any setting in /sys/kernel/mm: sysfs.transparent_hugepage/defrag. */
#include "src/bench/setting.h"

#include <stdio.h>

static void path_of(const struct bench_arm *arm, char *ret_path, size_t size)
{
	(void)snprintf(ret_path, size, "/sys/kernel/mm/%s", arm->param);
}

static int sysfs_check(const struct bench_arm *arm, struct why *why)
{
	char path[2 * BENCH_SETTING_TEXT];

	path_of(arm, path, sizeof(path));
	return bench_knob_check(path, arm->value, why);
}

static int sysfs_open(struct bench_arm *arm, struct why *why)
{
	char path[2 * BENCH_SETTING_TEXT];

	path_of(arm, path, sizeof(path));
	return bench_knob_open(arm, path, arm->value, why);
}

SETTING(sysfs) = {
	.title = "a setting in /sys/kernel/mm: sysfs.transparent_hugepage/defrag",
	.param = "PATH",
	.values = "what the kernel takes",
	.changes_system = true,
	.check = sysfs_check,
	.open = sysfs_open,
	.close = bench_knob_close,
	.enter = bench_knob_enter,
};
