/* SPDX-License-Identifier: MIT */
/* Reads smaps of a traced process, and sums it up by the names that the bill has. */
#include "src/trace/pages.h"

#include "src/base/text.h"
#include "src/sys/clock.h"
#include "src/sys/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KIB = 1024, LINE = 8192 };

/* Advice that changes how a mapping faults, and what is locked or kept from children; the rest is in the bill. */
const char *const trace_vm_flags[] = {"hg", "nh", "rr", "sr", "lo", "dc", "ht", "um", "uw", NULL};

void trace_vm_flags_text(uint32_t flags, char *ret, size_t size)
{
	*ret = 0;
	for (size_t i = 0; trace_vm_flags[i]; i++)
		if (flags >> i & 1)
			text_append(ret, size, "%s%s", *ret ? " " : "", trace_vm_flags[i]);
}

int trace_pages_init(struct trace_pages *pages, size_t n_names)
{
	*pages = (struct trace_pages){
		.kept = calloc(n_names, sizeof(*pages->kept)),
		.now = calloc(n_names, sizeof(*pages->now)),
		.n_names = n_names,
	};
	return pages->kept && pages->now ? 0 : -ENOMEM;
}

void trace_pages_free(struct trace_pages *pages)
{
	free(pages->kept);
	free(pages->now);
	*pages = (struct trace_pages){.n_names = 0};
}

static uint32_t flags_of(const char *text)
{
	uint32_t flags = 0;

	for (; *text; text++)
		for (size_t i = 0; trace_vm_flags[i]; i++)
			if (text[-1] == ' ' && strncmp(text, trace_vm_flags[i], 2) == 0)
				flags |= 1U << i;
	return flags;
}

/* One line of what is said of a mapping. */
static void take_line(struct trace_name_pages *sum, const char *line, uint64_t size_bytes)
{
	uint64_t value;

	if (sys_find_u64(line, "Rss", &value) == 0)
		sum->rss_bytes += value * KIB;
	else if (sys_find_u64(line, "AnonHugePages", &value) == 0 ||
		 sys_find_u64(line, "ShmemPmdMapped", &value) == 0 ||
		 sys_find_u64(line, "FilePmdMapped", &value) == 0)
		sum->huge_bytes += value * KIB;
	else if (sys_find_u64(line, "THPeligible", &value) == 0)
		sum->eligible_bytes += value ? size_bytes : 0;
	else if (strncmp(line, "VmFlags:", 8) == 0)
		sum->flags |= flags_of(line + 8);
}

static void keep_largest(struct trace_pages *pages)
{
	for (size_t i = 0; i < pages->n_names; i++) {
		uint32_t flags = pages->kept[i].flags | pages->now[i].flags;

		if (pages->now[i].size_bytes && pages->now[i].rss_bytes >= pages->kept[i].rss_bytes)
			pages->kept[i] = pages->now[i];
		pages->kept[i].flags = flags;
	}
}

void trace_pages_read(struct trace_pages *pages, struct trace_spaces *spaces, pid_t pid,
		      FILE *smaps)
{
	struct trace_name_pages *sum = NULL;
	uint64_t from, to, size_bytes = 0;
	char line[LINE];

	memset(pages->now, 0, pages->n_names * sizeof(*pages->now));
	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) == 2 && to > from) {
			const struct trace_mapping *m = trace_spaces_find(spaces, pid, from, false);

			sum = m && m->name < pages->n_names ? &pages->now[m->name] : NULL;
			size_bytes = to - from;
			if (sum)
				sum->size_bytes += size_bytes;
		} else if (sum) {
			take_line(sum, line, size_bytes);
		}
	}
	keep_largest(pages);
}

uint64_t trace_pages_sample(struct trace_pages *pages, struct trace_spaces *spaces, pid_t pid)
{
	uint64_t start_ns = sys_now_ns();
	char path[64];
	FILE *smaps;

	(void)snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	smaps = fopen(path, "re");
	if (smaps) {
		trace_pages_read(pages, spaces, pid, smaps);
		(void)fclose(smaps);
	}
	return sys_now_ns() - start_ns;
}
