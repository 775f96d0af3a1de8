/* SPDX-License-Identifier: MIT */
/* The trace document as JSON, schema 1. */
#include "src/model/trace.h"

#include "src/base/json_write.h"

#include <math.h>

static void write_figure(struct json_writer *w, const char *key, int64_t value)
{
	if (value < 0)
		json_put_null(w, key);
	else
		json_put_i64(w, key, value);
}

/* Whole nanoseconds: an estimate has no digits behind the point. */
static void write_ns(struct json_writer *w, const char *key, double ns)
{
	json_put_double(w, key, round(ns));
}

static void write_span(struct json_writer *w, const struct model_span *span)
{
	write_ns(w, "time_ns", span->mid);
	write_ns(w, "time_lo_ns", span->lo);
	write_ns(w, "time_hi_ns", span->hi);
}

static void write_command(struct json_writer *w, const struct model_trace *doc)
{
	json_put_array_flat(w, "command");
	for (size_t i = 0; i < doc->n_command; i++)
		json_put_string(w, NULL, doc->command[i]);
	json_put_end_array(w);
	json_put_bool(w, "command_cut", doc->command_cut);
	json_put_i64(w, "exit_status", doc->exit_status);
	if (doc->signal)
		json_put_i64(w, "signal", doc->signal);
	else
		json_put_null(w, "signal");
}

static void write_totals(struct json_writer *w, const struct model_trace *doc)
{
	const struct model_totals *t = &doc->totals;

	json_put_object(w, "totals");
	json_put_u64(w, "count", doc->n_minor + doc->n_major);
	json_put_u64(w, "minor", doc->n_minor);
	json_put_u64(w, "major", doc->n_major);
	write_span(w, &t->time_ns);
	write_ns(w, "minor_time_ns", t->minor_ns.mid);
	write_ns(w, "major_time_ns", t->major_ns.mid);
	write_ns(w, "uncapped_ns", t->uncapped_ns);
	json_put_double(w, "share", t->share.mid);
	json_put_double(w, "share_lo", t->share.lo);
	json_put_double(w, "share_hi", t->share.hi);
	json_put_double(w, "share_of_wall", t->share_of_wall);
	json_put_end_object(w);
	json_put_array(w, "by_kind");
	for (size_t i = 0; i < MODEL_N_PARTS; i++) {
		json_put_object_flat(w, NULL);
		json_put_string(w, "kind", model_part_names[i]);
		json_put_u64(w, "count", t->parts[i].count);
		write_span(w, &t->parts[i].time);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

/* What counters alone cannot fill is null: they tell no trap from a populated page. */
static void write_reconciliation(struct json_writer *w, const struct model_trace *doc)
{
	static const char *const uncounted[] = {"user_traps", "kernel_traps", "populated",
						"kernel_or_populated", "unexplained"};

	json_put_object_flat(w, "reconciliation");
	json_put_u64(w, "rusage_minor", doc->n_minor);
	json_put_u64(w, "rusage_major", doc->n_major);
	for (size_t i = 0; i < sizeof(uncounted) / sizeof(uncounted[0]); i++)
		json_put_null(w, uncounted[i]);
	json_put_end_object(w);
}

static void write_evidence(struct json_writer *w, const struct model_evidence *e)
{
	json_put_object(w, "evidence");
	for (size_t g = 0; g < MODEL_N_EVIDENCE_GROUPS; g++) {
		json_put_object(w, model_group_rows[g].key);
		json_put_string(w, "of", model_group_rows[g].scope);
		for (size_t i = 0; i < MODEL_N_FIGURES; i++)
			if (model_figure_rows[i].group == g)
				write_figure(w, model_figure_rows[i].key, e->figures[i]);
		json_put_string(w, "reason", e->reasons[g][0] ? e->reasons[g] : NULL);
		json_put_end_object(w);
	}
	json_put_u64(w, "samples", e->n_samples);
	json_put_u64(w, "sampling_ns", e->sampling_ns);
	json_put_end_object(w);
}

static void write_price(struct json_writer *w, const struct model_price_row *row,
			const struct model_price *price)
{
	json_put_object_flat(w, NULL);
	json_put_string(w, "scenario", row->scenario);
	json_put_string(w, "per", row->per_page ? "page" : "fault");
	json_put_double(w, "ns", price->ns);
	json_put_double(w, "lo", price->lo);
	json_put_double(w, "hi", price->hi);
	json_put_double(w, "blocked", price->blocked);
	json_put_string(w, "source", price->source);
	json_put_string(w, "started", price->started);
	json_put_end_object(w);
}

static void write_prices(struct json_writer *w, const struct model_prices *prices)
{
	json_put_object(w, "prices");
	json_put_string(w, "reason", prices->reason[0] ? prices->reason : NULL);
	json_put_array(w, "rows");
	for (size_t i = 0; i < MODEL_N_PRICES; i++)
		if (model_price_is_known(&prices->rows[i]))
			write_price(w, &model_price_rows[i], &prices->rows[i]);
	json_put_end_array(w);
	json_put_end_object(w);
}

static void write_verdict(struct json_writer *w, const struct model_trace_verdict *v)
{
	json_put_object(w, "verdict");
	json_put_string(w, "id", model_trace_verdict_names[v->id]);
	json_put_string(w, "text", v->text);
	json_put_string(w, "advice", v->advice[0] ? v->advice : NULL);
	json_put_end_object(w);
}

void model_trace_write(const struct model_trace *doc, FILE *out)
{
	struct json_writer w;

	json_put_start(&w, out);
	json_put_object(&w, NULL);
	json_put_u64(&w, "schema", MODEL_SCHEMA);
	json_put_string(&w, "kind", "trace");
	json_put_object_flat(&w, "tool");
	json_put_string(&w, "name", "pagetoll");
	json_put_string(&w, "version", doc->tool_version);
	json_put_end_object(&w);
	json_put_string(&w, "started", doc->started);
	json_put_string(&w, "source", doc->source);
	json_put_bool(&w, "estimate", doc->estimate);
	write_verdict(&w, &doc->verdict);
	write_command(&w, doc);
	json_put_u64(&w, "wall_ns", doc->wall_ns);
	json_put_u64(&w, "user_ns", doc->user_ns);
	json_put_u64(&w, "sys_ns", doc->sys_ns);
	if (doc->bill) {
		model_bill_write(&w, doc);
	} else {
		write_totals(&w, doc);
		write_reconciliation(&w, doc);
	}
	json_put_array(&w, "findings");
	for (size_t i = 0; i < doc->n_findings; i++)
		model_finding_write(&w, &doc->findings[i]);
	json_put_end_array(&w);
	write_evidence(&w, &doc->evidence);
	if (!doc->bill)
		write_prices(&w, &doc->prices);
	model_warnings_write(&w, "blind_spots", doc->blind_spots, doc->n_blind_spots);
	model_warnings_write(&w, "warnings", doc->warnings, doc->n_warnings);
	model_machine_write(&w, &doc->machine);
	json_put_end_object(&w);
	json_put_finish(&w);
}
