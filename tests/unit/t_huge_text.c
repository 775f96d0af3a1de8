/* SPDX-License-Identifier: MIT */
/* The section on huge pages, of made-up machines: its sentences, its folding, its JSON. */
#include "src/base/json_write.h"
#include "src/base/text.h"
#include "src/base/why.h"
#include "src/report/huge_pages.h"
#include "tests/tap.h"

#include <jansson.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

static struct sys_huge_pages h;
static char text[REPORT_SENTENCE];

/* A machine of 32 GiB with 4 KiB pages, 2 MiB huge pages, and that much free memory. */
static void begin(const char *buddyinfo)
{
	memset(&h, 0, sizeof(h));
	h.memory_bytes = 32 * GIB;
	h.can_compact = true;
	h.knows_free = sys_buddy_parse(buddyinfo, &h.buddy, &h.no_buddy) == 0;
	h.thp.page_bytes = 4 * KIB;
	h.thp.huge_page_bytes = 2 * MIB;
	text_copy(h.thp.enabled, sizeof(h.thp.enabled), "always");
	text_copy(h.thp.defrag, sizeof(h.thp.defrag), "madvise");
	text_copy(h.thp.shmem_enabled, sizeof(h.thp.shmem_enabled), "never");
	h.thp.khugepaged = (struct sys_khugepaged){true, true, 4096, 10000, 511};
}

static const char usual[] = "Node 0, zone Normal 0 0 0 0 0 0 0 0 1024 1024 4864\n";

static void add_pool(uint64_t page_bytes, uint64_t total, uint64_t available)
{
	h.pools[h.n_pools++] = (struct sys_hugetlb_pool){
		.page_bytes = page_bytes,
		.total = total,
		.available = available,
	};
}

static void test_free(void)
{
	begin(usual);
	report_free_memory(&h, text);
	t_is_str(
		text,
		"22 GiB free; up to 10,752 huge pages of 2 MiB can be had at once; 5 % of free memory "
		"lies in smaller pieces: not fragmented",
		"not fragmented, and no advice");
	begin("Node 0, zone Normal 0 0 0 0 0 0 0 0 1024 384 0\n");
	report_free_memory(&h, text);
	t_contains(text, "1.8 GiB free; up to 384 huge pages", "the sum");
	t_contains(text, "57 % of free memory lies in smaller pieces: partly fragmented",
		   "partly fragmented");
	t_contains(text, "a fault takes smaller pages or compacts memory first, as thp_defrag says",
		   "what happens");
	t_contains(text, "as root: echo 1 > /proc/sys/vm/compact_memory", "what would help");
	begin("Node 0, zone Normal 1048576 0 0 0 0 0 0 0 0 1 0\n");
	report_free_memory(&h, text);
	t_contains(text, "up to 1 huge page of 2 MiB", "one is no plural");
	t_contains(text, "100 % of free memory lies in smaller pieces: fragmented", "fragmented");
	t_ok(!strstr(text, "Little is free"), "though much is free");
	h.can_compact = false;
	report_free_memory(&h, text);
	t_ok(!strstr(text, "compact_memory") && strstr(text, "cannot compact"),
	     "no line that this kernel has not");
}

static void test_free_odd(void)
{
	begin("Node 0, zone Normal 100 0 0 0 0 0 0 0 0 0 0\n");
	report_free_memory(&h, text);
	t_contains(text, "Little is free at all", "too little to judge by");
	begin("Node 0, zone Normal 0 0 0\n");
	report_free_memory(&h, text);
	t_is_str(text, "0 B free", "nothing free");
	begin("Node 0, zone Normal 1 0 0\nbroken\n");
	report_free_memory(&h, text);
	t_contains(text, "1 lines of /proc/buddyinfo were not understood", "odd lines are told");
	begin("");
	report_free_memory(&h, text);
	t_is_str(text, "not known: /proc/buddyinfo has no line of a zone", "no free memory told");
	begin(usual);
	h.thp.huge_page_bytes = 0;
	report_free_memory(&h, text);
	t_is_str(text, "22 GiB free", "a kernel without huge pages");
}

static void test_pools(void)
{
	begin(usual);
	add_pool(2 * MIB, 0, 0);
	add_pool(GIB, 0, 0);
	report_pool(&h, &h.pools[0], text);
	t_is_str(text,
		 "empty; to take 32 MiB (16 pages) from free memory for it, as root: echo 16 > "
		 "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
		 "an empty pool, with the line that fills it");
	report_pool(&h, &h.pools[1], text);
	t_contains(text,
		   "(1 page) from free memory for it, as root: echo 1 > "
		   "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages",
		   "an empty pool of gigantic pages");
	t_contains(text, "only at boot, by hugepagesz=1G hugepages=1", "which may need a boot");
	h.pools[0].overcommit = 2000;
	report_pool(&h, &h.pools[0], text);
	t_contains(text, "empty, but up to 2,000 pages (3.9 GiB) may be taken on demand",
		   "an empty pool with overcommit");
	h.pools[0] = (struct sys_hugetlb_pool){2 * MIB, 1024, 1000, 8, 3, 5};
	report_pool(&h, &h.pools[0], text);
	t_is_str(text,
		 "1,024 pages, 2 GiB that nothing else can use: 1,000 available, 8 reserved, 3 "
		 "surplus, overcommit 5",
		 "a pool with pages");
}

/* Gigantic is what the buddy allocator has no block for, as 32 MiB on arm64: here beyond 4 MiB. */
static void test_gigantic(void)
{
	begin(usual);
	add_pool(64 * KIB, 0, 0);
	add_pool(4 * MIB, 0, 0);
	add_pool(8 * MIB, 0, 0);
	report_pool(&h, &h.pools[0], text);
	t_ok(!strstr(text, "boot"), "64 KiB are not");
	report_pool(&h, &h.pools[1], text);
	t_ok(!strstr(text, "boot"), "nor is the largest block itself");
	report_pool(&h, &h.pools[2], text);
	t_contains(text, "hugepagesz=8M hugepages=1", "what is larger is");
	h.knows_free = false;
	report_pool(&h, &h.pools[1], text);
	t_contains(text, "hugepagesz=4M", "without buddyinfo: what is larger than a huge page");
}

static void test_warning(void)
{
	begin(usual);
	report_pools_warning(&h, text);
	t_is_str(text, "", "no pools, no warning");
	add_pool(2 * MIB, 8 * 1024, 8 * 1024);
	report_pools_warning(&h, text);
	t_is_str(text, "", "half of memory is no warning");
	h.pools[0].total++;
	report_pools_warning(&h, text);
	t_contains(text, "pools hold 16.0 GiB of 32 GiB, more than half of memory", "more is one");
	t_contains(text,
		   "to give back the 16 GiB that are idle, as root: echo 1 > "
		   "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
		   "with the line that gives back what is idle");
	add_pool(GIB, 18, 17);
	report_pools_warning(&h, text);
	t_contains(text, "pools hold 34.0 GiB", "all pools together");
	t_contains(text, "echo 1 > /sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages",
		   "the pool that has most to give");
	h.pools[0].available = h.pools[1].available = 0;
	report_pools_warning(&h, text);
	t_contains(text, "; all of it is in use", "nothing to give");
	h.memory_bytes = 0;
	report_pools_warning(&h, text);
	t_is_str(text, "", "memory not known");
}

/* Prints into a text that the caller frees. */
static char *printed(size_t width)
{
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	if (!out)
		abort();
	report_huge_pages(&h, out, width);
	(void)fclose(out);
	return got;
}

static void test_text(void)
{
	size_t longest = 0, n_lines = 0;
	char *got, *line, *rest;

	begin(usual);
	add_pool(2 * MIB, 0, 0);
	got = printed(60);
	for (line = strtok_r(got, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		n_lines++;
		/* a path has no place to be folded at */
		if (strlen(line) > longest && !strstr(line, "/sys/") && !strstr(line, "GLIBC"))
			longest = strlen(line);
		t_ok(strncmp(line, "  ", 2) == 0, "indented: %s", line);
	}
	t_ok(n_lines > 10 && longest <= 60, "%zu lines of at most %zu columns", n_lines, longest);
	free(got);
	got = printed(0);
	t_contains(got, "\n    node 0 Normal 22 GiB free, 10,752 huge pages, 5 % in smaller",
		   "a line for the zone");
	t_contains(got, "\n  pool of 2 MiB   empty;", "a line for the pool");
	t_contains(got, "\n  malloc          pages of 2 MiB at", "a line for malloc");
	t_contains(got, "\n  MADV_HUGEPAGE   pages of 2 MiB at", "one for advised memory");
	t_contains(got, "\n  mTHP sizes      none\n", "and the smaller sizes");
	free(got);
	begin("Node 0, zone \033[2J 1 0\n");
	*h.thp.enabled = 0;
	got = printed(80);
	t_ok(!strchr(got, 27), "nothing for the terminal");
	t_contains(got, "none: this kernel has no hugetlb", "no pools");
	t_ok(!strstr(got, "khugepaged"), "no settings where there is no THP");
	free(got);
	h.thp.is_untold = true;
	got = printed(80);
	t_contains(got, "pools           not known: /sys/kernel/mm is not there", "an empty /sys");
	free(got);
}

static void test_many_zones(void)
{
	static char many[100 * 40];
	size_t used = 0;
	char *got;

	for (unsigned n = 0; n < 100; n++)
		used += (size_t)snprintf(many + used, sizeof(many) - used,
					 "Node %u, zone Normal 1 1\n", n);
	begin(many);
	got = printed(80);
	t_contains(got, "other zones", "zones beyond the list");
	t_contains(got, " 36 more, in the sum above", "are counted");
	free(got);
}

static json_t *as_json(void)
{
	struct json_writer w;
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);
	json_t *root;

	if (!out)
		abort();
	json_put_start(&w, out);
	json_put_object(&w, NULL);
	report_huge_pages_json(&h, &w);
	json_put_end_object(&w);
	json_put_finish(&w);
	(void)fclose(out);
	root = json_loads(got, 0, NULL);
	free(got);
	return root;
}

static void test_json(void)
{
	json_int_t n = 0, n_free = 0, total = 0;
	const char *level = "", *malloc_text = "", *disabled = "";
	json_t *root, *zones, *blocks, *warning;
	double share = 0;

	begin(usual);
	add_pool(2 * MIB, 9, 9);
	root = as_json();
	t_ok(json_unpack(root, "{s{s{s:I,s:I,s:F,s:s,s:o},s[{s:I}],s:o}}", "huge_pages",
			 "fragmentation", "free_bytes", &n_free, "huge_pages_at_once", &n,
			 "unusable_share", &share, "level", &level, "zones", &zones, "pools",
			 "total", &total, "pools_warning", &warning) == 0,
	     "fragmentation and pools");
	t_is_u64((uint64_t)n_free, 22 * GIB, "free bytes");
	t_is_u64((uint64_t)n, 10752, "huge pages");
	t_is_double(share, 1.0 / 22, 1e-9, "unusable share");
	t_is_str(level, "not fragmented", "its level");
	t_is_u64((uint64_t)total, 9, "pages of the pool");
	t_ok(json_is_null(warning), "no warning");
	blocks = json_object_get(json_array_get(zones, 0), "free_blocks");
	t_is_u64(json_array_size(blocks), 11, "blocks by order");
	t_ok(json_unpack(root, "{s{s{s:s,s{s{s:s}}}}}", "huge_pages", "thp", "disabled_for_process",
			 &disabled, "meaning", "malloc", "text", &malloc_text) == 0,
	     "settings and their meaning");
	t_contains(malloc_text, "pages of 2 MiB", "for malloc");
	t_is_str(disabled, "no", "not switched off");
	json_decref(root);
	begin("");
	*h.thp.enabled = *h.thp.defrag = 0;
	h.thp.khugepaged.is_told = false;
	root = as_json();
	t_ok(json_is_null(json_object_get(json_object_get(root, "huge_pages"), "fragmentation")),
	     "no free memory told: null");
	t_ok(json_unpack(root, "{s{s:s,s{s:n,s:n}}}", "huge_pages", "no_fragmentation", &level,
			 "thp", "enabled", "khugepaged") == 0,
	     "with a reason; no THP: null");
	json_decref(root);
}

int main(void)
{
	test_free();
	test_free_odd();
	test_pools();
	test_gigantic();
	test_warning();
	test_text();
	test_many_zones();
	test_json();
	return t_done();
}
