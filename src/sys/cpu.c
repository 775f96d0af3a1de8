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

enum { MAX_CPUS = 1 << 16 };

/* The affinity mask, as large as this kernel's masks are (EINVAL below that). NULL with errno. */
static cpu_set_t *allowed(int *ret_n_bits)
{
	for (int n = CPU_SETSIZE; n <= MAX_CPUS; n *= 2) {
		cpu_set_t *set = CPU_ALLOC((size_t)n);

		if (!set)
			return NULL;
		if (sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)n), set) == 0) {
			*ret_n_bits = n;
			return set;
		}
		CPU_FREE(set);
		if (errno != EINVAL)
			return NULL;
	}
	return NULL;
}

static bool in_set(int cpu, const cpu_set_t *set, int n_bits)
{
	return cpu >= 0 && cpu < n_bits &&
	       CPU_ISSET_S((size_t)cpu, CPU_ALLOC_SIZE((size_t)n_bits), set);
}

int sys_cpu_allowed(char *ret_list, size_t size)
{
	size_t used = 0;
	int n_bits, count = 0;
	cpu_set_t *set = allowed(&n_bits);

	*ret_list = 0;
	if (!set)
		return -errno;
	for (int cpu = 0; cpu < n_bits; cpu++) {
		int last = cpu;

		if (!in_set(cpu, set, n_bits))
			continue;
		while (in_set(last + 1, set, n_bits))
			last++;
		if (used < size)
			used += (size_t)snprintf(ret_list + used, size - used,
						 last > cpu ? "%s%d-%d" : "%s%d", used ? "," : "",
						 cpu, last);
		count += last - cpu + 1;
		cpu = last;
	}
	CPU_FREE(set);
	return count;
}

bool sys_cpu_is_allowed(int cpu)
{
	int n_bits;
	cpu_set_t *set = allowed(&n_bits);
	bool is_allowed = set && in_set(cpu, set, n_bits);

	if (set)
		CPU_FREE(set);
	return is_allowed;
}

int sys_cpu_default(void)
{
	int n_bits, cpu;
	cpu_set_t *set = allowed(&n_bits);

	if (!set)
		return -errno;
	cpu = n_bits - 1;
	while (cpu >= 0 && !in_set(cpu, set, n_bits))
		cpu--;
	CPU_FREE(set);
	return cpu >= 0 ? cpu : -ENOENT;
}

int sys_cpu_pin(int cpu, struct why *why)
{
	size_t n_bits = (size_t)cpu + 1;
	size_t bytes = CPU_ALLOC_SIZE(n_bits);
	cpu_set_t *set = CPU_ALLOC(n_bits);
	int r = 0;

	if (!set)
		return why_set(why, -ENOMEM, "no memory for a CPU mask");
	CPU_ZERO_S(bytes, set);
	CPU_SET_S((size_t)cpu, bytes, set);
	if (sched_setaffinity(0, bytes, set) < 0)
		r = why_errno(why, -errno, "cannot pin to CPU %d", cpu);
	CPU_FREE(set);
	return r;
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

void sys_cpu_steal(int cpu_of, struct sys_steal *ret)
{
	uint64_t tick_ns = 1000000000U / (uint64_t)sysconf(_SC_CLK_TCK);
	char line[256];
	int n_bits;
	cpu_set_t *set = allowed(&n_bits);
	FILE *f;

	*ret = (struct sys_steal){0, 0};
	f = set ? fopen("/proc/stat", "re") : NULL;
	/* CPUs are the first lines, and their sum is the first of all */
	while (f && fgets(line, sizeof(line), f) && strncmp(line, "cpu", 3) == 0) {
		uint64_t ticks;
		int cpu;

		if (line[3] == ' ' ||
		    sscanf(line + 3, "%d %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &cpu, &ticks) != 2)
			continue;
		if (cpu == cpu_of)
			ret->cpu_ns = ticks * tick_ns;
		if (in_set(cpu, set, n_bits))
			ret->allowed_ns += ticks * tick_ns;
	}
	if (f)
		(void)fclose(f);
	if (set)
		CPU_FREE(set);
}
