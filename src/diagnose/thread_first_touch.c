/* SPDX-License-Identifier: MIT */
/* Threads that each begin on memory of their own that was never touched. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

enum { LEAST_THREADS = 4 };

/* Threads beside the first that faulted, and not only one or two that work all the time. */
static bool has_many_threads(const struct model_bill *bill)
{
	uint64_t n = 0;

	for (size_t i = 0; i < bill->n_threads_listed; i++)
		n += !bill->threads[i].is_rest && bill->threads[i].tid != bill->threads[i].pid;
	return n >= LEAST_THREADS;
}

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	return (site->kind == MODEL_ANON_WRITE || site->kind == MODEL_THP ||
		site->kind == MODEL_STACK) &&
	       has_many_threads(c->bill) && !place_comes_again(site) &&
	       place_share(&site->habits, site->cost.count, MODEL_OTHERS) >= 0.8;
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill)
		return false;
	EVIDENCE(
		ret,
		"%s first touches by threads that are not the first of their process, of %s threads",
		units_count(part->count).s, units_count(c->bill->n_threads).s);
	ADVICE(ret,
	       "keep threads (a pool) and what they work on instead of starting anew; have each thread populate its "
	       "memory before it is given work (MADV_POPULATE_WRITE), its stack, too; a malloc arena for each thread "
	       "is one cause: M_ARENA_MAX");
	text_copy(ret->remedy, sizeof(ret->remedy), "malloc-arena-one");
	return true;
}

FINDING(thread_first_touch) = {
	.title = "first touch by each thread",
	.what = "Each new thread starts on memory that nobody has touched: its stack, its own malloc arena, its buffers. With many short-lived threads that is paid again and again.",
	.told = "First touches, four in five or more of them by other threads than the first of their process, and at least four such threads.",
	.todo = "Keep threads and their buffers; populate a thread's memory before it is given work.",
	.false_alarm =
		"A program that fills one large table by several threads on purpose looks the same: there the first touch is divided, not repeated.",
	.rank = DIAGNOSE_BY_PATTERN,
	.severity = MODEL_SEVERITY_COSTS,
	.owns = owns,
	.tell = tell,
};
