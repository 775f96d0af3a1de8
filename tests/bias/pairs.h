/* SPDX-License-Identifier: MIT */
/* One pass by the engine, and one by a bare program, each in a process of its own on the same CPU. */
#ifndef BIAS_PAIRS_H
#define BIAS_PAIRS_H

#include "src/base/why.h"
#include "src/bench/bench.h"
#include "src/scenarios/registry.h"
#include "src/stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* What the engine's one trial of one round costs, by model_price(); NaN where it failed. */
static inline double pairs_engine(const char *scenario, uint64_t size_bytes, int cpu)
{
	struct bench_request request = {
		.row = bench_registry_find(scenario_registry, scenario),
		.article = "",
		.published = {NAN, NAN, NAN, NAN},
	};
	struct bench_config config = {
		.registry = scenario_registry,
		.requests = &request,
		.n_requests = 1,
		.size_bytes = size_bytes,
		.n_rounds = 1,
		.n_trials = 1,
		.budget_ns = 60000000000U,
		.cpu = cpu,
		.dir = ".",
	};
	struct model_bench *doc = model_bench_new();
	struct why why = {.text = ""};
	int signal = 0;
	double price = NAN;

	if (doc && bench_run(&config, doc, &signal, &why) == 0 && !signal)
		price = model_price(&doc->scenarios[0])->median;
	model_bench_free(doc);
	return price;
}

/* The number that a shell command prints; NaN where it failed. */
static inline double pairs_bare(const char *command)
{
	double price = NAN;
	FILE *in;

	in = popen(command, "r");
	if (!in || fscanf(in, "%lf", &price) != 1)
		price = NAN;
	return in && pclose(in) == 0 ? price : NAN;
}

/*
 * Ratios of the two, n_pairs of them in random order, a tenth of a second apart: what neighbours on the host
 * do lasts longer, and drops out. Each array has room for n_pairs. False where a run failed.
 */
static inline bool pairs_run(const char *scenario, uint64_t size_bytes, const char *command,
			     int cpu, size_t n_pairs, double *ret_ours, double *ret_theirs,
			     double *ret_ratios)
{
	uint64_t random = (uint64_t)time(NULL);

	for (size_t i = 0; i < n_pairs; i++) {
		bool ours_first = stats_random(&random) & 1;

		if (ours_first)
			ret_ours[i] = pairs_engine(scenario, size_bytes, cpu);
		ret_theirs[i] = pairs_bare(command);
		if (!ours_first)
			ret_ours[i] = pairs_engine(scenario, size_bytes, cpu);
		ret_ratios[i] = ret_ours[i] / ret_theirs[i];
		if (isnan(ret_ratios[i]))
			return fprintf(stderr, "%s: a run failed\n", scenario) < 0;
	}
	return true;
}

#endif
