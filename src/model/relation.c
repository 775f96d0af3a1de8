/* SPDX-License-Identifier: MIT */
/* Whether a suite's relations hold in a document, and what they differ by. */
#include "src/model/cause.h"
#include "src/model/figure.h"
#include "src/model/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void find_cause(const struct model_suite_relation *rel, const struct cause_case *c,
		       char *ret, size_t size)
{
	for (unsigned i = 0; i < rel->n_causes; i++)
		if (cause_check(rel->causes[i], c, ret, size))
			return;
	(void)snprintf(ret, size, "cause not found");
}

static bool is_priced(const struct model_scenario *s)
{
	return s && s->verdict != MODEL_INVALID && model_price(s)->n > 0;
}

/* It holds where the middle of what was measured lies inside the claim, and differs where all of it
 * lies outside; a middle outside whose interval reaches in says nothing. */
static void compare(const struct model_suite_relation *rel, struct figure f,
		    struct model_relation *ret)
{
	bool overlaps = !isnan(f.lo) && f.hi >= rel->lo && f.lo <= rel->hi;

	ret->holds = f.value >= rel->lo && f.value <= rel->hi;
	ret->measured = !isnan(f.value) && (ret->holds || !overlaps);
}

/* The source's number of faults in a pass says nothing of a pass of another size. */
static bool is_of_size(const struct model_suite *suite, const struct model_scenario *s)
{
	if (!suite->size_bytes || !suite->page_bytes)
		return true;
	return s->page_bytes == suite->page_bytes &&
	       s->n_pages == suite->size_bytes / suite->page_bytes;
}

static void judge(const struct model_suite *suite, const struct model_bench *doc,
		  const struct model_suite_relation *rel, struct model_relation *ret)
{
	const struct model_scenario *of = model_bench_find(doc, rel->of);
	const struct model_scenario *to = rel->to[0] ? model_bench_find(doc, rel->to) : NULL;
	const struct cause_case rows = {.doc = doc, .of = of, .to = to};
	const struct figure_row *row = figure_find(rel->figure);
	char figure[80];
	struct figure f;

	(void)snprintf(ret->text, sizeof(ret->text), "%s", rel->text);
	(void)snprintf(ret->figure, sizeof(ret->figure), "not measured");
	if (!row || !is_priced(of) || (rel->to[0] && !is_priced(to)))
		return;
	f = row->measure(of, to);
	compare(rel, f, ret);
	if (isnan(f.value)) {
		if (row->fact)
			(void)snprintf(ret->figure, sizeof(ret->figure), "%s",
				       sys_machine_text(&doc->machine, row->fact, "not measured"));
		return;
	}
	figure_print(row, f, figure, sizeof(figure));
	if (row->of_pass && !is_of_size(suite, of)) {
		ret->measured = ret->holds = false;
		(void)snprintf(ret->figure, sizeof(ret->figure),
			       "%s, but the source's pass is of another size", figure);
		return;
	}
	(void)snprintf(ret->figure, sizeof(ret->figure), "%s%s", figure,
		       ret->measured ? "" : ", too wide to say");
	if (ret->measured && !ret->holds)
		find_cause(rel, &rows, ret->cause, sizeof(ret->cause));
}

bool model_relation_is_known(const struct model_suite_relation *relation, const char **ret_unknown)
{
	*ret_unknown = relation->figure;
	if (!figure_find(relation->figure))
		return false;
	for (unsigned c = 0; c < relation->n_causes; c++) {
		*ret_unknown = relation->causes[c];
		if (!cause_is_known(relation->causes[c]))
			return false;
	}
	return true;
}

void model_suite_judge(const struct model_suite *suite, struct model_bench *doc)
{
	doc->n_relations = 0;
	memset(doc->relations, 0, sizeof(doc->relations));
	for (unsigned i = 0; i < suite->n_relations; i++)
		judge(suite, doc, &suite->relations[i], &doc->relations[doc->n_relations++]);
}
