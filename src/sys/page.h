/* SPDX-License-Identifier: MIT */
/* Page sizes of this system. */
#ifndef SYS_PAGE_H
#define SYS_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t sys_page_bytes(void);

/* The first address at or behind p that is a multiple of align. */
char *sys_align_up(char *p, size_t align);

/* The huge page of a PMD entry, as the THP code or the default hugetlb pool names it; 0 where the
 * kernel has neither. Thread-safe; reads two files at each call. */
uint64_t sys_huge_page_bytes(void);

/* Whether /sys tells of huge pages. Every kernel has /sys/kernel/mm; a container may have an empty /sys, and
 * then nothing says whether there are any. */
#define SYS_UNTOLD "/sys/kernel/mm is not there"
bool sys_huge_pages_are_told(void);

#endif
