/* SPDX-License-Identifier: MIT */
/* A fault bill for people: the answer first, then the tables, then what the figures rest on. */
#include "src/report/report.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/report/bill_tables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A line that is made piece by piece. */
enum { LINE = 900 };
struct line {
	char text[LINE];
};

#define add(line, ...) text_append((line)->text, LINE, __VA_ARGS__)

/* --- the answer -------------------------------------------------------------------------------------- */

static void print_verdict(const struct model_trace *doc, FILE *out,
			  const struct report_style *style)
{
	bool is_fine = doc->verdict.id == MODEL_FAULTS_NOT_THE_PROBLEM;

	report_headed(out, style, is_fine ? PAINT_GOOD : PAINT_WARN, "verdict", doc->verdict.text);
	if (!style->brief && doc->verdict.advice[0])
		report_headed(out, style, PAINT_NONE, "do", doc->verdict.advice);
}

/* Faults that nobody timed may have been late. */
static uint64_t n_not_judged(const struct model_bill *bill)
{
	return bill->counts[MODEL_LOST] + bill->counts[MODEL_UNTIMED] +
	       bill->counts[MODEL_UNENTERED];
}

static void print_late(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	const struct model_bill *bill = doc->bill;
	const struct model_fault_row *worst = model_bill_worst_later(bill);
	struct line line = {""};

	add(&line, "NOT CLEAN: %s fault%s over %s after start-up", units_count(bill->n_late).s,
	    bill->n_late == 1 ? "" : "s", units_duration(bill->deadline_ns).s);
	if (!isnan(model_bill_share(bill)))
		add(&line, " (faults are %s of the time", units_share(model_bill_share(bill)).s);
	if (worst && !isnan(worst->latency_ns))
		add(&line, "%sworst %s", isnan(model_bill_share(bill)) ? " (" : ", ",
		    units_estimate(worst->latency_ns).s);
	if (strchr(line.text, '('))
		add(&line, ")");
	report_headed(out, style, PAINT_BAD, "deadline", line.text);
}

static void print_deadline(const struct model_trace *doc, FILE *out,
			   const struct report_style *style)
{
	const struct model_bill *bill = doc->bill;
	struct line line = {""};

	if (bill->deadline_ns == 0)
		return;
	if (bill->n_late) {
		print_late(doc, out, style);
		return;
	}
	add(&line,
	    n_not_judged(bill) ? "cannot tell: no fault seen over %s after start-up"
			       : "clean: no fault over %s after start-up",
	    units_duration(bill->deadline_ns).s);
	if (n_not_judged(bill))
		add(&line, ", but %s were not timed", units_count(n_not_judged(bill)).s);
	report_headed(out, style, n_not_judged(bill) ? PAINT_WARN : PAINT_GOOD, "deadline",
		      line.text);
}

/* Whatever faults cost in all: the longest one that is not of start-up is somebody's delay. */
static void print_worst(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	const struct model_bill *bill = doc->bill;
	const struct model_fault_row *worst = model_bill_worst_later(bill);
	char name[BILL_NAME];
	struct line line = {""};

	if (!worst || isnan(worst->latency_ns))
		return;
	add(&line, "%s at +%.3f s, %s", units_estimate(worst->latency_ns).s,
	    (double)worst->at_ns / 1e9, model_fault_kind_names[worst->kind]);
	bill_fault_site(bill, worst, name);
	add(&line, "%s%s", *name ? " in " : "", name);
	bill_fault_mapping(bill, worst, name);
	add(&line, ", %s", name);
	bill_thread_name(bill, worst->thread, name);
	add(&line, "%s%s", *name ? ", thread " : "", name);
	add(&line, " (%s)",
	    worst->phase == MODEL_PHASE_EXIT ? "at exit" : "the longest after start-up");
	text_make_harmless(line.text);
	report_headed(out, style, PAINT_NONE, "worst", line.text);
}

/* --- the run ------------------------------------------------------------------------------------------- */

static void print_command(const struct model_trace *doc, FILE *out,
			  const struct report_style *style)
{
	struct line line = {"to PID"};

	if (doc->n_pids == 0) {
		if (doc->n_command)
			report_trace_command(doc, out, style);
		return;
	}
	for (size_t i = 0; i < doc->n_pids && strlen(line.text) < LINE / 4; i++)
		add(&line, "%s %d", i ? "," : "", doc->pids[i]);
	if (doc->n_pids > 1)
		add(&line, " (%zu processes)", doc->n_pids);
	for (size_t i = 0; i < doc->n_command && strlen(line.text) < LINE / 2; i++)
		add(&line, "%s%.*s", i ? " " : ": ", LINE / 4, doc->command[i]);
	text_make_harmless(line.text);
	report_headed(out, style, PAINT_NONE, "attached", line.text);
}

static void print_run(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	const struct model_bill *bill = doc->bill;
	struct line line = {""};

	add(&line, "%s wall", units_duration(doc->wall_ns).s);
	if (doc->user_ns + doc->sys_ns)
		add(&line, ", %s on the CPU (user %s, system %s)",
		    units_duration(doc->user_ns + doc->sys_ns).s, units_duration(doc->user_ns).s,
		    units_duration(doc->sys_ns).s);
	if (bill->n_processes)
		add(&line, "; %s process%s, %s thread%s", units_count(bill->n_processes).s,
		    bill->n_processes == 1 ? "" : "es", units_count(bill->n_threads).s,
		    bill->n_threads == 1 ? "" : "s");
	if (doc->signal)
		add(&line, "; killed by signal %d", doc->signal);
	else if (doc->n_pids == 0)
		add(&line, "; exit status %d", doc->exit_status);
	report_headed(out, style, PAINT_NONE, "run", line.text);
}

static void print_faults(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	const struct model_bill *bill = doc->bill;
	const struct model_cost *c = &bill->total;
	struct line line = {""};

	add(&line, "%s, %s of them major; %s", units_count(c->count).s, units_count(c->n_major).s,
	    units_estimate(c->time_ns).s);
	if (!isnan(bill->time_lo_ns) && !isnan(bill->time_hi_ns))
		add(&line, " [%s, %s]", units_estimate(bill->time_lo_ns).s,
		    units_estimate(bill->time_hi_ns).s);
	if (!isnan(bill->tracer_ns) && !isnan(bill->trap_ns)) {
		add(&line, " = %s timed - %s of tracing", units_estimate(c->raw_ns).s,
		    units_estimate(bill->tracer_ns).s);
		if (c->preempted_ns > 0)
			add(&line, " - %s preempted", units_estimate(c->preempted_ns).s);
		add(&line, " + %s into the kernel and back", units_estimate(bill->trap_ns).s);
	}
	if (!isnan(c->blocked_ns))
		add(&line, "; %s on the CPU, %s blocked", units_estimate(c->on_cpu_ns).s,
		    units_estimate(c->blocked_ns).s);
	report_headed(out, style, PAINT_NONE, "faults", line.text);
}

/* --- each fault ------------------------------------------------------------------------------------------ */

/* Parted by two blanks, so that a line can be cut up by a script. */
static void print_fault(const struct model_bill *bill, const struct model_fault_row *f, FILE *out)
{
	char thread[BILL_NAME], mapping[BILL_NAME], site[BILL_NAME];

	bill_thread_name(bill, f->thread, thread);
	bill_fault_mapping(bill, f, mapping);
	bill_fault_site(bill, f, site);
	text_make_harmless(thread);
	text_make_harmless(mapping);
	text_make_harmless(site);
	(void)fprintf(out, "+%.6f s  thread %s  %s  %s  %s%s%s\n", (double)f->at_ns / 1e9,
		      *thread ? thread : "?", model_fault_kind_names[f->kind],
		      isnan(f->latency_ns) ? "not timed" : units_estimate(f->latency_ns).s, mapping,
		      *site ? "  " : "", site);
}

static void print_each(const struct model_bill *bill, FILE *out)
{
	if (bill->n_each || bill->n_each_left_out)
		(void)fputc('\n', out);
	for (size_t i = 0; i < bill->n_each; i++)
		print_fault(bill, &bill->each[i], out);
	if (bill->n_each_left_out)
		(void)fprintf(out, "and %s more that could not be kept\n",
			      units_count(bill->n_each_left_out).s);
}

/* --- what the figures rest on -------------------------------------------------------------------------------- */

static void add_term(struct line *line, uint64_t count, const char *what)
{
	size_t n = strlen(line->text);
	bool is_first = n == 0 || strcmp(line->text + n - 2, "= ") == 0;

	if (count != MODEL_UNKNOWN_COUNT)
		add(line, "%s%s %s", is_first ? "" : " + ", units_count(count).s, what);
}

static void print_closing(const struct model_trace *doc, FILE *out,
			  const struct report_style *style)
{
	const struct model_bill *bill = doc->bill;
	const char *dot = style->unicode ? " \xc2\xb7 " : "; ";
	uint64_t broken_off = bill->counts[MODEL_RETRIED] + bill->counts[MODEL_UNFINISHED];
	struct line line = {""};

	if (bill->unexplained != MODEL_UNKNOWN_DIFFERENCE)
		add(&line, "%s rusage = ", units_count(doc->n_minor + doc->n_major).s);
	add_term(&line, bill->user_traps, "user");
	add_term(&line, bill->kernel_traps, "kernel");
	add_term(&line, bill->kernel_or_populated,
		 bill->kernel_traps == MODEL_UNKNOWN_COUNT ? "kernel or populated" : "populated");
	add_term(&line, bill->before_exec, "before exec");
	if (broken_off && bill->unexplained != MODEL_UNKNOWN_DIFFERENCE)
		add(&line, " - %s retried or unfinished", units_count(broken_off).s);
	if (bill->unexplained != MODEL_UNKNOWN_DIFFERENCE)
		add(&line, " %c %s unexplained", bill->unexplained < 0 ? '-' : '+',
		    units_count((uint64_t)(bill->unexplained < 0 ? -bill->unexplained
								 : bill->unexplained))
			    .s);
	else
		add(&line, "%srusage not known", line.text[0] ? ", " : "");
	add(&line, "%ssource %s%slost %s", dot, doc->source, dot,
	    units_count(bill->counts[MODEL_LOST]).s);
	if (!isnan(bill->slowdown_ns))
		add(&line, "%stracing cost %s", dot, units_estimate(bill->slowdown_ns).s);
	report_headed(out, style, PAINT_NONE, "closes:", line.text);
}

static void print_counts(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	for (size_t i = 0; i < MODEL_N_BILL_COUNTS; i++) {
		struct line line = {""};

		if (doc->bill->counts[i] == 0)
			continue;
		add(&line, "%s %s: %s", units_count(doc->bill->counts[i]).s,
		    model_bill_count_names[i], model_bill_count_rules[i]);
		report_headed(out, style, PAINT_NONE, "count", line.text);
	}
}

static void print_warnings(const struct model_trace *doc, FILE *out,
			   const struct report_style *style)
{
	for (unsigned i = 0; i < doc->n_warnings; i++)
		report_headed(out, style, PAINT_WARN, "warning", doc->warnings[i].text);
}

void report_bill_text(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	print_verdict(doc, out, style);
	print_deadline(doc, out, style);
	print_worst(doc, out, style);
	if (style->brief)
		return;
	report_findings(doc, out, style);
	(void)fputc('\n', out);
	print_command(doc, out, style);
	print_run(doc, out, style);
	print_faults(doc, out, style);
	print_each(doc->bill, out);
	bill_tables(doc, out, style);
	(void)fputc('\n', out);
	print_closing(doc, out, style);
	print_counts(doc, out, style);
	if (style->verbose) {
		report_trace_limits(doc, out, style);
		report_machine(&doc->machine, out, style->width);
	}
	print_warnings(doc, out, style);
}
