/* SPDX-License-Identifier: MIT */
/* The bench document as JSON, schema 1. */
#include "src/model/bench.h"

#include "src/base/json_write.h"
#include "src/model/ab.h"
#include "src/model/compare.h"
#include "src/model/noise_doc.h"
#include "src/model/relation.h"
#include "src/stats/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void model_machine_write(struct json_writer *w, const struct sys_machine *m)
{
	json_put_object(w, "machine");
	for (unsigned i = 0; i < m->n_facts; i++) {
		const struct sys_fact *f = &m->facts[i];

		if (f->is_number)
			json_put_u64(w, f->key, f->number);
		else
			json_put_string(w, f->key, f->text);
	}
	json_put_end_object(w);
}

static void write_options(struct json_writer *w, const struct model_options *o)
{
	json_put_object(w, "options");
	json_put_u64(w, "size_bytes", o->size_bytes);
	json_put_u64(w, "rounds", o->n_rounds);
	json_put_u64(w, "trials", o->n_trials);
	json_put_u64(w, "budget_ns", o->budget_ns);
	json_put_double(w, "precision", o->precision);
	json_put_u64(w, "seed", o->seed);
	json_put_i64(w, "cpu", o->cpu);
	json_put_end_object(w);
}

void model_warnings_write(struct json_writer *w, const char *key,
			  const struct model_warning *warnings, unsigned n)
{
	json_put_array(w, key);
	for (unsigned i = 0; i < n; i++) {
		json_put_object_flat(w, NULL);
		json_put_string(w, "id", warnings[i].id);
		json_put_string(w, "text", warnings[i].text);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

static void write_range(struct json_writer *w, const char *key, struct model_range range)
{
	json_put_array_flat(w, key);
	json_put_double(w, NULL, range.lo);
	json_put_double(w, NULL, range.hi);
	json_put_end_array(w);
}

/* ci is null where there are too few trials for one; "interval" says which kind it is. */
static void write_summary(struct json_writer *w, const char *key, const struct stats_summary *s)
{
	static const char *const kinds[] = {"none", "range", "95%"};

	if (s->n == 0) {
		json_put_null(w, key);
		return;
	}
	json_put_object_flat(w, key);
	json_put_double(w, "median", s->median);
	if (s->interval.kind == STATS_INTERVAL_NONE) {
		json_put_null(w, "ci");
	} else {
		json_put_array(w, "ci");
		json_put_double(w, NULL, s->interval.lo);
		json_put_double(w, NULL, s->interval.hi);
		json_put_end_array(w);
	}
	json_put_string(w, "interval", kinds[s->interval.kind]);
	json_put_double(w, "min", s->min);
	json_put_double(w, "mad", s->mad);
	json_put_u64(w, "n", s->n);
	json_put_end_object(w);
}

static void write_times(struct json_writer *w, const struct model_times *t)
{
	double wall = t->wall_ns ? (double)t->wall_ns : NAN;

	json_put_object_flat(w, "times");
	json_put_double(w, "cpu", (double)(t->user_ns + t->sys_ns) / wall);
	json_put_double(w, "user", t->split_known ? (double)t->user_ns / wall : NAN);
	json_put_double(w, "sys", t->split_known ? (double)t->sys_ns / wall : NAN);
	json_put_double(w, "blocked", (double)t->blocked_ns / wall);
	json_put_u64(w, "wall_ns", t->wall_ns);
	json_put_u64(w, "user_ns", t->user_ns);
	json_put_u64(w, "sys_ns", t->sys_ns);
	json_put_u64(w, "blocked_ns", t->blocked_ns);
	json_put_u64(w, "run_delay_ns", t->run_delay_ns);
	json_put_end_object(w);
}

void model_count_write(struct json_writer *w, const char *key, int64_t count)
{
	if (count == MODEL_NOT_COUNTED)
		json_put_null(w, key);
	else
		json_put_i64(w, key, count);
}

static void write_round(struct json_writer *w, const struct model_round *r)
{
	bool all = r->trap_user != MODEL_NOT_COUNTED && r->trap_kernel != MODEL_NOT_COUNTED;
	int64_t trap = all ? r->trap_user + r->trap_kernel : r->trap_user;

	json_put_object_flat(w, NULL);
	json_put_u64(w, "trial", r->trial);
	json_put_u64(w, "round", r->round);
	json_put_u64(w, "block", r->block);
	json_put_u64(w, "started_ns", r->started_ns);
	json_put_u64(w, "elapsed_ns", r->elapsed_ns);
	json_put_u64(w, "user_ns", r->user_ns);
	json_put_u64(w, "sys_ns", r->sys_ns);
	json_put_u64(w, "blocked_ns", r->blocked_ns);
	json_put_u64(w, "run_delay_ns", r->run_delay_ns);
	json_put_u64(w, "minor", r->minor);
	json_put_u64(w, "major", r->major);
	model_count_write(w, "trap", trap);
	model_count_write(w, "trap_user", r->trap_user);
	model_count_write(w, "trap_kernel", r->trap_kernel);
	json_put_u64(w, "counted_minor", r->counted_minor);
	json_put_u64(w, "counted_major", r->counted_major);
	model_count_write(w, "populated", model_round_populated(r));
	model_count_write(w, "cycles", r->cycles);
	model_count_write(w, "instructions", r->instructions);
	model_count_write(w, "dtlb_load_misses", r->dtlb_load_misses);
	model_count_write(w, "resident_before", r->resident_before);
	model_count_write(w, "resident_after", r->resident_after);
	model_count_write(w, "page_table_bytes", r->page_table_bytes);
	json_put_u64(w, "nvcsw", r->nvcsw);
	json_put_u64(w, "nivcsw", r->nivcsw);
	json_put_u64(w, "steal_ns", r->steal_ns);
	json_put_u64(w, "warm_slow_touches", r->warm_slow_touches);
	model_count_write(w, "calibration_ns", r->calibration_ns);
	model_count_write(w, "psi_cpu_ns", r->psi_cpu_ns);
	model_count_write(w, "psi_memory_ns", r->psi_memory_ns);
	model_count_write(w, "psi_io_ns", r->psi_io_ns);
	json_put_array(w, "marks");
	for (unsigned i = 0; i < MODEL_N_MARKS; i++)
		if (r->marks >> i & 1)
			json_put_string(w, NULL, model_mark_names[i]);
	json_put_end_array(w);
	json_put_end_object(w);
}

static void write_params(struct json_writer *w, const struct model_scenario *s)
{
	json_put_object_flat(w, "params");
	json_put_u64(w, "n_pages", s->n_pages);
	json_put_u64(w, "page_bytes", s->page_bytes);
	json_put_u64(w, "size_bytes", s->n_pages * s->page_bytes);
	if (s->huge_page_bytes)
		json_put_u64(w, "huge_page_bytes", s->huge_page_bytes);
	if (s->pages[0])
		json_put_string(w, "pages", s->pages);
	if (s->n_accesses)
		json_put_u64(w, "accesses", s->n_accesses);
	json_put_u64(w, "threads", s->threads);
	json_put_string(w, "access", s->access);
	if (s->cache_state[0])
		json_put_string(w, "cache_state", s->cache_state);
	if (s->side)
		json_put_string(w, "side", s->side == 1 ? "a" : "b");
	json_put_end_object(w);
}

static void write_published(struct json_writer *w, const struct model_published *p)
{
	if (isnan(p->ns_per_page) && isnan(p->ns_per_fault))
		return;
	json_put_object_flat(w, "published");
	json_put_double(w, "ns_per_page", p->ns_per_page);
	json_put_double(w, "ns_per_fault", p->ns_per_fault);
	json_put_double(w, "minor", p->minor);
	json_put_double(w, "major", p->major);
	json_put_end_object(w);
}

static void write_group(struct json_writer *w, const char *key, double ns, size_t n)
{
	json_put_object_flat(w, key);
	json_put_double(w, "ns", ns);
	json_put_u64(w, "n", n);
	json_put_end_object(w);
}

/* Only where there is something: most prices are one. */
static void write_series(struct json_writer *w, const struct model_scenario *s)
{
	if (s->drift.found) {
		json_put_object_flat(w, "drift");
		json_put_double(w, "from_ns", s->drift.from);
		json_put_double(w, "to_ns", s->drift.to);
		json_put_u64(w, "over_ns", s->drift_ns);
		json_put_end_object(w);
	}
	if (s->groups.found) {
		json_put_object_flat(w, "groups");
		json_put_string(w, "of", s->n_mixed_trials ? "rounds" : "trials");
		write_group(w, "low", s->groups.low, s->groups.n_low);
		write_group(w, "high", s->groups.high, s->groups.n_high);
		json_put_end_object(w);
	}
}

static void write_derived(struct json_writer *w, const struct model_scenario *s)
{
	json_put_object_flat(w, "faults_per_page");
	json_put_double(w, "minor", s->minor_per_page);
	json_put_double(w, "major", s->major_per_page);
	json_put_double(w, "trap", s->trap_per_page);
	json_put_double(w, "populated", s->populated_per_page);
	json_put_end_object(w);
	json_put_double(w, "pages_per_fault", s->pages_per_fault);
	json_put_double(w, "sleeps_per_page", s->sleeps_per_page);
	write_summary(w, "ns_per_page", &s->ns_per_page);
	write_summary(w, "ns_per_fault", &s->ns_per_fault);
	if (s->no_ns_per_fault)
		json_put_string(w, "no_ns_per_fault", s->no_ns_per_fault);
	write_summary(w, "ns_per_access", &s->ns_per_access);
	json_put_double(w, "bytes_per_second", model_bytes_per_second(s));
	json_put_double(w, "page_table_bytes", s->page_table_bytes);
	json_put_object_flat(w, "resident_pages");
	json_put_double(w, "before", s->resident_before);
	json_put_double(w, "after", s->resident_after);
	json_put_end_object(w);
	json_put_object_flat(w, "pmu");
	json_put_double(w, "cycles_per_page", s->cycles_per_page);
	json_put_double(w, "instructions_per_page", s->instructions_per_page);
	json_put_double(w, "instructions_per_cycle", s->instructions_per_cycle);
	json_put_double(w, "dtlb_load_misses_per_page", s->dtlb_load_misses_per_page);
	json_put_double(w, "cycles_per_access", s->cycles_per_access);
	json_put_double(w, "dtlb_load_misses_per_access", s->dtlb_load_misses_per_access);
	json_put_end_object(w);
	json_put_double(w, "first_round_ratio", s->first_round_ratio);
	json_put_bool(w, "first_round_left_out", s->first_round_left);
	write_series(w, s);
	write_times(w, &s->times);
}

static void write_scenario(struct json_writer *w, const char *key, const struct model_scenario *s)
{
	json_put_object(w, key);
	json_put_string(w, "name", s->name);
	json_put_string(w, "title", s->title);
	if (s->article[0])
		json_put_string(w, "article", s->article);
	write_params(w, s);
	json_put_string(w, "status", model_status_name(s->status));
	json_put_string(w, "reason", s->reason[0] ? s->reason : NULL);
	json_put_string(w, "verdict",
			s->verdict == MODEL_NO_VERDICT ? NULL : model_verdict_name(s->verdict));
	model_warnings_write(w, "warnings", s->warnings, s->n_warnings);
	json_put_object_flat(w, "ledger");
	write_range(w, "minor_per_page", s->ledger.minor);
	write_range(w, "major_per_page", s->ledger.major);
	write_range(w, "trap_per_page", s->ledger.trap);
	json_put_bool(w, "kernel_decides", s->ledger.kernel_decides);
	json_put_end_object(w);
	write_published(w, &s->published);
	write_derived(w, s);
	json_put_null(w, "latency");
	json_put_array(w, "rounds");
	for (size_t i = 0; i < s->n_rounds; i++)
		write_round(w, &s->rounds[i]);
	json_put_end_array(w);
	json_put_end_object(w);
}

static void write_ab(struct json_writer *w, const struct model_bench *doc)
{
	struct model_compare_row *rows;
	size_t n;

	if (!doc->ab.setting[0])
		return;
	rows = model_ab_rows(doc, &n);
	json_put_object(w, "ab");
	json_put_string(w, "setting", doc->ab.setting);
	json_put_string(w, "a", doc->ab.values[0]);
	json_put_string(w, "b", doc->ab.values[1]);
	json_put_double(w, "confidence", STATS_PAIRED_CONFIDENCE);
	json_put_array(w, "rows");
	for (size_t i = 0; i < n; i++)
		model_compare_row_write(w, &rows[i]);
	json_put_end_array(w);
	json_put_end_object(w);
	free(rows);
}

static void write_suite(struct json_writer *w, const struct model_suite_head *suite)
{
	if (!suite->name[0]) {
		json_put_null(w, "suite");
		return;
	}
	json_put_object(w, "suite");
	json_put_string(w, "name", suite->name);
	json_put_string(w, "title", suite->title);
	json_put_string(w, "source", suite->source);
	json_put_string(w, "machine", suite->machine);
	if (suite->size_bytes)
		json_put_u64(w, "size_bytes", suite->size_bytes);
	if (suite->page_bytes)
		json_put_u64(w, "page_bytes", suite->page_bytes);
	json_put_end_object(w);
}

static void write_relations(struct json_writer *w, const struct model_bench *doc)
{
	json_put_array(w, "relations");
	for (unsigned i = 0; i < doc->n_relations; i++) {
		const struct model_relation *r = &doc->relations[i];

		json_put_object_flat(w, NULL);
		json_put_string(w, "text", r->text);
		if (r->measured)
			json_put_bool(w, "holds", r->holds);
		else
			json_put_null(w, "holds");
		json_put_string(w, "figure", r->figure);
		json_put_string(w, "cause", r->cause[0] ? r->cause : NULL);
		if (r->claim.figure[0]) {
			json_put_object_flat(w, "claim");
			model_claim_write(w, &r->claim);
			json_put_end_object(w);
		}
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

static void write_baseline(struct json_writer *w, const struct model_bench *doc)
{
	if (!doc->baseline[0])
		return;
	json_put_object(w, "baseline");
	json_put_string(w, "name", doc->baseline);
	json_put_array(w, "rows");
	for (size_t i = 0; i < doc->n_changes; i++)
		model_compare_row_write(w, &doc->changes[i]);
	json_put_end_array(w);
	json_put_end_object(w);
}

void model_bench_write(const struct model_bench *doc, FILE *out)
{
	struct json_writer w;

	json_put_start(&w, out);
	json_put_object(&w, NULL);
	json_put_u64(&w, "schema", MODEL_SCHEMA);
	json_put_string(&w, "kind", "bench");
	json_put_object_flat(&w, "tool");
	json_put_string(&w, "name", "pagetoll");
	json_put_string(&w, "version", doc->tool_version);
	json_put_end_object(&w);
	json_put_string(&w, "started", doc->started);
	json_put_bool(&w, "interrupted", doc->interrupted);
	model_machine_write(&w, &doc->machine);
	write_options(&w, &doc->options);
	write_suite(&w, &doc->suite);
	write_ab(&w, doc);
	if (doc->floor.name[0])
		write_scenario(&w, "floor", &doc->floor);
	else
		json_put_null(&w, "floor");
	json_put_array(&w, "waterfall");
	json_put_end_array(&w);
	write_relations(&w, doc);
	write_baseline(&w, doc);
	model_warnings_write(&w, "warnings", doc->warnings, doc->n_warnings);
	model_noise_write(&w, doc);
	json_put_array(&w, "scenarios");
	for (size_t i = 0; i < doc->n_scenarios; i++)
		write_scenario(&w, NULL, &doc->scenarios[i]);
	json_put_end_array(&w);
	json_put_end_object(&w);
	json_put_finish(&w);
}
