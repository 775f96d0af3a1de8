/* SPDX-License-Identifier: MIT */
/* What transparent huge pages are set to, and what that means for a process's memory. */
#ifndef SYS_THP_H
#define SYS_THP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYS_THP_WORD = 16, SYS_MAX_THP_SIZES = 16 };

/* One page size with settings of its own (Linux 6.8 and later). */
struct sys_thp_size {
	uint64_t page_bytes;
	char enabled[SYS_THP_WORD]; /* "inherit": as the setting for all; "" is told for no size */
	char shmem_enabled[SYS_THP_WORD];
};

enum sys_thp_disabled {
	SYS_THP_NOT_DISABLED,
	SYS_THP_DISABLED,            /* PR_SET_THP_DISABLE, also by a parent */
	SYS_THP_DISABLED_NOT_ADVISED /* the same, save where MADV_HUGEPAGE asks (Linux 6.18) */
};

struct sys_khugepaged {
	bool is_told; /* false: the rest is not known */
	bool defrag;
	uint64_t n_pages_to_scan;
	uint64_t scan_sleep_ms;
	uint64_t max_ptes_none;
};

/* The words in brackets of the settings' files; "" where this kernel has no such file. Harmless. */
struct sys_thp {
	bool is_untold; /* /sys does not say: no word means nothing */
	uint64_t page_bytes;
	uint64_t huge_page_bytes; /* 0: none */
	char enabled[SYS_THP_WORD];
	char defrag[SYS_THP_WORD];
	char shmem_enabled[SYS_THP_WORD];
	size_t n_sizes; /* in ascending size; 0 before Linux 6.8 */
	struct sys_thp_size sizes[SYS_MAX_THP_SIZES];
	struct sys_khugepaged khugepaged;
	enum sys_thp_disabled disabled; /* for this process */
};

/* Reads /sys/kernel/mm/transparent_hugepage, and asks prctl. */
void sys_thp_probe(struct sys_thp *ret);

/* The setting in force for one page size: always, madvise or never, or a word of later kernels. */
const char *sys_thp_mode(const struct sys_thp *thp, uint64_t page_bytes);

enum sys_thp_memory { SYS_THP_MALLOC, SYS_THP_ADVISED }; /* ADVISED: with MADV_HUGEPAGE */

struct sys_thp_meaning {
	bool larger_pages; /* larger than base pages, where one fits */
	bool may_stall;    /* a fault may wait for reclaim and compaction */
	char text[400];    /* a sentence without capital and stop */
};

/* What the first touch of such memory does under these settings. */
void sys_thp_meaning(const struct sys_thp *thp, enum sys_thp_memory memory,
		     struct sys_thp_meaning *ret);

/* The same for shared memory (memfd, shm, tmpfs), and for what khugepaged does later. */
void sys_thp_shmem_meaning(const struct sys_thp *thp, char *ret_text, size_t size);
void sys_thp_khugepaged_meaning(const struct sys_thp *thp, char *ret_text, size_t size);

/* "64 KiB always, 128 KiB madvise": the sizes below a huge page that are on, or "none". */
void sys_thp_smaller_sizes(const struct sys_thp *thp, char *ret_text, size_t size);

#endif
