/* SPDX-License-Identifier: MIT */
/* Which CPUs this process may use, and pinning to one. */
#include "src/sys/cpu.h"

#include "src/base/why.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* CPU numbers above CPU_SETSIZE (1024) exist on a handful of machines; they are never chosen. */
static int allowed(cpu_set_t *ret_set)
{
	CPU_ZERO(ret_set);
	return sched_getaffinity(0, sizeof(*ret_set), ret_set) < 0 ? -errno : 0;
}

static bool in_set(int cpu, const cpu_set_t *set)
{
	return cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET((size_t)cpu, set);
}

int sys_cpu_allowed(char *ret_list, size_t size)
{
	size_t used = 0;
	cpu_set_t set;
	int r = allowed(&set);

	if (r < 0)
		return r;
	*ret_list = 0;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		int last = cpu;

		if (!in_set(cpu, &set))
			continue;
		while (in_set(last + 1, &set))
			last++;
		if (used < size)
			used += (size_t)snprintf(ret_list + used, size - used,
						 last > cpu ? "%s%d-%d" : "%s%d", used ? "," : "",
						 cpu, last);
		cpu = last;
	}
	return CPU_COUNT(&set);
}

bool sys_cpu_is_allowed(int cpu)
{
	cpu_set_t set;

	return allowed(&set) == 0 && in_set(cpu, &set);
}

int sys_cpu_default(void)
{
	cpu_set_t set;
	int r = allowed(&set);

	if (r < 0)
		return r;
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
		if (in_set(cpu, &set))
			return cpu;
	return -ENOENT;
}

int sys_cpu_pin(int cpu, struct why *why)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		return why_errno(why, -errno, "cannot pin to CPU %d", cpu);
	return 0;
}

uint64_t sys_cpu_steal_ns(int cpu)
{
	char line[256], key[16];
	uint64_t ticks = 0;
	FILE *f;

	f = fopen("/proc/stat", "re");
	if (!f)
		return 0;
	(void)snprintf(key, sizeof(key), "cpu%d ", cpu);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		(void)sscanf(line + strlen(key), "%*u %*u %*u %*u %*u %*u %*u %" SCNu64, &ticks);
		break;
	}
	(void)fclose(f);
	return ticks * (1000000000U / (uint64_t)sysconf(_SC_CLK_TCK));
}
