/* SPDX-License-Identifier: MIT */
/* Bar: pagetoll's anon_write within 2 % of a bare loop, in interleaved pairs of processes. */
#include "src/model/bench.h"

#include "src/base/why.h"
#include "src/stats/stats.h"
#include "src/sys/cpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N_ROUNDS = 5, SIZE_MIB = 64, MAX_PAIRS = 1000 };

static const double bar = 0.02;

/* Both sides run in a process of their own, pinned to the same CPU, one after the other. */

static double run_pagetoll(const char *program, int cpu)
{
	struct model_bench *doc;
	char command[1024];
	struct why why;
	double price;
	FILE *in;

	(void)snprintf(command, sizeof(command),
		       "'%s' bench anon_write -s %dM -r %d -t 1 --cpu %d --no-save --json", program,
		       SIZE_MIB, N_ROUNDS, cpu);
	in = popen(command, "r");
	if (!in || model_bench_read(in, program, &doc, &why) < 0)
		return NAN;
	price = doc->scenarios[0].ns_per_page.median;
	model_bench_free(doc);
	return pclose(in) == 0 ? price : NAN;
}

static double run_bare(const char *program, int cpu)
{
	double rounds[N_ROUNDS];
	char command[1024];
	size_t n = 0;
	FILE *in;

	(void)snprintf(command, sizeof(command), "taskset -c %d '%s' %lu %d", cpu, program,
		       (unsigned long)SIZE_MIB << 20, N_ROUNDS);
	in = popen(command, "r");
	if (!in)
		return NAN;
	while (n < N_ROUNDS && fscanf(in, "%lf", &rounds[n]) == 1)
		n++;
	return pclose(in) == 0 ? stats_median(rounds, n) : NAN;
}

int main(int argc, char **argv)
{
	double ratios[MAX_PAIRS], ours[MAX_PAIRS], bare[MAX_PAIRS];
	size_t n_pairs = argc > 3 ? strtoul(argv[3], NULL, 10) : 30;
	uint64_t random = (uint64_t)time(NULL);
	int cpu = sys_cpu_default();
	struct stats_summary s;
	bool reached;

	if (argc < 3 || n_pairs < 6 || n_pairs > MAX_PAIRS)
		return fprintf(stderr, "usage: bench_bias PAGETOLL BARE [PAIRS]\n"), 2;
	for (size_t i = 0; i < n_pairs; i++) {
		bool ours_first = stats_random(&random) & 1;

		if (ours_first)
			ours[i] = run_pagetoll(argv[1], cpu);
		bare[i] = run_bare(argv[2], cpu);
		if (!ours_first)
			ours[i] = run_pagetoll(argv[1], cpu);
		ratios[i] = ours[i] / bare[i];
		if (isnan(ratios[i]))
			return fprintf(stderr, "bench_bias: a run failed\n"), 5;
	}
	s = stats_summarize(ratios, n_pairs);
	reached = fabs(s.median - 1) <= bar && s.interval.lo >= 1 - bar && s.interval.hi <= 1 + bar;
	printf("anon_write: pagetoll %.0f, bare loop %.0f ns/page (medians of %zu pairs, %d MiB)\n",
	       stats_median(ours, n_pairs), stats_median(bare, n_pairs), n_pairs, SIZE_MIB);
	printf("ratio %.4f [%.4f, %.4f] (95 %%); bar: within %.0f %%: %s\n", s.median,
	       s.interval.lo, s.interval.hi, 100 * bar, reached ? "reached" : "NOT REACHED");
	return reached ? 0 : 1;
}
