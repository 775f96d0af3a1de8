/* SPDX-License-Identifier: MIT */
/* Each scenario, small, on the real kernel: its ledger holds, and the counters agree. */
#include "src/bench/bench.h"
#include "src/bench/scenario.h"
#include "src/bench/trial.h"
#include "src/scenarios/registry.h"
#include "src/settings/registry.h"
#include "src/sys/page.h"
#include "tests/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_TRIALS = 2, N_ROUNDS = 3, SIZE_BYTES = 8 << 20, RAGGED_PAGES = 5 };

static const char *data_dir(void)
{
	const char *dir = getenv("PAGETOLL_TEST_DIR");

	return dir ? dir : "/var/tmp";
}

static void skip_if_unmet(const struct bench_scenario *s)
{
	struct sys_env env = {.dir = data_dir()};
	struct why why;

	if (s->unavailable)
		t_skip_all("%s", s->unavailable);
	for (size_t i = 0; i < BENCH_MAX_NEEDS && s->needs[i]; i++)
		if (s->needs[i]->probe(&env, &why) > 0)
			t_skip_all("%s", why.text);
}

static struct model_bench *run(const struct bench_registry_row *row)
{
	struct bench_request request = {
		.row = row, .article = "", .published = {NAN, NAN, NAN, NAN}};
	struct bench_config config = {
		.registry = scenario_registry,
		.requests = &request,
		.n_requests = 1,
		/* no whole number of huge pages: the rest must be counted, too */
		.size_bytes = SIZE_BYTES + RAGGED_PAGES * sys_page_bytes(),
		.n_rounds = N_ROUNDS,
		.n_trials = N_TRIALS,
		.budget_ns = 60000000000U,
		.cpu = -1,
		.dir = data_dir(),
	};
	struct model_bench *doc = model_bench_new();
	struct why why = {.text = ""};
	int signal = 0;
	int r = bench_run(&config, doc, &signal, &why);

	t_ok(r == 0, "the run ends well: %s", why.text);
	return doc;
}

/* Where nothing is populated, two independent counters must say the same of the same pass. */
static void check_counters(const struct bench_scenario *s, const struct model_scenario *d)
{
	size_t n_agree = 0;

	if (!d->traps_counted) {
		t_skip(1, "traps are not counted here: perf_event_open is refused");
		return;
	}
	for (size_t i = 0; i < d->n_rounds; i++) {
		const struct model_round *r = &d->rounds[i];
		int64_t faults = s->populates ? 0 : (int64_t)(r->counted_minor + r->counted_major);

		n_agree += llabs(r->trap_user - faults) <= 2;
		if (llabs(r->trap_user - faults) > 2)
			printf("# round %zu: perf counts %lld user traps, rusage %lld\n", i,
			       (long long)r->trap_user, (long long)faults);
	}
	t_is_u64(n_agree, d->n_rounds, "perf and rusage agree in every round");
}

/* A cold pass begins with nothing in the cache and leaves all of it there; others find all of it. */
static void check_residency(const struct bench_scenario *s, const struct model_scenario *d)
{
	int64_t all = (int64_t)d->n_pages, before = s->file == BENCH_FILE_COLD ? 0 : all;
	size_t n_as_told = 0;

	if (s->file == BENCH_FILE_NONE)
		all = before = MODEL_NOT_COUNTED;
	for (size_t i = 0; i < d->n_rounds; i++)
		n_as_told += d->rounds[i].resident_before == before &&
			     d->rounds[i].resident_after == all;
	t_is_u64(n_as_told, d->n_rounds, "cached pages of the file before and after each pass");
}

static bool has_page_tables_of_its_size(const struct bench_scenario *s)
{
	return s->pages == BENCH_PAGES_BASE && s->file == BENCH_FILE_NONE;
}

/*
 * Base pages in a region of their own: a table for each run of pages that one holds, and a page for each of
 * two levels above it at the most.
 */
static void check_page_tables(const struct model_scenario *d)
{
	int64_t page = (int64_t)sys_page_bytes(), entries = page / (int64_t)sizeof(void *);
	int64_t least = ((int64_t)d->n_pages + entries - 1) / entries * page;
	/* what one plain mmap returned may share tables with its neighbours at both ends */
	int64_t shared = strncmp(d->name, "anon_populate", 13) == 0 ? 2 * page : 0;
	size_t n_as_told = 0;

	for (size_t i = 0; i < d->n_rounds; i++) {
		int64_t tables = d->rounds[i].page_table_bytes;

		n_as_told += tables >= least - shared && tables <= least + 3 * page;
	}
	t_is_u64(n_as_told, d->n_rounds, "page tables as the size asks for, in every round");
}

static void check_rounds(const struct model_scenario *d)
{
	size_t n_valid = 0, n_timed = 0;

	for (size_t i = 0; i < d->n_rounds; i++) {
		n_valid += model_round_is_valid(d, &d->rounds[i]);
		n_timed += d->rounds[i].elapsed_ns > 0 && d->rounds[i].started_ns > 0;
		if (!model_round_is_valid(d, &d->rounds[i]))
			printf("# round %zu: minor %llu major %llu trap %lld marks %x of %llu pages\n",
			       i, (unsigned long long)d->rounds[i].minor,
			       (unsigned long long)d->rounds[i].major,
			       (long long)d->rounds[i].trap_user, d->rounds[i].marks,
			       (unsigned long long)d->n_pages);
	}
	t_is_u64(n_valid, d->n_rounds, "the ledger holds in every round");
	t_is_u64(n_timed, d->n_rounds, "every round has a time");
}

int main(int argc, char **argv)
{
	const struct bench_registry_row *row;
	const struct model_scenario *d;
	struct model_bench *doc;

	if (argc > 1 && strcmp(argv[1], BENCH_TRIAL_COMMAND) == 0)
		return bench_trial_main(scenario_registry, setting_registry);
	row = argc > 1 ? bench_registry_find(scenario_registry, argv[1]) : NULL;
	if (!row)
		return 2;
	skip_if_unmet(row->scenario);
	t_plan(9 + has_page_tables_of_its_size(row->scenario));
	doc = run(row);
	d = &doc->scenarios[0];
	t_is_str(model_status_name(d->status), "done", "%s: %s", row->name, d->reason);
	t_is_u64(d->n_rounds, N_TRIALS * N_ROUNDS, "all rounds ran");
	check_rounds(d);
	t_ok(d->verdict == MODEL_VALID || d->verdict == MODEL_NOISY, "verdict %s",
	     model_verdict_name(d->verdict));
	t_ok(model_price(d)->n == N_TRIALS && model_price(d)->median > 0, "a price");
	check_residency(row->scenario, d);
	if (has_page_tables_of_its_size(row->scenario))
		check_page_tables(d);
	check_counters(row->scenario, d);
	model_bench_free(doc);
	return t_done();
}
