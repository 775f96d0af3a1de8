/* SPDX-License-Identifier: MIT */
/* The processor's own counters of the calling thread, where there are any: most VMs have none. */
#include "src/sys/pmu.h"

#include "src/base/why.h"
#include "src/sys/file.h"
#include "src/sys/hypervisor.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct event_row {
	uint32_t type;
	uint64_t config;
	bool with_kernel;
};

static const struct event_row event_rows[SYS_PMU_N] = {
	[SYS_PMU_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true},
	[SYS_PMU_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true},
	[SYS_PMU_DTLB_LOAD_MISSES] = {PERF_TYPE_HW_CACHE,
				      PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_READ << 8 |
					      PERF_COUNT_HW_CACHE_RESULT_MISS << 16,
				      false},
};

/* What read(2) gives for one event with PERF_FORMAT_TOTAL_TIME_*. */
struct reading {
	uint64_t value, enabled_ns, running_ns;
};

static int open_event(const struct event_row *row)
{
	struct perf_event_attr attr = {
		.type = row->type,
		.size = sizeof(attr),
		.config = row->config,
		.disabled = 1,
		.exclude_kernel = !row->with_kernel,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

void sys_pmu_open(struct sys_pmu *pmu)
{
	for (int i = 0; i < SYS_PMU_N; i++) {
		int fd = open_event(&event_rows[i]);

		pmu->fd[i] = fd < 0 ? -1 : fd;
	}
}

void sys_pmu_close(struct sys_pmu *pmu)
{
	for (int i = 0; i < SYS_PMU_N; i++) {
		if (pmu->fd[i] >= 0)
			(void)close(pmu->fd[i]);
		pmu->fd[i] = -1;
	}
}

static void control_all(const struct sys_pmu *pmu, unsigned long request)
{
	for (int i = 0; i < SYS_PMU_N; i++)
		if (pmu->fd[i] >= 0)
			(void)ioctl(pmu->fd[i], request, 0);
}

static int64_t read_scaled(int fd)
{
	struct reading r;

	if (fd < 0 || read(fd, &r, sizeof(r)) != (ssize_t)sizeof(r) || r.running_ns == 0)
		return SYS_PMU_NOT_COUNTED;
	if (r.running_ns >= r.enabled_ns)
		return (int64_t)r.value;
	return (int64_t)((double)r.value * (double)r.enabled_ns / (double)r.running_ns);
}

void sys_pmu_begin(const struct sys_pmu *pmu)
{
	control_all(pmu, PERF_EVENT_IOC_RESET);
	control_all(pmu, PERF_EVENT_IOC_ENABLE);
}

void sys_pmu_end(const struct sys_pmu *pmu, int64_t ret_counts[SYS_PMU_N])
{
	control_all(pmu, PERF_EVENT_IOC_DISABLE);
	for (int i = 0; i < SYS_PMU_N; i++)
		ret_counts[i] = read_scaled(pmu->fd[i]);
}

int sys_pmu_ask(struct why *why)
{
	const struct event_row *cycles = &event_rows[SYS_PMU_CYCLES];
	uint64_t paranoid = 0;
	int fd = open_event(cycles);
	char hypervisor[64];

	if (fd >= 0) {
		(void)close(fd);
		return 0;
	}
	sys_hypervisor(hypervisor, sizeof(hypervisor));
	/* ENOENT, EOPNOTSUPP: no driver knows the event, as where the hypervisor shows no PMU */
	if (fd == -ENOENT || fd == -EOPNOTSUPP || fd == -ENODEV)
		return why_set(why, 1, "not counted: no PMU in this %s",
			       sys_hypervisor_is_one(hypervisor) ? "VM" : "machine");
	if (sys_read_u64("/proc/sys/kernel/perf_event_paranoid", &paranoid) == 0 && paranoid > 1)
		return why_set(
			why, 1,
			"not counted: perf_event_paranoid hides the kernel's cycles; as root: "
			"sysctl kernel.perf_event_paranoid=1");
	return why_set(why, 1, "not counted: perf_event_open is refused (%s)", strerror(-fd));
}
