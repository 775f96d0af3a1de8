/* SPDX-License-Identifier: MIT */
/* The engine: a plan of trials, run in interleaved random blocks, becomes a document. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "src/bench/registry.h"
#include "src/bench/setting.h"
#include "src/model/bench.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct why;

enum {
	BENCH_DEFAULT_TRIALS = 5,
	BENCH_DEFAULT_ROUNDS = 5,
	BENCH_DEFAULT_BYTES = 64 << 20,
	BENCH_PAIR_BYTES = 16 << 20, /* the most by default where two sides are compared */
};

/* One row of the price list to be. Strings outlive the run. */
struct bench_request {
	const struct bench_registry_row *row;
	const char *article; /* "" */
	struct model_published published;
	uint64_t size_bytes; /* wished for by a suite; 0: the scenario's default */
	bool own_size;       /* the row is about this size: never another; skipped where it is above
				config.size_bytes */
};

struct bench_now {
	const char *doing; /* one line, for a person who waits */
	uint64_t elapsed_ns, budget_ns;
};

struct bench_config {
	const struct bench_registry_row *registry;
	const struct bench_request *requests;
	size_t n_requests;
	const char *floor; /* scenario every price is a multiple of; NULL: none */

	uint64_t size_bytes; /* given by the user: for all, and never cut; 0: not given */
	uint64_t n_rounds, n_trials;
	uint64_t budget_ns;
	double precision; /* half the interval, as a share of the price; 0: not asked for */
	uint64_t seed;
	int cpu; /* -1: the engine chooses */
	const char *dir;

	/*
	 * NULL, or one knob with two values: each request becomes two rows, one a side, whose trials run side
	 * by side in each block, and n_trials is the most pairs there will be. Its arms' state is the run's.
	 */
	struct bench_ab *ab;
	bool until_budget; /* n_trials is a bound and no wish: to end by the budget is no shortfall */

	/* Called about four times a second and after each trial; NULL: nobody watches. */
	void (*progress)(void *data, const struct model_bench *doc, const struct bench_now *now);
	void *progress_data;
};

/*
 * Fills doc (its scenarios and floor are made here, its head by the caller). SIGINT, SIGTERM, SIGHUP and
 * SIGQUIT end it early: what was done stays in doc, doc->interrupted is set, and *ret_signal says
 * which. Leaves no process and no file. 0, or a negative errno where nothing could be begun.
 */
int bench_run(const struct bench_config *config, struct model_bench *doc, int *ret_signal,
	      struct why *why);

/*
 * Signals that end a run are held back while one runs. A caller that has something to keep afterwards
 * holds them itself, around the run and the keeping, and asks in the end for one that came late. What
 * is ignored (nohup, a script's background) is never held back, and so stays ignored.
 */
void bench_signals_hold(sigset_t *ret_before);
int bench_signals_take(void); /* 0: none came */
void bench_signals_release(const sigset_t *before);

#endif
