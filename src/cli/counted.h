/* SPDX-License-Identifier: MIT */
/* What commands share that run another: stat, and trace, which counts as stat does where perf is refused. */
#ifndef CLI_COUNTED_H
#define CLI_COUNTED_H

#include "src/base/why.h"
#include "src/cli/command.h"
#include "src/model/trace.h"
#include "src/trace/command.h"

#include <signal.h>
#include <stdint.h>

/* A command to be run, for one of ours. */
struct cli_run {
	const char *command; /* ours, for sentences: "stat" */
	char **argv;         /* theirs */
	const char *prices;  /* the document with them; NULL: saved ones, else measured */
	int64_t run_as_uid, run_as_gid; /* as in struct trace_caller */
	const char *run_as_name;
};

/* Our own trouble is 125, so that it is not taken for CMD's; only wrong usage stays 2. */
int cli_own_failure(int status);

/* What the command is to be given, where the signal mask was mask before we held signals back. */
struct trace_caller cli_run_caller(const struct cli_run *run, const sigset_t *mask);

/* Says why nothing was run. Returns the exit status. */
int cli_run_failed(const char *command, int r, bool not_executed, const struct why *why);

/* Begins the document: version, time and machine. *ret_dir: where files for prices would be made. 0 or an exit
 * status. */
int cli_run_begin(const char *command, struct model_trace *doc, const char **ret_dir);

/* Runs the command to its end by counters alone, and prices what was counted. 0 or an exit status. */
int cli_run_counted(const struct cli_run *run, struct model_trace *doc);

/* Derives, and reports. 0 or an exit status. */
int cli_run_report(const struct cli_output *output, struct model_trace *doc);

#endif
