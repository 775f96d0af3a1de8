/* SPDX-License-Identifier: MIT */
/* Pressure stall information: how long tasks of this machine have waited for what is short. */
#include "src/sys/pressure.h"

#include "src/base/why.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the whole machine, inside containers, too: who disturbs us need not be in our cgroup. */
static const char *const paths[SYS_N_PRESSURES] = {
	[SYS_PRESSURE_CPU] = "/proc/pressure/cpu",
	[SYS_PRESSURE_MEMORY] = "/proc/pressure/memory",
	[SYS_PRESSURE_IO] = "/proc/pressure/io",
};

void sys_pressure_open(struct sys_pressure *p)
{
	struct sys_pressure_reading dry;

	for (int i = 0; i < SYS_N_PRESSURES; i++)
		p->fd[i] = open(paths[i], O_RDONLY | O_CLOEXEC);
	sys_pressure_read(p, &dry);
}

void sys_pressure_close(struct sys_pressure *p)
{
	for (int i = 0; i < SYS_N_PRESSURES; i++) {
		if (p->fd[i] >= 0)
			(void)close(p->fd[i]);
		p->fd[i] = -1;
	}
}

int64_t sys_pressure_parse(const char *text)
{
	static const char key[] = " total=";
	const char *end = text + strcspn(text, "\n");
	const char *total = strstr(text, key);
	uint64_t us;

	if (strncmp(text, "some ", 5) != 0 || !total || total > end)
		return SYS_PRESSURE_UNKNOWN;
	total += strlen(key);
	if (!isdigit((unsigned char)*total))
		return SYS_PRESSURE_UNKNOWN;
	us = strtoull(total, NULL, 10);
	return us <= INT64_MAX / 1000 ? (int64_t)us * 1000 : SYS_PRESSURE_UNKNOWN;
}

static int64_t read_some(int fd)
{
	char text[256];
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return SYS_PRESSURE_UNKNOWN;
	text[n] = 0;
	return sys_pressure_parse(text);
}

void sys_pressure_read(const struct sys_pressure *p, struct sys_pressure_reading *ret)
{
	for (int i = 0; i < SYS_N_PRESSURES; i++)
		ret->some_ns[i] = read_some(p->fd[i]);
}

struct sys_pressure_reading sys_pressure_delta(const struct sys_pressure_reading *after,
					       const struct sys_pressure_reading *before)
{
	struct sys_pressure_reading delta;

	for (int i = 0; i < SYS_N_PRESSURES; i++) {
		int64_t a = after->some_ns[i], b = before->some_ns[i];

		delta.some_ns[i] = a >= 0 && b >= 0 && a >= b ? a - b : SYS_PRESSURE_UNKNOWN;
	}
	return delta;
}

int sys_pressure_ask(struct why *why)
{
	int r = 0;

	for (int i = 0; i < SYS_N_PRESSURES && r == 0; i++) {
		int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
		int e = fd < 0 ? errno : 0;

		if (e == EMFILE || e == ENFILE)
			r = why_errno(why, -e, "cannot open %s", paths[i]);
		else if (e == EOPNOTSUPP)
			r = why_set(why, 1, "cannot read %s: switched off; boot with psi=1",
				    paths[i]);
		else if (e)
			r = why_set(why, 1,
				    "cannot read %s (%s): mount /proc, or use a kernel with "
				    "CONFIG_PSI, booted with psi=1",
				    paths[i], strerror(e));
		else if (read_some(fd) == SYS_PRESSURE_UNKNOWN)
			r = why_set(why, 1, "cannot read %s: it has no total of \"some\"",
				    paths[i]);
		if (fd >= 0)
			(void)close(fd);
	}
	return r;
}
