/* SPDX-License-Identifier: MIT */
/* pagetoll trace: which faults a command or running processes pay for, where, and how much. */
#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/bench/bench.h"
#include "src/cli/command.h"
#include "src/cli/counted.h"
#include "src/cli/exit.h"
#include "src/cli/live.h"
#include "src/cli/refused.h"
#include "src/cli/run_as.h"
#include "src/trace/perf_source.h"

#include <errno.h>
#include <limits.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PIDS = 1024 };

struct trace_config {
	const char *pids, *source, *kinds, *timing, *prices;
	uint64_t duration_ns, min_latency_ns, deadline_ns;
	bool tree, each, no_chains, live, as_root;
	struct cli_output output;
};

static const struct trace_config defaults = {
	.source = "auto",
	.timing = "auto",
	.output = {.format = "text", .color = "auto"},
};

static const char *const source_names[] = {"auto", "perf", "rusage", NULL};
static const char *const timing_names[] = {"auto", "all", NULL};
static const char *const formats[] = {"text", "json", "csv", "folded", NULL};

static const struct option_row options[] = {
	{.name = "pid",
	 .letter = 'p',
	 .type = OPTION_STRING,
	 .once = true,
	 .offset = offsetof(struct trace_config, pids),
	 .metavar = "PID",
	 .help = "attach to running processes, PID[,PID...], instead of running CMD; ends with --duration, by "
		 "Ctrl-C, or with the last of them"},
	{.name = "tree",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct trace_config, tree),
	 .help = "with -p: their present children, too, and the children of these"},
	{.name = "duration",
	 .type = OPTION_DURATION,
	 .offset = offsetof(struct trace_config, duration_ns),
	 .metavar = "TIME",
	 .min = 1e6,
	 .help = "end the trace after TIME: 10, 500ms, 2m (default: at the end, or a signal). CMD goes on"},
	{.name = "source",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct trace_config, source),
	 .metavar = "SOURCE",
	 .help = "auto, perf or rusage (default auto: the best that works). perf times each fault; rusage, which "
		 "is 'pagetoll stat', has counters and estimates",
	 .choices = source_names},
	CLI_BILL_ROWS(struct trace_config),
	{.name = "each",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct trace_config, each),
	 .help = "keep each fault, in order; as many as fit, the rest is counted"},
	{.name = "min-latency",
	 .type = OPTION_DURATION,
	 .offset = offsetof(struct trace_config, min_latency_ns),
	 .metavar = "TIME",
	 .min = 1,
	 .help = "with --each: only faults that took at least TIME: 50us, 1ms"},
	{.name = "kind",
	 .type = OPTION_STRING,
	 .once = true,
	 .offset = offsetof(struct trace_config, kinds),
	 .metavar = "KIND",
	 .help = "with --each: only faults of these kinds, KIND[,KIND...]: anon-write, anon-zero-read, cow, "
		 "wp-reuse, file-minor, file-major, file-mkwrite, shmem, swap-in, thp, hugetlb, uffd, "
		 "numa-hint, stack, unknown"},
	{.name = "deadline",
	 .type = OPTION_DURATION,
	 .offset = offsetof(struct trace_config, deadline_ns),
	 .metavar = "TIME",
	 .min = 1,
	 .help = "exit with 1 if a fault after start-up took longer than TIME, and name the worst: 50us"},
	{.name = "no-chains",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct trace_config, no_chains),
	 .help = "name the function that faulted and not its callers: costs the command less"},
	{.name = "timing",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct trace_config, timing),
	 .metavar = "WHICH",
	 .help = "auto or all (default auto: each fault is timed, save where they come so fast that it would "
		 "be dear; these have the mean of their like). --deadline and --min-latency time all",
	 .choices = timing_names},
	{.name = "live",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct trace_config, live),
	 .help = "while CMD runs show one line of what was seen, where standard error is a terminal; -p does "
		 "so by itself"},
	{.name = "as-root",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct trace_config, as_root),
	 .help = "under sudo: run CMD as root, and not as the user who called sudo"},
	{.name = "prices",
	 .type = OPTION_STRING,
	 .offset = offsetof(struct trace_config, prices),
	 .metavar = "DOC",
	 .help = "source rusage: prices by this document of 'pagetoll bench', as 'pagetoll stat' takes it"},
	{.name = "output",
	 .letter = 'o',
	 .type = OPTION_STRING,
	 .offset = offsetof(struct trace_config, output.path),
	 .metavar = "FILE",
	 .help = "write the report to FILE instead of standard error, or with -p standard output"},
	{.name = "format",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct trace_config, output.format),
	 .metavar = "FORMAT",
	 .help = "text, json, csv or folded (default text); folded is for flame graphs. All but text need "
		 "-o FILE where CMD is run, since standard error is CMD's, too",
	 .choices = formats},
	{.name = "json",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct trace_config, output.json),
	 .help = "short for --format json",
	 .implies = "format"},
	{.name = "color",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct trace_config, output.color),
	 .metavar = "WHEN",
	 .help = "auto, always or never (default auto: on a terminal, unless NO_COLOR is set)",
	 .choices = cli_color_names},
	{.name = "verbose",
	 .letter = 'v',
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct trace_config, output.verbose),
	 .help = "in text: what this source cannot see, and the machine, too"},
	{.name = "quiet",
	 .letter = 'q',
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct trace_config, output.quiet),
	 .help = "in text: the verdict alone; with -p no line while it runs"},
	OPTION_END,
};

/* --- before anything is begun ------------------------------------------------------------------------ */

/* What an option asks for that counters cannot give. */
static const struct {
	const char *name;
	bool is_answer; /* the user waits for it: without it there is no point in running CMD */
} of_perf[] = {
	{"duration", true}, {"each", true},       {"min-latency", true}, {"kind", true},
	{"deadline", true}, {"no-chains", false}, {"timing", false},     {"live", false},
	{"sort", false},    {"top", false},
};

static bool is_table_format(const char *format)
{
	return strcmp(format, "csv") == 0 || strcmp(format, "folded") == 0;
}

struct asked {
	char what[32]; /* as "--deadline"; "": nothing */
};

/* The first thing asked for that counters cannot give. */
static struct asked asked_of_perf(const struct command_call *call, bool answers_alone)
{
	const struct trace_config *o = call->config;
	struct asked asked = {""};

	for (size_t i = 0; i < ARRAY_LEN(of_perf); i++)
		if ((of_perf[i].is_answer || !answers_alone) &&
		    option_given(options, &call->options, of_perf[i].name)) {
			(void)snprintf(asked.what, sizeof(asked.what), "--%s", of_perf[i].name);
			return asked;
		}
	if (is_table_format(o->output.format))
		(void)snprintf(asked.what, sizeof(asked.what), "--format %s", o->output.format);
	return asked;
}

static bool is_dash(const char *name)
{
	return name && strcmp(name, "-") == 0;
}

/* Options that contradict each other, or lack another. */
static int check_options(const struct command_call *call)
{
	const struct trace_config *o = call->config;
	bool runs = call->n_operands > 0, by_rusage = strcmp(o->source, "rusage") == 0;
	struct asked asked = asked_of_perf(call, false);
	const struct {
		bool wrong;
		const char *text;
	} rules[] = {
		{!runs && !o->pids,
		 "names neither a command nor a process; write: pagetoll trace [options] [--] CMD "
		 "[ARG...], or pagetoll trace [options] -p PID"},
		{runs && o->pids, "attaches to processes, by -p, or runs CMD; not both"},
		{o->tree && !o->pids, "--tree goes with -p; children of CMD are always traced"},
		{o->pids && by_rusage,
		 "-p: --source rusage has no counters of processes that it did not start"},
		{o->pids && o->as_root, "--as-root is about CMD, and -p runs none"},
		{o->pids && o->live, "--live is about CMD; -p shows the line by itself"},
		{o->as_root && geteuid() != 0, "--as-root: not root, and so CMD is neither"},
		{o->prices && (o->pids || strcmp(o->source, "perf") == 0),
		 "--prices is for estimates of source rusage; perf measures times"},
		{(o->min_latency_ns || o->kinds) && !o->each,
		 "--min-latency and --kind choose faults for --each; give it, too"},
		{option_given(options, &call->options, "timing") &&
			 strcmp(o->timing, "auto") == 0 && (o->deadline_ns || o->min_latency_ns),
		 "--timing auto leaves out faults, and --deadline and --min-latency ask for all"},
		{runs && is_dash(o->output.path),
		 "-o -: standard output is the command's; name a file"},
		{runs && is_dash(o->prices),
		 "--prices -: standard input is the command's; name a file"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (rules[i].wrong)
			return cli_fail(EXIT_USAGE, "trace: %s", rules[i].text);
	if (runs && strcmp(o->output.format, "text") != 0 && !o->output.path)
		return cli_fail(EXIT_USAGE,
				"trace: --format %s needs -o FILE: the command writes to standard "
				"error, too",
				o->output.format);
	if (by_rusage && asked.what[0])
		return cli_fail(EXIT_USAGE, "trace: %s: --source rusage sees no single fault",
				asked.what);
	return 0;
}

/* The next word of a list with commas, which at is moved behind. False at its end. */
static bool next_word(const char **at, char *ret_word, size_t size)
{
	size_t n;

	if (!*at)
		return false;
	n = strcspn(*at, ",");
	(void)snprintf(ret_word, size, "%.*s", (int)n, *at);
	*at = (*at)[n] ? *at + n + 1 : NULL;
	return true;
}

static int parse_pids(const char *list, pid_t ret_pids[MOST_PIDS], size_t *ret_n)
{
	char word[64];
	uint64_t pid;
	size_t n = 0;

	while (next_word(&list, word, sizeof(word))) {
		bool again = false;

		if (units_parse_u64(word, &pid, NULL) < 0 || pid == 0 || pid > INT_MAX)
			return cli_fail(EXIT_USAGE, "trace: -p: '%s' is no process number", word);
		for (size_t i = 0; i < n; i++)
			again = again || ret_pids[i] == (pid_t)pid;
		if (again)
			continue;
		if (n == MOST_PIDS)
			return cli_fail(EXIT_USAGE, "trace: -p: more than %d processes; try --tree",
					MOST_PIDS);
		ret_pids[n++] = (pid_t)pid;
	}
	*ret_n = n;
	return 0;
}

static int parse_kinds(const char *list, uint32_t *ret_kinds)
{
	char word[64];

	while (next_word(&list, word, sizeof(word))) {
		int kind = model_fault_kind_find(word);
		struct cli_names names = {.n = 0};
		const char *near;

		if (kind >= 0) {
			*ret_kinds |= UINT32_C(1) << kind;
			continue;
		}
		for (int k = 0; k < MODEL_N_FAULT_KINDS; k++)
			cli_names_add(&names, model_fault_kind_names[k]);
		near = cli_names_nearest(&names, word);
		return cli_fail(EXIT_USAGE, "trace: --kind: there is no kind '%s'%s%s%s", word,
				near ? "; did you mean '" : "; see --help", near ? near : "",
				near ? "'?" : "");
	}
	return 0;
}

static int check_output(const struct trace_config *o)
{
	int r = cli_own_failure(cli_output_check(&o->output));

	return r == 0 && o->prices ? cli_output_spares(&o->output, o->prices) : r;
}

/* --- what there is to trace with ------------------------------------------------------------------ */

/* Of processes to attach to, or of what was asked for. */
static int fail_refused(const struct trace_config *o, const struct cli_refusal *refusal,
			const char *asked)
{
	char lines[sizeof(refusal->why.text)], operands[256] = "-- CMD";

	if (o->pids)
		(void)snprintf(operands, sizeof(operands), "-p %s%s", o->pids,
			       o->tree ? " --tree" : "");
	cli_refused_lines(refusal, operands, lines);
	return cli_fail(EXIT_OWN_FAILURE, "trace: %s: %s%s%s", o->pids ? "-p" : asked,
			refusal->why.text, lines[0] ? "; " : "", lines);
}

/* The best source that works, and where it is not perf why. What only perf can give is not left out in silence. 0 or
 * an exit status. */
static int choose_source(const struct command_call *call, bool *ret_perf,
			 struct cli_refusal *ret_refusal)
{
	const struct trace_config *o = call->config;
	struct asked asked = asked_of_perf(call, true);
	bool kernel;

	ret_refusal->r = trace_perf_probe(&kernel, &ret_refusal->why);
	*ret_perf = ret_refusal->r == 0 && strcmp(o->source, "rusage") != 0;
	if (strcmp(o->source, "perf") == 0)
		(void)snprintf(asked.what, sizeof(asked.what), "--source perf");
	if (ret_refusal->r == 0 || (!asked.what[0] && !o->pids))
		return 0;
	return fail_refused(o, ret_refusal, asked.what);
}

/* --- by perf -------------------------------------------------------------------------------------- */

static void show_now(const struct trace_live *now, void *data)
{
	char text[256];

	(void)snprintf(text, sizeof(text),
		       "%.1f s  %s faults (%s major)  %s in faults  slowest %s  lost %s",
		       now->seconds, units_count(now->n_faults).s, units_count(now->n_major).s,
		       units_estimate(now->fault_ns).s, units_estimate(now->slowest_ns).s,
		       units_count(now->n_lost).s);
	cli_live_line(data, text);
}

/* Of a fault that was not timed nobody knows whether it was slow. */
static bool times_all(const struct trace_config *o)
{
	return strcmp(o->timing, "all") == 0 || o->deadline_ns || o->min_latency_ns;
}

static int fill_options(const struct command_call *call, const struct cli_run *run,
			pid_t pids[MOST_PIDS], struct trace_options *ret)
{
	const struct trace_config *o = call->config;
	int r;

	*ret = (struct trace_options){
		.argv = o->pids ? NULL : run->argv,
		.tree = o->tree,
		.duration_ns = o->duration_ns,
		.deadline_ns = o->deadline_ns,
		.chains = !o->no_chains,
		.timing = times_all(o) ? TRACE_TIMING_ALL : TRACE_TIMING_AUTO,
		.each = o->each,
		.min_latency_ns = o->min_latency_ns,
	};
	r = o->kinds ? parse_kinds(o->kinds, &ret->each_kinds) : 0;
	if (r == 0 && o->pids) {
		r = parse_pids(o->pids, pids, &ret->n_pids);
		ret->pids = pids;
	}
	return r;
}

/* Signals are held back until the report can be written: one that ends an attached trace is taken by the
 * source, and what comes behind it must not end the report. */
static int trace_by_perf(const struct trace_config *o, const struct cli_run *run,
			 const struct trace_options *asked, struct model_trace *doc)
{
	struct trace_options perf = *asked;
	struct trace_caller caller;
	bool not_executed = false;
	struct cli_live live;
	sigset_t before;
	struct why why;
	int r;

	cli_live_init(&live);
	if (live.active && (o->live || (o->pids && !o->output.quiet))) {
		perf.live = show_now;
		perf.live_data = &live;
	}
	bench_signals_hold(&before);
	caller = cli_run_caller(run, &before);
	perf.caller = &caller;
	r = trace_perf_run(&perf, doc, &not_executed, &why);
	cli_live_clear(&live);
	while (bench_signals_take())
		;
	bench_signals_release(&before);
	if (r < 0 && o->pids)
		return fail_refused(o, &(struct cli_refusal){r, why}, "-p");
	return r < 0 ? cli_run_failed("trace", r, not_executed, &why) : 0;
}

/* --- the whole ------------------------------------------------------------------------------------- */

/* That the report is out is our business here, since our own failures have a status of their own. */
static int flush_report(void)
{
	int error;

	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	error = errno;
	__fpurge(stdout);
	clearerr(stdout);
	if (error == EPIPE) /* the reader has gone: it knows */
		return EXIT_OWN_FAILURE;
	return cli_fail(EXIT_OWN_FAILURE, "trace: cannot write to standard output: %s%s",
			strerror(error), why_limit(-error));
}

static int report(const struct trace_config *o, struct model_trace *doc)
{
	struct cli_output output = o->output;
	int r;

	output.to_stderr = !o->pids;
	r = cli_run_report(&output, doc);
	if (r == 0 && o->pids)
		r = flush_report();
	if (r != 0)
		return r;
	if (doc->bill && doc->bill->n_late > 0)
		return EXIT_LATE;
	return o->pids ? EXIT_OK : doc->exit_status;
}

static int trace_with(const struct command_call *call, const struct cli_run *run,
		      const struct trace_options *perf, struct model_trace *doc)
{
	const struct trace_config *o = call->config;
	struct cli_refusal refusal;
	const char *dir;
	bool by_perf;
	int r;

	r = choose_source(call, &by_perf, &refusal);
	if (r != 0)
		return r;
	if (by_perf) {
		r = cli_run_begin("trace", doc, &dir);
		if (r == 0)
			r = trace_by_perf(o, run, perf, doc);
	} else {
		r = cli_run_counted(run, doc);
		if (r == 0)
			cli_refused_say(&refusal, doc);
	}
	return r == 0 ? report(o, doc) : r;
}

static int cmd_trace(const struct command_call *call)
{
	static pid_t pids[MOST_PIDS];
	const struct trace_config *o = call->config;
	struct cli_run run = {.command = "trace", .argv = call->operands, .prices = o->prices};
	struct trace_options perf;
	struct model_trace *doc;
	int r;

	r = check_options(call);
	if (r == 0)
		r = cli_run_as_caller(&run, o->as_root || o->pids);
	if (r == 0)
		r = fill_options(call, &run, pids, &perf);
	if (r == 0)
		r = check_output(o);
	if (r != 0)
		return r;
	doc = model_trace_new();
	if (!doc)
		return cli_fail(EXIT_OWN_FAILURE, "trace: no memory");
	r = trace_with(call, &run, &perf, doc);
	model_trace_free(doc);
	return r;
}

COMMAND(trace) = {
	.summary =
		"says which page faults a command or running processes pay for, where, and how much",
	.usage = "[options] [--] CMD [ARG...] | [options] -p PID[,PID...]",
	.about =
		"Runs CMD, or attaches to running processes, and writes the bill of their page faults: the time "
		"lost by kind of fault, by mapping, by place in the code, by thread and over time, and the "
		"longest stalls one by one. Time ranks, never the count. CMD keeps standard input and output; "
		"the report goes to standard error when it has ended, or to -o FILE. With -p it goes to standard "
		"output. Options behind CMD are CMD's.\n"
		"Three times are told apart: what was timed between the entry of a fault and its completion; "
		"what tracing added to that; and the way into the kernel and back, which no event sees. The bill "
		"must close: the faults that the kernel counted are those seen in user mode, in the kernel, and "
		"pages populated without a fault; the rest is printed. What was lost is counted.\n"
		"SOURCE perf sees each fault. It needs no root for one's own processes where "
		"kernel.perf_event_paranoid is 2 or less; many distributions set it higher. Then CMD is run all "
		"the same, and its faults are counted by the kernel's own counters, as 'pagetoll stat' does: the "
		"report says ESTIMATE, why perf was refused, and the line that would give more. Options that "
		"only perf can serve (--deadline, --each, --duration, csv, folded) fail then instead.\n"
		"'sudo pagetoll trace CMD' runs CMD as the user who called sudo, with the groups and the HOME of "
		"that user; --as-root runs it as root. -p as root attaches to anybody's processes.\n"
		"SIGTERM and SIGHUP are passed on to CMD; SIGINT and SIGQUIT, which a terminal sends to both, end "
		"CMD and not the report. With -p any of them ends the trace, and the report comes. While CMD "
		"runs nothing is written to the terminal, which is CMD's, save with --live.\n"
		"Traces are not kept in the runs directory: @last there means prices, to which compare and "
		"--prices go back, and a command line can hold secrets. Name a file with -o, which 'pagetoll "
		"show FILE' shows again.\n"
		"Exit status: CMD's own, 128 + N where signal N killed it; with -p 0; 1 a fault after start-up "
		"took longer than --deadline, whatever CMD's status; 2 wrong usage; 125 pagetoll itself failed, "
		"be it in attaching or in writing the report; 126 CMD cannot be executed; 127 there is no CMD.",
	.examples =
		"  pagetoll trace ./server --selftest         the bill, behind its own output\n"
		"  sudo pagetoll trace -p 812 --tree --duration 10   who pays in a running service\n"
		"  pagetoll trace --deadline 50us ./control   a test: 1 where a later fault was slower\n"
		"  pagetoll trace --each --min-latency 1ms ./query   each slow fault, in order\n"
		"  pagetoll trace --json -o f.json -- CMD     a document; 'pagetoll show f.json'\n"
		"  pagetoll trace --format folded -o f ./a    for flamegraph.pl\n",
	.options = options,
	.config_bytes = sizeof(struct trace_config),
	.defaults = &defaults,
	.wraps = true,
	.main = cmd_trace,
};
