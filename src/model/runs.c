/* SPDX-License-Identifier: MIT */
/* The runs directory: one document a file, written by rename, found by name. */
#include "src/model/runs.h"

#include "src/base/why.h"
#include "src/model/document.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int model_runs_dir(char *ret_path, size_t size, struct why *why)
{
	const char *runs = getenv("PAGETOLL_RUNS");
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	int n;

	if (runs && *runs)
		n = snprintf(ret_path, size, "%s", runs);
	else if (state && *state)
		n = snprintf(ret_path, size, "%s/pagetoll", state);
	else if (home && *home)
		n = snprintf(ret_path, size, "%s/.local/state/pagetoll", home);
	else
		return why_set(why, -ENOENT, "no place for runs: set PAGETOLL_RUNS to a directory");
	if (n >= (int)size)
		return why_set(why, -ENAMETOOLONG, "the name of the runs directory is too long");
	return 0;
}

static int make_directories(const char *path, struct why *why)
{
	char part[PATH_MAX];
	char *slash = part;

	if (snprintf(part, sizeof(part), "%s", path) >= (int)sizeof(part))
		return why_set(why, -ENAMETOOLONG, "the name of the runs directory is too long");
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = 0;
		if (mkdir(part, 0777) < 0 && errno != EEXIST)
			return why_errno(why, -errno, "cannot make %s", part);
		*slash = '/';
	}
	if (mkdir(part, 0777) < 0 && errno != EEXIST)
		return why_errno(why, -errno, "cannot make %s", part);
	return 0;
}

/* A document being written: nameless where the filesystem allows it, so that even SIGKILL leaves
 * nothing behind; else under a hidden name. */
struct draft {
	int fd;
	char path[PATH_MAX]; /* "" while nameless */
};

static int draft_open(struct draft *d, const char *dir, struct why *why)
{
	d->path[0] = 0;
	d->fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	/* without /proc it could be given no name */
	if (d->fd >= 0 && access("/proc/self/fd", X_OK) < 0) {
		(void)close(d->fd);
		d->fd = -1;
		errno = EOPNOTSUPP;
	}
	if (d->fd >= 0)
		return 0;
	if (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT) {
		if (snprintf(d->path, sizeof(d->path), "%s/.bench-XXXXXX", dir) >=
		    (int)sizeof(d->path))
			return why_set(why, -ENAMETOOLONG,
				       "the name of the runs directory is too long");
		d->fd = mkostemp(d->path, O_CLOEXEC);
	}
	if (d->fd < 0)
		return why_errno(why, -errno, "cannot write in %s", dir);
	return 0;
}

static int draft_write(const struct draft *d, const struct model_bench *doc, struct why *why)
{
	int fd = fcntl(d->fd, F_DUPFD_CLOEXEC, 0);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int r = 0;

	if (!out) {
		r = -errno;
		if (fd >= 0)
			(void)close(fd);
		return why_errno(why, r, "cannot write the document");
	}
	model_bench_write(doc, out);
	if (fflush(out) != 0 || ferror(out))
		r = -errno;
	if (fclose(out) != 0 && r == 0)
		r = -errno;
	return r < 0 ? why_errno(why, r, "cannot write the document") : 0;
}

/* Gives the draft its name; -EEXIST where that is taken. */
static int draft_publish(const struct draft *d, const char *path)
{
	char self[64];

	if (!d->path[0]) {
		(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", d->fd);
		return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
	}
	if (renameat2(AT_FDCWD, d->path, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno == EINVAL && rename(d->path, path) == 0) /* nfs has no NOREPLACE */
		return 0;
	return -errno;
}

static void draft_close(const struct draft *d, int r)
{
	if (r < 0 && d->path[0])
		(void)unlink(d->path);
	(void)close(d->fd);
}

/* Names sort by time: 20261130T174501.123Z-bench.json. */
static void stamp(char *ret_text, size_t size)
{
	struct timespec now;
	struct tm tm;
	char seconds[32];

	(void)clock_gettime(CLOCK_REALTIME, &now);
	(void)gmtime_r(&now.tv_sec, &tm);
	(void)strftime(seconds, sizeof(seconds), "%Y%m%dT%H%M%S", &tm);
	(void)snprintf(ret_text, size, "%s.%03ldZ", seconds, now.tv_nsec / 1000000);
}

int model_runs_save(const struct model_bench *doc, char *ret_path, size_t size, struct why *why)
{
	char dir[PATH_MAX - 128], time_text[64];
	struct draft draft = {.fd = -1};
	int r;

	r = model_runs_dir(dir, sizeof(dir), why);
	if (r == 0)
		r = make_directories(dir, why);
	if (r == 0)
		r = draft_open(&draft, dir, why);
	if (r < 0)
		return r;
	r = draft_write(&draft, doc, why);
	if (r == 0)
		r = -EEXIST;
	for (int attempt = 0; attempt < 100 && r == -EEXIST; attempt++) {
		if (attempt) /* two runs ended in the same millisecond */
			(void)usleep(1000);
		stamp(time_text, sizeof(time_text));
		(void)snprintf(ret_path, size, "%s/%s-bench.json", dir, time_text);
		r = draft_publish(&draft, ret_path);
		if (r < 0)
			(void)why_errno(why, r, "cannot write %s", ret_path);
	}
	draft_close(&draft, r);
	return r;
}

static int is_document(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 5 && strcmp(e->d_name + n - 5, ".json") == 0;
}

void model_runs_list_free(struct model_runs_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct model_runs_list){.names = NULL};
}

int model_runs_list(const char *dir, size_t most, struct model_runs_list *ret, struct why *why)
{
	struct model_runs_list list = {.n = 0};
	struct dirent **entries;
	int n = scandir(dir, &entries, is_document, alphasort);

	if (n < 0 && errno != ENOENT)
		return why_errno(why, -errno, "%s", dir);
	list.n_left = n > 0 && (size_t)n > most ? (size_t)n - most : 0;
	list.names = calloc(n > 0 ? (size_t)n : 1, sizeof(*list.names));
	for (size_t i = 0; n > 0 && i < (size_t)n; i++) {
		char *name = list.names && i >= list.n_left ? strdup(entries[i]->d_name) : NULL;

		if (name)
			list.names[list.n++] = name;
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	if (list.names && list.n + list.n_left == (n > 0 ? (size_t)n : 0)) {
		*ret = list;
		return 0;
	}
	model_runs_list_free(&list);
	return why_errno(why, -ENOMEM, "%s", dir);
}

/* The k-th newest run of a directory, 0 the last. */
static int kth_newest(const char *dir, int k, char *ret_path, size_t size, struct why *why)
{
	struct model_runs_list list = {.n = 0};
	int r = model_runs_list(dir, (size_t)k + 1, &list, why);

	if (r < 0)
		return r;
	if (list.n <= (size_t)k)
		r = why_set(why, -ENOENT, "%s in %s; 'pagetoll bench' makes one",
			    list.n == 0 ? "no run yet" : "only one run yet", dir);
	else
		(void)snprintf(ret_path, size, "%s/%s", dir, list.names[0]);
	model_runs_list_free(&list);
	return r;
}

int model_runs_recent(int k, char *ret_path, size_t size, struct why *why)
{
	char dir[PATH_MAX];
	int r = model_runs_dir(dir, sizeof(dir), why);

	return r < 0 ? r : kth_newest(dir, k, ret_path, size, why);
}

int model_runs_resolve(const char *name, char *ret_path, size_t size, struct why *why)
{
	char dir[PATH_MAX];
	int r;

	if (snprintf(ret_path, size, "%s", name) >= (int)size)
		return why_set(why, -ENAMETOOLONG, "the name is too long");
	if (!*name)
		return why_set(why, -ENOENT, "no document '': its name is empty");
	if (name[0] != '@' && access(name, F_OK) == 0)
		return 0;
	r = model_runs_dir(dir, sizeof(dir), why);
	if (r < 0)
		return r;
	if (strcmp(name, "@last") == 0)
		return kth_newest(dir, 0, ret_path, size, why);
	if (strcmp(name, "@prev") == 0)
		return kth_newest(dir, 1, ret_path, size, why);
	if (name[0] == '@')
		return why_set(why, -EINVAL, "'%s': there are @last and @prev", name);
	(void)snprintf(ret_path, size, "%s/%s", dir, name);
	if (access(ret_path, F_OK) == 0)
		return 0;
	(void)snprintf(ret_path, size, "%s/%s.json", dir, name);
	if (access(ret_path, F_OK) == 0)
		return 0;
	return why_set(why, -ENOENT, "no document '%s', neither as a file nor in %s", name, dir);
}

/* Reads what an open stream holds into *ret. */
typedef int reader(FILE *in, const char *name, void *ret, struct why *why);

static int read_bench(FILE *in, const char *name, void *ret, struct why *why)
{
	return model_bench_read(in, name, ret, why);
}

static int read_any(FILE *in, const char *name, void *ret, struct why *why)
{
	return model_document_read(in, name, ret, why);
}

static int load(const char *name, reader *read, void *ret, struct why *why)
{
	char path[PATH_MAX];
	struct stat st;
	FILE *in;
	int r;

	if (strcmp(name, "-") == 0)
		return read(stdin, "standard input", ret, why);
	r = model_runs_resolve(name, path, sizeof(path), why);
	if (r < 0)
		return r;
	in = fopen(path, "re");
	if (!in)
		return why_errno(why, -errno, "%s", path);
	if (fstat(fileno(in), &st) == 0 && S_ISDIR(st.st_mode))
		r = why_set(why, -EISDIR, "%s is a directory; name one document in it", path);
	else
		r = read(in, path, ret, why);
	(void)fclose(in);
	return r;
}

int model_runs_load(const char *name, struct model_bench **ret_doc, struct why *why)
{
	return load(name, read_bench, ret_doc, why);
}

int model_runs_load_any(const char *name, struct model_document *ret_doc, struct why *why)
{
	return load(name, read_any, ret_doc, why);
}
