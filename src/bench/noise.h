/* SPDX-License-Identifier: MIT */
/* What the machine did between two blocks, looked at by the engine. */
#ifndef BENCH_NOISE_H
#define BENCH_NOISE_H

#include "src/model/bench.h"
#include "src/sys/cpu.h"
#include "src/sys/pressure.h"

#include <stdint.h>

/* The last look; the next one ends a block and begins another. */
struct bench_noise {
	struct sys_pressure pressure;
	int cpu; /* of the trials */
	uint64_t at_ns;
	struct sys_steal stolen;
	struct sys_pressure_reading waited;
};

void bench_noise_open(struct bench_noise *noise, int cpu);
void bench_noise_close(struct bench_noise *noise);

/* Keeps in doc what has happened since the last look. */
void bench_noise_end_block(struct bench_noise *noise, uint32_t block, uint64_t run_started_ns,
			   struct model_bench *doc);

#endif
