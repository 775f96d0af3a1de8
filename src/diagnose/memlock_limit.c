/* SPDX-License-Identifier: MIT */
/* Nearly as much is locked as RLIMIT_MEMLOCK allows. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"

/* The share of the limit from which the next call fails. */
#define NEAR 0.9

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	double limit = place_figure(c, MODEL_MEMLOCK_LIMIT),
	       locked = place_figure(c, MODEL_VM_LOCKED);

	(void)part;
	if (limit <= 0 || locked < NEAR * limit)
		return false;
	EVIDENCE(ret, "%s were locked of %s that RLIMIT_MEMLOCK allows",
		 units_bytes((uint64_t)locked).s, units_bytes((uint64_t)limit).s);
	ADVICE(ret,
	       "raise it (ulimit -l, LimitMEMLOCK= of its unit), or lock less: with mlockall(MCL_FUTURE) each mmap, malloc "
	       "and pthread_create beyond it fails, and mlock locks nothing of a range that does not fit");
	text_copy(ret->remedy, sizeof(ret->remedy), "mlock");
	ret->time_ns = __builtin_nan("");
	return true;
}

FINDING(memlock_limit) = {
	.title = "limit of locked memory reached",
	.what = "An ordinary user may lock only so much memory. What does not fit is not locked, and faults as before; with "
		"MCL_FUTURE it is not even mapped.",
	.told = "Nine tenths or more of RLIMIT_MEMLOCK were locked at some sample, of a process that the limit binds.",
	.todo = "Raise the limit, or lock only what must not fault.",
	.false_alarm =
		"A program that locks exactly what it may, on purpose. A call that failed with nothing locked is not seen; "
		"root is not bound by the limit.",
	.rank = DIAGNOSE_REST,
	.severity = MODEL_SEVERITY_FAILED,
	.whatever_the_time = true,
	.tell = tell,
};
