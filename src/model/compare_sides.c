/* SPDX-License-Identifier: MIT */
/* Two sides compared row by row, or the latest run with the earlier ones. */
#include "src/model/compare.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/why.h"
#include "src/model/prices.h"
#include "src/model/side.h"
#include "src/stats/groups.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- headings ------------------------------------------------------------------------------------- */

/* Facts that change by themselves: they are no difference that anybody made. */
static const char *const passing[] = {"boot_id", "memory_available_bytes", "memory_limited_by"};

static bool is_passing(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(passing); i++)
		if (strcmp(passing[i], key) == 0)
			return true;
	return false;
}

static void compare_fact(struct model_compare *doc, const struct model_compare_input *in,
			 const char *key)
{
	struct model_compare_fact *fact = &doc->facts[doc->n_facts];

	if (is_passing(key) || doc->n_facts == ARRAY_LEN(doc->facts))
		return;
	for (size_t i = 0; i < doc->n_facts; i++)
		if (strcmp(doc->facts[i].key, key) == 0)
			return;
	model_side_fact_text(in->a, key, fact->a, sizeof(fact->a));
	model_side_fact_text(in->b, key, fact->b, sizeof(fact->b));
	if (strcmp(fact->a, fact->b) == 0)
		return;
	text_copy(fact->key, sizeof(fact->key), key);
	doc->n_facts++;
}

static void compare_facts(struct model_compare *doc, const struct model_compare_input *in)
{
	const char *key = NULL;

	for (size_t i = 0; i < in->a->n_facts; i++)
		compare_fact(doc, in, in->a->facts[i].key);
	for (size_t i = 0; i < in->b->n_facts; i++)
		compare_fact(doc, in, in->b->facts[i].key);
	if (!model_machine_is_same(&in->a->machine, &in->b->machine, &key) &&
	    (strcmp(key, "cpu") == 0 || strcmp(key, "architecture") == 0))
		model_warn(
			doc->warnings, &doc->n_warnings, "other-machine",
			"two machines are compared: their %s is not the same, so a change of a price "
			"need not come from what else differs",
			strcmp(key, "cpu") == 0 ? "CPU" : key);
}

static void fill_side(struct model_compare_side *ret, const struct model_side *side)
{
	text_copy(ret->name, sizeof(ret->name), side->name);
	ret->n_documents = side->n_documents;
	ret->n_boots = side->n_boots == 1 && !side->boots[0][0] ? 0 : side->n_boots;
	text_copy(ret->first, sizeof(ret->first), side->first);
	text_copy(ret->last, sizeof(ret->last), side->last);
}

/* All documents are of one boot, or of none that is told: only then do documents stand for what differs
 * between the sides. Else boots do. */
static bool in_same_boot(const struct model_side *a, const struct model_side *b)
{
	return a->n_boots == 1 && b->n_boots == 1 && strcmp(a->boots[0], b->boots[0]) == 0;
}

/* Whether the sides were measured one behind the other: then what drifts looks like a change. */
static bool one_after_the_other(const struct model_side *a, const struct model_side *b)
{
	return in_same_boot(a, b) && a->first[0] && b->first[0] &&
	       (strcmp(a->last, b->first) < 0 || strcmp(b->last, a->first) < 0);
}

static void warn_of_order(struct model_compare *doc, const struct model_side *a,
			  const struct model_side *b)
{
	bool a_first = strcmp(a->first, b->first) < 0;

	if (a->n_documents < MODEL_LEAST_RUNS || b->n_documents < MODEL_LEAST_RUNS)
		return;
	if (one_after_the_other(a, b))
		model_warn(
			doc->warnings, &doc->n_warnings, "one-after-the-other",
			"all of %s was measured before %s, so what drifts on the machine looks like "
			"a change: interleave the runs, or use 'bench --ab'",
			a_first ? "A" : "B", a_first ? "B" : "A");
}

static void warn_of_copies(struct model_compare *doc, const struct model_side *side,
			   const char *which)
{
	if (side->n_twice)
		model_warn(
			doc->warnings, &doc->n_warnings, "twice",
			"%zu documents of %s hold a run that another one holds, too: counted once",
			side->n_twice, which);
	if (side->n_two_sided)
		model_warn(doc->warnings, &doc->n_warnings, "two-sided",
			   "runs with two sides (--ab) among %s, left out: %zu", which,
			   side->n_two_sided);
}

static void warn_of_both(struct model_compare *doc, const struct model_compare_input *in)
{
	size_t n = 0;

	for (size_t i = 0; i < in->a->n_documents; i++)
		for (size_t k = 0; k < in->b->n_documents; k++)
			n += in->a->runs[i] == in->b->runs[k];
	if (n)
		model_warn(doc->warnings, &doc->n_warnings, "on-both-sides",
			   "the same run is on both sides (%zu times): that draws the ratio to 1",
			   n);
}

/* --- one row -------------------------------------------------------------------------------------- */

/* The median of the logarithms of a boot's prices; NaN where an earlier point is of that boot: it was told
 * then. scratch has room for all points. */
static double boot_median(const struct model_side_row *row, size_t i, double *scratch)
{
	size_t n = 0;

	for (size_t k = 0; k < i; k++)
		if (row->points[k].boot == row->points[i].boot)
			return NAN;
	for (size_t k = i; k < row->n_points; k++)
		if (row->points[k].boot == row->points[i].boot)
			scratch[n++] = row->points[k].log_ns;
	return stats_median(scratch, n);
}

/* Of logarithms of prices, one a unit: a boot, or a document. Empty where there is no memory. */
static struct stats_group group_of_units(const struct model_side_row *row, bool by_boots)
{
	double *units = calloc(2 * row->n_points + 1, sizeof(*units));
	struct stats_group group = {NAN, NAN, 0};
	size_t n = 0;

	if (!units)
		return group;
	for (size_t i = 0; i < row->n_points; i++) {
		units[n] = by_boots ? boot_median(row, i, units + row->n_points)
				    : row->points[i].log_ns;
		n += isnan(units[n]) ? 0 : 1;
	}
	group = stats_group_of(units, n);
	free(units);
	return group;
}

/* What a run of this row by itself is known to. */
static double mean_squared_error(const struct model_side_row *a, const struct model_side_row *b)
{
	const struct model_side_row *const rows[] = {a, b};
	double sum = 0;
	size_t n = 0;

	for (size_t r = 0; r < ARRAY_LEN(rows); r++)
		for (size_t i = 0; i < rows[r]->n_points; i++)
			if (!isnan(rows[r]->points[i].squared_error)) {
				sum += rows[r]->points[i].squared_error;
				n++;
			}
	return n ? sum / (double)n : 0;
}

/* How this row spreads among the known runs; n 0: they are too few. */
static struct stats_group known_group(const struct model_side *known,
				      const struct model_compare_row *head, bool by_boots)
{
	const struct model_side_row *row = known ? model_side_find(known, head) : NULL;
	struct stats_group group = {NAN, NAN, 0};

	if (row)
		group = group_of_units(row, by_boots);
	if (group.n < MODEL_LEAST_RUNS)
		group.n = 0;
	return group;
}

/* A side that is too small needs runs known of its own machine. */
static struct stats_spread known_spread(const struct model_compare_input *in, bool by_boots,
					struct model_compare_row *row)
{
	struct stats_group a = known_group(in->known_a, row, by_boots), b = {NAN, NAN, 0};

	if (in->known_b != in->known_a)
		b = known_group(in->known_b, row, by_boots);
	if ((row->n_a < MODEL_LEAST_RUNS && a.n == 0) ||
	    (row->n_b < MODEL_LEAST_RUNS && (in->known_b == in->known_a ? a.n : b.n) == 0))
		return (struct stats_spread){NAN, 0};
	row->n_known = a.n + b.n;
	return stats_spread_pooled(a, b);
}

/*
 * The compared runs' own spread where they are enough to know it: on both sides, or on one of two sides of one
 * machine, which then stands for both. Else that of saved runs.
 */
static struct stats_spread choose_spread(const struct model_compare_input *in, bool by_boots,
					 struct model_compare_row *row, struct stats_group a,
					 struct stats_group b)
{
	bool a_knows = a.n >= MODEL_LEAST_RUNS, b_knows = b.n >= MODEL_LEAST_RUNS;
	struct stats_spread own = stats_spread_pooled(a, b), known;

	if ((a_knows && b_knows) ||
	    ((a_knows || b_knows) && model_machine_is_same(&in->a->machine, &in->b->machine, NULL)))
		return own;
	known = known_spread(in, by_boots, row);
	if (known.df > 0 && own.df > 0)
		return stats_spread_floored(known, own.variance);
	return known;
}

static void judge_row(struct model_compare_row *row, struct stats_group a, struct stats_group b,
		      struct stats_spread spread)
{
	struct stats_difference d = stats_difference(a, b, spread);

	row->a_ns = exp(a.mean);
	row->b_ns = exp(b.mean);
	row->ratio = exp(d.difference);
	row->lo = exp(d.difference - d.half_width);
	row->hi = exp(d.difference + d.half_width);
	row->detectable = exp(d.detectable) - 1;
	row->chance = d.chance;
	row->verdict = model_change_judge(row->lo, row->hi);
}

static void tell_of_side(struct model_compare_row *row, const struct model_side_row *side,
			 const char *which)
{
	size_t n = side->n_points + side->n_unpriced;

	if (side->n_unpriced)
		text_append(row->reason, sizeof(row->reason),
			    "%s%zu of %zu documents of %s without a price: %.80s",
			    row->reason[0] ? "; " : "", side->n_unpriced, n, which, side->unpriced);
	if (side->n_noisy)
		text_append(row->reason, sizeof(row->reason), "%s%zu of %zu documents of %s noisy",
			    row->reason[0] ? "; " : "", side->n_noisy, n, which);
}

static void tell_of_units(struct model_compare_row *row, bool by_boots, double floor)
{
	if (!row->n_a || !row->n_b || !isnan(row->lo))
		return;
	if (!(floor > 0) && (row->n_a >= MODEL_LEAST_RUNS || row->n_b >= MODEL_LEAST_RUNS))
		text_copy(
			row->reason, sizeof(row->reason),
			"no document knows how well it knows its price; give bench 2 --trials or more");
	else if (by_boots)
		(void)snprintf(
			row->reason, sizeof(row->reason),
			"%zu against %zu boots: how boots spread is not known; give 3 boots a side, "
			"or save runs of 3 boots of this machine",
			row->n_a, row->n_b);
	else
		(void)snprintf(
			row->reason, sizeof(row->reason),
			"%zu against %zu: how runs spread is not known; give 3 documents a side, or "
			"save 3 more runs of this row on this machine",
			row->n_a, row->n_b);
}

static void compare_row(const struct model_compare_input *in, const struct model_side_row *a,
			const struct model_side_row *b, struct model_compare_row *ret)
{
	bool by_boots = !in_same_boot(in->a, in->b);
	struct stats_group ga = group_of_units(a, by_boots), gb = group_of_units(b, by_boots);
	double floor = mean_squared_error(a, b);
	struct stats_spread spread;

	*ret = a->head.n_pages ? a->head : b->head;
	ret->n_a = ga.n;
	ret->n_b = gb.n;
	spread = choose_spread(in, by_boots, ret, ga, gb);
	if (!(floor > 0)) /* a certainty that comes from nothing */
		spread.df = 0;
	judge_row(ret, ga, gb, stats_spread_floored(spread, floor));
	tell_of_units(ret, by_boots, floor);
	tell_of_side(ret, a, "A");
	tell_of_side(ret, b, "B");
}

/* --- all rows ------------------------------------------------------------------------------------- */

static bool is_wanted(const char *pattern, const struct model_compare_row *head)
{
	return !pattern || fnmatch(pattern, head->scenario, 0) == 0 ||
	       fnmatch(pattern, head->article, 0) == 0;
}

static int leave_out(struct model_compare *doc, const struct model_compare_row *head,
		     const char *reason)
{
	struct model_compare_left left;

	text_copy(left.scenario, sizeof(left.scenario), head->scenario);
	text_copy(left.article, sizeof(left.article), head->article);
	text_copy(left.reason, sizeof(left.reason), reason);
	return model_compare_leave(doc, &left);
}

/* Why two rows cannot be compared; "" where they can. */
static void refuse(const struct model_side_row *a, const struct model_side_row *b, char *ret,
		   size_t size)
{
	*ret = 0;
	if (a->refused[0] || b->refused[0])
		(void)snprintf(ret, size, "%s: %s", a->refused[0] ? "A" : "B",
			       a->refused[0] ? a->refused : b->refused);
	else
		(void)model_side_row_differs(a, b, ret, size);
}

static int take_row(struct model_compare *doc, const struct model_compare_input *in,
		    const struct model_side_row *a)
{
	const struct model_side_row *b = model_side_find(in->b, &a->head);
	char reason[sizeof(doc->left->reason)] = "only A has it";
	struct model_compare_row row;

	if (!is_wanted(in->pattern, &a->head))
		return 0;
	if (b)
		refuse(a, b, reason, sizeof(reason));
	if (reason[0])
		return leave_out(doc, &a->head, reason);
	compare_row(in, a, b, &row);
	return model_compare_add_row(doc, &row);
}

static int take_rows(struct model_compare *doc, const struct model_compare_input *in)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < in->a->n_rows; i++)
		r = take_row(doc, in, &in->a->rows[i]);
	for (size_t i = 0; r == 0 && i < in->b->n_rows; i++)
		if (!model_side_find(in->a, &in->b->rows[i].head) &&
		    is_wanted(in->pattern, &in->b->rows[i].head))
			r = leave_out(doc, &in->b->rows[i].head, "only B has it");
	return r;
}

static int nothing_compared(const struct model_compare *doc, const char *pattern, struct why *why)
{
	const struct model_compare_left *first = doc->left;

	if (doc->n_left)
		return why_set(why, -EINVAL, "no row can be compared: %s: %s%s",
			       first->article[0] ? first->article : first->scenario, first->reason,
			       doc->n_left > 1 ? "; and more" : "");
	if (pattern)
		return why_set(why, -EINVAL, "no row is called '%s'", pattern);
	return why_set(why, -EINVAL, "no row can be compared: the documents hold none");
}

bool model_compare_wants_known(const struct model_side *a, const struct model_side *b)
{
	const struct model_side *const sides[] = {a, b};
	bool by_boots = !in_same_boot(a, b);

	for (size_t s = 0; s < ARRAY_LEN(sides); s++)
		for (size_t i = 0; i < sides[s]->n_rows; i++)
			if (group_of_units(&sides[s]->rows[i], by_boots).n < MODEL_LEAST_RUNS)
				return true;
	return false;
}

int model_compare_sides(struct model_compare *doc, const struct model_compare_input *input,
			struct why *why)
{
	int r = take_rows(doc, input);

	if (r < 0)
		return why_set(why, r, "no memory to compare");
	if (doc->n_rows == 0)
		return nothing_compared(doc, input->pattern, why);
	fill_side(&doc->a, input->a);
	fill_side(&doc->b, input->b);
	doc->by_boots = !in_same_boot(input->a, input->b);
	compare_facts(doc, input);
	warn_of_order(doc, input->a, input->b);
	warn_of_copies(doc, input->a, "A");
	warn_of_copies(doc, input->b, "B");
	warn_of_both(doc, input);
	return 0;
}

/* --- one side over time --------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct model_point *x = a;
	const struct model_point *y = b;

	return strcmp(x->started, y->started);
}

/* As many prices as a chart shows: medians of neighbours, the last one by itself. */
static void fill_history(struct model_history *h, const struct model_point *points, double *values,
			 size_t n)
{
	size_t per = n > 1 ? (n - 1 + MODEL_MAX_HISTORY - 2) / (MODEL_MAX_HISTORY - 1) : 1;

	for (size_t i = 0; i + 1 < n; i += per) {
		size_t m = n - 1 - i < per ? n - 1 - i : per;

		for (size_t k = 0; k < m; k++)
			values[k] = exp(points[i + k].log_ns);
		h->prices[h->n_prices++] = stats_median(values, m);
	}
	h->prices[h->n_prices++] = exp(points[n - 1].log_ns);
	for (size_t i = 0; i < n; i++)
		values[i] = exp(points[i].log_ns);
	h->n = n;
	h->median_ns = stats_median(values, n);
	h->min_ns = values[0];
	h->max_ns = values[n - 1];
}

/* The runs before the latest one: documents where all are of its boot, else the other boots. */
static struct stats_group earlier_units(const struct model_side_row *of,
					const struct model_point *points, bool by_boots,
					double *values)
{
	const struct model_point *latest = &points[of->n_points - 1];
	struct model_side_row others = {.points = calloc(of->n_points, sizeof(*points))};
	struct stats_group group = {NAN, NAN, 0};

	if (!by_boots) {
		for (size_t i = 0; i + 1 < of->n_points; i++)
			values[i] = points[i].log_ns;
		group = stats_group_of(values, of->n_points - 1);
	} else if (others.points) {
		for (size_t i = 0; i + 1 < of->n_points; i++)
			if (points[i].boot != latest->boot)
				others.points[others.n_points++] = points[i];
		group = group_of_units(&others, true);
	}
	free(others.points);
	return group;
}

/* Another kernel is what a history is to show; another machine is another history. */
static bool is_one_machine(const struct model_side *side)
{
	static const char *const keys[] = {"cpu", "architecture", "hypervisor", "page_bytes"};

	for (size_t i = 0; i < side->n_facts; i++)
		for (size_t k = 0; k < ARRAY_LEN(keys); k++)
			if (strcmp(side->facts[i].key, keys[k]) == 0 && side->facts[i].n_values > 1)
				return false;
	return true;
}

static void judge_latest(struct model_compare_row *row, const struct model_side *side,
			 const struct model_side_row *of, const struct model_point *points,
			 double *values)
{
	bool by_boots = side->n_boots > 1;
	struct stats_group earlier = earlier_units(of, points, by_boots, values);
	struct stats_group latest = stats_group_of(&points[of->n_points - 1].log_ns, 1);
	double floor = mean_squared_error(of, of);
	struct stats_spread spread = stats_spread_pooled(earlier, latest);

	row->n_a = earlier.n;
	row->n_b = 1;
	if (row->n_a < MODEL_LEAST_RUNS || !is_one_machine(side) || !(floor > 0))
		spread.df = 0;
	judge_row(row, earlier, latest, stats_spread_floored(spread, floor));
	if (!is_one_machine(side))
		text_copy(row->reason, sizeof(row->reason), "the runs are of several machines");
	else if (isnan(row->lo))
		(void)snprintf(row->reason, sizeof(row->reason),
			       "%zu earlier %s: how they spread is known from 3 on", row->n_a,
			       by_boots ? "boots" : "runs");
}

static int take_history(struct model_compare *doc, const struct model_side *side,
			const struct model_side_row *of)
{
	struct model_compare_row row = of->head;
	struct model_history history = {.n = 0}, *grown;
	struct model_point *points = calloc(of->n_points, sizeof(*points));
	double *values = calloc(of->n_points, sizeof(*values));
	int r = -ENOMEM;

	grown = array_grow(doc->histories, doc->n_rows, sizeof(*grown));
	if (grown)
		doc->histories = grown;
	if (points && values && grown) {
		memcpy(points, of->points, of->n_points * sizeof(*points));
		qsort(points, of->n_points, sizeof(*points), by_start);
		judge_latest(&row, side, of, points, values);
		tell_of_side(&row, of, "the history");
		fill_history(&history, points, values, of->n_points);
		grown[doc->n_rows] = history;
		r = model_compare_add_row(doc, &row);
	}
	free(points);
	free(values);
	return r;
}

static void tell_of_changes(struct model_compare *doc, const struct model_side *side)
{
	for (size_t i = 0; i < side->n_facts; i++) {
		struct model_compare_fact *fact = &doc->facts[doc->n_facts];
		bool partly = side->facts[i].n_documents < side->n_documents;

		if (is_passing(side->facts[i].key) || (side->facts[i].n_values < 2 && !partly))
			continue;
		text_copy(fact->key, sizeof(fact->key), side->facts[i].key);
		model_side_fact_text(side, fact->key, fact->a, sizeof(fact->a));
		doc->n_facts++;
	}
}

int model_compare_over_time(struct model_compare *doc, const struct model_side *side,
			    const char *pattern, struct why *why)
{
	int r = 0;

	doc->of_history = true;
	doc->by_boots = side->n_boots > 1;
	fill_side(&doc->a, side);
	for (size_t i = 0; r == 0 && i < side->n_rows; i++) {
		const struct model_side_row *row = &side->rows[i];

		if (is_wanted(pattern, &row->head))
			r = row->n_points ? take_history(doc, side, row)
					  : leave_out(doc, &row->head, row->unpriced);
	}
	if (r < 0)
		return why_set(why, r, "no memory for the history");
	if (doc->n_rows == 0)
		return nothing_compared(doc, pattern, why);
	tell_of_changes(doc, side);
	warn_of_copies(doc, side, "the history");
	return 0;
}
