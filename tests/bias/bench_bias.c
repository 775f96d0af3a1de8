/* SPDX-License-Identifier: MIT */
/* Bar: the engine's anon_write within 2 % of a bare loop, in interleaved pairs of processes. */
#include "src/bench/bench.h"

#include "src/base/why.h"
#include "src/bench/scenario.h"
#include "src/bench/trial.h"
#include "src/scenarios/registry.h"
#include "src/stats/stats.h"
#include "src/sys/cpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE_MIB = 64, MAX_PAIRS = 10000, DEFAULT_PAIRS = 300 };

static const double bar = 0.02;

/*
 * Both sides are one process with one timed pass, pinned to the same CPU, a tenth of a second apart:
 * what neighbours on the host do lasts longer, and drops out of the ratio.
 */

static double run_engine(int cpu)
{
	struct bench_request request = {
		.row = bench_registry_find(scenario_registry, "anon_write"),
		.article = "",
		.published = {NAN, NAN, NAN, NAN},
	};
	struct bench_config config = {
		.registry = scenario_registry,
		.requests = &request,
		.n_requests = 1,
		.size_bytes = (uint64_t)SIZE_MIB << 20,
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
		price = doc->scenarios[0].ns_per_page.median;
	model_bench_free(doc);
	return price;
}

static double run_bare(const char *program, int cpu)
{
	char command[1024];
	double price = NAN;
	FILE *in;

	(void)snprintf(command, sizeof(command), "exec taskset -c %d '%s' %lu 1", cpu, program,
		       (unsigned long)SIZE_MIB << 20);
	in = popen(command, "r");
	if (!in || fscanf(in, "%lf", &price) != 1)
		price = NAN;
	return in && pclose(in) == 0 ? price : NAN;
}

static int run_pairs(const char *bare, size_t n_pairs)
{
	static double ratios[MAX_PAIRS], ours[MAX_PAIRS], theirs[MAX_PAIRS];
	uint64_t random = (uint64_t)time(NULL);
	int cpu = sys_cpu_default();
	struct stats_summary s;
	bool reached;

	for (size_t i = 0; i < n_pairs; i++) {
		bool ours_first = stats_random(&random) & 1;

		if (ours_first)
			ours[i] = run_engine(cpu);
		theirs[i] = run_bare(bare, cpu);
		if (!ours_first)
			ours[i] = run_engine(cpu);
		ratios[i] = ours[i] / theirs[i];
		if (isnan(ratios[i]))
			return fprintf(stderr, "bench_bias: a run failed\n"), 5;
	}
	s = stats_summarize(ratios, n_pairs);
	reached = s.interval.lo >= 1 - bar && s.interval.hi <= 1 + bar;
	printf("anon_write: engine %.0f, bare loop %.0f ns/page (medians of %zu pairs, %d MiB)\n",
	       stats_median(ours, n_pairs), stats_median(theirs, n_pairs), n_pairs, SIZE_MIB);
	printf("ratio %.4f [%.4f, %.4f] (95 %%); bar: within %.0f %%: %s\n", s.median,
	       s.interval.lo, s.interval.hi, 100 * bar, reached ? "reached" : "NOT REACHED");
	return reached ? 0 : 1;
}

int main(int argc, char **argv)
{
	size_t n_pairs = argc > 2 ? strtoul(argv[2], NULL, 10) : DEFAULT_PAIRS;

	if (argc > 1 && strcmp(argv[1], BENCH_TRIAL_COMMAND) == 0)
		return bench_trial_main(scenario_registry);
	if (argc < 2 || n_pairs < 6 || n_pairs > MAX_PAIRS)
		return fprintf(stderr, "usage: bench_bias BARE [PAIRS]\n"), 2;
	return run_pairs(argv[1], n_pairs);
}
