/* SPDX-License-Identifier: MIT */
/* What exec, the dynamic linker and fork cost before a program does anything of its own. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

/* Fewer copies a fork than this are what any child makes until it calls exec. */
enum { PER_FORK = 256 };

static bool is_of_fork(const struct diagnose_case *c, const struct model_site_row *site)
{
	return (site->kind == MODEL_COW || site->kind == MODEL_WP_REUSE) && c->bill->n_forks &&
	       site->cost.count < PER_FORK * c->bill->n_forks;
}

static bool owns(const struct diagnose_case *c, const struct model_site_row *site)
{
	if (site->kind == MODEL_FILE_MAJOR ||
	    (site->kind == MODEL_FILE_MINOR && place_sleeps(site)))
		return false;
	return place_is_start(site) || is_of_fork(c, site) ||
	       (place_is_image(c, site) && !place_comes_again(site));
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	if (!c->bill) {
		if (c->doc->verdict.id != MODEL_PROCESS_START)
			return false;
		EVIDENCE(ret, "%s faults in a run that did little but start",
			 units_count(c->doc->n_minor + c->doc->n_major).s);
	} else {
		uint64_t n_starts = c->bill->n_execs ? c->bill->n_execs : 1;

		EVIDENCE(ret, "%s faults of exec, linking and relocation",
			 units_count(part->count).s);
		if (n_starts > 1)
			EVIDENCE(ret, " in %s programs, %s each", units_count(n_starts).s,
				 units_estimate(part->time_ns / (double)n_starts).s);
	}
	ADVICE(ret,
	       "nothing, unless it is started very often: then start it fewer times (one process that serves many "
	       "requests), link it statically, or prelink it");
	return true;
}

FINDING(process_start) = {
	.title = "exec, linking and relocation",
	.what = "Each start of a program maps its code and data, relocates pointers and fills the first pages of stack and heap: some hundred faults, whatever the program does afterwards.",
	.told = "Faults in the kernel's exec, in the dynamic linker, on pages of programs and libraries, and the few copies that a child makes between fork and exec.",
	.todo = "Fewer starts, static linking, prelinking. Little else changes it.",
	.false_alarm =
		"A program that maps data from its own executable, or that loads a library late (dlopen): its first touches of these count as start.",
	.rank = DIAGNOSE_BY_PLACE,
	.severity = MODEL_SEVERITY_NOTE,
	.owns = owns,
	.tell = tell,
};
