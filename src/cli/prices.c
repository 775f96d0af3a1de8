/* SPDX-License-Identifier: MIT */
/* Prices for an estimate: from a document that was named, from saved runs, or measured now. */
#include "src/cli/prices.h"

#include "src/base/text.h"
#include "src/base/why.h"
#include "src/bench/bench.h"
#include "src/model/runs.h"
#include "src/scenarios/registry.h"

#include <errno.h>
#include <limits.h>

/* Runs looked through for prices; each is read whole. */
enum { MOST_RUNS = 12 };

/* Short: the run is over, and somebody waits for its report. */
enum { TRIALS = 3, ROUNDS = 2 };
#define BUDGET_NS 900000000U

/* Small, above all files, which are synced to disk first. In order a page costs too much if readahead brings
 * the whole file at once. */
static const uint64_t sizes[MODEL_N_PRICES] = {
	[MODEL_PRICE_FIRST_WRITE] = 16 << 20, [MODEL_PRICE_ZERO_READ] = 16 << 20,
	[MODEL_PRICE_CACHED_FILE] = 4 << 20,  [MODEL_PRICE_HUGE] = 16 << 20,
	[MODEL_PRICE_DISK_WAIT] = 4 << 20,    [MODEL_PRICE_DISK_PAGE] = 16 << 20,
};

static bool is_missing(const struct model_trace *doc, enum model_price_id id)
{
	return model_trace_needs(doc, id) && !model_price_is_known(&doc->prices.rows[id]);
}

static bool any_missing(const struct model_trace *doc)
{
	for (enum model_price_id id = 0; id < MODEL_N_PRICES; id++)
		if (is_missing(doc, id))
			return true;
	return false;
}

int cli_prices_of(const char *name, struct model_trace *doc, struct why *why)
{
	struct model_bench *prices;
	const char *key;
	int r;

	r = model_runs_load(name, &prices, why);
	if (r < 0)
		return r;
	if (model_prices_take(&doc->prices, prices, name) == 0)
		r = why_set(why, -EINVAL,
			    "%s: holds none of the prices needed, as 'pagetoll bench' makes them",
			    name);
	else if (!model_machine_is_same(&doc->machine, &prices->machine, &key))
		model_warn(doc->warnings, &doc->n_warnings, "other-machine",
			   "the prices of %s are another machine's (its %s is %s)", name, key,
			   sys_machine_text(&prices->machine, key, "not the same"));
	model_bench_free(prices);
	return r;
}

void cli_prices_saved(struct model_trace *doc)
{
	struct model_bench *saved;
	char path[PATH_MAX];

	for (int k = 0; k < MOST_RUNS && any_missing(doc); k++) {
		if (model_runs_recent(k, path, sizeof(path), NULL) < 0)
			return;
		if (model_runs_load(path, &saved, NULL) < 0)
			continue; /* one that cannot be read is no reason to give up */
		if (model_machine_is_same(&doc->machine, &saved->machine, NULL))
			(void)model_prices_take(&doc->prices, saved, path);
		model_bench_free(saved);
	}
}

static size_t list_missing(const struct model_trace *doc, struct bench_request ret[MODEL_N_PRICES])
{
	size_t n = 0;

	for (enum model_price_id id = 0; id < MODEL_N_PRICES; id++) {
		const struct bench_registry_row *row =
			bench_registry_find(scenario_registry, model_price_rows[id].scenario);

		if (row && is_missing(doc, id))
			ret[n++] = (struct bench_request){
				.row = row,
				.article = "",
				.size_bytes = sizes[id],
			};
	}
	return n;
}

static void give_reason(struct model_trace *doc, const char *text)
{
	text_copy(doc->prices.reason, sizeof(doc->prices.reason), text);
}

/* The first row that could not be priced says why. */
static void keep_reason(struct model_trace *doc, const struct model_bench *measured)
{
	struct why why;

	for (size_t i = 0; i < measured->n_scenarios; i++) {
		const struct model_scenario *s = &measured->scenarios[i];

		if (s->n_rounds == 0 && s->reason[0]) {
			(void)why_set(&why, 0, "%s: %s", s->name, s->reason);
			give_reason(doc, why.text);
			return;
		}
	}
	give_reason(doc, "what was measured after the run was not valid");
}

void cli_prices_measure(struct model_trace *doc, const char *dir)
{
	struct bench_request requests[MODEL_N_PRICES];
	struct bench_config config = {
		.registry = scenario_registry,
		.requests = requests,
		.n_requests = list_missing(doc, requests),
		.n_rounds = ROUNDS,
		.n_trials = TRIALS,
		.budget_ns = BUDGET_NS,
		.seed = 1,
		.cpu = -1,
		.dir = dir,
	};
	struct model_bench *measured;
	struct why why;
	int signal;

	if (config.n_requests == 0)
		return;
	measured = model_bench_new();
	if (!measured) {
		give_reason(doc, "no memory to measure them");
		return;
	}
	if (bench_run(&config, measured, &signal, &why) < 0)
		give_reason(doc, why.text);
	text_copy(measured->started, sizeof(measured->started), doc->started);
	(void)model_prices_take(&doc->prices, measured, "measured after the run");
	if (any_missing(doc) && !doc->prices.reason[0])
		keep_reason(doc, measured);
	model_bench_free(measured);
}
