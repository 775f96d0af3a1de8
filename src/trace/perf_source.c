/* SPDX-License-Identifier: MIT */
/* Stands in for the source by perf events until there is one: it refuses everything. */
#include "src/trace/perf_source.h"

#include "src/base/why.h"

#include <errno.h>
#include <string.h>

/* Weak, and gone with this file: their place is the model. */
__attribute__((weak)) const char *const model_fault_kind_names[MODEL_N_FAULT_KINDS] = {
	"anon-write", "anon-zero-read", "cow",       "wp-reuse", "file-minor",
	"file-major", "file-mkwrite",   "shmem",     "swap-in",  "thp",
	"hugetlb",    "uffd",           "numa-hint", "stack",    "unknown",
};

__attribute__((weak)) int model_fault_kind_find(const char *name)
{
	for (int i = 0; i < MODEL_N_FAULT_KINDS; i++)
		if (strcmp(name, model_fault_kind_names[i]) == 0)
			return i;
	return -1;
}

int trace_perf_probe(bool *ret_kernel, struct why *why)
{
	(void)ret_kernel;
	return why_set(why, -ENOSYS, "faults cannot be seen one by one: not in this build");
}

int trace_perf_run(const struct trace_options *options, struct model_trace *doc,
		   bool *ret_not_executed, struct why *why)
{
	(void)options;
	(void)doc;
	(void)ret_not_executed;
	return why_set(why, -ENOSYS, "faults cannot be seen one by one: not in this build");
}
