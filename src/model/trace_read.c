/* SPDX-License-Identifier: MIT */
/* Reads a trace document: somebody's file, so nothing in it is trusted. */
#include "src/model/trace.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/why.h"
#include "src/model/document_read.h"

#include <errno.h>
#include <string.h>

/* Above this a count of faults or nanoseconds is no measurement, and sums could overflow. */
#define MOST_COUNTED (INT64_MAX / 4)

static void read_command(struct json_reader *rd, const json_t *root, struct model_trace *doc)
{
	const json_t *array = json_get_array(rd, root, "command");
	char *words[MODEL_MAX_COMMAND_WORDS];
	size_t n = 0, i;
	json_t *value;
	int64_t status = 0, signal = 0;
	bool cut = false;

	json_array_foreach(array, i, value) {
		if (!json_is_string(value)) {
			json_read_fail(rd, "\"command\" must hold texts");
			return;
		}
		if (n < MODEL_MAX_COMMAND_WORDS)
			words[n++] = (char *)json_string_value(value);
		else
			cut = true;
	}
	if (model_trace_set_command(doc, n, words) < 0)
		json_read_fail(rd, "no memory for its command");
	for (i = 0; i < doc->n_command; i++)
		text_make_harmless(doc->command[i]);
	json_get_bool(rd, root, "command_cut", &cut);
	doc->command_cut = doc->command_cut || cut;
	json_get_i64(rd, root, "exit_status", &status);
	json_get_i64(rd, root, "signal", &signal);
	if (status < 0 || status > 255 || signal < 0 || signal > 127)
		json_read_fail(rd, "has an impossible exit status or signal");
	doc->exit_status = (int)status;
	doc->signal = (int)signal;
}

static void read_times(struct json_reader *rd, const json_t *root, struct model_trace *doc)
{
	json_get_u64(rd, root, "wall_ns", &doc->wall_ns);
	json_get_u64(rd, root, "user_ns", &doc->user_ns);
	json_get_u64(rd, root, "sys_ns", &doc->sys_ns);
	if (doc->n_minor > MOST_COUNTED || doc->n_major > MOST_COUNTED ||
	    doc->wall_ns > MOST_COUNTED || doc->user_ns > MOST_COUNTED ||
	    doc->sys_ns > MOST_COUNTED)
		json_read_fail(rd, "counts an impossible number of faults or seconds");
}

static void read_evidence(struct json_reader *rd, const json_t *root, struct model_evidence *e)
{
	const json_t *evidence = json_get_object(rd, root, "evidence");

	for (size_t g = 0; g < MODEL_N_EVIDENCE_GROUPS; g++) {
		const json_t *group = json_get_object(rd, evidence, model_group_rows[g].key);

		for (size_t i = 0; i < MODEL_N_FIGURES; i++)
			if (model_figure_rows[i].group == g)
				json_get_i64(rd, group, model_figure_rows[i].key, &e->figures[i]);
		json_get_text(rd, group, "reason", e->reasons[g], sizeof(e->reasons[g]));
	}
	for (size_t i = 0; i < MODEL_N_FIGURES; i++)
		if (e->figures[i] < MODEL_NOT_COUNTED || e->figures[i] > MOST_COUNTED)
			json_read_fail(rd, "\"%s\" is impossible", model_figure_rows[i].key);
	json_get_u64(rd, evidence, "samples", &e->n_samples);
	json_get_u64(rd, evidence, "sampling_ns", &e->sampling_ns);
}

static bool is_sane(const struct model_price *p)
{
	return p->lo >= 0 && p->lo <= p->ns && p->ns <= p->hi && p->hi < 1e15 && p->blocked >= 0 &&
	       p->blocked <= 1;
}

static void read_price(struct json_reader *rd, const json_t *object, struct model_prices *prices)
{
	struct model_price price = {.ns = 0};
	char scenario[64] = "";

	if (!json_is_object(object))
		json_read_fail(rd, "a price must be an object");
	json_get_text(rd, object, "scenario", scenario, sizeof(scenario));
	json_get_double(rd, object, "ns", &price.ns);
	json_get_double(rd, object, "lo", &price.lo);
	json_get_double(rd, object, "hi", &price.hi);
	json_get_double(rd, object, "blocked", &price.blocked);
	json_get_text(rd, object, "source", price.source, sizeof(price.source));
	json_get_text(rd, object, "started", price.started, sizeof(price.started));
	if (!is_sane(&price))
		json_read_fail(rd, "the price of %s is impossible", scenario);
	for (size_t i = 0; i < MODEL_N_PRICES;
	     i++) /* others are of a newer pagetoll: no use here */
		if (strcmp(scenario, model_price_rows[i].scenario) == 0)
			prices->rows[i] = price;
}

static void read_prices(struct json_reader *rd, const json_t *root, struct model_prices *prices)
{
	const json_t *object = json_get_object(rd, root, "prices");
	const json_t *rows = json_get_array(rd, object, "rows");
	json_t *value;
	size_t i;

	json_get_text(rd, object, "reason", prices->reason, sizeof(prices->reason));
	json_array_foreach(rows, i, value) {
		read_price(rd, value, prices);
	}
}

static void read_counted(struct json_reader *rd, const json_t *root, struct model_trace *doc)
{
	const json_t *counts = json_get_object(rd, root, "reconciliation");

	if (!counts)
		json_read_fail(rd, "has no \"reconciliation\"");
	json_get_u64(rd, counts, "rusage_minor", &doc->n_minor);
	json_get_u64(rd, counts, "rusage_major", &doc->n_major);
	read_prices(rd, root, &doc->prices);
}

/* What sees each fault has a bill, and counters alone have prices. */
static const struct {
	const char *source;
	void (*read)(struct json_reader *rd, const json_t *root, struct model_trace *doc);
} sources[] = {
	{"rusage", read_counted},
	{"perf", model_bill_read},
};

static void read_by_source(struct json_reader *rd, const json_t *root, struct model_trace *doc)
{
	for (size_t i = 0; i < ARRAY_LEN(sources); i++)
		if (strcmp(doc->source, sources[i].source) == 0) {
			sources[i].read(rd, root, doc);
			return;
		}
	json_read_fail(rd, "is a trace by '%s', this pagetoll reads those by '%s' and '%s'",
		       doc->source, sources[0].source, sources[1].source);
}

static void read_document(struct json_reader *rd, const json_t *root, struct model_trace *doc)
{
	const json_t *tool = json_get_object(rd, root, "tool");

	json_get_text(rd, tool, "version", doc->tool_version, sizeof(doc->tool_version));
	json_get_text(rd, root, "started", doc->started, sizeof(doc->started));
	json_get_text(rd, root, "source", doc->source, sizeof(doc->source));
	json_get_bool(rd, root, "estimate", &doc->estimate);
	read_by_source(rd, root, doc);
	read_command(rd, root, doc);
	read_times(rd, root, doc);
	read_evidence(rd, root, &doc->evidence);
	model_warnings_read(rd, root, "blind_spots", doc->blind_spots, &doc->n_blind_spots);
	model_warnings_read(rd, root, "warnings", doc->warnings, &doc->n_warnings);
	model_machine_read(rd, root, &doc->machine);
}

struct model_trace *model_trace_from_json(struct json_reader *rd, const json_t *root)
{
	struct model_trace *doc = model_trace_new();

	if (!doc) {
		rd->r = why_set(rd->why, -ENOMEM, "%s: no memory to read it", rd->name);
		return NULL;
	}
	read_document(rd, root, doc);
	if (rd->r < 0) {
		model_trace_free(doc);
		return NULL;
	}
	model_trace_derive(doc);
	return doc;
}
