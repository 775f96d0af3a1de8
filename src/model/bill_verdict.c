/* SPDX-License-Identifier: MIT */
/* The one sentence that a bill comes to: what faults cost, of what, and the two or three things that cost most. */
#include "src/model/trace.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Below this share of the worst thread's time faults are not worth anybody's attention. */
#define MATTERS 0.05
/* What costs less than this share of the fault time is not named. */
#define NAMED 0.05
enum { MOST_NAMED = 3 };

static void say(struct model_trace *doc, enum model_trace_verdict_id id)
{
	doc->verdict = (struct model_trace_verdict){.id = id};
}

__attribute__((format(printf, 2, 3))) static void add(struct model_trace *doc, const char *fmt, ...)
{
	char text[sizeof(doc->verdict.text)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_append(doc->verdict.text, sizeof(doc->verdict.text), "%s", text);
}

/* --- what cost most ------------------------------------------------------------------------------------- */

/* Sites of one kind with one culprit: a function, or of kinds that are about a file the file. */
struct group {
	const struct model_site_row *site; /* the dearest of them */
	double time_ns;
};

/* Of these kinds the mapping is the culprit, and not who touched it first. */
static const struct {
	enum model_fault_kind kind;
	const char *words;
} file_kinds[] = {
	{MODEL_FILE_MINOR, "mapping cached pages of"},
	{MODEL_FILE_MAJOR, "waiting for"},
	{MODEL_FILE_MKWRITE, "first writes to"},
	{MODEL_COW, "copying pages of"},
};

/* A minor fault that slept waited for a read under way: the kernel counts it another way, and nobody else does. */
static enum model_fault_kind kind_of(const struct model_site_row *site)
{
	bool slept = 2 * site->cost.blocked_ns > site->cost.raw_ns;

	return site->kind == MODEL_FILE_MINOR && slept ? MODEL_FILE_MAJOR : site->kind;
}

static const char *file_words(const struct model_site_row *site)
{
	for (size_t i = 0; i < ARRAY_LEN(file_kinds); i++)
		if (file_kinds[i].kind == kind_of(site))
			return file_kinds[i].words;
	return NULL;
}

/* The file that is the culprit, or NULL. */
static const struct model_mapping_row *file_of(const struct model_bill *bill,
					       const struct model_site_row *site)
{
	const struct model_mapping_row *m = &bill->mappings[site->mapping];

	return site->mapping < bill->n_mappings && model_mapping_is_file(m) && file_words(site)
		       ? m
		       : NULL;
}

static int compare_frames(const struct model_frame *a, const struct model_frame *b)
{
	int r;

	if (!a || !b)
		return !a - !b;
	r = strcmp(a->function, b->function);
	if (r == 0)
		r = strcmp(a->module, b->module);
	if (r == 0)
		r = strcmp(a->file, b->file);
	if (r == 0 && !a->function[0] && a->module_offset != b->module_offset)
		r = a->module_offset < b->module_offset ? -1 : 1;
	return r;
}

static int compare_culprits(const struct model_bill *bill, const struct model_site_row *a,
			    const struct model_site_row *b)
{
	const struct model_mapping_row *file_a = file_of(bill, a), *file_b = file_of(bill, b);

	if (kind_of(a) != kind_of(b))
		return kind_of(a) < kind_of(b) ? -1 : 1;
	if (file_a != file_b)
		return file_a < file_b ? -1 : 1;
	if (file_a)
		return 0;
	return compare_frames(model_site_culprit(a), model_site_culprit(b));
}

/* Equal culprits side by side, the dearest site of each first. */
static int compare_sites(const void *left, const void *right, void *data)
{
	const struct model_bill *bill = data;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int r = compare_culprits(bill, &bill->sites[a], &bill->sites[b]);

	return r ? r : (a > b) - (a < b);
}

/* Keeps the dearest groups, the dearest first. */
static void keep_group(struct group kept[MOST_NAMED], struct group group)
{
	for (size_t i = 0; i < MOST_NAMED; i++) {
		struct group other = kept[i];

		if (kept[i].site && kept[i].time_ns >= group.time_ns)
			continue;
		kept[i] = group;
		if (!other.site)
			return;
		group = other;
	}
}

static void find_groups(struct model_bill *bill, struct group ret_kept[MOST_NAMED])
{
	uint32_t *order = calloc(bill->n_sites + 1, sizeof(*order));
	struct group group = {.site = NULL};

	if (!order)
		return;
	for (size_t i = 0; i < bill->n_sites; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, bill->n_sites, sizeof(*order), compare_sites, bill);
	for (size_t i = 0; i < bill->n_sites; i++) {
		const struct model_site_row *site = &bill->sites[order[i]];

		if (model_site_is_rest(site))
			continue;
		if (group.site && compare_culprits(bill, group.site, site) != 0) {
			keep_group(ret_kept, group);
			group.site = NULL;
		}
		if (!group.site)
			group = (struct group){.site = site};
		group.time_ns += site->cost.time_ns;
	}
	if (group.site)
		keep_group(ret_kept, group);
	free(order);
}

static void add_group(struct model_trace *doc, const struct group *group, const char *before)
{
	const struct model_mapping_row *file = file_of(doc->bill, group->site);
	const struct model_frame *culprit = model_site_culprit(group->site);
	char place[512] = "";

	add(doc, "%s%s ", before, units_estimate(group->time_ns).s);
	if (file) {
		add(doc, "%s %s", file_words(group->site), model_base_name(file->name));
		return;
	}
	if (culprit)
		model_frame_text(culprit, true, place, sizeof(place));
	add(doc, "%s", model_fault_kind_words[group->site->kind]);
	if (*place)
		add(doc, " %s %s", place[0] == '(' ? "at" : "in", place);
}

/* Where no site is known, kinds are. */
static void add_kinds(struct model_trace *doc)
{
	enum model_fault_kind kinds[MODEL_N_FAULT_KINDS];
	size_t n = model_bill_kinds(doc->bill, kinds);

	for (size_t i = 0; i < n && i < MOST_NAMED; i++) {
		double time_ns = doc->bill->kinds[kinds[i]].cost.time_ns;

		if (i == 0 || time_ns >= NAMED * doc->bill->total.time_ns)
			add(doc, "%s%s %s", i ? ", " : ": ", units_estimate(time_ns).s,
			    model_fault_kind_words[kinds[i]]);
	}
}

static void add_dearest(struct model_trace *doc)
{
	struct group kept[MOST_NAMED] = {{.site = NULL}};

	find_groups(doc->bill, kept);
	if (!kept[0].site)
		add_kinds(doc);
	for (size_t i = 0; i < MOST_NAMED && kept[i].site; i++)
		if (i == 0 || kept[i].time_ns >= NAMED * doc->bill->total.time_ns)
			add_group(doc, &kept[i], i ? ", " : ": ");
}

/* --- the sentence --------------------------------------------------------------------------------------------- */

/* "2.31 s of 7.90 s (29 %)": of the threads' time, or where that is not known of the wall's. */
static void add_share(struct model_trace *doc)
{
	const struct model_bill *bill = doc->bill;
	double time_ns = bill->total.time_ns;

	add(doc, "%s", units_estimate(time_ns).s);
	if (bill->process_share > 0)
		add(doc, " of %s%s (%s", units_estimate(time_ns / bill->process_share).s,
		    bill->n_threads > 1 ? " thread time" : "", units_share(bill->process_share).s);
	else if (bill->share_of_wall >= 0)
		add(doc, " of %s wall time (%s", units_duration(doc->wall_ns).s,
		    units_share(bill->share_of_wall).s);
	else
		return;
	if (bill->n_threads > 1 && !isnan(bill->worst_thread_share))
		add(doc, "; worst thread %s", units_share(bill->worst_thread_share).s);
	add(doc, ")");
}

/* Of the length of a phase; below it that phase is clean. */
#define CLEAN 0.01
/* What start-up must have cost to be told of by itself. */
#define LEAST_START_NS 10e6

static double share_of_phase(const struct model_phase_row *phase)
{
	return phase->to_ns > phase->from_ns
		       ? phase->time_ns / (double)(phase->to_ns - phase->from_ns)
		       : NAN;
}

/* What is paid once is another matter than what is paid all the time. */
static void add_phases(struct model_trace *doc)
{
	const struct model_phase_row *start = &doc->bill->phases[MODEL_PHASE_START];
	const struct model_phase_row *steady = &doc->bill->phases[MODEL_PHASE_STEADY];
	double share = share_of_phase(steady);

	if (start->time_ns < LEAST_START_NS || isnan(share) ||
	    steady->to_ns - steady->from_ns < start->to_ns - start->from_ns)
		return;
	add(doc, "; start-up pays %s once in its first %s", units_estimate(start->time_ns).s,
	    units_duration(start->to_ns - start->from_ns).s);
	if (share < CLEAN)
		add(doc, ", steady state is clean (%s of %s)", units_estimate(steady->time_ns).s,
		    units_duration(steady->to_ns - steady->from_ns).s);
	else
		add(doc, ", steady state pays %s of %s", units_estimate(steady->time_ns).s,
		    units_duration(steady->to_ns - steady->from_ns).s);
}

static double deciding_share(const struct model_bill *bill)
{
	double share = model_bill_share(bill);

	return isnan(share) ? bill->share_of_wall : share;
}

void model_bill_judge(struct model_trace *doc)
{
	const struct model_bill *bill = doc->bill;

	if (bill->total.count == 0) {
		say(doc, MODEL_FAULTS_NOT_THE_PROBLEM);
		add(doc, "faults are not the problem: none was seen in %s",
		    units_duration(doc->wall_ns).s);
		return;
	}
	say(doc, deciding_share(bill) < MATTERS ? MODEL_FAULTS_NOT_THE_PROBLEM : MODEL_FAULT_BILL);
	if (bill->n_processes > 1)
		add(doc, "%s processes, %s: ", units_count(bill->n_processes).s,
		    units_duration(doc->wall_ns).s);
	if (doc->verdict.id == MODEL_FAULTS_NOT_THE_PROBLEM) {
		add(doc, "faults are not the problem: ");
		add_share(doc);
	} else {
		add(doc, "faults cost ");
		add_share(doc);
		add_dearest(doc);
	}
	add_phases(doc);
	text_make_harmless(doc->verdict.text);
}
