/* SPDX-License-Identifier: MIT */
/* What the kernel says of mappings: sizes and page sizes, from /proc/PID/smaps. */
#include "src/sys/smaps.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/why.h"
#include "src/sys/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIB = 1024, LINE = 8192 };

struct field {
	const char *key;
	size_t offset; /* of the member it is added to */
};

static const struct field fields[] = {
	{"Rss", offsetof(struct sys_mapping, rss_bytes)},
	{"Anonymous", offsetof(struct sys_mapping, anon_bytes)},
	{"AnonHugePages", offsetof(struct sys_mapping, huge_bytes)},
	{"ShmemPmdMapped", offsetof(struct sys_mapping, huge_bytes)},
	{"FilePmdMapped", offsetof(struct sys_mapping, huge_bytes)},
	{"Shared_Hugetlb", offsetof(struct sys_mapping, huge_bytes)},
	{"Private_Hugetlb", offsetof(struct sys_mapping, huge_bytes)},
	{"Shared_Dirty", offsetof(struct sys_mapping, dirty_bytes)},
	{"Private_Dirty", offsetof(struct sys_mapping, dirty_bytes)},
	{"Swap", offsetof(struct sys_mapping, swap_bytes)},
	{"Locked", offsetof(struct sys_mapping, locked_bytes)},
};

static void add_line(struct sys_mapping *m, const char *line)
{
	uint64_t value;

	if (strncmp(line, "VmFlags:", 8) == 0) {
		text_copy(m->flags, sizeof(m->flags), line + 8);
		return;
	}
	if (sys_find_u64(line, "KernelPageSize", &value) == 0)
		m->kernel_page_bytes = value * KIB;
	else if (sys_find_u64(line, "THPeligible", &value) == 0)
		m->thp_eligible = value;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (sys_find_u64(line, fields[i].key, &value) == 0)
			*(uint64_t *)((char *)m + fields[i].offset) += value * KIB;
}

bool sys_smaps_has_flag(const struct sys_mapping *m, const char *flag)
{
	const char *at = strstr(m->flags, flag);

	return at && at > m->flags && at[-1] == ' ';
}

/* "START-END PERMS OFFSET DEV INODE   NAME": whether it is such a line. */
static bool begin(struct sys_mapping *m, const char *line)
{
	struct sys_mapping new = {.start = 0};
	int name_at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*x:%*x %*u %n", &new.start, &new.end,
		   new.perms, &name_at) < 3 ||
	    new.end <= new.start)
		return false;
	if (name_at)
		text_copy(new.name, sizeof(new.name), line + name_at);
	new.name[strcspn(new.name, "\n")] = 0;
	*m = new;
	return true;
}

void sys_smaps_read(FILE *smaps, void (*hook)(void *data, const struct sys_mapping *m), void *data)
{
	struct sys_mapping m = {.end = 0}, next;
	bool continues =
		false; /* what is read is the rest of a line that was too long: a name, whatever it says */
	char line[LINE];

	while (fgets(line, sizeof(line), smaps)) {
		bool was_cut = continues;

		continues = !strchr(line, '\n');
		if (was_cut)
			continue;
		if (!begin(&next, line)) {
			add_line(&m, line);
			continue;
		}
		if (m.end)
			hook(data, &m);
		m = next;
	}
	if (m.end)
		hook(data, &m);
}

/* Some refuse at the first read alone. */
static int walk(const char *path, void (*hook)(void *data, const struct sys_mapping *m), void *data,
		struct why *why)
{
	FILE *f = fopen(path, "re");
	int c, r = 0;

	if (!f)
		return why_errno(why, -errno, "%s", path);
	errno = 0;
	c = fgetc(f);
	if (c == EOF) {
		r = why_errno(why, errno ? -errno : -ENOENT, "%s", path);
	} else {
		(void)ungetc(c, f);
		sys_smaps_read(f, hook, data);
	}
	(void)fclose(f);
	return r;
}

int sys_smaps_walk(pid_t pid, void (*hook)(void *data, const struct sys_mapping *m), void *data,
		   struct why *why)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	return walk(path, hook, data, why);
}

/* --- of a range -------------------------------------------------------------------------------------------- */

static void add_to_range(void *data, const struct sys_mapping *m)
{
	struct sys_mapping *sum = data;

	if (m->start >= sum->end || m->end <= sum->start)
		return;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (i == 0 || fields[i].offset != fields[i - 1].offset)
			*(uint64_t *)((char *)sum + fields[i].offset) +=
				*(const uint64_t *)((const char *)m + fields[i].offset);
	sum->kernel_page_bytes = m->kernel_page_bytes;
	memcpy(sum->flags, m->flags, sizeof(sum->flags));
}

int sys_smaps_range(uint64_t start, uint64_t end, struct sys_mapping *ret, struct why *why)
{
	int r;

	*ret = (struct sys_mapping){.start = start, .end = end};
	r = walk("/proc/self/smaps", add_to_range, ret, why);
	if (r < 0)
		return r;
	return ret->kernel_page_bytes ? 0 : why_set(why, -ENOENT, "no mapping at %" PRIx64, start);
}
