/* SPDX-License-Identifier: MIT */
/* Whether a row's trials have one price: drift, two groups, first rounds that differ. */
#include "src/model/series.h"

#include "src/base/units.h"
#include "src/model/bench.h"
#include "src/model/cause.h"
#include "src/sys/hypervisor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Groups of rounds count where so many trials have rounds of both: else it is the trials that differ, or one of
 * them is odd. */
enum { LEAST_MIXED_TRIALS = 2 };

static void take_interval(struct stats_summary *summary)
{
	summary->interval = (struct stats_interval){STATS_INTERVAL_NONE, NAN, NAN};
}

/* Prices of the trials that have one, in order of time; prices has room for n. */
static size_t trials_in_order(const struct model_scenario *s, double *prices, size_t n)
{
	size_t n_trials = model_trial_prices(s, MODEL_PRICE, prices, n), kept = 0;

	for (size_t i = 0; i < n_trials; i++)
		if (!isnan(prices[i]))
			prices[kept++] = prices[i];
	return kept;
}

static void find_drift(struct model_scenario *s, const double *prices, size_t n)
{
	const struct model_round *first = s->rounds, *last = s->rounds + s->n_rounds - 1;
	uint64_t end_ns = last->started_ns + last->elapsed_ns;

	s->drift = stats_find_drift(prices, n);
	if (!s->drift.found)
		return;
	s->drift_ns = end_ns > first->started_ns ? end_ns - first->started_ns : 0;
	take_interval(&s->ns_per_page);
	take_interval(&s->ns_per_fault);
	take_interval(&s->ns_per_access);
}

/* Trials that have rounds on both sides of the gap. */
static size_t count_mixed(const struct model_scenario *s, double between)
{
	size_t n = 0;

	for (size_t i = 0, next; i < s->n_rounds; i = next) {
		bool low = false, high = false;

		for (next = i; next < s->n_rounds && s->rounds[next].trial == s->rounds[i].trial;
		     next++) {
			const struct model_round *r = &s->rounds[next];

			if (!model_round_is_priced(s, r))
				continue;
			low = low || model_round_price(s, r) < between;
			high = high || model_round_price(s, r) > between;
		}
		n += low && high;
	}
	return n;
}

/* prices has room for all rounds. */
static void find_groups_of_rounds(struct model_scenario *s, double *prices)
{
	struct stats_groups groups;
	size_t n = 0, n_mixed;

	for (size_t i = 0; i < s->n_rounds; i++)
		if (model_round_is_priced(s, &s->rounds[i]))
			prices[n++] = model_round_price(s, &s->rounds[i]);
	stats_sort(prices, n);
	groups = stats_find_groups_sorted(prices, n);
	n_mixed = groups.found ? count_mixed(s, groups.between) : 0;
	if (n_mixed < LEAST_MIXED_TRIALS)
		return;
	s->groups = groups;
	s->n_mixed_trials = n_mixed;
}

void model_series_find(struct model_scenario *s)
{
	double *prices;
	size_t room, n;

	s->drift = (struct stats_drift){.from = NAN, .to = NAN};
	s->groups = (struct stats_groups){.low = NAN, .high = NAN, .between = NAN};
	s->drift_ns = s->n_mixed_trials = 0;
	if (!s->n_rounds)
		return;
	room = s->rounds[s->n_rounds - 1].trial + (size_t)1;
	room = room < MODEL_MAX_TRIALS ? room : MODEL_MAX_TRIALS;
	prices = calloc(room > s->n_rounds ? room : s->n_rounds, sizeof(*prices));
	if (!prices)
		return;
	n = trials_in_order(s, prices, room);
	find_drift(s, prices, n);
	if (!s->drift.found) { /* a step makes two groups, too, and says more */
		stats_sort(prices, n);
		s->groups = stats_find_groups_sorted(prices, n);
		if (!s->groups.found)
			find_groups_of_rounds(s, prices);
	}
	free(prices);
}

/* --- what is said of it ---------------------------------------------------------------------------- */

enum { CAUSE_BYTES = 128 };

static bool is_cold_file(const struct model_scenario *s)
{
	return s->resident_before < (double)s->n_pages / 2; /* false of NaN: no file */
}

/* Sleeps must differ to the side that the times do, by a fifth: a tenth is what first rounds differ by. */
static bool storage_cache(const struct model_scenario *s, char *ret, size_t size)
{
	double first = cause_median_sleep(s, true), later = cause_median_sleep(s, false);
	bool slower = s->first_round_ratio > 1;

	if (!is_cold_file(s) || !(slower ? first > 1.2 * later : later > 1.2 * first))
		return false;
	(void)snprintf(ret, size,
		       "a storage cache below (the first reads take %s, the later ones %s)",
		       units_duration((uint64_t)first).s, units_duration((uint64_t)later).s);
	return true;
}

static bool is_anonymous(const struct model_scenario *s)
{
	return isnan(s->resident_before) && !s->cache_state[0] && s->ledger.major.hi <= 0;
}

static bool is_virtual(const struct sys_machine *machine)
{
	return sys_hypervisor_is_one(sys_machine_text(machine, "hypervisor", ""));
}

/* Of anonymous memory whose first rounds are the slow ones: marks are evidence; in a VM without them it is the
 * one thing known to do that. */
static bool host_cold(const struct sys_machine *machine, const struct model_scenario *s, char *ret,
		      size_t size)
{
	size_t n_first = 0, n_marked = 0;

	if (!is_anonymous(s) || !(s->first_round_ratio > 1))
		return false;
	for (size_t i = 0; i < s->n_rounds; i++) {
		n_first += s->rounds[i].round == 0;
		n_marked += s->rounds[i].round == 0 && s->rounds[i].marks & MODEL_MARK_HOST_COLD;
	}
	if (n_marked)
		(void)snprintf(ret, size,
			       "memory that the host had to find anew (%zu of %zu first rounds are "
			       "marked host-cold)",
			       n_marked, n_first);
	else if (is_virtual(machine))
		(void)snprintf(ret, size,
			       "likely memory that the host had to find anew (host-cold): this is "
			       "a VM (%s)",
			       sys_machine_text(machine, "hypervisor", ""));
	return n_marked || is_virtual(machine);
}

static void warn_of_first_rounds(const struct sys_machine *machine, struct model_scenario *s)
{
	char cause[CAUSE_BYTES] = "not found";

	if (!storage_cache(s, cause, sizeof(cause)))
		(void)host_cold(machine, s, cause, sizeof(cause));
	model_warn(s->warnings, &s->n_warnings, "first-round",
		   "the first round of a trial takes %.2f times the later ones; it is left out of "
		   "the price; cause: %s",
		   s->first_round_ratio, cause);
}

static const char *unit(const struct model_scenario *s)
{
	return s->n_accesses ? "an access" : "a page";
}

static void warn_of_drift(struct model_scenario *s)
{
	const char *help =
		s->side ? "in the ratio of the sides it drops out"
			: "an idle machine or a longer run would help, or --ab, in which "
			  "drift drops out";

	model_warn(s->warnings, &s->n_warnings, "drifting",
		   "moved from %s to %s ns %s in %s, from the first to the last of %zu trials: no "
		   "one price, so no interval; %s",
		   units_ns(s->drift.from).s, units_ns(s->drift.to).s, unit(s),
		   units_duration(s->drift_ns).s, model_price(s)->n, help);
	s->verdict = MODEL_NOISY;
}

static void warn_of_groups(struct model_scenario *s)
{
	const struct stats_groups *g = &s->groups;
	char mixed[64] = "";

	if (s->n_mixed_trials)
		(void)snprintf(mixed, sizeof(mixed), "; %zu of %zu trials have both",
			       s->n_mixed_trials, model_price(s)->n);
	model_warn(s->warnings, &s->n_warnings, "two-groups",
		   "the %s fall into two groups: %zu at %s ns %s, %zu at %s, and none between%s; "
		   "the price is the median of both",
		   s->n_mixed_trials ? "rounds" : "trials", g->n_low, units_ns(g->low).s, unit(s),
		   g->n_high, units_ns(g->high).s, mixed);
}

void model_series_warn(const struct sys_machine *machine, struct model_scenario *s)
{
	if (s->first_round_left)
		warn_of_first_rounds(machine, s);
	if (s->drift.found)
		warn_of_drift(s);
	if (s->groups.found)
		warn_of_groups(s);
}
