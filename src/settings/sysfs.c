/* SPDX-License-Identifier: MIT */
/* Any setting in /sys/kernel/mm: sysfs.transparent_hugepage/defrag. */
#include "src/bench/setting.h"

#include <errno.h>
#include <string.h>

#define ROOT "/sys/kernel/mm"

static int sysfs_check(const struct bench_arm *arm, struct why *why)
{
	/* the scenarios' memory has advice of its own, which goes before the mode */
	if (strcmp(arm->param, "transparent_hugepage/enabled") == 0)
		return why_set(why, -EINVAL, "would change nothing here; --ab thp=%s,%s does",
			       arm->value, arm->other);
	return bench_knob_check_in(ROOT, false, arm, why);
}

static int sysfs_open(struct bench_arm *arm, struct why *why)
{
	return bench_knob_open_in(ROOT, false, arm, why);
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
