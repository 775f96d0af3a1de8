/* SPDX-License-Identifier: MIT */
/* pagetoll list: scenarios, suites and settings, and what keeps a scenario from running here. */
#include "src/base/array.h"
#include "src/base/json_write.h"
#include "src/bench/scenario.h"
#include "src/cli/command.h"
#include "src/cli/exit.h"
#include "src/cli/suites.h"
#include "src/model/suite.h"
#include "src/report/table.h"
#include "src/scenarios/registry.h"
#include "src/settings/registry.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct list_options {
	const char *dir;
	const char *format;
	bool json; /* sets format */
};

static const struct list_options defaults = {.format = "text"};

static const char *const formats[] = {"text", "json", NULL};

static const struct option_row options[] = {
	{.name = "dir",
	 .letter = 'd',
	 .type = OPTION_STRING,
	 .offset = offsetof(struct list_options, dir),
	 .metavar = "DIR",
	 .help = "directory that file scenarios would use (default /var/tmp)"},
	{.name = "format",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct list_options, format),
	 .metavar = "FORMAT",
	 .help = "text or json (default text)",
	 .choices = formats},
	{.name = "json",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct list_options, json),
	 .help = "short for --format json",
	 .implies = "format"},
	OPTION_END,
};

/* "" where it can run, else the sentence. */
static void obstacle(const struct bench_scenario *s, const struct sys_env *env,
		     struct sys_answers *answers, struct why *ret)
{
	ret->text[0] = 0;
	if (s->unavailable) {
		(void)why_set(ret, 0, "%s", s->unavailable);
		return;
	}
	for (size_t i = 0; i < BENCH_MAX_NEEDS && s->needs[i]; i++)
		if (sys_ask(answers, s->needs[i], env, ret) != 0)
			return;
	ret->text[0] = 0;
}

static void list_scenarios(const struct sys_env *env)
{
	static const struct table_column columns[] = {
		{"SCENARIO", false, 0},
		{"RUNS HERE", false, 0},
		{"WHAT", false, 0},
	};
	struct sys_answers answers = {.n = 0};
	char *obstacles = NULL;
	size_t size = 0;
	struct table t;
	FILE *out;

	out = open_memstream(&obstacles, &size);
	table_init(&t, columns, ARRAY_LEN(columns));
	for (const struct bench_registry_row *row = scenario_registry; row->name; row++) {
		struct why why;

		obstacle(row->scenario, env, &answers, &why);
		if (out && why.text[0])
			(void)fprintf(out, "%s: %s\n", row->name, why.text);
		table_add(&t, (const char *[]){row->name, why.text[0] ? "no" : "yes",
					       row->scenario->title});
	}
	table_print(&t, stdout);
	table_fini(&t);
	if (out && fclose(out) == 0)
		(void)fputs(obstacles, stdout);
	free(obstacles);
}

static void list_suites(void)
{
	static const struct table_column columns[] = {{"SUITE", false, 0}, {"WHAT", false, 0}};
	struct table t;
	struct why why;

	table_init(&t, columns, ARRAY_LEN(columns));
	for (const struct suite_row *row = suite_registry; row->name; row++) {
		struct model_suite *suite = NULL;

		if (model_suite_parse(row->name, row->text, &suite, &why) < 0)
			continue;
		table_add(&t, (const char *[]){row->name, suite->head.title});
		free(suite);
	}
	table_print(&t, stdout);
	table_fini(&t);
}

/* "pages", "env.VARIABLE". */
static void name_setting(const struct bench_setting_row *row, char *ret_name, size_t size)
{
	(void)snprintf(ret_name, size, "%s%s%s", row->name, row->setting->param ? "." : "",
		       row->setting->param ? row->setting->param : "");
}

static void list_settings(void)
{
	static const struct table_column columns[] = {
		{"SETTING", false, 0},
		{"VALUES", false, 0},
		{"WHAT", false, 0},
	};
	char name[TABLE_CELL];
	struct table t;

	table_init(&t, columns, ARRAY_LEN(columns));
	for (const struct bench_setting_row *row = setting_registry; row->name; row++) {
		const struct bench_setting *s = row->setting;

		name_setting(row, name, sizeof(name));
		table_add(&t, (const char *[]){name, s->values ? s->values : "-", s->title});
	}
	table_print(&t, stdout);
	table_fini(&t);
}

static void list_text(const struct sys_env *env)
{
	list_scenarios(env);
	(void)putchar('\n');
	list_suites();
	(void)putchar('\n');
	list_settings();
}

static void put_settings(struct json_writer *w)
{
	char name[TABLE_CELL];

	json_put_array(w, "settings");
	for (const struct bench_setting_row *row = setting_registry; row->name; row++) {
		name_setting(row, name, sizeof(name));
		json_put_object_flat(w, NULL);
		json_put_string(w, "name", name);
		json_put_string(w, "values", row->setting->values);
		json_put_string(w, "title", row->setting->title);
		json_put_bool(w, "changes_system", row->setting->changes_system);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

static void list_json(const struct sys_env *env)
{
	struct sys_answers answers = {.n = 0};
	struct json_writer w;
	struct why why;

	json_put_start(&w, stdout);
	json_put_object(&w, NULL);
	json_put_u64(&w, "schema", MODEL_SCHEMA);
	json_put_string(&w, "kind", "list");
	json_put_array(&w, "scenarios");
	for (const struct bench_registry_row *row = scenario_registry; row->name; row++) {
		obstacle(row->scenario, env, &answers, &why);
		json_put_object_flat(&w, NULL);
		json_put_string(&w, "name", row->name);
		json_put_string(&w, "title", row->scenario->title);
		json_put_string(&w, "question", row->scenario->question);
		json_put_bool(&w, "runs", !why.text[0]);
		json_put_string(&w, "reason", why.text[0] ? why.text : NULL);
		json_put_end_object(&w);
	}
	json_put_end_array(&w);
	json_put_array(&w, "suites");
	for (const struct suite_row *row = suite_registry; row->name; row++) {
		struct model_suite *suite = NULL;

		if (model_suite_parse(row->name, row->text, &suite, &why) < 0)
			continue;
		json_put_object(&w, NULL);
		json_put_string(&w, "name", row->name);
		json_put_string(&w, "title", suite->head.title);
		json_put_string(&w, "source", suite->head.source);
		json_put_array(&w, "rows");
		for (unsigned i = 0; i < suite->n_rows; i++) {
			json_put_object_flat(&w, NULL);
			json_put_string(&w, "article", suite->rows[i].article);
			json_put_string(&w, "scenario", suite->rows[i].scenario);
			if (suite->rows[i].size_bytes)
				json_put_u64(&w, "size_bytes", suite->rows[i].size_bytes);
			json_put_end_object(&w);
		}
		json_put_end_array(&w);
		json_put_end_object(&w);
		free(suite);
	}
	json_put_end_array(&w);
	put_settings(&w);
	json_put_end_object(&w);
	json_put_finish(&w);
}

static int cmd_list(const struct command_call *call)
{
	const struct list_options *o = call->config;
	struct sys_env env;
	int r;

	if (call->n_operands)
		return cli_fail(EXIT_USAGE, "list: takes no names; 'pagetoll bench NAME' runs one");
	r = cli_choose_dir("list", o->dir, &env.dir);
	if (r != 0)
		return r;
	if (strcmp(o->format, "json") == 0)
		list_json(&env);
	else
		list_text(&env);
	return EXIT_OK;
}

COMMAND(list) = {
	.summary = "names the scenarios, the suites and the settings of --ab",
	.usage = "[--json] [--dir DIR]",
	.about =
		"Names every scenario and suite of this build, and every setting that 'bench --ab' can compare two "
		"values of. A scenario that cannot run here is listed "
		"all the same, with what was found and what would fix it.",
	.examples =
		"  pagetoll list\n"
		"  pagetoll list --dir /dev/shm     what a directory without a disk rules out\n",
	.options = options,
	.config_bytes = sizeof(struct list_options),
	.defaults = &defaults,
	.main = cmd_list,
};
