/* SPDX-License-Identifier: MIT */
/* pagetoll: finds the command, parses its options, and sees that what was printed was written. */
#include "src/bench/trial.h"
#include "src/cli/changed.h"
#include "src/cli/command.h"
#include "src/cli/exit.h"
#include "src/scenarios/registry.h"
#include "src/settings/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char overview[] =
	"A page of memory costs nothing until its first touch, then a page fault.\n"
	"What does a fault cost here?\n"
	"  pagetoll bench               per fault and per page, with intervals\n"
	"  pagetoll bench five_configs  a published experiment, run and checked here\n"
	"  pagetoll show @last          a saved run again, as text, JSON or CSV\n"
	"  pagetoll compare A B         has a price changed: runs, boots, kernels?\n"
	"Who pays, where, and how much?  (by counters alone: pagetoll stat CMD)\n"
	"  pagetoll trace CMD           time by kind, mapping and function; -p PID attaches\n"
	"  pagetoll inspect PID         what each mapping is, and why no huge pages\n"
	"What makes the bill smaller?    (advice: pagetoll explain; try: not in this version)\n"
	"  pagetoll doctor              what this machine is, what can be measured; list\n"
	"  pagetoll COMMAND --help      teaches a command; see also --version\n";

struct cli_caller cli_caller;

/* A descriptor closed by the caller would be given to the next file opened, and a report written
 * into it. Reading ends take writes as an error, so a closed stdout stays one. */
static void hold_standard_descriptors(void)
{
	int opened;

	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		opened = open("/dev/null", O_RDONLY); /* the lowest free number: fd */
		if (opened != fd)
			_exit(EXIT_SYSTEM);
		cli_caller.closed_fds |= 1U << fd;
	}
}

/* A full disk or a closed pipe under stdout must not look like success. */
static int close_stdout(int status)
{
	int failed = ferror(stdout);

	errno = 0;
	if (fflush(stdout) != 0)
		failed = 1;
	if (!failed)
		return status;
	if (errno ==
	    0) /* an earlier write failed, and its reason is lost: another one meets it again */
		(void)!write(STDOUT_FILENO, "\n", 1);
	if (errno == EPIPE)
		return status == EXIT_OK ? EXIT_SYSTEM : status; /* the reader has gone: it knows */
	return cli_fail(EXIT_SYSTEM, "cannot write to standard output%s%s%s", errno ? ": " : "",
			errno ? strerror(errno) : "", why_limit(-errno));
}

static int unknown_command(const char *name)
{
	struct cli_names names = {.n = 0};
	const char *near;

	for (const struct command_row *row = command_registry; row->name; row++)
		if (!row->command->hidden)
			cli_names_add(&names, row->name);
	near = cli_names_nearest(&names, name);
	if (near)
		return cli_fail(EXIT_USAGE, "unknown command '%s'; did you mean '%s'?", name, near);
	return cli_fail(EXIT_USAGE, "unknown command '%s'; 'pagetoll' alone names them", name);
}

static const struct option_row *rows_of(const struct command *command)
{
	static const struct option_row none[] = {OPTION_END};

	return command->options ? command->options : none;
}

/* Anywhere before "--", so that a wrong option beside it does not hide the help; but what follows the
 * name of another command is for that one. */
static bool asks_for_help(const struct command *command, int argc, char **argv)
{
	if (command->wraps)
		argc = option_end_of_leading(rows_of(command), argc, argv);
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

static int run_command(const char *name, const struct command *command, int argc, char **argv)
{
	struct command_call call = {.config = NULL};
	struct why why;
	int status, r;

	if (asks_for_help(command, argc, argv)) {
		cli_print_help(name, command, stdout, cli_terminal_width(STDOUT_FILENO));
		return EXIT_OK;
	}
	call.config = calloc(1, command->config_bytes + 1);
	if (!call.config)
		return cli_fail(EXIT_SYSTEM, "no memory");
	if (command->defaults)
		memcpy(call.config, command->defaults, command->config_bytes);
	r = (command->wraps ? option_parse_leading : option_parse)(rows_of(command), argc, argv,
								   call.config, &call.options,
								   &why);
	if (r < 0) {
		free(call.config);
		return cli_fail(command->usage_status ? command->usage_status(argc, argv)
						      : EXIT_USAGE,
				"%s: %s", name, why.text);
	}
	call.operands = argv + call.options.first_operand;
	call.n_operands = argc - call.options.first_operand;
	status = command->main(&call);
	free(call.config);
	return status;
}

static int help(int argc, char **argv)
{
	const struct command *command = argc > 2 ? command_find(argv[2]) : NULL;

	if (argc <= 2) {
		(void)fputs(overview, stdout);
		return EXIT_OK;
	}
	if (!command)
		return unknown_command(argv[2]);
	cli_print_help(argv[2], command, stdout, cli_terminal_width(STDOUT_FILENO));
	return EXIT_OK;
}

static int dispatch(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "help";
	const struct command *command = command_find(name);

	if (command)
		return run_command(name, command, argc - 1, argv + 1);
	if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		return help(argc, argv);
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		(void)puts("pagetoll " PAGETOLL_VERSION);
		return EXIT_OK;
	}
	if (name[0] == '-')
		return cli_fail(
			EXIT_USAGE,
			"unknown option '%s'; a command comes first, 'pagetoll' alone names them",
			name);
	return unknown_command(name);
}

int main(int argc, char **argv)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	if (argc > 1 && strcmp(argv[1], BENCH_TRIAL_COMMAND) == 0)
		return bench_trial_main(scenario_registry, setting_registry);
	(void)sigaction(SIGXFSZ, &ignore, &cli_caller.xfsz);
	hold_standard_descriptors();
	cli_changed_recover(argc > 1 ? argv[1] : "");
	return close_stdout(dispatch(argc, argv));
}
