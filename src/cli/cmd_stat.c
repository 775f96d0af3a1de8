/* SPDX-License-Identifier: MIT */
/* pagetoll stat: what a command's page faults cost it, by counters alone. */
#include "src/cli/command.h"
#include "src/cli/counted.h"
#include "src/cli/exit.h"

#include <string.h>

struct stat_options {
	const char *prices;
	struct cli_output output;
};

static const struct stat_options defaults = {
	.output = {.format = "text", .color = "auto", .to_stderr = true},
};

/* A command's faults are no table of rows: csv would say little. */
static const char *const formats[] = {"text", "json", NULL};

static const struct option_row options[] = {
	{.name = "output",
	 .letter = 'o',
	 .type = OPTION_STRING,
	 .offset = offsetof(struct stat_options, output.path),
	 .metavar = "FILE",
	 .help = "write the report to FILE instead of standard error"},
	{.name = "format",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct stat_options, output.format),
	 .metavar = "FORMAT",
	 .help = "text or json (default text); json needs -o FILE, since standard error is the "
		 "command's, too",
	 .choices = formats},
	{.name = "json",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct stat_options, output.json),
	 .help = "short for --format json",
	 .implies = "format"},
	{.name = "prices",
	 .letter = 'p',
	 .type = OPTION_STRING,
	 .offset = offsetof(struct stat_options, prices),
	 .metavar = "DOC",
	 .help = "prices by this document of 'pagetoll bench': @last, a path or a name, as for show "
		 "(default: the newest saved ones of this machine; what is missing is measured after CMD "
		 "has ended, in under a second)"},
	{.name = "color",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct stat_options, output.color),
	 .metavar = "WHEN",
	 .help = "auto, always or never (default auto: on a terminal, unless NO_COLOR is set)",
	 .choices = cli_color_names},
	{.name = "verbose",
	 .letter = 'v',
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct stat_options, output.verbose),
	 .help = "in text: what could not be read, what counters cannot see, and the machine, too"},
	{.name = "quiet",
	 .letter = 'q',
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct stat_options, output.quiet),
	 .help = "in text: the verdict alone"},
	OPTION_END,
};

/* --- before CMD is begun --------------------------------------------------------------------------- */

static int check_usage(const struct command_call *call)
{
	const struct stat_options *o = call->config;
	int r;

	if (call->n_operands == 0)
		return cli_fail(EXIT_USAGE,
				"stat: names no command to run; write: pagetoll stat [options] "
				"[--] CMD [ARG...]");
	if (o->output.path && strcmp(o->output.path, "-") == 0)
		return cli_fail(EXIT_USAGE,
				"stat: -o -: standard output is the command's; name a file");
	if (o->prices && strcmp(o->prices, "-") == 0)
		return cli_fail(EXIT_USAGE,
				"stat: --prices -: standard input is the command's; name a file");
	if (strcmp(o->output.format, "json") == 0 && !o->output.path)
		return cli_fail(EXIT_USAGE,
				"stat: --format json needs -o FILE: the command writes to "
				"standard error, too");
	r = cli_own_failure(cli_output_check(&o->output));
	return r == 0 && o->prices ? cli_output_spares(&o->output, o->prices) : r;
}

/* --- the run ------------------------------------------------------------------------------------------ */

static int stat_with(const struct command_call *call, struct model_trace *doc)
{
	const struct stat_options *o = call->config;
	const struct cli_run run = {
		.command = "stat",
		.argv = call->operands,
		.prices = o->prices,
		.run_as_uid = -1,
		.run_as_gid = -1,
	};
	int r = cli_run_counted(&run, doc);

	if (r == 0)
		r = cli_run_report(&o->output, doc);
	return r == 0 ? doc->exit_status : r;
}

static int cmd_stat(const struct command_call *call)
{
	struct model_trace *doc;
	int r = check_usage(call);

	if (r != 0)
		return r;
	doc = model_trace_new();
	if (!doc)
		return cli_fail(EXIT_OWN_FAILURE, "stat: no memory");
	r = stat_with(call, doc);
	model_trace_free(doc);
	return r;
}

COMMAND(stat) = {
	.summary = "says whether a command's page faults are a problem, by counters alone",
	.usage = "[options] [--] CMD [ARG...]",
	.about =
		"Runs CMD and gives a thirty-second verdict on its page faults, in the habit of 'time -v', "
		"from counters that the kernel keeps anyway: no root, no perf, no ptrace. CMD keeps standard "
		"input and output; the report goes to standard error when it has ended. Options behind CMD are "
		"CMD's.\n"
		"The usual rule says: many minor faults are first-touch cost and fine, many major ones mean "
		"short of RAM. It counts, where time decides: so each kind of fault is priced by what it costs "
		"on this machine, and a shortage is believed only with evidence. Verdicts: \"first-touch cost: "
		"fine\"; \"short of RAM\"; cold file, where major faults read data for the first time and the "
		"rule would be wrong; process start; not first-touch cost alone, where the same memory is "
		"faulted in again and again; faults are not the problem, below 5 % of the time; cannot tell.\n"
		"The time is an estimate, with the interval that the counts allow, and never more than the run "
		"can have spent. Its share is of the time on the CPU and asleep in faults, so that a run that "
		"sleeps for other reasons does not thin it out. Counters see CMD and the descendants that it "
		"waited for; huge pages and swap are looked at now and then in the first process. What exec and "
		"linking fault in, some 50 faults for the smallest program, is in the count.\n"
		"SIGTERM and SIGHUP are passed on to CMD; SIGINT and SIGQUIT, which a terminal sends to both, "
		"end CMD and not the report.\n"
		"Exit status: CMD's own; 128 + N where signal N killed it; 2 wrong usage; 125 pagetoll itself "
		"failed, be it in writing the report; 126 CMD cannot be executed; 127 there is no CMD.",
	.examples =
		"  pagetoll stat ./server --selftest        a verdict, behind its own output\n"
		"  pagetoll stat -q make -j4                the verdict alone\n"
		"  pagetoll stat --json -o f.json -- CMD    a document; 'pagetoll show f.json'\n"
		"  pagetoll bench -d /srv && pagetoll stat -p @last CMD   priced by another disk\n",
	.options = options,
	.config_bytes = sizeof(struct stat_options),
	.defaults = &defaults,
	.wraps = true,
	.main = cmd_stat,
};
