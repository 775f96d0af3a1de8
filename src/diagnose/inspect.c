/* SPDX-License-Identifier: MIT */
/*
 * Why no huge pages here? A list of questions, asked in this order; the first that is answered by yes is the answer. What
 * cannot be changed comes first, then what the program said, then settings (thp_vma_allowable_orders() in the kernel's
 * mm/huge_memory.c), then what became of it.
 */
#include "src/diagnose/inspect.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/model/bill.h"

#include <math.h>
#include <string.h>

/* --- the questions ----------------------------------------------------------------------------------------------- */

struct asked {
	const struct model_inspect *doc;
	const struct sys_mapping *m;
};

static uint64_t huge_bytes(const struct asked *a)
{
	return a->doc->thp.huge_page_bytes;
}

static bool has(const struct asked *a, const char *flag)
{
	return sys_smaps_has_flag(a->m, flag);
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Memory that has a name in the kernel's own filesystem for it, or lies in a tmpfs where everybody has one. */
static bool is_shmem(const struct asked *a)
{
	static const char *const beginnings[] = {"/memfd:", "/dev/shm/", "/SYSV",
						 "/dev/zero (deleted)", "[anon_shmem"};

	for (size_t i = 0; i < ARRAY_LEN(beginnings); i++)
		if (begins(a->m->name, beginnings[i]))
			return true;
	return false;
}

static bool is_hugetlb(const struct asked *a)
{
	return has(a, "ht");
}

static bool is_huge(const struct asked *a)
{
	return 2 * a->m->huge_bytes >= a->m->rss_bytes && a->m->huge_bytes > 0;
}

static bool is_special(const struct asked *a)
{
	return has(a, "pf") || has(a, "io") || begins(a->m->name, "[v");
}

static bool is_small(const struct asked *a)
{
	return a->m->end - a->m->start < huge_bytes(a);
}

static bool is_unaligned(const struct asked *a)
{
	uint64_t first = (a->m->start + huge_bytes(a) - 1) / huge_bytes(a) * huge_bytes(a);

	return first + huge_bytes(a) > a->m->end;
}

static bool is_disabled(const struct asked *a)
{
	return a->doc->process.thp_disabled;
}

static bool is_refused(const struct asked *a)
{
	return has(a, "nh");
}

/* A page of a private file mapping that was written is anonymous, and the mapping is the file's all the same. */
static bool is_of_file(const struct asked *a)
{
	return a->m->name[0] == '/' && !is_shmem(a) && !a->m->thp_eligible;
}

static bool is_shmem_off(const struct asked *a)
{
	return is_shmem(a) && !a->m->thp_eligible;
}

static const char *mode(const struct asked *a)
{
	return sys_thp_mode(&a->doc->thp, huge_bytes(a));
}

static bool is_never(const struct asked *a)
{
	return !is_shmem(a) && strcmp(mode(a), "never") == 0;
}

static bool is_unasked(const struct asked *a)
{
	return !is_shmem(a) && strcmp(mode(a), "madvise") == 0 && !has(a, "hg");
}

static bool is_handled(const struct asked *a)
{
	return has(a, "um") || has(a, "uw") || has(a, "ui");
}

static bool is_untouched(const struct asked *a)
{
	return a->m->thp_eligible && a->m->rss_bytes == 0;
}

static bool is_partly(const struct asked *a)
{
	return a->m->huge_bytes > 0;
}

static bool came_small(const struct asked *a)
{
	return a->m->thp_eligible;
}

static const struct {
	enum model_no_huge answer;
	bool (*is_so)(const struct asked *a);
} questions[] = {
	{MODEL_HUGE_HUGETLB, is_hugetlb},     {MODEL_HUGE_ALL, is_huge},
	{MODEL_HUGE_SPECIAL, is_special},     {MODEL_HUGE_SMALL, is_small},
	{MODEL_HUGE_UNALIGNED, is_unaligned}, {MODEL_HUGE_PRCTL, is_disabled},
	{MODEL_HUGE_REFUSED, is_refused},     {MODEL_HUGE_FILE, is_of_file},
	{MODEL_HUGE_SHMEM, is_shmem_off},     {MODEL_HUGE_NEVER, is_never},
	{MODEL_HUGE_UNASKED, is_unasked},     {MODEL_HUGE_UFFD, is_handled},
	{MODEL_HUGE_UNTOUCHED, is_untouched}, {MODEL_HUGE_PARTLY, is_partly},
	{MODEL_HUGE_CAME_SMALL, came_small},
};

static enum model_no_huge answer(const struct model_inspect *doc, const struct sys_mapping *m)
{
	struct asked a = {doc, m};

	for (size_t i = 0; i < ARRAY_LEN(questions); i++)
		if (questions[i].is_so(&a))
			return questions[i].answer;
	return MODEL_HUGE_OTHER;
}

/* --- findings -------------------------------------------------------------------------------------------------------- */

static struct model_finding *add_finding(struct model_inspect *doc, const char *id)
{
	struct model_finding *f = &doc->findings[doc->n_findings++];

	*f = (struct model_finding){.severity = MODEL_SEVERITY_NOTE,
				    .time_ns = NAN,
				    .share_of_wall = NAN,
				    .site = MODEL_NO_ROW,
				    .saving_lo_ns = NAN,
				    .saving_hi_ns = NAN};
	text_copy(f->id, sizeof(f->id), id);
	return f;
}

/* As much resident in small pages as some huge ones, where they may be. */
static void find_small_pages(struct model_inspect *doc)
{
	enum { LEAST_HUGE_PAGES = 4 };
	const struct sys_mapping *most = NULL;
	uint64_t sum = 0;
	struct model_finding *f;

	for (size_t i = 0; i < doc->n_rows; i++) {
		const struct sys_mapping *m = &doc->rows[i].mapping;

		if (doc->rows[i].why != MODEL_HUGE_CAME_SMALL)
			continue;
		sum += m->rss_bytes;
		if (!most || m->rss_bytes > most->rss_bytes)
			most = m;
	}
	if (!most || sum < LEAST_HUGE_PAGES * doc->thp.huge_page_bytes)
		return;
	f = add_finding(doc, "thp-eligible-not-used");
	text_copy(f->culprit.mapping, sizeof(f->culprit.mapping),
		  most->name[0] ? most->name : "[anon]");
	text_make_harmless(f->culprit.mapping);
	text_append(f->evidence, sizeof(f->evidence),
		    "%s are resident in small pages where huge ones may be (THPeligible 1)",
		    units_bytes(sum).s);
	text_append(
		f->advice, sizeof(f->advice),
		"MADV_COLLAPSE on whole huge pages of it (Linux 6.1); else have it grow in aligned steps of %s, with "
		"MADV_HUGEPAGE before the first touch",
		units_bytes(doc->thp.huge_page_bytes).s);
}

/* Locked nearly as much as it may: the next call fails, or mmap where all of the future is locked. */
static void find_memlock_limit(struct model_inspect *doc)
{
	const struct model_process *p = &doc->process;
	struct model_finding *f;

	if (p->memlock_limit_bytes <= 0 || p->locked_bytes * 10 < p->memlock_limit_bytes * 9)
		return;
	f = add_finding(doc, "memlock-limit");
	f->severity = MODEL_SEVERITY_FAILED;
	text_append(f->evidence, sizeof(f->evidence),
		    "%s are locked of %s that RLIMIT_MEMLOCK allows",
		    units_bytes((uint64_t)p->locked_bytes).s,
		    units_bytes((uint64_t)p->memlock_limit_bytes).s);
	text_append(
		f->advice, sizeof(f->advice),
		"raise it (ulimit -l, LimitMEMLOCK= of its unit), or lock less: with mlockall(MCL_FUTURE) mmap, malloc and "
		"pthread_create fail beyond it");
}

void diagnose_inspect(struct model_inspect *doc)
{
	for (size_t i = 0; i < doc->n_rows; i++)
		doc->rows[i].why = answer(doc, &doc->rows[i].mapping);
	doc->n_findings = 0;
	find_memlock_limit(doc);
	find_small_pages(doc);
}
