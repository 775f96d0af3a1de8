/* SPDX-License-Identifier: MIT */
/* Page sizes of this system. */
#ifndef SYS_PAGE_H
#define SYS_PAGE_H

#include <stdint.h>

uint64_t sys_page_bytes(void);

/* The huge page of a PMD entry, as the THP code or the default hugetlb pool names it; 0 where the
 * kernel has neither. Thread-safe; reads two files at each call. */
uint64_t sys_huge_page_bytes(void);

#endif
