/* SPDX-License-Identifier: MIT */
/* How fast the CPU is at this moment: a loop that does the same each time, timed. */
#ifndef BENCH_CALIBRATE_H
#define BENCH_CALIBRATE_H

#include <stdint.h>

/* About 200 us at 3 GHz: long beside a read of the clock, and short enough, twice a round, that warm
 * memory stays warm. A multiple of CALIBRATE_PARTS. */
enum { CALIBRATE_STEPS = 150000, CALIBRATE_PARTS = 4 };

/*
 * What n_steps steps of pure arithmetic, each of which needs the one before, take of CPU time. No
 * memory is touched. CPU time, since the scheduler's counts tell whether another task had the CPU;
 * this is for what they cannot tell: a lower clock, a busy sibling thread, another guest. It is the
 * fastest of four parts, times four: a timer's interrupt in one of them is no slow CPU, and made one
 * reading in ten look 5 % slow and more (AMD Zen 4, in a VM); the fastest part did so in one of 100.
 */
uint64_t calibrate_ns(uint32_t n_steps);

/* What n_steps steps make of seed. */
uint64_t calibrate_steps(uint64_t seed, uint32_t n_steps);

#endif
