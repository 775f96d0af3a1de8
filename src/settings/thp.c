/* SPDX-License-Identifier: MIT */
/* The system's mode of transparent huge pages, for memory that no madvise says anything of. */
#include "src/base/array.h"
#include "src/bench/setting.h"

#include <errno.h>
#include <string.h>

#define PATH "/sys/kernel/mm/transparent_hugepage/enabled"

static bool thp_concerns(const struct bench_scenario *scenario)
{
	return scenario->any_pages;
}

static int thp_check(const struct bench_arm *arm, struct why *why)
{
	static const char *const modes[] = {"always", "madvise", "never"};

	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		if (strcmp(arm->value, modes[i]) == 0)
			return bench_knob_check(PATH, arm->value, why);
	return why_set(why, -EINVAL, "there is no mode '%s', but always, madvise and never",
		       arm->value);
}

/* What the memory must then consist of, which each round is held to. */
static enum bench_pages thp_pages(const struct bench_arm *arm)
{
	return strcmp(arm->value, "always") == 0 ? BENCH_PAGES_THP : BENCH_PAGES_BASE;
}

static int thp_open(struct bench_arm *arm, struct why *why)
{
	return bench_knob_open(arm, PATH, arm->value, why);
}

static int thp_in_trial(struct bench_trial *trial, const struct bench_arm *arm)
{
	(void)arm;
	trial->is_unadvised = true;
	return 0;
}

SETTING(thp) = {
	.title = "the system's THP mode, for memory without advice",
	.values = "always, madvise or never",
	.changes_system = true,
	.concerns = thp_concerns,
	.check = thp_check,
	.pages = thp_pages,
	.open = thp_open,
	.close = bench_knob_close,
	.enter = bench_knob_enter,
	.in_trial = thp_in_trial,
};
