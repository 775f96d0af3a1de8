/* SPDX-License-Identifier: MIT */
/* What madvise says of how the mapped file will be read. */
#include "src/base/array.h"
#include "src/bench/setting.h"
#include "src/sys/smaps.h"

#include <errno.h>
#include <string.h>

static const struct advice {
	const char *name;
	int advice;
	bool is_random, is_sequential; /* what smaps must then show */
} advices[] = {
	{"normal", MADV_NORMAL, false, false},
	{"random", MADV_RANDOM, true, false},
	{"sequential", MADV_SEQUENTIAL, false, true},
};

/* Not where the scenario is about one advice, and claims what that does; nor where nothing is read: the
 * advice changes readahead alone, not fault-around. */
static bool file_advice_concerns(const struct bench_scenario *scenario)
{
	return scenario->file == BENCH_FILE_COLD && scenario->kernel_decides;
}

static const struct advice *find_advice(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(advices); i++)
		if (strcmp(advices[i].name, name) == 0)
			return &advices[i];
	return NULL;
}

static int file_advice_check(const struct bench_arm *arm, struct why *why)
{
	if (find_advice(arm->value))
		return 0;
	return why_set(why, -EINVAL, "there is no advice '%s', but normal, random and sequential",
		       arm->value);
}

static int file_advice_prepared(struct bench_trial *trial, const struct bench_arm *arm)
{
	const struct advice *a = find_advice(arm->value);
	struct sys_mapping m;
	int r;

	if (!a)
		return why_set(&trial->why, -EINVAL, "unknown advice");
	r = bench_advise(trial, a->advice);
	if (r == 0)
		r = sys_smaps_range((uintptr_t)trial->map, (uintptr_t)trial->map + trial->bytes, &m,
				    &trial->why);
	if (r == 0 && (sys_smaps_has_flag(&m, "rr") != a->is_random ||
		       sys_smaps_has_flag(&m, "sr") != a->is_sequential))
		r = why_set(&trial->why, -EIO, "madvise took no effect: smaps has VmFlags%s",
			    m.flags);
	return r;
}

SETTING(file_advice) = {
	.title = "madvise on the mapped file: readahead as usual, none, or more",
	.values = "normal, random or sequential",
	.concerns = file_advice_concerns,
	.check = file_advice_check,
	.prepared = file_advice_prepared,
};
