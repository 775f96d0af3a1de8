/* SPDX-License-Identifier: MIT */
/* Any setting in /sys/kernel/debug: debugfs.fault_around_bytes. */
#include "src/bench/setting.h"

#include <stdio.h>

static void path_of(const struct bench_arm *arm, char *ret_path, size_t size)
{
	(void)snprintf(ret_path, size, "/sys/kernel/debug/%s", arm->param);
}

static int debugfs_check(const struct bench_arm *arm, struct why *why)
{
	char path[2 * BENCH_SETTING_TEXT];

	path_of(arm, path, sizeof(path));
	return bench_knob_check(path, arm->value, why);
}

static int debugfs_open(struct bench_arm *arm, struct why *why)
{
	char path[2 * BENCH_SETTING_TEXT];

	path_of(arm, path, sizeof(path));
	return bench_knob_open(arm, path, arm->value, why);
}

SETTING(debugfs) = {
	.title = "a setting in /sys/kernel/debug: debugfs.fault_around_bytes",
	.param = "NAME",
	.values = "what the kernel takes",
	.changes_system = true,
	.check = debugfs_check,
	.open = debugfs_open,
	.close = bench_knob_close,
	.enter = bench_knob_enter,
};
