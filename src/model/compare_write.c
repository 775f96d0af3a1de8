/* SPDX-License-Identifier: MIT */
/* The compare document as JSON, schema 1. */
#include "src/model/compare.h"

#include "src/base/json_write.h"

#include <math.h>

static void write_side(struct json_writer *w, const char *key,
		       const struct model_compare_side *side)
{
	json_put_object_flat(w, key);
	json_put_string(w, "name", side->name);
	json_put_u64(w, "documents", side->n_documents);
	json_put_u64(w, "boots", side->n_boots);
	json_put_string(w, "first", side->first);
	json_put_string(w, "last", side->last);
	json_put_end_object(w);
}

static void write_params(struct json_writer *w, const struct model_compare_row *row)
{
	json_put_object_flat(w, "params");
	json_put_u64(w, "n_pages", row->n_pages);
	json_put_u64(w, "page_bytes", row->page_bytes);
	if (row->huge_page_bytes)
		json_put_u64(w, "huge_page_bytes", row->huge_page_bytes);
	if (row->pages[0])
		json_put_string(w, "pages", row->pages);
	if (row->n_accesses)
		json_put_u64(w, "accesses", row->n_accesses);
	json_put_u64(w, "threads", row->threads);
	json_put_string(w, "access", row->access);
	json_put_end_object(w);
}

static void write_figures(struct json_writer *w, const struct model_compare_row *row)
{
	json_put_double(w, "a", row->a_ns);
	json_put_double(w, "b", row->b_ns);
	json_put_u64(w, "n_a", row->n_a);
	json_put_u64(w, "n_b", row->n_b);
	if (row->n_known)
		json_put_u64(w, "n_known", row->n_known);
	json_put_double(w, "ratio", row->ratio);
	if (isfinite(row->lo) && isfinite(row->hi)) {
		json_put_array_flat(w, "ci");
		json_put_double(w, NULL, row->lo);
		json_put_double(w, NULL, row->hi);
		json_put_end_array(w);
	} else {
		json_put_null(w, "ci");
	}
	json_put_double(w, "detectable", row->detectable);
	if (!isnan(row->chance))
		json_put_double(w, "p", row->chance);
	json_put_string(w, "verdict", model_change_name(row->verdict));
	json_put_string(w, "reason", row->reason[0] ? row->reason : NULL);
}

static void write_names(struct json_writer *w, const char *scenario, const char *article)
{
	json_put_string(w, "scenario", scenario);
	if (*article)
		json_put_string(w, "article", article);
}

static void write_row(struct json_writer *w, const struct model_compare_row *row,
		      const struct model_history *history)
{
	json_put_object(w, NULL);
	write_names(w, row->scenario, row->article);
	write_params(w, row);
	json_put_string(w, "unit", row->unit);
	write_figures(w, row);
	if (history) {
		json_put_object_flat(w, "history");
		json_put_u64(w, "runs", history->n);
		json_put_double(w, "min", history->min_ns);
		json_put_double(w, "median", history->median_ns);
		json_put_double(w, "max", history->max_ns);
		json_put_array(w, "prices");
		for (size_t i = 0; i < history->n_prices; i++)
			json_put_double(w, NULL, history->prices[i]);
		json_put_end_array(w);
		json_put_end_object(w);
	}
	json_put_end_object(w);
}

void model_compare_row_write(struct json_writer *w, const struct model_compare_row *row)
{
	write_row(w, row, NULL);
}

static void write_facts(struct json_writer *w, const struct model_compare *doc)
{
	json_put_array(w, "differs");
	for (size_t i = 0; i < doc->n_facts; i++) {
		json_put_object_flat(w, NULL);
		json_put_string(w, "fact", doc->facts[i].key);
		json_put_string(w, "a", doc->facts[i].a);
		if (!doc->of_history)
			json_put_string(w, "b", doc->facts[i].b);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

static void write_left(struct json_writer *w, const struct model_compare *doc)
{
	json_put_array(w, "not_compared");
	for (size_t i = 0; i < doc->n_left; i++) {
		json_put_object_flat(w, NULL);
		write_names(w, doc->left[i].scenario, doc->left[i].article);
		json_put_string(w, "reason", doc->left[i].reason);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

void model_compare_write(const struct model_compare *doc, FILE *out)
{
	struct json_writer w;

	json_put_start(&w, out);
	json_put_object(&w, NULL);
	json_put_u64(&w, "schema", MODEL_SCHEMA);
	json_put_string(&w, "kind", "compare");
	json_put_object_flat(&w, "tool");
	json_put_string(&w, "name", "pagetoll");
	json_put_string(&w, "version", doc->tool_version);
	json_put_end_object(&w);
	json_put_string(&w, "started", doc->started);
	json_put_bool(&w, "of_history", doc->of_history);
	json_put_bool(&w, "by_boots", doc->by_boots);
	write_side(&w, "a", &doc->a);
	if (!doc->of_history)
		write_side(&w, "b", &doc->b);
	write_facts(&w, doc);
	json_put_array(&w, "rows");
	for (size_t i = 0; i < doc->n_rows; i++)
		write_row(&w, &doc->rows[i], doc->histories ? &doc->histories[i] : NULL);
	json_put_end_array(&w);
	write_left(&w, doc);
	model_warnings_write(&w, "warnings", doc->warnings, doc->n_warnings);
	json_put_end_object(&w);
	json_put_finish(&w);
}
