/* SPDX-License-Identifier: MIT */
/* What stands behind --ab: SETTING=a,b. */
#include "src/cli/ab.h"

#include "src/base/text.h"
#include "src/base/why.h"
#include "src/bench/registry.h"
#include "src/cli/command.h"
#include "src/settings/registry.h"

#include <errno.h>
#include <string.h>

static int unknown_setting(const char *name, struct why *why)
{
	struct cli_names names = {.n = 0};
	const char *near;

	for (const struct bench_setting_row *row = setting_registry; row->name; row++)
		cli_names_add(&names, row->name);
	near = cli_names_nearest(&names, name);
	if (near)
		return why_set(why, -EINVAL, "no setting '%s'; did you mean '%s'?", name, near);
	return why_set(why, -EINVAL, "no setting '%s'; 'pagetoll list' names them", name);
}

/* The name up to a dot, where the setting has something behind one. */
static int find_setting(const char *name, struct bench_ab *ab, struct why *why)
{
	char head[BENCH_SETTING_TEXT];
	const char *dot = strchr(name, '.');
	const struct bench_setting_row *row;

	text_copy(head, sizeof(head), name);
	if (dot && (size_t)(dot - name) < sizeof(head))
		head[dot - name] = 0;
	row = bench_setting_find(setting_registry, head);
	if (!row)
		return unknown_setting(head, why);
	if (row->setting->param && !(dot && dot[1]))
		return why_set(why, -EINVAL, "write %s.%s=a,b", row->name, row->setting->param);
	if (!row->setting->param && dot)
		return why_set(why, -EINVAL, "nothing stands behind a dot: %s", row->name);
	ab->row = row;
	for (size_t side = 0; dot && side < 2; side++)
		text_copy(ab->arms[side].param, sizeof(ab->arms[side].param), dot + 1);
	return 0;
}

static int split_values(const char *values, struct bench_ab *ab, struct why *why)
{
	const struct bench_setting *setting = ab->row->setting;
	const char *comma = values ? strchr(values, ',') : NULL;

	if (!setting->values)
		return values ? why_set(why, -EINVAL, "%s takes no values", ab->row->name) : 0;
	if (!comma || strchr(comma + 1, ','))
		return why_set(why, -EINVAL, "give %s two values parted by a comma: %s",
			       ab->row->name, setting->values);
	if (strlen(values) >= BENCH_SETTING_TEXT)
		return why_set(why, -EINVAL, "the values of %s are too long", ab->row->name);
	text_copy(ab->arms[0].value, sizeof(ab->arms[0].value), values);
	ab->arms[0].value[comma - values] = 0;
	text_copy(ab->arms[1].value, sizeof(ab->arms[1].value), comma + 1);
	if (strcmp(ab->arms[0].value, ab->arms[1].value) == 0)
		return why_set(why, -EINVAL,
			       "both values are alike; '--ab same' compares nothing with nothing");
	for (size_t side = 0; side < 2; side++)
		text_copy(ab->arms[side].other, sizeof(ab->arms[side].other),
			  ab->arms[1 - side].value);
	return 0;
}

/* Both are right by themselves; but together they may change nothing. */
static int check_together(const struct bench_ab *ab, struct why *why)
{
	const struct bench_setting *setting = ab->row->setting;

	if (!setting->pages || setting->pages(&ab->arms[0]) != setting->pages(&ab->arms[1]))
		return 0;
	return why_set(why, -EINVAL, "%s and %s give the same pages here", ab->arms[0].value,
		       ab->arms[1].value);
}

int cli_ab_parse(const char *text, const char *dir, struct bench_ab *ret_ab, struct why *why)
{
	const char *values = strchr(text, '=');
	struct bench_ab ab = {.row = NULL};
	char name[BENCH_SETTING_TEXT];
	int r;

	if (strlen(text) >= 2UL * BENCH_SETTING_TEXT ||
	    (values ? (size_t)(values - text) : strlen(text)) >= sizeof(name))
		return why_set(why, -EINVAL, "too long");
	text_copy(name, sizeof(name), text);
	if (values)
		name[values - text] = 0;
	r = find_setting(name, &ab, why);
	if (r < 0 || !ab.row)
		return r;
	r = split_values(values ? values + 1 : NULL, &ab, why);
	for (size_t side = 0; side < 2 && r == 0; side++) {
		text_copy(ab.arms[side].dir, sizeof(ab.arms[side].dir), dir);
		if (ab.row->setting->check)
			r = ab.row->setting->check(&ab.arms[side], why);
	}
	if (r == 0)
		r = check_together(&ab, why);
	if (r == 0)
		*ret_ab = ab;
	return r;
}
