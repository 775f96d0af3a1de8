/* SPDX-License-Identifier: MIT */
/* Page sizes of a mapping as the kernel has them: none, base pages, huge pages. */
#include "src/base/why.h"
#include "src/sys/need.h"
#include "src/sys/page.h"
#include "src/sys/smaps.h"
#include "tests/tap.h"

#include <stdint.h>
#include <sys/mman.h>

static char *map_aligned(size_t bytes)
{
	char *m = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t over = (uintptr_t)m % bytes;

	return m == MAP_FAILED ? NULL : m + (over ? bytes - over : 0);
}

int main(void)
{
	size_t page = sys_page_bytes();
	size_t huge = sys_huge_page_bytes();
	struct sys_env env = {.dir = "."};
	struct sys_mapping s;
	uintptr_t start;
	struct why why;
	char *m;

	if (!huge)
		t_skip_all("this kernel has no huge pages");
	t_plan(6);
	m = map_aligned(huge);
	start = (uintptr_t)m;
	(void)madvise(m, huge, MADV_NOHUGEPAGE);
	t_ok(sys_smaps_range(start, start + huge, &s, &why) == 0 && s.rss_bytes == 0,
	     "nothing yet");
	m[0] = 1;
	t_ok(sys_smaps_range(start, start + huge, &s, &why) == 0 && s.rss_bytes == page,
	     "one page of %zu: %llu", page, (unsigned long long)s.rss_bytes);
	t_is_u64(s.huge_bytes, 0, "no huge page");
	t_is_u64(s.kernel_page_bytes, page, "the mapping's page size");
	t_ok(sys_smaps_range(1, 2, &s, &why) < 0, "no mapping at address 1");
	if (need_thp.probe(&env, &why) > 0) {
		t_skip(1, "%s", why.text);
		return t_done();
	}
	m = map_aligned(huge);
	start = (uintptr_t)m;
	(void)madvise(m, huge, MADV_HUGEPAGE);
	m[0] = 1;
	(void)sys_smaps_range(start, start + huge, &s, &why);
	t_is_u64(s.huge_bytes, huge, "one huge page");
	return t_done();
}
