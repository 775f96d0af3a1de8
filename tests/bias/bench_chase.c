/* SPDX-License-Identifier: MIT */
/* Bar: the chase scenarios within 10 % of a hand-written chase, in interleaved pairs of processes. */
#include "src/base/array.h"
#include "src/bench/scenario.h"
#include "src/bench/trial.h"
#include "src/settings/registry.h"
#include "src/sys/cpu.h"
#include "tests/bias/pairs.h"

#include <stdlib.h>
#include <string.h>

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

/* 0 reached, 1 not, 5 a run failed. */
static int compare(const struct comparison *c, const char *bare, size_t n_pairs)
{
	static double ratios[MAX_PAIRS], ours[MAX_PAIRS], theirs[MAX_PAIRS];
	const struct bench_registry_row *row = bench_registry_find(scenario_registry, c->scenario);
	int cpu = sys_cpu_default();
	struct stats_summary s;
	char command[1024];
	bool reached;

	(void)snprintf(command, sizeof(command), "exec taskset -c %d '%s' %llu %llu %s", cpu, bare,
		       (unsigned long long)c->size_bytes,
		       (unsigned long long)row->scenario->n_accesses, c->bare_pages);
	if (!pairs_run(c->scenario, c->size_bytes, command, cpu, n_pairs, ours, theirs, ratios))
		return 5;
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
		return bench_trial_main(scenario_registry, setting_registry);
	if (argc < 2 || n_pairs < 6 || n_pairs > MAX_PAIRS)
		return fprintf(stderr, "usage: bench_chase BARE [PAIRS]\n"), 2;
	for (size_t i = 0; i < ARRAY_LEN(comparisons); i++) {
		int r = compare(&comparisons[i], argv[1], n_pairs);

		worst = r > worst ? r : worst;
	}
	printf("bar: each within %.0f %%: %s\n", 100 * bar, worst ? "NOT REACHED" : "reached");
	return worst;
}
