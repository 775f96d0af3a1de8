/* SPDX-License-Identifier: MIT */
/* A fault that could not be completed, and ended the process. */
#include "src/diagnose/place.h"

#include "src/base/text.h"
#include "src/base/units.h"
#include <signal.h>
#include <string.h>

static bool is_hugetlb(const struct diagnose_case *c)
{
	return c->bill->fatal.kind == MODEL_HUGETLB || strstr(c->bill->fatal_mapping, "hugepage");
}

static bool tell(const struct diagnose_case *c, const struct diagnose_part *part,
		 struct model_finding *ret)
{
	const struct model_fault_row *f;
	bool is_bus = c->doc->signal == SIGBUS;

	(void)part;
	if (!c->bill || !c->bill->has_fatal || (!is_bus && c->doc->signal != SIGSEGV) ||
	    (is_bus && is_hugetlb(c)))
		return false;
	f = &c->bill->fatal;
	place_fatal_culprit(c, ret);
	EVIDENCE(ret, "it was killed by %s at a fault on address 0x%llx",
		 is_bus ? "SIGBUS" : "SIGSEGV", (unsigned long long)f->address);
	if (c->bill->fatal_mapping[0])
		EVIDENCE(ret, " of %s, offset 0x%llx", model_base_name(c->bill->fatal_mapping),
			 (unsigned long long)f->file_offset);
	ADVICE(ret, "%s",
	       is_bus ? "the page is behind the end of its file, or could not be read: check the size of the file "
			"against the mapping (another process may have cut it), and the disk for errors"
		      : "nothing is mapped there, or not so that it may be written: a stack at its limit (ulimit -s), a "
			"guard page, or a wrong pointer");
	return true;
}

FINDING(fault_signal) = {
	.title = "fault that ended in a signal",
	.what = "The kernel could not complete a fault: there is no memory at the address, it may not be accessed in this way, or its data cannot be had. The process gets SIGSEGV or SIGBUS.",
	.told = "The process was killed by that signal, and its last fault was never completed.",
	.todo = "Look at the address, the mapping and the place in the code that the report names.",
	.false_alarm =
		"A signal sent by kill(2) at the moment when an ordinary fault was under way looks the same.",
	.rank = DIAGNOSE_BY_KIND,
	.severity = MODEL_SEVERITY_FAILED,
	.whatever_the_time = true,
	.tell = tell,
};
