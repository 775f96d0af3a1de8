/* SPDX-License-Identifier: MIT */
/* What the machine did between two blocks, looked at by the engine. */
#include "src/bench/noise.h"

#include "src/sys/clock.h"

static void look(struct bench_noise *noise)
{
	noise->at_ns = sys_now_ns();
	sys_cpu_steal(noise->cpu, &noise->stolen);
	sys_pressure_read(&noise->pressure, &noise->waited);
}

void bench_noise_open(struct bench_noise *noise, int cpu)
{
	noise->cpu = cpu;
	sys_pressure_open(&noise->pressure);
	look(noise);
}

void bench_noise_close(struct bench_noise *noise)
{
	sys_pressure_close(&noise->pressure);
}

/* No calibration here: the engine is on no CPU in particular, and it is the trials' that counts. */
void bench_noise_end_block(struct bench_noise *noise, uint32_t block, uint64_t run_started_ns,
			   struct model_bench *doc)
{
	struct bench_noise before = *noise;
	struct sys_pressure_reading waited;
	struct model_noise entry;

	look(noise);
	waited = sys_pressure_delta(&noise->waited, &before.waited);
	entry = (struct model_noise){
		.block = block,
		.started_ns = before.at_ns - run_started_ns,
		.elapsed_ns = noise->at_ns - before.at_ns,
		.steal_ns = noise->stolen.cpu_ns - before.stolen.cpu_ns,
		.steal_all_ns = noise->stolen.allowed_ns - before.stolen.allowed_ns,
		.psi_cpu_ns = waited.some_ns[SYS_PRESSURE_CPU],
		.psi_memory_ns = waited.some_ns[SYS_PRESSURE_MEMORY],
		.psi_io_ns = waited.some_ns[SYS_PRESSURE_IO],
	};
	if (model_noise_add(doc, &entry) < 0)
		model_warn(doc->warnings, &doc->n_warnings, "noise-lost",
			   "no memory to keep the noise of block %u", block);
}
