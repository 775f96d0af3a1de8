/* SPDX-License-Identifier: MIT */
/* What a journal of changed settings says: its text, and which paths it may speak of. */
#include "src/sys/journal_file.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/base/why.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>

#define MAGIC "pagetoll-journal "
#define VERSION 1
#define END "end"

/* The first prefix that fits decides. A path alone proves little: it may lead over links, or into
 * a mount; so what it opens must also lie in one of these filesystems. */
static const struct place {
	const char *prefix;
	bool kinds[SYS_JOURNAL_N_KINDS];
	long filesystems[2];
	const char *last_begins; /* the last part of the path begins so; NULL: anyhow */
} places[] = {
	{"/proc/sys/", {[SYS_JOURNAL_WRITE] = true}, {PROC_SUPER_MAGIC}, NULL},
	{"/sys/kernel/debug/", {[SYS_JOURNAL_WRITE] = true}, {DEBUGFS_MAGIC}, NULL},
	{"/sys/fs/cgroup/",
	 {[SYS_JOURNAL_MKDIR] = true},
	 {CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC},
	 "pagetoll-"},
	{"/sys/", {[SYS_JOURNAL_WRITE] = true}, {SYSFS_MAGIC}, NULL},
};

static const char *const kind_names[SYS_JOURNAL_N_KINDS] = {
	[SYS_JOURNAL_WRITE] = "write",
	[SYS_JOURNAL_MKDIR] = "mkdir",
};

static const char *const state_names[] = {"changing", "changed"};

static const struct place *find_place(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (strncmp(path, places[i].prefix, strlen(places[i].prefix)) == 0)
			return &places[i];
	return NULL;
}

/* No part is empty, "." or "..". */
static bool is_plain(const char *path)
{
	while (*path == '/') {
		size_t n = strcspn(++path, "/");

		if (n == 0 || strncmp(path, ".", n) == 0 || strncmp(path, "..", n) == 0)
			return false;
		path += n;
	}
	return *path == 0;
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

int sys_journal_check(const struct sys_journal_entry *e, struct why *why)
{
	const struct place *place = find_place(e->path);
	const char *last = strrchr(e->path, '/');

	if (!place || !place->kinds[e->kind] || !is_plain(e->path) || !is_printable(e->path))
		return why_set(why, -EPERM, "%s is no setting that pagetoll may change", e->path);
	if (place->last_begins &&
	    strncmp(last + 1, place->last_begins, strlen(place->last_begins)) != 0)
		return why_set(why, -EPERM, "%s is not named as pagetoll names its own", e->path);
	if (!is_printable(e->before) || !is_printable(e->ours))
		return why_set(why, -EINVAL, "%s: the value is no line of printable text", e->path);
	if (e->kind == SYS_JOURNAL_WRITE && !e->ours[0])
		return why_set(why, -EINVAL, "%s: a value is missing", e->path);
	return 0;
}

int sys_journal_check_fd(const struct sys_journal_entry *e, int fd, struct why *why)
{
	const struct place *place = find_place(e->path);
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return why_errno(why, -errno, "cannot see which filesystem %s is in", e->path);
	for (size_t i = 0; place && i < ARRAY_LEN(place->filesystems); i++)
		if (place->filesystems[i] && (long)fs.f_type == place->filesystems[i])
			return 0;
	return why_set(why, -EPERM, "%s is in no filesystem of the kernel's: left alone", e->path);
}

void sys_journal_print(const struct sys_journal_file *file, FILE *out)
{
	(void)fprintf(out, MAGIC "%d\nboot\t%s\nowner\t%d\t%" PRIu64 "\n", VERSION, file->boot_id,
		      (int)file->pid, file->start_ticks);
	for (size_t i = 0; i < file->n_entries; i++) {
		const struct sys_journal_entry *e = &file->entries[i];

		(void)fprintf(out, "%s\t%s\t%s\t%s\t%s\n", kind_names[e->kind],
			      state_names[e->is_settled], e->path, e->before, e->ours);
	}
	(void)fputs(END "\n", out);
}

/* --- reading ------------------------------------------------------------------------------------ */

static int damaged(struct why *why, const char *what)
{
	return why_set(why, -EBADMSG, "is damaged (%s); as root, look at it and remove it", what);
}

/* Cuts the line at its tabs. Whether it has n fields. */
static bool cut(char *line, char **ret_fields, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ret_fields[i] = strsep(&line, "\t");
	return ret_fields[n - 1] && !line;
}

/* The index of word in names; n where it is none of them. */
static size_t find_name(const char *word, const char *const *names, size_t n)
{
	size_t i = 0;

	while (i < n && strcmp(word, names[i]) != 0)
		i++;
	return i;
}

static int parse_entry(char *line, struct sys_journal_file *file, struct why *why)
{
	struct sys_journal_entry *e = &file->entries[file->n_entries];
	size_t kind, state;
	char *fields[5];

	if (file->n_entries == SYS_JOURNAL_MAX_ENTRIES)
		return damaged(why, "too many entries");
	if (!cut(line, fields, ARRAY_LEN(fields)))
		return damaged(why, "an entry has not five fields");
	kind = find_name(fields[0], kind_names, SYS_JOURNAL_N_KINDS);
	state = find_name(fields[1], state_names, ARRAY_LEN(state_names));
	if (kind == SYS_JOURNAL_N_KINDS || state == ARRAY_LEN(state_names))
		return damaged(why, "an entry of an unknown kind");
	if (strlen(fields[2]) >= sizeof(e->path) || strlen(fields[3]) >= sizeof(e->before) ||
	    strlen(fields[4]) >= sizeof(e->ours))
		return damaged(why, "an entry is too long");
	*e = (struct sys_journal_entry){.kind = (enum sys_journal_kind)kind,
					.is_settled = state == 1};
	text_copy(e->path, sizeof(e->path), fields[2]);
	text_copy(e->before, sizeof(e->before), fields[3]);
	text_copy(e->ours, sizeof(e->ours), fields[4]);
	file->n_entries++;
	return sys_journal_check(e, why);
}

static int parse_version(const char *line, struct why *why)
{
	uint64_t version;

	if (!line || strncmp(line, MAGIC, strlen(MAGIC)) != 0 ||
	    units_parse_u64(line + strlen(MAGIC), &version, NULL) < 0)
		return damaged(why, "it does not begin as a journal does");
	if (version != VERSION)
		return why_set(why, -EPROTONOSUPPORT,
			       "was written by another version of pagetoll; let that one restore");
	return 0;
}

static int parse_owner(char *boot, char *owner, struct sys_journal_file *file, struct why *why)
{
	char *b[2], *o[3];
	uint64_t pid;

	if (!boot || !owner || !cut(boot, b, ARRAY_LEN(b)) || !cut(owner, o, ARRAY_LEN(o)) ||
	    strcmp(b[0], "boot") != 0 || strcmp(o[0], "owner") != 0 ||
	    strlen(b[1]) >= sizeof(file->boot_id) || !is_printable(b[1]) ||
	    units_parse_u64(o[1], &pid, NULL) < 0 || pid == 0 || pid > INT_MAX ||
	    units_parse_u64(o[2], &file->start_ticks, NULL) < 0)
		return damaged(why, "it does not say whose it is");
	text_copy(file->boot_id, sizeof(file->boot_id), b[1]);
	file->pid = (pid_t)pid;
	return 0;
}

static int parse_lines(char *text, struct sys_journal_file *file, struct why *why)
{
	char *boot, *owner, *line;
	int r;

	r = parse_version(strsep(&text, "\n"), why);
	if (r < 0)
		return r;
	boot = strsep(&text, "\n");
	owner = strsep(&text, "\n");
	r = parse_owner(boot, owner, file, why);
	while (r == 0) {
		line = strsep(&text, "\n");
		if (!line)
			return damaged(why, "it is cut off");
		if (strcmp(line, END) == 0)
			return text && !*text ? 0 : damaged(why, "it goes on behind its end");
		r = parse_entry(line, file, why);
	}
	return r;
}

int sys_journal_parse(char *text, struct sys_journal_file *ret, struct why *why)
{
	int r;

	*ret = (struct sys_journal_file){.n_entries = 0};
	r = parse_lines(text, ret, why);
	if (r < 0)
		ret->n_entries = 0;
	return r;
}
