/* SPDX-License-Identifier: MIT */
/* What settings of `bench --ab` share that change the system: the run's journal, and files set through it. */
#include "src/base/text.h"
#include "src/bench/setting.h"
#include "src/sys/journal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* One run has one journal, and a process one run. */
static struct {
	struct sys_journal *journal;
	unsigned n_users;
} of_run;

int bench_journal_use(struct sys_journal **ret, struct why *why)
{
	int r = 0;

	if (of_run.n_users == 0)
		r = sys_journal_open(SYS_JOURNAL_DIR, &of_run.journal, why);
	if (r < 0)
		return r;
	of_run.n_users++;
	*ret = of_run.journal;
	return 0;
}

int bench_journal_end_use(struct why *why)
{
	struct sys_journal_outcome outcome;
	int r;

	if (--of_run.n_users > 0)
		return 0;
	r = sys_journal_close(of_run.journal, &outcome, why);
	of_run.journal = NULL;
	if (r == 0 && outcome.n_left)
		r = why_set(why, -EBUSY, "not restored: %s", outcome.other);
	return r;
}

int bench_knob_check(const char *path, const char *value, struct why *why)
{
	struct stat st;

	if (!*value)
		return why_set(why, -EINVAL, "a value is missing");
	if (strstr(path, "/../"))
		return why_set(why, -EINVAL, "%s leads out of where the setting belongs", path);
	if (stat(path, &st) < 0)
		return why_set(why, -EINVAL, "there is no %s here", path);
	if (!S_ISREG(st.st_mode))
		return why_set(why, -EINVAL, "%s is no setting", path);
	return 0;
}

/* The file below root that an arm names: with slashes, or, where dots may part names, as sysctl(8) has it. */
static void path_in(const char *root, bool dotted, const struct bench_arm *arm, char *ret_path,
		    size_t size)
{
	char *at = ret_path + strlen(root);

	(void)snprintf(ret_path, size, "%s/%s", root, arm->param);
	if (!dotted || strchr(arm->param, '/')) /* a name in it holds a dot */
		return;
	while ((at = strchr(at, '.')))
		*at = '/';
}

int bench_knob_check_in(const char *root, bool dotted, const struct bench_arm *arm, struct why *why)
{
	char path[2 * BENCH_SETTING_TEXT];

	path_in(root, dotted, arm, path, sizeof(path));
	return bench_knob_check(path, arm->value, why);
}

int bench_knob_open_in(const char *root, bool dotted, struct bench_arm *arm, struct why *why)
{
	char path[2 * BENCH_SETTING_TEXT];

	path_in(root, dotted, arm, path, sizeof(path));
	return bench_knob_open(arm, path, arm->value, why);
}

int bench_knob_open(struct bench_arm *arm, const char *path, const char *value, struct why *why)
{
	struct sys_journal *journal = NULL;
	int r = bench_journal_use(&journal, why);

	if (r < 0)
		return r;
	text_copy(arm->state, sizeof(arm->state), path);
	r = sys_journal_set(journal, path, value, why);
	if (r < 0)
		(void)bench_journal_end_use(NULL); /* what failed is said already */
	return r;
}

int bench_knob_set(const struct bench_arm *arm, const char *value, struct why *why)
{
	return sys_journal_set(of_run.journal, arm->state, value, why);
}

int bench_knob_enter(struct bench_arm *arm, struct why *why)
{
	return bench_knob_set(arm, arm->value, why);
}

int bench_knob_close(struct bench_arm *arm, struct why *why)
{
	(void)arm;
	return bench_journal_end_use(why);
}
