/* SPDX-License-Identifier: MIT */
/* Claims: read, written, and judged by what a document measured. */
#include "src/model/relation.h"

#include "src/base/json_write.h"
#include "src/base/text.h"
#include "src/base/why.h"
#include "src/model/cause.h"
#include "src/model/figure.h"
#include "src/model/suite.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- as JSON ---------------------------------------------------------------------------------------- */

static void read_causes(struct json_reader *rd, const json_t *object, struct model_claim *ret)
{
	const json_t *causes = json_get_array(rd, object, "causes");
	json_t *value;
	size_t i;

	json_array_foreach(causes, i, value) {
		if (i == MODEL_MAX_CAUSES || !json_is_string(value)) {
			json_read_fail(rd, "\"causes\" must be at most %d names", MODEL_MAX_CAUSES);
			return;
		}
		text_make_harmless(text_copy(ret->causes[ret->n_causes++], sizeof(ret->causes[0]),
					     json_string_value(value)));
	}
}

void model_claim_read(struct json_reader *rd, const json_t *object, struct model_claim *ret)
{
	*ret = (struct model_claim){.lo = NAN, .hi = NAN};
	json_get_text(rd, object, "figure", ret->figure, sizeof(ret->figure));
	json_get_text(rd, object, "of", ret->of, sizeof(ret->of));
	json_get_text(rd, object, "to", ret->to, sizeof(ret->to));
	json_get_double(rd, object, "lo", &ret->lo);
	json_get_double(rd, object, "hi", &ret->hi);
	read_causes(rd, object, ret);
}

void model_claim_write(struct json_writer *w, const struct model_claim *claim)
{
	json_put_string(w, "figure", claim->figure);
	json_put_string(w, "of", claim->of);
	if (claim->to[0])
		json_put_string(w, "to", claim->to);
	json_put_double(w, "lo", claim->lo);
	json_put_double(w, "hi", claim->hi);
	json_put_array(w, "causes");
	for (unsigned i = 0; i < claim->n_causes; i++)
		json_put_string(w, NULL, claim->causes[i]);
	json_put_end_array(w);
}

bool model_claim_is_sound(const struct model_claim *claim, struct why *why)
{
	const struct figure_row *row = figure_find(claim->figure);

	if (!row)
		return why_set(why, false, "nothing is called '%s'", claim->figure);
	for (unsigned i = 0; i < claim->n_causes; i++)
		if (!cause_is_known(claim->causes[i]))
			return why_set(why, false, "nothing is called '%s'", claim->causes[i]);
	if (!(claim->lo <= claim->hi))
		return why_set(why, false, "has no \"lo\" and \"hi\", or not in this order");
	if ((row->n_rows == 2) != (claim->to[0] != 0))
		return why_set(why, false, "'%s' is about %s", claim->figure,
			       row->n_rows == 2 ? "two rows: \"of\" and \"to\""
						: "one row: \"of\"");
	return true;
}

void model_claim_range(const struct model_claim *claim, char *ret, size_t size)
{
	const struct figure_row *row = figure_find(claim->figure);

	*ret = 0;
	if (row)
		(void)snprintf(ret, size, "%g to %g%s", claim->lo * row->scale,
			       claim->hi * row->scale, row->unit);
}

/* --- judging ------------------------------------------------------------------------------------------ */

static bool is_priced(const struct model_scenario *s)
{
	return s && s->verdict != MODEL_INVALID && model_price(s)->n > 0;
}

/*
 * It holds where the middle of what was measured lies inside the claim, and differs where all of it
 * lies outside. A middle outside whose interval reaches in says nothing; nor does a middle inside,
 * where the interval is more than twice as wide as the claim.
 */
static void compare(const struct model_claim *claim, struct figure f, struct model_relation *ret)
{
	bool overlaps = !isnan(f.lo) && f.hi >= claim->lo && f.lo <= claim->hi;
	bool is_wide = !isnan(f.lo) && f.hi - f.lo > 2 * (claim->hi - claim->lo);

	ret->holds = f.value >= claim->lo && f.value <= claim->hi;
	ret->measured = !isnan(f.value) && (ret->holds ? !is_wide : !overlaps);
}

/* The source's number of faults in a pass says nothing of a pass of another size. */
static bool is_of_size(const struct model_suite_head *suite, const struct model_scenario *s)
{
	if (!suite->size_bytes || !suite->page_bytes)
		return true;
	return s->page_bytes == suite->page_bytes &&
	       s->n_pages == suite->size_bytes / suite->page_bytes;
}

static void find_cause(const struct model_claim *claim, const struct cause_case *c, char *ret,
		       size_t size)
{
	for (unsigned i = 0; i < claim->n_causes; i++)
		if (cause_check(claim->causes[i], c, ret, size))
			return;
	(void)snprintf(ret, size, "cause not found");
}

/* What was measured, and what keeps it from being judged: "" where nothing does. */
static const char *doubt(const struct model_bench *doc, const struct figure_row *row,
			 const struct model_scenario *of, struct figure f,
			 const struct model_relation *r)
{
	if (row->of_size && !is_of_size(&doc->suite, of))
		return ", but the source's pass is of another size";
	if (row->has_interval && isnan(f.lo))
		return ", of one trial, too few to say";
	return r->measured ? "" : ", too wide to say";
}

static void judge(const struct model_bench *doc, struct model_relation *r)
{
	const struct model_claim *claim = &r->claim;
	const struct model_scenario *of = model_bench_find(doc, claim->of);
	const struct model_scenario *to = claim->to[0] ? model_bench_find(doc, claim->to) : NULL;
	const struct figure_row *row = figure_find(claim->figure);
	struct cause_case rows = {.doc = doc, .of = of, .to = to};
	const char *but;
	char text[80];
	struct figure f;

	r->holds = r->measured = false;
	r->cause[0] = 0;
	(void)snprintf(r->figure, sizeof(r->figure), "not measured");
	if (!is_priced(of) || (claim->to[0] && !is_priced(to)))
		return;
	f = row->measure(of, to);
	if (isnan(f.value)) {
		if (row->fact)
			(void)snprintf(r->figure, sizeof(r->figure), "%s",
				       model_not_counted(doc, row->fact));
		return;
	}
	compare(claim, f, r);
	figure_print(row, f, text, sizeof(text));
	but = doubt(doc, row, of, f, r);
	(void)snprintf(r->figure, sizeof(r->figure), "%s%s", text, but);
	r->measured = r->measured && !*but;
	r->holds = r->holds && r->measured;
	rows.is_below = f.value < claim->lo;
	if (r->measured && !r->holds)
		find_cause(claim, &rows, r->cause, sizeof(r->cause));
}

void model_bench_judge(struct model_bench *doc)
{
	for (unsigned i = 0; i < doc->n_relations; i++)
		if (model_claim_is_sound(&doc->relations[i].claim, NULL))
			judge(doc, &doc->relations[i]);
}

void model_suite_judge(const struct model_suite *suite, struct model_bench *doc)
{
	doc->suite = suite->head;
	doc->n_relations = suite->n_relations;
	memcpy(doc->relations, suite->relations, sizeof(doc->relations));
	model_bench_judge(doc);
}
