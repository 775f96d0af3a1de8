/* SPDX-License-Identifier: MIT */
/* The pools of huge pages that an administrator sets aside (hugetlb). */
#ifndef SYS_HUGETLB_H
#define SYS_HUGETLB_H

#include <stddef.h>
#include <stdint.h>

struct why;

/* Counts in pages of page_bytes. */
struct sys_hugetlb_pool {
	uint64_t page_bytes;
	uint64_t total;      /* nr_hugepages, surplus included */
	uint64_t available;  /* free and not reserved by a mapping: what a new mapping can have */
	uint64_t reserved;   /* promised to mappings, not touched yet */
	uint64_t surplus;    /* beyond the pool, taken from free memory on demand */
	uint64_t overcommit; /* most surplus pages that may be taken */
};

enum { SYS_MAX_HUGETLB_POOLS = 8 };

/* The pools of this system in ascending page size, empty ones, too. How many there are; 0 where the
 * kernel has no hugetlb. Reads /sys/kernel/mm/hugepages. */
size_t sys_hugetlb_pools(struct sys_hugetlb_pool ret_pools[SYS_MAX_HUGETLB_POOLS]);

/* The pool of one page size. 0, or -ENOENT where this system has no pages of that size. */
int sys_hugetlb_pool(uint64_t page_bytes, struct sys_hugetlb_pool *ret_pool);

/*
 * Whether a mapping of that many bytes would find its pages. 0; 1 with what was found and the line that
 * would reserve them. Nothing is taken.
 */
int sys_hugetlb_ask(uint64_t page_bytes, uint64_t bytes, struct why *why);

/* The page size above the PMD's, 1 GiB on x86-64; 0 where the kernel or the CPU has none. */
uint64_t sys_gigantic_page_bytes(void);

#endif
