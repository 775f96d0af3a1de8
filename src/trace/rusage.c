/* SPDX-License-Identifier: MIT */
/* The source that needs no privilege: counters that the kernel keeps of every process anyway. */
#include "src/trace/rusage.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/why.h"
#include "src/sys/clock.h"
#include "src/trace/evidence.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* The first sample comes early, as many runs are short; a later one when it costs the run less than a
 * thousandth: reading smaps_rollup walks the page tables and holds a lock that mmap wants. */
#define FIRST_SAMPLE_NS 10000000U
#define LEAST_PAUSE_NS 100000000U
enum { PAUSE_TO_COST = 1000 };

static const struct {
	const char *id, *text;
} blind_spots[] = {
	{"estimate", "no fault was timed: times are counts times this machine's prices"},
	{"kinds",
	 "one counter has all minor faults: first writes, reads of zero pages, copies after fork, "
	 "cached files; the interval spans from the cheapest to the dearest kind"},
	{"waits-in-minors",
	 "a minor fault can sleep, for data that readahead has under way or for a lock; "
	 "that is seen only as pages of mapped files read from disk"},
	{"populated",
	 "pages populated inside system calls (MAP_POPULATE, mlock, read into fresh memory) "
	 "count as minor faults"},
	{"before-exec", "what the kernel faults in for exec counts, too"},
	{"first-process",
	 "smaps and status are of the first process, at samples; descendants that were not "
	 "waited for are not counted at all"},
	{"system-wide",
	 "swap-ins, refaults and limit hits are everybody's, on the machine or in the memory "
	 "cgroup"},
};

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_usec * 1000U;
}

uint64_t trace_rusage_sample(struct model_trace *doc, pid_t pid)
{
	uint64_t pause = PAUSE_TO_COST * trace_evidence_sample(doc, pid);

	return sys_now_ns() + (pause > LEAST_PAUSE_NS ? pause : LEAST_PAUSE_NS);
}

/* Looks at the process now and then until it ends. */
static void watch(struct trace_command *c, struct model_trace *doc)
{
	uint64_t next_ns = c->started_ns + FIRST_SAMPLE_NS;

	while (!trace_command_wait(c, next_ns))
		next_ns = trace_rusage_sample(doc, c->pid);
	doc->wall_ns = sys_now_ns() - c->started_ns;
}

static void take_end(struct model_trace *doc, int status, const struct rusage *u)
{
	doc->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	doc->exit_status = doc->signal ? 128 + doc->signal : WEXITSTATUS(status);
	doc->user_ns = timeval_ns(u->ru_utime);
	doc->sys_ns = timeval_ns(u->ru_stime);
	doc->n_minor = (uint64_t)u->ru_minflt;
	doc->n_major = (uint64_t)u->ru_majflt;
	trace_evidence_of_rusage(doc, u);
}

int trace_rusage_reap(struct trace_command *c, struct model_trace *doc, struct why *why)
{
	struct rusage usage;
	int status;

	trace_evidence_of_zombie(doc, c->pid);
	while (wait4(c->pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return why_errno(why, -errno, "cannot wait for the command");
	take_end(doc, status, &usage);
	return 0;
}

int trace_rusage_run(char *const *argv, const struct trace_caller *caller, struct model_trace *doc,
		     bool *ret_not_executed, struct why *why)
{
	struct trace_evidence_before before;
	struct trace_command command;
	size_t n_words = 0;
	int r;

	while (argv[n_words])
		n_words++;
	if (model_trace_set_command(doc, n_words, argv) < 0)
		return why_set(why, -ENOMEM, "no memory to keep the command line");
	text_copy(doc->source, sizeof(doc->source), "rusage");
	doc->estimate = true;
	for (size_t i = 0; i < ARRAY_LEN(blind_spots); i++)
		model_warn(doc->blind_spots, &doc->n_blind_spots, blind_spots[i].id, "%s",
			   blind_spots[i].text);
	trace_evidence_begin(&before, doc);
	r = trace_command_start(&command, argv, caller, why);
	if (r < 0) {
		*ret_not_executed = command.not_executed;
		return r;
	}
	watch(&command, doc);
	r = trace_rusage_reap(&command, doc, why);
	trace_command_end(&command);
	trace_evidence_end(&before, doc);
	return r;
}
