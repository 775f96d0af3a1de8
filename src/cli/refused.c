/* SPDX-License-Identifier: MIT */
/* What to say where perf is refused: why, and the lines that would have it. */
#include "src/cli/refused.h"

#include "src/base/text.h"
#include "src/sys/file.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

/* From this perf_event_paranoid on ordinary users are refused everything. */
enum { MOST_PARANOID = 2 };

static bool is_too_paranoid(void)
{
	uint64_t paranoid;

	return sys_read_u64("/proc/sys/kernel/perf_event_paranoid", &paranoid) == 0 &&
	       paranoid > MOST_PARANOID;
}

void cli_refused_lines(const struct cli_refusal *refusal, const char *operands,
		       char ret_lines[sizeof(((struct why *)0)->text)])
{
	enum { SIZE = sizeof(((struct why *)0)->text) };
	char self[PATH_MAX];
	ssize_t n;

	ret_lines[0] = 0;
	/* root is refused by something else: a container's filter, a kernel without perf */
	if ((refusal->r != -EACCES && refusal->r != -EPERM) || geteuid() == 0)
		return;
	text_append(ret_lines, SIZE, "sudo pagetoll trace %s", operands);
	if (is_too_paranoid())
		text_append(ret_lines, SIZE, "; or sudo sysctl kernel.perf_event_paranoid=%d",
			    MOST_PARANOID);
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n <= 0)
		return;
	self[n] = 0;
	text_append(ret_lines, SIZE, "; or sudo setcap cap_perfmon+ep %s", self);
}

void cli_refused_say(const struct cli_refusal *refusal, struct model_trace *doc)
{
	char lines[sizeof(refusal->why.text)];

	if (refusal->r == 0) {
		model_warn(
			doc->warnings, &doc->n_warnings, "estimate",
			"no fault was timed, as --source rusage asks: times are counts times prices");
		return;
	}
	model_warn(doc->warnings, &doc->n_warnings, "estimate",
		   "no fault was timed, times are counts times prices: %s", refusal->why.text);
	cli_refused_lines(refusal, "-- CMD", lines);
	if (lines[0])
		model_warn(doc->warnings, &doc->n_warnings, "estimate-more", "%s", lines);
}
