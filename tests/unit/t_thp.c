/* SPDX-License-Identifier: MIT */
/* What the settings of transparent huge pages mean: each value, each mixture that differs. */
#include "src/base/array.h"
#include "src/base/text.h"
#include "src/sys/thp.h"
#include "tests/tap.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

/* A kernel before 6.8 with its usual settings, but for two. */
static struct sys_thp settings(const char *enabled, const char *defrag)
{
	struct sys_thp t = {
		.page_bytes = 4 * KIB,
		.huge_page_bytes = 2 * MIB,
		.shmem_enabled = "never",
		.khugepaged = {true, true, 4096, 10000, 511},
	};

	text_copy(t.enabled, sizeof(t.enabled), enabled);
	text_copy(t.defrag, sizeof(t.defrag), defrag);
	return t;
}

/* One size with settings of its own. */
static void add_size(struct sys_thp *t, uint64_t bytes, const char *enabled)
{
	struct sys_thp_size *s = &t->sizes[t->n_sizes++];

	s->page_bytes = bytes;
	text_copy(s->enabled, sizeof(s->enabled), enabled);
	text_copy(s->shmem_enabled, sizeof(s->shmem_enabled), "inherit");
}

static struct sys_thp_meaning meaning(const struct sys_thp *t, enum sys_thp_memory memory)
{
	struct sys_thp_meaning m;

	sys_thp_meaning(t, memory, &m);
	return m;
}

/* Each mode with each defrag: whether there are larger pages, and whether a fault may stall. */
static void test_all(void)
{
	static const struct {
		const char *enabled, *defrag;
		bool larger[2], stall[2];
	} rows[] = {
		{"always", "always", {true, true}, {true, true}},
		{"always", "defer", {true, true}, {false, false}},
		{"always", "defer+madvise", {true, true}, {false, true}},
		{"always", "madvise", {true, true}, {false, true}},
		{"always", "never", {true, true}, {false, false}},
		{"madvise", "always", {false, true}, {false, true}},
		{"madvise", "defer", {false, true}, {false, false}},
		{"madvise", "defer+madvise", {false, true}, {false, true}},
		{"madvise", "madvise", {false, true}, {false, true}},
		{"madvise", "never", {false, true}, {false, false}},
		{"never", "always", {false, false}, {false, false}},
		{"never", "madvise", {false, false}, {false, false}},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct sys_thp t = settings(rows[i].enabled, rows[i].defrag);

		for (int memory = 0; memory < 2; memory++) {
			struct sys_thp_meaning m = meaning(&t, (enum sys_thp_memory)memory);

			t_ok(m.larger_pages == rows[i].larger[memory] &&
				     m.may_stall == rows[i].stall[memory],
			     "enabled %s, defrag %s, %s: %s", rows[i].enabled, rows[i].defrag,
			     memory == SYS_THP_MALLOC ? "malloc" : "advised", m.text);
			t_ok(!m.larger_pages || !!strstr(m.text, "may stall") == m.may_stall,
			     "and the sentence says so");
			t_contains(m.text, m.larger_pages ? "pages of 2 MiB at" : "pages of 4 KiB:",
				   "with the page's size");
		}
	}
}

static void test_sentences(void)
{
	struct sys_thp t = settings("madvise", "defer+madvise");

	t_is_str(
		meaning(&t, SYS_THP_ADVISED).text,
		"pages of 2 MiB at the first touch, where a whole one fits; a fault that finds none "
		"free reclaims and compacts memory before it goes on: it may stall (defrag "
		"defer+madvise)",
		"advised memory");
	t_is_str(meaning(&t, SYS_THP_MALLOC).text,
		 "pages of 4 KiB: those of 2 MiB are set to 'madvise', and malloc does not ask for "
		 "them; GLIBC_TUNABLES=glibc.malloc.hugetlb=1 makes glibc ask",
		 "malloc'ed memory");
	t = settings("never", "madvise");
	t_is_str(
		meaning(&t, SYS_THP_ADVISED).text,
		"pages of 4 KiB: those of 2 MiB are set to 'never', and the advice is taken and not "
		"followed; as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
		"never, with the line that helps");
}

static void test_sizes(void)
{
	struct sys_thp t = settings("madvise", "madvise");
	char text[200];

	add_size(&t, 16 * KIB, "inherit");
	add_size(&t, 64 * KIB, "always");
	add_size(&t, 128 * KIB, "never");
	add_size(&t, 2 * MIB, "inherit");
	t_contains(meaning(&t, SYS_THP_MALLOC).text, "pages of 64 KiB at", "only one is for all");
	t_contains(meaning(&t, SYS_THP_ADVISED).text, "pages of 2 MiB or 64 KiB or 16 KiB at",
		   "three are for those who ask, largest first");
	sys_thp_smaller_sizes(&t, text, sizeof(text));
	t_is_str(text, "16 KiB madvise, 64 KiB always", "the sizes between");
	t_is_str(sys_thp_mode(&t, 2 * MIB), "madvise", "inherited");
	t_is_str(sys_thp_mode(&t, 128 * KIB), "never", "its own");
	t_is_str(sys_thp_mode(&t, 32 * KIB), "never", "no such size");
	t = settings("always", "madvise");
	add_size(&t, 2 * MIB, "never");
	t_contains(meaning(&t, SYS_THP_MALLOC).text, "set to 'never'",
		   "the setting of the size goes before the one for all");
	t_contains(meaning(&t, SYS_THP_ADVISED).text,
		   "echo madvise > /sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled",
		   "and its own file is named");
	sys_thp_smaller_sizes(&t, text, sizeof(text));
	t_is_str(text, "none", "no sizes between");
}

static void test_disabled(void)
{
	struct sys_thp t = settings("always", "never");

	t.disabled = SYS_THP_DISABLED;
	t_contains(meaning(&t, SYS_THP_MALLOC).text, "PR_SET_THP_DISABLE", "switched off: malloc");
	t_contains(meaning(&t, SYS_THP_ADVISED).text, "PR_SET_THP_DISABLE", "... advised");
	t_ok(!meaning(&t, SYS_THP_ADVISED).larger_pages, "no larger pages then");
	t.disabled = SYS_THP_DISABLED_NOT_ADVISED;
	t_contains(meaning(&t, SYS_THP_MALLOC).text, "save where MADV_HUGEPAGE asks",
		   "switched off save where advised");
	t_ok(meaning(&t, SYS_THP_ADVISED).larger_pages, "advised memory has them");
	t = settings("never", "never");
	t.disabled = SYS_THP_DISABLED_NOT_ADVISED;
	t_contains(meaning(&t, SYS_THP_ADVISED).text, "set to 'never'",
		   "unless the setting forbids");
}

static void test_unknown(void)
{
	struct sys_thp t = settings("", "");
	char text[300];

	t_contains(meaning(&t, SYS_THP_ADVISED).text, "no transparent huge pages", "not built in");
	t.is_untold = true;
	t_is_str(meaning(&t, SYS_THP_ADVISED).text, "not known: /sys/kernel/mm is not there",
		 "an empty /sys is no kernel without them");
	t = settings("sometimes", "madvise");
	t_contains(meaning(&t, SYS_THP_ADVISED).text, "'sometimes', which is not known",
		   "a word of a later kernel");
	t = settings("always", "perhaps");
	t_contains(meaning(&t, SYS_THP_MALLOC).text, "not known (defrag perhaps)",
		   "in defrag, too");
	t_ok(meaning(&t, SYS_THP_MALLOC).may_stall, "which may stall, for all we know");
	t = settings("always", "madvise");
	t.huge_page_bytes = 0;
	t_ok(!meaning(&t, SYS_THP_MALLOC).larger_pages, "no huge page size");
	t.khugepaged.is_told = false;
	sys_thp_khugepaged_meaning(&t, text, sizeof(text));
	t_is_str(text, "not known", "khugepaged's settings not told");
}

static void test_khugepaged(void)
{
	struct sys_thp t = settings("madvise", "madvise");
	char text[400];

	sys_thp_khugepaged_meaning(&t, text, sizeof(text));
	t_is_str(
		text,
		"turns base pages of memory with MADV_HUGEPAGE into huge ones later, in the "
		"background: looks at 16 MiB after each pause of 10 s, compacting memory for it "
		"where none is free (defrag 1); of a huge page's pages up to 511 may be untouched, "
		"and take memory from then on (max_ptes_none)",
		"khugepaged under madvise");
	t = settings("always", "madvise");
	t.khugepaged = (struct sys_khugepaged){true, false, 4096, 0, 0};
	sys_thp_khugepaged_meaning(&t, text, sizeof(text));
	t_contains(text, "of any memory", "under always");
	t_contains(text, "looks at 16 MiB, taking a huge page only where one is free (defrag 0)",
		   "without a pause, without compaction");
	t = settings("never", "madvise");
	sys_thp_khugepaged_meaning(&t, text, sizeof(text));
	t_contains(text, "leaves anonymous memory alone", "under never");
}

static void test_shmem(void)
{
	static const char *const rows[][2] = {
		{"always", "pages of 2 MiB, wherever one fits (shmem_enabled always)"},
		{"within_size", "pages of 2 MiB, where one lies within the file's size, or "
				"MADV_HUGEPAGE asks (shmem_enabled within_size)"},
		{"advise", "pages of 2 MiB, where MADV_HUGEPAGE asks (shmem_enabled advise)"},
		{"never", "no pages of 2 MiB, save on a tmpfs that is mounted with huge= "
			  "(shmem_enabled never)"},
		{"deny",
		 "no pages of 2 MiB, whatever a tmpfs is mounted with (shmem_enabled deny)"},
		{"force", "pages of 2 MiB, everywhere, whatever a tmpfs is mounted with "
			  "(shmem_enabled force)"},
		{"", "not known (shmem_enabled untold)"},
	};
	struct sys_thp t = settings("madvise", "madvise");
	char text[300];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		text_copy(t.shmem_enabled, sizeof(t.shmem_enabled), rows[i][0]);
		sys_thp_shmem_meaning(&t, text, sizeof(text));
		t_is_str(text, rows[i][1], "shmem_enabled %s", rows[i][0]);
	}
	text_copy(t.shmem_enabled, sizeof(t.shmem_enabled), "never");
	add_size(&t, 2 * MIB, "inherit");
	text_copy(t.sizes[0].shmem_enabled, sizeof(t.sizes[0].shmem_enabled), "advise");
	sys_thp_shmem_meaning(&t, text, sizeof(text));
	t_contains(text, "(shmem_enabled advise)", "the size's own setting");
	text_copy(t.shmem_enabled, sizeof(t.shmem_enabled), "deny");
	sys_thp_shmem_meaning(&t, text, sizeof(text));
	t_contains(text, "(shmem_enabled deny)", "which deny overrides");
}

/* However many sizes there are, sentences end within their room. */
static void test_room(void)
{
	struct sys_thp t = settings("always", "defer");
	struct sys_thp_meaning m;
	char text[20];

	for (unsigned i = 0; i < SYS_MAX_THP_SIZES; i++)
		add_size(&t, (1000 * KIB + 1) << i, "always");
	m = meaning(&t, SYS_THP_MALLOC);
	t_ok(strlen(m.text) < sizeof(m.text) && m.larger_pages, "a long sentence is cut");
	sys_thp_smaller_sizes(&t, text, sizeof(text));
	t_is_u64(strlen(text), sizeof(text) - 1, "a list without room, too");
}

int main(void)
{
	test_all();
	test_sentences();
	test_sizes();
	test_disabled();
	test_unknown();
	test_khugepaged();
	test_shmem();
	test_room();
	return t_done();
}
