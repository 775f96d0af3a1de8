/* SPDX-License-Identifier: MIT */
/* Bar: the engine's anon_write within 2 % of a bare loop, in interleaved pairs of processes. */
#include "src/bench/trial.h"
#include "src/settings/registry.h"
#include "src/sys/cpu.h"
#include "tests/bias/pairs.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_MIB = 64, MAX_PAIRS = 10000, DEFAULT_PAIRS = 300 };

static const double bar = 0.02;

static int compare(const char *bare, size_t n_pairs)
{
	static double ratios[MAX_PAIRS], ours[MAX_PAIRS], theirs[MAX_PAIRS];
	uint64_t size_bytes = (uint64_t)SIZE_MIB << 20;
	int cpu = sys_cpu_default();
	struct stats_summary s;
	char command[1024];
	bool reached;

	(void)snprintf(command, sizeof(command), "exec taskset -c %d '%s' %llu 1", cpu, bare,
		       (unsigned long long)size_bytes);
	if (!pairs_run("anon_write", size_bytes, command, cpu, n_pairs, ours, theirs, ratios))
		return 5;
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
		return bench_trial_main(scenario_registry, setting_registry);
	if (argc < 2 || n_pairs < 6 || n_pairs > MAX_PAIRS)
		return fprintf(stderr, "usage: bench_bias BARE [PAIRS]\n"), 2;
	return compare(argv[1], n_pairs);
}
