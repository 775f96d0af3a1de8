/* SPDX-License-Identifier: MIT */
/* What smaps says of the mappings of a running process: how much of each is there, in pages of what size, and what the
 * program asked for with madvise. */
#ifndef TRACE_PAGES_H
#define TRACE_PAGES_H

#include "src/trace/spaces.h"

#include <stdio.h>

/* Of all mappings of one name, as they were when most of them was resident. */
struct trace_name_pages {
	uint64_t size_bytes, rss_bytes, huge_bytes, eligible_bytes;
	uint32_t flags; /* bits of trace_vm_flags, of all samples */
};

/* Two letters each, as proc(5) has them; the last is NULL. */
extern const char *const trace_vm_flags[];

struct trace_pages {
	struct trace_name_pages *kept, *now; /* by name */
	size_t n_names;
};

/* 0 or -ENOMEM. */
int trace_pages_init(struct trace_pages *pages, size_t n_names);
void trace_pages_free(struct trace_pages *pages);

/* Reads /proc/PID/smaps once. Nanoseconds that it took. */
uint64_t trace_pages_sample(struct trace_pages *pages, struct trace_spaces *spaces, pid_t pid);

/* The same of smaps that is open already: until its end. */
void trace_pages_read(struct trace_pages *pages, struct trace_spaces *spaces, pid_t pid,
		      FILE *smaps);

/* "hg rr" of the flags that were seen. */
void trace_vm_flags_text(uint32_t flags, char *ret, size_t size);

#endif
