/* SPDX-License-Identifier: MIT */
/* Three views of the faults of the calling thread: rusage, perf's traps, and the clocks. */
#include "src/sys/counters.h"

#include "src/sys/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_traps(bool user, bool kernel, int *ret_errno)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.exclude_user = !user,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	*ret_errno = fd < 0 ? errno : 0;
	return fd < 0 ? -1 : (int)fd;
}

void sys_counters_open(struct sys_counters *c, bool with_traps)
{
	struct sys_reading dry;

	*c = (struct sys_counters){.fd_user = -1, .fd_kernel = -1};
	if (with_traps) {
		c->fd_user = open_traps(true, false, &c->errno_user);
		c->fd_kernel = open_traps(false, true, &c->errno_kernel);
	}
	c->fd_sched = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	/* so that no code or stack page of them faults later */
	sys_counters_begin(c, &dry);
	sys_counters_end(c, &dry);
}

void sys_counters_close(struct sys_counters *c)
{
	int *fds[] = {&c->fd_user, &c->fd_kernel, &c->fd_sched};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			(void)close(*fds[i]);
		*fds[i] = -1;
	}
}

static uint64_t read_count(int fd)
{
	uint64_t value;

	if (fd < 0 || read(fd, &value, sizeof(value)) != sizeof(value))
		return 0;
	return value;
}

static uint64_t read_run_delay(int fd)
{
	char text[96];
	char *rest;
	ssize_t n;

	n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return 0;
	text[n] = 0;
	(void)strtoull(text, &rest, 10); /* time on the CPU; the clock is finer */
	return strtoull(rest, NULL, 10);
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_usec * 1000U;
}

static void read_rusage(struct sys_reading *ret)
{
	struct rusage u;

	(void)getrusage(RUSAGE_THREAD, &u);
	ret->minor = (uint64_t)u.ru_minflt;
	ret->major = (uint64_t)u.ru_majflt;
	ret->user_ns = timeval_ns(u.ru_utime);
	ret->sys_ns = timeval_ns(u.ru_stime);
	ret->nvcsw = (uint64_t)u.ru_nvcsw;
	ret->nivcsw = (uint64_t)u.ru_nivcsw;
}

/* rusage scales its times to a run time that is up to a tick old; the CPU clock brings it up to date
 * (task_sched_runtime), so it is read before rusage, on both sides. */

void sys_counters_begin(const struct sys_counters *c, struct sys_reading *ret)
{
	ret->run_delay_ns = read_run_delay(c->fd_sched);
	ret->cpu_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	read_rusage(ret);
	ret->trap_kernel = read_count(c->fd_kernel);
	ret->trap_user = read_count(c->fd_user);
	ret->cpu_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void sys_counters_end(const struct sys_counters *c, struct sys_reading *ret)
{
	ret->cpu_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	ret->trap_user = read_count(c->fd_user);
	ret->trap_kernel = read_count(c->fd_kernel);
	read_rusage(ret);
	ret->run_delay_ns = read_run_delay(c->fd_sched);
}

struct sys_reading sys_counters_delta(const struct sys_reading *after,
				      const struct sys_reading *before)
{
	return (struct sys_reading){
		.minor = after->minor - before->minor,
		.major = after->major - before->major,
		.trap_user = after->trap_user - before->trap_user,
		.trap_kernel = after->trap_kernel - before->trap_kernel,
		.user_ns = after->user_ns - before->user_ns,
		.sys_ns = after->sys_ns - before->sys_ns,
		.cpu_ns = after->cpu_ns - before->cpu_ns,
		.run_delay_ns = after->run_delay_ns - before->run_delay_ns,
		.nvcsw = after->nvcsw - before->nvcsw,
		.nivcsw = after->nivcsw - before->nivcsw,
	};
}
