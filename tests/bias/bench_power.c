/* SPDX-License-Identifier: MIT */
/* How often a slowdown of a known size is found by a run with two sides: make bench-power. */
#include "src/bench/trial.h"
#include "src/sys/clock.h"
#include "tests/bias/sides.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* --- a scenario that costs more by a spin of so many turns -------------------------------------------- */

static uint64_t n_turns;

static __attribute__((noinline)) void spin(uint64_t turns)
{
	uint64_t x = turns;

	for (uint64_t i = 0; i < turns; i++) {
		x = x * 3 + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

static int write_and_spin(struct bench_trial *trial)
{
	int r = bench_touch_write(trial);

	spin(n_turns);
	return r;
}

static const struct bench_scenario anon_write_spun = {
	.title = "anonymous page, first write, and a spin",
	.question = "Is what is made slower found slower?",
	.needs = NEEDS(&need_base_pages),
	.minor_per_page = {1.0, 1.01},
	.major_per_page = {0.0, 0.0},
	.prepare = bench_map_anon,
	.measure = write_and_spin,
	.cleanup = bench_unmap,
};

static const struct bench_registry_row registry[] = {{"anon_write_spun", &anon_write_spun}, {0}};

static int spin_in_trial(struct bench_trial *trial, const struct bench_arm *arm)
{
	(void)trial;
	n_turns = strtoull(arm->value, NULL, 10);
	return 0;
}

static const struct bench_setting spin_setting = {
	.title = "turns of a loop behind each pass",
	.values = "two numbers",
	.in_trial = spin_in_trial,
};
static const struct bench_setting_row settings[] = {{"spin", &spin_setting}, {0}};

/* --- how many turns are one percent ------------------------------------------------------------------- */

/* The least of many: what the loop takes where nobody disturbs it. */
static double turn_ns(void)
{
	enum { TURNS = 1000000 };
	uint64_t least = UINT64_MAX;
	cpu_set_t before_all;

	(void)sched_getaffinity(0, sizeof(before_all), &before_all);
	(void)sys_cpu_pin(sys_cpu_default(), NULL);
	for (int i = 0; i < 50; i++) {
		uint64_t before = sys_now_ns();
		uint64_t took;

		spin(TURNS);
		took = sys_now_ns() - before;
		least = took < least ? took : least;
	}
	(void)sched_setaffinity(0, sizeof(before_all), &before_all);
	return (double)least / TURNS;
}

static struct bench_ab sides_of(uint64_t turns)
{
	struct bench_ab ab = {.row = &settings[0]};

	(void)snprintf(ab.arms[0].value, sizeof(ab.arms[0].value), "0");
	(void)snprintf(ab.arms[1].value, sizeof(ab.arms[1].value), "%llu",
		       (unsigned long long)turns);
	return ab;
}

/* What a pass takes without a spin, by a short run of both sides alike. */
static double pass_ns(void)
{
	struct bench_ab ab = sides_of(0);
	struct model_compare_row row;

	if (!sides_run(registry, "anon_write_spun", &ab, 3, &row))
		exit(1);
	return row.a_ns * (double)row.n_pages;
}

/* --- the tally ------------------------------------------------------------------------------------------- */

struct tally {
	double percent;
	bool load;
	uint64_t n, n_slower, n_faster, n_same;
	double sum_log; /* of ratios: what was found on average */
	double n_pairs;
};

static bool one_run(struct tally *t, double pass, double turn, uint64_t seconds)
{
	struct bench_ab ab = sides_of((uint64_t)(t->percent / 100 * pass / turn));
	struct model_compare_row row;
	pid_t load = t->load ? sides_load_start(sys_cpu_default()) : 0;
	bool done = sides_run(registry, "anon_write_spun", &ab, seconds, &row);

	sides_load_stop(load);
	if (!done)
		return false;
	t->n++;
	t->n_slower += row.verdict == MODEL_CHANGE_SLOWER;
	t->n_faster += row.verdict == MODEL_CHANGE_FASTER;
	t->n_same += row.verdict == MODEL_CHANGE_NONE;
	t->sum_log += log(row.ratio);
	t->n_pairs += (double)row.n_a;
	return true;
}

static void print(const struct tally *t, uint64_t seconds)
{
	if (t->n)
		(void)printf(
			"%.0f %% slower, %llu s, %s: found in %llu of %llu (faster %llu, no change "
			"%llu); mean ratio %.4f, %.0f pairs a run\n",
			t->percent, (unsigned long long)seconds,
			t->load ? "other CPU busy" : "idle", (unsigned long long)t->n_slower,
			(unsigned long long)t->n, (unsigned long long)t->n_faster,
			(unsigned long long)t->n_same, exp(t->sum_log / (double)t->n),
			t->n_pairs / (double)t->n);
}

/* RUNS, SECONDS, and LOAD: 0 idle alone, 1 under load alone, 2 both. */
int main(int argc, char **argv)
{
	struct tally tallies[] = {{.percent = 2},
				  {.percent = 1},
				  {.percent = 2, .load = true},
				  {.percent = 1, .load = true}};
	uint64_t runs = sides_asked("RUNS", 100), seconds = sides_asked("SECONDS", 20);
	uint64_t load = sides_asked("LOAD", 2);
	double turn, pass;

	if (argc > 1 && strcmp(argv[1], BENCH_TRIAL_COMMAND) == 0)
		return bench_trial_main(registry, settings);
	turn = turn_ns();
	pass = pass_ns();
	(void)printf(
		"a pass takes %.2f ms, a turn %.2f ns; asked for: 2 %% in 85 of 100, 1 %% in 45, "
		"in 20 s on an idle machine\n",
		pass / 1e6, turn);
	for (uint64_t i = 0; i < runs; i++)
		for (size_t k = 0; k < 4; k++) {
			if ((load == 0 && tallies[k].load) || (load == 1 && !tallies[k].load))
				continue;
			if (!one_run(&tallies[k], pass, turn, seconds))
				return 1;
			print(&tallies[k], seconds);
			(void)fflush(stdout);
		}
	(void)printf("---\n");
	for (size_t k = 0; k < 4; k++)
		print(&tallies[k], seconds);
	return 0;
}
