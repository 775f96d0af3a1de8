/* SPDX-License-Identifier: MIT */
/* The processor's own counters of the calling thread, where there are any: most VMs have none. */
#ifndef SYS_PMU_H
#define SYS_PMU_H

#include <stdint.h>

struct why;

enum sys_pmu_event { SYS_PMU_CYCLES, SYS_PMU_INSTRUCTIONS, SYS_PMU_DTLB_LOAD_MISSES, SYS_PMU_N };

enum { SYS_PMU_NOT_COUNTED = -1 };

/*
 * Cycles and instructions are of user and kernel mode together, or not counted at all: a fault is kernel
 * work. dTLB load misses are of user mode. Each event is counted or SYS_PMU_NOT_COUNTED by itself.
 */
struct sys_pmu {
	int fd[SYS_PMU_N]; /* -1 where refused */
};

/* Opens what there is, stopped; never fails. */
void sys_pmu_open(struct sys_pmu *pmu);
void sys_pmu_close(struct sys_pmu *pmu);

/* Counts from begin to end. Where events had to share a counter their counts are scaled to the whole
 * time; one that never had a counter is SYS_PMU_NOT_COUNTED. */
void sys_pmu_begin(const struct sys_pmu *pmu);
void sys_pmu_end(const struct sys_pmu *pmu, int64_t ret_counts[SYS_PMU_N]);

/* 0 where cycles and instructions can be counted; else 1 with a sentence, "not counted: ...". */
int sys_pmu_ask(struct why *why);

#endif
