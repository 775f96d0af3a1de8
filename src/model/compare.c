/* SPDX-License-Identifier: MIT */
/* How a price has changed between two sides: the row of a comparison, and the verdict on it. */
#include "src/model/compare.h"

#include "src/base/json_write.h"
#include "src/base/text.h"

#include <math.h>

const char *model_change_name(enum model_change change)
{
	static const char *const names[] = {"cannot tell", "no change", "faster", "slower"};

	return names[change];
}

enum model_change model_change_judge(double lo, double hi)
{
	if (isnan(lo) || isnan(hi))
		return MODEL_CHANGE_UNKNOWN;
	if (lo > 1)
		return MODEL_CHANGE_SLOWER;
	if (hi < 1)
		return MODEL_CHANGE_FASTER;
	if (lo >= 1 - MODEL_CHANGE_SHARE && hi <= 1 + MODEL_CHANGE_SHARE)
		return MODEL_CHANGE_NONE;
	return MODEL_CHANGE_UNKNOWN;
}

void model_compare_row_init(struct model_compare_row *row, const struct model_scenario *s)
{
	*row = (struct model_compare_row){
		.n_pages = s->n_pages,
		.page_bytes = s->page_bytes,
		.huge_page_bytes = s->huge_page_bytes,
		.n_accesses = s->n_accesses,
		.threads = s->threads,
		.a_ns = NAN,
		.b_ns = NAN,
		.ratio = NAN,
		.lo = NAN,
		.hi = NAN,
		.detectable = NAN,
	};
	text_copy(row->scenario, sizeof(row->scenario), s->name);
	text_copy(row->article, sizeof(row->article), s->article);
	text_copy(row->pages, sizeof(row->pages), s->pages);
	text_copy(row->access, sizeof(row->access), s->access);
	text_copy(row->unit, sizeof(row->unit), s->n_accesses ? "ns/access" : "ns/page");
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

void model_compare_row_write(struct json_writer *w, const struct model_compare_row *row)
{
	json_put_object(w, NULL);
	json_put_string(w, "scenario", row->scenario);
	if (row->article[0])
		json_put_string(w, "article", row->article);
	write_params(w, row);
	json_put_string(w, "unit", row->unit);
	json_put_double(w, "a", row->a_ns);
	json_put_double(w, "b", row->b_ns);
	json_put_u64(w, "n_a", row->n_a);
	json_put_u64(w, "n_b", row->n_b);
	json_put_double(w, "ratio", row->ratio);
	if (isnan(row->lo)) {
		json_put_null(w, "ci");
	} else {
		json_put_array_flat(w, "ci");
		json_put_double(w, NULL, row->lo);
		json_put_double(w, NULL, row->hi);
		json_put_end_array(w);
	}
	json_put_double(w, "detectable", row->detectable);
	json_put_string(w, "verdict", model_change_name(row->verdict));
	json_put_string(w, "reason", row->reason[0] ? row->reason : NULL);
	json_put_end_object(w);
}
