/* SPDX-License-Identifier: MIT */
/* What the kernel says of mappings: sizes and page sizes, from /proc/PID/smaps. */
#ifndef SYS_SMAPS_H
#define SYS_SMAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct why;

enum { SYS_MAPPING_NAME = 256 };

struct sys_mapping {
	uint64_t start, end;
	char perms[5];               /* "rw-p" */
	char name[SYS_MAPPING_NAME]; /* as the kernel has it, not made harmless; "": none */
	uint64_t rss_bytes, swap_bytes, locked_bytes, dirty_bytes;
	uint64_t anon_bytes; /* of rss, not of the file */
	uint64_t huge_bytes; /* AnonHugePages + ShmemPmdMapped + FilePmdMapped, and hugetlb */
	uint64_t kernel_page_bytes;
	bool thp_eligible;
	char flags[128]; /* VmFlags of the last of them: two letters each, " rd wr mr" */
};

/* Whether such a flag is among them. */
bool sys_smaps_has_flag(const struct sys_mapping *m, const char *flag);

/* Calls hook for each mapping in the order of addresses. The text of smaps, to its end. */
void sys_smaps_read(FILE *smaps, void (*hook)(void *data, const struct sys_mapping *m), void *data);

/* The same of a process. 0; -EACCES: not shown to us; -ENOENT: there is none, or it has no memory. */
int sys_smaps_walk(pid_t pid, void (*hook)(void *data, const struct sys_mapping *m), void *data,
		   struct why *why);

/* Adds up all mappings of this process that lie in [start, end). -ENOENT where there is none. */
int sys_smaps_range(uint64_t start, uint64_t end, struct sys_mapping *ret, struct why *why);

#endif
