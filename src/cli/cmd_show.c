/* SPDX-License-Identifier: MIT */
/* pagetoll show: a saved document again, in any format. */
#include "src/cli/command.h"
#include "src/cli/exit.h"
#include "src/diagnose/diagnose.h"
#include "src/model/document.h"
#include "src/model/runs.h"

#include <errno.h>

struct show_options {
	struct cli_output output;
};

static const struct show_options defaults = {
	.output = CLI_OUTPUT_DEFAULTS,
};

static const char *const formats[] = {"text", "json", "csv", "html", "folded", NULL};

static const struct option_row options[] = {
	CLI_OUTPUT_ROWS_OF(struct show_options, formats,
			   "text, json, csv, html or folded (default text)"),
	CLI_BILL_ROWS(struct show_options),
	OPTION_END,
};

static int show(const struct cli_output *output, const struct model_document *doc)
{
	bool has_tables = doc->trace && doc->trace->bill;

	if (doc->trace)
		diagnose_trace(doc->trace);
	if (!has_tables && (output->top || output->sort))
		return cli_fail(EXIT_USAGE, "show: --%s: the document has no fault bill",
				output->top ? "top" : "sort");
	return doc->bench     ? cli_output_bench(output, doc->bench)
	       : doc->compare ? cli_output_compare(output, doc->compare)
			      : cli_output_trace(output, doc->trace);
}

static int cmd_show(const struct command_call *call)
{
	const struct show_options *o = call->config;
	const char *name = call->n_operands ? call->operands[0] : "@last";
	struct model_document doc;
	struct why why;
	int r;

	if (call->n_operands > 1)
		return cli_fail(EXIT_USAGE, "show: one document at a time, not %d",
				call->n_operands);
	r = cli_output_check(&o->output);
	if (r == 0)
		r = cli_output_spares(&o->output, name);
	if (r != 0)
		return r;
	r = model_runs_load_any(name, &doc, &why);
	if (r < 0)
		return cli_fail(r == -EINVAL || r == -ENOENT ? EXIT_USAGE : EXIT_SYSTEM, "show: %s",
				why.text);
	r = show(&o->output, &doc);
	model_document_free(&doc);
	return r;
}

COMMAND(show) = {
	.summary = "prints a saved run again",
	.usage = "[options] [DOC]",
	.about =
		"Reads a document and reports it as it was reported when it was made; summaries are "
		"computed anew from its rounds. DOC is @last (the default), @prev, a path, '-' for standard "
		"input, or the name of a file in the runs directory: $PAGETOLL_RUNS, else "
		"$XDG_STATE_HOME/pagetoll, else ~/.local/state/pagetoll. What 'pagetoll stat --json -o FILE' "
		"wrote is such a document, too, and what 'pagetoll compare --json -o FILE' wrote. Formats differ by "
		"document: folded, call chains weighted by fault time for flame graphs, is of fault bills alone.\n"
		"Exit status: 0; 2 no such document; 5 it cannot be read.",
	.examples =
		"  pagetoll show                           the last run\n"
		"  pagetoll show @prev --format csv        the one before, for a spreadsheet\n"
		"  pagetoll show run.json -v               a file, with more detail\n"
		"  pagetoll show --format html >run.html   a page with charts, for a browser\n"
		"  pagetoll show stat.json                 what 'stat --json -o stat.json' wrote\n",
	.options = options,
	.config_bytes = sizeof(struct show_options),
	.defaults = &defaults,
	.main = cmd_show,
};
