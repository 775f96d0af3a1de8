/* SPDX-License-Identifier: MIT */
/* Any setting in /sys/kernel/debug: debugfs.fault_around_bytes. */
#include "src/bench/setting.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#define ROOT "/sys/kernel/debug"

static int debugfs_check(const struct bench_arm *arm, struct why *why)
{
	struct statfs fs;

	if (statfs(ROOT, &fs) < 0 || fs.f_type != DEBUGFS_MAGIC)
		return why_set(why, -EINVAL,
			       "needs debugfs: it is not mounted on " ROOT
			       "; as root: mount -t debugfs none " ROOT);
	if (access(ROOT, X_OK) < 0)
		return why_set(why, -EINVAL, "cannot look into " ROOT ", which is root's");
	return bench_knob_check_in(ROOT, false, arm, why);
}

static int debugfs_open(struct bench_arm *arm, struct why *why)
{
	return bench_knob_open_in(ROOT, false, arm, why);
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
