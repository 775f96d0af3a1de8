/* SPDX-License-Identifier: MIT */
/* Which CPUs this process may use, and pinning to one. */
#ifndef SYS_CPU_H
#define SYS_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct why;

/* The allowed CPUs as "0-3,8". Number of CPUs, or negative errno. */
int sys_cpu_allowed(char *ret_list, size_t size);
bool sys_cpu_is_allowed(int cpu);

/* The allowed CPU of the highest number: the others are left to the rest of the system, and
 * interrupts mostly go to CPU 0. Negative errno on failure. */
int sys_cpu_default(void);

/* Pins the calling thread. 0 or negative errno with a sentence. */
int sys_cpu_pin(int cpu, struct why *why);

/* Time stolen by the hypervisor from one CPU since boot, in nanoseconds at the resolution of
 * USER_HZ; 0 where the kernel does not say. */
uint64_t sys_cpu_steal_ns(int cpu);

struct sys_steal {
	uint64_t cpu_ns;     /* the same of that CPU, */
	uint64_t allowed_ns; /* and of all allowed CPUs together */
};

/* Both in one look. */
void sys_cpu_steal(int cpu, struct sys_steal *ret);

#endif
