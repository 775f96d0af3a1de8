/* SPDX-License-Identifier: MIT */
/* pagetoll compare: have prices changed between two sides, or over time? */
#include "src/cli/command.h"
#include "src/cli/exit.h"
#include "src/model/runs.h"
#include "src/model/side_read.h"
#include "src/stats/stats.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct compare_options {
	const char *pattern;
	double share; /* of --fail-if-slower */
	bool bisect;
	struct cli_output output;
};

static const struct compare_options defaults = {
	.output = CLI_OUTPUT_DEFAULTS,
};

static const struct option_row options[] = {
	{.name = "scenario",
	 .letter = 's',
	 .type = OPTION_STRING,
	 .offset = offsetof(struct compare_options, pattern),
	 .metavar = "GLOB",
	 .help = "only rows whose scenario, or name in a suite, matches GLOB"},
	{.name = "fail-if-slower",
	 .type = OPTION_SHARE,
	 .offset = offsetof(struct compare_options, share),
	 .metavar = "SHARE",
	 .help = "exit with 1 where a row is slower, and by SHARE at the least: its verdict is slower, and its "
		 "ratio 1 + SHARE or more (5%)"},
	{.name = "bisect",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct compare_options, bisect),
	 .help = "exit as 'git bisect run' asks for: 1 bad, a row is slower (by the SHARE of --fail-if-slower "
		 "where it is given); 125 cannot tell, or something failed; else 0 good"},
	CLI_OUTPUT_ROWS(struct compare_options),
	{.name = "quiet",
	 .letter = 'q',
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct compare_options, output.quiet),
	 .help = "in text: the table alone"},
	OPTION_END,
};

/* --- what was found, as an exit status -------------------------------------------------------------- */

/* One verdict in twenty is wrong where nothing has changed, so of many rows one soon is: for the exit status
 * each has to be as sure as all together are to be (Bonferroni). */
static bool is_worse(const struct model_compare_row *row, double share, size_t n_rows)
{
	bool sure = isnan(row->chance) || row->chance * (double)n_rows <= 1 - STATS_CONFIDENCE;

	return row->verdict == MODEL_CHANGE_SLOWER && sure && row->ratio >= 1 + share;
}

/* Not slower by that share, whatever the verdict is: all of the interval lies below. */
static bool is_good(const struct model_compare_row *row, double share)
{
	return row->verdict == MODEL_CHANGE_NONE || row->verdict == MODEL_CHANGE_FASTER ||
	       (share > 0 && row->hi < 1 + share);
}

static int exit_status(const struct compare_options *o, bool fails, const struct model_compare *doc)
{
	bool worse = false, good = true;

	for (size_t i = 0; i < doc->n_rows; i++) {
		worse = worse || is_worse(&doc->rows[i], o->share, doc->n_rows);
		good = good && is_good(&doc->rows[i], o->share);
	}
	if (o->bisect)
		return worse ? EXIT_SLOWER : good ? EXIT_OK : EXIT_CANNOT_TELL;
	return fails && worse ? EXIT_SLOWER : EXIT_OK;
}

/* Looks now whether the report was written: main() would end with a status that means a bad commit. */
static int written(void)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	(void)cli_fail(0, "cannot write to standard output%s%s", errno ? ": " : "",
		       errno ? strerror(errno) : "");
	clearerr(stdout);
	return EXIT_CANNOT_TELL;
}

/* --- the command ------------------------------------------------------------------------------------ */

static bool is_directory(const char *operand)
{
	char path[PATH_MAX];
	struct stat st;

	return strcmp(operand, "-") != 0 &&
	       model_runs_resolve(operand, path, sizeof(path), NULL) == 0 && stat(path, &st) == 0 &&
	       S_ISDIR(st.st_mode);
}

static int check_usage(const struct command_call *call)
{
	const struct compare_options *o = call->config;
	char **names = call->operands;
	int r;

	if (call->n_operands > 2)
		return cli_fail(EXIT_USAGE, "compare: two sides, A and B, not %d",
				call->n_operands);
	if (call->n_operands == 2 && strcmp(names[0], "-") == 0 && strcmp(names[1], "-") == 0)
		return cli_fail(EXIT_USAGE, "compare: standard input can be one side only");
	r = cli_output_check(&o->output);
	for (int i = 0; r == 0 && i < call->n_operands; i++)
		r = cli_output_spares(&o->output, names[i]);
	return r;
}

static int status_of(int r)
{
	return r == -EINVAL || r == -ENOENT ? EXIT_USAGE : EXIT_SYSTEM;
}

static int load(const char *operand, const char *which, bool by_params, struct model_compare *doc,
		struct model_side **ret_side)
{
	struct model_side_files files;
	struct model_side *side = model_side_new(operand ? operand : "");
	struct why why;
	int r;

	if (!side)
		return cli_fail(EXIT_SYSTEM, "compare: no memory");
	side->by_params = by_params;
	r = model_side_load(operand, side, &files, &why);
	if (r < 0) {
		model_side_free(side);
		return cli_fail(status_of(r), "compare: %s", why.text);
	}
	model_side_files_warn(doc, &files, which);
	*ret_side = side;
	return 0;
}

static int compare_two(const struct command_call *call, struct model_compare *doc)
{
	const struct compare_options *o = call->config;
	struct model_side *a = NULL, *b = NULL;
	struct why why;
	int r;

	r = load(call->operands[0], "A", false, doc, &a);
	if (r == 0)
		r = load(call->operands[1], "B", false, doc, &b);
	if (r == 0 && (r = model_compare_loaded(doc, a, b, o->pattern, &why)) < 0)
		r = cli_fail(status_of(r), "compare: %s", why.text);
	model_side_free(a);
	model_side_free(b);
	return r;
}

static int compare_over_time(const struct command_call *call, struct model_compare *doc)
{
	const struct compare_options *o = call->config;
	const char *operand = call->n_operands ? call->operands[0] : NULL;
	struct model_side *side = NULL;
	struct why why;
	int r;

	if (operand && !is_directory(operand) &&
	    (strcmp(operand, "-") == 0 ||
	     model_runs_resolve(operand, (char[PATH_MAX]){0}, PATH_MAX, NULL) == 0))
		return cli_fail(
			EXIT_USAGE,
			"compare: '%s' is one document: name another to compare it with, or a "
			"directory to see its history",
			operand);
	r = load(operand, "the directory", true, doc, &side);
	if (r == 0 && (r = model_compare_over_time(doc, side, o->pattern, &why)) < 0)
		r = cli_fail(status_of(r), "compare: %s", why.text);
	model_side_free(side);
	return r;
}

static int compare(const struct command_call *call, struct model_compare *doc)
{
	const struct compare_options *o = call->config;
	bool fails = option_given(options, &call->options, "fail-if-slower");
	int r = check_usage(call);

	cli_stamp(doc->tool_version, doc->started);
	if (r == 0)
		r = call->n_operands == 2 ? compare_two(call, doc) : compare_over_time(call, doc);
	if (r == 0)
		r = cli_output_compare(&o->output, doc);
	if (r == 0 && o->bisect)
		r = written();
	if (r == 0)
		return exit_status(o, fails, doc);
	/* git bisect takes any other status for a bad commit */
	return o->bisect ? EXIT_CANNOT_TELL : r;
}

/* git bisect takes 2 for a bad commit, too: a typing error must not name one. */
static int usage_status(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--bisect") == 0)
			return EXIT_CANNOT_TELL;
	return EXIT_USAGE;
}

static int cmd_compare(const struct command_call *call)
{
	struct model_compare *doc = model_compare_new();
	int r;

	if (!doc)
		return cli_fail(EXIT_SYSTEM, "compare: no memory");
	r = compare(call, doc);
	model_compare_free(doc);
	return r;
}

COMMAND(compare) = {
	.summary = "says whether prices have changed between two sides, or over time",
	.usage = "[options] A B | [DIRECTORY]",
	.about =
		"Compares the prices of two sides row by row: B against A as a ratio with its 95 % interval. A and B "
		"are documents of 'pagetoll bench', as 'pagetoll show' takes them (@last, @prev, a path, '-' once, or a "
		"name in the runs directory), or directories of documents (DIRECTORY/*.json).\n"
		"The verdict is slower or faster where all of the interval lies above or below 1; no change where it lies "
		"within 3 % of 1; else cannot tell. Where nothing has changed one row in twenty may be called slower or faster; "
		"--fail-if-slower and --bisect count a row only where it is surer, so that all rows together are wrong once "
		"in twenty. What the interval takes into account is how whole runs spread, not how "
		"trials in one run do: on a shared machine that is ten times as much. So 3 documents a side are needed, or "
		"3 earlier runs of the same row in the runs directory, of the same CPU, kernel, page size and hypervisor. "
		"Where A and B are not all of one boot, boots are counted, not documents. DETECTABLE is the smallest "
		"change that such a comparison would find 4 times in 5.\n"
		"What differs between the machines, like the kernel or a THP mode, is said above the table. Rows of another "
		"size, page size, access or ledger are not compared, and the reason is given.\n"
		"With one DIRECTORY, or without a name, the prices of all its documents over time, and where the latest stands "
		"against the earlier ones; without a name it is the runs directory: $PAGETOLL_RUNS, else "
		"$XDG_STATE_HOME/pagetoll, else ~/.local/state/pagetoll.\n"
		"Exit status: 0; 1 with --fail-if-slower, where a row is; 2 wrong usage, no such document, or nothing that can "
		"be compared; 5 a document cannot be read. With --bisect 0, 1 or 125.",
	.examples =
		"  pagetoll compare @prev @last              the last two runs\n"
		"  pagetoll compare 6.12/ 6.13/ --fail-if-slower 3%\n"
		"  pagetoll compare                          the history of the saved runs\n"
		"  pagetoll compare good/ new/ --bisect -s anon_write   in a script for 'git bisect run'\n",
	.options = options,
	.config_bytes = sizeof(struct compare_options),
	.defaults = &defaults,
	.usage_status = usage_status,
	.main = cmd_compare,
};
