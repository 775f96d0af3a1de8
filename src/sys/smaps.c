/* SPDX-License-Identifier: MIT */
/* What the kernel says of one mapping: sizes and page sizes, from /proc/PID/smaps. */
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

struct field {
	const char *key;
	size_t offset; /* of the member it is added to */
};

static const struct field fields[] = {
	{"Rss", offsetof(struct sys_mapping, rss_bytes)},
	{"AnonHugePages", offsetof(struct sys_mapping, huge_bytes)},
	{"ShmemPmdMapped", offsetof(struct sys_mapping, huge_bytes)},
	{"FilePmdMapped", offsetof(struct sys_mapping, huge_bytes)},
};

static void add_line(struct sys_mapping *m, const char *line)
{
	uint64_t kib;

	if (strncmp(line, "VmFlags:", 8) == 0)
		text_copy(m->flags, sizeof(m->flags), line + 8);
	if (sys_find_u64(line, "KernelPageSize", &kib) == 0)
		m->kernel_page_bytes = kib * 1024;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (sys_find_u64(line, fields[i].key, &kib) == 0)
			*(uint64_t *)((char *)m + fields[i].offset) += kib * 1024;
}

bool sys_smaps_has_flag(const struct sys_mapping *m, const char *flag)
{
	const char *at = strstr(m->flags, flag);

	return at && at > m->flags && at[-1] == ' ';
}

int sys_smaps_range(uint64_t start, uint64_t end, struct sys_mapping *ret, struct why *why)
{
	uint64_t from, to;
	bool inside = false;
	char line[8192];
	FILE *f;

	*ret = (struct sys_mapping){.start = start, .end = end};
	f = fopen("/proc/self/smaps", "re");
	if (!f)
		return why_errno(why, -errno, "/proc/self/smaps");
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) == 2)
			inside = from < end && to > start;
		else if (inside)
			add_line(ret, line);
	}
	(void)fclose(f);
	return ret->kernel_page_bytes ? 0 : why_set(why, -ENOENT, "no mapping at %" PRIx64, start);
}
