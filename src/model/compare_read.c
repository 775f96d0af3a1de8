/* SPDX-License-Identifier: MIT */
/* Reads a compare document: somebody's file, so nothing in it is trusted. */
#include "src/model/compare.h"

#include "src/base/array.h"
#include "src/base/why.h"
#include "src/model/document_read.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* No time in nanoseconds and no ratio of two is larger. */
#define MOST 1e15

/* All rows of both sides. */
enum { MAX_LEFT = 2 * MODEL_MAX_SCENARIOS };

static void read_side(struct json_reader *rd, const json_t *root, const char *key,
		      struct model_compare_side *side)
{
	const json_t *object = json_get_object(rd, root, key);
	uint64_t n_documents = 0, n_boots = 0;

	json_get_text(rd, object, "name", side->name, sizeof(side->name));
	json_get_u64(rd, object, "documents", &n_documents);
	json_get_u64(rd, object, "boots", &n_boots);
	json_get_text(rd, object, "first", side->first, sizeof(side->first));
	json_get_text(rd, object, "last", side->last, sizeof(side->last));
	side->n_documents = n_documents;
	side->n_boots = n_boots;
}

/* A time or a ratio of times: what is none, not above 0 or too large to print is not known. */
static void read_positive(struct json_reader *rd, const json_t *object, const char *key,
			  double *ret)
{
	json_get_double(rd, object, key, ret);
	if (!(*ret > 0 && *ret < MOST))
		*ret = NAN;
}

static void read_interval(struct json_reader *rd, const json_t *object,
			  struct model_compare_row *row)
{
	const json_t *pair = json_get_array(rd, object, "ci");
	const json_t *lo = json_array_get(pair, 0);
	const json_t *hi = json_array_get(pair, 1);

	if (!pair)
		return;
	if (json_array_size(pair) != 2 || !json_is_number(lo) || !json_is_number(hi)) {
		json_read_fail(rd, "a row's \"ci\" must be two numbers");
		return;
	}
	row->lo = json_number_value(lo);
	row->hi = json_number_value(hi);
	if (!(row->lo > 0 && row->lo <= row->ratio && row->ratio <= row->hi))
		json_read_fail(rd, "%s: the interval does not hold its ratio", row->scenario);
}

static void read_params(struct json_reader *rd, const json_t *object, struct model_compare_row *row)
{
	const json_t *params = json_get_object(rd, object, "params");

	json_get_u64(rd, params, "n_pages", &row->n_pages);
	json_get_u64(rd, params, "page_bytes", &row->page_bytes);
	json_get_u64(rd, params, "huge_page_bytes", &row->huge_page_bytes);
	json_get_text(rd, params, "pages", row->pages, sizeof(row->pages));
	json_get_u64(rd, params, "accesses", &row->n_accesses);
	json_get_u32(rd, params, "threads", &row->threads);
	json_get_text(rd, params, "access", row->access, sizeof(row->access));
	if (row->page_bytes && row->n_pages > INT64_MAX / row->page_bytes)
		json_read_fail(rd, "%s: touches more memory than there can be", row->scenario);
}

void model_compare_row_read(struct json_reader *rd, const json_t *object,
			    struct model_compare_row *row)
{
	static const struct model_scenario nothing;
	uint64_t n_a = 0, n_b = 0, n_known = 0;

	model_compare_row_init(row, &nothing);
	if (!json_is_object(object)) {
		json_read_fail(rd, "a row must be an object");
		return;
	}
	json_get_text(rd, object, "scenario", row->scenario, sizeof(row->scenario));
	json_get_text(rd, object, "article", row->article, sizeof(row->article));
	read_params(rd, object, row);
	json_get_text(rd, object, "unit", row->unit, sizeof(row->unit));
	read_positive(rd, object, "a", &row->a_ns);
	read_positive(rd, object, "b", &row->b_ns);
	json_get_u64(rd, object, "n_a", &n_a);
	json_get_u64(rd, object, "n_b", &n_b);
	json_get_u64(rd, object, "n_known", &n_known);
	row->n_a = n_a;
	row->n_b = n_b;
	row->n_known = n_known;
	read_positive(rd, object, "ratio", &row->ratio);
	read_interval(rd, object, row);
	json_get_double(rd, object, "detectable", &row->detectable);
	if (!(row->detectable >= 0 && row->detectable < MOST))
		row->detectable = NAN;
	json_get_double(rd, object, "p", &row->chance);
	if (!(row->chance >= 0 && row->chance <= 1))
		row->chance = NAN;
	json_get_text(rd, object, "reason", row->reason, sizeof(row->reason));
	row->verdict = model_change_judge(row->lo, row->hi); /* not what the document says it is */
}

static void read_history(struct json_reader *rd, const json_t *object, struct model_history *h)
{
	const json_t *history = json_get_object(rd, object, "history");
	const json_t *prices = json_get_array(rd, history, "prices");
	uint64_t n = 0;
	json_t *value;
	size_t i;

	*h = (struct model_history){.min_ns = NAN, .median_ns = NAN, .max_ns = NAN};
	json_get_u64(rd, history, "runs", &n);
	h->n = n;
	read_positive(rd, history, "min", &h->min_ns);
	read_positive(rd, history, "median", &h->median_ns);
	read_positive(rd, history, "max", &h->max_ns);
	json_array_foreach(prices, i, value) {
		double price = json_number_value(value);

		if (!json_is_number(value) || !(price > 0) || isinf(price) ||
		    h->n_prices == ARRAY_LEN(h->prices)) {
			json_read_fail(rd, "a history holds up to %d prices", MODEL_MAX_HISTORY);
			return;
		}
		h->prices[h->n_prices++] = price;
	}
}

static void read_row(struct json_reader *rd, const json_t *object, struct model_compare *doc)
{
	struct model_compare_row row;
	struct model_history *grown;

	model_compare_row_read(rd, object, &row);
	if (rd->r == 0 && doc->of_history) {
		grown = array_grow(doc->histories, doc->n_rows, sizeof(*grown));
		if (!grown) {
			json_read_fail(rd, "no memory for its histories");
			return;
		}
		doc->histories = grown;
		read_history(rd, object, &grown[doc->n_rows]);
	}
	if (rd->r == 0 && model_compare_add_row(doc, &row) < 0)
		json_read_fail(rd, "more rows than can be read");
}

static void read_facts(struct json_reader *rd, const json_t *root, struct model_compare *doc)
{
	const json_t *array = json_get_array(rd, root, "differs");
	json_t *value;
	size_t i;

	json_array_foreach(array, i, value) {
		struct model_compare_fact *fact = &doc->facts[i];

		if (i == ARRAY_LEN(doc->facts) || !json_is_object(value)) {
			json_read_fail(rd, "\"differs\" holds up to %zu facts",
				       ARRAY_LEN(doc->facts));
			return;
		}
		json_get_text(rd, value, "fact", fact->key, sizeof(fact->key));
		json_get_text(rd, value, "a", fact->a, sizeof(fact->a));
		json_get_text(rd, value, "b", fact->b, sizeof(fact->b));
		doc->n_facts++;
	}
}

static void read_left(struct json_reader *rd, const json_t *root, struct model_compare *doc)
{
	const json_t *array = json_get_array(rd, root, "not_compared");
	json_t *value;
	size_t i;

	json_array_foreach(array, i, value) {
		struct model_compare_left left = {.scenario = ""};

		if (!json_is_object(value))
			json_read_fail(rd, "\"not_compared\" must hold objects");
		json_get_text(rd, value, "scenario", left.scenario, sizeof(left.scenario));
		json_get_text(rd, value, "article", left.article, sizeof(left.article));
		json_get_text(rd, value, "reason", left.reason, sizeof(left.reason));
		if (rd->r == 0 && (i == MAX_LEFT || model_compare_leave(doc, &left) < 0))
			json_read_fail(rd, "more rows than can be read");
		if (rd->r < 0)
			return;
	}
}

static void read_document(struct json_reader *rd, const json_t *root, struct model_compare *doc)
{
	const json_t *tool = json_get_object(rd, root, "tool");
	const json_t *rows = json_get_array(rd, root, "rows");
	json_t *value;
	size_t i;

	json_get_text(rd, tool, "version", doc->tool_version, sizeof(doc->tool_version));
	json_get_text(rd, root, "started", doc->started, sizeof(doc->started));
	json_get_bool(rd, root, "of_history", &doc->of_history);
	json_get_bool(rd, root, "by_boots", &doc->by_boots);
	read_side(rd, root, "a", &doc->a);
	read_side(rd, root, "b", &doc->b);
	read_facts(rd, root, doc);
	json_array_foreach(rows, i, value) {
		read_row(rd, value, doc);
		if (rd->r < 0)
			return;
	}
	read_left(rd, root, doc);
	model_warnings_read(rd, root, "warnings", doc->warnings, &doc->n_warnings);
}

struct model_compare *model_compare_from_json(struct json_reader *rd, const json_t *root)
{
	struct model_compare *doc = model_compare_new();

	if (!doc) {
		rd->r = why_set(rd->why, -ENOMEM, "%s: no memory to read it", rd->name);
		return NULL;
	}
	read_document(rd, root, doc);
	if (rd->r == 0)
		return doc;
	model_compare_free(doc);
	return NULL;
}
