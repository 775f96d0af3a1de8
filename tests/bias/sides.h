/* SPDX-License-Identifier: MIT */
/* What the programs about verdicts share: a run with two sides, a neighbour that is busy, how much is asked. */
#ifndef BIAS_SIDES_H
#define BIAS_SIDES_H

#include "src/base/text.h"
#include "src/base/why.h"
#include "src/bench/bench.h"
#include "src/model/ab.h"
#include "src/sys/cpu.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A number from the environment: RUNS=10 make bench-power has a quick look. */
static inline uint64_t sides_asked(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* Keeps another CPU than the measured one busy until stopped; 0 where there is none. */
static inline pid_t sides_load_start(int cpu_measured)
{
	int cpu = 0;
	pid_t pid;

	while (cpu < 1024 && (cpu == cpu_measured || !sys_cpu_is_allowed(cpu)))
		cpu++;
	if (cpu == 1024)
		return 0;
	pid = fork();
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)sys_cpu_pin(cpu, NULL);
		for (;;) {
			/* as compilers and databases are: memory, too */
			static volatile char busy[8 << 20];

			for (size_t i = 0; i < sizeof(busy); i += 64)
				busy[i]++;
		}
	}
	return pid > 0 ? pid : 0;
}

static inline void sides_load_stop(pid_t pid)
{
	if (pid <= 0)
		return;
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

/* One run as `bench SCENARIO --ab` makes it. False where it failed, with a sentence on standard error. */
static inline bool sides_run(const struct bench_registry_row *registry, const char *scenario,
			     struct bench_ab *ab, uint64_t seconds,
			     struct model_compare_row *ret_row)
{
	struct bench_request request = {
		.row = bench_registry_find(registry, scenario),
		.article = "",
		.published = {NAN, NAN, NAN, NAN},
	};
	struct bench_config config = {
		.registry = registry,
		.requests = &request,
		.n_requests = 1,
		.n_rounds = 1,
		.n_trials = MODEL_MAX_TRIALS,
		.budget_ns = seconds * 1000000000U,
		.seed = (uint64_t)time(NULL),
		.cpu = -1,
		.dir = ".",
		.ab = ab,
		.until_budget = true,
	};
	struct model_bench *doc = model_bench_new();
	struct why why = {.text = "it was interrupted"};
	int signal = 0;
	bool done;

	done = doc && bench_run(&config, doc, &signal, &why) == 0 && !signal &&
	       model_ab_row(doc, 0, ret_row);
	if (!done)
		(void)fprintf(stderr, "%s: %s\n", scenario, why.text);
	model_bench_free(doc);
	return done;
}

#endif
