/* SPDX-License-Identifier: MIT */
/* How much memory this process can take without being killed for it. */
#include "src/sys/memory.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/sys/file.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Room for the kernel's small files; their interesting lines come early. */
enum { SMALL_FILE = 1 << 13 };

static void lower(struct sys_memory *m, uint64_t bytes, const char *by)
{
	if (bytes >= m->available_bytes)
		return;
	m->available_bytes = bytes;
	text_copy(m->limited_by, sizeof(m->limited_by), by);
}

/* The names of the same three files under the two cgroup versions. */
struct cgroup_version {
	const char *limit, *usage;
	const char *reclaimable[2]; /* keys of memory.stat: file pages that reclaim can take */
};

static const struct cgroup_version version1 = {
	"memory.limit_in_bytes",
	"memory.usage_in_bytes",
	{"total_inactive_file", "total_active_file"},
};

static const struct cgroup_version version2 = {
	"memory.max",
	"memory.current",
	{"inactive_file", "active_file"},
};

static void lower_by_group(struct sys_memory *m, const char *dir, const struct cgroup_version *v)
{
	uint64_t limit, usage, value;
	char path[PATH_MAX + 64];
	char stat[8192], by[96];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, v->limit);
	if (sys_read_u64(path, &limit) < 0) /* "max": no number */
		return;
	if (limit >= m->total_bytes && m->total_bytes)
		return;
	(void)snprintf(path, sizeof(path), "%s/%s", dir, v->usage);
	if (sys_read_u64(path, &usage) < 0)
		return;
	(void)snprintf(path, sizeof(path), "%s/memory.stat", dir);
	if (sys_read_text(path, stat, sizeof(stat)) > 0)
		for (size_t i = 0; i < 2; i++)
			if (sys_find_u64(stat, v->reclaimable[i], &value) == 0)
				usage -= value < usage ? value : usage;
	(void)snprintf(by, sizeof(by), "memory cgroup limit %s", units_bytes(limit).s);
	if (limit < m->cgroup_limit_bytes)
		m->cgroup_limit_bytes = limit;
	lower(m, limit > usage ? limit - usage : 0, by);
}

/* Walks from the group up to the root of its mount: every ancestor's limit holds, too. */
static void walk_up(struct sys_memory *m, const char *mount, const char *group,
		    const struct cgroup_version *v)
{
	char dir[PATH_MAX];
	char *slash;

	if (snprintf(dir, sizeof(dir), "%s%s", mount, strcmp(group, "/") == 0 ? "" : group) >=
	    (int)sizeof(dir))
		return;
	while (strlen(dir) >= strlen(mount)) {
		lower_by_group(m, dir, v);
		slash = strrchr(dir, '/');
		if (!slash)
			break;
		*slash = 0;
	}
}

/* Group of this process in /proc/self/cgroup: line "N:memory:/path" (v1) or "0::/path" (v2). */
static bool group_of(const char *text, bool v2, char *ret_group, size_t size)
{
	while (text && *text) {
		const char *controllers = strchr(text, ':');
		const char *path = controllers ? strchr(controllers + 1, ':') : NULL;
		const char *end = strchrnul(text, '\n');

		if (!path || path > end)
			break;
		if (v2 ? strncmp(text, "0::", 3) == 0 : strncmp(controllers, ":memory:", 8) == 0) {
			(void)snprintf(ret_group, size, "%.*s", (int)(end - path - 1), path + 1);
			return true;
		}
		text = *end ? end + 1 : NULL;
	}
	return false;
}

static void lower_by_cgroups(struct sys_memory *m)
{
	char groups[SMALL_FILE], line[2 * PATH_MAX], group[PATH_MAX], mount[PATH_MAX],
		root[PATH_MAX];
	FILE *f;

	if (sys_read_text("/proc/self/cgroup", groups, sizeof(groups)) < 0)
		return;
	f = fopen("/proc/self/mountinfo", "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		const char *type = strstr(line, " - cgroup");
		bool v2 = type && strncmp(type, " - cgroup2 ", 11) == 0;
		const char *below = group;

		if (!type || (!v2 && !strstr(type, "memory")))
			continue;
		if (sscanf(line, "%*s %*s %*s %4095s %4095s", root, mount) != 2 ||
		    !group_of(groups, v2, group, sizeof(group)))
			continue;
		/* a mount of a part of the hierarchy, as in containers */
		if (strcmp(root, "/") != 0 && strncmp(group, root, strlen(root)) == 0)
			below = group + strlen(root);
		walk_up(m, mount, *below ? below : "/", v2 ? &version2 : &version1);
	}
	(void)fclose(f);
}

struct size_limit {
	__rlimit_resource_t resource;
	const char *used_key; /* of /proc/self/status */
	const char *name;
};

static const struct size_limit size_limits[] = {
	{RLIMIT_AS, "VmSize", "address space limit (ulimit -v)"},
	{RLIMIT_DATA, "VmData", "data size limit (ulimit -d)"},
};

static void lower_by_rlimits(struct sys_memory *m)
{
	char status[SMALL_FILE], by[96];
	struct rlimit limit;
	uint64_t kib, room;

	if (sys_read_text("/proc/self/status", status, sizeof(status)) < 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(size_limits); i++) {
		const struct size_limit *l = &size_limits[i];

		if (getrlimit(l->resource, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
		    sys_find_u64(status, l->used_key, &kib) < 0)
			continue;
		(void)snprintf(by, sizeof(by), "%s %s", l->name, units_bytes(limit.rlim_cur).s);
		room = limit.rlim_cur > kib * 1024 ? limit.rlim_cur - kib * 1024 : 0;
		m->counts_mappings = m->counts_mappings || room < m->available_bytes;
		lower(m, room, by);
	}
}

void sys_memory_probe(struct sys_memory *ret)
{
	char meminfo[8192];
	uint64_t kib;

	*ret = (struct sys_memory){
		.available_bytes = UINT64_MAX,
		.cgroup_limit_bytes = UINT64_MAX,
		.limited_by = "nothing known",
	};
	if (sys_read_text("/proc/meminfo", meminfo, sizeof(meminfo)) > 0) {
		if (sys_find_u64(meminfo, "MemTotal", &kib) == 0)
			ret->total_bytes = kib * 1024;
		if (sys_find_u64(meminfo, "MemAvailable", &kib) == 0)
			lower(ret, kib * 1024, "MemAvailable");
	}
	lower_by_cgroups(ret);
	lower_by_rlimits(ret);
}
