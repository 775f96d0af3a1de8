/* SPDX-License-Identifier: MIT */
/* What commands share that run another: stat, and trace, which counts as stat does where perf is refused. */
#include "src/cli/counted.h"

#include "src/bench/bench.h"
#include "src/cli/exit.h"
#include "src/cli/prices.h"
#include "src/trace/rusage.h"

#include "src/diagnose/diagnose.h"
#include <errno.h>

int cli_own_failure(int status)
{
	return status == EXIT_OK || status == EXIT_USAGE ? status : EXIT_OWN_FAILURE;
}

struct trace_caller cli_run_caller(const struct cli_run *run, const sigset_t *mask)
{
	return (struct trace_caller){
		.closed_fds = cli_caller.closed_fds,
		.xfsz = cli_caller.xfsz,
		.mask = *mask,
		.run_as_uid = run->run_as_uid,
		.run_as_gid = run->run_as_gid,
		.run_as_name = run->run_as_name,
	};
}

int cli_run_failed(const char *command, int r, bool not_executed, const struct why *why)
{
	return cli_fail(!not_executed  ? EXIT_OWN_FAILURE
			: r == -ENOENT ? EXIT_NOT_FOUND
				       : EXIT_NO_EXEC,
			"%s: %s", command, why->text);
}

static int take_named_prices(const struct cli_run *run, struct model_trace *doc)
{
	struct why why;
	int r = cli_prices_of(run->prices, doc, &why);

	if (r == 0)
		return 0;
	return cli_fail(r == -EINVAL || r == -ENOENT ? EXIT_USAGE : EXIT_OWN_FAILURE,
			"%s: --prices: %s", run->command, why.text);
}

int cli_run_begin(const char *command, struct model_trace *doc, const char **ret_dir)
{
	int r = cli_own_failure(cli_choose_dir(command, NULL, ret_dir));

	if (r != 0)
		return r;
	cli_stamp(doc->tool_version, doc->started);
	sys_machine_probe(&doc->machine, *ret_dir);
	return 0;
}

static int count(const struct cli_run *run, const sigset_t *mask, struct model_trace *doc)
{
	struct trace_caller caller = cli_run_caller(run, mask);
	bool not_executed = false;
	struct why why;
	int r = trace_rusage_run(run->argv, &caller, doc, &not_executed, &why);

	return r == 0 ? 0 : cli_run_failed(run->command, r, not_executed, &why);
}

/* Signals are held back until the report can be written: whoever ends us then ends the pricing. */
static int count_and_price(const struct cli_run *run, const char *dir, struct model_trace *doc)
{
	sigset_t before;
	int r;

	bench_signals_hold(&before);
	r = count(run, &before, doc);
	if (r == 0 && !run->prices)
		cli_prices_saved(doc);
	if (r == 0)
		cli_prices_measure(doc, dir);
	while (bench_signals_take())
		;
	bench_signals_release(&before);
	return r;
}

int cli_run_counted(const struct cli_run *run, struct model_trace *doc)
{
	const char *dir;
	int r = cli_run_begin(run->command, doc, &dir);

	if (r == 0 && run->prices)
		r = take_named_prices(run, doc);
	return r == 0 ? count_and_price(run, dir, doc) : r;
}

int cli_run_report(const struct cli_output *output, struct model_trace *doc)
{
	model_trace_derive(doc);
	(void)signal(SIGPIPE, SIG_IGN); /* a reader that has gone is a failed report, not our end */
	diagnose_trace(doc);
	return cli_output_trace(output, doc) != 0 ? EXIT_OWN_FAILURE : 0;
}
