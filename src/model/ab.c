/* SPDX-License-Identifier: MIT */
/* What a run with two sides says: for each scenario the ratio of B to A, from pairs of trials. */
#include "src/model/ab.h"

#include "src/base/text.h"
#include "src/stats/ratio.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The B side of the scenario whose A side is s: behind it, of the same name. */
static const struct model_scenario *mate_of(const struct model_bench *doc, size_t i)
{
	const struct model_scenario *s = &doc->scenarios[i];
	const struct model_scenario *next = i + 1 < doc->n_scenarios ? s + 1 : NULL;

	if (s->side != 1 || !next || next->side != 2 || strcmp(s->name, next->name) != 0 ||
	    strcmp(s->article, next->article) != 0)
		return NULL;
	return next;
}

/* Log ratios of the trials that both sides have, at most n_trials; their number. */
static size_t pair_up(const struct model_scenario *a, const struct model_scenario *b,
		      size_t n_trials, double *ret_log_ratios)
{
	double *prices = calloc(2 * n_trials + 1, sizeof(*prices));
	size_t n_a, n_b, n = 0;

	if (!prices)
		return 0;
	n_a = model_trial_prices(a, MODEL_PRICE, prices, n_trials);
	n_b = model_trial_prices(b, MODEL_PRICE, prices + n_trials, n_trials);
	for (size_t t = 0; t < n_a && t < n_b; t++) {
		double ratio = prices[n_trials + t] / prices[t];

		if (isfinite(ratio) && ratio > 0)
			ret_log_ratios[n++] = log(ratio);
	}
	free(prices);
	return n;
}

static void compare(const struct model_scenario *a, const struct model_scenario *b,
		    struct model_compare_row *row)
{
	size_t n_trials = a->n_rounds ? (size_t)a->rounds[a->n_rounds - 1].trial + 1 : 0;
	double *log_ratios = calloc(n_trials + 1, sizeof(*log_ratios));
	struct stats_ratio ratio;

	if (!log_ratios)
		return;
	ratio = stats_ratio_of_pairs(log_ratios, pair_up(a, b, n_trials, log_ratios));
	free(log_ratios);
	row->n_a = row->n_b = ratio.n;
	row->ratio = ratio.ratio;
	row->lo = ratio.lo;
	row->hi = ratio.hi;
	row->detectable = ratio.detectable;
	row->verdict = model_change_judge(ratio.lo, ratio.hi);
}

static void give_reason(const struct model_scenario *a, const struct model_scenario *b,
			uint64_t n_trials, struct model_compare_row *row)
{
	const struct model_scenario *bad = a->n_invalid ? a : b;

	if (row->n_a >= STATS_LEAST_PAIRS)
		return;
	if (a->status != MODEL_DONE || b->status != MODEL_DONE)
		text_copy(row->reason, sizeof(row->reason),
			  a->status != MODEL_DONE ? a->reason : b->reason);
	else if (bad->n_invalid)
		(void)snprintf(row->reason, sizeof(row->reason),
			       "side %s counted other faults than claimed in %zu of %zu rounds",
			       model_side_name(bad), bad->n_invalid, bad->n_rounds);
	else
		(void)snprintf(row->reason, sizeof(row->reason),
			       "%zu pair%s, an interval takes %d; give more --%s", row->n_a,
			       row->n_a == 1 ? "" : "s", STATS_LEAST_PAIRS,
			       n_trials < STATS_LEAST_PAIRS ? "trials" : "budget");
}

bool model_ab_row(const struct model_bench *doc, size_t i, struct model_compare_row *ret_row)
{
	const struct model_scenario *a = &doc->scenarios[i];
	const struct model_scenario *b = mate_of(doc, i);

	if (!b)
		return false;
	model_compare_row_init(ret_row, a);
	if (strcmp(a->pages, b->pages) != 0)
		ret_row->pages[0] = 0; /* each side has its own */
	ret_row->a_ns = model_price(a)->median;
	ret_row->b_ns = model_price(b)->median;
	compare(a, b, ret_row);
	give_reason(a, b, doc->options.n_trials, ret_row);
	return true;
}

struct model_compare_row *model_ab_rows(const struct model_bench *doc, size_t *ret_n)
{
	struct model_compare_row *rows;

	*ret_n = 0;
	rows = doc->ab.setting[0] ? calloc(doc->n_scenarios + 1, sizeof(*rows)) : NULL;
	for (size_t i = 0; rows && i < doc->n_scenarios; i++)
		*ret_n += model_ab_row(doc, i, &rows[*ret_n]);
	return rows;
}

void model_ab_heading(const struct model_ab *ab, char *ret_text, size_t size)
{
	if (ab->values[0][0] || ab->values[1][0])
		(void)snprintf(ret_text, size, "%s: %s (A), %s (B)", ab->setting, ab->values[0],
			       ab->values[1]);
	else
		(void)snprintf(ret_text, size, "%s (A and B)", ab->setting);
}
