/* SPDX-License-Identifier: MIT */
/* Scenarios that lie, die, hang or give up: the engine must notice each, and go on with the others. */
#include "src/bench/bench.h"
#include "src/bench/scenario.h"
#include "src/bench/trial.h"
#include "src/settings/registry.h"
#include "tests/tap.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

static int n_reads;

/* Reads in the first round only: what it summed then must not prove the later ones. */
static int read_once(struct bench_trial *t)
{
	return n_reads++ ? 0 : bench_touch_read(t);
}

static int read_first_page_often(struct bench_trial *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n_pages; i++)
		sum += *(volatile unsigned char *)t->map;
	t->sum = sum;
	return 0;
}

static int zero_one_byte_a_page(struct bench_trial *t)
{
	for (size_t i = 0; i < t->n_pages; i++)
		t->map[i * t->page_bytes] = 0;
	return 0;
}

static int touch_and_sleep(struct bench_trial *t)
{
	(void)usleep(50000);
	return bench_touch_write(t);
}

/* Cold when it was looked at, and read by somebody since. */
static int warm_a_cold_file(struct bench_trial *t)
{
	char buffer[1 << 16];
	int r = bench_map_cold_file(t);

	for (size_t at = 0; at < t->bytes && r == 0; at += sizeof(buffer))
		if (pread(t->fd, buffer, sizeof(buffer), (off_t)at) <= 0)
			r = -EIO;
	return r;
}

#define CLAIMS_NO_FAULT                                                    \
	.title = "test", .question = "test", .minor_per_page = {0, 0.001}, \
	.warm = BENCH_WARM_MAPPING, .cleanup = bench_unmap

SCENARIO(reads_once) = {CLAIMS_NO_FAULT, .access = BENCH_READ, .prepare = bench_map_anon_numbered,
			.measure = read_once};
SCENARIO(reads_one_page) = {CLAIMS_NO_FAULT, .access = BENCH_READ,
			    .prepare = bench_map_anon_numbered, .measure = read_first_page_often};
SCENARIO(zeroes_a_byte) = {CLAIMS_NO_FAULT, .access = BENCH_FILL, .prepare = bench_map_anon_filled,
			   .measure = zero_one_byte_a_page};
SCENARIO(warm_as_cold) = {
	.title = "test",
	.question = "test",
	.needs = NEEDS(&need_cold_files),
	.minor_per_page = {0, 1},
	.major_per_page = {0, 1},
	.kernel_decides = true,
	.access = BENCH_READ,
	.file = BENCH_FILE_COLD,
	.prepare = warm_a_cold_file,
	.measure = bench_touch_read,
	.cleanup = bench_unmap,
};

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
SCENARIO(sleeps) = {CLAIMS_ONE_FAULT, .prepare = bench_map_anon, .measure = touch_and_sleep};
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
	{"reads_once", &scenario_reads_once},
	{"reads_one_page", &scenario_reads_one_page},
	{"refaults_not", &scenario_refaults_not},
	{"sleeps", &scenario_sleeps},
	{"thp_as_base", &scenario_thp_as_base},
	{"warm_as_cold", &scenario_warm_as_cold},
	{"zeroes_a_byte", &scenario_zeroes_a_byte},
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
		.dir = "/var/tmp",
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

static const struct {
	const char *name;
	uint32_t mark;   /* 0: the counts alone tell */
	size_t n_honest; /* rounds in which it does what it claims */
} liars[] = {
	{"half", MODEL_MARK_NOT_TOUCHED, 0},           {"often", MODEL_MARK_NOT_TOUCHED, 0},
	{"other_mark", MODEL_MARK_NOT_TOUCHED, 0},     {"reads_once", MODEL_MARK_NOT_TOUCHED, 2},
	{"reads_one_page", MODEL_MARK_NOT_TOUCHED, 0}, {"refaults_not", 0, 0},
	{"thp_as_base", MODEL_MARK_PAGE_SIZE, 0},      {"warm_as_cold", MODEL_MARK_NOT_COLD, 0},
	{"zeroes_a_byte", MODEL_MARK_NOT_TOUCHED, 0},
};

enum { N_LIARS = sizeof(liars) / sizeof(liars[0]) };

static const struct sys_need *need_of(const char *name)
{
	return strcmp(name, "thp_as_base") == 0    ? &need_thp
	       : strcmp(name, "warm_as_cold") == 0 ? &need_cold_files
						   : &need_base_pages;
}

static void check_liars(void)
{
	const char *names[N_LIARS + 2] = {NULL};
	struct sys_env env = {.dir = "/var/tmp"};
	struct model_bench *doc;
	struct why why;
	int signal;

	for (size_t i = 0; i < N_LIARS; i++)
		names[i] = liars[i].name;
	names[N_LIARS] = "honest";
	doc = run(names, 30000000000U, &signal);
	for (size_t i = 0; i < N_LIARS; i++) {
		const struct model_scenario *s = &doc->scenarios[i];

		if (need_of(s->name)->probe(&env, &why) != 0) {
			t_skip(2, "%s", why.text);
			continue;
		}
		t_is_str(model_verdict_name(s->verdict), "invalid", "%s is called so", s->name);
		t_ok(s->n_rounds == 4 && s->n_invalid == 4 - liars[i].n_honest &&
			     (s->rounds[1].marks & liars[i].mark) == liars[i].mark,
		     "%s: %zu of %zu rounds invalid, marks %x", s->name, s->n_invalid, s->n_rounds,
		     s->n_rounds > 1 ? s->rounds[1].marks : 0);
	}
	t_ok(doc->scenarios[N_LIARS].verdict != MODEL_INVALID &&
		     doc->scenarios[N_LIARS].n_rounds == 4,
	     "the honest one beside them is valid");
	model_bench_free(doc);
}

/* Valid counts, but not the price of a fault. */
static void check_sleeper(void)
{
	static const char *const names[] = {"sleeps", NULL};
	int signal;
	struct model_bench *doc = run(names, 30000000000U, &signal);

	t_ok(doc->scenarios[0].verdict == MODEL_NOISY &&
		     doc->scenarios[0].rounds[0].marks & MODEL_MARK_SLEPT,
	     "sleep in memory without a disk is noise: %s",
	     model_verdict_name(doc->scenarios[0].verdict));
	model_bench_free(doc);
}

/* A trial that cannot be started ends its row, not what was measured before. */
static void check_no_spawn(void)
{
	static const char *const names[] = {"honest", NULL};
	struct rlimit before, none;
	struct model_bench *doc;
	int signal;

	(void)getrlimit(RLIMIT_NPROC, &before);
	none = before;
	none.rlim_cur = 0;
	if (geteuid() == 0 || setrlimit(RLIMIT_NPROC, &none) < 0) {
		t_skip(1, "needs an ordinary user: RLIMIT_NPROC does not bind root");
		return;
	}
	doc = run(names, 30000000000U, &signal);
	(void)setrlimit(RLIMIT_NPROC, &before);
	t_ok(doc->scenarios[0].status == MODEL_FAILED, "no process to be had: %s",
	     doc->scenarios[0].reason);
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
		return bench_trial_main(registry, setting_registry);
	t_plan(2 * N_LIARS + 21);
	n_fds = n_open_fds();
	check_liars();
	check_sleeper();
	check_no_spawn();
	check_deaths();
	check_hang();
	check_interrupt();
	t_is_u64(n_open_fds(), n_fds, "no descriptor is left open");
	return t_done();
}
