/* SPDX-License-Identifier: MIT */
/* pagetoll doctor: what this machine is and has for huge pages, what can be measured, and why not. */
#include "src/base/json_write.h"
#include "src/base/units.h"
#include "src/cli/changed.h"
#include "src/cli/command.h"
#include "src/cli/exit.h"
#include "src/model/bench.h"
#include "src/report/huge_pages.h"
#include "src/sys/huge_pages.h"
#include "src/sys/machine.h"
#include "src/sys/need.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct doctor_options {
	const char *dir;
	const char *format;
	bool json; /* sets format */
};

static const struct doctor_options defaults = {.format = "text"};

static const char *const formats[] = {"text", "json", NULL};

static const struct option_row options[] = {
	{.name = "dir",
	 .letter = 'd',
	 .type = OPTION_STRING,
	 .offset = offsetof(struct doctor_options, dir),
	 .metavar = "DIR",
	 .help = "directory whose disk and filesystem are looked at (default /var/tmp)"},
	{.name = "format",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct doctor_options, format),
	 .metavar = "FORMAT",
	 .help = "text or json (default text)",
	 .choices = formats},
	{.name = "json",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct doctor_options, json),
	 .help = "short for --format json",
	 .implies = "format"},
	OPTION_END,
};

static bool is_bytes(const char *key)
{
	size_t n = strlen(key);

	return n > 6 && strcmp(key + n - 6, "_bytes") == 0;
}

static void print_machine(const struct sys_machine *m)
{
	for (unsigned i = 0; i < m->n_facts; i++) {
		const struct sys_fact *f = &m->facts[i];

		if (!f->is_number)
			(void)printf("  %-24s%s\n", f->key, f->text);
		else if (is_bytes(f->key))
			(void)printf("  %-24s%s\n", f->key, units_bytes(f->number).s);
		else
			(void)printf("  %-24s%" PRIu64 "\n", f->key, f->number);
	}
}

static void doctor_text(const struct sys_machine *m, const struct sys_huge_pages *huge,
			const struct sys_env *env, size_t width)
{
	struct why why;
	int n_unmet = 0;

	(void)puts("this machine");
	print_machine(m);
	(void)puts("\nhuge pages");
	report_huge_pages(huge, stdout, width);
	(void)puts("\nwhat can be measured");
	for (size_t i = 0; sys_needs[i]; i++) {
		int r = sys_needs[i]->probe(env, &why);

		n_unmet += r != 0;
		(void)printf("  %-8s%s\n",
			     r == 0  ? "yes"
			     : r > 0 ? "no"
				     : "broken",
			     sys_needs[i]->title);
		if (r != 0) {
			(void)printf("%10s", "");
			option_print_folded(stdout, why.text, 10, 10, width ? width : 100);
		}
	}
	(void)printf("\n%s\n", n_unmet ? "What is missing above limits only what needs it."
				       : "Nothing is missing.");
	(void)puts("\nsettings changed by pagetoll");
	cli_changed_print(width);
}

static void doctor_json(const struct sys_machine *m, const struct sys_huge_pages *huge,
			const struct sys_env *env)
{
	struct json_writer w;
	struct why why;

	json_put_start(&w, stdout);
	json_put_object(&w, NULL);
	json_put_u64(&w, "schema", 1);
	json_put_string(&w, "kind", "doctor");
	model_machine_write(&w, m);
	report_huge_pages_json(huge, &w);
	json_put_array(&w, "needs");
	for (size_t i = 0; sys_needs[i]; i++) {
		int r = sys_needs[i]->probe(env, &why);

		json_put_object_flat(&w, NULL);
		json_put_string(&w, "name", sys_needs[i]->name);
		json_put_string(&w, "title", sys_needs[i]->title);
		json_put_bool(&w, "met", r == 0);
		json_put_string(&w, "reason", r ? why.text : NULL);
		json_put_end_object(&w);
	}
	json_put_end_array(&w);
	cli_changed_put(&w);
	json_put_end_object(&w);
	json_put_finish(&w);
}

static int cmd_doctor(const struct command_call *call)
{
	const struct doctor_options *o = call->config;
	struct {
		struct sys_huge_pages huge;
		struct sys_machine machine;
	} * found; /* more than a small stack should hold */
	struct sys_env env;
	int r;

	if (call->n_operands)
		return cli_fail(EXIT_USAGE, "doctor: takes no names");
	r = cli_choose_dir("doctor", o->dir, &env.dir);
	if (r != 0)
		return r;
	found = malloc(sizeof(*found));
	if (!found)
		return cli_fail(EXIT_SYSTEM, "doctor: no memory");
	sys_machine_probe(&found->machine, env.dir);
	sys_huge_pages_probe(&found->huge); /* before the needs, whose probes take some */
	if (strcmp(o->format, "json") == 0)
		doctor_json(&found->machine, &found->huge, &env);
	else
		doctor_text(&found->machine, &found->huge, &env, cli_terminal_width(STDOUT_FILENO));
	free(found);
	return EXIT_OK;
}

COMMAND(doctor) = {
	.summary = "says what this machine is and what can be measured",
	.usage = "[--json] [--dir DIR]",
	.about =
		"Looks at the machine as a document will record it, and probes each thing that scenarios "
		"need, by trying it. What is unmet comes with what was found and what would fix it. It "
		"also says how many huge pages free memory holds as it is fragmented, what the hugetlb pools "
		"hold, what the THP settings do to malloc'ed memory and to memory with MADV_HUGEPAGE, and which "
		"settings of the system a run of pagetoll has changed and not restored yet. "
		"Needs no root and changes nothing, save that any start as root restores what a killed run has left.",
	.examples = "  pagetoll doctor\n"
		    "  pagetoll doctor --dir /srv/db    another disk\n",
	.options = options,
	.config_bytes = sizeof(struct doctor_options),
	.defaults = &defaults,
	.main = cmd_doctor,
};
