/* SPDX-License-Identifier: MIT */
/* Prices, verdicts and warnings follow from the rounds as they should. */
#include "tests/tap.h"
#include "tests/unit/made_up.h"

static struct model_bench *doc;
static struct model_scenario *s;

static void begin(void)
{
	model_bench_free(doc);
	doc = model_bench_new();
	if (!doc)
		abort();
	s = made_up_scenario(doc, "made_up");
}

/* The text of the warning of that id; "" where there is none. */
static const char *warning(const char *id)
{
	for (unsigned i = 0; i < s->n_warnings; i++)
		if (strcmp(s->warnings[i].id, id) == 0)
			return s->warnings[i].text;
	return "";
}

static void test_price(void)
{
	/* medians of the trials: 102, 200, 100 */
	static const double rounds[3][3] = {{102, 100, 900}, {200, 210, 190}, {100, 1, 101}};
	double trials[8];

	begin();
	for (uint32_t t = 0; t < 3; t++)
		for (uint32_t r = 0; r < 3; r++)
			made_up_add(s, made_up_round(t, r, rounds[t][r]));
	model_bench_derive(doc);
	t_is_double(s->ns_per_page.median, 102, 1e-9,
		    "a price is the median over trials of medians over rounds");
	t_is_double(s->ns_per_page.min, 100, 1e-9, "the cheapest trial");
	t_is_double(s->ns_per_page.mad, 2, 1e-9, "their MAD");
	t_is_u64(s->ns_per_page.n, 3, "of three trials");
	t_ok(s->ns_per_page.interval.kind == STATS_INTERVAL_RANGE &&
		     s->ns_per_page.interval.lo == 100 && s->ns_per_page.interval.hi == 200,
	     "their range");
	t_is_double(s->ns_per_fault.median, 102, 1e-9, "one fault a page: the same by the fault");
	t_ok(s->no_ns_per_fault == NULL, "and no reason against it");
	t_is_i64(s->verdict, MODEL_VALID, "valid");
	t_is_u64(s->n_warnings, 0, "without a warning");
	t_is_u64(model_trial_prices(s, MODEL_PRICE, trials, 8), 3, "three trials have prices");
	t_ok(trials[0] == 102 && trials[1] == 200 && trials[2] == 100, "in their order");
	t_is_u64(model_trial_prices(s, MODEL_PRICE, trials, 2), 2,
		 "no more than there is room for");
	model_bench_derive(doc);
	t_ok(s->ns_per_page.median == 102 && s->ns_per_page.n == 3, "derived twice is the same");
}

static void test_trials(void)
{
	double trials[8];

	begin();
	made_up_trials(s, 1, 100, 0);
	model_bench_derive(doc);
	t_is_i64(s->ns_per_page.interval.kind, STATS_INTERVAL_NONE, "one trial: no interval");
	t_is_double(s->ns_per_page.median, 100, 1e-9, "but a price");
	begin();
	made_up_trials(s, 6, 100, 1);
	model_bench_derive(doc);
	t_is_i64(s->ns_per_page.interval.kind, STATS_INTERVAL_95, "six trials: 95 %%");
	begin();
	made_up_add(s, made_up_round(4, 0, 100));
	made_up_add(s, made_up_round(2, 0, 300));
	model_bench_derive(doc);
	t_is_u64(s->ns_per_page.n, 2, "trials that left no round do not count");
	t_is_u64(model_trial_prices(s, MODEL_PRICE, trials, 8), 5, "but keep their places");
	t_ok(isnan(trials[0]) && isnan(trials[1]) && trials[2] == 300 && isnan(trials[3]) &&
		     trials[4] == 100,
	     "as NaN");
}

static void test_nothing(void)
{
	double trials[1];

	begin();
	model_bench_derive(doc);
	t_is_i64(s->verdict, MODEL_NO_VERDICT, "no rounds: no verdict");
	t_ok(s->ns_per_page.n == 0 && isnan(s->ns_per_page.median), "no price");
	t_ok(s->ns_per_fault.n == 0 && isnan(s->ns_per_fault.median), "by the fault neither");
	t_is_str(s->no_ns_per_fault, "no valid round", "and why");
	t_ok(isnan(s->minor_per_page) && isnan(s->major_per_page) && isnan(s->trap_per_page) &&
		     isnan(s->populated_per_page) && isnan(s->pages_per_fault) &&
		     isnan(s->sleeps_per_page),
	     "counts are unknown, not 0");
	t_ok(isnan(s->first_round_ratio) && !s->first_round_left && !s->traps_counted,
	     "nothing else is known");
	t_is_u64(s->n_warnings, 0, "no warning");
	t_is_u64(model_trial_prices(s, MODEL_PRICE, trials, 1), 0, "no trials");
}

static void add_first(uint32_t trial, double first, double others, int n_others)
{
	made_up_add(s, made_up_round(trial, 0, first));
	for (int r = 1; r <= n_others; r++)
		made_up_add(s, made_up_round(trial, (uint32_t)r, others));
}

static void test_first_rounds(void)
{
	begin();
	for (uint32_t t = 0; t < 5; t++)
		add_first(t, 200, 100, 4);
	model_bench_derive(doc);
	t_ok(s->first_round_left, "five trials that agree: their first rounds are left out");
	t_is_double(s->first_round_ratio, 2, 1e-9, "twice as slow");
	t_is_double(s->ns_per_page.median, 100, 1e-9, "the price is that of the others");
	t_is_str(
		warning("first-round"),
		"the first round of a trial takes 2.00 times the later ones; it is left out of the price; "
		"cause: not found",
		"said so");
	t_is_i64(s->verdict, MODEL_VALID, "which is no noise");
	begin();
	for (uint32_t t = 0; t < 3; t++) {
		add_first(t, 200, 100, 1);
		made_up_add(s, made_up_round(t, 2, 110));
	}
	model_bench_derive(doc);
	t_is_double(s->ns_per_page.median, 105, 1e-9, "left out means that the others alone count");
	begin();
	for (uint32_t t = 0; t < 10; t++)
		add_first(t, t ? 50 : 110, 100, 4);
	model_bench_derive(doc);
	t_ok(s->first_round_left, "nine of ten agree, on the other side");
	t_is_double(s->first_round_ratio, 0.5, 1e-9, "half as slow");
	begin();
	for (uint32_t t = 0; t < 5; t++)
		add_first(t, t < 1 ? 104 : 200, 100, 4);
	model_bench_derive(doc);
	t_ok(!s->first_round_left, "four of five are too few");
	t_is_double(s->first_round_ratio, 2, 1e-9, "the ratio is told nevertheless");
	t_is_str(warning("first-round"), "", "without a warning");
	begin();
	for (uint32_t t = 0; t < 5; t++)
		add_first(t, 109, 100, 4);
	model_bench_derive(doc);
	t_ok(!s->first_round_left, "less than a tenth is no difference");
	begin();
	for (uint32_t t = 0; t < 2; t++)
		add_first(t, 200, 100, 4);
	model_bench_derive(doc);
	t_ok(!s->first_round_left && isnan(s->first_round_ratio),
	     "two trials are too few to judge");
	begin();
	for (uint32_t t = 0; t < 5; t++)
		add_first(t, 200, 100, 1);
	model_bench_derive(doc);
	t_ok(!s->first_round_left && isnan(s->first_round_ratio), "two rounds as well");
	begin();
	for (uint32_t t = 0; t < 5; t++) {
		add_first(t, 200, 100, 4);
		s->rounds[5 * t].minor = 0;
	}
	model_bench_derive(doc);
	t_ok(!s->first_round_left && isnan(s->first_round_ratio),
	     "invalid first rounds are no evidence");
}

/* Five trials whose first rounds take twice as long. */
static void begin_slow_first(void)
{
	begin();
	for (uint32_t t = 0; t < 5; t++)
		add_first(t, 200, 100, 4);
}

static void test_first_round_causes(void)
{
	begin_slow_first();
	sys_machine_add_text(&doc->machine, "hypervisor", "none");
	model_bench_derive(doc);
	t_contains(warning("first-round"), "; cause: not found", "no VM, no mark: cause not found");
	s->rounds[0].marks = s->rounds[10].marks = MODEL_MARK_HOST_COLD;
	model_bench_derive(doc);
	t_contains(warning("first-round"),
		   "cause: memory that the host had to find anew (2 of 5 first rounds are marked",
		   "marks are evidence");
	begin_slow_first();
	sys_machine_add_text(&doc->machine, "hypervisor", "KVM");
	model_bench_derive(doc);
	t_contains(warning("first-round"), "(host-cold): this is a VM (KVM)", "so is a VM");
	begin();
	sys_machine_add_text(&doc->machine, "hypervisor", "KVM");
	for (uint32_t t = 0; t < 5; t++)
		add_first(t, 50, 100, 4);
	model_bench_derive(doc);
	t_contains(warning("first-round"), "; cause: not found",
		   "memory that is found anew makes no first round fast");
	begin_slow_first();
	sys_machine_add_text(&doc->machine, "hypervisor", "KVM");
	for (size_t i = 0; i < s->n_rounds; i++) {
		s->rounds[i].resident_before = 0;
		s->rounds[i].blocked_ns = s->rounds[i].round ? 40000 : 130000;
	}
	model_bench_derive(doc);
	t_contains(
		warning("first-round"),
		"cause: a storage cache below (the first reads take 130 us, the later ones 40 us)",
		"a cold file that sleeps longer the first time: a cache below");
	for (size_t i = 0; i < s->n_rounds; i++)
		s->rounds[i].blocked_ns = 40000;
	model_bench_derive(doc);
	t_contains(warning("first-round"), "; cause: not found", "not where it sleeps as long");
	for (size_t i = 0; i < s->n_rounds; i++) {
		s->rounds[i].resident_before = MADE_UP_PAGES;
		s->rounds[i].blocked_ns = s->rounds[i].round ? 40000 : 130000;
	}
	model_bench_derive(doc);
	t_contains(warning("first-round"), "; cause: not found", "nor where the file is cached");
}

/* One trial of one round for each price, a second apart. */
static void begin_with(const double *prices, uint32_t n)
{
	begin();
	for (uint32_t t = 0; t < n; t++)
		made_up_add(s, made_up_round(t, 0, prices[t]))->started_ns =
			t * UINT64_C(1000000000);
	model_bench_derive(doc);
}

static void test_drift(void)
{
	static const double up[] = {100, 102, 104, 106, 108, 110, 112, 114};
	static const double shuffled[] = {100, 112, 104, 108, 102, 114, 106, 110};
	static const double little[] = {100, 100.2, 100.4, 100.6, 100.8, 101, 101.2, 101.4};

	begin_with(up, 8);
	t_ok(s->drift.found, "prices that climb are drifting");
	t_ok(s->drift.from == 101 && s->drift.to == 113, "from the first quarter to the last");
	t_is_i64(s->ns_per_page.interval.kind, STATS_INTERVAL_NONE, "no interval by the page");
	t_ok(isnan(s->ns_per_page.interval.lo) && isnan(s->ns_per_page.interval.hi), "no ends");
	t_is_i64(s->ns_per_fault.interval.kind, STATS_INTERVAL_NONE, "none by the fault");
	t_is_double(s->ns_per_page.median, 107, 1e-9, "the median is kept");
	t_is_i64(s->verdict, MODEL_NOISY, "noisy");
	t_contains(warning("drifting"),
		   "moved from 101 to 113 ns a page in 7 s, from the first to the last of 8 trials",
		   "said so");
	t_ok(stats_wants_trial(model_price(s), 1000, 10, 1), "it is never precise");
	for (size_t i = 0; i < s->n_rounds; i++)
		s->rounds[i].minor = 0;
	model_bench_derive(doc);
	t_ok(!s->drift.found && s->verdict == MODEL_INVALID, "what has no price does not drift");
	begin_with(up, 8);
	s->n_accesses = 10000;
	model_bench_derive(doc);
	t_is_i64(s->ns_per_access.interval.kind, STATS_INTERVAL_NONE, "none by the access");
	t_contains(warning("drifting"), "moved from 10.1 to 11.3 ns an access", "in its own unit");
	begin_with(shuffled, 8);
	t_ok(!s->drift.found && s->verdict == MODEL_VALID && s->n_warnings == 0,
	     "the same prices in no order are one price");
	t_is_i64(s->ns_per_page.interval.kind, STATS_INTERVAL_95, "with an interval");
	begin_with(little, 8);
	t_ok(!s->drift.found, "less than 3 %% does not matter");
}

static void test_stopped(void)
{
	struct stats_interval fixed;

	begin();
	made_up_trials(s, 12, 100, 1);
	model_bench_derive(doc);
	fixed = s->ns_per_page.interval;
	doc->options.precision = 0.05;
	model_bench_derive(doc);
	t_ok(s->ns_per_page.interval.lo < fixed.lo && s->ns_per_page.interval.hi > fixed.hi,
	     "with --precision the interval is wider: [%g, %g], not [%g, %g]",
	     s->ns_per_page.interval.lo, s->ns_per_page.interval.hi, fixed.lo, fixed.hi);
	t_is_i64(s->ns_per_fault.interval.kind, STATS_INTERVAL_95, "and a 95 %% interval still");
	t_ok(s->ns_per_fault.interval.lo == s->ns_per_page.interval.lo, "by the fault as well");
}

static void test_groups(void)
{
	static const double two[] = {100, 120, 101, 121, 100.5, 120.5, 100, 120};
	static const double one_odd[] = {100, 101, 100.5, 150, 100, 101, 100.5, 100};

	begin_with(two, 8);
	t_ok(s->groups.found && s->n_mixed_trials == 0, "trials in two groups are found");
	t_is_str(
		warning("two-groups"),
		"the trials fall into two groups: 4 at 100 ns a page, 4 at 120, and none between; the "
		"price is the median of both",
		"both prices are named");
	t_is_i64(s->verdict, MODEL_VALID, "the verdict stays");
	t_ok(s->ns_per_page.interval.lo == 100 && s->ns_per_page.interval.hi >= 120,
	     "and the interval spans both");
	begin_with(one_odd, 8);
	t_ok(!s->groups.found && s->n_warnings == 0, "one odd trial is no group");
	begin();
	for (uint32_t t = 0; t < 5; t++)
		for (uint32_t r = 0; r < 5; r++)
			made_up_add(s, made_up_round(t, r, r % 2 ? 120 : 100));
	model_bench_derive(doc);
	t_ok(s->groups.found && s->n_mixed_trials == 5, "rounds in two groups in each trial");
	t_contains(
		warning("two-groups"),
		"the rounds fall into two groups: 15 at 100 ns a page, 10 at 120, and none between; "
		"5 of 5 trials have both",
		"counted in rounds");
	begin();
	for (uint32_t t = 0; t < 5; t++)
		for (uint32_t r = 0; r < 5; r++)
			made_up_add(s, made_up_round(t, r, t == 2 ? 120 : 100));
	model_bench_derive(doc);
	t_ok(!s->groups.found, "all rounds of one odd trial are no group");
	begin();
	for (uint32_t t = 0; t < 3; t++)
		for (uint32_t r = 0; r < 5; r++)
			made_up_add(s, made_up_round(t, r, t == 2 && r % 2 == 0 ? 120 : 100));
	model_bench_derive(doc);
	t_ok(!s->groups.found, "nor is a part of them");
}

static void test_invalid(void)
{
	begin();
	made_up_trials(s, 3, 100, 0);
	made_up_add(s, made_up_round(0, 3, 5000))->minor = 0;
	s->rounds[9].trap_user = 0;
	model_bench_derive(doc);
	t_is_u64(s->n_invalid, 1, "one round of ten took no faults");
	t_is_i64(s->verdict, MODEL_INVALID, "that makes all invalid");
	t_is_double(s->ns_per_page.median, 100, 1e-9, "but prices nothing");
	t_is_double(s->minor_per_page, 1, 1e-9, "and counts nowhere");
	t_is_u64(s->times.wall_ns, 9 * 100 * MADE_UP_PAGES, "nor in the times");
	t_is_str(
		warning("ledger"),
		"1 of 10 rounds counted other faults than claimed: 0.0000 minor, 0.0000 major, 0.0000 traps a "
		"page; claimed 1 to 1.01, 0 to 0, 1 to 1.01",
		"both are said");
	begin();
	made_up_trials(s, 3, 100, 0);
	for (size_t i = 0; i < s->n_rounds; i++)
		s->rounds[i].minor = 2 * MADE_UP_PAGES;
	model_bench_derive(doc);
	t_ok(s->n_invalid == 9 && s->ns_per_page.n == 0, "all rounds are invalid: no price");
	t_is_str(s->no_ns_per_fault, "no valid round", "nor by the fault");
	t_is_double(s->minor_per_page, 2, 1e-9, "what they counted is shown, since it says why");
	begin();
	made_up_trials(s, 1, 100, 0);
	for (size_t i = 0; i < s->n_rounds; i++)
		s->rounds[i].trap_user = s->rounds[i].trap_kernel = MODEL_NOT_COUNTED;
	s->rounds[1].major = 7;
	model_bench_derive(doc);
	t_is_str(
		warning("ledger"),
		"1 of 3 rounds counted other faults than claimed: 1.0000 minor, 0.0070 major a page; claimed 1 "
		"to 1.01 and 0 to 0",
		"without traps none are named");
}

static void test_proofs(void)
{
	begin();
	made_up_trials(s, 1, 100, 0);
	s->rounds[2].marks = MODEL_MARK_NOT_TOUCHED;
	model_bench_derive(doc);
	t_is_i64(s->verdict, MODEL_INVALID, "pages not touched: invalid");
	t_is_str(warning("ledger"),
		 "1 of 3 rounds: the pages do not hold what the loop should have met", "said so");
	begin();
	made_up_trials(s, 1, 100, 0);
	s->rounds[0].marks = MODEL_MARK_PAGE_SIZE | MODEL_MARK_SWITCHED;
	model_bench_derive(doc);
	t_is_str(warning("ledger"),
		 "1 of 3 rounds: the kernel used another page size than the scenario claims",
		 "page size");
	t_is_i64(s->verdict, MODEL_INVALID, "noise does not hide it");
	begin();
	made_up_trials(s, 1, 100, 0);
	s->rounds[0].minor = 0;
	s->rounds[1].marks = MODEL_MARK_NOT_TOUCHED;
	model_bench_derive(doc);
	t_is_str(warning("ledger"),
		 "2 of 3 rounds: the pages do not hold what the loop should have met",
		 "the proof that failed is named, not that of the first round");
}

static void test_per_fault(void)
{
	begin();
	s->ledger.minor = s->ledger.trap = (struct model_range){0.0625, 0.0625};
	for (uint32_t t = 0; t < 3; t++) {
		struct model_round *r = made_up_add(s, made_up_round(t, 0, 100));

		r->minor = r->counted_minor = 63;
		r->trap_user = 60;
		r->trap_kernel = 3;
	}
	model_bench_derive(doc);
	t_is_double(s->ns_per_fault.median, 100000.0 / 63, 1e-9, "divided by traps of both modes");
	t_is_double(s->pages_per_fault, 1000.0 / 63, 1e-9, "one fault for many pages");
	begin();
	s->ledger.trap = (struct model_range){0, 0.001};
	made_up_trials(s, 3, 100, 0);
	for (size_t i = 0; i < s->n_rounds; i++)
		s->rounds[i].trap_user = 0;
	model_bench_derive(doc);
	t_ok(s->ns_per_fault.n == 0 && isnan(s->ns_per_fault.median),
	     "populated inside a call: no price by the fault");
	t_is_str(s->no_ns_per_fault,
		 "the pages are populated inside a system call, no fault is taken", "and why");
	t_ok(isnan(s->pages_per_fault), "nor pages a fault");
	begin();
	s->ledger = (struct model_ledger){.minor = {0, 0.001}, .trap = {0, 0.001}};
	made_up_trials(s, 3, 100, 0);
	for (size_t i = 0; i < s->n_rounds; i++)
		s->rounds[i].minor = 1, s->rounds[i].trap_user = 1;
	model_bench_derive(doc);
	t_is_str(s->no_ns_per_fault, "no fault is taken",
		 "where none is claimed, a stray one is not divided by");
	begin();
	s->ledger = (struct model_ledger){.minor = {0, 1}, .trap = {0, 1}};
	made_up_trials(s, 3, 100, 0);
	for (size_t i = 0; i < s->n_rounds; i++)
		s->rounds[i].minor = 0, s->rounds[i].trap_user = 0;
	model_bench_derive(doc);
	t_is_str(s->no_ns_per_fault, "no fault was taken", "where some were allowed but none came");
	t_is_double(s->ns_per_page.median, 100, 1e-9, "by the page there is a price all the same");
}

static void test_counts(void)
{
	begin();
	s->ledger.trap = (struct model_range){0, 2};
	made_up_trials(s, 2, 100, 0);
	for (size_t i = 0; i < s->n_rounds; i++) {
		s->rounds[i].trap_user = 250;
		s->rounds[i].trap_kernel = 150;
		s->rounds[i].nvcsw = 10;
	}
	model_bench_derive(doc);
	t_is_double(s->trap_per_page, 0.4, 1e-9, "traps of both modes");
	t_is_double(s->populated_per_page, 0.6, 1e-9, "the rest was populated");
	t_is_double(s->sleeps_per_page, 0.01, 1e-9, "sleeps");
	t_is_double(s->pages_per_fault, 2.5, 1e-9, "pages a fault");
	t_is_double(s->ns_per_fault.median, 250, 1e-9, "by the fault is by what was not populated");
	for (size_t i = 0; i < s->n_rounds; i++)
		s->rounds[i].counted_minor = 500;
	model_bench_derive(doc);
	t_is_double(s->populated_per_page, 0.1, 1e-9, "populated is of the pass that was counted");
	t_is_double(s->pages_per_fault, 1000.0 / 900, 1e-9,
		    "and taken from the faults of the timed one");
	s->rounds[3].trap_kernel = MODEL_NOT_COUNTED;
	model_bench_derive(doc);
	t_is_double(s->populated_per_page, NAN, 0,
		    "kernel traps missing once: populated is unknown");
	for (size_t i = 0; i < s->n_rounds; i++)
		s->rounds[i].trap_user = s->rounds[i].trap_kernel = MODEL_NOT_COUNTED;
	model_bench_derive(doc);
	t_ok(!s->traps_counted && isnan(s->trap_per_page), "no traps counted: traps are unknown");
	t_is_double(s->ns_per_fault.median, 100, 1e-9, "by the fault is by minor and major then");
	t_is_double(s->pages_per_fault, 1, 1e-9, "pages a fault, too");
	begin();
	made_up_trials(s, 1, 100, 0);
	s->ledger.trap.hi = 2;
	for (size_t i = 0; i < s->n_rounds; i++)
		s->rounds[i].trap_user = 1010;
	model_bench_derive(doc);
	t_is_double(s->populated_per_page, 0, 0,
		    "more traps than faults: nothing populated, not less");
	t_is_double(s->ns_per_fault.median, 100, 1e-9, "and each fault was one");
	begin();
	s->ledger = (struct model_ledger){.minor = {0, 0.01}, .trap = {0.001, 0.01}};
	made_up_trials(s, 1, 100, 0);
	for (size_t i = 0; i < s->n_rounds; i++)
		s->rounds[i].minor = s->rounds[i].counted_minor = 2, s->rounds[i].trap_user = 2;
	model_bench_derive(doc);
	t_is_double(s->ns_per_fault.median, 50000, 1e-9,
		    "few faults that were claimed are divided by: huge pages");
}

static void test_times(void)
{
	begin();
	made_up_trials(s, 2, 100, 0);
	for (size_t i = 0; i < s->n_rounds; i++) {
		s->rounds[i].blocked_ns = 20;
		s->rounds[i].run_delay_ns = 5;
	}
	model_bench_derive(doc);
	t_is_u64(s->times.wall_ns, 600000, "times add up: wall");
	t_is_u64(s->times.user_ns, 60000, "user");
	t_is_u64(s->times.sys_ns, 480000, "system");
	t_is_u64(s->times.blocked_ns, 120, "blocked");
	t_is_u64(s->times.run_delay_ns, 30, "waiting for a CPU");
	t_ok(!s->times.split_known, "the tick says nothing of 600 us");
	s->rounds[0].elapsed_ns = 500000000;
	model_bench_derive(doc);
	t_ok(s->times.split_known, "but of half a second");
}

static void test_noise(void)
{
	static const struct {
		uint32_t mark;
		const char *text;
	} noises[] = {
		{MODEL_MARK_HOST_COLD, "3 of 10 rounds: over 0.5 % of the warm-up"},
		{MODEL_MARK_SWITCHED,
		 "3 of 10 rounds had to wait for the CPU: other tasks had it (stop them, or choose another --cpu), or the cgroup's CPU limit was used up"},
		{MODEL_MARK_STOLEN, "3 of 10 rounds lost CPU time to the hypervisor"},
		{MODEL_MARK_SLEPT, "though nothing had to come from a disk"},
		{MODEL_MARK_WARM_LATE, "3 of 10 rounds began more than 0.1 s after"},
	};

	for (size_t k = 0; k < sizeof(noises) / sizeof(noises[0]); k++) {
		const char *id = "";

		for (unsigned bit = 0; bit < MODEL_N_MARKS; bit++)
			if (noises[k].mark >> bit & 1)
				id = model_mark_names[bit];
		begin();
		for (uint32_t r = 0; r < 10; r++)
			made_up_add(s, made_up_round(0, r, 100))->marks =
				r < 2 ? noises[k].mark : 0;
		model_bench_derive(doc);
		t_ok(s->n_warnings == 0 && s->verdict == MODEL_VALID,
		     "%s in a fifth of the rounds: quiet", id);
		s->rounds[9].marks = noises[k].mark;
		model_bench_derive(doc);
		t_is_i64(s->verdict, MODEL_NOISY, "%s in more than a fifth: noisy", id);
		t_contains(warning(id), noises[k].text, "said so");
		t_is_double(s->ns_per_page.median, 100, 1e-9, "still priced");
	}
	begin();
	made_up_add(s, made_up_round(0, 0, 100))->marks = MODEL_MARKS_NOISE;
	model_bench_derive(doc);
	t_is_u64(s->n_warnings, 5, "all at once: five warnings");
}

static void test_document(void)
{
	struct model_warning warnings[MODEL_MAX_WARNINGS];
	unsigned n = 0, n_added = 0;
	struct model_round r = made_up_round(0, 0, 100);
	bool same = true;

	begin();
	text_copy(s->article, sizeof(s->article), "cold");
	t_ok(model_bench_find(doc, "made_up") == s && model_bench_find(doc, "cold") == s,
	     "found by both names");
	t_ok(model_bench_find(doc, "none") == NULL, "or not");
	for (int i = 0; i < 2 * MODEL_MAX_WARNINGS; i++)
		model_warn(warnings, &n, "an id that is longer than an id may be", "%d\033", i);
	t_is_u64(n, MODEL_MAX_WARNINGS, "warnings too many are dropped");
	t_is_str(warnings[n - 1].text, "39?", "harmless");
	t_is_u64(strlen(warnings[0].id), sizeof(warnings[0].id) - 1, "cut");
	while (model_bench_add(doc, "another"))
		n_added++;
	t_is_u64(n_added, MODEL_MAX_SCENARIOS - 1, "scenarios are limited");
	s = &doc->scenarios[0];
	for (r.round = 0; r.round < 1000; r.round++)
		same = same && model_scenario_add_round(s, &r) == 0;
	for (uint32_t i = 0; i < 1000; i++)
		same = same && s->rounds[i].round == i;
	t_ok(same && s->n_rounds == 1000, "a thousand rounds stay in their order");
	while (s->n_rounds < MODEL_MAX_ROUNDS && model_scenario_add_round(s, &r) == 0)
		;
	t_ok(model_scenario_add_round(s, &r) < 0 && s->n_rounds == MODEL_MAX_ROUNDS,
	     "rounds are limited");
	model_bench_free(NULL);
	t_is_str(model_status_name(MODEL_SKIPPED), "skipped", "status has a name");
	t_is_str(model_verdict_name(MODEL_INVALID), "invalid", "verdict has one");
}

int main(void)
{
	test_price();
	test_trials();
	test_nothing();
	test_first_rounds();
	test_first_round_causes();
	test_drift();
	test_stopped();
	test_groups();
	test_invalid();
	test_proofs();
	test_per_fault();
	test_counts();
	test_times();
	test_noise();
	test_document();
	model_bench_free(doc);
	return t_done();
}
