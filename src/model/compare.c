/* SPDX-License-Identifier: MIT */
/* How a price has changed between two sides: the row of a comparison, and the verdict on it. */
#include "src/model/compare.h"

#include "src/base/array.h"
#include "src/base/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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
		.chance = NAN,
	};
	text_copy(row->scenario, sizeof(row->scenario), s->name);
	text_copy(row->article, sizeof(row->article), s->article);
	text_copy(row->pages, sizeof(row->pages), s->pages);
	text_copy(row->access, sizeof(row->access), s->access);
	text_copy(row->unit, sizeof(row->unit), s->n_accesses ? "ns/access" : "ns/page");
}

struct model_compare *model_compare_new(void)
{
	return calloc(1, sizeof(struct model_compare));
}

void model_compare_free(struct model_compare *doc)
{
	if (!doc)
		return;
	free(doc->rows);
	free(doc->histories);
	free(doc->left);
	free(doc);
}

int model_compare_add_row(struct model_compare *doc, const struct model_compare_row *row)
{
	struct model_compare_row *grown;

	if (doc->n_rows == MODEL_MAX_SCENARIOS)
		return -E2BIG;
	grown = array_grow(doc->rows, doc->n_rows, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	doc->rows = grown;
	grown[doc->n_rows++] = *row;
	return 0;
}

int model_compare_leave(struct model_compare *doc, const struct model_compare_left *left)
{
	struct model_compare_left *grown = array_grow(doc->left, doc->n_left, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	doc->left = grown;
	grown[doc->n_left++] = *left;
	return 0;
}

bool model_compare_detectable(const struct model_compare_row *rows, size_t n_rows,
			      double *ret_least, double *ret_most)
{
	double least = NAN, most = NAN;

	for (size_t i = 0; i < n_rows; i++) {
		least = fmin(least, rows[i].detectable);
		most = fmax(most, rows[i].detectable);
	}
	if (isnan(least))
		return false;
	*ret_least = least;
	*ret_most = most;
	return true;
}
