/* SPDX-License-Identifier: MIT */
/* Scenarios that lie, die, hang or give up: the engine must notice each, and go on with the others. */
#include "src/bench/bench.h"
#include "src/bench/scenario.h"
#include "src/bench/trial.h"
#include "tests/tap.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- liars ----------------------------------------------------------------------------------- */

static int touch_half(struct bench_trial *t)
{
	size_t bytes = t->bytes;

	t->bytes = bytes / 2;
	(void)bench_touch_write(t);
	t->bytes = bytes;
	return 0;
}

/* Half the touches, but the right number of faults: only the bytes can tell. */
static int touch_first_page_often(struct bench_trial *t)
{
	for (size_t i = 0; i < t->n_pages; i++)
		*(volatile char *)t->map = (char)t->mark;
	return 0;
}

static int touch_then_skip_round_mark(struct bench_trial *t)
{
	t->mark ^= 1;
	(void)bench_touch_write(t);
	t->mark ^= 1;
	return 0;
}

#define CLAIMS_ONE_FAULT                                                    \
	.title = "test", .question = "test", .minor_per_page = {1.0, 1.01}, \
	.major_per_page = {0.0, 0.0}, .cleanup = bench_unmap

SCENARIO(half) = {CLAIMS_ONE_FAULT, .prepare = bench_map_anon, .measure = touch_half};
SCENARIO(often) = {
	.title = "test",
	.question = "test",
	.warm = BENCH_WARM_MAPPING,
	.prepare = bench_map_anon_touched,
	.measure = touch_first_page_often,
	.cleanup = bench_unmap,
};
SCENARIO(other_mark) = {CLAIMS_ONE_FAULT, .prepare = bench_map_anon,
			.measure = touch_then_skip_round_mark};
SCENARIO(thp_as_base) = {CLAIMS_ONE_FAULT, .prepare = bench_map_anon_huge,
			 .measure = bench_touch_write};
SCENARIO(refaults_not) = {CLAIMS_ONE_FAULT, .prepare = bench_map_anon_touched,
			  .measure = bench_touch_write};

/* --- the dying, the hanging, the giving up ------------------------------------------------------- */

static int die_by_kill(struct bench_trial *t)
{
	(void)t;
	return raise(SIGKILL);
}

static int die_by_bus(struct bench_trial *t)
{
	(void)t;
	return raise(SIGBUS);
}

static int leave(struct bench_trial *t)
{
	(void)t;
	_exit(7);
}

static int hang(struct bench_trial *t)
{
	(void)t;
	while (pause() < 0) /* always */
		;
	return 0;
}

static int give_up(struct bench_trial *t)
{
	return why_set(&t->why, BENCH_SKIP, "needs a blue moon: found a white one");
}

static int fail(struct bench_trial *t)
{
	return why_errno(&t->why, -EIO, "the moon");
}

SCENARIO(killed) = {CLAIMS_ONE_FAULT, .prepare = bench_map_anon, .measure = die_by_kill};
SCENARIO(bus) = {CLAIMS_ONE_FAULT, .prepare = bench_map_anon, .measure = die_by_bus};
SCENARIO(leaves) = {CLAIMS_ONE_FAULT, .prepare = bench_map_anon, .measure = leave};
SCENARIO(hangs) = {CLAIMS_ONE_FAULT, .prepare = bench_map_anon, .measure = hang};
SCENARIO(gives_up) = {CLAIMS_ONE_FAULT, .prepare = give_up, .measure = bench_touch_write};
SCENARIO(fails) = {CLAIMS_ONE_FAULT, .prepare = fail, .measure = bench_touch_write};
SCENARIO(honest) = {CLAIMS_ONE_FAULT, .prepare = bench_map_anon, .measure = bench_touch_write};
SCENARIO(not_built) = {CLAIMS_ONE_FAULT, .unavailable = "built without the moon",
		       .prepare = bench_map_anon, .measure = bench_touch_write};

static const struct bench_registry_row registry[] = {
	{"bus", &scenario_bus},
	{"fails", &scenario_fails},
	{"gives_up", &scenario_gives_up},
	{"half", &scenario_half},
	{"hangs", &scenario_hangs},
	{"honest", &scenario_honest},
	{"killed", &scenario_killed},
	{"leaves", &scenario_leaves},
	{"not_built", &scenario_not_built},
	{"often", &scenario_often},
	{"other_mark", &scenario_other_mark},
	{"refaults_not", &scenario_refaults_not},
	{"thp_as_base", &scenario_thp_as_base},
	{NULL, NULL},
};

/* --- running them --------------------------------------------------------------------------------- */

static struct model_bench *run(const char *const *names, uint64_t budget_ns, int *ret_signal)
{
	struct bench_request requests[16];
	struct bench_config config = {
		.registry = registry,
		.requests = requests,
		.size_bytes = 4 << 20,
		.n_rounds = 2,
		.n_trials = 2,
		.budget_ns = budget_ns,
		.cpu = -1,
		.dir = "/tmp",
	};
	struct model_bench *doc = model_bench_new();
	struct why why = {.text = ""};
	int r;

	for (; *names; names++)
		requests[config.n_requests++] = (struct bench_request){
			.row = bench_registry_find(registry, *names),
			.article = "",
			.published = {NAN, NAN, NAN, NAN},
		};
	*ret_signal = 0;
	r = bench_run(&config, doc, ret_signal, &why);
	if (r < 0)
		printf("# bench_run: %s\n", why.text);
	return doc;
}

static size_t n_open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		(void)closedir(dir);
	return n;
}

static void check_liars(void)
{
	static const char *const names[] = {"half",         "often",  "other_mark", "thp_as_base",
					    "refaults_not", "honest", NULL};
	static const uint32_t marks[] = {
		MODEL_MARK_NOT_TOUCHED,
		MODEL_MARK_NOT_TOUCHED,
		MODEL_MARK_NOT_TOUCHED,
		MODEL_MARK_PAGE_SIZE,
		0,
	};
	struct sys_env env = {.dir = "/tmp"};
	struct why why;
	int signal;
	struct model_bench *doc = run(names, 30000000000U, &signal);

	for (size_t i = 0; i < 5; i++) {
		const struct model_scenario *s = &doc->scenarios[i];

		if (strcmp(s->name, "thp_as_base") == 0 && need_thp.probe(&env, &why) != 0) {
			t_skip(2, "%s", why.text);
			continue;
		}
		t_is_str(model_verdict_name(s->verdict), "invalid", "%s is called so", s->name);
		t_ok(s->n_rounds > 0 && s->ns_per_page.n == 0 &&
			     (s->rounds[0].marks & MODEL_MARKS_INVALID) == marks[i],
		     "%s: marks %x, priced nowhere", s->name, s->n_rounds ? s->rounds[0].marks : 0);
	}
	t_ok(doc->scenarios[5].verdict != MODEL_INVALID && doc->scenarios[5].n_rounds == 4,
	     "the honest one beside them is valid");
	model_bench_free(doc);
}

static void check_deaths(void)
{
	static const char *const names[] = {"killed", "bus",       "leaves", "gives_up",
					    "fails",  "not_built", "honest", NULL};
	static const struct {
		enum model_status status;
		const char *reason;
	} expected[] = {
		{MODEL_FAILED, "killed"},        {MODEL_FAILED, "SIGBUS"},
		{MODEL_FAILED, "exit status 7"}, {MODEL_SKIPPED, "a white one"},
		{MODEL_FAILED, "the moon"},      {MODEL_SKIPPED, "built without"},
	};
	int signal;
	struct model_bench *doc = run(names, 30000000000U, &signal);

	for (size_t i = 0; i < 6; i++) {
		const struct model_scenario *s = &doc->scenarios[i];

		t_ok(s->status == expected[i].status, "%s: %s", s->name,
		     model_status_name(s->status));
		t_contains(s->reason, expected[i].reason, "%s says why", s->name);
	}
	t_is_u64(doc->scenarios[6].n_rounds, 4, "the honest one beside them ran in full");
	model_bench_free(doc);
}

static void check_hang(void)
{
	static const char *const names[] = {"hangs", NULL};
	int signal;
	struct model_bench *doc = run(names, 300000000U, &signal);

	t_ok(doc->scenarios[0].status == MODEL_SKIPPED, "a hanging trial is ended by the budget");
	t_contains(doc->scenarios[0].reason, "budget", "and the reason names it");
	t_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no process is left");
	model_bench_free(doc);
}

static void check_interrupt(void)
{
	static const char *const names[] = {"hangs", "honest", NULL};
	struct model_bench *doc;
	int signal;

	(void)alarm(0);
	if (fork() == 0) {
		(void)usleep(300000);
		(void)kill(getppid(), SIGTERM);
		_exit(0);
	}
	doc = run(names, 30000000000U, &signal);
	t_ok(signal == SIGTERM && doc->interrupted, "SIGTERM ends the run and is said");
	while (waitpid(-1, NULL, 0) > 0)
		;
	model_bench_free(doc);
}

int main(int argc, char **argv)
{
	size_t n_fds;

	if (argc > 1 && strcmp(argv[1], BENCH_TRIAL_COMMAND) == 0)
		return bench_trial_main(registry);
	t_plan(29);
	n_fds = n_open_fds();
	check_liars();
	check_deaths();
	check_hang();
	check_interrupt();
	t_is_u64(n_open_fds(), n_fds, "no descriptor is left open");
	return t_done();
}
