/* SPDX-License-Identifier: MIT */
/* Pressure stall information: how long tasks of this machine have waited for what is short. */
#ifndef SYS_PRESSURE_H
#define SYS_PRESSURE_H

#include <stdint.h>

struct why;

enum sys_pressure_kind {
	SYS_PRESSURE_CPU,
	SYS_PRESSURE_MEMORY,
	SYS_PRESSURE_IO,
	SYS_N_PRESSURES,
};

enum { SYS_PRESSURE_UNKNOWN = -1 };

/* Descriptors of /proc/pressure, kept open as rounds are short; -1 where the kernel has none. */
struct sys_pressure {
	int fd[SYS_N_PRESSURES];
};

/* Time since boot in which at least one task waited ("some"); SYS_PRESSURE_UNKNOWN. */
struct sys_pressure_reading {
	int64_t some_ns[SYS_N_PRESSURES];
};

/* Never fails: what cannot be had is unknown. One reading is made, so that the next faults on nothing. */
void sys_pressure_open(struct sys_pressure *p);
void sys_pressure_close(struct sys_pressure *p);

/* The kernel brings the totals up to date at each read. */
void sys_pressure_read(const struct sys_pressure *p, struct sys_pressure_reading *ret);

/* after - before; unknown where one of them is. */
struct sys_pressure_reading sys_pressure_delta(const struct sys_pressure_reading *after,
					       const struct sys_pressure_reading *before);

/* The total of the "some" line of such a file in nanoseconds, or SYS_PRESSURE_UNKNOWN. */
int64_t sys_pressure_parse(const char *text);

/* 0: all three can be read; 1 with a sentence that says what was found. */
int sys_pressure_ask(struct why *why);

#endif
