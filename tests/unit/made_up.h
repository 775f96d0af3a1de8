/* SPDX-License-Identifier: MIT */
/* Made-up documents: round numbers of a machine that does not exist, all true on purpose. */
#ifndef UNIT_MADE_UP_H
#define UNIT_MADE_UP_H

#include "src/base/text.h"
#include "src/model/bench.h"

#include <math.h>
#include <stdlib.h>

enum { MADE_UP_PAGES = 1000, MADE_UP_PAGE_BYTES = 8192 };

/* A scenario of a thousand pages that claims one fault a page. */
static inline struct model_scenario *made_up_scenario(struct model_bench *doc, const char *name)
{
	struct model_scenario *s = model_bench_add(doc, name);

	if (!s)
		abort();
	text_copy(s->title, sizeof(s->title), "made up");
	text_copy(s->access, sizeof(s->access), "write");
	s->n_pages = MADE_UP_PAGES;
	s->page_bytes = MADE_UP_PAGE_BYTES;
	s->ledger = (struct model_ledger){.minor = {1, 1.01}, .major = {0, 0}, .trap = {1, 1.01}};
	return s;
}

/* A round that keeps the claim: one trap a page, mostly system time. */
static inline struct model_round made_up_round(uint32_t trial, uint32_t round, double ns_per_page)
{
	uint64_t ns = (uint64_t)(ns_per_page * MADE_UP_PAGES);

	struct model_round r = model_round_uncounted;

	r.trial = trial;
	r.round = round;
	r.block = trial;
	r.elapsed_ns = ns;
	r.user_ns = ns / 10;
	r.sys_ns = ns * 8 / 10;
	r.minor = MADE_UP_PAGES;
	r.counted_minor = MADE_UP_PAGES;
	r.trap_user = MADE_UP_PAGES;
	r.trap_kernel = 0;
	return r;
}

static inline struct model_round *made_up_add(struct model_scenario *s, struct model_round round)
{
	if (model_scenario_add_round(s, &round) < 0)
		abort();
	return &s->rounds[s->n_rounds - 1];
}

/* n_trials of three rounds each at about one price; trials differ by multiples of step, the even ones first: in
 * order they would drift. */
static inline void made_up_trials(struct model_scenario *s, uint32_t n_trials, double ns_per_page,
				  double step)
{
	uint32_t n_even = (n_trials + 1) / 2;

	for (uint32_t t = 0; t < n_trials; t++)
		for (uint32_t r = 0; r < 3; r++) {
			uint32_t k = t < n_even ? 2 * t : 2 * (t - n_even) + 1;

			made_up_add(s, made_up_round(t, r, ns_per_page + k * step));
		}
}

#endif
