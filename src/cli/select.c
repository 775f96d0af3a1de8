/* SPDX-License-Identifier: MIT */
/* Names on bench's command line become rows of the price list. */
#include "src/cli/select.h"

#include "src/base/why.h"
#include "src/cli/command.h"
#include "src/cli/suites.h"
#include "src/scenarios/registry.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int add_request(struct selection *sel, const struct bench_request *request, struct why *why)
{
	for (size_t i = 0; i < sel->n_requests; i++)
		if (sel->requests[i].row == request->row &&
		    strcmp(sel->requests[i].article, request->article) == 0 &&
		    sel->requests[i].size_bytes == request->size_bytes)
			return 0;
	if (sel->n_requests == SELECT_MAX_REQUESTS)
		return why_set(why, -E2BIG, "more than %d scenarios named", SELECT_MAX_REQUESTS);
	sel->requests[sel->n_requests++] = *request;
	return 0;
}

static int add_scenario(struct selection *sel, const struct bench_registry_row *row,
			struct why *why)
{
	struct bench_request request = {
		.row = row,
		.article = "",
		.published = {NAN, NAN, NAN, NAN},
	};

	return add_request(sel, &request, why);
}

static int add_suite_row(struct selection *sel, const struct model_suite *suite,
			 const struct model_suite_row *row, struct why *why)
{
	struct bench_request request = {
		.article = row->article,
		.published = row->published,
		.size_bytes = row->size_bytes ? row->size_bytes : suite->head.size_bytes,
		.own_size = row->size_bytes != 0,
	};
	int r = 0;

	for (const struct bench_registry_row *s = scenario_registry; s->name && r == 0; s++) {
		if (fnmatch(row->scenario, s->name, 0) != 0)
			continue;
		request.row = s;
		r = add_request(sel, &request, why);
	}
	if (!request.row)
		return why_set(why, -EINVAL, "suite %s names an unknown scenario '%s'",
			       suite->head.name, row->scenario);
	return r;
}

static int load_suites(struct selection *sel, struct why *why)
{
	for (const struct suite_row *row = suite_registry; row->name; row++) {
		int r;

		if (sel->n_suites == SELECT_MAX_SUITES)
			return why_set(why, -E2BIG, "more than %d suites compiled in",
				       SELECT_MAX_SUITES);
		r = model_suite_parse(row->name, row->text, &sel->suites[sel->n_suites], why);
		if (r < 0)
			return r;
		sel->n_suites++;
	}
	return 0;
}

/* Each returns 1 where the name was one of its kind, 0 where not, or a negative errno. */

static int try_suite(struct selection *sel, const char *name, struct why *why)
{
	for (size_t i = 0; i < sel->n_suites; i++) {
		const struct model_suite *suite = sel->suites[i];
		int r = 0;

		if (strcmp(suite->head.name, name) != 0)
			continue;
		if (sel->whole != suite)
			sel->n_whole++;
		sel->whole = suite;
		for (unsigned k = 0; k < suite->n_rows && r == 0; k++)
			r = add_suite_row(sel, suite, &suite->rows[k], why);
		return r < 0 ? r : 1;
	}
	return 0;
}

static int try_scenario(struct selection *sel, const char *name, struct why *why)
{
	const struct bench_registry_row *row = bench_registry_find(scenario_registry, name);
	int r;

	if (!row)
		return 0;
	r = add_scenario(sel, row, why);
	return r < 0 ? r : 1;
}

static int try_article(struct selection *sel, const char *name, struct why *why)
{
	for (size_t i = 0; i < sel->n_suites; i++) {
		const struct model_suite *suite = sel->suites[i];

		for (unsigned k = 0; k < suite->n_rows; k++) {
			int r;

			if (!*name || strcmp(suite->rows[k].article, name) != 0)
				continue;
			r = add_suite_row(sel, suite, &suite->rows[k], why);
			return r < 0 ? r : 1;
		}
	}
	return 0;
}

static int try_glob_of_scenarios(struct selection *sel, const char *name, struct why *why)
{
	int found = 0;

	for (const struct bench_registry_row *row = scenario_registry; row->name; row++) {
		int r;

		if (fnmatch(name, row->name, 0) != 0)
			continue;
		r = add_scenario(sel, row, why);
		if (r < 0)
			return r;
		found = 1;
	}
	return found;
}

/* Rows of suites join by the article's names, save those whose scenario the glob names anyway: 'anon_*'
 * prices each scenario once. */
static int try_glob(struct selection *sel, const char *name, struct why *why)
{
	int found = try_glob_of_scenarios(sel, name, why);

	for (size_t i = 0; i < sel->n_suites && found >= 0; i++) {
		const struct model_suite *suite = sel->suites[i];

		for (unsigned k = 0; k < suite->n_rows; k++) {
			const struct model_suite_row *row = &suite->rows[k];
			int r;

			if (!*row->article || fnmatch(name, row->article, 0) != 0 ||
			    fnmatch(name, row->scenario, 0) == 0)
				continue;
			r = add_suite_row(sel, suite, row, why);
			if (r < 0)
				return r;
			found = 1;
		}
	}
	return found;
}

static int unknown_name(const struct selection *sel, const char *name, struct why *why)
{
	struct cli_names names = {.n = 0};
	const char *near;

	for (const struct bench_registry_row *row = scenario_registry; row->name; row++)
		cli_names_add(&names, row->name);
	for (size_t i = 0; i < sel->n_suites; i++) {
		cli_names_add(&names, sel->suites[i]->head.name);
		for (unsigned k = 0; k < sel->suites[i]->n_rows; k++)
			cli_names_add(&names, sel->suites[i]->rows[k].article);
	}
	near = cli_names_nearest(&names, name);
	if (near)
		return why_set(why, -EINVAL, "no scenario or suite '%s'; did you mean '%s'?", name,
			       near);
	return why_set(why, -EINVAL, "no scenario or suite '%s'; 'pagetoll list' names them", name);
}

int select_names(struct selection *sel, int n_names, char **names, struct why *why)
{
	static int (*const kinds[])(struct selection *, const char *, struct why *) = {
		try_suite,
		try_scenario,
		try_article,
		try_glob,
	};
	int r;

	*sel = (struct selection){.n_requests = 0};
	r = load_suites(sel, why);
	if (r == 0 && n_names == 0)
		r = try_suite(sel, SELECT_DEFAULT, why);
	for (int i = 0; i < n_names && r >= 0; i++) {
		r = 0;
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]) && r == 0; k++)
			r = kinds[k](sel, names[i], why);
		if (r == 0)
			r = unknown_name(sel, names[i], why);
	}
	if (r < 0)
		select_free(sel);
	return r < 0 ? r : 0;
}

void select_free(struct selection *sel)
{
	for (size_t i = 0; i < sel->n_suites; i++)
		free(sel->suites[i]);
	sel->n_suites = 0;
}
