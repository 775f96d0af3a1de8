/* SPDX-License-Identifier: MIT */
/* Reads suite files. */
#include "src/model/suite.h"

#include "src/base/text.h"
#include "src/base/units.h"
#include "src/base/why.h"
#include "src/model/json_read.h"
#include "src/model/relation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void read_size(struct json_reader *rd, const json_t *object, uint64_t *ret_bytes)
{
	struct why inner = {.text = ""};
	char size[32] = "";

	json_get_text(rd, object, "size", size, sizeof(size));
	if (size[0] && units_parse_bytes(size, ret_bytes, &inner) < 0)
		json_read_fail(rd, "%s", inner.text);
}

static void read_head(struct json_reader *rd, const json_t *root, struct model_suite *suite)
{
	char budget[32] = "60s";
	struct why inner = {.text = ""};

	text_copy(suite->head.name, sizeof(suite->head.name), rd->name);
	json_get_text(rd, root, "title", suite->head.title, sizeof(suite->head.title));
	json_get_text(rd, root, "source", suite->head.source, sizeof(suite->head.source));
	json_get_text(rd, root, "machine", suite->head.machine, sizeof(suite->head.machine));
	read_size(rd, root, &suite->head.size_bytes);
	json_get_u64(rd, root, "page_bytes", &suite->head.page_bytes);
	json_get_text(rd, root, "budget", budget, sizeof(budget));
	json_get_u64(rd, root, "trials", &suite->n_trials);
	json_get_u64(rd, root, "rounds", &suite->n_rounds);
	if (suite->n_trials > MODEL_MAX_TRIALS || suite->n_rounds > MODEL_MAX_TRIAL_ROUNDS)
		json_read_fail(rd, "asks for more trials or rounds than a run makes");
	if (units_parse_duration(budget, &suite->budget_ns, &inner) < 0)
		json_read_fail(rd, "%s", inner.text);
}

static void read_rows(struct json_reader *rd, const json_t *root, struct model_suite *suite)
{
	const json_t *rows = json_get_array(rd, root, "rows");
	json_t *value;
	size_t i;

	json_array_foreach(rows, i, value) {
		struct model_suite_row *row = &suite->rows[suite->n_rows];

		if (i == MODEL_MAX_SUITE_ROWS) {
			json_read_fail(rd, "has more than %d rows", MODEL_MAX_SUITE_ROWS);
			return;
		}
		row->published = (struct model_published){NAN, NAN, NAN, NAN};
		json_get_text(rd, value, "article", row->article, sizeof(row->article));
		json_get_text(rd, value, "scenario", row->scenario, sizeof(row->scenario));
		read_size(rd, value, &row->size_bytes);
		json_get_double(rd, value, "ns_per_page", &row->published.ns_per_page);
		json_get_double(rd, value, "ns_per_fault", &row->published.ns_per_fault);
		json_get_double(rd, value, "minor", &row->published.minor);
		json_get_double(rd, value, "major", &row->published.major);
		if (!row->scenario[0])
			json_read_fail(rd, "row %zu names no \"scenario\"", i);
		suite->n_rows++;
	}
}

static bool names_row(const struct model_suite *suite, const char *name)
{
	for (unsigned i = 0; i < suite->n_rows; i++)
		if (strcmp(suite->rows[i].article, name) == 0 ||
		    strcmp(suite->rows[i].scenario, name) == 0)
			return true;
	return false;
}

static void read_relation(struct json_reader *rd, const json_t *object,
			  const struct model_suite *suite, struct model_relation *ret)
{
	const struct model_claim *c = &ret->claim;
	struct why inner = {.text = ""};

	json_get_text(rd, object, "text", ret->text, sizeof(ret->text));
	model_claim_read(rd, object, &ret->claim);
	if (!model_claim_is_sound(c, &inner))
		json_read_fail(rd, "relation '%s': %s", ret->text, inner.text);
	if (!names_row(suite, c->of) || (c->to[0] && !names_row(suite, c->to)))
		json_read_fail(rd, "relation '%s' is between rows that are not there", ret->text);
}

static void read_relations(struct json_reader *rd, const json_t *root, struct model_suite *suite)
{
	const json_t *relations = json_get_array(rd, root, "relations");
	json_t *value;
	size_t i;

	json_array_foreach(relations, i, value) {
		if (i == MODEL_MAX_RELATIONS) {
			json_read_fail(rd, "has more than %d relations", MODEL_MAX_RELATIONS);
			return;
		}
		read_relation(rd, value, suite, &suite->relations[suite->n_relations++]);
	}
}

int model_suite_parse(const char *name, const char *text, struct model_suite **ret_suite,
		      struct why *why)
{
	struct json_reader rd = {.name = name, .why = why};
	struct model_suite *suite;
	json_t *root;

	root = json_read_text(&rd, text);
	if (!root)
		return rd.r;
	suite = calloc(1, sizeof(*suite));
	if (!suite) {
		json_decref(root);
		return why_set(why, -ENOMEM, "no memory for suite %s", name);
	}
	if (!json_is_object(root))
		json_read_fail(&rd, "a suite must be an object");
	read_head(&rd, root, suite);
	read_rows(&rd, root, suite);
	read_relations(&rd, root, suite);
	json_decref(root);
	if (rd.r < 0) {
		free(suite);
		return rd.r;
	}
	*ret_suite = suite;
	return 0;
}
