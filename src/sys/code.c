/* SPDX-License-Identifier: MIT */
/* Mapping this process's own code and data before it is timed. */
#include "src/sys/code.h"

#include "src/base/why.h"
#include "src/sys/page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Not looked at by AddressSanitizer: a whole mapping has its red zones around every variable in it. */
__attribute__((no_sanitize("address"))) static void touch(uintptr_t start, uintptr_t end,
							  uintptr_t page_bytes)
{
	for (uintptr_t at = start; at < end; at += page_bytes)
		(void)*(const volatile char *)at; /* NOLINT: an address from /proc/self/maps */
}

int sys_touch_code(struct why *why)
{
	uintptr_t page_bytes = sys_page_bytes();
	char line[8192], permissions[8];
	uintptr_t start, end;
	FILE *f;

	f = fopen("/proc/self/maps", "re");
	if (!f)
		return why_errno(why, -errno, "/proc/self/maps");
	while (fgets(line, sizeof(line), f)) {
		const char *path = strchr(line, '/');

		/* mappings of files; [vdso] is none, and no fault is left to take for it */
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &start, &end, permissions) == 3 &&
		    path && permissions[0] == 'r' && permissions[3] == 'p')
			touch(start, end, page_bytes);
	}
	(void)fclose(f);
	return 0;
}
