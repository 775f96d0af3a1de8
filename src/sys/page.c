/* SPDX-License-Identifier: MIT */
/* Page sizes of this system. */
#include "src/sys/page.h"

#include "src/sys/file.h"

#include <unistd.h>

uint64_t sys_page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t sys_huge_page_bytes(void)
{
	uint64_t value;

	if (sys_read_u64("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", &value) == 0)
		return value;
	if (sys_read_key("/proc/meminfo", "Hugepagesize", &value) == 0)
		return value * 1024;
	return 0;
}

bool sys_huge_pages_are_told(void)
{
	return access("/sys/kernel/mm", F_OK) == 0;
}

char *sys_align_up(char *p, size_t align)
{
	return p + (align - (uintptr_t)p % align) % align;
}
