/* SPDX-License-Identifier: MIT */
/* What a relation of a suite may be about: figures of one row, or of two. */
#include "src/model/figure.h"

#include "src/base/array.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PAIRED_TRIALS = 1000 }; /* beyond these an interval gets no narrower to speak of */

/*
 * Ratio of two prices, paired by block: both trials of a pair ran within seconds of each other, so
 * that what drifts on the machine drops out.
 */
static struct figure paired(const struct model_scenario *of, const struct model_scenario *to,
			    enum model_denominator denominator)
{
	double a[MAX_PAIRED_TRIALS], b[MAX_PAIRED_TRIALS];
	size_t n_a = model_trial_prices(of, denominator, a, MAX_PAIRED_TRIALS);
	size_t n_b = model_trial_prices(to, denominator, b, MAX_PAIRED_TRIALS);
	struct stats_summary s;
	size_t n = 0;

	for (size_t i = 0; i < n_a && i < n_b; i++)
		if (!isnan(a[i]) && !isnan(b[i]) && b[i] > 0)
			a[n++] = a[i] / b[i];
	s = stats_summarize(a, n);
	return (struct figure){s.median, s.interval.lo, s.interval.hi};
}

static struct figure ratio(const struct model_scenario *of, const struct model_scenario *to)
{
	return paired(of, to, MODEL_PRICE);
}

static struct figure fault_ratio(const struct model_scenario *of, const struct model_scenario *to)
{
	return paired(of, to, MODEL_PER_FAULT);
}

static struct figure saving(const struct model_scenario *of, const struct model_scenario *to)
{
	struct figure f = ratio(of, to);

	return (struct figure){1 - f.value, 1 - f.hi, 1 - f.lo};
}

static struct figure count(double value)
{
	return (struct figure){value, NAN, NAN};
}

static struct figure sys_share(const struct model_scenario *of, const struct model_scenario *to)
{
	(void)to;
	return count(of->times.split_known ? model_time_share(of, of->times.sys_ns) : NAN);
}

static struct figure cpu_share(const struct model_scenario *of, const struct model_scenario *to)
{
	(void)to;
	return count(model_time_share(of, of->times.user_ns + of->times.sys_ns));
}

static struct figure minor_per_page(const struct model_scenario *of,
				    const struct model_scenario *to)
{
	(void)to;
	return count(of->minor_per_page);
}

static struct figure minors_per_pass(const struct model_scenario *of,
				     const struct model_scenario *to)
{
	(void)to;
	return count(of->minor_per_page * (double)of->n_pages);
}

static struct figure traps_per_pass(const struct model_scenario *of,
				    const struct model_scenario *to)
{
	(void)to;
	return count(of->trap_per_page * (double)of->n_pages);
}

static struct figure major_per_page(const struct model_scenario *of,
				    const struct model_scenario *to)
{
	(void)to;
	return count(of->major_per_page);
}

static struct figure majors_per_pass(const struct model_scenario *of,
				     const struct model_scenario *to)
{
	(void)to;
	return count(of->major_per_page * (double)of->n_pages);
}

static struct figure pages_per_fault(const struct model_scenario *of,
				     const struct model_scenario *to)
{
	(void)to;
	return count(of->pages_per_fault);
}

static struct figure first_round(const struct model_scenario *of, const struct model_scenario *to)
{
	(void)to;
	return count(of->first_round_ratio);
}

static struct figure cached_before(const struct model_scenario *of, const struct model_scenario *to)
{
	(void)to;
	return count(of->resident_before / (double)of->n_pages);
}

static struct figure cached_after(const struct model_scenario *of, const struct model_scenario *to)
{
	(void)to;
	return count(of->resident_after / (double)of->n_pages);
}

static struct figure ipc(const struct model_scenario *of, const struct model_scenario *to)
{
	(void)to;
	return count(of->instructions_per_cycle);
}

static struct figure page_tables(const struct model_scenario *of, const struct model_scenario *to)
{
	return count(of->page_table_bytes / to->page_table_bytes);
}

static struct figure tlb_misses(const struct model_scenario *of, const struct model_scenario *to)
{
	return count(of->dtlb_load_misses_per_access / to->dtlb_load_misses_per_access);
}

static const struct figure_row figure_rows[] = {
	{"ratio", ratio, 1, "%.2f", "", 2, true, false, NULL},
	{"fault_ratio", fault_ratio, 1, "%.1f", " by the fault", 2, true, true, NULL},
	{"saving", saving, 100, "%.1f", " %", 2, true, false, NULL},
	{"sys_share", sys_share, 100, "%.0f", " % system", 1, false, false, NULL},
	{"cpu_share", cpu_share, 100, "%.0f", " % on CPU", 1, false, false, NULL},
	{"minor_per_page", minor_per_page, 1, "%.4f", " minor a page", 1, false, false, NULL},
	{"major_per_page", major_per_page, 1, "%.4f", " major a page", 1, false, false, NULL},
	{"minors_per_pass", minors_per_pass, 1, "%.0f", " minor", 1, false, true, NULL},
	{"majors_per_pass", majors_per_pass, 1, "%.0f", " major", 1, false, true, NULL},
	{"traps_per_pass", traps_per_pass, 1, "%.0f", " traps", 1, false, true, NULL},
	{"pages_per_fault", pages_per_fault, 1, "%.1f", " pages a fault", 1, false, false, NULL},
	{"first_round", first_round, 1, "%.2f", " times the later rounds", 1, false, false, NULL},
	{"cached_before", cached_before, 100, "%.4g", " % cached before", 1, false, false, NULL},
	{"cached_after", cached_after, 100, "%.4g", " % cached after", 1, false, false, NULL},
	{"page_tables", page_tables, 1, "%.3f", " of the page tables", 2, false, false, NULL},
	{"ipc", ipc, 1, "%.2f", " instructions a cycle", 1, false, false, "pmu"},
	{"tlb_misses", tlb_misses, 1, "%.3f", " of the dTLB load misses", 2, false, false, "pmu"},
};

const struct figure_row *figure_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(figure_rows); i++)
		if (strcmp(figure_rows[i].name, name) == 0)
			return &figure_rows[i];
	return NULL;
}

void figure_print(const struct figure_row *row, struct figure f, char *ret, size_t size)
{
	char value[3][32];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	(void)snprintf(value[0], sizeof(value[0]), row->format, f.value * row->scale);
	(void)snprintf(value[1], sizeof(value[1]), row->format, f.lo * row->scale);
	(void)snprintf(value[2], sizeof(value[2]), row->format, f.hi * row->scale);
#pragma GCC diagnostic pop
	if (isnan(f.lo))
		(void)snprintf(ret, size, "%s%s", value[0], row->unit);
	else
		(void)snprintf(ret, size, "%s%s [%s, %s]", value[0], row->unit, value[1], value[2]);
}
