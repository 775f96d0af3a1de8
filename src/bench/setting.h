/* SPDX-License-Identifier: MIT */
/* What `bench --ab` can set to two values: a setting is a table of hooks. The one header settings include. */
#ifndef BENCH_SETTING_H
#define BENCH_SETTING_H

#include "src/bench/scenario.h"

#include <stdbool.h>
#include <stddef.h>

struct why;

enum { BENCH_SETTING_TEXT = 256 };

/* One of the two sides: what the setting is set to there. */
struct bench_arm {
	char param[BENCH_SETTING_TEXT]; /* behind a dot in the setting's name: "LD_PRELOAD"; "" */
	char value[BENCH_SETTING_TEXT];
	char other[BENCH_SETTING_TEXT]; /* the value of the other side */
	char dir[BENCH_SETTING_TEXT];   /* for data files */
	char state[BENCH_SETTING_TEXT]; /* the setting's own, from open() on: a path */
};

/*
 * Hooks are called in this order; each may be NULL. All but in_trial and prepared run in the engine's process.
 * What open() began close() ends, also after failures and signals. 0, or a negative errno with a sentence.
 */
struct bench_setting {
	const char *title;
	const char *param; /* what stands behind a dot: "VARIABLE"; NULL: nothing does */
	const char *
		values; /* what stands behind "=": "base, thp, hugetlb or gigantic"; NULL: nothing does */
	bool changes_system; /* for every process of the machine: only under --system-changes */

	/* Whether it can change anything for that scenario; NULL: for any. */
	bool (*concerns)(const struct bench_scenario *scenario);

	/* Before anything is begun. -EINVAL: no such value. */
	int (*check)(const struct bench_arm *arm, struct why *why);

	/* The pages that an arm's mapping is to consist of, instead of the scenario's. */
	enum bench_pages (*pages)(const struct bench_arm *arm);

	/* "NAME=value" for the trial's environment, or "NAME": taken out of it. */
	void (*environment)(const struct bench_arm *arm, char *ret_assignment, size_t size);

	int (*open)(struct bench_arm *arm, struct why *why); /* once a run */
	int (*close)(struct bench_arm *arm, struct why *why);
	int (*enter)(struct bench_arm *arm, struct why *why); /* before each trial of this arm */

	/* In the trial's process, before its first round; BENCH_SKIP where it cannot be had here. The place to
	 * look whether it has taken effect. */
	int (*in_trial)(struct bench_trial *trial, const struct bench_arm *arm);

	/* In the trial's process after each prepare, untimed: what concerns the mapping. */
	int (*prepared)(struct bench_trial *trial, const struct bench_arm *arm);
};

/* The last row has no name. */
struct bench_setting_row {
	const char *name;
	const struct bench_setting *setting;
};

/* One knob, two values, as --ab was given it. */
struct bench_ab {
	const struct bench_setting_row *row;
	struct bench_arm arms[2];
};

/* --- the library of hooks: what is changed for the whole system, behind the run's one journal ------ */

struct sys_journal;

/* Begins the journal with its first user; it is closed, and everything restored, with the last. -EBUSY from
 * the end: somebody else has changed a setting, which was left. */
int bench_journal_use(struct sys_journal **ret, struct why *why);
int bench_journal_end_use(struct why *why);

/* For check(): whether there is such a file. */
int bench_knob_check(const char *path, const char *value, struct why *why);

/* For open(): tries the value, so that what does not take is known before the run. The path is kept in
 * the arm's state. For enter(): sets it again. */
int bench_knob_open(struct bench_arm *arm, const char *path, const char *value, struct why *why);

/* Both for any file below root, named by the arm's parameter; dotted: with dots for slashes. */
int bench_knob_check_in(const char *root, bool dotted, const struct bench_arm *arm,
			struct why *why);
int bench_knob_open_in(const char *root, bool dotted, struct bench_arm *arm, struct why *why);

int bench_knob_set(const struct bench_arm *arm, const char *value, struct why *why);
int bench_knob_enter(struct bench_arm *arm, struct why *why); /* the arm's own value */
int bench_knob_close(struct bench_arm *arm, struct why *why);

#define SETTING(name)                                     \
	extern const struct bench_setting setting_##name; \
	const struct bench_setting setting_##name

#endif
