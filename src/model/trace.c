/* SPDX-License-Identifier: MIT */
/* The trace document in memory: its tables, and keeping what is put into it. */
#include "src/model/trace.h"

#include "src/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct model_group_row model_group_rows[MODEL_N_EVIDENCE_GROUPS] = {
	[MODEL_OF_TREE] = {"tree", "the command and the descendants it waited for"},
	[MODEL_OF_PROCESS] = {"process", "the first process, without descendants"},
	[MODEL_OF_IO] = {"io", "the command and the descendants it waited for"},
	[MODEL_OF_SMAPS] = {"smaps", "the first process, the largest of the samples"},
	[MODEL_OF_STATUS] = {"status", "the first process, the largest of the samples"},
	[MODEL_OF_SYSTEM] = {"system", "everybody on this machine, over the run"},
	[MODEL_OF_CGROUP] = {"cgroup",
			     "everybody in the memory cgroup or those above it, over the run"},
};

const struct model_figure_row model_figure_rows[MODEL_N_FIGURES] = {
	[MODEL_MAX_RESIDENT] = {MODEL_OF_TREE, "max_resident_bytes"},
	[MODEL_DISK_READ] = {MODEL_OF_TREE, "disk_read_bytes"},
	[MODEL_DISK_WRITTEN] = {MODEL_OF_TREE, "disk_written_bytes"},
	[MODEL_SLEEPS] = {MODEL_OF_TREE, "nvcsw"},
	[MODEL_PREEMPTIONS] = {MODEL_OF_TREE, "nivcsw"},
	[MODEL_OWN_MINOR] = {MODEL_OF_PROCESS, "minor"},
	[MODEL_OWN_MAJOR] = {MODEL_OF_PROCESS, "major"},
	[MODEL_RUN_DELAY] = {MODEL_OF_PROCESS, "run_delay_ns"},
	[MODEL_IO_READ] = {MODEL_OF_IO, "read_bytes"},
	[MODEL_IO_RCHAR] = {MODEL_OF_IO, "rchar"},
	[MODEL_IO_WRITTEN] = {MODEL_OF_IO, "write_bytes"},
	[MODEL_SMAPS_RSS] = {MODEL_OF_SMAPS, "rss_bytes"},
	[MODEL_SMAPS_ANON_HUGE] = {MODEL_OF_SMAPS, "anon_huge_bytes"},
	[MODEL_SMAPS_SWAP] = {MODEL_OF_SMAPS, "swap_bytes"},
	[MODEL_VM_HWM] = {MODEL_OF_STATUS, "vm_hwm_bytes"},
	[MODEL_VM_SWAP] = {MODEL_OF_STATUS, "vm_swap_bytes"},
	[MODEL_VM_PTE] = {MODEL_OF_STATUS, "vm_pte_bytes"},
	[MODEL_RSS_FILE] = {MODEL_OF_STATUS, "rss_file_bytes"},
	[MODEL_THREADS] = {MODEL_OF_STATUS, "threads"},
	[MODEL_VM_LOCKED] = {MODEL_OF_STATUS, "vm_locked_bytes"},
	[MODEL_MEMLOCK_LIMIT] = {MODEL_OF_STATUS, "memlock_limit_bytes"},
	[MODEL_SWAP_INS] = {MODEL_OF_SYSTEM, "pswpin"},
	[MODEL_SWAP_OUTS] = {MODEL_OF_SYSTEM, "pswpout"},
	[MODEL_REFAULTS_ANON] = {MODEL_OF_SYSTEM, "workingset_refault_anon"},
	[MODEL_REFAULTS_FILE] = {MODEL_OF_SYSTEM, "workingset_refault_file"},
	[MODEL_SYSTEM_MAJOR] = {MODEL_OF_SYSTEM, "pgmajfault"},
	[MODEL_HUGE_FAULTS] = {MODEL_OF_SYSTEM, "thp_fault_alloc"},
	[MODEL_HUGE_FALLBACKS] = {MODEL_OF_SYSTEM, "thp_fault_fallback"},
	[MODEL_COMPACT_STALLS] = {MODEL_OF_SYSTEM, "compact_stall"},
	[MODEL_DIRECT_RECLAIM] = {MODEL_OF_SYSTEM, "direct_reclaim"},
	[MODEL_OOM_KILLS] = {MODEL_OF_SYSTEM, "oom_kill"},
	[MODEL_LEAST_AVAILABLE] = {MODEL_OF_SYSTEM, "least_available_bytes"},
	[MODEL_GROUP_LIMIT_HITS] = {MODEL_OF_CGROUP, "limit_hits"},
	[MODEL_GROUP_OOM_KILLS] = {MODEL_OF_CGROUP, "oom_kill"},
	[MODEL_GROUP_REFAULTS_ANON] = {MODEL_OF_CGROUP, "workingset_refault_anon"},
	[MODEL_GROUP_REFAULTS_FILE] = {MODEL_OF_CGROUP, "workingset_refault_file"},
};

const char *const model_part_names[MODEL_N_PARTS] = {
	[MODEL_PART_HUGE] = "thp",
	[MODEL_PART_MINOR] = "minor",
	[MODEL_PART_MAJOR] = "major",
	[MODEL_PART_READAHEAD] = "readahead",
};

const char *const model_trace_verdict_names[MODEL_N_TRACE_VERDICTS] = {
	[MODEL_CANNOT_TELL] = "cannot-tell",
	[MODEL_FAULTS_NOT_THE_PROBLEM] = "faults-not-the-problem",
	[MODEL_PROCESS_START] = "process-start",
	[MODEL_FIRST_TOUCH] = "first-touch",
	[MODEL_REPEATED_TOUCH] = "repeated-touch",
	[MODEL_COLD_FILE] = "cold-file",
	[MODEL_SHORT_OF_RAM] = "short-of-ram",
	[MODEL_FAULT_BILL] = "fault-bill",
};

struct model_trace *model_trace_new(void)
{
	struct model_trace *doc = calloc(1, sizeof(*doc));

	for (size_t i = 0; doc && i < MODEL_N_FIGURES; i++)
		doc->evidence.figures[i] = MODEL_NOT_COUNTED;
	return doc;
}

void model_trace_free(struct model_trace *doc)
{
	if (!doc)
		return;
	model_bill_free(doc->bill);
	free(doc->pids);
	free(doc->command);
	free(doc);
}

int model_trace_set_command(struct model_trace *doc, size_t n_words, char *const *words)
{
	size_t n = n_words < MODEL_MAX_COMMAND_WORDS ? n_words : MODEL_MAX_COMMAND_WORDS;
	char(*kept)[MODEL_MAX_COMMAND_WORD] = calloc(n + 1, sizeof(*kept));

	if (!kept)
		return -ENOMEM;
	free(doc->command);
	doc->command = kept;
	doc->n_command = n;
	doc->command_cut = n < n_words;
	for (size_t i = 0; i < n; i++) {
		text_copy(kept[i], sizeof(kept[i]), words[i]);
		doc->command_cut = doc->command_cut || strlen(kept[i]) < strlen(words[i]);
	}
	return 0;
}

void model_trace_raise(struct model_trace *doc, enum model_figure figure, int64_t value)
{
	if (value > doc->evidence.figures[figure])
		doc->evidence.figures[figure] = value;
}

void model_trace_derive(struct model_trace *doc)
{
	if (doc->bill) {
		model_bill_derive(doc);
		model_bill_judge(doc);
		return;
	}
	model_trace_estimate(doc);
	model_trace_judge(doc);
}
