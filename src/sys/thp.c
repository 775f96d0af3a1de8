/* SPDX-License-Identifier: MIT */
/* What transparent huge pages are set to, and what that means for a process's memory. */
#include "src/sys/thp.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/sys/file.h"
#include "src/sys/page.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define THP "/sys/kernel/mm/transparent_hugepage"

/* What prctl(PR_GET_THP_DISABLE) answers: 0, 1, or 1 | flags since Linux 6.18. Older headers have no
 * names for them. */
enum { GET_DISABLED = 1, GET_EXCEPT_ADVISED = 2 };

/* --- reading ---------------------------------------------------------------------------------- */

static void read_word(const char *path, char ret_word[SYS_THP_WORD])
{
	char text[128];

	if (sys_read_text(path, text, sizeof(text)) < 0)
		return;
	sys_bracketed(text, ret_word, SYS_THP_WORD);
	text_make_harmless(ret_word);
}

static int by_page_size(const void *a, const void *b)
{
	const struct sys_thp_size *x = a;
	const struct sys_thp_size *y = b;

	return (x->page_bytes > y->page_bytes) - (x->page_bytes < y->page_bytes);
}

static void read_sizes(struct sys_thp *thp)
{
	unsigned long kib;
	struct dirent *e;
	char path[512];
	DIR *dir;

	dir = opendir(THP);
	if (!dir)
		return;
	while (thp->n_sizes < SYS_MAX_THP_SIZES && (e = readdir(dir))) {
		struct sys_thp_size *s = &thp->sizes[thp->n_sizes];

		if (sscanf(e->d_name, "hugepages-%lukB", &kib) != 1)
			continue;
		s->page_bytes = (uint64_t)kib * 1024;
		(void)snprintf(path, sizeof(path), THP "/%s/enabled", e->d_name);
		read_word(path, s->enabled);
		(void)snprintf(path, sizeof(path), THP "/%s/shmem_enabled", e->d_name);
		read_word(path, s->shmem_enabled);
		thp->n_sizes++;
	}
	(void)closedir(dir);
	qsort(thp->sizes, thp->n_sizes, sizeof(thp->sizes[0]), by_page_size);
}

static void read_khugepaged(struct sys_khugepaged *k)
{
	uint64_t defrag = 0;

	if (sys_read_u64(THP "/khugepaged/defrag", &defrag) < 0 ||
	    sys_read_u64(THP "/khugepaged/pages_to_scan", &k->n_pages_to_scan) < 0 ||
	    sys_read_u64(THP "/khugepaged/scan_sleep_millisecs", &k->scan_sleep_ms) < 0 ||
	    sys_read_u64(THP "/khugepaged/max_ptes_none", &k->max_ptes_none) < 0)
		return;
	k->defrag = defrag != 0;
	k->is_told = true;
}

void sys_thp_probe(struct sys_thp *ret)
{
	int disabled = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);

	memset(ret, 0, sizeof(*ret));
	ret->is_untold = !sys_huge_pages_are_told();
	ret->page_bytes = sys_page_bytes();
	ret->huge_page_bytes = sys_huge_page_bytes();
	read_word(THP "/enabled", ret->enabled);
	read_word(THP "/defrag", ret->defrag);
	read_word(THP "/shmem_enabled", ret->shmem_enabled);
	read_sizes(ret);
	read_khugepaged(&ret->khugepaged);
	if (disabled > 0 && (disabled & GET_EXCEPT_ADVISED))
		ret->disabled = SYS_THP_DISABLED_NOT_ADVISED;
	else if (disabled > 0)
		ret->disabled = SYS_THP_DISABLED;
}

/* --- what is in force ---------------------------------------------------------------------------- */

static const struct sys_thp_size *find_size(const struct sys_thp *thp, uint64_t page_bytes)
{
	for (size_t i = 0; i < thp->n_sizes; i++)
		if (thp->sizes[i].page_bytes == page_bytes)
			return &thp->sizes[i];
	return NULL;
}

/* Whether a size has a setting of its own, in place of the one for all. */
static bool is_own(const char *word)
{
	return *word && strcmp(word, "inherit") != 0;
}

const char *sys_thp_mode(const struct sys_thp *thp, uint64_t page_bytes)
{
	const struct sys_thp_size *s = find_size(thp, page_bytes);

	if (s && is_own(s->enabled))
		return s->enabled;
	if ((s && *s->enabled) || (thp->n_sizes == 0 && page_bytes == thp->huge_page_bytes))
		return thp->enabled;
	return "never";
}

/* What enabled means: who gets larger pages, and why the others do not. */
static const struct mode_row {
	const char *word;
	bool gets[2];       /* by enum sys_thp_memory */
	const char *why[2]; /* where not */
} modes[] = {
	{"always", {true, true}, {"", ""}},
	{"madvise",
	 {false, true},
	 {"and malloc does not ask for them; GLIBC_TUNABLES=glibc.malloc.hugetlb=1 makes glibc ask",
	  ""}},
	{"never",
	 {false, false},
	 {"and malloc's memory gets none", "and the advice is taken and not followed"}},
};

static const struct mode_row *find_mode(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		if (strcmp(modes[i].word, word) == 0)
			return &modes[i];
	return NULL;
}

static bool gets(const struct sys_thp *thp, uint64_t page_bytes, enum sys_thp_memory memory)
{
	const struct mode_row *mode = find_mode(sys_thp_mode(thp, page_bytes));

	return mode && mode->gets[memory];
}

/* "2 MiB or 64 KiB": the sizes that such memory gets, largest first as the kernel tries them. */
static void list_sizes(const struct sys_thp *thp, enum sys_thp_memory memory, char *ret_text,
		       size_t size)
{
	*ret_text = 0;
	if (thp->n_sizes == 0 && gets(thp, thp->huge_page_bytes, memory))
		text_append(ret_text, size, "%s", units_bytes(thp->huge_page_bytes).s);
	for (size_t i = thp->n_sizes; i > 0; i--)
		if (gets(thp, thp->sizes[i - 1].page_bytes, memory))
			text_append(ret_text, size, "%s%s", *ret_text ? " or " : "",
				    units_bytes(thp->sizes[i - 1].page_bytes).s);
}

/* --- the first touch ----------------------------------------------------------------------------- */

/* What a fault does that finds no free page of the size. */
enum none_free { FALLS_BACK, WAKES, STALLS };

static const struct {
	bool may_stall;
	const char *text;
} none_free[] = {
	[FALLS_BACK] = {false, "takes smaller pages at once: no stall"},
	[WAKES] = {false, "takes smaller pages at once and wakes kswapd and kcompactd, so that "
			  "khugepaged can mend it later: no stall"},
	[STALLS] = {true, "reclaims and compacts memory before it goes on: it may stall"},
};

static const struct {
	const char *word;
	enum none_free does[2]; /* by enum sys_thp_memory */
} defrags[] = {
	{"always", {STALLS, STALLS}},        {"defer", {WAKES, WAKES}},
	{"defer+madvise", {WAKES, STALLS}},  {"madvise", {FALLS_BACK, STALLS}},
	{"never", {FALLS_BACK, FALLS_BACK}},
};

static void say_none_free(const struct sys_thp *thp, enum sys_thp_memory memory,
			  struct sys_thp_meaning *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(defrags); i++) {
		if (strcmp(defrags[i].word, thp->defrag) != 0)
			continue;
		ret->may_stall = none_free[defrags[i].does[memory]].may_stall;
		text_append(ret->text, sizeof(ret->text),
			    "; a fault that finds none free %s (defrag %s)",
			    none_free[defrags[i].does[memory]].text, thp->defrag);
		return;
	}
	ret->may_stall = true; /* not known not to */
	text_append(ret->text, sizeof(ret->text),
		    "; what a fault does that finds none free is not known (defrag %s)",
		    *thp->defrag ? thp->defrag : "untold");
}

static bool is_disabled(const struct sys_thp *thp, enum sys_thp_memory memory)
{
	return thp->disabled == SYS_THP_DISABLED ||
	       (thp->disabled == SYS_THP_DISABLED_NOT_ADVISED && memory == SYS_THP_MALLOC);
}

/* The setting keeps huge pages from such memory: why, and for advised memory what would help. */
static void say_setting(const struct sys_thp *thp, enum sys_thp_memory memory,
			struct sys_thp_meaning *ret)
{
	const struct sys_thp_size *s = find_size(thp, thp->huge_page_bytes);
	const char *word = sys_thp_mode(thp, thp->huge_page_bytes);
	const struct mode_row *mode = find_mode(word);

	text_append(ret->text, sizeof(ret->text), "those of %s are set to '%s', %s",
		    units_bytes(thp->huge_page_bytes).s, word,
		    mode ? mode->why[memory] : "which is not known here");
	if (memory != SYS_THP_ADVISED)
		return;
	text_append(ret->text, sizeof(ret->text), "; as root: echo madvise > " THP);
	if (s && is_own(s->enabled))
		text_append(ret->text, sizeof(ret->text), "/hugepages-%" PRIu64 "kB",
			    s->page_bytes / 1024);
	text_append(ret->text, sizeof(ret->text), "/enabled");
}

/* Why such memory has base pages only: by the build, by prctl, by the setting. */
static void say_base_pages(const struct sys_thp *thp, enum sys_thp_memory memory,
			   struct sys_thp_meaning *ret)
{
	if (thp->is_untold) {
		text_append(ret->text, sizeof(ret->text), "not known: " SYS_UNTOLD);
		return;
	}
	text_append(ret->text, sizeof(ret->text), "pages of %s: ", units_bytes(thp->page_bytes).s);
	if (!*thp->enabled || thp->huge_page_bytes == 0)
		text_append(ret->text, sizeof(ret->text),
			    "this kernel has no transparent huge pages");
	else if (is_disabled(thp, memory))
		text_append(ret->text, sizeof(ret->text),
			    "larger ones are switched off for this process by "
			    "prctl(PR_SET_THP_DISABLE)%s; start it from another parent",
			    thp->disabled == SYS_THP_DISABLED ? ""
							      : ", save where MADV_HUGEPAGE asks");
	else
		say_setting(thp, memory, ret);
}

void sys_thp_meaning(const struct sys_thp *thp, enum sys_thp_memory memory,
		     struct sys_thp_meaning *ret)
{
	char sizes[200] = "";

	*ret = (struct sys_thp_meaning){.may_stall = false};
	if (*thp->enabled && thp->huge_page_bytes && !is_disabled(thp, memory))
		list_sizes(thp, memory, sizes, sizeof(sizes));
	ret->larger_pages = *sizes != 0;
	if (!ret->larger_pages) {
		say_base_pages(thp, memory, ret);
		return;
	}
	text_append(ret->text, sizeof(ret->text),
		    "pages of %s at the first touch, where a whole one fits", sizes);
	say_none_free(thp, memory, ret);
}

/* --- shared memory, khugepaged, smaller sizes ------------------------------------------------------ */

static const struct {
	const char *word;
	bool overrides; /* the settings of single sizes */
	const char *before, *behind;
} shmems[] = {
	{"always", false, "pages of", "wherever one fits"},
	{"within_size", false, "pages of",
	 "where one lies within the file's size, or MADV_HUGEPAGE asks"},
	{"advise", false, "pages of", "where MADV_HUGEPAGE asks"},
	{"never", false, "no pages of", "save on a tmpfs that is mounted with huge="},
	{"deny", true, "no pages of", "whatever a tmpfs is mounted with"},
	{"force", true, "pages of", "everywhere, whatever a tmpfs is mounted with"},
};

void sys_thp_shmem_meaning(const struct sys_thp *thp, char *ret_text, size_t size)
{
	const struct sys_thp_size *s = find_size(thp, thp->huge_page_bytes);
	const char *word = thp->shmem_enabled;

	for (size_t i = 0; i < ARRAY_LEN(shmems); i++)
		if (shmems[i].overrides && strcmp(shmems[i].word, word) == 0)
			s = NULL;
	if (s && is_own(s->shmem_enabled))
		word = s->shmem_enabled;
	*ret_text = 0;
	for (size_t i = 0; i < ARRAY_LEN(shmems); i++)
		if (strcmp(shmems[i].word, word) == 0)
			text_append(ret_text, size, "%s %s, %s (shmem_enabled %s)",
				    shmems[i].before, units_bytes(thp->huge_page_bytes).s,
				    shmems[i].behind, word);
	if (!*ret_text)
		text_append(ret_text, size, "not known (shmem_enabled %s)",
			    *word ? word : "untold");
}

static const char *const compacts[] = {
	"taking a huge page only where one is free (defrag 0)",
	"compacting memory for it where none is free (defrag 1)",
};

void sys_thp_khugepaged_meaning(const struct sys_thp *thp, char *ret_text, size_t size)
{
	const struct sys_khugepaged *k = &thp->khugepaged;
	bool all = gets(thp, thp->huge_page_bytes, SYS_THP_MALLOC);

	*ret_text = 0;
	if (!k->is_told) {
		text_append(ret_text, size, "not known");
		return;
	}
	if (!all && !gets(thp, thp->huge_page_bytes, SYS_THP_ADVISED)) {
		text_append(ret_text, size,
			    "leaves anonymous memory alone: pages of %s are set to '%s'",
			    units_bytes(thp->huge_page_bytes).s,
			    sys_thp_mode(thp, thp->huge_page_bytes));
		return;
	}
	text_append(ret_text, size,
		    "turns base pages of %s into huge ones later, in the background: ",
		    all ? "any memory" : "memory with MADV_HUGEPAGE");
	text_append(ret_text, size, "looks at %s",
		    units_bytes(k->n_pages_to_scan * thp->page_bytes).s);
	if (k->scan_sleep_ms)
		text_append(ret_text, size, " after each pause of %s",
			    units_duration(k->scan_sleep_ms * 1000000).s);
	text_append(ret_text, size,
		    ", %s; of a huge page's pages up to %" PRIu64
		    " may be untouched, and take memory from then on (max_ptes_none)",
		    compacts[k->defrag], k->max_ptes_none);
}

void sys_thp_smaller_sizes(const struct sys_thp *thp, char *ret_text, size_t size)
{
	*ret_text = 0;
	for (size_t i = 0; i < thp->n_sizes; i++) {
		uint64_t bytes = thp->sizes[i].page_bytes;

		if (bytes != thp->huge_page_bytes && gets(thp, bytes, SYS_THP_ADVISED))
			text_append(ret_text, size, "%s%s %s", *ret_text ? ", " : "",
				    units_bytes(bytes).s, sys_thp_mode(thp, bytes));
	}
	if (!*ret_text)
		text_append(ret_text, size, "none");
}
