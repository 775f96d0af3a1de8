/* SPDX-License-Identifier: MIT */
/* A memory cgroup around the trial, made for the run and gone after it. Both sides have one: charging costs. */
#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/bench/setting.h"
#include "src/sys/cgroup.h"
#include "src/sys/file.h"
#include "src/sys/journal.h"
#include "src/sys/page.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The group that ours is made in: our own, or the nearest above that hands its memory controller down. */
struct parent {
	char dir[BENCH_SETTING_TEXT];
	enum sys_cgroup_version version;
};

static void visit(void *data, const char *dir, enum sys_cgroup_version version)
{
	char path[BENCH_SETTING_TEXT + 32], controllers[256];
	struct parent *p = data;

	if (p->dir[0] || strlen(dir) >= sizeof(p->dir) - 48) /* room for the name of ours */
		return;
	(void)snprintf(path, sizeof(path), "%s/cgroup.subtree_control", dir);
	if (version == SYS_CGROUP_V2 &&
	    (sys_read_text(path, controllers, sizeof(controllers)) < 0 ||
	     !strstr(controllers, "memory")))
		return;
	text_copy(p->dir, sizeof(p->dir), dir);
	p->version = version;
}

static bool is_none(const char *value)
{
	return strcmp(value, "none") == 0;
}

static int find_parent(struct parent *ret, struct why *why)
{
	*ret = (struct parent){.dir = ""};
	sys_cgroup_walk(visit, ret);
	return ret->dir[0]
		       ? 0
		       : why_set(why, -ENOENT,
				 "there is no memory cgroup to make one in: no group above this "
				 "process hands the memory controller down");
}

/* In whole pages, as the kernel keeps it. */
static int limit_bytes(const char *value, uint64_t *ret_bytes, struct why *why)
{
	uint64_t bytes = 0;

	if (units_parse_bytes(value, &bytes, why) < 0)
		return -EINVAL;
	*ret_bytes = bytes - bytes % sys_page_bytes();
	return *ret_bytes ? 0 : why_set(why, -EINVAL, "'%s' is less than a page", value);
}

static int memory_limit_check(const struct bench_arm *arm, struct why *why)
{
	struct parent parent;
	uint64_t bytes = 0;

	if (!is_none(arm->value) && limit_bytes(arm->value, &bytes, why) < 0)
		return -EINVAL;
	return find_parent(&parent, why);
}

static int write_text(const char *path, const char *text, struct why *why)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
	int r = n < 0 ? -errno : 0;

	if (fd >= 0)
		(void)close(fd);
	return r < 0 ? why_errno(why, r, "cannot write '%s' to %s", text, path) : 0;
}

static int limit(const struct bench_arm *arm, enum sys_cgroup_version version, struct why *why)
{
	char path[BENCH_SETTING_TEXT + 32], text[32];
	uint64_t bytes = 0, now = 0;
	int r;

	if (is_none(arm->value))
		return 0;
	r = limit_bytes(arm->value, &bytes, why);
	if (r < 0)
		return r;
	(void)snprintf(path, sizeof(path), "%s/%s", arm->state,
		       version == SYS_CGROUP_V2 ? "memory.max" : "memory.limit_in_bytes");
	(void)snprintf(text, sizeof(text), "%" PRIu64, bytes);
	r = write_text(path, text, why);
	if (r == 0 && (sys_read_u64(path, &now) < 0 || now != bytes))
		r = why_set(why, -EIO, "%s took no effect: it reads %" PRIu64, path, now);
	return r;
}

static int memory_limit_open(struct bench_arm *arm, struct why *why)
{
	static unsigned n_made; /* in this process: each side needs a name of its own */
	struct sys_journal *journal = NULL;
	struct parent parent;
	int r = find_parent(&parent, why);

	if (r == 0)
		r = bench_journal_use(&journal, why);
	if (r < 0)
		return r;
	text_copy(arm->state, sizeof(arm->state), parent.dir);
	text_append(arm->state, sizeof(arm->state), "/pagetoll-%d-%u", (int)getpid(), n_made++);
	r = sys_journal_mkdir(journal, arm->state, why);
	if (r == 0)
		r = limit(arm, parent.version, why);
	if (r < 0)
		(void)bench_journal_end_use(NULL);
	return r;
}

/* Half of the smaller limit, on both sides alike: what is warmed less is colder. 0: no limit. */
static uint64_t warm_bytes(const struct bench_arm *arm)
{
	const char *const values[] = {arm->value, arm->other};
	uint64_t least = 0, bytes = 0;

	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		if (!is_none(values[i]) && limit_bytes(values[i], &bytes, NULL) == 0 &&
		    (least == 0 || bytes / 2 < least))
			least = bytes / 2;
	return least;
}

/*
 * What the trial has taken until now, its code above all, stays where it was. A round that is larger than the
 * limit reuses what it has: warming all of its size at once would end it before it begins.
 */
static int memory_limit_in_trial(struct bench_trial *trial, const struct bench_arm *arm)
{
	char path[BENCH_SETTING_TEXT + 32], groups[8192];
	int r;

	(void)snprintf(path, sizeof(path), "%s/cgroup.procs", arm->state);
	r = write_text(path, "0", &trial->why);
	if (r < 0)
		return r;
	if (sys_read_text("/proc/self/cgroup", groups, sizeof(groups)) < 0 ||
	    !strstr(groups, strrchr(arm->state, '/')))
		return why_set(&trial->why, -EIO, "the trial is not in %s", arm->state);
	trial->most_warm_bytes = warm_bytes(arm);
	return 0;
}

SETTING(memory_limit) = {
	.title = "a memory cgroup's limit around the trial",
	.values = "a size or none",
	.check = memory_limit_check,
	.open = memory_limit_open,
	.close = bench_knob_close,
	.in_trial = memory_limit_in_trial,
};
