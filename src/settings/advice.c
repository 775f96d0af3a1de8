/* SPDX-License-Identifier: MIT */
/* What madvise says of the scenario's memory: huge pages, none of them, or nothing. */
#include "src/base/array.h"
#include "src/bench/setting.h"
#include "src/sys/thp.h"

#include <errno.h>
#include <string.h>

static bool advice_concerns(const struct bench_scenario *scenario)
{
	return scenario->any_pages;
}

static int advice_check(const struct bench_arm *arm, struct why *why)
{
	static const char *const values[] = {"huge", "nohuge", "none"};

	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		if (strcmp(arm->value, values[i]) == 0)
			return 0;
	return why_set(why, -EINVAL, "there is no advice '%s', but huge, nohuge and none",
		       arm->value);
}

/* Without advice the system's mode decides. Each round is held to these pages, so that advice which did
 * not take effect is seen. */
static enum bench_pages advice_pages(const struct bench_arm *arm)
{
	struct sys_thp thp;

	if (strcmp(arm->value, "huge") == 0)
		return BENCH_PAGES_THP;
	if (strcmp(arm->value, "nohuge") == 0)
		return BENCH_PAGES_BASE;
	sys_thp_probe(&thp);
	return strcmp(sys_thp_mode(&thp, thp.huge_page_bytes), "always") == 0 ? BENCH_PAGES_THP
									      : BENCH_PAGES_BASE;
}

static int advice_in_trial(struct bench_trial *trial, const struct bench_arm *arm)
{
	trial->is_unadvised = strcmp(arm->value, "none") == 0;
	return 0;
}

SETTING(advice) = {
	.title = "THP advice on the scenario's memory: MADV_HUGEPAGE, MADV_NOHUGEPAGE, or none",
	.values = "huge, nohuge or none",
	.concerns = advice_concerns,
	.check = advice_check,
	.pages = advice_pages,
	.in_trial = advice_in_trial,
};
