/* SPDX-License-Identifier: MIT */
/* Three views of the faults of the calling thread: rusage, perf's traps, and the clocks. */
#ifndef SYS_COUNTERS_H
#define SYS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * rusage counts traps and pages populated inside system calls; perf's PAGE_FAULTS software event
 * counts traps alone, of user and kernel mode apart. Their difference is what was populated.
 */
struct sys_counters {
	int fd_user;   /* perf, user mode; -1 where refused */
	int fd_kernel; /* perf, kernel mode; -1 where refused */
	int fd_sched;  /* /proc/thread-self/schedstat; -1 where the kernel has none */
	int errno_user, errno_kernel;
};

struct sys_reading {
	uint64_t minor, major;           /* ru_minflt, ru_majflt */
	uint64_t trap_user, trap_kernel; /* 0 where not counted */
	uint64_t user_ns, sys_ns;        /* rusage: split by the timer tick */
	uint64_t cpu_ns;                 /* CLOCK_THREAD_CPUTIME_ID, exact */
	uint64_t run_delay_ns;           /* runnable, but waiting for a CPU */
	uint64_t nvcsw, nivcsw;          /* context switches, voluntary and not */
};

/*
 * Opens what is allowed; never fails: what is refused is -1 with its errno kept. Counting traps makes
 * each fault of every process dearer while the events are open, by 4 % of a first write (60 ns of
 * 1,600 where it was tried), so what is timed must run without: with_traps false.
 */
void sys_counters_open(struct sys_counters *c, bool with_traps);
void sys_counters_close(struct sys_counters *c);

/*
 * Read all before and after a section; about 2 us each, of which the section's own CPU time sees
 * none: the CPU clock is the last thing that begin reads, and the first that end does. They fault on
 * nothing that an earlier call touched.
 */
void sys_counters_begin(const struct sys_counters *c, struct sys_reading *ret);
void sys_counters_end(const struct sys_counters *c, struct sys_reading *ret);

/* after - before, field by field. */
struct sys_reading sys_counters_delta(const struct sys_reading *after,
				      const struct sys_reading *before);

#endif
