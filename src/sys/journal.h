/* SPDX-License-Identifier: MIT */
/* Settings of the system are changed behind a journal, and restored from it, by us or by a later start. */
#ifndef SYS_JOURNAL_H
#define SYS_JOURNAL_H

#include "src/sys/journal_file.h"

#include <stdbool.h>
#include <sys/types.h>

struct why;

/*
 * Where journals lie: gone with the settings themselves when the machine stops. It is fixed, and no
 * environment can move it: a start with root's rights writes what it finds there into the kernel. The
 * functions below take a directory so that tests have one of their own; whatever it is, it and its files
 * must be root's and writable by nobody else.
 */
#define SYS_JOURNAL_DIR "/run/pagetoll"

/* What became of a run's changes. The texts name each setting, parted by "; ". */
struct sys_journal_outcome {
	pid_t pid;                      /* of the run; the last one, where there were several */
	unsigned n_restored;            /* put back to what they were */
	unsigned n_left;                /* somebody else has changed them since, or they are gone */
	unsigned n_failed;              /* could not be restored: the journal keeps them */
	unsigned n_waiting;             /* need root */
	char restored[400], other[400]; /* other: left and failed */
};

/* --- a run that changes settings ----------------------------------------------------------------- */

struct sys_journal;

/*
 * Begins a journal, after restoring what a dead run has left. One run at a time: -EBUSY with a
 * sentence that names the other. Needs root: -EPERM.
 */
int sys_journal_open(const char *dir, struct sys_journal **ret, struct why *why);

/*
 * Changes a setting, and sees that it took: in /sys a value in brackets ("always [madvise] never") is compared
 * by that word; blanks count as one, but come back as they were. What did not take is undone and an error. May
 * be called again for the same path; -EBUSY where somebody else has changed it in between.
 */
int sys_journal_set(struct sys_journal *journal, const char *path, const char *value,
		    struct why *why);

/* Makes a directory (a cgroup), to be removed with the rest. */
int sys_journal_mkdir(struct sys_journal *journal, const char *path, struct why *why);

/* Restores everything in reverse order and ends the journal; what failed is kept for a later start.
 * NULL is allowed. 0, or a negative errno with a sentence where something failed. */
int sys_journal_close(struct sys_journal *journal, struct sys_journal_outcome *ret,
		      struct why *why);

/* --- later starts -------------------------------------------------------------------------------- */

/*
 * Restores what dead runs have left. Cheap where there is nothing. Without root it only counts what waits.
 * A negative errno where a journal is not to be trusted or cannot be read: that one is left as it is.
 */
int sys_journal_recover(const char *dir, struct sys_journal_outcome *ret, struct why *why);

/* One setting that is not as it was, or (entry NULL) a journal that cannot be read, and why. */
struct sys_journal_change {
	const struct sys_journal_entry *entry;
	pid_t pid;
	bool is_alive;               /* that run is at work */
	char now[SYS_JOURNAL_VALUE]; /* "" where it cannot be read, and for directories */
	const char *problem;
};
typedef void sys_journal_visit(void *data, const struct sys_journal_change *change);

/* Visits all that is still changed. Needs no root. */
void sys_journal_list(const char *dir, sys_journal_visit *visit, void *data);

#endif
