/* SPDX-License-Identifier: MIT */
/* pagetoll manual: the tables as scdoc sources and as a completion; the build uses it. */
#include "src/base/array.h"
#include "src/base/text.h"
#include "src/bench/scenario.h"
#include "src/cli/command.h"
#include "src/cli/exit.h"
#include "src/cli/suites.h"
#include "src/diagnose/diagnose.h"
#include "src/scenarios/registry.h"

#include <string.h>

static void command_page(const char *name, const struct command *command)
{
	(void)printf("pagetoll-%s(1)\n\n# NAME\n\npagetoll-%s - ", name, name);
	text_put_scdoc(stdout, command->summary);
	(void)printf("\n\n# SYNOPSIS\n\n*pagetoll %s* ", name);
	text_put_scdoc(stdout, command->usage);
	(void)puts("\n\n# DESCRIPTION\n");
	text_put_scdoc(stdout, command->about);
	(void)puts("\n\n# OPTIONS\n");
	option_print_scdoc(command->options, stdout);
	(void)puts("*-h*, *--help*\n\tprint a summary of the above\n");
	if (command->examples)
		(void)printf("# EXAMPLES\n\n```\n%s```\n\n", command->examples);
	(void)puts("# SEE ALSO\n\n*pagetoll*(1), *pagetoll-scenarios*(7), *pagetoll-findings*(7), "
		   "*pagetoll-results*(5)");
}

static void scenarios_page(void)
{
	(void)puts(
		"pagetoll-scenarios(7)\n\n# NAME\n\npagetoll-scenarios - what *pagetoll bench* can price\n");
	(void)puts(
		"# DESCRIPTION\n\nFaults are claimed a page, as rusage counts them; a round that counts "
		"others is invalid.\n");
	for (const struct bench_registry_row *row = scenario_registry; row->name; row++) {
		const struct bench_scenario *s = row->scenario;
		const char *unit = s->per_huge_page ? "huge page" : "page";

		(void)fputs("# ", stdout);
		text_put_scdoc(stdout, row->name);
		(void)puts("\n");
		text_put_scdoc(stdout, s->title);
		(void)puts(".\n");
		text_put_scdoc(stdout, s->question);
		(void)printf("\n\nClaims %g to %g minor and %g to %g major faults a %s%s%s.\n\n",
			     s->minor_per_page.lo, s->minor_per_page.hi, s->major_per_page.lo,
			     s->major_per_page.hi, unit,
			     s->kernel_decides ? " (the kernel decides how many)" : "",
			     s->populates ? ", and no trap" : "");
		for (size_t i = 0; i < BENCH_MAX_NEEDS && s->needs[i]; i++) {
			(void)fputs(i ? ", " : "Needs ", stdout);
			text_put_scdoc(stdout, s->needs[i]->title);
		}
		(void)puts(".\n");
	}
}

/* A paragraph behind a word. */
static void finding_part(const char *head, const char *text)
{
	(void)printf("*%s*\n\t", head);
	text_put_scdoc(stdout, text);
	(void)puts("\n");
}

static void findings_page(void)
{
	(void)puts(
		"pagetoll-findings(7)\n\n# NAME\n\npagetoll-findings - what *pagetoll trace* can find in a bill of "
		"page faults\n");
	(void)puts(
		"# DESCRIPTION\n\nA finding is one cause of what page faults cost. *pagetoll trace* and *pagetoll show* "
		"name those of a bill, the dearest first, each with its evidence, its place in the code and what to do; "
		"*pagetoll explain*(1) prints the texts below.\n\n"
		"Each place of a bill belongs to one finding at the most, so that no time is told twice; where several "
		"would fit, the more special one has it. A finding is named where it takes a twentieth of the time of "
		"the thread that decides, or is the dearest; a fault that ends in a signal always. Time decides, never "
		"the number of faults.\n");
	for (const struct diagnose_row *row = finding_registry; row->id; row++) {
		const struct diagnose_finding *f = row->finding;

		(void)printf("# %s\n\n", row->id);
		text_put_scdoc(stdout, f->title);
		(void)puts("\n");
		finding_part("what", f->what);
		finding_part("told", f->told);
		finding_part("do", f->todo);
		finding_part("can be wrong", f->false_alarm);
	}
	(void)puts("# SEE ALSO\n\n*pagetoll-explain*(1), *pagetoll-trace*(1), *pagetoll-show*(1)");
}

static void finding_names(void)
{
	for (const struct diagnose_row *row = finding_registry; row->id; row++)
		(void)printf(" %s", row->id);
}

static void bench_names(void)
{
	for (const struct bench_registry_row *row = scenario_registry; row->name; row++)
		(void)printf(" %s", row->name);
	for (const struct suite_row *row = suite_registry; row->name; row++)
		(void)printf(" %s", row->name);
}

/* Operands of commands that take names which are known. */
static const struct {
	const char *command;
	void (*print)(void);
} operands[] = {
	{"bench", bench_names},
	{"explain", finding_names},
};

static void operand_names(const char *command)
{
	for (size_t i = 0; i < ARRAY_LEN(operands); i++)
		if (strcmp(operands[i].command, command) == 0)
			operands[i].print();
}

static void completion(void)
{
	(void)puts("# bash completion for pagetoll; made from the option tables");
	(void)puts("_pagetoll() {");
	(void)puts("\tlocal word=${COMP_WORDS[COMP_CWORD]} names");
	(void)puts("\tcase ${COMP_WORDS[1]} in");
	for (const struct command_row *row = command_registry; row->name; row++) {
		if (row->command->hidden)
			continue;
		(void)printf("\t%s) names=\"", row->name);
		option_print_words(row->command->options, stdout);
		operand_names(row->name);
		(void)puts("\" ;;");
	}
	(void)fputs("\t*) names=\"", stdout);
	for (const struct command_row *row = command_registry; row->name; row++)
		if (!row->command->hidden)
			(void)printf("%s ", row->name);
	(void)puts("help\" ;;\n\tesac");
	(void)puts("\tmapfile -t COMPREPLY < <(compgen -W \"$names\" -- \"$word\")\n}");
	(void)puts("complete -o default -F _pagetoll pagetoll");
}

static int cmd_manual(const struct command_call *call)
{
	static const struct option_row none[] = {OPTION_END};
	const char *what = call->n_operands == 1 ? call->operands[0] : "";
	const struct command *command = command_find(what);

	if (strcmp(what, "scenarios") == 0) {
		scenarios_page();
	} else if (strcmp(what, "findings") == 0) {
		findings_page();
	} else if (strcmp(what, "completion") == 0) {
		completion();
	} else if (command) {
		struct command with_rows = *command;

		with_rows.options = command->options ? command->options : none;
		command_page(what, &with_rows);
	} else {
		return cli_fail(EXIT_USAGE,
				"manual: name a command, 'scenarios', 'findings' or 'completion'");
	}
	return EXIT_OK;
}

COMMAND(manual) = {
	.summary = "prints manual sources and the completion",
	.usage = "COMMAND|scenarios|findings|completion",
	.about =
		"Prints the manual page of a command, of the scenarios or of the findings, as scdoc source; or the "
		"completion for bash. All are made from the same tables as --help.",
	.hidden = true,
	.main = cmd_manual,
};
