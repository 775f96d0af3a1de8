/* SPDX-License-Identifier: MIT */
/* pagetoll explain: what a finding is, how it is told from its like, what to do, and when it can be wrong. */
#include "src/base/array.h"
#include "src/base/json_write.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/exit.h"
#include "src/diagnose/diagnose.h"
#include "src/model/trace.h"
#include "src/report/table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	HEAD = 14,        /* column behind the longest head */
	WIDTH = 100,      /* where there is no terminal, as of other reports */
	LEAST_TITLE = 12, /* columns that a title is cut to at the most */
	ID_BYTES = sizeof(((struct model_finding *)0)->id),
};

struct explain_options {
	struct cli_output output; /* format, json and color alone */
};

static const struct explain_options defaults = {.output = CLI_OUTPUT_DEFAULTS};

static const char *const formats[] = {"text", "json", NULL};

static const struct option_row options[] = {
	{.name = "format",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct explain_options, output.format),
	 .metavar = "FORMAT",
	 .help = "text or json (default text)",
	 .choices = formats},
	{.name = "json",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct explain_options, output.json),
	 .help = "short for --format json",
	 .implies = "format"},
	{.name = "color",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct explain_options, output.color),
	 .metavar = "WHEN",
	 .help = "auto, always or never (default auto: on a terminal, unless NO_COLOR is set)",
	 .choices = cli_color_names},
	OPTION_END,
};

/* The findings that were asked for, each once, in the order of the command line. */
struct choice {
	struct diagnose_row *rows; /* owned; room for all there are */
	size_t n;
};

/* --- names ------------------------------------------------------------------------------------------------- */

/* "First_Touch" is first-touch. What is longer than any name is cut, and then is none. */
static void spell(const char *word, char ret_id[ID_BYTES])
{
	static const char from[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_",
			  to[] = "abcdefghijklmnopqrstuvwxyz-";
	const char *at;

	text_copy(ret_id, ID_BYTES, word);
	for (char *c = ret_id; *c; c++) {
		at = strchr(from, *c);
		if (at)
			*c = to[at - from];
	}
}

static int unknown(const char *word, const char *id)
{
	struct cli_names names = {.n = 0};
	const char *near;

	for (const struct diagnose_row *row = finding_registry; row->id; row++)
		cli_names_add(&names, row->id);
	near = cli_names_nearest(&names, id);
	if (near)
		return cli_fail(
			EXIT_USAGE,
			"explain: no finding '%s'; did you mean '%s'? 'pagetoll explain' names them",
			word, near);
	return cli_fail(EXIT_USAGE, "explain: no finding '%s'; 'pagetoll explain' names them",
			word);
}

static void add(struct choice *choice, const struct diagnose_row *row)
{
	for (size_t i = 0; i < choice->n; i++)
		if (choice->rows[i].finding == row->finding)
			return;
	choice->rows[choice->n++] = *row;
}

/* Without names: all. 0 or an exit status. */
static int choose(int n_names, char **names, struct choice *ret)
{
	const struct diagnose_row *row;
	size_t n_all = 0;
	char id[ID_BYTES];

	for (row = finding_registry; row->id; row++)
		n_all++;
	*ret = (struct choice){.rows = calloc(n_all + 1, sizeof(*ret->rows))};
	if (!ret->rows)
		return cli_fail(EXIT_SYSTEM, "explain: no memory");
	for (row = finding_registry; row->id && n_names == 0; row++)
		add(ret, row);
	for (int i = 0; i < n_names; i++) {
		spell(names[i], id);
		row = diagnose_find(id);
		if (!row)
			return unknown(names[i], id);
		add(ret, row);
	}
	return 0;
}

/* --- what is said -------------------------------------------------------------------------------------------- */

static void print_part(const struct report_style *style, const char *head, const char *text)
{
	(void)printf("%-*s", HEAD, head);
	option_print_folded(stdout, text, HEAD, HEAD, style->width ? style->width : WIDTH);
}

static void print_finding(const struct diagnose_row *row, const struct report_style *style)
{
	static const enum report_paint paints[MODEL_N_SEVERITIES] = {
		[MODEL_SEVERITY_NOTE] = PAINT_NONE,
		[MODEL_SEVERITY_COSTS] = PAINT_WARN,
		[MODEL_SEVERITY_FAILED] = PAINT_BAD,
	};
	const struct diagnose_finding *f = row->finding;
	size_t column = strlen(row->id) + 2;

	report_paint(stdout, style, paints[f->severity], row->id);
	(void)fputs(": ", stdout);
	option_print_folded(stdout, f->title, 0, column, style->width ? style->width : WIDTH);
	print_part(style, "what", f->what);
	print_part(style, "told", f->told);
	print_part(style, "do", f->todo);
	print_part(style, "can be wrong", f->false_alarm);
	print_part(style, "shown by", "pagetoll trace CMD");
}

static void explain_text(const struct choice *choice, const struct report_style *style)
{
	for (size_t i = 0; i < choice->n; i++) {
		if (i > 0)
			(void)putchar('\n');
		print_finding(&choice->rows[i], style);
	}
}

static void name_all(const struct choice *all, const struct report_style *style)
{
	static const struct table_column columns[] = {{"FINDING", false, 0}, {"WHAT", false, 0}};
	char hidden[TABLE_CELL];
	struct table t;

	table_init(&t, columns, ARRAY_LEN(columns));
	t.least[1] = LEAST_TITLE;
	for (size_t i = 0; i < all->n; i++)
		table_add(&t, (const char *[]){all->rows[i].id, all->rows[i].finding->title});
	(void)table_fit(&t, style->width, hidden, sizeof(hidden));
	table_print(&t, stdout);
	table_fini(&t);
	(void)putchar('\n');
	option_print_folded(
		stdout,
		"'pagetoll explain FINDING' says how one is told and what to do; 'pagetoll trace CMD' "
		"looks for them.",
		0, 0, style->width ? style->width : WIDTH);
}

static void explain_json(const struct choice *choice)
{
	struct json_writer w;

	json_put_start(&w, stdout);
	json_put_object(&w, NULL);
	json_put_u64(&w, "schema", MODEL_SCHEMA);
	json_put_string(&w, "kind", "explain");
	json_put_array(&w, "findings");
	for (size_t i = 0; i < choice->n; i++) {
		const struct diagnose_finding *f = choice->rows[i].finding;

		json_put_object(&w, NULL);
		json_put_string(&w, "id", choice->rows[i].id);
		json_put_string(&w, "title", f->title);
		json_put_string(&w, "what", f->what);
		json_put_string(&w, "told", f->told);
		json_put_string(&w, "todo", f->todo);
		json_put_string(&w, "false_alarm", f->false_alarm);
		json_put_string(&w, "severity", model_severity_names[f->severity]);
		json_put_end_object(&w);
	}
	json_put_end_array(&w);
	json_put_end_object(&w);
	json_put_finish(&w);
}

static int cmd_explain(const struct command_call *call)
{
	const struct explain_options *o = call->config;
	struct report_style style = cli_style(&o->output, stdout);
	struct choice choice;
	int r = choose(call->n_operands, call->operands, &choice);

	if (r != 0)
		; /* nothing is explained where one of several names is wrong */
	else if (strcmp(o->output.format, "json") == 0)
		explain_json(&choice);
	else if (call->n_operands)
		explain_text(&choice, &style);
	else
		name_all(&choice, &style);
	free(choice.rows);
	return r;
}

COMMAND(explain) = {
	.summary = "says what a finding is, how it is told and what to do",
	.usage = "[--json] [FINDING...]",
	.about =
		"A finding is one cause of what page faults cost, as 'pagetoll trace' and 'pagetoll show' name it. "
		"Says of each that is named what it is, how it is told from its like, what to do about it, and when it can "
		"be wrong; without a name it lists all there are. Underscores in place of dashes and capital letters are "
		"taken, too. Measures nothing.\n"
		"Exit status: 0; 2 there is no such finding.",
	.examples = "  pagetoll explain                           the list\n"
		    "  pagetoll explain first-touch               one of them\n"
		    "  pagetoll explain cold-file cache-thrash    two that look alike\n",
	.options = options,
	.config_bytes = sizeof(struct explain_options),
	.defaults = &defaults,
	.main = cmd_explain,
};
