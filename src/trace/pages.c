/* SPDX-License-Identifier: MIT */
/* Reads smaps of a traced process, and sums it up by the names that the bill has. */
#include "src/trace/pages.h"

#include "src/base/text.h"
#include "src/sys/clock.h"
#include "src/sys/smaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static void keep_largest(struct trace_pages *pages)
{
	for (size_t i = 0; i < pages->n_names; i++) {
		uint32_t flags = pages->kept[i].flags | pages->now[i].flags;

		if (pages->now[i].size_bytes && pages->now[i].rss_bytes >= pages->kept[i].rss_bytes)
			pages->kept[i] = pages->now[i];
		pages->kept[i].flags = flags;
	}
}

/* Whose mappings are added up. */
struct reading {
	struct trace_pages *pages;
	struct trace_spaces *spaces;
	pid_t pid;
};

static void take_mapping(void *data, const struct sys_mapping *m)
{
	const struct reading *r = data;
	const struct trace_mapping *known = trace_spaces_find(r->spaces, r->pid, m->start, false);
	struct trace_name_pages *sum;

	if (!known || known->name >= r->pages->n_names)
		return;
	sum = &r->pages->now[known->name];
	sum->size_bytes += m->end - m->start;
	sum->rss_bytes += m->rss_bytes;
	sum->huge_bytes += m->huge_bytes;
	sum->eligible_bytes += m->thp_eligible ? m->end - m->start : 0;
	for (size_t i = 0; trace_vm_flags[i]; i++)
		sum->flags |= (uint32_t)sys_smaps_has_flag(m, trace_vm_flags[i]) << i;
}

void trace_pages_read(struct trace_pages *pages, struct trace_spaces *spaces, pid_t pid,
		      FILE *smaps)
{
	struct reading r = {pages, spaces, pid};

	memset(pages->now, 0, pages->n_names * sizeof(*pages->now));
	sys_smaps_read(smaps, take_mapping, &r);
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
