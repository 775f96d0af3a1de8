/* SPDX-License-Identifier: MIT */
/* The memory cgroups that this process is in, found by /proc/self/cgroup and /proc/self/mountinfo. */
#include "src/sys/cgroup.h"

#include "src/sys/file.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
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

void sys_cgroup_walk(sys_cgroup_visit *visit, void *data)
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
		walk_up(mount, *below ? below : "/", v2 ? SYS_CGROUP_V2 : SYS_CGROUP_V1, visit,
			data);
	}
	(void)fclose(f);
}
