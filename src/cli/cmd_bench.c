/* SPDX-License-Identifier: MIT */
/* pagetoll bench: what does each kind of fault cost here? */
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/bench/scenario.h"
#include "src/bench/trial.h"
#include "src/cli/ab.h"
#include "src/cli/command.h"
#include "src/cli/exit.h"
#include "src/cli/live.h"
#include "src/cli/select.h"
#include "src/model/runs.h"
#include "src/model/side_read.h"
#include "src/scenarios/registry.h"
#include "src/sys/cpu.h"
#include "src/sys/need.h"
#include "src/sys/page.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define FLOOR "memset_mapped"
#define PAIRS_BUDGET_NS 20000000000U /* a scenario */
#define DEFAULT_BUDGET_NS 60000000000U
#define MAX_SEED 9007199254740991.0 /* 2^53 - 1: JSON readers keep it exact */

struct bench_options {
	uint64_t size_bytes, n_rounds, n_trials, budget_ns, seed, cpu;
	double precision;
	const char *dir, *ab, *baseline;
	bool no_save, quiet, system_changes;
	struct cli_output output;
};

static const struct bench_options defaults = {
	.output = CLI_OUTPUT_DEFAULTS,
};

static const struct option_row options[] = {
	{.name = "size",
	 .letter = 's',
	 .type = OPTION_BYTES,
	 .offset = offsetof(struct bench_options, size_bytes),
	 .metavar = "SIZE",
	 .min = 1,
	 .help = "memory or file touched in each round: 64M, 1GiB, 5000p (pages); default: the suite's, "
		 "or 64 MiB. A default is cut to what fits in memory, a size given here never is; a suite "
		 "of several sizes leaves out those above it"},
	{.name = "rounds",
	 .letter = 'r',
	 .type = OPTION_COUNT,
	 .offset = offsetof(struct bench_options, n_rounds),
	 .metavar = "N",
	 .min = 1,
	 .max = BENCH_MAX_ROUNDS,
	 .help = "timed passes in each trial (default 5)"},
	{.name = "trials",
	 .letter = 't',
	 .type = OPTION_COUNT,
	 .offset = offsetof(struct bench_options, n_trials),
	 .metavar = "N",
	 .min = 1,
	 .max = MODEL_MAX_TRIALS,
	 .help = "fresh processes for each scenario (default 5); with --precision the fewest (default 10)"},
	{.name = "budget",
	 .letter = 'b',
	 .type = OPTION_DURATION,
	 .offset = offsetof(struct bench_options, budget_ns),
	 .metavar = "TIME",
	 .min = 1e6,
	 .help = "end after TIME whatever is done by then: 90, 45s, 2m (default 60 s, or the suite's)"},
	{.name = "precision",
	 .letter = 'p',
	 .type = OPTION_SHARE,
	 .offset = offsetof(struct bench_options, precision),
	 .metavar = "SHARE",
	 .min = 0.0001,
	 .help = "add trials until half of each interval is at most SHARE of its price (2%), or the "
		 "budget ends"},
	{.name = "dir",
	 .letter = 'd',
	 .type = OPTION_STRING,
	 .offset = offsetof(struct bench_options, dir),
	 .metavar = "DIR",
	 .help = "where data files are made, nameless and gone at the end (default /var/tmp, else the "
		 "current directory); it decides which disk is measured"},
	{.name = "cpu",
	 .letter = 'c',
	 .type = OPTION_COUNT,
	 .offset = offsetof(struct bench_options, cpu),
	 .metavar = "N",
	 .help = "CPU that the trials are pinned to (default: the highest allowed)"},
	{.name = "seed",
	 .type = OPTION_COUNT,
	 .offset = offsetof(struct bench_options, seed),
	 .metavar = "N",
	 .max = MAX_SEED,
	 .help = "seed of the random order of trials, to repeat one (default: random, and in the document)"},
	{.name = "ab",
	 .type = OPTION_STRING,
	 .once = true,
	 .offset = offsetof(struct bench_options, ab),
	 .metavar = "SETTING=A,B",
	 .help = "compare two values of one setting, with trials of both side by side in random order: "
		 "pages=base,thp; 'same' compares nothing with nothing. 'pagetoll list' names the settings. "
		 "20 s for each scenario, and 16 MiB at the most, unless --budget and --size say else"},
	{.name = "system-changes",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct bench_options, system_changes),
	 .help = "allow --ab to change settings of the whole system during the run; they are put back "
		 "at its end, or by the next start of pagetoll"},
	{.name = "baseline",
	 .once = true,
	 .type = OPTION_STRING,
	 .offset = offsetof(struct bench_options, baseline),
	 .metavar = "DOC",
	 .help = "print the change since DOC beside each price, judged as 'pagetoll compare DOC @last' would; DOC "
		 "is a saved run, or a directory of them"},
	{.name = "no-save",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct bench_options, no_save),
	 .help = "do not keep the document in the runs directory"},
	CLI_OUTPUT_ROWS(struct bench_options),
	{.name = "quiet",
	 .letter = 'q',
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct bench_options, quiet),
	 .help = "nothing on standard error but errors: no live table, no name of the saved run"},
	OPTION_END,
};

/* --- checks before anything is begun ------------------------------------------------------------ */

static int check_cpu(uint64_t cpu)
{
	char list[256];

	if (cpu <= INT_MAX && sys_cpu_is_allowed((int)cpu))
		return 0;
	(void)sys_cpu_allowed(list, sizeof(list));
	return cli_fail(EXIT_USAGE, "bench: --cpu %llu: not among the CPUs allowed here, %s",
			(unsigned long long)cpu, list);
}

static int check_size(uint64_t size_bytes)
{
	if (size_bytes >= sys_page_bytes())
		return 0;
	return cli_fail(EXIT_USAGE, "bench: --size %llu: less than one page of %s",
			(unsigned long long)size_bytes, units_bytes(sys_page_bytes()).s);
}

/* --- the configuration: given, else the suite's, else the default ------------------------------- */

static uint64_t first_of(uint64_t given, uint64_t suite, uint64_t otherwise)
{
	return given ? given : suite ? suite : otherwise;
}

static uint64_t choose_seed(const struct command_call *call, uint64_t given)
{
	uint64_t seed = 0;

	if (option_given(options, &call->options, "seed"))
		return given;
	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = (uint64_t)time(NULL);
	return seed & 0xffffffff;
}

/* Zeroing a page is no floor of an access. */
static const char *choose_floor(const struct selection *sel)
{
	for (size_t i = 0; i < sel->n_requests; i++)
		if (!sel->requests[i].row->scenario->n_accesses)
			return FLOOR;
	return NULL;
}

static uint64_t count_concerned(const struct bench_config *config,
				const struct bench_setting *setting)
{
	uint64_t n = 0;

	for (size_t i = 0; i < config->n_requests; i++)
		n += !setting->concerns || setting->concerns(config->requests[i].row->scenario);
	return n ? n : 1;
}

/* Many short trials, as many pairs as fit: each pair is a value, and its two trials should lie near in
 * time. */
static void configure_sides(const struct bench_options *o, struct bench_ab *ab,
			    struct bench_config *ret)
{
	ret->ab = ab;
	ret->floor = NULL;
	ret->n_rounds = first_of(o->n_rounds, 0, 1);
	ret->n_trials = first_of(o->n_trials, 0, MODEL_MAX_TRIALS);
	ret->until_budget = !o->n_trials;
	ret->budget_ns =
		first_of(o->budget_ns, 0, PAIRS_BUDGET_NS * count_concerned(ret, ab->row->setting));
}

static void configure(const struct command_call *call, const struct selection *sel, const char *dir,
		      struct bench_ab *ab, struct bench_config *ret)
{
	static const struct model_suite nothing;
	const struct bench_options *o = call->config;
	const struct model_suite *suite = sel->n_whole == 1 ? sel->whole : &nothing;
	/* stopping when the interval happens to be narrow makes it too narrow below 10 trials */
	uint64_t trials = o->precision > 0 ? 10 : BENCH_DEFAULT_TRIALS;

	*ret = (struct bench_config){
		.registry = scenario_registry,
		.requests = sel->requests,
		.n_requests = sel->n_requests,
		.floor = choose_floor(sel),
		.size_bytes = o->size_bytes,
		.n_rounds = first_of(o->n_rounds, suite->n_rounds, BENCH_DEFAULT_ROUNDS),
		.n_trials = first_of(o->n_trials, o->precision > 0 ? 0 : suite->n_trials, trials),
		.budget_ns = first_of(o->budget_ns, suite->budget_ns, DEFAULT_BUDGET_NS),
		.precision = o->precision,
		.seed = choose_seed(call, o->seed),
		.cpu = option_given(options, &call->options, "cpu") ? (int)o->cpu : -1,
		.dir = dir,
	};
	if (ab)
		configure_sides(o, ab, ret);
}

static void fill_head(struct model_bench *doc, const struct selection *sel, const char *dir)
{
	cli_stamp(doc->tool_version, doc->started);
	sys_machine_probe(&doc->machine, dir);
	if (sel->n_whole == 1)
		doc->suite = sel->whole->head;
	if (sel->n_whole > 1)
		model_warn(doc->warnings, &doc->n_warnings, "suites",
			   "%zu suites together: claims are checked where a suite is run by itself",
			   sel->n_whole);
}

static void warn_of_counters(struct model_bench *doc, const char *dir)
{
	struct sys_env env = {.dir = dir};
	struct why why;

	if (need_user_traps.probe(&env, &why) != 0)
		model_warn(doc->warnings, &doc->n_warnings, "no-traps",
			   "%s. rusage alone counts, which cannot tell traps from populated pages",
			   why.text);
	else if (need_kernel_traps.probe(&env, &why) != 0)
		model_warn(doc->warnings, &doc->n_warnings, "no-kernel-traps", "%s", why.text);
}

/* --- the baseline ---------------------------------------------------------------------------------- */

/* Read before anything is measured: a minute of work must not end in a name that is wrong. */
static int load_baseline(const struct bench_options *o, const struct selection *sel,
			 struct model_side **ret_side)
{
	struct model_side *side;
	struct model_side_files files;
	struct why why;
	int r;

	if (!o->baseline)
		return 0;
	side = model_side_new(o->baseline);
	if (!side)
		return cli_fail(EXIT_SYSTEM, "bench: no memory");
	r = model_side_load(o->baseline, side, &files, &why);
	for (size_t i = 0; r == 0 && i < sel->n_requests; i++)
		for (size_t k = 0; k < side->n_rows; k++)
			if (strcmp(side->rows[k].head.scenario, sel->requests[i].row->name) == 0) {
				*ret_side = side;
				return 0;
			}
	model_side_free(side);
	if (r == 0)
		return cli_fail(
			EXIT_USAGE,
			"bench: --baseline %s: holds no row of those that are to be measured",
			o->baseline);
	return cli_fail(r == -EINVAL || r == -ENOENT ? EXIT_USAGE : EXIT_SYSTEM,
			"bench: --baseline: %s", why.text);
}

/* What could not be compared is a warning: the prices stand. */
static void compare_with(const struct model_side *baseline, struct model_bench *doc)
{
	struct model_compare *compare = model_compare_new();
	struct model_side *side = model_side_new("this run");
	struct why why = {.text = "no memory"};

	text_copy(doc->baseline, sizeof(doc->baseline), baseline->name);
	if (compare && side && model_side_add(side, doc, "this run") == 0 &&
	    model_compare_loaded(compare, baseline, side, NULL, &why) == 0) {
		doc->changes = compare->rows;
		doc->n_changes = compare->n_rows;
		compare->rows = NULL;
		compare->n_rows = 0;
	} else {
		model_warn(doc->warnings, &doc->n_warnings, "baseline", "not compared with %s: %s",
			   baseline->name, why.text);
	}
	model_side_free(side);
	model_compare_free(compare);
}

/* --- the end --------------------------------------------------------------------------------------- */

static int exit_status(const struct model_bench *doc, int signal)
{
	size_t n_done = 0, n_invalid = 0, n_failed = 0;

	if (doc->floor.verdict == MODEL_INVALID)
		n_invalid++;
	for (size_t i = 0; i < doc->n_scenarios; i++) {
		n_done += doc->scenarios[i].n_rounds > 0;
		n_invalid += doc->scenarios[i].verdict == MODEL_INVALID;
		n_failed += doc->scenarios[i].status == MODEL_FAILED;
	}
	if (signal)
		return EXIT_BY_SIGNAL + signal;
	if (n_done == 0)
		return EXIT_NOTHING_RAN;
	if (n_invalid)
		return EXIT_INVALID;
	for (unsigned i = 0; i < doc->n_warnings; i++)
		if (strcmp(doc->warnings[i].id, "setting-left") == 0)
			n_failed++;
	return n_failed ? EXIT_SYSTEM : EXIT_OK;
}

/* Nothing is lost when the report's reader goes away: the document is kept first. */
static void save(const struct bench_options *o, const struct model_bench *doc, bool announce)
{
	char path[PATH_MAX];
	struct why why;

	if (o->no_save)
		return;
	if (model_runs_save(doc, path, sizeof(path), &why) < 0)
		(void)cli_fail(0, "the run is not saved: %s", why.text);
	else if (announce)
		(void)fprintf(stderr, "saved: %s\n", path);
}

static int run_and_report(const struct command_call *call, const struct selection *sel,
			  const char *dir, struct bench_ab *ab, const struct model_side *baseline,
			  struct model_bench *doc)
{
	const struct bench_options *o = call->config;
	struct bench_config config;
	struct cli_live live;
	int signal = 0, status, r;
	sigset_t before;
	struct why why;

	configure(call, sel, dir, ab, &config);
	fill_head(doc, sel, dir);
	warn_of_counters(doc, dir);
	cli_live_init(&live);
	if (live.active && !o->quiet) {
		config.progress = cli_live_draw;
		config.progress_data = &live;
	}
	bench_signals_hold(&before);
	r = bench_run(&config, doc, &signal, &why);
	cli_live_clear(&live);
	if (r == 0) {
		if (sel->n_whole == 1 && !ab)
			model_suite_judge(sel->whole, doc);
		if (baseline)
			compare_with(baseline, doc);
		save(o, doc, isatty(STDERR_FILENO) && !o->quiet);
	}
	signal = signal ? signal : bench_signals_take();
	bench_signals_release(&before);
	if (r < 0)
		return cli_fail(EXIT_SYSTEM, "bench: %s", why.text);
	status = exit_status(doc, signal);
	r = cli_output_bench(&o->output, doc);
	if (status == EXIT_NOTHING_RAN)
		(void)cli_fail(0, "bench: nothing could run: %s: %s", doc->scenarios[0].name,
			       doc->scenarios[0].reason);
	return r ? r : status;
}

/* Where nobody named them, the scenarios are those that the setting can change. */
static void keep_concerned(struct selection *sel, const struct bench_setting *setting)
{
	size_t n = 0;

	for (size_t i = 0; i < sel->n_requests; i++)
		if (!setting->concerns || setting->concerns(sel->requests[i].row->scenario))
			sel->requests[n++] = sel->requests[i];
	if (n == 0)
		return; /* each of them will say so */
	sel->n_requests = n;
	sel->n_whole = 0; /* no suite is whole any more */
}

/* The two sides, or none; nothing is changed yet. */
static int parse_sides(const struct bench_options *o, const char *dir, struct bench_ab *ab)
{
	struct why why;
	int r;

	if (!o->ab && o->system_changes)
		return cli_fail(EXIT_USAGE,
				"bench: --system-changes: nothing would be changed without --ab");
	if (!o->ab)
		return 0;
	if (o->baseline)
		return cli_fail(EXIT_USAGE,
				"bench: --ab compares its own two sides; leave out --baseline");
	r = cli_ab_parse(o->ab, dir, ab, &why);
	if (r < 0)
		return cli_fail(r == -EINVAL ? EXIT_USAGE : EXIT_SYSTEM, "bench: --ab %.100s: %s",
				o->ab, why.text);
	if (ab->row->setting->changes_system && !o->system_changes)
		return cli_fail(
			EXIT_USAGE,
			"bench: --ab %s: changes a setting of the whole system while it runs; "
			"allow it by --system-changes",
			o->ab);
	return 0;
}

static int cmd_bench(const struct command_call *call)
{
	const struct bench_options *o = call->config;
	struct bench_ab ab = {.row = NULL};
	struct selection *sel;
	struct model_side *baseline = NULL;
	struct model_bench *doc;
	const char *dir;
	struct why why;
	int r = 0;

	if (option_given(options, &call->options, "cpu"))
		r = check_cpu(o->cpu);
	if (r == 0 && o->size_bytes)
		r = check_size(o->size_bytes);
	if (r == 0)
		r = cli_choose_dir("bench", o->dir, &dir);
	if (r == 0)
		r = parse_sides(o, dir, &ab);
	if (r == 0)
		r = cli_output_check(&o->output);
	if (r != 0)
		return r;
	sel = malloc(sizeof(*sel));
	doc = model_bench_new();
	if (!sel || !doc) {
		free(sel);
		model_bench_free(doc);
		return cli_fail(EXIT_SYSTEM, "bench: no memory");
	}
	if (select_names(sel, call->n_operands, call->operands, &why) < 0) {
		r = cli_fail(EXIT_USAGE, "bench: %s", why.text);
	} else {
		if (ab.row && call->n_operands == 0)
			keep_concerned(sel, ab.row->setting);
		r = load_baseline(o, sel, &baseline);
		if (r == 0)
			r = run_and_report(call, sel, dir, ab.row ? &ab : NULL, baseline, doc);
		model_side_free(baseline);
		select_free(sel);
	}
	model_bench_free(doc);
	free(sel);
	return r;
}

COMMAND(bench) = {
	.summary = "prices this machine's page faults",
	.usage = "[options] [SCENARIO|SUITE|GLOB]...",
	.about =
		"Measures what each kind of page fault costs here, per fault and per page, each price with "
		"its interval, and checks that the faults counted are the faults claimed. Without a name "
		"the suite 'quick' runs, every price there is; 'pagetoll list' names them all. A name can be a "
		"scenario's, a suite's or a row's of a suite; GLOB stands for the scenarios it matches, and for the "
		"rows it matches of other scenarios ('base_*').\n"
		"A trial is a fresh process pinned to one CPU; it runs rounds, each one pass over the "
		"memory. Trials of all scenarios are interleaved in random order, so that what drifts on "
		"the machine drifts for all. A price is the median over trials of the median over rounds; "
		"+- is half its interval in this run, the range where there are fewer than 6 trials. "
		"Between two runs a machine can differ by more than that.\n"
		"With --ab each scenario has two sides, A and B, that differ in one setting. Their trials run in "
		"pairs, one right after the other in random order, so that what drifts on the machine drops out; the ratio "
		"of B to A comes with a 99 % interval: slower where all of it lies above 1, faster where below, no "
		"change where it lies within 3 % of 1, else it cannot be told.\n"
		"Exit status: 0 done; 2 wrong usage; 3 nothing could run; 4 a round counted other faults than "
		"its scenario claims; 5 the system refused something, or a row failed; 130 interrupted by Ctrl-C (what was "
		"done is reported).",
	.examples =
		"  pagetoll bench anon_write --ab pages=base,thp\n"
		"                                    two page sizes, side by side: the ratio, and the verdict\n"
		"  pagetoll bench five_configs       a published experiment, its figures beside\n"
		"  pagetoll bench 'anon_*' -s 256M   all anonymous scenarios, at another size\n"
		"  pagetoll bench anon_write -p 1%   until it is known within 1 %, or 60 s are over\n"
		"  pagetoll bench file_cold -d /srv  price the disk under /srv\n"
		"  pagetoll bench --json | jq '.scenarios[] | {name, ns_per_page}'\n",
	.options = options,
	.config_bytes = sizeof(struct bench_options),
	.defaults = &defaults,
	.main = cmd_bench,
};
