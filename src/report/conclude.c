/* SPDX-License-Identifier: MIT */
/* What follows from the prices: up to two sentences, each from numbers in the document. */
#include "src/report/report.h"

#include "src/base/array.h"
#include "src/base/option.h"
#include "src/base/units.h"
#include "src/model/figure.h"

#include <math.h>
#include <string.h>

/* A priced row, or NULL: nothing is concluded from what is invalid or missing. */
static const struct model_scenario *priced(const struct model_bench *doc, const char *name)
{
	const struct model_scenario *s = model_bench_find(doc, name);

	return s && s->verdict != MODEL_INVALID && s->ns_per_page.median > 0 ? s : NULL;
}

typedef bool sentence(const struct model_bench *doc, char *ret, size_t size);

static bool prefaulting(const struct model_bench *doc, char *ret, size_t size)
{
	const struct model_scenario *cold = priced(doc, "anon_write");
	const struct model_scenario *ready = priced(doc, "anon_prefaulted");
	double saved;

	if (!cold || !ready)
		return false;
	saved = 100 * (1 - ready->ns_per_page.median / cold->ns_per_page.median);
	(void)snprintf(
		ret, size,
		"A first write costs %s ns a page here; prefaulting ahead of time saves %.1f %% of "
		"that at the moment of use, it does not make it vanish.",
		units_ns(cold->ns_per_page.median).s, saved);
	return true;
}

static bool huge_pages(const struct model_bench *doc, char *ret, size_t size)
{
	const struct model_scenario *cold = priced(doc, "anon_write");
	const struct model_scenario *huge = priced(doc, "anon_thp");
	double ratio;

	if (!cold || !huge || huge->ns_per_fault.n == 0)
		return false;
	ratio = cold->ns_per_page.median / huge->ns_per_page.median;
	(void)snprintf(
		ret, size,
		"Huge pages make a first write %.1f times %s by the page: one fault for %.0f "
		"pages, at %s each.",
		ratio < 1 ? 1 / ratio : ratio, ratio < 1 ? "dearer" : "cheaper",
		huge->pages_per_fault, units_duration((uint64_t)huge->ns_per_fault.median).s);
	return true;
}

static bool disk(const struct model_bench *doc, char *ret, size_t size)
{
	const struct model_scenario *warm = priced(doc, "file_warm");
	const struct model_scenario *cold = priced(doc, "file_cold");

	if (!warm || !cold || cold->ns_per_page.median < warm->ns_per_page.median)
		return false;
	(void)snprintf(
		ret, size,
		"A file page that is in the cache costs %s ns, one that must come from disk in order "
		"%.0f times as much, %.0f %% of it asleep.",
		units_ns(warm->ns_per_page.median).s,
		cold->ns_per_page.median / warm->ns_per_page.median,
		100 * model_time_share(cold, cold->times.blocked_ns));
	return true;
}

static bool one_wait(const struct model_bench *doc, char *ret, size_t size)
{
	const struct model_scenario *s = priced(doc, "file_cold_random");

	if (!s || s->ns_per_fault.n == 0)
		return false;
	(void)snprintf(ret, size, "One wait for the disk, without readahead, costs %s.",
		       units_duration((uint64_t)s->ns_per_fault.median).s);
	return true;
}

/* Where a single row was priced: what it is made of. */
static bool times_zeroing(const struct model_bench *doc, char *ret, size_t size)
{
	const struct model_scenario *s = priced(doc, "anon_write");

	if (!s || priced(doc, "anon_prefaulted") || !(doc->floor.ns_per_page.median > 0))
		return false; /* with both rows prefaulting() has said the price */
	(void)snprintf(
		ret, size,
		"A first write costs %s ns a page here, zeroing a mapped page takes %.0f %% of that; "
		"the rest is the trap, the allocation and the page table.",
		units_ns(s->ns_per_page.median).s,
		100 * doc->floor.ns_per_page.median / s->ns_per_page.median);
	return true;
}

/* The largest priced working set of a chase; NULL. */
static const struct model_scenario *largest(const struct model_bench *doc, const char *name)
{
	const struct model_scenario *found = NULL;

	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct model_scenario *s = &doc->scenarios[i];

		if (strcmp(s->name, name) == 0 && s->verdict != MODEL_INVALID &&
		    s->ns_per_access.n && (!found || s->n_pages > found->n_pages))
			found = s;
	}
	return found;
}

/* Only where the two are told apart: the whole interval of their paired ratio on one side of 1. */
static bool larger_pages(const struct model_bench *doc, char *ret, size_t size)
{
	const struct model_scenario *base = largest(doc, "chase_base");
	const struct model_scenario *huge = largest(doc, "chase_thp");
	struct figure ratio;

	if (!base || !huge || base->n_pages != huge->n_pages)
		return false;
	ratio = figure_find("ratio")->measure(huge, base);
	if (!(ratio.hi < 1 || ratio.lo > 1))
		return false;
	(void)snprintf(
		ret, size,
		"A random access in %s takes %.2f [%.2f, %.2f] times as long in huge pages as in base "
		"pages (%s and %s ns).",
		units_bytes(base->n_pages * base->page_bytes).s, ratio.value, ratio.lo, ratio.hi,
		units_ns(huge->ns_per_access.median).s, units_ns(base->ns_per_access.median).s);
	return true;
}

static sentence *const sentences[] = {
	prefaulting, times_zeroing, disk, huge_pages, one_wait, larger_pages,
};

size_t report_bench_sentences(const struct model_bench *doc, char (*ret)[REPORT_SENTENCE_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(sentences) && n < REPORT_MAX_SENTENCES; i++)
		n += sentences[i](doc, ret[n], REPORT_SENTENCE_BYTES);
	return n;
}

void report_bench_conclusions(const struct model_bench *doc, FILE *out, size_t width)
{
	char texts[REPORT_MAX_SENTENCES][REPORT_SENTENCE_BYTES];
	size_t n = report_bench_sentences(doc, texts);

	if (n)
		(void)fputc('\n', out);
	for (size_t i = 0; i < n; i++)
		option_print_folded(out, texts[i], 0, 0, width ? width : 100);
}
