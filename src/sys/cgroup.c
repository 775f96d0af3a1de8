/* SPDX-License-Identifier: MIT */
/* The memory cgroups that this process is in, found by /proc/self/cgroup and /proc/self/mountinfo. */
#include "src/sys/cgroup.h"

#include "src/sys/file.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_FILE = 1 << 13 };

/* Walks from the group up to the root of its mount. */
static void walk_up(const char *mount, const char *group, enum sys_cgroup_version version,
		    sys_cgroup_visit *visit, void *data)
{
	char dir[PATH_MAX];
	char *slash;

	if (snprintf(dir, sizeof(dir), "%s%s", mount, strcmp(group, "/") == 0 ? "" : group) >=
	    (int)sizeof(dir))
		return;
	while (strlen(dir) >= strlen(mount)) {
		visit(data, dir, version);
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

/* Together more than a small stack should hold. */
struct texts {
	char groups[SMALL_FILE], line[2 * PATH_MAX], group[PATH_MAX], mount[PATH_MAX],
		root[PATH_MAX];
};

static void walk_mounts(FILE *f, struct texts *t, sys_cgroup_visit *visit, void *data)
{
	while (fgets(t->line, sizeof(t->line), f)) {
		const char *type = strstr(t->line, " - cgroup");
		bool v2 = type && strncmp(type, " - cgroup2 ", 11) == 0;
		const char *below = t->group;

		if (!type || (!v2 && !strstr(type, "memory")))
			continue;
		if (sscanf(t->line, "%*s %*s %*s %4095s %4095s", t->root, t->mount) != 2 ||
		    !group_of(t->groups, v2, t->group, sizeof(t->group)))
			continue;
		/* a mount of a part of the hierarchy, as in containers */
		if (strcmp(t->root, "/") != 0 && strncmp(t->group, t->root, strlen(t->root)) == 0)
			below = t->group + strlen(t->root);
		walk_up(t->mount, *below ? below : "/", v2 ? SYS_CGROUP_V2 : SYS_CGROUP_V1, visit,
			data);
	}
}

void sys_cgroup_walk(sys_cgroup_visit *visit, void *data)
{
	struct texts *t = malloc(sizeof(*t));
	FILE *f = NULL;

	if (t && sys_read_text("/proc/self/cgroup", t->groups, sizeof(t->groups)) >= 0)
		f = fopen("/proc/self/mountinfo", "re");
	if (f) {
		walk_mounts(f, t, visit, data);
		(void)fclose(f);
	}
	free(t);
}
