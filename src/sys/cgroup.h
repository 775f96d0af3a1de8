/* SPDX-License-Identifier: MIT */
/* The memory cgroups that this process is in, from its own up to the root of the mount. */
#ifndef SYS_CGROUP_H
#define SYS_CGROUP_H

enum sys_cgroup_version { SYS_CGROUP_V1, SYS_CGROUP_V2 };

/* Called with the directory of one group. */
typedef void sys_cgroup_visit(void *data, const char *dir, enum sys_cgroup_version version);

/*
 * Visits the group of this process first, then its ancestors: every one's limit holds, too. In a
 * container that shows a part of the hierarchy only that part is visited. Where there is no memory
 * cgroup nothing is.
 */
void sys_cgroup_walk(sys_cgroup_visit *visit, void *data);

#endif
