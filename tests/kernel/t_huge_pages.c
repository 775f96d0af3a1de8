/* SPDX-License-Identifier: MIT */
/* What is said of huge pages agrees with what other files of the kernel say, and with what it does. */
#include "src/base/why.h"
#include "src/sys/file.h"
#include "src/sys/huge_pages.h"
#include "src/sys/need.h"
#include "tests/tap.h"

#include <sys/prctl.h>

enum { TRIES = 20, THP_EXCEPT_ADVISED = 2 };

static struct sys_huge_pages h;

/* Free pages by /proc/zoneinfo, all zones; 0 where it cannot be read. */
static uint64_t zoneinfo_free(void)
{
	FILE *f = fopen("/proc/zoneinfo", "re");
	unsigned long long n;
	uint64_t sum = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " nr_free_pages %llu", &n) == 1)
			sum += n;
	if (f)
		(void)fclose(f);
	return sum;
}

static uint64_t meminfo(const char *key)
{
	char text[8192];
	uint64_t value = 0;

	if (sys_read_text("/proc/meminfo", text, sizeof(text)) < 0 ||
	    sys_find_u64(text, key, &value) < 0)
		return UINT64_MAX;
	return value;
}

/* Two ways to the same figure; memory comes and goes between them, so within a quarter. */
static void test_free(void)
{
	struct sys_fragmentation f = {.free_bytes = 0};
	uint64_t other = 0, blocks = 0;
	bool agree = false;
	struct why why;

	for (int i = 0; i < TRIES && !agree; i++) {
		other = zoneinfo_free() * h.thp.page_bytes;
		if (sys_buddy_read(&h.buddy, &why) < 0)
			t_note("%s", why.text);
		f = sys_buddy_fragmentation(&h.buddy.all, h.thp.page_bytes, h.thp.huge_page_bytes);
		agree = f.free_bytes < other + other / 4 && f.free_bytes > other - other / 4;
	}
	t_ok(agree, "buddyinfo %" PRIu64 " MiB free, zoneinfo %" PRIu64, f.free_bytes >> 20,
	     other >> 20);
	t_is_u64(h.buddy.n_odd, 0, "all of buddyinfo is understood");
	t_ok(f.n_huge * h.thp.huge_page_bytes <= f.free_bytes, "huge pages fit what is free");
	for (size_t i = 0; i < h.buddy.n_zones && i < SYS_MAX_BUDDY_ZONES; i++)
		blocks +=
			sys_buddy_fragmentation(&h.buddy.zones[i], h.thp.page_bytes, 0).free_bytes;
	t_is_u64(blocks, f.free_bytes, "the zones add up");
}

/* Somebody may change the pools meanwhile: then once more. */
static void test_pools(void)
{
	uint64_t total = meminfo("HugePages_Total"), kib = meminfo("Hugetlb");
	uint64_t bytes = 0, n = 0;

	if (total == UINT64_MAX) {
		t_skip(2, "needs hugetlb: this kernel is built without it");
		return;
	}
	for (int i = 0; i < TRIES; i++) {
		total = meminfo("HugePages_Total");
		kib = meminfo("Hugetlb");
		h.n_pools = sys_hugetlb_pools(h.pools);
		if (total == meminfo("HugePages_Total") && kib == meminfo("Hugetlb"))
			break;
	}
	for (size_t i = 0; i < h.n_pools; i++) {
		bytes += h.pools[i].total * h.pools[i].page_bytes;
		if (h.pools[i].page_bytes == meminfo("Hugepagesize") * 1024)
			n = h.pools[i].total;
	}
	t_is_u64(n, total, "HugePages_Total is the pool of the default size");
	t_is_u64(bytes / 1024, kib, "Hugetlb is all pools together");
}

static struct sys_thp_meaning meaning(enum sys_thp_memory memory)
{
	struct sys_thp_meaning m;

	sys_thp_probe(&h.thp);
	sys_thp_meaning(&h.thp, memory, &m);
	return m;
}

static void test_meaning(void)
{
	struct sys_env env = {.dir = "."};
	struct why why;

	if (need_thp.probe(&env, &why) == 0)
		t_ok(meaning(SYS_THP_ADVISED).larger_pages,
		     "MADV_HUGEPAGE brought a huge page, and is said to");
	else
		t_skip(1, "%s", why.text);
	t_ok(h.thp.disabled == SYS_THP_NOT_DISABLED, "not switched off");
	if (prctl(PR_SET_THP_DISABLE, 1, THP_EXCEPT_ADVISED, 0, 0) == 0) {
		t_ok(!meaning(SYS_THP_MALLOC).larger_pages &&
			     h.thp.disabled == SYS_THP_DISABLED_NOT_ADVISED,
		     "switched off save where advised: malloc");
		t_ok(meaning(SYS_THP_ADVISED).larger_pages == (need_thp.probe(&env, &why) == 0),
		     "advised memory, as it is: %s", meaning(SYS_THP_ADVISED).text);
	} else {
		t_skip(2, "needs PR_THP_DISABLE_EXCEPT_ADVISED: this kernel does not know it; "
			  "Linux 6.18 does");
	}
	(void)prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) < 0 || !*h.thp.enabled) {
		t_skip(2, "needs transparent huge pages: this kernel is built without them");
		return;
	}
	t_ok(!meaning(SYS_THP_MALLOC).larger_pages && !meaning(SYS_THP_ADVISED).larger_pages,
	     "switched off altogether");
	t_ok(need_thp.probe(&env, &why) != 0, "and so it is");
}

int main(void)
{
	t_plan(15);
	(void)prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0); /* whatever the parent had */
	sys_huge_pages_probe(&h);
	t_ok(h.knows_free, "free memory is told: %s", h.no_buddy.text);
	t_is_u64(h.memory_bytes, meminfo("MemTotal") * 1024, "memory");
	t_ok(h.thp.page_bytes > 0, "page size");
	test_free();
	test_pools();
	test_meaning();
	return t_done();
}
