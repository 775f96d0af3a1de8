/* SPDX-License-Identifier: MIT */
/* The fault bill in memory: its tables of words, and what is read off its rows. */
#include "src/model/bill.h"

#include "src/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is shown of a function in a sentence, at the most: names of templates fill pages. */
enum { FUNCTION_TEXT = 64 };

const char *const model_fault_kind_names[MODEL_N_FAULT_KINDS] = {
	[MODEL_ANON_WRITE] = "anon-write",
	[MODEL_ANON_ZERO_READ] = "anon-zero-read",
	[MODEL_COW] = "cow",
	[MODEL_WP_REUSE] = "wp-reuse",
	[MODEL_FILE_MINOR] = "file-minor",
	[MODEL_FILE_MAJOR] = "file-major",
	[MODEL_FILE_MKWRITE] = "file-mkwrite",
	[MODEL_SHMEM] = "shmem",
	[MODEL_SWAP_IN] = "swap-in",
	[MODEL_THP] = "thp",
	[MODEL_HUGETLB] = "hugetlb",
	[MODEL_UFFD] = "uffd",
	[MODEL_NUMA_HINT] = "numa-hint",
	[MODEL_STACK] = "stack",
	[MODEL_UNKNOWN] = "unknown",
};

const char *const model_fault_kind_words[MODEL_N_FAULT_KINDS] = {
	[MODEL_ANON_WRITE] = "zero-fill",
	[MODEL_ANON_ZERO_READ] = "reading zero pages",
	[MODEL_COW] = "copying after fork",
	[MODEL_WP_REUSE] = "re-enabling writes",
	[MODEL_FILE_MINOR] = "mapping cached pages",
	[MODEL_FILE_MAJOR] = "waiting for a file",
	[MODEL_FILE_MKWRITE] = "first writes to a file",
	[MODEL_SHMEM] = "filling shared memory",
	[MODEL_SWAP_IN] = "swap-in",
	[MODEL_THP] = "huge-page fill",
	[MODEL_HUGETLB] = "hugetlb fill",
	[MODEL_UFFD] = "waiting for userfaultfd",
	[MODEL_NUMA_HINT] = "NUMA hinting",
	[MODEL_STACK] = "stack growth",
	[MODEL_UNKNOWN] = "faults of unknown kind",
};

const char *const model_phase_names[MODEL_N_PHASES] = {
	[MODEL_PHASE_START] = "start-up",
	[MODEL_PHASE_STEADY] = "steady state",
	[MODEL_PHASE_EXIT] = "exit",
};

const char *const model_bill_count_names[MODEL_N_BILL_COUNTS] = {
	[MODEL_RETRIED] = "retried",     [MODEL_UNFINISHED] = "unfinished",
	[MODEL_UNENTERED] = "unentered", [MODEL_NESTED] = "nested",
	[MODEL_LOST] = "lost",           [MODEL_UNTIMED] = "untimed",
	[MODEL_UNMAPPED] = "unmapped",
};

const char *const model_bill_count_rules[MODEL_N_BILL_COUNTS] = {
	[MODEL_RETRIED] =
		"entered again for the same page before completion: one fault, timed from its first entry",
	[MODEL_UNFINISHED] =
		"entered and never completed (a signal, the end of the thread, another page next): not counted",
	[MODEL_UNENTERED] =
		"completed, and the entry was not seen: counted at the mean time of their like",
	[MODEL_NESTED] =
		"entered in the kernel during another fault of the same thread: the time is the outer one's",
	[MODEL_LOST] = "events that the kernel counted and could not hand over: not in the tables",
	[MODEL_UNTIMED] =
		"came too fast to be timed one by one: counted at the mean time of their like",
	[MODEL_UNMAPPED] = "at an address in no mapping that was known: listed as [other]",
};

const char *const model_habit_names[MODEL_N_HABITS] = {
	[MODEL_JUDGED] = "judged",     [MODEL_AGAIN] = "again",   [MODEL_REMAPPED] = "remapped",
	[MODEL_UPGRADED] = "upgraded", [MODEL_NEXT] = "next",     [MODEL_ONWARD] = "onward",
	[MODEL_SHARED] = "shared",     [MODEL_OTHERS] = "others", [MODEL_ON_STACK] = "on_stack",
};

int model_fault_kind_find(const char *name)
{
	for (int kind = 0; kind < MODEL_N_FAULT_KINDS; kind++)
		if (strcmp(name, model_fault_kind_names[kind]) == 0)
			return kind;
	return -1;
}

struct model_cost model_cost_none(void)
{
	return (struct model_cost){.p50_ns = NAN, .p99_ns = NAN, .worst_ns = NAN};
}

void model_cost_add(struct model_cost *sum, const struct model_cost *more)
{
	bool was_none = sum->count == 0;

	sum->count += more->count;
	sum->n_major += more->n_major;
	sum->n_timed += more->n_timed;
	sum->raw_ns += more->raw_ns;
	sum->time_ns += more->time_ns;
	sum->on_cpu_ns += more->on_cpu_ns;
	sum->blocked_ns += more->blocked_ns;
	sum->preempted_ns += more->preempted_ns;
	sum->p50_ns = was_none ? more->p50_ns : NAN;
	sum->p99_ns = was_none ? more->p99_ns : NAN;
	sum->worst_ns = fmax(sum->worst_ns, more->worst_ns);
}

struct model_bill *model_bill_new(void)
{
	struct model_bill *bill = calloc(1, sizeof(*bill));

	if (!bill)
		return NULL;
	bill->total = model_cost_none();
	for (size_t k = 0; k < MODEL_N_FAULT_KINDS; k++)
		bill->kinds[k].cost = model_cost_none();
	bill->time_lo_ns = bill->time_hi_ns = NAN;
	bill->tracer_ns = bill->trap_ns = bill->slowdown_ns = NAN;
	bill->trap_each_ns = bill->tracer_each_ns = NAN;
	bill->fill_each_ns = bill->fill_huge_ns = bill->fill_fresh_huge_ns = NAN;
	bill->share_of_wall = bill->worst_thread_share = bill->process_share = NAN;
	bill->before_exec = bill->user_traps = MODEL_UNKNOWN_COUNT;
	bill->kernel_traps = bill->kernel_or_populated = MODEL_UNKNOWN_COUNT;
	bill->unexplained = MODEL_UNKNOWN_DIFFERENCE;
	return bill;
}

void model_bill_free(struct model_bill *bill)
{
	if (!bill)
		return;
	for (size_t i = 0; i < bill->n_sites; i++)
		free(bill->sites[i].stack);
	free(bill->mappings);
	free(bill->sites);
	free(bill->threads);
	free(bill->moments);
	free(bill->worst);
	free(bill->each);
	free(bill);
}

size_t model_bill_kinds(const struct model_bill *bill,
			enum model_fault_kind ret_kinds[MODEL_N_FAULT_KINDS])
{
	size_t n = 0;

	for (size_t k = 0; k < MODEL_N_FAULT_KINDS; k++) {
		size_t at = n;

		if (bill->kinds[k].cost.count == 0)
			continue;
		for (; at > 0 &&
		       bill->kinds[ret_kinds[at - 1]].cost.time_ns < bill->kinds[k].cost.time_ns;
		     at--)
			ret_kinds[at] = ret_kinds[at - 1];
		ret_kinds[at] = (enum model_fault_kind)k;
		n++;
	}
	return n;
}

double model_bill_share(const struct model_bill *bill)
{
	return fmax(bill->worst_thread_share, bill->process_share);
}

const struct model_fault_row *model_bill_worst_later(const struct model_bill *bill)
{
	for (size_t i = 0; i < bill->n_worst; i++)
		if (bill->worst[i].phase != MODEL_PHASE_START)
			return &bill->worst[i];
	return NULL;
}

bool model_site_is_rest(const struct model_site_row *site)
{
	return site->mapping == MODEL_NO_ROW && site->n_stack == 0;
}

const struct model_frame *model_site_culprit(const struct model_site_row *site)
{
	return site->culprit < site->n_stack ? &site->stack[site->culprit] : NULL;
}

bool model_mapping_is_file(const struct model_mapping_row *mapping)
{
	return mapping->name[0] != '[' && mapping->name[0] != 0;
}

const char *model_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* A path's last two parts. */
static const char *path_end(const char *path)
{
	const char *end = model_base_name(path);

	if (end - path < 2)
		return path;
	for (end -= 2; end > path && *end != '/'; end--)
		;
	return *end == '/' ? end + 1 : end;
}

void model_frame_text(const struct model_frame *frame, bool has_dir, char *ret, size_t size)
{
	const char *file = has_dir ? path_end(frame->file) : model_base_name(frame->file);
	char function[FUNCTION_TEXT];

	*ret = 0;
	text_copy(function, sizeof(function), frame->function);
	if (function[0])
		text_append(ret, size, "%s%s", function,
			    frame->function[strlen(function)] ? ".." : "");
	else if (frame->module[0])
		text_append(ret, size, "%s+0x%" PRIx64, model_base_name(frame->module),
			    frame->module_offset);
	if (!*file)
		return;
	text_append(ret, size, *ret ? " (%s" : "(%s", file);
	if (frame->line)
		text_append(ret, size, ":%" PRIu32, frame->line);
	text_append(ret, size, ")");
}
