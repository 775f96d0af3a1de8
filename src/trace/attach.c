/* SPDX-License-Identifier: MIT */
/* Running processes to be traced: their threads and descendants, as /proc lists them. */
#include "src/trace/attach.h"

#include "src/base/array.h"
#include "src/base/why.h"
#include "src/sys/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MOST_SCANS = 16 };

void trace_pid_list_free(struct trace_pid_list *list)
{
	free(list->pids);
	*list = (struct trace_pid_list){.pids = NULL};
}

static bool is_in(const struct trace_pid_list *list, pid_t pid)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->pids[i] == pid)
			return true;
	return false;
}

int trace_pid_list_add(struct trace_pid_list *list, pid_t pid)
{
	pid_t *grown;

	if (is_in(list, pid))
		return 0;
	grown = array_grow(list->pids, list->n, sizeof(*list->pids));
	if (!grown)
		return -ENOMEM;
	list->pids = grown;
	list->pids[list->n++] = pid;
	return 1;
}

/* Calls a function for each number in a folder of /proc. 0 or negative errno. */
static int each_number(const char *path, int (*visit)(pid_t pid, void *data), void *data)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (r >= 0 && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			r = visit((pid_t)strtol(entry->d_name, NULL, 10), data);
	(void)closedir(dir);
	return r < 0 ? r : 0;
}

static int add_thread(pid_t tid, void *data)
{
	return trace_pid_list_add(data, tid);
}

int trace_list_threads(pid_t pid, struct trace_pid_list *ret)
{
	char path[48];

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return each_number(path, add_thread, ret);
}

/* --- descendants ------------------------------------------------------------------------------------------------ */

/* The fourth field of stat, counted from behind the name, which can hold anything. 0: not known. */
static pid_t parent_of(pid_t pid)
{
	char path[48], text[512];
	const char *rest;
	int parent;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (sys_read_text(path, text, sizeof(text)) <= 0)
		return 0;
	rest = strrchr(text, ')');
	return rest && sscanf(rest + 1, " %*c %d", &parent) == 1 ? (pid_t)parent : 0;
}

static int add_child(pid_t pid, void *data)
{
	struct trace_pid_list *list = data;
	pid_t parent = parent_of(pid);

	return parent > 0 && is_in(list, parent) ? trace_pid_list_add(list, pid) : 0;
}

int trace_add_descendants(struct trace_pid_list *list)
{
	int r = 0;

	for (int i = 0; i < MOST_SCANS && r == 0; i++) {
		size_t before = list->n;

		r = each_number("/proc", add_child, list);
		if (list->n == before)
			break;
	}
	return r;
}

/* --- what is refused --------------------------------------------------------------------------------------------- */

int trace_check_pid(pid_t pid, struct why *why)
{
	char path[48];
	uint64_t leader;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (pid <= 0 || sys_read_key(path, "Tgid", &leader) < 0)
		return why_set(why, -ESRCH, "there is no process %d", (int)pid);
	if ((pid_t)leader != pid)
		return why_set(why, -EINVAL, "%d is a thread of process %d; use -p %d", (int)pid,
			       (int)leader, (int)leader);
	return 0;
}

int trace_why_not_attached(pid_t pid, int r, struct why *why)
{
	char path[48];
	struct stat st;

	if (r == -ESRCH)
		return why_set(why, r, "process %d has ended", (int)pid);
	(void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if ((r == -EACCES || r == -EPERM) && stat(path, &st) == 0 && st.st_uid != geteuid())
		return why_set(why, r, "process %d belongs to user %u, and not to you; use sudo",
			       (int)pid, (unsigned)st.st_uid);
	if (r == -EACCES || r == -EPERM)
		return why_set(
			why, r,
			"process %d may not be traced (it has more rights than you, or has called "
			"prctl(PR_SET_DUMPABLE)); use sudo",
			(int)pid);
	return r; /* the sentence that is there */
}

/* The file that execvp() would take; false where there is none: exec will say why. */
static bool find_executable(const char *name, char ret[PATH_MAX])
{
	const char *dirs = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(ret, PATH_MAX, "%s", name) < PATH_MAX;
	if (!dirs)
		dirs = "/bin:/usr/bin";
	for (;;) {
		size_t n = strcspn(dirs, ":");

		if (snprintf(ret, PATH_MAX, "%.*s%s%s", (int)n, dirs, n ? "/" : "", name) <
			    PATH_MAX &&
		    access(ret, X_OK) == 0)
			return true;
		if (!dirs[n])
			return false;
		dirs += n + 1;
	}
}

int trace_check_executable(const char *name, struct why *why)
{
	char path[PATH_MAX];
	struct stat st;

	if (geteuid() == 0 || !find_executable(name, path) || stat(path, &st) < 0)
		return 0;
	if ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	    (st.st_mode & S_ISGID && st.st_gid != getegid()))
		return why_set(
			why, -EPERM,
			"%s runs with another user's rights (set-user-ID), and the kernel lets only root "
			"trace that; use sudo",
			path);
	if (getxattr(path, "security.capability", NULL, 0) > 0)
		return why_set(
			why, -EPERM,
			"%s runs with capabilities of its own, and the kernel lets only root trace that; "
			"use sudo",
			path);
	return 0;
}
