/* SPDX-License-Identifier: MIT */
/* Settings of the system are changed behind a journal, and restored from it, by us or by a later start. */
#include "src/sys/journal.h"

#include "src/base/text.h"
#include "src/base/why.h"
#include "src/sys/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".journal"
#define LOCK_NAME "lock"
#define NEW_NAME "new"

/* A run that was killed may still be leaving: its lock and its cgroup are freed as it goes. */
enum { PATIENCE_MS = 1000, PATIENCE_STEP_MS = 10 };

struct sys_journal {
	int fd_dir, fd_lock;
	char name[64];
	struct sys_journal_file file;
};

/* --- processes ----------------------------------------------------------------------------------- */

/* The state and the start of a process, behind the name, which may hold anything. */
static int read_stat(pid_t pid, char *ret_state, uint64_t *ret_start_ticks)
{
	char path[64], text[1024];
	const char *at;
	long n;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	n = sys_read_text(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1,
			  " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			  "%*s %*s %" SCNu64,
			  ret_state, ret_start_ticks) != 2)
		return -EBADMSG;
	return 0;
}

/* In doubt it is: a journal of one who lives is left alone. */
static bool is_alive(const struct sys_journal_file *file)
{
	uint64_t start_ticks = 0;
	char state = 0;

	if (kill(file->pid, 0) < 0 && errno == ESRCH)
		return false;
	if (read_stat(file->pid, &state, &start_ticks) < 0)
		return true;
	return start_ticks == file->start_ticks && state != 'Z' && state != 'X';
}

static int read_boot_id(char *ret, size_t size, struct why *why)
{
	long n = sys_read_text("/proc/sys/kernel/random/boot_id", ret, size);

	return n < 0 ? why_errno(why, (int)n, "cannot read the boot id; is /proc mounted?") : 0;
}

/* --- the directory ------------------------------------------------------------------------------- */

static int check_owner(int fd, const char *name, struct why *why)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return why_errno(why, -errno, "cannot look at %s", name);
	if (st.st_uid != 0 || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return why_set(why, -EPERM,
			       "%s is not root's alone, so it is not believed; as root, look at it "
			       "and remove it",
			       name);
	return 0;
}

/* -ENOENT is left without a sentence: then there is nothing to restore. */
static int open_dir(const char *dir, struct why *why)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r;

	if (fd < 0)
		return errno == ENOENT ? -ENOENT : why_errno(why, -errno, "cannot open %s", dir);
	r = check_owner(fd, dir, why);
	if (r == 0)
		return fd;
	(void)close(fd);
	return r;
}

static int make_dir(const char *dir, struct why *why)
{
	int fd;

	if (mkdir(dir, 0755) < 0 && errno != EEXIST)
		return why_errno(why, -errno, "cannot make %s for the journal of changed settings",
				 dir);
	fd = open_dir(dir, why);
	if (fd == -ENOENT)
		return why_errno(why, fd, "cannot open %s", dir);
	if (fd >= 0)
		(void)fchmod(fd, 0755); /* whatever the umask: doctor reads it for everybody */
	return fd;
}

/* Held by a run for as long as it lives, and while something is restored. */
static int take_lock(int fd_dir, struct why *why)
{
	char other[16] = "";
	int fd, waited_ms = 0;

	fd = openat(fd_dir, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return why_errno(why, -errno, "cannot open the lock of the journals");
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK && (waited_ms += PATIENCE_STEP_MS) <= PATIENCE_MS) {
			(void)usleep(PATIENCE_STEP_MS * 1000);
			continue;
		}
		(void)!pread(fd, other, sizeof(other) - 1, 0);
		(void)close(fd);
		return why_set(
			why, -EBUSY,
			"another run of pagetoll (pid %s) changes settings of the system; one "
			"does at a time: wait until it has ended",
			*other ? text_strip(other) : "?");
	}
	if (ftruncate(fd, 0) == 0)
		(void)dprintf(fd, "%d\n", (int)getpid());
	return fd;
}

static int read_journal(int fd_dir, const char *name, struct sys_journal_file *ret, struct why *why)
{
	char *text = malloc(SYS_JOURNAL_MAX_BYTES);
	struct why inner = {.text = ""};
	int fd, r;

	fd = text ? openat(fd_dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
	if (fd < 0) {
		r = text ? -errno : -ENOMEM;
		free(text);
		return why_errno(why, r, "cannot open the journal %s", name);
	}
	r = check_owner(fd, name, &inner);
	if (r == 0) {
		ssize_t n = read(fd, text, SYS_JOURNAL_MAX_BYTES - 1);

		r = n < 0 ? why_errno(&inner, -errno, "cannot be read") : 0;
		text[n < 0 ? 0 : n] = 0;
	}
	if (r == 0)
		r = sys_journal_parse(text, ret, &inner);
	(void)close(fd);
	free(text);
	return r < 0 ? why_set(why, r, "the journal %s of changed settings: %s", name, inner.text)
		     : 0;
}

typedef int for_journal(void *data, int fd_dir, const char *name, struct why *why);

/* Visits all journals; the first error is kept. */
static int each_journal(int fd_dir, for_journal *visit, void *data, struct why *why)
{
	int fd = openat(fd_dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int first = 0, r;

	if (!d) {
		r = why_errno(why, -errno, "cannot list the journals of changed settings");
		if (fd >= 0)
			(void)close(fd);
		return r;
	}
	while ((entry = readdir(d))) {
		size_t n = strlen(entry->d_name);

		if (n <= strlen(SUFFIX) || strcmp(entry->d_name + n - strlen(SUFFIX), SUFFIX) != 0)
			continue;
		r = visit(data, fd_dir, entry->d_name, first ? NULL : why);
		first = first ? first : r;
	}
	(void)closedir(d);
	return first;
}

/* --- values -------------------------------------------------------------------------------------- */

/* The vectors of numbers in /proc/sys are printed with tabs, and read with any blanks. */
static bool is_numbers(const char *text)
{
	return text[strspn(text, "-0123456789 \t")] == 0;
}

/*
 * A value as it is kept, to be written back: of a list of choices in /sys, "always [madvise] never", the word in
 * brackets. In /proc/sys the line as it is, since brackets and blanks can be part of it (kernel.core_pattern). A
 * tab, which parts the journal's fields, becomes a blank between numbers; in other text it stays, and is refused.
 */
static void tidy(const char *path, char *text)
{
	char word[SYS_JOURNAL_VALUE];

	if (strncmp(path, "/sys/", 5) == 0) {
		sys_bracketed(text, word, sizeof(word));
		text_copy(text, SYS_JOURNAL_VALUE, text_strip(word));
	}
	for (char *c = is_numbers(text) ? strchr(text, '\t') : NULL; c; c = strchr(c, '\t'))
		*c = ' ';
}

/* One blank between words, none at the ends. */
static void fold_blanks(const char *text, char ret[SYS_JOURNAL_VALUE])
{
	char word[SYS_JOURNAL_VALUE];
	char *out = ret;

	text_copy(word, sizeof(word), text);
	for (const char *in = text_strip(word); *in; in++)
		if (!isspace((unsigned char)*in) || !isspace((unsigned char)in[1]))
			*out++ = isspace((unsigned char)*in) ? ' ' : *in;
	*out = 0;
}

/* Kernels print what they were given with blanks of their own. */
static bool is_alike(const char *a, const char *b)
{
	char folded_a[SYS_JOURNAL_VALUE], folded_b[SYS_JOURNAL_VALUE];

	fold_blanks(a, folded_a);
	fold_blanks(b, folded_b);
	return strcmp(folded_a, folded_b) == 0;
}

static int read_value(const struct sys_journal_entry *e, int fd, char ret[SYS_JOURNAL_VALUE],
		      struct why *why)
{
	char text[SYS_JOURNAL_VALUE];
	ssize_t n = pread(fd, text, sizeof(text), 0);

	if (n < 0)
		return why_errno(why, -errno, "cannot read %s", e->path);
	if (n == (ssize_t)sizeof(text))
		return why_set(why, -E2BIG, "%s: its value is too long to be kept", e->path);
	while (n > 0 && text[n - 1] == '\n')
		n--;
	text[n] = 0;
	if (strchr(text, '\n'))
		return why_set(why, -EINVAL, "%s: has more than one line", e->path);
	tidy(e->path, text);
	text_copy(ret, SYS_JOURNAL_VALUE, text);
	return 0;
}

static int open_setting(const struct sys_journal_entry *e, int flags, struct why *why)
{
	int fd = open(e->path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int r;

	if (fd < 0)
		return why_errno(why, -errno, "cannot open %s", e->path);
	r = sys_journal_check_fd(e, fd, why);
	if (r == 0)
		return fd;
	(void)close(fd);
	return r;
}

/* Writes, and reads back: a kernel may take another value than it was given, and say nothing. */
static int write_value(const struct sys_journal_entry *e, int fd, const char *value,
		       struct why *why)
{
	char line[SYS_JOURNAL_VALUE + 1], now[SYS_JOURNAL_VALUE];
	int n = snprintf(line, sizeof(line), "%s\n", value);
	ssize_t written = pwrite(fd, line, (size_t)n, 0);
	int r;

	if (written != n)
		return why_errno(why, written < 0 ? -errno : -EIO, "cannot write '%s' to %s", value,
				 e->path);
	r = read_value(e, fd, now, why);
	if (r == 0 && !is_alike(now, value))
		r = why_set(why, -EIO, "%s took no effect: '%s' was written, and it reads '%s'",
			    e->path, value, now);
	return r;
}

/* --- directories --------------------------------------------------------------------------------- */

/* The directory that holds e->path, and the last part of that. */
static int open_parent(const struct sys_journal_entry *e, const char **ret_last, struct why *why)
{
	char parent[SYS_JOURNAL_PATH];
	char *slash;
	int fd, r;

	text_copy(parent, sizeof(parent), e->path);
	slash = strrchr(parent, '/');
	if (!slash)
		return why_set(why, -EINVAL, "%s is no whole path", e->path);
	*ret_last = strrchr(e->path, '/') + 1;
	*slash = 0;
	fd = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return why_errno(why, -errno, "cannot open %s", parent);
	r = sys_journal_check_fd(e, fd, why);
	if (r == 0)
		return fd;
	(void)close(fd);
	return r;
}

/* --- restoring ----------------------------------------------------------------------------------- */

enum end { UNCHANGED, RESTORED, LEFT, FAILED };

/*
 * Whether a path that is not there is gone for good, as the settings of a disk that was unplugged are,
 * and is not merely out of sight, as where /sys is not mounted.
 */
static bool is_gone(const struct sys_journal_entry *e)
{
	char path[SYS_JOURNAL_PATH];
	char *slash;
	int fd = -1, r;

	text_copy(path, sizeof(path), e->path);
	while (fd < 0 && (slash = strrchr(path, '/')) && slash > path) {
		*slash = 0;
		fd = open(path, O_PATH | O_CLOEXEC);
	}
	if (fd < 0)
		return false;
	r = sys_journal_check_fd(e, fd, NULL);
	(void)close(fd);
	return r == 0;
}

static enum end restore_value(const struct sys_journal_entry *e, struct why *why)
{
	char now[SYS_JOURNAL_VALUE] = "";
	int fd = open_setting(e, O_RDWR, why);
	enum end end = FAILED;

	if (fd == -ENOENT && is_gone(e)) {
		(void)why_set(why, 0, "%s is gone", e->path);
		return LEFT;
	}
	if (fd < 0)
		return FAILED;
	if (read_value(e, fd, now, why) == 0) {
		if (strcmp(now, e->before) == 0) {
			end = UNCHANGED;
		} else if (e->is_settled && !is_alike(now, e->ours)) {
			(void)why_set(why, 0, "%s is '%s', which is not ours: somebody else set it",
				      e->path, now);
			end = LEFT;
		} else if (write_value(e, fd, e->before, why) == 0) {
			end = RESTORED;
		}
	}
	(void)close(fd);
	return end;
}

/* Where a trial of a killed run is still dying in it, it cannot be removed yet. */
static enum end remove_dir(const struct sys_journal_entry *e, struct why *why)
{
	const char *last = "";
	int fd = open_parent(e, &last, why);
	int waited_ms = 0, r = 0;

	if (fd == -ENOENT && is_gone(e))
		return UNCHANGED;
	if (fd < 0)
		return FAILED;
	while (r == 0 && unlinkat(fd, last, AT_REMOVEDIR) < 0) {
		if (errno == EBUSY && (waited_ms += PATIENCE_STEP_MS) <= PATIENCE_MS)
			(void)usleep(PATIENCE_STEP_MS * 1000);
		else
			r = -errno;
	}
	(void)close(fd);
	if (r == 0)
		return RESTORED;
	if (r == -ENOENT)
		return UNCHANGED;
	(void)why_errno(why, r, "cannot remove %s", e->path);
	return FAILED;
}

static enum end (*const restorers[SYS_JOURNAL_N_KINDS])(const struct sys_journal_entry *e,
							struct why *why) = {
	[SYS_JOURNAL_WRITE] = restore_value,
	[SYS_JOURNAL_MKDIR] = remove_dir,
};

static void add_text(char *text, size_t size, const char *more)
{
	text_append(text, size, "%s%s", *text ? "; " : "", more);
}

/* Restores in reverse order. It may be done again at any point: what is as it was is left alone. */
static void restore_all(const struct sys_journal_file *file, struct sys_journal_outcome *outcome)
{
	char text[2 * SYS_JOURNAL_PATH + 8];
	struct why why;

	for (size_t i = file->n_entries; i-- > 0;) {
		const struct sys_journal_entry *e = &file->entries[i];
		enum end end = restorers[e->kind](e, &why);

		outcome->n_restored += end == RESTORED;
		outcome->n_left += end == LEFT;
		outcome->n_failed += end == FAILED;
		if (end == LEFT || end == FAILED)
			add_text(outcome->other, sizeof(outcome->other), why.text);
		if (end != RESTORED)
			continue;
		(void)snprintf(text, sizeof(text), "%s%s%s", e->path,
			       e->kind == SYS_JOURNAL_WRITE ? " = " : " removed", e->before);
		add_text(outcome->restored, sizeof(outcome->restored), text);
	}
	outcome->pid = file->pid;
}

/* --- later starts -------------------------------------------------------------------------------- */

struct recovery {
	struct sys_journal_outcome *outcome;
	struct sys_journal_file *file; /* scratch */
	char boot_id[40];
	bool only_counts;
	unsigned n_dead; /* journals of runs that have ended */
};

static int recover_one(void *data, int fd_dir, const char *name, struct why *why)
{
	struct recovery *rec = data;
	unsigned n_failed_before = rec->outcome->n_failed;
	bool this_boot;
	int r;

	r = read_journal(fd_dir, name, rec->file, why);
	if (r < 0)
		return r == -ENOENT ? 0 : r; /* its run has just ended */
	r = read_boot_id(rec->boot_id, sizeof(rec->boot_id), why);
	if (r < 0)
		return r;
	this_boot = strcmp(rec->file->boot_id, rec->boot_id) == 0;
	if (this_boot && is_alive(rec->file))
		return 0;
	rec->n_dead++;
	if (rec->only_counts) {
		rec->outcome->n_waiting += this_boot ? (unsigned)rec->file->n_entries : 0;
		rec->outcome->pid = rec->file->pid;
		return 0;
	}
	if (this_boot) /* another boot's settings went with it */
		restore_all(rec->file, rec->outcome);
	if (rec->outcome->n_failed == n_failed_before && unlinkat(fd_dir, name, 0) < 0)
		return why_errno(why, -errno, "cannot remove the journal %s", name);
	return 0;
}

static int recover_in(int fd_dir, bool only_counts, struct sys_journal_outcome *ret,
		      unsigned *ret_n_dead, struct why *why)
{
	struct recovery rec = {.outcome = ret, .only_counts = only_counts};
	int r;

	*ret = (struct sys_journal_outcome){.pid = 0};
	rec.file = malloc(sizeof(*rec.file));
	if (!rec.file)
		return why_set(why, -ENOMEM, "no memory for the journals of changed settings");
	r = each_journal(fd_dir, recover_one, &rec, why);
	free(rec.file);
	*ret_n_dead = rec.n_dead;
	return r;
}

/* Then a later start looks; what this one was to do will tell its user what it lacks. */
static bool is_short_of_something(int r)
{
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM;
}

int sys_journal_recover(const char *dir, struct sys_journal_outcome *ret, struct why *why)
{
	unsigned n_dead = 0;
	int fd_dir, fd_lock, r;

	*ret = (struct sys_journal_outcome){.pid = 0};
	fd_dir = open_dir(dir, why);
	if (fd_dir < 0)
		return fd_dir == -ENOENT || is_short_of_something(fd_dir) ? 0 : fd_dir;
	r = recover_in(fd_dir, true, ret, &n_dead, why);
	if (n_dead > 0 && geteuid() == 0) {
		fd_lock = take_lock(fd_dir, why);
		r = fd_lock < 0 ? fd_lock : recover_in(fd_dir, false, ret, &n_dead, why);
		if (fd_lock >= 0)
			(void)close(fd_lock);
	}
	(void)close(fd_dir);
	return is_short_of_something(r) ? 0 : r;
}

struct listing {
	sys_journal_visit *visit;
	void *data;
	struct sys_journal_file *file; /* scratch */
};

/* Whether it is still as the run made it, as far as can be seen. */
static bool is_changed(struct sys_journal_change *change)
{
	const struct sys_journal_entry *e = change->entry;
	int fd;

	if (e->kind == SYS_JOURNAL_MKDIR)
		return access(e->path, F_OK) == 0;
	fd = open_setting(e, O_RDONLY, NULL);
	if (fd < 0)
		return fd != -ENOENT;
	if (read_value(e, fd, change->now, NULL) < 0)
		change->now[0] = 0;
	(void)close(fd);
	return strcmp(change->now, e->before) != 0;
}

static int list_one(void *data, int fd_dir, const char *name, struct why *why)
{
	const struct listing *l = data;
	char boot_id[40];
	struct why inner;
	int r = read_journal(fd_dir, name, l->file, &inner);

	(void)why; /* what is wrong is told to the visitor */
	if (r == -ENOENT)
		return 0;
	if (r == 0)
		r = read_boot_id(boot_id, sizeof(boot_id), &inner);
	if (r < 0) {
		struct sys_journal_change change = {.problem = inner.text};

		l->visit(l->data, &change);
		return 0;
	}
	if (strcmp(l->file->boot_id, boot_id) != 0)
		return 0;
	for (size_t i = 0; i < l->file->n_entries; i++) {
		struct sys_journal_change change = {
			.entry = &l->file->entries[i],
			.pid = l->file->pid,
			.is_alive = is_alive(l->file),
		};

		if (is_changed(&change))
			l->visit(l->data, &change);
	}
	return 0;
}

void sys_journal_list(const char *dir, sys_journal_visit *visit, void *data)
{
	struct listing l = {.visit = visit, .data = data};
	struct sys_journal_change broken = {.entry = NULL};
	struct why why = {.text = ""};
	int fd = open_dir(dir, &why);
	int r = fd;

	if (fd == -ENOENT)
		return;
	l.file = malloc(sizeof(*l.file));
	if (fd >= 0 && !l.file)
		r = why_set(&why, -ENOMEM, "no memory for the journals");
	if (r >= 0)
		r = each_journal(fd, list_one, &l, &why);
	free(l.file);
	if (fd >= 0)
		(void)close(fd);
	broken.problem = why.text;
	if (r < 0)
		visit(data, &broken);
}

/* --- a run that changes settings ----------------------------------------------------------------- */

/*
 * Written anew and put in place of the old one, so that a journal is whole at any moment, and does not
 * grow with a setting that goes back and forth a thousand times. (fsync protects nothing that a power cut
 * would not undo anyway; but where /run is on a disk, it keeps the order.)
 */
static int store(const struct sys_journal *j, struct why *why)
{
	int fd = openat(j->fd_dir, NEW_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
			0644);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	bool failed;

	if (!f) {
		int r = why_errno(why, -errno, "cannot write the journal of changed settings");

		if (fd >= 0)
			(void)close(fd);
		return r;
	}
	(void)fchmod(fd, 0644);
	errno = 0;
	sys_journal_print(&j->file, f);
	failed = fflush(f) != 0 || ferror(f) || fsync(fd) < 0;
	if (fclose(f) != 0 || failed || renameat(j->fd_dir, NEW_NAME, j->fd_dir, j->name) < 0 ||
	    fsync(j->fd_dir) < 0)
		return why_errno(why, errno ? -errno : -EIO,
				 "cannot write the journal of changed settings");
	return 0;
}

static int begin(struct sys_journal *j, struct why *why)
{
	struct sys_journal_outcome left;
	unsigned n_dead;
	char state;
	int r;

	r = recover_in(j->fd_dir, false, &left, &n_dead, why);
	if (r < 0)
		return r;
	if (left.n_failed)
		return why_set(why, -EBUSY,
			       "an earlier run (pid %d) left settings changed that cannot be "
			       "restored: %s",
			       (int)left.pid, left.other);
	r = read_boot_id(j->file.boot_id, sizeof(j->file.boot_id), why);
	if (r < 0)
		return r;
	j->file.pid = getpid();
	r = read_stat(j->file.pid, &state, &j->file.start_ticks);
	if (r < 0)
		return why_errno(why, r, "cannot read /proc/self/stat");
	(void)snprintf(j->name, sizeof(j->name), "%d-%" PRIu64 SUFFIX, (int)j->file.pid,
		       j->file.start_ticks);
	return store(j, why);
}

static void release(struct sys_journal *j)
{
	if (j->fd_lock >= 0)
		(void)close(j->fd_lock);
	if (j->fd_dir >= 0)
		(void)close(j->fd_dir);
	free(j);
}

int sys_journal_open(const char *dir, struct sys_journal **ret, struct why *why)
{
	struct sys_journal *j;
	int r;

	if (geteuid() != 0)
		return why_set(why, -EPERM,
			       "changing settings of the system needs root; run it with sudo");
	j = calloc(1, sizeof(*j));
	if (!j)
		return why_set(why, -ENOMEM, "no memory for the journal of changed settings");
	j->fd_lock = -1;
	j->fd_dir = make_dir(dir, why);
	r = j->fd_dir;
	if (r >= 0)
		r = j->fd_lock = take_lock(j->fd_dir, why);
	if (r >= 0)
		r = begin(j, why);
	if (r < 0) {
		release(j);
		return r;
	}
	*ret = j;
	return 0;
}

/* The entry of that path, or room for a new one; NULL: there is none. */
static struct sys_journal_entry *find_entry(struct sys_journal *j, const char *path)
{
	for (size_t i = 0; i < j->file.n_entries; i++)
		if (strcmp(j->file.entries[i].path, path) == 0)
			return &j->file.entries[i];
	return j->file.n_entries < SYS_JOURNAL_MAX_ENTRIES ? &j->file.entries[j->file.n_entries]
							   : NULL;
}

/* Restores that entry whatever came of the change, and forgets it; what cannot be restored stays. */
static void undo(struct sys_journal *j, struct sys_journal_entry *e)
{
	size_t behind = (size_t)(&j->file.entries[j->file.n_entries] - e) - 1;

	e->is_settled = false;
	if (restorers[e->kind](e, NULL) == FAILED)
		return;
	memmove(e, e + 1, behind * sizeof(*e));
	j->file.n_entries--;
	(void)store(j, NULL); /* failing, it restores once more what is restored */
}

static int changed_meanwhile(const struct sys_journal_entry *e, const char *now,
			     const char *expected, struct why *why)
{
	return why_set(why, -EBUSY,
		       "%s is '%s' and not '%s': somebody else has changed it meanwhile", e->path,
		       now, expected);
}

/* Once more right before the write: keeping the journal takes a millisecond, in which others may have
 * written. */
static int look_again(const struct sys_journal_entry *e, int fd, const char *expected,
		      struct why *why)
{
	char now[SYS_JOURNAL_VALUE];
	int r = read_value(e, fd, now, why);

	if (r == 0 && !is_alike(now, expected))
		r = changed_meanwhile(e, now, expected, why);
	return r;
}

/* Fills in what is there before. ret_to_write: value is another one. */
static int look_before(const struct sys_journal *j, struct sys_journal_entry *e, int fd,
		       const char *value, bool *ret_to_write, struct why *why)
{
	bool is_new = e == &j->file.entries[j->file.n_entries];
	char now[SYS_JOURNAL_VALUE];
	int r = read_value(e, fd, now, why);

	if (r < 0)
		return r;
	if (is_new)
		text_copy(e->before, sizeof(e->before), now);
	else if (!is_alike(now, e->ours))
		return changed_meanwhile(e, now, e->ours, why);
	*ret_to_write = strcmp(now, value) != 0;
	text_copy(e->ours, sizeof(e->ours), value);
	return sys_journal_check(e, why);
}

/* Journal first, then the change, then the journal that it is made. */
static int change_value(struct sys_journal *j, struct sys_journal_entry *e, int fd,
			const char *value, struct why *why)
{
	bool is_new = e == &j->file.entries[j->file.n_entries];
	char settled[SYS_JOURNAL_VALUE];
	bool to_write = false;
	int r;

	text_copy(settled, sizeof(settled), e->ours);
	r = look_before(j, e, fd, value, &to_write, why);
	if (r < 0 || (!is_new && !to_write)) {
		if (r < 0)
			text_copy(e->ours, sizeof(e->ours), settled);
		return r;
	}
	j->file.n_entries += is_new;
	e->is_settled = false;
	r = store(j, why);
	if (r == 0 && to_write)
		r = look_again(e, fd, is_new ? e->before : settled, why);
	if (r == -EBUSY) { /* settled, and not ours: it will be left as it is */
		e->is_settled = true;
		(void)store(j, NULL);
		return r;
	}
	if (r == 0 && to_write)
		r = write_value(e, fd, value, why);
	e->is_settled = r == 0;
	if (r == 0)
		r = store(j, why);
	if (r < 0)
		undo(j, e);
	return r;
}

int sys_journal_set(struct sys_journal *j, const char *path, const char *value, struct why *why)
{
	struct sys_journal_entry *e = find_entry(j, path);
	char wanted[SYS_JOURNAL_VALUE];
	int fd, r;

	if (!e || strlen(path) >= sizeof(e->path) || strlen(value) >= sizeof(wanted))
		return why_set(why, -E2BIG, "%s: more than the journal of changed settings holds",
			       path);
	text_copy(wanted, sizeof(wanted), value);
	tidy(path, wanted);
	if (e == &j->file.entries[j->file.n_entries]) {
		*e = (struct sys_journal_entry){.kind = SYS_JOURNAL_WRITE};
		text_copy(e->path, sizeof(e->path), path);
		text_copy(e->ours, sizeof(e->ours), wanted);
	}
	r = sys_journal_check(e, why);
	if (r < 0)
		return r;
	fd = open_setting(e, O_RDWR, why);
	if (fd < 0)
		return fd;
	r = change_value(j, e, fd, wanted, why);
	(void)close(fd);
	return r;
}

int sys_journal_mkdir(struct sys_journal *j, const char *path, struct why *why)
{
	struct sys_journal_entry *e = find_entry(j, path);
	const char *last = "";
	int fd, r;

	if (!e || strlen(path) >= sizeof(e->path))
		return why_set(why, -E2BIG, "%s: more than the journal of changed settings holds",
			       path);
	if (e != &j->file.entries[j->file.n_entries])
		return why_set(why, -EEXIST, "%s was made already", path);
	*e = (struct sys_journal_entry){.kind = SYS_JOURNAL_MKDIR};
	text_copy(e->path, sizeof(e->path), path);
	r = sys_journal_check(e, why);
	if (r < 0)
		return r;
	fd = open_parent(e, &last, why);
	if (fd < 0)
		return fd;
	j->file.n_entries++;
	r = store(j, why);
	if (r == 0 && mkdirat(fd, last, 0755) < 0) {
		r = why_errno(why, -errno, "cannot make %s", path);
		j->file.n_entries--; /* not ours to remove: perhaps it was there */
		(void)store(j, NULL);
		(void)close(fd);
		return r;
	}
	(void)close(fd);
	if (r < 0) {
		j->file.n_entries--;
		return r;
	}
	e->is_settled = true;
	r = store(j, why);
	if (r < 0)
		undo(j, e);
	return r;
}

int sys_journal_close(struct sys_journal *j, struct sys_journal_outcome *ret, struct why *why)
{
	int r = 0;

	*ret = (struct sys_journal_outcome){.pid = 0};
	if (!j)
		return 0;
	restore_all(&j->file, ret);
	if (ret->n_failed)
		r = why_set(why, -EIO,
			    "cannot restore every setting; the next start as root tries again: %s",
			    ret->other);
	else if (unlinkat(j->fd_dir, j->name, 0) < 0)
		r = why_errno(why, -errno, "cannot remove the journal of changed settings");
	release(j);
	return r;
}
