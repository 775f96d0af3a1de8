/* SPDX-License-Identifier: MIT */
/* The fault bill as JSON, schema 1: the part of a trace document whose source sees each fault. */
#include "src/model/trace.h"

#include "src/base/json_write.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Above this a double holds no whole numbers. */
#define EXACT_NS 0x1p53

/* Whole nanoseconds, each digit of them, so that what is computed of them on reading is the same. */
static void put_ns(struct json_writer *w, const char *key, double ns)
{
	if (fabs(ns) < EXACT_NS)
		json_put_i64(w, key, (int64_t)llround(ns));
	else
		json_put_double(w, key, ns);
}

static void put_count(struct json_writer *w, const char *key, uint64_t count)
{
	if (count == MODEL_UNKNOWN_COUNT)
		json_put_null(w, key);
	else
		json_put_u64(w, key, count);
}

static void put_row(struct json_writer *w, const char *key, uint32_t row)
{
	put_count(w, key, row == MODEL_NO_ROW ? MODEL_UNKNOWN_COUNT : row);
}

static void put_address(struct json_writer *w, const char *key, uint64_t address)
{
	char text[32];

	/* a number of 64 bits is not exact in every reader */
	(void)snprintf(text, sizeof(text), "0x%" PRIx64, address);
	json_put_string(w, key, text);
}

static void put_known_text(struct json_writer *w, const char *key, const char *text)
{
	json_put_string(w, key, *text ? text : NULL);
}

static void put_times(struct json_writer *w, const struct model_cost *c)
{
	put_ns(w, "raw_ns", c->raw_ns);
	put_ns(w, "on_cpu_ns", c->on_cpu_ns);
	put_ns(w, "blocked_ns", c->blocked_ns);
	put_ns(w, "preempted_ns", c->preempted_ns);
	put_ns(w, "p50_ns", c->p50_ns);
	put_ns(w, "p99_ns", c->p99_ns);
	put_ns(w, "worst_ns", c->worst_ns);
}

static void put_cost(struct json_writer *w, const struct model_cost *c)
{
	json_put_u64(w, "count", c->count);
	json_put_u64(w, "major", c->n_major);
	json_put_u64(w, "n_timed", c->n_timed);
	put_ns(w, "time_ns", c->time_ns);
	put_times(w, c);
}

static void write_totals(struct json_writer *w, const struct model_bill *bill)
{
	const struct model_cost *c = &bill->total;

	json_put_object(w, "totals");
	json_put_u64(w, "count", c->count);
	json_put_u64(w, "minor", c->count > c->n_major ? c->count - c->n_major : 0);
	json_put_u64(w, "major", c->n_major);
	json_put_u64(w, "n_timed", c->n_timed);
	put_ns(w, "time_ns", c->time_ns);
	put_ns(w, "time_lo_ns", bill->time_lo_ns);
	put_ns(w, "time_hi_ns", bill->time_hi_ns);
	put_times(w, c);
	put_ns(w, "tracer_ns", bill->tracer_ns);
	put_ns(w, "trap_ns", bill->trap_ns);
	put_ns(w, "slowdown_ns", bill->slowdown_ns);
	json_put_double(w, "trap_each_ns", bill->trap_each_ns);
	json_put_double(w, "tracer_each_ns", bill->tracer_each_ns);
	json_put_double(w, "fill_each_ns", bill->fill_each_ns);
	json_put_double(w, "fill_huge_ns", bill->fill_huge_ns);
	json_put_double(w, "fill_fresh_huge_ns", bill->fill_fresh_huge_ns);
	json_put_u64(w, "lost", bill->counts[MODEL_LOST]);
	json_put_double(w, "share_of_wall", bill->share_of_wall);
	json_put_double(w, "worst_thread_share", bill->worst_thread_share);
	json_put_double(w, "process_share", bill->process_share);
	json_put_u64(w, "processes", bill->n_processes);
	json_put_u64(w, "threads", bill->n_threads);
	json_put_u64(w, "execs", bill->n_execs);
	json_put_u64(w, "forks", bill->n_forks);
	json_put_end_object(w);
}

/* What is populated is told from traps in the kernel only where both are counted. */
static void write_reconciliation(struct json_writer *w, const struct model_trace *doc)
{
	const struct model_bill *bill = doc->bill;
	bool is_known = bill->unexplained != MODEL_UNKNOWN_DIFFERENCE;

	json_put_object_flat(w, "reconciliation");
	put_count(w, "rusage_minor", is_known ? doc->n_minor : MODEL_UNKNOWN_COUNT);
	put_count(w, "rusage_major", is_known ? doc->n_major : MODEL_UNKNOWN_COUNT);
	put_count(w, "before_exec", bill->before_exec);
	put_count(w, "user_traps", bill->user_traps);
	put_count(w, "kernel_traps", bill->kernel_traps);
	json_put_null(w, "populated");
	put_count(w, "kernel_or_populated", bill->kernel_or_populated);
	if (is_known)
		json_put_i64(w, "unexplained", bill->unexplained);
	else
		json_put_null(w, "unexplained");
	json_put_end_object(w);
}

static void write_counts(struct json_writer *w, const struct model_bill *bill)
{
	json_put_object(w, "counts");
	for (size_t i = 0; i < MODEL_N_BILL_COUNTS; i++) {
		json_put_object_flat(w, model_bill_count_names[i]);
		json_put_u64(w, "count", bill->counts[i]);
		json_put_string(w, "rule", model_bill_count_rules[i]);
		json_put_end_object(w);
	}
	json_put_end_object(w);
}

static void write_kinds(struct json_writer *w, const struct model_bill *bill)
{
	enum model_fault_kind kinds[MODEL_N_FAULT_KINDS];
	size_t n = model_bill_kinds(bill, kinds);

	json_put_array(w, "by_kind");
	for (size_t i = 0; i < n; i++) {
		json_put_object_flat(w, NULL);
		json_put_string(w, "kind", model_fault_kind_names[kinds[i]]);
		put_cost(w, &bill->kinds[kinds[i]].cost);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

static void write_mappings(struct json_writer *w, const struct model_bill *bill)
{
	json_put_array(w, "by_mapping");
	for (size_t i = 0; i < bill->n_mappings; i++) {
		const struct model_mapping_row *m = &bill->mappings[i];

		json_put_object_flat(w, NULL);
		json_put_string(w, "mapping", m->name);
		json_put_bool(w, "deleted", m->deleted);
		json_put_bool(w, "shared", m->shared);
		json_put_bool(w, "writable", m->writable);
		json_put_bool(w, "executable", m->executable);
		json_put_u64(w, "size_bytes", m->size_bytes);
		json_put_u64(w, "rss_bytes", m->rss_bytes);
		json_put_u64(w, "huge_bytes", m->huge_bytes);
		json_put_u64(w, "thp_eligible_bytes", m->eligible_bytes);
		put_known_text(w, "vm_flags", m->vm_flags);
		json_put_string(w, "kind", model_fault_kind_names[m->kind]);
		put_cost(w, &m->cost);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

static void put_frame(struct json_writer *w, const struct model_frame *f)
{
	put_known_text(w, "function", f->function);
	put_known_text(w, "file", f->file);
	put_count(w, "line", f->line ? f->line : MODEL_UNKNOWN_COUNT);
	put_known_text(w, "module", f->module);
	put_address(w, "module_offset", f->module_offset);
}

static void write_stack(struct json_writer *w, const struct model_site_row *site)
{
	json_put_array_flat(w, "stack");
	for (size_t i = 0; i < site->n_stack; i++) {
		json_put_object_flat(w, NULL);
		put_frame(w, &site->stack[i]);
		json_put_bool(w, "inlined", site->stack[i].inlined);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

/* Rows are named beside their numbers, for readers that want no join. */
static void put_mapping(struct json_writer *w, const struct model_bill *bill, uint32_t row)
{
	json_put_string(w, "mapping", row < bill->n_mappings ? bill->mappings[row].name : NULL);
	put_row(w, "mapping_row", row);
}

static void write_habits(struct json_writer *w, const struct model_habits *h)
{
	json_put_object_flat(w, "habits");
	for (size_t i = 0; i < MODEL_N_HABITS; i++)
		json_put_u64(w, model_habit_names[i], h->n[i]);
	json_put_end_object(w);
}

static void write_sites(struct json_writer *w, const struct model_bill *bill)
{
	static const struct model_frame unknown;

	json_put_array(w, "by_site");
	for (size_t i = 0; i < bill->n_sites; i++) {
		const struct model_site_row *site = &bill->sites[i];
		const struct model_frame *culprit = model_site_culprit(site);

		json_put_object_flat(w, NULL);
		put_frame(w, culprit ? culprit : &unknown);
		put_mapping(w, bill, site->mapping);
		json_put_string(w, "kind", model_fault_kind_names[site->kind]);
		put_cost(w, &site->cost);
		write_habits(w, &site->habits);
		write_stack(w, site);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

static void write_threads(struct json_writer *w, const struct model_bill *bill)
{
	json_put_array(w, "by_thread");
	for (size_t i = 0; i < bill->n_threads_listed; i++) {
		const struct model_thread_row *t = &bill->threads[i];

		json_put_object_flat(w, NULL);
		json_put_i64(w, "pid", t->pid);
		json_put_i64(w, "tid", t->tid);
		json_put_string(w, "comm", t->comm);
		json_put_bool(w, "rest", t->is_rest);
		put_ns(w, "cpu_ns", t->cpu_ns);
		json_put_double(w, "share", t->share);
		put_cost(w, &t->cost);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

static void write_moment(struct json_writer *w, const struct model_moment *m, uint64_t at_ns)
{
	uint64_t count = 0;
	double time_ns = 0;

	for (size_t k = 0; k < MODEL_N_FAULT_KINDS; k++) {
		count += m->count[k];
		time_ns += m->time_ns[k];
	}
	json_put_object_flat(w, NULL);
	json_put_u64(w, "at_ns", at_ns);
	json_put_u64(w, "count", count);
	put_ns(w, "time_ns", time_ns);
	json_put_object_flat(w, "kinds");
	for (size_t k = 0; k < MODEL_N_FAULT_KINDS; k++) {
		if (m->count[k] == 0 && m->time_ns[k] == 0)
			continue;
		json_put_array_flat(w, model_fault_kind_names[k]);
		json_put_u64(w, NULL, m->count[k]);
		put_ns(w, NULL, m->time_ns[k]);
		json_put_end_array(w);
	}
	json_put_end_object(w);
	json_put_end_object(w);
}

static void write_timeline(struct json_writer *w, const struct model_bill *bill)
{
	json_put_u64(w, "moment_ns", bill->moment_ns);
	json_put_array(w, "timeline");
	for (size_t i = 0; i < bill->n_moments; i++)
		write_moment(w, &bill->moments[i], i * bill->moment_ns);
	json_put_end_array(w);
}

static void write_phases(struct json_writer *w, const struct model_bill *bill)
{
	json_put_array(w, "phases");
	for (size_t i = 0; i < MODEL_N_PHASES; i++) {
		const struct model_phase_row *p = &bill->phases[i];

		json_put_object_flat(w, NULL);
		json_put_string(w, "phase", model_phase_names[i]);
		json_put_u64(w, "from_ns", p->from_ns);
		json_put_u64(w, "to_ns", p->to_ns);
		json_put_u64(w, "count", p->count);
		put_ns(w, "time_ns", p->time_ns);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

static void write_faults(struct json_writer *w, const struct model_bill *bill, const char *key,
			 const struct model_fault_row *rows, size_t n)
{
	json_put_array(w, key);
	for (size_t i = 0; i < n; i++) {
		const struct model_fault_row *f = &rows[i];

		json_put_object_flat(w, NULL);
		json_put_u64(w, "at_ns", f->at_ns);
		put_ns(w, "latency_ns", f->latency_ns);
		put_ns(w, "blocked_ns", f->blocked_ns);
		json_put_string(w, "kind", model_fault_kind_names[f->kind]);
		json_put_string(w, "phase", model_phase_names[f->phase]);
		json_put_bool(w, "major", f->major);
		json_put_bool(w, "kernel_mode", f->kernel_mode);
		put_address(w, "address", f->address);
		put_address(w, "file_offset", f->file_offset);
		put_row(w, "thread_row", f->thread);
		put_mapping(w, bill, f->mapping);
		put_row(w, "site_row", f->site);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

static void write_deadline(struct json_writer *w, const struct model_bill *bill)
{
	json_put_object_flat(w, "deadline");
	put_count(w, "deadline_ns", bill->deadline_ns ? bill->deadline_ns : MODEL_UNKNOWN_COUNT);
	put_count(w, "late", bill->deadline_ns ? bill->n_late : MODEL_UNKNOWN_COUNT);
	json_put_end_object(w);
}

void model_bill_write(struct json_writer *w, const struct model_trace *doc)
{
	const struct model_bill *bill = doc->bill;

	json_put_array_flat(w, "pids");
	for (size_t i = 0; i < doc->n_pids; i++)
		json_put_i64(w, NULL, doc->pids[i]);
	json_put_end_array(w);
	write_totals(w, bill);
	write_reconciliation(w, doc);
	write_counts(w, bill);
	write_deadline(w, bill);
	write_kinds(w, bill);
	write_mappings(w, bill);
	write_sites(w, bill);
	write_threads(w, bill);
	write_phases(w, bill);
	write_timeline(w, bill);
	write_faults(w, bill, "worst", bill->worst, bill->n_worst);
	write_faults(w, bill, "fatal", &bill->fatal, bill->has_fatal);
	json_put_object_flat(w, "fatal_frame");
	put_known_text(w, "mapping", bill->fatal_mapping);
	put_frame(w, &bill->fatal_frame);
	json_put_end_object(w);
	if (bill->n_each || bill->n_each_left_out) {
		write_faults(w, bill, "each", bill->each, bill->n_each);
		json_put_u64(w, "each_left_out", bill->n_each_left_out);
	}
}
