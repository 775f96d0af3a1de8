/* SPDX-License-Identifier: MIT */
/* How much memory this process can take without being killed for it. */
#include "src/sys/memory.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/sys/cgroup.h"
#include "src/sys/file.h"

#include <limits.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

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

static const struct cgroup_version versions[] = {
	[SYS_CGROUP_V1] =
		{
			"memory.limit_in_bytes",
			"memory.usage_in_bytes",
			{"total_inactive_file", "total_active_file"},
		},
	[SYS_CGROUP_V2] =
		{
			"memory.max",
			"memory.current",
			{"inactive_file", "active_file"},
		},
};

static void lower_by_group(void *data, const char *dir, enum sys_cgroup_version version)
{
	const struct cgroup_version *v = &versions[version];
	struct sys_memory *m = data;
	uint64_t limit, usage, value;
	char path[PATH_MAX + 64];
	char by[96];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, v->limit);
	if (sys_read_u64(path, &limit) < 0) /* "max": no number */
		return;
	if (limit >= m->total_bytes && m->total_bytes)
		return;
	(void)snprintf(path, sizeof(path), "%s/%s", dir, v->usage);
	if (sys_read_u64(path, &usage) < 0)
		return;
	(void)snprintf(path, sizeof(path), "%s/memory.stat", dir);
	for (size_t i = 0; i < 2; i++)
		if (sys_read_key(path, v->reclaimable[i], &value) == 0)
			usage -= value < usage ? value : usage;
	(void)snprintf(by, sizeof(by), "memory cgroup limit %s", units_bytes(limit).s);
	if (limit < m->cgroup_limit_bytes)
		m->cgroup_limit_bytes = limit;
	lower(m, limit > usage ? limit - usage : 0, by);
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
	struct rlimit limit;
	uint64_t kib, room;
	char by[96];

	for (size_t i = 0; i < ARRAY_LEN(size_limits); i++) {
		const struct size_limit *l = &size_limits[i];

		if (getrlimit(l->resource, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
		    sys_read_key("/proc/self/status", l->used_key, &kib) < 0)
			continue;
		(void)snprintf(by, sizeof(by), "%s %s", l->name, units_bytes(limit.rlim_cur).s);
		room = limit.rlim_cur > kib * 1024 ? limit.rlim_cur - kib * 1024 : 0;
		m->counts_mappings = m->counts_mappings || room < m->available_bytes;
		lower(m, room, by);
	}
}

void sys_memory_probe(struct sys_memory *ret)
{
	uint64_t kib;

	*ret = (struct sys_memory){
		.available_bytes = UINT64_MAX,
		.cgroup_limit_bytes = UINT64_MAX,
		.limited_by = "nothing known",
	};
	if (sys_read_key("/proc/meminfo", "MemTotal", &kib) == 0)
		ret->total_bytes = kib * 1024;
	if (sys_read_key("/proc/meminfo", "MemAvailable", &kib) == 0)
		lower(ret, kib * 1024, "MemAvailable");
	sys_cgroup_walk(lower_by_group, ret);
	lower_by_rlimits(ret);
}

static bool has_ipc_lock(pid_t pid)
{
	char path[64], text[8192];
	unsigned long long effective;
	const char *at;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (sys_read_text(path, text, sizeof(text)) <= 0)
		return false;
	at = strstr(text, "\nCapEff:");
	return at && sscanf(at, "\nCapEff: %llx", &effective) == 1 && effective >> CAP_IPC_LOCK & 1;
}

int64_t sys_memory_lock_limit(pid_t pid)
{
	struct rlimit limit;

	if (prlimit(pid, RLIMIT_MEMLOCK, NULL, &limit) < 0 || limit.rlim_cur > INT64_MAX ||
	    has_ipc_lock(pid))
		return -1;
	return (int64_t)limit.rlim_cur;
}
