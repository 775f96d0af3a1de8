/* SPDX-License-Identifier: MIT */
/* Any setting in /proc/sys, named as sysctl(8) names it: sysctl.vm.swappiness. */
#include "src/base/array.h"
#include "src/bench/setting.h"

#include <errno.h>
#include <string.h>

#define ROOT "/proc/sys"

/* The kernel clears one where the other is written, so that writing back the one leaves the other lost. */
static const char *const twins[][2] = {
	{"overcommit_kbytes", "overcommit_ratio"},
	{"dirty_bytes", "dirty_ratio"},
	{"dirty_background_bytes", "dirty_background_ratio"},
};

static int sysctl_check(const struct bench_arm *arm, struct why *why)
{
	const char *dot = strrchr(arm->param, '.'), *slash = strrchr(arm->param, '/');
	const char *name = slash ? slash + 1 : dot ? dot + 1 : arm->param;

	for (size_t i = 0; i < ARRAY_LEN(twins); i++)
		for (size_t k = 0; k < 2; k++)
			if (strcmp(name, twins[i][k]) == 0)
				return why_set(
					why, -EINVAL,
					"vm.%s and vm.%s exclude each other: writing one clears "
					"the other, which could not be put back",
					twins[i][k], twins[i][1 - k]);
	return bench_knob_check_in(ROOT, true, arm, why);
}

static int sysctl_open(struct bench_arm *arm, struct why *why)
{
	return bench_knob_open_in(ROOT, true, arm, why);
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
