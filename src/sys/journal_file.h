/* SPDX-License-Identifier: MIT */
/* What a journal of changed settings says: its text, and which paths it may speak of. */
#ifndef SYS_JOURNAL_FILE_H
#define SYS_JOURNAL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct why;

enum {
	SYS_JOURNAL_PATH = 256,
	SYS_JOURNAL_VALUE = 256,
	SYS_JOURNAL_MAX_ENTRIES = 64,
	SYS_JOURNAL_MAX_BYTES = 1 << 16,
};

enum sys_journal_kind {
	SYS_JOURNAL_WRITE, /* a file's value was changed */
	SYS_JOURNAL_MKDIR, /* a directory was made */
	SYS_JOURNAL_N_KINDS
};

struct sys_journal_entry {
	enum sys_journal_kind kind;
	bool is_settled; /* false: a change was about to be made, and may have been */
	char path[SYS_JOURNAL_PATH];
	char before[SYS_JOURNAL_VALUE]; /* "" for a directory */
	char ours[SYS_JOURNAL_VALUE];
};

/* One run's. Too large for a small stack. */
struct sys_journal_file {
	char boot_id[40];
	pid_t pid;
	uint64_t start_ticks; /* of that process since boot: pids are used again */
	size_t n_entries;     /* in the order of the changes */
	struct sys_journal_entry entries[SYS_JOURNAL_MAX_ENTRIES];
};

/*
 * Whether such an entry may be acted on: its path lies in a place of the kernel's that the table
 * knows, is written without "." and "..", and its values are one line of printable text. 0 or
 * -EPERM, -EINVAL.
 */
int sys_journal_check(const struct sys_journal_entry *entry, struct why *why);

/* Whether what is open lies in a filesystem of the kernel's that fits the entry's place, whatever
 * links led there. 0 or -EPERM. */
int sys_journal_check_fd(const struct sys_journal_entry *entry, int fd, struct why *why);

/* The whole text, whose last line says that it is whole. */
void sys_journal_print(const struct sys_journal_file *file, FILE *out);

/* Reads it back; every entry has passed sys_journal_check(). text is cut up. -EBADMSG for what is no
 * whole journal, -EPROTONOSUPPORT for a newer one's; then ret holds nothing. */
int sys_journal_parse(char *text, struct sys_journal_file *ret, struct why *why);

#endif
