/* SPDX-License-Identifier: MIT */
/* A trial: a fresh process that runs rounds of one scenario, and the memory it shares with us. */
#ifndef BENCH_TRIAL_H
#define BENCH_TRIAL_H

#include "src/base/why.h"
#include "src/bench/registry.h"
#include "src/bench/setting.h"
#include "src/model/bench.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	BENCH_TRIAL_MAGIC = 0x70743137,
	BENCH_TRIAL_FD_SHARED = 3, /* in the trial's process */
	BENCH_TRIAL_FD_FILE = 4,
	BENCH_MAX_ROUNDS = MODEL_MAX_TRIAL_ROUNDS,
};

/* The first argument that makes pagetoll a trial; not for people. */
#define BENCH_TRIAL_COMMAND "__trial"

/*
 * Filled by the parent up to "out"; the trial writes below it. rounds[i] is whole once n_done > i,
 * so that a trial killed at any moment leaves what it had finished.
 */
struct bench_shared {
	uint32_t magic;
	int32_t parent;
	char scenario[64];
	uint64_t n_pages;
	uint32_t n_rounds;
	uint32_t trial, block;
	int32_t cpu;
	uint64_t run_started_ns;          /* CLOCK_MONOTONIC */
	uint64_t until_ns;                /* no round begins later, save the first */
	uint32_t pages;                   /* enum bench_pages */
	uint32_t count_traps;             /* with a second pass */
	char setting[BENCH_SETTING_TEXT]; /* ""; else its arm is set */
	struct bench_arm arm;
	/* out */
	_Atomic uint32_t n_done;
	_Atomic uint32_t ended; /* the status below is whole */
	uint32_t status;        /* enum model_status */
	char reason[sizeof(((struct why *)0)->text)];
	struct model_round rounds[BENCH_MAX_ROUNDS];
};

/* main() of a trial process; the exit status. */
int bench_trial_main(const struct bench_registry_row *registry,
		     const struct bench_setting_row *settings);

/* --- the parent's side ------------------------------------------------------------------------- */

struct bench_child {
	pid_t pid; /* 0: none */
	int fd_shared;
	struct bench_shared *shared;
};

/* Maps the shared memory, once a run. 0 or negative errno. */
int bench_child_init(struct bench_child *child, struct why *why);
void bench_child_fini(struct bench_child *child);

/*
 * Closes fd and returns a duplicate above the fixed numbers, or a negative errno. What a trial is to
 * get must be numbered there: installing one fixed number must not close the source of the next.
 */
int bench_child_move_fd(int fd);

/*
 * Starts a trial as described in child->shared. fd_file: -1, or the data file. assignment: "NAME=value" for its
 * environment, or "NAME": taken out of it; "": as ours.
 */
int bench_child_start(struct bench_child *child, int fd_file, const char *assignment,
		      struct why *why);

/* Kills it where it still runs, and reaps it. Returns the wait status. */
int bench_child_stop(struct bench_child *child);

#endif
