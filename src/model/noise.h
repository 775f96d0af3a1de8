/* SPDX-License-Identifier: MIT */
/* Noise: what disturbed a run, as measured, and what is said of it. */
#ifndef MODEL_NOISE_H
#define MODEL_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model_bench;
struct model_scenario;

enum { MODEL_MAX_NOISE = 10000 };

/* What the machine did while one block ran. What nothing tells is MODEL_NOT_COUNTED. */
struct model_noise {
	uint32_t block;
	uint64_t started_ns; /* since the run began */
	uint64_t elapsed_ns;
	uint64_t steal_ns;     /* of the trials' CPU */
	uint64_t steal_all_ns; /* of all CPUs allowed to us together */
	int64_t psi_cpu_ns, psi_memory_ns, psi_io_ns;

	/* derived from the rounds of the block */
	int64_t calibration_ns; /* median */
	uint64_t nivcsw;
};

/* Shares of the time of all blocks; NaN: not known. Derived. */
struct model_noise_summary {
	double steal_share; /* of the trials' CPU */
	double psi_cpu_share, psi_memory_share, psi_io_share;
	double calibration_ns;     /* the usual one */
	double calibration_spread; /* half of what the middle four fifths of the rounds span */
	double worst_block_excess; /* by which the slowest block's median is above the usual */
};

/* Appends the next block. Once there are MODEL_MAX_NOISE, the last one stands for the rest of the run.
 * 0 or -ENOMEM. */
int model_noise_add(struct model_bench *doc, const struct model_noise *noise);

/* Fills the summary, what is derived of the blocks, and each scenario's usual calibration. */
void model_noise_derive(struct model_bench *doc);

/* A round is marked for noise, or a block's CPU was slow. */
bool model_noise_is_seen(const struct model_bench *doc);

/* Gives each round its derived marks. */
void model_noise_mark(struct model_scenario *s);

/* A warning for each cause that more than a fifth of the rounds met, which makes the scenario noisy. */
void model_noise_warn(struct model_scenario *s);

#endif
