/* SPDX-License-Identifier: MIT */
/* Reads a bench document: somebody's file, so nothing in it is trusted. */
#include "src/model/bench.h"

#include "src/base/text.h"
#include "src/base/why.h"
#include "src/model/document_read.h"
#include "src/model/noise_doc.h"
#include "src/model/relation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void model_machine_read(struct json_reader *rd, const json_t *root, struct sys_machine *m)
{
	const json_t *object = json_get_object(rd, root, "machine");
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value) {
		char clean[32];

		text_make_harmless(text_copy(clean, sizeof(clean), key));
		if (json_is_integer(value) && json_integer_value(value) >= 0)
			sys_machine_add_u64(m, clean, (uint64_t)json_integer_value(value));
		else if (json_is_string(value))
			sys_machine_add_text(m, clean, json_string_value(value));
		else
			json_read_fail(rd, "\"machine\" must hold texts and whole numbers");
	}
}

static void read_options(struct json_reader *rd, const json_t *root, struct model_options *o)
{
	const json_t *object = json_get_object(rd, root, "options");
	int64_t cpu = -1;

	json_get_u64(rd, object, "size_bytes", &o->size_bytes);
	json_get_u64(rd, object, "rounds", &o->n_rounds);
	json_get_u64(rd, object, "trials", &o->n_trials);
	json_get_u64(rd, object, "budget_ns", &o->budget_ns);
	json_get_double(rd, object, "precision", &o->precision);
	json_get_u64(rd, object, "seed", &o->seed);
	json_get_i64(rd, object, "cpu", &cpu);
	o->cpu = cpu >= 0 && cpu < 1 << 20 ? (int)cpu : -1;
}

static void read_suite(struct json_reader *rd, const json_t *root, struct model_suite_head *suite)
{
	const json_t *object = json_get_object(rd, root, "suite");

	json_get_text(rd, object, "name", suite->name, sizeof(suite->name));
	json_get_text(rd, object, "title", suite->title, sizeof(suite->title));
	json_get_text(rd, object, "source", suite->source, sizeof(suite->source));
	json_get_text(rd, object, "machine", suite->machine, sizeof(suite->machine));
	json_get_u64(rd, object, "size_bytes", &suite->size_bytes);
	json_get_u64(rd, object, "page_bytes", &suite->page_bytes);
}

/* Its rows are no function of anything but the rounds, and computed anew. */
static void read_ab(struct json_reader *rd, const json_t *root, struct model_ab *ab)
{
	const json_t *object = json_get_object(rd, root, "ab");

	json_get_text(rd, object, "setting", ab->setting, sizeof(ab->setting));
	json_get_text(rd, object, "a", ab->values[0], sizeof(ab->values[0]));
	json_get_text(rd, object, "b", ab->values[1], sizeof(ab->values[1]));
}

static void read_range(struct json_reader *rd, const json_t *ledger, const char *key,
		       struct model_range *ret)
{
	const json_t *pair = json_get_array(rd, ledger, key);
	const json_t *lo = json_array_get(pair, 0);
	const json_t *hi = json_array_get(pair, 1);

	if (json_array_size(pair) != 2 || !json_is_number(lo) || !json_is_number(hi)) {
		json_read_fail(rd, "the ledger's \"%s\" must be two numbers", key);
		return;
	}
	*ret = (struct model_range){json_number_value(lo), json_number_value(hi)};
}

static void read_ledger(struct json_reader *rd, const json_t *object, struct model_ledger *ret)
{
	const json_t *ledger = json_get_object(rd, object, "ledger");

	if (!ledger) {
		json_read_fail(rd, "a scenario has no \"ledger\"");
		return;
	}
	read_range(rd, ledger, "minor_per_page", &ret->minor);
	read_range(rd, ledger, "major_per_page", &ret->major);
	read_range(rd, ledger, "trap_per_page", &ret->trap);
	json_get_bool(rd, ledger, "kernel_decides", &ret->kernel_decides);
}

static uint32_t read_marks(struct json_reader *rd, const json_t *object)
{
	const json_t *marks = json_get_array(rd, object, "marks");
	uint32_t bits = 0;
	json_t *value;
	size_t i;

	json_array_foreach(marks, i, value)
		for (unsigned bit = 0; bit < MODEL_N_MARKS; bit++)
			if (json_is_string(value) &&
			    strcmp(json_string_value(value), model_mark_names[bit]) == 0)
				bits |= 1U << bit;
	return bits;
}

/* What is not counted is null there. */
static void check_noise(struct json_reader *rd, const struct model_round *r)
{
	if (r->calibration_ns < MODEL_NOT_COUNTED)
		json_read_fail(rd, "a round has an impossible calibration");
	if (r->psi_cpu_ns < MODEL_NOT_COUNTED || r->psi_memory_ns < MODEL_NOT_COUNTED ||
	    r->psi_io_ns < MODEL_NOT_COUNTED)
		json_read_fail(rd, "tasks waited for an impossible time in a round");
}

static void read_round(struct json_reader *rd, const json_t *object, struct model_round *r)
{
	const uint64_t max_ns = INT64_MAX / MODEL_MAX_ROUNDS; /* so that sums of them are numbers */

	if (!json_is_object(object))
		json_read_fail(rd, "a round must be an object");
	json_get_u32(rd, object, "trial", &r->trial);
	json_get_u32(rd, object, "round", &r->round);
	json_get_u32(rd, object, "block", &r->block);
	json_get_u64(rd, object, "started_ns", &r->started_ns);
	json_get_u64(rd, object, "elapsed_ns", &r->elapsed_ns);
	json_get_u64(rd, object, "user_ns", &r->user_ns);
	json_get_u64(rd, object, "sys_ns", &r->sys_ns);
	json_get_u64(rd, object, "blocked_ns", &r->blocked_ns);
	json_get_u64(rd, object, "run_delay_ns", &r->run_delay_ns);
	json_get_u64(rd, object, "minor", &r->minor);
	json_get_u64(rd, object, "major", &r->major);
	json_get_i64(rd, object, "trap_user", &r->trap_user);
	json_get_i64(rd, object, "trap_kernel", &r->trap_kernel);
	json_get_u64(rd, object, "counted_minor", &r->counted_minor);
	json_get_u64(rd, object, "counted_major", &r->counted_major);
	json_get_i64(rd, object, "cycles", &r->cycles);
	json_get_i64(rd, object, "instructions", &r->instructions);
	json_get_i64(rd, object, "dtlb_load_misses", &r->dtlb_load_misses);
	json_get_i64(rd, object, "resident_before", &r->resident_before);
	json_get_i64(rd, object, "resident_after", &r->resident_after);
	json_get_i64(rd, object, "page_table_bytes", &r->page_table_bytes);
	json_get_u64(rd, object, "nvcsw", &r->nvcsw);
	json_get_u64(rd, object, "nivcsw", &r->nivcsw);
	json_get_u64(rd, object, "steal_ns", &r->steal_ns);
	json_get_u64(rd, object, "warm_slow_touches", &r->warm_slow_touches);
	json_get_i64(rd, object, "calibration_ns", &r->calibration_ns);
	json_get_i64(rd, object, "psi_cpu_ns", &r->psi_cpu_ns);
	json_get_i64(rd, object, "psi_memory_ns", &r->psi_memory_ns);
	json_get_i64(rd, object, "psi_io_ns", &r->psi_io_ns);
	r->marks = read_marks(rd, object);
	check_noise(rd, r);
	if (r->calibration_ns > (int64_t)max_ns)
		json_read_fail(rd, "a round has an impossible calibration");
	if (r->elapsed_ns > max_ns || r->user_ns > max_ns || r->sys_ns > max_ns ||
	    r->blocked_ns > max_ns || r->run_delay_ns > max_ns)
		json_read_fail(rd, "a round takes an impossible time");
	if (r->trial >= MODEL_MAX_ROUNDS)
		json_read_fail(rd, "trial %u: more trials than any run makes", r->trial);
	if (r->trap_user < MODEL_NOT_COUNTED || r->trap_kernel < MODEL_NOT_COUNTED ||
	    r->trap_user > INT64_MAX / 2 || r->trap_kernel > INT64_MAX / 2)
		json_read_fail(rd, "a round counts an impossible number of traps");
	if (r->minor > INT64_MAX / 4 || r->major > INT64_MAX / 4 ||
	    r->counted_minor > INT64_MAX / 4 || r->counted_major > INT64_MAX / 4)
		json_read_fail(rd, "a round counts an impossible number of faults");
}

static void read_rounds(struct json_reader *rd, const json_t *object, struct model_scenario *s)
{
	const json_t *rounds = json_get_array(rd, object, "rounds");
	json_t *value;
	size_t i;

	json_array_foreach(rounds, i, value) {
		struct model_round round = model_round_uncounted;
		int r;

		read_round(rd, value, &round);
		r = rd->r < 0 ? 0 : model_scenario_add_round(s, &round);
		if (r < 0)
			json_read_fail(rd, "more rounds than any run makes");
		if (rd->r < 0)
			return;
	}
}

static void read_published(struct json_reader *rd, const json_t *object, struct model_published *p)
{
	const json_t *published = json_get_object(rd, object, "published");

	json_get_double(rd, published, "ns_per_page", &p->ns_per_page);
	json_get_double(rd, published, "ns_per_fault", &p->ns_per_fault);
	json_get_double(rd, published, "minor", &p->minor);
	json_get_double(rd, published, "major", &p->major);
}

static enum model_status read_status(struct json_reader *rd, const json_t *object)
{
	char text[16] = "";

	json_get_text(rd, object, "status", text, sizeof(text));
	for (enum model_status s = MODEL_DONE; s <= MODEL_FAILED; s++)
		if (strcmp(text, model_status_name(s)) == 0)
			return s;
	json_read_fail(rd, "\"status\" must be done, skipped or failed, not '%s'", text);
	return MODEL_FAILED;
}

static void read_scenario(struct json_reader *rd, const json_t *object, struct model_scenario *s)
{
	const json_t *params;
	char side[4] = "";

	if (!json_is_object(object)) {
		json_read_fail(rd, "a scenario must be an object");
		return;
	}
	json_get_text(rd, object, "name", s->name, sizeof(s->name));
	json_get_text(rd, object, "title", s->title, sizeof(s->title));
	json_get_text(rd, object, "article", s->article, sizeof(s->article));
	s->status = read_status(rd, object);
	json_get_text(rd, object, "reason", s->reason, sizeof(s->reason));
	params = json_get_object(rd, object, "params");
	json_get_u64(rd, params, "n_pages", &s->n_pages);
	json_get_u64(rd, params, "page_bytes", &s->page_bytes);
	json_get_u64(rd, params, "huge_page_bytes", &s->huge_page_bytes);
	json_get_text(rd, params, "pages", s->pages, sizeof(s->pages));
	json_get_u64(rd, params, "accesses", &s->n_accesses);
	json_get_u32(rd, params, "threads", &s->threads);
	json_get_text(rd, params, "access", s->access, sizeof(s->access));
	json_get_text(rd, params, "cache_state", s->cache_state, sizeof(s->cache_state));
	json_get_text(rd, params, "side", side, sizeof(side));
	s->side = strcmp(side, "a") == 0 ? 1 : strcmp(side, "b") == 0 ? 2 : 0;
	read_ledger(rd, object, &s->ledger);
	read_published(rd, object, &s->published);
	read_rounds(rd, object, s);
	if (s->page_bytes && s->n_pages > INT64_MAX / s->page_bytes)
		json_read_fail(rd, "%s: touches more memory than there can be", s->name);
	if (s->n_rounds && s->n_pages == 0)
		json_read_fail(rd, "%s: has rounds but no pages", s->name);
}

static void read_scenarios(struct json_reader *rd, const json_t *root, struct model_bench *doc)
{
	const json_t *scenarios = json_get_array(rd, root, "scenarios");
	const json_t *floor = json_get_object(rd, root, "floor");
	json_t *value;
	size_t i;

	json_array_foreach(scenarios, i, value) {
		struct model_scenario *s = rd->r < 0 ? NULL : model_bench_add(doc, "");

		if (!s) {
			json_read_fail(rd, "more scenarios than can be read");
			return;
		}
		read_scenario(rd, value, s);
	}
	if (floor)
		read_scenario(rd, floor, &doc->floor);
}

static void read_relations(struct json_reader *rd, const json_t *root, struct model_bench *doc)
{
	const json_t *relations = json_get_array(rd, root, "relations");
	json_t *value;
	size_t i;

	json_array_foreach(relations, i, value) {
		struct model_relation *r = &doc->relations[doc->n_relations];

		if (i == MODEL_MAX_RELATIONS)
			return;
		if (!json_is_object(value))
			json_read_fail(rd, "a relation must be an object");
		json_get_text(rd, value, "text", r->text, sizeof(r->text));
		json_get_text(rd, value, "figure", r->figure, sizeof(r->figure));
		json_get_text(rd, value, "cause", r->cause, sizeof(r->cause));
		json_get_bool(rd, value, "holds", &r->holds);
		r->measured = json_is_boolean(json_object_get(value, "holds"));
		model_claim_read(rd, json_get_object(rd, value, "claim"), &r->claim);
		doc->n_relations++;
	}
}

void model_warnings_read(struct json_reader *rd, const json_t *root, const char *key,
			 struct model_warning *warnings, unsigned *n)
{
	const json_t *array = json_get_array(rd, root, key);
	json_t *value;
	size_t i;

	json_array_foreach(array, i, value) {
		struct model_warning w = {.id = ""};

		if (!json_is_object(value))
			json_read_fail(rd, "a warning must be an object");
		json_get_text(rd, value, "id", w.id, sizeof(w.id));
		json_get_text(rd, value, "text", w.text, sizeof(w.text));
		model_warn(warnings, n, w.id, "%s", w.text);
	}
}

static void read_baseline(struct json_reader *rd, const json_t *root, struct model_bench *doc)
{
	const json_t *baseline = json_get_object(rd, root, "baseline");
	const json_t *rows = json_get_array(rd, baseline, "rows");
	size_t n = json_array_size(rows), i;
	json_t *value;

	json_get_text(rd, baseline, "name", doc->baseline, sizeof(doc->baseline));
	if (n > MODEL_MAX_SCENARIOS) {
		json_read_fail(rd, "more rows in its baseline than can be read");
		return;
	}
	doc->changes = n ? calloc(n, sizeof(*doc->changes)) : NULL;
	if (n && !doc->changes) {
		json_read_fail(rd, "no memory for its baseline");
		return;
	}
	json_array_foreach(rows, i, value) {
		model_compare_row_read(rd, value, &doc->changes[doc->n_changes++]);
	}
}

static void read_document(struct json_reader *rd, const json_t *root, struct model_bench *doc)
{
	const json_t *tool = json_get_object(rd, root, "tool");

	json_get_text(rd, tool, "version", doc->tool_version, sizeof(doc->tool_version));
	json_get_text(rd, root, "started", doc->started, sizeof(doc->started));
	json_get_bool(rd, root, "interrupted", &doc->interrupted);
	model_machine_read(rd, root, &doc->machine);
	read_options(rd, root, &doc->options);
	read_suite(rd, root, &doc->suite);
	read_ab(rd, root, &doc->ab);
	read_scenarios(rd, root, doc);
	read_relations(rd, root, doc);
	read_baseline(rd, root, doc);
	model_noise_read(rd, root, doc);
	/* warnings of the run are kept: they are no function of the rounds */
	model_warnings_read(rd, root, "warnings", doc->warnings, &doc->n_warnings);
}

struct model_bench *model_bench_from_json(struct json_reader *rd, const json_t *root)
{
	struct model_bench *doc = model_bench_new();

	if (!doc) {
		rd->r = why_set(rd->why, -ENOMEM, "%s: no memory to read it", rd->name);
		return NULL;
	}
	read_document(rd, root, doc);
	if (rd->r < 0) {
		model_bench_free(doc);
		return NULL;
	}
	model_bench_derive(doc);
	model_bench_judge(doc);
	return doc;
}

int model_bench_read(FILE *in, const char *name, struct model_bench **ret_doc, struct why *why)
{
	struct json_reader rd = {.name = name, .why = why};
	struct model_bench *doc = NULL;
	char kind[MODEL_MAX_KIND];
	json_t *root;

	root = model_document_parse(&rd, in, kind);
	if (!root)
		return rd.r;
	if (strcmp(kind, "bench") == 0)
		doc = model_bench_from_json(&rd, root);
	else
		json_read_fail(&rd, "is a document of kind '%s', not 'bench'", kind);
	json_decref(root);
	if (doc)
		*ret_doc = doc;
	return rd.r;
}
