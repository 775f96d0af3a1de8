/* SPDX-License-Identifier: MIT */
/* pagetoll inspect: what each mapping of a process is, and why it has no huge pages. */
#include "src/base/units.h"
#include "src/base/why.h"
#include "src/cli/command.h"
#include "src/cli/exit.h"
#include "src/diagnose/inspect.h"
#include "src/model/inspect.h"
#include "src/trace/inspect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct inspect_options {
	struct cli_output output;
	bool each;
};

static const struct inspect_options defaults = {.output = CLI_OUTPUT_DEFAULTS};

static const char *const formats[] = {"text", "json", NULL};

static const struct option_row options[] = {
	CLI_OUTPUT_ROWS_OF(struct inspect_options, formats, "text or json (default text)"),
	{.name = "top",
	 .type = OPTION_COUNT,
	 .offset = offsetof(struct inspect_options, output.top),
	 .min = 1,
	 .max = 1000000,
	 .metavar = "N",
	 .help = "rows of the table, in text (default 20)"},
	{.name = "each",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct inspect_options, each),
	 .help = "a row for each mapping; else those of one name, mode and reason are one"},
	OPTION_END,
};

static int write_report(const struct inspect_options *o, const struct model_inspect *doc)
{
	FILE *out = o->output.path ? fopen(o->output.path, "we") : stdout;
	struct report_style style;
	int r = EXIT_OK;

	if (!out)
		return cli_fail(EXIT_SYSTEM, "inspect: %s: %s", o->output.path, strerror(errno));
	style = cli_style(&o->output, out);
	if (strcmp(o->output.format, "json") == 0)
		model_inspect_write(doc, out);
	else
		report_inspect_text(doc, o->each, out, &style);
	if (out != stdout && (ferror(out) | fclose(out)) != 0)
		r = cli_fail(EXIT_SYSTEM, "inspect: cannot write to %s", o->output.path);
	return r;
}

static int cmd_inspect(const struct command_call *call)
{
	const struct inspect_options *o = call->config;
	struct model_inspect *doc;
	struct why why;
	uint64_t pid;
	int r;

	if (call->n_operands != 1)
		return cli_fail(EXIT_USAGE, "inspect: names one process: 'pagetoll inspect PID'");
	if (units_parse_u64(call->operands[0], &pid, &why) < 0 || pid == 0 || pid > INT32_MAX)
		return cli_fail(EXIT_USAGE, "inspect: '%s' is no process", call->operands[0]);
	doc = model_inspect_new();
	if (!doc)
		return cli_fail(EXIT_SYSTEM, "inspect: no memory");
	cli_stamp(doc->tool_version, doc->started);
	sys_machine_probe(&doc->machine, "/");
	sys_thp_probe(&doc->thp);
	r = trace_inspect((pid_t)pid, doc, &why);
	if (r < 0) {
		r = cli_fail(r == -ESRCH || r == -ENOENT ? EXIT_USAGE : EXIT_SYSTEM, "inspect: %s",
			     why.text);
	} else {
		diagnose_inspect(doc);
		r = write_report(o, doc);
	}
	model_inspect_free(doc);
	return r;
}

COMMAND(inspect) = {
	.summary = "says what each mapping of a process is, and why it has no huge pages",
	.usage = "[options] PID",
	.about =
		"Reads the mappings of a running process, its own or, as root, anybody's: size, what is resident and in pages of "
		"what size, what is dirty, swapped and locked, the node that holds it, and the flags that madvise and mlock "
		"left. For each it says why it has no huge pages: a list of questions, asked in the order in which the kernel "
		"decides, whose first yes is the answer, with what would change it. Reading walks all pages of the process and "
		"holds up its mmap meanwhile: milliseconds a gigabyte.\n"
		"Flags: hg, nh: MADV_HUGEPAGE, MADV_NOHUGEPAGE; rr, sr: MADV_RANDOM, MADV_SEQUENTIAL; lo: locked; dc: not for "
		"children; ht: hugetlb; um, uw: userfaultfd; nr: no reserve; gd: grows down.\n"
		"Exit status: 0; 2 no such process, or one without memory; 5 it may not be looked at.",
	.examples = "  pagetoll inspect $$                  this shell\n"
		    "  sudo pagetoll inspect 812 --top 50   a service\n"
		    "  pagetoll inspect 812 --json -o m.json\n",
	.options = options,
	.config_bytes = sizeof(struct inspect_options),
	.defaults = &defaults,
	.main = cmd_inspect,
};
