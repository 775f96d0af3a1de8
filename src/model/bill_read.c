/* SPDX-License-Identifier: MIT */
/* Reads the fault bill of a trace document: somebody's file, so nothing in it is trusted. */
#include "src/model/trace.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/model/document_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Above these a number is no measurement, and sums of all rows could overflow. */
#define MOST_FAULTS (UINT64_C(1) << 48)
#define MOST_NS (UINT64_C(1) << 58)
#define MOST_BYTES (UINT64_C(1) << 57)
#define MOST_MOMENT_NS (MOST_NS / MODEL_MAX_MOMENTS)

/* --- checked numbers -------------------------------------------------------------------------------- */

static void get_count(struct json_reader *rd, const json_t *object, const char *key, uint64_t *ret)
{
	uint64_t value = 0;

	json_get_u64(rd, object, key, &value);
	if (value > MOST_FAULTS)
		json_read_fail(rd, "\"%s\" is an impossible count", key);
	else if (json_is_integer(json_object_get(object, key)))
		*ret = value;
}

static void get_size(struct json_reader *rd, const json_t *object, const char *key, uint64_t *ret)
{
	json_get_u64(rd, object, key, ret);
	if (*ret > MOST_BYTES) {
		json_read_fail(rd, "\"%s\" is an impossible size", key);
		*ret = 0;
	}
}

/* A point in time or a width: at most so long that sums do not overflow. */
static void get_span(struct json_reader *rd, const json_t *object, const char *key, uint64_t most,
		     uint64_t *ret)
{
	json_get_u64(rd, object, key, ret);
	if (*ret > most) {
		json_read_fail(rd, "\"%s\" is an impossible time", key);
		*ret = 0;
	}
}

/* Nanoseconds, or a share, that may be unknown. */
static void get_known(struct json_reader *rd, const json_t *object, const char *key, double *ret)
{
	double value = NAN;

	json_get_double(rd, object, key, &value);
	if (value < 0 || value > (double)MOST_NS)
		json_read_fail(rd, "\"%s\" is impossible", key);
	else
		*ret = value;
}

/* The same of what is always known. */
static void get_sum(struct json_reader *rd, const json_t *object, const char *key, double *ret)
{
	double value = NAN;

	get_known(rd, object, key, &value);
	if (!isnan(value))
		*ret = value;
}

static void get_address(struct json_reader *rd, const json_t *object, const char *key,
			uint64_t *ret)
{
	char text[32] = "0x0";
	char *end;

	json_get_text(rd, object, key, text, sizeof(text));
	errno = 0;
	*ret = strtoull(text, &end, 16);
	if (errno || *end || strncmp(text, "0x", 2) != 0 || !text[2]) {
		json_read_fail(rd, "\"%s\" must be an address, \"0x...\"", key);
		*ret = 0;
	}
}

/* A kind of a newer pagetoll is unknown to this one. */
static enum model_fault_kind get_kind(struct json_reader *rd, const json_t *object)
{
	char name[32] = "";
	int kind;

	json_get_text(rd, object, "kind", name, sizeof(name));
	kind = model_fault_kind_find(name);
	return kind < 0 ? MODEL_UNKNOWN : (enum model_fault_kind)kind;
}

static uint32_t get_row(struct json_reader *rd, const json_t *object, const char *key,
			size_t n_rows)
{
	uint32_t row = MODEL_NO_ROW;

	json_get_u32(rd, object, key, &row);
	if (row != MODEL_NO_ROW && row >= n_rows) {
		json_read_fail(rd, "\"%s\" %u is no row of its %zu", key, row, n_rows);
		return MODEL_NO_ROW;
	}
	return row;
}

static void get_id(struct json_reader *rd, const json_t *object, const char *key, int32_t *ret)
{
	int64_t value = 0;

	json_get_i64(rd, object, key, &value);
	if (value < -1 || value > INT32_MAX) {
		json_read_fail(rd, "\"%s\" is no process or thread", key);
		value = 0;
	}
	*ret = (int32_t)value;
}

static void get_cost(struct json_reader *rd, const json_t *object, struct model_cost *ret)
{
	*ret = model_cost_none();
	get_count(rd, object, "count", &ret->count);
	get_count(rd, object, "major", &ret->n_major);
	get_count(rd, object, "n_timed", &ret->n_timed);
	get_sum(rd, object, "raw_ns", &ret->raw_ns);
	get_sum(rd, object, "time_ns", &ret->time_ns);
	get_known(rd, object, "on_cpu_ns", &ret->on_cpu_ns);
	get_known(rd, object, "blocked_ns", &ret->blocked_ns);
	get_known(rd, object, "preempted_ns", &ret->preempted_ns);
	get_known(rd, object, "p50_ns", &ret->p50_ns);
	get_known(rd, object, "p99_ns", &ret->p99_ns);
	get_known(rd, object, "worst_ns", &ret->worst_ns);
	if (ret->n_major > ret->count || ret->n_timed > ret->count)
		json_read_fail(rd, "counts more faults of a sort than faults");
}

/* --- arrays of rows ------------------------------------------------------------------------------------ */

/* What the reader of one row works on. */
struct row_context {
	struct json_reader *rd;
	struct model_bill *bill;
	void *rows;
};

struct row_array {
	const char *key;
	size_t most, row_bytes;
	void (*read)(const struct row_context *c, const json_t *object, size_t i);
};

/* Rows in memory of their own, all read; how many there are in *ret_n. NULL: none. */
static void *read_rows(struct json_reader *rd, const json_t *root, struct model_bill *bill,
		       const struct row_array *array, size_t *ret_n)
{
	const json_t *values = json_get_array(rd, root, array->key);
	size_t n = json_array_size(values), i;
	struct row_context c = {.rd = rd, .bill = bill};
	json_t *value;

	if (n > array->most)
		json_read_fail(rd, "\"%s\" has %zu rows, more than any run keeps", array->key, n);
	if (n == 0 || rd->r < 0)
		return NULL;
	c.rows = calloc(n, array->row_bytes);
	if (!c.rows) {
		json_read_fail(rd, "no memory for \"%s\"", array->key);
		return NULL;
	}
	*ret_n = n; /* rows not reached after an error are zeroes, which can be freed */
	json_array_foreach(values, i, value) {
		if (!json_is_object(value))
			json_read_fail(rd, "\"%s\" must hold objects", array->key);
		if (rd->r < 0)
			break;
		array->read(&c, value, i);
	}
	return c.rows;
}

static void read_mapping(const struct row_context *c, const json_t *object, size_t i)
{
	struct model_mapping_row *m = (struct model_mapping_row *)c->rows + i;

	json_get_text(c->rd, object, "mapping", m->name, sizeof(m->name));
	json_get_bool(c->rd, object, "deleted", &m->deleted);
	json_get_bool(c->rd, object, "shared", &m->shared);
	json_get_bool(c->rd, object, "writable", &m->writable);
	json_get_bool(c->rd, object, "executable", &m->executable);
	get_size(c->rd, object, "size_bytes", &m->size_bytes);
	get_size(c->rd, object, "rss_bytes", &m->rss_bytes);
	get_size(c->rd, object, "huge_bytes", &m->huge_bytes);
	get_size(c->rd, object, "thp_eligible_bytes", &m->eligible_bytes);
	json_get_text(c->rd, object, "vm_flags", m->vm_flags, sizeof(m->vm_flags));
	m->kind = get_kind(c->rd, object);
	get_cost(c->rd, object, &m->cost);
}

static void read_frame(struct json_reader *rd, const json_t *object, struct model_frame *f)
{
	if (!json_is_object(object))
		json_read_fail(rd, "a frame must be an object");
	json_get_text(rd, object, "function", f->function, sizeof(f->function));
	json_get_text(rd, object, "file", f->file, sizeof(f->file));
	json_get_u32(rd, object, "line", &f->line);
	json_get_text(rd, object, "module", f->module, sizeof(f->module));
	get_address(rd, object, "module_offset", &f->module_offset);
	json_get_bool(rd, object, "inlined", &f->inlined);
}

static void read_stack(const struct row_context *c, const json_t *object,
		       struct model_site_row *site)
{
	const json_t *frames = json_get_array(c->rd, object, "stack");
	size_t n = json_array_size(frames), i;
	json_t *frame;

	if (n > MODEL_MAX_STACK)
		json_read_fail(c->rd, "a stack has %zu frames, more than any run keeps", n);
	if (n == 0 || c->rd->r < 0)
		return;
	site->stack = calloc(n, sizeof(*site->stack));
	if (!site->stack) {
		json_read_fail(c->rd, "no memory for a stack");
		return;
	}
	site->n_stack = (uint32_t)n;
	json_array_foreach(frames, i, frame) {
		read_frame(c->rd, frame, &site->stack[i]);
	}
}

static void read_site(const struct row_context *c, const json_t *object, size_t i)
{
	struct model_site_row *site = (struct model_site_row *)c->rows + i;

	site->mapping = get_row(c->rd, object, "mapping_row", c->bill->n_mappings);
	site->kind = get_kind(c->rd, object);
	get_cost(c->rd, object, &site->cost);
	for (size_t h = 0; h < MODEL_N_HABITS; h++)
		get_count(c->rd, json_get_object(c->rd, object, "habits"), model_habit_names[h],
			  &site->habits.n[h]);
	read_stack(c, object, site);
}

static void read_thread(const struct row_context *c, const json_t *object, size_t i)
{
	struct model_thread_row *t = (struct model_thread_row *)c->rows + i;

	get_id(c->rd, object, "pid", &t->pid);
	get_id(c->rd, object, "tid", &t->tid);
	json_get_text(c->rd, object, "comm", t->comm, sizeof(t->comm));
	json_get_bool(c->rd, object, "rest", &t->is_rest);
	t->cpu_ns = NAN;
	get_known(c->rd, object, "cpu_ns", &t->cpu_ns);
	get_cost(c->rd, object, &t->cost);
}

static void read_moment(const struct row_context *c, const json_t *object, size_t i)
{
	struct model_moment *m = (struct model_moment *)c->rows + i;
	json_t *kinds = json_object_get(object, "kinds");
	const char *name;
	json_t *pair;

	if (!json_get_object(c->rd, object, "kinds"))
		return;
	json_object_foreach(kinds, name, pair) {
		int found = model_fault_kind_find(name);
		size_t kind = found < 0 ? MODEL_UNKNOWN : (size_t)found;
		json_int_t count = json_integer_value(json_array_get(pair, 0));
		double time_ns = json_number_value(json_array_get(pair, 1));

		if (json_array_size(pair) != 2 || count < 0 || (uint64_t)count > MOST_FAULTS ||
		    !(time_ns >= 0 && time_ns <= (double)MOST_NS))
			json_read_fail(c->rd, "a moment of \"timeline\" is impossible");
		if (c->rd->r < 0)
			return;
		m->count[kind] = (uint64_t)count;
		m->time_ns[kind] = time_ns;
	}
}

static void read_fault(const struct row_context *c, const json_t *object, size_t i)
{
	struct model_fault_row *f = (struct model_fault_row *)c->rows + i;
	const struct model_bill *bill = c->bill;

	f->latency_ns = f->blocked_ns = NAN;
	get_span(c->rd, object, "at_ns", MOST_NS, &f->at_ns);
	get_known(c->rd, object, "latency_ns", &f->latency_ns);
	get_known(c->rd, object, "blocked_ns", &f->blocked_ns);
	get_address(c->rd, object, "address", &f->address);
	get_address(c->rd, object, "file_offset", &f->file_offset);
	f->thread = get_row(c->rd, object, "thread_row", bill->n_threads_listed);
	f->mapping = get_row(c->rd, object, "mapping_row", bill->n_mappings);
	f->site = get_row(c->rd, object, "site_row", bill->n_sites);
	f->kind = get_kind(c->rd, object);
	json_get_bool(c->rd, object, "major", &f->major);
	json_get_bool(c->rd, object, "kernel_mode", &f->kernel_mode);
}

static const struct row_array mapping_rows = {"by_mapping", MODEL_MAX_MAPPINGS,
					      sizeof(struct model_mapping_row), read_mapping};
static const struct row_array site_rows = {"by_site", MODEL_MAX_SITES,
					   sizeof(struct model_site_row), read_site};
static const struct row_array thread_rows = {"by_thread", MODEL_MAX_THREADS,
					     sizeof(struct model_thread_row), read_thread};
static const struct row_array moment_rows = {"timeline", MODEL_MAX_MOMENTS,
					     sizeof(struct model_moment), read_moment};
static const struct row_array worst_rows = {"worst", MODEL_MAX_WORST,
					    sizeof(struct model_fault_row), read_fault};
static const struct row_array fatal_rows = {"fatal", 1, sizeof(struct model_fault_row), read_fault};
static const struct row_array each_rows = {"each", MODEL_MAX_EACH, sizeof(struct model_fault_row),
					   read_fault};

static void read_fatal(struct json_reader *rd, const json_t *root, struct model_bill *bill)
{
	const json_t *frame = json_get_object(rd, root, "fatal_frame");
	struct model_fault_row *rows;
	size_t n = 0;

	rows = read_rows(rd, root, bill, &fatal_rows, &n);
	if (n)
		bill->fatal = rows[0];
	bill->has_fatal = n > 0;
	free(rows);
	if (!frame)
		return;
	read_frame(rd, frame, &bill->fatal_frame);
	json_get_text(rd, frame, "mapping", bill->fatal_mapping, sizeof(bill->fatal_mapping));
}

/* In this order: rows name rows of what comes before. */
static void read_tables(struct json_reader *rd, const json_t *root, struct model_bill *bill)
{
	bill->mappings = read_rows(rd, root, bill, &mapping_rows, &bill->n_mappings);
	bill->sites = read_rows(rd, root, bill, &site_rows, &bill->n_sites);
	bill->threads = read_rows(rd, root, bill, &thread_rows, &bill->n_threads_listed);
	bill->moments = read_rows(rd, root, bill, &moment_rows, &bill->n_moments);
	bill->worst = read_rows(rd, root, bill, &worst_rows, &bill->n_worst);
	bill->each = read_rows(rd, root, bill, &each_rows, &bill->n_each);
	read_fatal(rd, root, bill);
}

/* --- the rest --------------------------------------------------------------------------------------------- */

static void read_totals(struct json_reader *rd, const json_t *root, struct model_bill *bill)
{
	const json_t *totals = json_get_object(rd, root, "totals");

	if (!totals)
		json_read_fail(rd, "has no \"totals\"");
	get_cost(rd, totals, &bill->total);
	get_known(rd, totals, "time_lo_ns", &bill->time_lo_ns);
	get_known(rd, totals, "time_hi_ns", &bill->time_hi_ns);
	get_known(rd, totals, "tracer_ns", &bill->tracer_ns);
	get_known(rd, totals, "trap_ns", &bill->trap_ns);
	get_known(rd, totals, "slowdown_ns", &bill->slowdown_ns);
	get_known(rd, totals, "trap_each_ns", &bill->trap_each_ns);
	get_known(rd, totals, "tracer_each_ns", &bill->tracer_each_ns);
	get_known(rd, totals, "fill_each_ns", &bill->fill_each_ns);
	get_known(rd, totals, "fill_huge_ns", &bill->fill_huge_ns);
	get_known(rd, totals, "fill_fresh_huge_ns", &bill->fill_fresh_huge_ns);
	get_count(rd, totals, "processes", &bill->n_processes);
	get_count(rd, totals, "threads", &bill->n_threads);
	get_count(rd, totals, "execs", &bill->n_execs);
	get_count(rd, totals, "forks", &bill->n_forks);
}

static void read_reconciliation(struct json_reader *rd, const json_t *root, struct model_trace *doc)
{
	const json_t *counts = json_get_object(rd, root, "reconciliation");
	struct model_bill *bill = doc->bill;

	if (!counts)
		json_read_fail(rd, "has no \"reconciliation\"");
	get_count(rd, counts, "before_exec", &bill->before_exec);
	get_count(rd, counts, "user_traps", &bill->user_traps);
	get_count(rd, counts, "kernel_traps", &bill->kernel_traps);
	get_count(rd, counts, "kernel_or_populated", &bill->kernel_or_populated);
	json_get_i64(rd, counts, "unexplained", &bill->unexplained);
	if (bill->unexplained != MODEL_UNKNOWN_DIFFERENCE &&
	    (bill->unexplained > (int64_t)MOST_FAULTS || bill->unexplained < -(int64_t)MOST_FAULTS))
		json_read_fail(rd, "\"unexplained\" is an impossible count");
	doc->n_minor = bill->total.count - bill->total.n_major;
	doc->n_major = bill->total.n_major;
	get_count(rd, counts, "rusage_minor", &doc->n_minor);
	get_count(rd, counts, "rusage_major", &doc->n_major);
}

static void read_counts(struct json_reader *rd, const json_t *root, struct model_bill *bill)
{
	const json_t *counts = json_get_object(rd, root, "counts");
	const json_t *deadline = json_get_object(rd, root, "deadline");

	for (size_t i = 0; i < MODEL_N_BILL_COUNTS; i++)
		get_count(rd, json_get_object(rd, counts, model_bill_count_names[i]), "count",
			  &bill->counts[i]);
	get_span(rd, deadline, "deadline_ns", MOST_NS, &bill->deadline_ns);
	get_count(rd, deadline, "late", &bill->n_late);
	get_count(rd, root, "each_left_out", &bill->n_each_left_out);
	get_span(rd, root, "moment_ns", MOST_MOMENT_NS, &bill->moment_ns);
}

static void read_kinds(struct json_reader *rd, const json_t *root, struct model_bill *bill)
{
	const json_t *kinds = json_get_array(rd, root, "by_kind");
	struct model_cost cost;
	json_t *value;
	size_t i;

	if (json_array_size(kinds) > 4 * (size_t)MODEL_N_FAULT_KINDS)
		json_read_fail(rd, "\"by_kind\" has more rows than there are kinds");
	json_array_foreach(kinds, i, value) {
		if (!json_is_object(value))
			json_read_fail(rd, "\"by_kind\" must hold objects");
		if (rd->r < 0)
			return;
		get_cost(rd, value, &cost);
		model_cost_add(&bill->kinds[get_kind(rd, value)].cost, &cost);
	}
}

static void read_pids(struct json_reader *rd, const json_t *root, struct model_trace *doc)
{
	const json_t *pids = json_get_array(rd, root, "pids");
	size_t n = json_array_size(pids), i;
	json_t *value;

	if (n > MODEL_MAX_PIDS)
		json_read_fail(rd, "\"pids\" has %zu rows, more than any run keeps", n);
	if (n == 0 || rd->r < 0)
		return;
	doc->pids = calloc(n, sizeof(*doc->pids));
	if (!doc->pids) {
		json_read_fail(rd, "no memory for \"pids\"");
		return;
	}
	doc->n_pids = n;
	json_array_foreach(pids, i, value) {
		json_int_t pid = json_integer_value(value);

		if (pid <= 0 || pid > INT32_MAX)
			json_read_fail(rd, "\"pids\" must hold processes");
		else
			doc->pids[i] = (int32_t)pid;
	}
}

void model_bill_read(struct json_reader *rd, const json_t *root, struct model_trace *doc)
{
	doc->bill = model_bill_new();
	if (!doc->bill) {
		json_read_fail(rd, "no memory for its bill");
		return;
	}
	read_pids(rd, root, doc);
	read_totals(rd, root, doc->bill);
	read_reconciliation(rd, root, doc);
	read_counts(rd, root, doc->bill);
	read_kinds(rd, root, doc->bill);
	read_tables(rd, root, doc->bill);
}
