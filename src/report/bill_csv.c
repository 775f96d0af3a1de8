/* SPDX-License-Identifier: MIT */
/* A bill for spreadsheets: one line a call site, mapping and kind; or, where each fault was kept, one line a fault. */
#include "src/report/report.h"

#include "src/base/array.h"
#include "src/report/csv_write.h"

#include <inttypes.h>
#include <math.h>

/* What the cells of a line are made of; what is not known is empty. */
struct line {
	const struct model_site_row *site;       /* NULL: not known */
	const struct model_frame *culprit;       /* NULL: not known */
	const struct model_mapping_row *mapping; /* NULL: not known */
	const struct model_thread_row *thread;   /* NULL: not known */
	const struct model_fault_row *fault;     /* NULL: a line of a site */
	uint32_t thread_row;
};

struct column {
	const char *title;
	void (*put)(const struct line *line, FILE *out);
};

/* A cell that is empty where what it is about is not known. */
#define CELL(name, about, put_value)                               \
	static void put_##name(const struct line *line, FILE *out) \
	{                                                          \
		if (about)                                         \
			(put_value);                               \
	}
#define TEXT_CELL(name, about, value) CELL(name, about, csv_put_text(out, value))
#define TIME_CELL(name, about, value) CELL(name, about, csv_put_double(out, round(value)))
#define COUNT_CELL(name, about, value) \
	CELL(name, about, (void)fprintf(out, "%" PRIu64, (uint64_t)(value)))

TEXT_CELL(mapping, line->mapping, line->mapping->name)
TEXT_CELL(function, line->culprit, line->culprit->function)
TEXT_CELL(file, line->culprit, line->culprit->file)
COUNT_CELL(line, line->culprit && line->culprit->line, line->culprit->line)
TEXT_CELL(module, line->culprit, line->culprit->module)
CELL(offset, line->culprit && line->culprit->module[0],
     (void)fprintf(out, "0x%" PRIx64, line->culprit->module_offset))

/* The row of what did not fit is of several kinds. */
TEXT_CELL(site_kind, line->site,
	  model_site_is_rest(line->site) ? "rest" : model_fault_kind_names[line->site->kind])
COUNT_CELL(count, line->site, line->site->cost.count)
COUNT_CELL(n_timed, line->site, line->site->cost.n_timed)
TIME_CELL(time, line->site, line->site->cost.time_ns)
TIME_CELL(raw, line->site, line->site->cost.raw_ns)
TIME_CELL(on_cpu, line->site, line->site->cost.on_cpu_ns)
TIME_CELL(site_blocked, line->site, line->site->cost.blocked_ns)
TIME_CELL(preempted, line->site, line->site->cost.preempted_ns)
TIME_CELL(p50, line->site, line->site->cost.p50_ns)
TIME_CELL(p99, line->site, line->site->cost.p99_ns)
TIME_CELL(worst, line->site, line->site->cost.worst_ns)

COUNT_CELL(at, line->fault, line->fault->at_ns)
COUNT_CELL(thread, line->thread, line->thread_row)
CELL(pid, line->thread, (void)fprintf(out, "%d", line->thread->pid))
CELL(tid, line->thread, (void)fprintf(out, "%d", line->thread->tid))
TEXT_CELL(comm, line->thread, line->thread->comm)
TEXT_CELL(fault_kind, line->fault, model_fault_kind_names[line->fault->kind])
TIME_CELL(latency, line->fault, line->fault->latency_ns)
TIME_CELL(fault_blocked, line->fault, line->fault->blocked_ns)
COUNT_CELL(major, line->fault, line->fault->major)
COUNT_CELL(kernel_mode, line->fault, line->fault->kernel_mode)
TEXT_CELL(phase, line->fault, model_phase_names[line->fault->phase])
CELL(address, line->fault, (void)fprintf(out, "0x%" PRIx64, line->fault->address))
CELL(file_offset, line->fault && line->mapping && model_mapping_is_file(line->mapping),
     (void)fprintf(out, "0x%" PRIx64, line->fault->file_offset))

static const struct column site_columns[] = {
	{"kind", put_site_kind},
	{"mapping", put_mapping},
	{"function", put_function},
	{"file", put_file},
	{"line", put_line},
	{"module", put_module},
	{"offset", put_offset},
	{"count", put_count},
	{"n_timed", put_n_timed},
	{"time_ns", put_time},
	{"raw_ns", put_raw},
	{"on_cpu_ns", put_on_cpu},
	{"blocked_ns", put_site_blocked},
	{"preempted_ns", put_preempted},
	{"p50_ns", put_p50},
	{"p99_ns", put_p99},
	{"worst_ns", put_worst},
};

static const struct column fault_columns[] = {
	{"at_ns", put_at},
	{"thread", put_thread},
	{"pid", put_pid},
	{"tid", put_tid},
	{"comm", put_comm},
	{"kind", put_fault_kind},
	{"latency_ns", put_latency},
	{"blocked_ns", put_fault_blocked},
	{"major", put_major},
	{"kernel_mode", put_kernel_mode},
	{"phase", put_phase},
	{"address", put_address},
	{"mapping", put_mapping},
	{"file_offset", put_file_offset},
	{"function", put_function},
	{"file", put_file},
	{"line", put_line},
	{"module", put_module},
	{"offset", put_offset},
};

static void put_titles(const struct column *columns, size_t n, FILE *out)
{
	for (size_t c = 0; c < n; c++)
		(void)fprintf(out, "%s%s", c ? "," : "", columns[c].title);
	(void)fputs("\n", out);
}

static void put_line_of(const struct column *columns, size_t n, const struct line *line, FILE *out)
{
	for (size_t c = 0; c < n; c++) {
		(void)fputs(c ? "," : "", out);
		columns[c].put(line, out);
	}
	(void)fputs("\n", out);
}

static const struct model_mapping_row *mapping_at(const struct model_bill *bill, uint32_t row)
{
	return row < bill->n_mappings ? &bill->mappings[row] : NULL;
}

static void put_sites(const struct model_bill *bill, FILE *out)
{
	put_titles(site_columns, ARRAY_LEN(site_columns), out);
	for (size_t i = 0; i < bill->n_sites; i++) {
		const struct model_site_row *site = &bill->sites[i];
		struct line line = {
			.site = site,
			.culprit = model_site_culprit(site),
			.mapping = mapping_at(bill, site->mapping),
		};

		put_line_of(site_columns, ARRAY_LEN(site_columns), &line, out);
	}
}

static void put_faults(const struct model_bill *bill, FILE *out)
{
	put_titles(fault_columns, ARRAY_LEN(fault_columns), out);
	for (size_t i = 0; i < bill->n_each; i++) {
		const struct model_fault_row *f = &bill->each[i];
		struct line line = {
			.fault = f,
			.culprit = f->site < bill->n_sites
					   ? model_site_culprit(&bill->sites[f->site])
					   : NULL,
			.mapping = mapping_at(bill, f->mapping),
			.thread = f->thread < bill->n_threads_listed ? &bill->threads[f->thread]
								     : NULL,
			.thread_row = f->thread,
		};

		put_line_of(fault_columns, ARRAY_LEN(fault_columns), &line, out);
	}
}

void report_bill_csv(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	(void)style;
	if (doc->bill->n_each)
		put_faults(doc->bill, out);
	else
		put_sites(doc->bill, out);
}
