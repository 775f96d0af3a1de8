/* SPDX-License-Identifier: MIT */
/* The engine: blocks of trials in random order, watched, until precise enough or out of time. */
#include "src/bench/bench.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/base/why.h"
#include "src/bench/datafile.h"
#include "src/bench/noise.h"
#include "src/bench/plan.h"
#include "src/bench/scenario.h"
#include "src/bench/trial.h"
#include "src/model/ab.h"
#include "src/sys/clock.h"
#include "src/sys/cpu.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_NS 250000000L
#define LEAST_SLICE_NS 200000000U
/* Of a run with two sides: how often a trial counts traps, and how often prices are looked at on the way. */
enum { COUNT_TRAPS_EVERY = 16, DERIVE_EVERY = 16 };
/* From so many pairs on it is asked whether they are enough, each time they have doubled. */
enum { LEAST_PRECISE_PAIRS = 16 };

struct run {
	const struct bench_config *config;
	struct model_bench *doc;
	struct plan plan;
	struct bench_child child;
	int fd_file[BENCH_N_FILES]; /* -1: not made */
	uint64_t started_ns, end_ns;
	uint64_t random;
	uint32_t block;
	size_t n_open_sides;
	int signal; /* that ended it; 0 */
	bool out_of_time;
};

/* --- signals: held back for the whole run, and taken in one place --------------------------------- */

static void add_unless_ignored(sigset_t *set, int signal)
{
	struct sigaction action;

	if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
		(void)sigaddset(set, signal);
}

static sigset_t watched_signals(bool with_child)
{
	sigset_t set;

	(void)sigemptyset(&set);
	add_unless_ignored(&set, SIGINT);
	add_unless_ignored(&set, SIGTERM);
	add_unless_ignored(&set, SIGHUP);
	add_unless_ignored(&set, SIGQUIT);
	if (with_child)
		(void)sigaddset(&set, SIGCHLD);
	return set;
}

/* A bench_stop: a signal waits, or time is up. */
static bool is_to_stop(void *data)
{
	const struct run *run = data;
	sigset_t watched = watched_signals(false);
	sigset_t pending;

	(void)sigpending(&pending);
	return (sigandset(&pending, &pending, &watched) == 0 && !sigisemptyset(&pending)) ||
	       sys_now_ns() > run->end_ns;
}

void bench_signals_hold(sigset_t *ret_before)
{
	sigset_t set = watched_signals(true);

	(void)sigprocmask(SIG_BLOCK, &set, ret_before);
}

int bench_signals_take(void)
{
	struct timespec at_once = {.tv_nsec = 0};
	sigset_t set = watched_signals(false);
	int s = sigtimedwait(&set, NULL, &at_once);

	return s > 0 ? s : 0;
}

void bench_signals_release(const sigset_t *before)
{
	(void)sigprocmask(SIG_SETMASK, before, NULL);
}

/* Waits for at most timeout_ns. Keeps what ends the run in run->signal. */
static void wait_signal(struct run *run, long timeout_ns)
{
	struct timespec timeout = {.tv_nsec = timeout_ns};
	sigset_t set = watched_signals(true);
	int s = sigtimedwait(&set, NULL, &timeout);

	if (s > 0 && s != SIGCHLD)
		run->signal = s;
}

/* Ctrl-C reaches us and the trial: what comes of it after the run must not end the report. */
static void drain_signals(void)
{
	struct timespec timeout = {.tv_nsec = 20000000};
	sigset_t set = watched_signals(true);

	while (sigtimedwait(&set, NULL, &timeout) > 0)
		;
}

/* --- telling the one who waits --------------------------------------------------------------------- */

static void tell(const struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void tell(const struct run *run, const char *fmt, ...)
{
	struct bench_now now = {.budget_ns = run->config->budget_ns};
	char doing[160];
	va_list ap;

	if (!run->config->progress)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(doing, sizeof(doing), fmt, ap);
	va_end(ap);
	now.doing = doing;
	now.elapsed_ns = sys_now_ns() - run->started_ns;
	run->config->progress(run->config->progress_data, run->doc, &now);
}

/* --- data files ---------------------------------------------------------------------------------- */

static void close_file_entries(struct run *run, enum bench_file file, enum model_status status,
			       const char *reason)
{
	for (size_t i = 0; i < run->plan.n_entries; i++)
		if (plan_file(&run->plan.entries[i]) == file && !run->plan.entries[i].closed)
			plan_close(&run->plan.entries[i], run->doc, status, reason);
}

/* What the user can mend with another --dir is a skip; what broke is a failure. */
static enum model_status status_of_write_error(int r)
{
	switch (-r) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
	case EACCES:
	case EPERM:
	case EROFS:
		return MODEL_SKIPPED;
	default:
		return MODEL_FAILED;
	}
}

static void make_files(struct run *run)
{
	static const enum bench_file kinds[] = {BENCH_FILE_WARM, BENCH_FILE_COLD};
	struct bench_stop stop = {.asked = is_to_stop, .data = run};
	struct why why = {.text = ""};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		uint64_t bytes = run->plan.file_bytes[kinds[i]];
		int fd;

		if (bytes == 0 || is_to_stop(run))
			continue;
		tell(run, "writing a data file of %s in %s", units_bytes(bytes).s,
		     run->config->dir);
		fd = bench_datafile_create(run->config->dir, bytes, &stop, &why);
		if (fd >= 0)
			fd = bench_child_move_fd(fd);
		if (fd < 0 && !why.text[0])
			(void)why_errno(&why, fd, "cannot keep a data file open");
		if (fd >= 0)
			run->fd_file[kinds[i]] = fd;
		else if (fd != -EINTR)
			close_file_entries(run, kinds[i], status_of_write_error(fd), why.text);
	}
	wait_signal(run, 0); /* where one ended the writing it is taken here */
}

/* --- one trial ------------------------------------------------------------------------------------- */

/* Takes over the rounds that the trial has finished since the last look. */
static void harvest(struct run *run, const struct plan_entry *entry, uint32_t *n_taken)
{
	struct bench_shared *shared = run->child.shared;
	uint32_t n_done = atomic_load_explicit(&shared->n_done, memory_order_acquire);
	struct model_scenario *s = plan_scenario(entry, run->doc);

	if (n_done > shared->n_rounds) /* never; but it is another process's memory */
		n_done = shared->n_rounds;
	if (*n_taken == n_done)
		return;
	for (; *n_taken < n_done; (*n_taken)++)
		if (model_scenario_add_round(s, &shared->rounds[*n_taken]) < 0)
			model_warn(run->doc->warnings, &run->doc->n_warnings, "rounds-lost",
				   "%s: no memory to keep a round", s->name);
	/* of pairs there are thousands: not every one is worth the time between two of them */
	if (!run->config->ab || entry->n_trials % DERIVE_EVERY == 1)
		model_scenario_derive(run->doc, s);
}

static void describe_death(const struct bench_scenario *scenario, int status, char *ret_reason,
			   size_t size)
{
	int s = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (s == SIGKILL)
		(void)snprintf(
			ret_reason, size,
			"the trial was killed (SIGKILL), as the OOM killer or a memory cgroup does; give "
			"a smaller --size");
	else if (s == SIGBUS && scenario->file == BENCH_FILE_NONE)
		(void)snprintf(
			ret_reason, size,
			"the trial died of SIGBUS: a page that was promised was not there, as "
			"where a cgroup limits hugetlb pages");
	else if (s == SIGBUS)
		(void)snprintf(
			ret_reason, size,
			"the trial died of SIGBUS: a page of the data file could not be read; look at "
			"the disk under --dir");
	else if (s)
		(void)snprintf(ret_reason, size, "the trial died of signal %d (%s)", s,
			       strsignal(s));
	else
		(void)snprintf(ret_reason, size,
			       "the trial ended without a result (exit status %d)",
			       WEXITSTATUS(status));
}

/* Rounds already measured stay good: then a trial that broke is a warning. */
static void note_end(struct run *run, struct plan_entry *entry, enum model_status status,
		     const char *reason)
{
	struct model_scenario *s = plan_scenario(entry, run->doc);

	if (status == MODEL_DONE)
		return;
	if (s->n_rounds == 0) {
		plan_close(entry, run->doc, status, reason);
		return;
	}
	entry->closed = true;
	model_warn(run->doc->warnings, &run->doc->n_warnings, "trial-ended", "%s: trial %u: %s",
		   model_scenario_label(s).s, entry->n_trials - 1, reason);
}

static void end_trial(struct run *run, struct plan_entry *entry, bool exited, int status)
{
	const struct bench_shared *shared = run->child.shared;
	char reason[sizeof(shared->reason)];

	if (!exited)
		return; /* stopped by us: time or a signal ended the run, not the trial */
	if (atomic_load_explicit(&run->child.shared->ended, memory_order_acquire)) {
		text_copy(reason, sizeof(reason), shared->reason);
		note_end(run, entry, shared->status <= MODEL_FAILED ? shared->status : MODEL_FAILED,
			 reason);
		return;
	}
	/* Ctrl-C reaches the whole foreground group: the trial may die of it before we hear of it */
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM ||
				    WTERMSIG(status) == SIGHUP || WTERMSIG(status) == SIGQUIT)) {
		run->signal = WTERMSIG(status);
		return;
	}
	describe_death(entry->row->scenario, status, reason, sizeof(reason));
	note_end(run, entry, MODEL_FAILED, reason);
}

/* The share of the remaining time that this trial may begin rounds in: three times the fair one, as most
 * trials take far less. */
static uint64_t slice_end_ns(const struct run *run)
{
	uint64_t now = sys_now_ns();
	uint64_t left = run->end_ns > now ? run->end_ns - now : 0;
	uint64_t n = 0, slice;

	if (run->config->until_budget)
		return run->end_ns; /* shares are for trials whose number is known */
	for (size_t i = 0; i < run->plan.n_entries; i++) {
		const struct plan_entry *e = &run->plan.entries[i];

		if (!e->closed)
			n += e->n_trials < run->config->n_trials
				     ? run->config->n_trials - e->n_trials
				     : 1;
	}
	slice = n ? 3 * left / n : left;
	return now + (slice > LEAST_SLICE_NS ? slice : LEAST_SLICE_NS);
}

/* The side that an entry is of; NULL where there are no sides. */
static struct bench_arm *arm_of(const struct run *run, const struct plan_entry *entry)
{
	size_t i = (size_t)(entry - run->plan.entries);

	return run->config->ab ? &run->config->ab->arms[i % run->plan.n_sides] : NULL;
}

static void tell_of_trial(const struct run *run, const struct plan_entry *entry)
{
	if (run->config->until_budget)
		tell(run, "%s, pair %u", entry->row->name, entry->n_trials);
	else
		tell(run, "%s, trial %u of %llu", entry->row->name, entry->n_trials,
		     (unsigned long long)run->config->n_trials);
}

static void describe_trial(struct run *run, const struct plan_entry *entry,
			   const struct bench_arm *arm)
{
	struct bench_shared *shared = run->child.shared;

	text_copy(shared->scenario, sizeof(shared->scenario), entry->row->name);
	shared->n_pages = entry->n_pages;
	shared->n_rounds = (uint32_t)run->config->n_rounds;
	shared->trial = entry->n_trials;
	shared->block = run->block;
	shared->cpu = run->doc->options.cpu;
	shared->run_started_ns = run->started_ns;
	shared->until_ns = slice_end_ns(run);
	shared->pages = entry->pages;
	shared->count_traps = !arm || entry->n_trials % COUNT_TRAPS_EVERY == 0;
	shared->setting[0] = 0;
	if (arm) {
		text_copy(shared->setting, sizeof(shared->setting), run->config->ab->row->name);
		shared->arm = *arm;
	}
}

typedef int arm_hook(struct bench_arm *arm, struct why *why);

/* 0 where the setting has no such hook. */
static int call_hook(arm_hook *hook, struct bench_arm *arm, struct why *why)
{
	return hook ? hook(arm, why) : 0;
}

static int start_trial(struct run *run, const struct plan_entry *entry, struct bench_arm *arm,
		       struct why *why)
{
	const struct bench_setting *setting = arm ? run->config->ab->row->setting : NULL;
	char assignment[2 * BENCH_SETTING_TEXT] = "";
	int r = setting ? call_hook(setting->enter, arm, why) : 0;

	if (r < 0)
		return r;
	if (setting && setting->environment)
		setting->environment(arm, assignment, sizeof(assignment));
	return bench_child_start(&run->child, run->fd_file[plan_file(entry)], assignment, why);
}

static void watch_trial(struct run *run, struct plan_entry *entry)
{
	uint32_t n_taken = 0;
	bool exited = false;
	int status;

	while (!exited && !run->signal && !run->out_of_time) {
		siginfo_t info = {.si_pid = 0};

		wait_signal(run, TICK_NS);
		harvest(run, entry, &n_taken);
		tell_of_trial(run, entry);
		(void)waitid(P_PID, (id_t)run->child.pid, &info, WEXITED | WNOHANG | WNOWAIT);
		exited = info.si_pid == run->child.pid;
		run->out_of_time = !exited && sys_now_ns() > run->end_ns;
	}
	status = bench_child_stop(&run->child);
	harvest(run, entry, &n_taken);
	end_trial(run, entry, exited, status);
}

static void run_trial(struct run *run, struct plan_entry *entry)
{
	struct bench_arm *arm = arm_of(run, entry);
	struct why why = {.text = ""};

	describe_trial(run, entry, arm);
	entry->n_trials++;
	if (start_trial(run, entry, arm, &why) == 0)
		watch_trial(run, entry);
	else /* what was measured until now stays good */
		note_end(run, entry, MODEL_FAILED, why.text);
}

/* --- blocks ------------------------------------------------------------------------------------------ */

/* By its trials alone, whether or not there is time and room for more. */
static bool is_short_of_trials(const struct run *run, const struct plan_entry *entry)
{
	const struct model_scenario *s = plan_scenario(entry, run->doc);
	bool unpriced = s->n_invalid == s->n_rounds; /* more of that helps nobody */

	return stats_wants_trial(model_price(s), entry->n_trials, run->config->n_trials,
				 unpriced ? 0 : run->config->precision);
}

/* Asked seldom, so that it does not stop at the first interval that happens to be narrow. */
static bool are_precise(const struct run *run, const struct plan_entry *a)
{
	size_t n = a->n_trials;
	struct model_compare_row row;

	if (n < LEAST_PRECISE_PAIRS || (n & (n - 1)))
		return false;
	return model_ab_row(run->doc, a->i_scenario, &row) &&
	       (row.hi - row.lo) / 2 <= run->config->precision * row.ratio;
}

static bool wants_trial(const struct run *run, const struct plan_entry *entry)
{
	size_t n_rounds = plan_scenario(entry, run->doc)->n_rounds;

	if (entry->closed || n_rounds + run->config->n_rounds > MODEL_MAX_ROUNDS)
		return false;
	if (run->config->ab)
		return entry->n_trials < run->config->n_trials;
	return is_short_of_trials(run, entry);
}

/* The entries of a group are run one after the other: both sides, or one row. */
static bool group_wants_trials(const struct run *run, struct plan_entry *group)
{
	size_t n_sides = run->plan.n_sides;

	for (size_t side = 0; side < n_sides; side++)
		if (!wants_trial(run, &group[side]))
			return false;
	if (n_sides == 1 || run->config->precision <= 0 || !are_precise(run, group))
		return true;
	for (size_t side = 0; side < n_sides; side++)
		group[side].closed = true;
	return false;
}

static size_t open_groups(struct run *run, struct plan_entry **ret_groups)
{
	size_t n = 0;

	for (size_t i = 0; i < run->plan.n_entries; i += run->plan.n_sides)
		if (group_wants_trials(run, &run->plan.entries[i]))
			ret_groups[n++] = &run->plan.entries[i];
	return n;
}

static bool has_ended(struct run *run)
{
	run->out_of_time = run->out_of_time || sys_now_ns() > run->end_ns;
	return run->signal || run->out_of_time;
}

/* In random order, too: where the sides are alike, what one does to the next one goes both ways. */
static void run_group(struct run *run, struct plan_entry *group)
{
	size_t order[2];

	stats_shuffle(&run->random, order, run->plan.n_sides);
	for (size_t side = 0; side < run->plan.n_sides && !has_ended(run); side++)
		run_trial(run, &group[order[side]]);
}

static void run_blocks(struct run *run)
{
	struct plan_entry *groups[PLAN_MAX_ENTRIES];
	size_t order[PLAN_MAX_ENTRIES];
	struct bench_noise noise;
	size_t n;

	bench_noise_open(&noise, run->doc->options.cpu);
	for (; (n = open_groups(run, groups)) > 0 && !has_ended(run); run->block++) {
		stats_shuffle(&run->random, order, n);
		for (size_t i = 0; i < n && !has_ended(run); i++)
			run_group(run, groups[order[i]]);
		bench_noise_end_block(&noise, run->block, run->started_ns, run->doc);
	}
	bench_noise_close(&noise);
}

/* --- the two sides of a setting ---------------------------------------------------------------------- */

static int open_sides(struct run *run, struct why *why)
{
	struct bench_ab *ab = run->config->ab;
	int r = 0;

	for (size_t side = 0; ab && side < 2 && r == 0; side++) {
		r = call_hook(ab->row->setting->open, &ab->arms[side], why);
		if (r == 0)
			run->n_open_sides++;
	}
	return r;
}

static void close_sides(struct run *run)
{
	struct bench_ab *ab = run->config->ab;
	struct why why = {.text = ""};

	while (run->n_open_sides > 0)
		if (call_hook(ab->row->setting->close, &ab->arms[--run->n_open_sides], &why) < 0)
			model_warn(run->doc->warnings, &run->doc->n_warnings, "setting-left", "%s",
				   why.text);
}

/* --- the end ------------------------------------------------------------------------------------------ */

/* Why a row has fewer rounds than were asked for. */
static void warn_of_shortfall(struct run *run, const struct plan_entry *e)
{
	const struct bench_config *c = run->config;
	const struct model_scenario *s = plan_scenario(e, run->doc);
	uint64_t wished = c->n_trials * c->n_rounds;
	double half = 100 * stats_half_width(model_price(s));

	if (run->signal || c->until_budget)
		return; /* "interrupted" says it all; and what the budget is for is no shortfall */
	if (c->ab && plan_mate(&run->plan, e)->closed)
		return; /* its other side has ended, and says why */
	if (s->n_rounds < wished)
		model_warn(run->doc->warnings, &run->doc->n_warnings, "budget",
			   "%s: the budget of %s allowed %zu of %llu rounds, in %u of %llu trials",
			   model_scenario_label(s).s, units_duration(c->budget_ns).s, s->n_rounds,
			   (unsigned long long)wished, e->n_trials,
			   (unsigned long long)c->n_trials);
	else if (is_short_of_trials(run, e) && s->drift.found)
		model_warn(
			run->doc->warnings, &run->doc->n_warnings, "precision",
			"%s: the price moved with time, so that it cannot be known within %.2g %%",
			s->name, 100 * c->precision);
	else if (is_short_of_trials(run, e))
		model_warn(run->doc->warnings, &run->doc->n_warnings, "precision",
			   "%s: +- %.2g %% reached within %s, %.2g %% asked for", s->name, half,
			   units_duration(c->budget_ns).s, 100 * c->precision);
}

static void close_unfinished(struct run *run)
{
	char reason[160];

	for (size_t i = 0; i < run->plan.n_entries; i++) {
		struct plan_entry *e = &run->plan.entries[i];

		if (e->closed)
			continue;
		if (plan_scenario(e, run->doc)->n_rounds > 0) {
			warn_of_shortfall(run, e);
			continue;
		}
		(void)snprintf(reason, sizeof(reason),
			       run->signal
				       ? "interrupted before its first round"
				       : "the budget of %s ended before its first round; give more "
					 "--budget or a smaller --size",
			       units_duration(run->config->budget_ns).s);
		plan_close(e, run->doc, MODEL_SKIPPED, reason);
	}
}

/* A floor that was asked for as a row is measured once and stands in both places. */
static void share_floor(struct run *run)
{
	struct model_scenario *floor = &run->doc->floor;
	const struct model_scenario *row;

	if (!run->config->floor || floor->name[0])
		return;
	row = model_bench_find(run->doc, run->config->floor);
	if (!row)
		return;
	*floor = *row;
	floor->rounds = NULL;
	floor->n_rounds = 0;
	for (size_t i = 0; i < row->n_rounds; i++)
		if (model_scenario_add_round(floor, &row->rounds[i]) < 0)
			break; /* a floor of fewer rounds */
}

static void fill_ab(struct run *run)
{
	const struct bench_ab *ab = run->config->ab;
	struct model_ab *to = &run->doc->ab;

	if (!ab)
		return;
	text_copy(to->setting, sizeof(to->setting), ab->row->name);
	if (*ab->arms[0].param)
		text_append(to->setting, sizeof(to->setting), ".%s", ab->arms[0].param);
	text_make_harmless(to->setting);
	for (size_t side = 0; side < 2; side++)
		text_make_harmless(text_copy(to->values[side], sizeof(to->values[side]),
					     ab->arms[side].value));
}

static void fill_options(struct run *run)
{
	const struct bench_config *c = run->config;

	run->doc->options = (struct model_options){
		.size_bytes = c->size_bytes,
		.n_rounds = c->n_rounds,
		.n_trials = c->n_trials,
		.budget_ns = c->budget_ns,
		.precision = c->precision,
		.seed = c->seed,
		.cpu = c->cpu >= 0 ? c->cpu : sys_cpu_default(),
	};
}

static int run_all(struct run *run, struct why *why)
{
	int r;

	fill_options(run);
	fill_ab(run);
	if (run->doc->options.cpu < 0)
		return why_errno(why, run->doc->options.cpu, "cannot find a CPU to run on");
	r = plan_make(&run->plan, run->config, run->doc, why);
	if (r == 0)
		r = bench_child_init(&run->child, why);
	if (r < 0)
		return r;
	model_bench_derive(run->doc); /* nothing is known yet, and that is not 0 */
	make_files(run);
	r = open_sides(run, why);
	if (r == 0)
		run_blocks(run);
	close_sides(run);
	if (r < 0)
		return r;
	close_unfinished(run);
	share_floor(run);
	model_bench_derive(run->doc);
	run->doc->interrupted = run->signal != 0;
	return 0;
}

int bench_run(const struct bench_config *config, struct model_bench *doc, int *ret_signal,
	      struct why *why)
{
	struct run *run;
	sigset_t before;
	int r;

	run = calloc(1, sizeof(*run));
	if (!run)
		return why_set(why, -ENOMEM, "no memory for the run");
	*run = (struct run){
		.config = config,
		.doc = doc,
		.child = {.fd_shared = -1},
		.fd_file = {-1, -1, -1, -1},
		.random = config->seed,
		.started_ns = sys_now_ns(),
	};
	run->end_ns = run->started_ns + config->budget_ns;
	(void)signal(SIGCHLD, SIG_DFL); /* where it is ignored no child can be waited for */
	bench_signals_hold(&before);
	r = run_all(run, why);
	bench_child_fini(&run->child);
	for (size_t i = 0; i < BENCH_N_FILES; i++)
		if (run->fd_file[i] >= 0)
			(void)close(run->fd_file[i]);
	*ret_signal = run->signal;
	if (run->signal)
		drain_signals();
	free(run);
	bench_signals_release(&before);
	return r;
}
