/* SPDX-License-Identifier: MIT */
/* Bar: the chase scenarios within 10 % of a hand-written chase, in interleaved pairs of processes. */
#include "src/bench/bench.h"

#include "src/base/array.h"
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

enum { MAX_PAIRS = 1000, DEFAULT_PAIRS = 15 };

static const double bar = 0.10;

struct comparison {
	const char *scenario;
	const char *bare_pages; /* the bare program's word for the page kind */
	uint64_t size_bytes;
};

static const struct comparison comparisons[] = {
	{"chase_base", "base", 4ULL << 20},   {"chase_thp", "thp", 4ULL << 20},
	{"chase_base", "base", 64ULL << 20},  {"chase_thp", "thp", 64ULL << 20},
	{"chase_base", "base", 512ULL << 20}, {"chase_thp", "thp", 512ULL << 20},
};

static double run_engine(const struct comparison *c, int cpu)
{
	struct bench_request request = {
		.row = bench_registry_find(scenario_registry, c->scenario),
		.article = "",
		.published = {NAN, NAN, NAN, NAN},
	};
	struct bench_config config = {
		.registry = scenario_registry,
		.requests = &request,
		.n_requests = 1,
		.size_bytes = c->size_bytes,
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
		price = doc->scenarios[0].ns_per_access.median;
	model_bench_free(doc);
	return price;
}

static double run_bare(const char *program, const struct comparison *c, int cpu)
{
	const struct bench_registry_row *row = bench_registry_find(scenario_registry, c->scenario);
	char command[1024];
	double price = NAN;
	FILE *in;

	(void)snprintf(command, sizeof(command), "exec taskset -c %d '%s' %llu %llu %s", cpu,
		       program, (unsigned long long)c->size_bytes,
		       (unsigned long long)row->scenario->n_accesses, c->bare_pages);
	in = popen(command, "r");
	if (!in || fscanf(in, "%lf", &price) != 1)
		price = NAN;
	return in && pclose(in) == 0 ? price : NAN;
}

/* 0 reached, 1 not, 5 a run failed. */
static int compare(const struct comparison *c, const char *bare, size_t n_pairs)
{
	static double ratios[MAX_PAIRS], ours[MAX_PAIRS], theirs[MAX_PAIRS];
	uint64_t random = (uint64_t)time(NULL);
	int cpu = sys_cpu_default();
	struct stats_summary s;
	bool reached;

	for (size_t i = 0; i < n_pairs; i++) {
		bool ours_first = stats_random(&random) & 1;

		if (ours_first)
			ours[i] = run_engine(c, cpu);
		theirs[i] = run_bare(bare, c, cpu);
		if (!ours_first)
			ours[i] = run_engine(c, cpu);
		ratios[i] = ours[i] / theirs[i];
		if (isnan(ratios[i]))
			return fprintf(stderr, "bench_chase: a run failed\n"), 5;
	}
	s = stats_summarize(ratios, n_pairs);
	reached = fabs(s.median - 1) <= bar;
	printf("%-10s %4llu MiB: pagetoll %6.2f, hand-written %6.2f ns/access; ratio %.3f "
	       "[%.3f, %.3f] (%zu pairs): %s\n",
	       c->scenario, (unsigned long long)c->size_bytes >> 20, stats_median(ours, n_pairs),
	       stats_median(theirs, n_pairs), s.median, s.interval.lo, s.interval.hi, n_pairs,
	       reached ? "reached" : "NOT REACHED");
	(void)fflush(stdout);
	return reached ? 0 : 1;
}

int main(int argc, char **argv)
{
	size_t n_pairs = argc > 2 ? strtoul(argv[2], NULL, 10) : DEFAULT_PAIRS;
	int worst = 0;

	if (argc > 1 && strcmp(argv[1], BENCH_TRIAL_COMMAND) == 0)
		return bench_trial_main(scenario_registry);
	if (argc < 2 || n_pairs < 6 || n_pairs > MAX_PAIRS)
		return fprintf(stderr, "usage: bench_chase BARE [PAIRS]\n"), 2;
	for (size_t i = 0; i < ARRAY_LEN(comparisons); i++) {
		int r = compare(&comparisons[i], argv[1], n_pairs);

		worst = r > worst ? r : worst;
	}
	printf("bar: each within %.0f %%: %s\n", 100 * bar, worst ? "NOT REACHED" : "reached");
	return worst;
}
