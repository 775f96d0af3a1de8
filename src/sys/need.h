/* SPDX-License-Identifier: MIT */
/* What a scenario or command needs of the system, asked of the system itself. */
#ifndef SYS_NEED_H
#define SYS_NEED_H

#include "src/base/why.h"

#include <stddef.h>

/* Where the probes look. The strings are the caller's and outlive the probing. */
struct sys_env {
	const char *dir; /* for data files */
};

/*
 * A probe answers 0: met; 1: unmet, with a sentence that says what was found and what would fix
 * it; negative errno: the probe itself broke, which is a failure and no skip. Probes ask for the
 * feature, never for a kernel version, and leave nothing behind.
 */
struct sys_need {
	const char *name;
	const char *title;
	int (*probe)(const struct sys_env *env, struct why *why);
};

extern const struct sys_need need_base_pages;
extern const struct sys_need need_thp;
extern const struct sys_need need_hugetlb;
extern const struct sys_need need_gigantic;
extern const struct sys_need need_data_dir;
extern const struct sys_need need_cold_files;
extern const struct sys_need need_user_traps;
extern const struct sys_need need_kernel_traps;
extern const struct sys_need need_pmu;
extern const struct sys_need need_pressure;
extern const struct sys_need need_steal;

/* Answers already had, so that a need is probed once however many scenarios have it: some write and
 * fsync files. Begins as {.n = 0}; for one sys_env. */
enum { SYS_MAX_ANSWERS = 12 };
struct sys_answers {
	const struct sys_need *need[SYS_MAX_ANSWERS];
	int r[SYS_MAX_ANSWERS];
	struct why why[SYS_MAX_ANSWERS];
	size_t n;
};
int sys_ask(struct sys_answers *answers, const struct sys_need *need, const struct sys_env *env,
	    struct why *why);

/* All of them, for doctor; ends with NULL. */
extern const struct sys_need *const sys_needs[];

#endif
