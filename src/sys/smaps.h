/* SPDX-License-Identifier: MIT */
/* What the kernel says of one mapping: sizes and page sizes, from /proc/PID/smaps. */
#ifndef SYS_SMAPS_H
#define SYS_SMAPS_H

#include <stdbool.h>
#include <stdint.h>

struct why;

struct sys_mapping {
	uint64_t start, end;
	uint64_t rss_bytes;
	uint64_t huge_bytes; /* AnonHugePages + ShmemPmdMapped + FilePmdMapped */
	uint64_t kernel_page_bytes;
	char flags[128]; /* VmFlags of the last of them: two letters each, "rd wr mr" */
};

/* Whether such a flag is among them. */
bool sys_smaps_has_flag(const struct sys_mapping *m, const char *flag);

/* Adds up all mappings of this process that lie in [start, end). -ENOENT where there is none. */
int sys_smaps_range(uint64_t start, uint64_t end, struct sys_mapping *ret, struct why *why);

#endif
