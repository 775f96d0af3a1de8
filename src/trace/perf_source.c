/* SPDX-License-Identifier: MIT */
/* The source that sees each fault: from the start of a trace to its bill. */
#include "src/trace/perf_source.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/why.h"
#include "src/sys/clock.h"
#include "src/sys/file.h"
#include "src/trace/attach.h"
#include "src/trace/evidence.h"
#include "src/trace/huge_fill.h"
#include "src/trace/perf_calibrate.h"
#include "src/trace/perf_session.h"
#include "src/trace/rusage.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* gcc 12 loses sight of memory that is stored behind a pointer it was given. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

#define LIVE_NS 100000000U
#define LEAST_PAGES_NS 25000000U
#define KERNEL_ROLES \
	(1U << TRACE_ENTRY_KERNEL | 1U << TRACE_DONE_KERNEL | 1U << TRACE_DONE_MAJOR_KERNEL)

/* A trace while it runs. */
struct run {
	const struct trace_options *options;
	struct model_trace *doc;
	struct trace_session session;
	uint32_t roles;
	uint64_t began_ns, ends_ns, live_ns, sample_ns, pages_ns; /* CLOCK_MONOTONIC */
	bool stopped; /* events are, be it before the command's end */
	/* a command */
	struct trace_command command;
	struct trace_before_exec before_exec;
	/* or processes that were running */
	struct trace_pid_list pids;
	int *pidfds; /* of the leaders among them; -1: has ended */
	int fd_signals;
};

int trace_perf_probe(bool *ret_kernel, struct why *why)
{
	uint32_t roles;
	int r = trace_events_probe(&roles, why);

	*ret_kernel = r == 0 && (roles & KERNEL_ROLES) == KERNEL_ROLES;
	return r;
}

/* --- attaching ---------------------------------------------------------------------------------------------------- */

static void take_comm_and_time(struct run *run, pid_t pid, pid_t tid)
{
	struct trace_thread *t = trace_tasks_thread(&run->session.tasks, pid, tid);
	char path[64], text[64];

	if (!t)
		return;
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	if (sys_read_text(path, text, sizeof(text)) > 0)
		(void)text_copy(t->comm, sizeof(t->comm), text);
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
	if (sys_read_u64(path, &t->cpu_before_ns) < 0)
		t->cpu_before_ns = 0;
	t->in_ns = run->session.start_ns; /* if it runs now; else its first switch is onto a CPU */
}

/* All threads of a process, again until there are none that are not traced: those that begin meanwhile inherit, or
 * are found. */
static int attach_process(struct run *run, pid_t pid, struct trace_pid_list *threads,
			  struct why *why)
{
	size_t n_attached = threads->n;
	int r;

	for (;;) {
		r = trace_list_threads(pid, threads);
		if (r < 0)
			return trace_why_not_attached(pid, r, why);
		if (threads->n == n_attached)
			break;
		for (; n_attached < threads->n; n_attached++) {
			/* one whose parent is traced already inherits its events */
			r = trace_events_add(&run->session.events, threads->pids[n_attached], false,
					     why);
			if (r == -ESRCH)
				continue;
			if (r < 0)
				return r == -EMFILE ? r : trace_why_not_attached(pid, r, why);
			take_comm_and_time(run, pid, threads->pids[n_attached]);
		}
	}
	(void)trace_spaces_reread(run->session.spaces,
				  pid); /* where it is refused all is unmapped, and counted */
	return 0;
}

static int attach_all(struct run *run, struct why *why)
{
	struct trace_pid_list threads = {.pids = NULL};
	size_t n_gone = 0, n_before;
	int r = 0;

	do { /* children that are born meanwhile */
		n_before = run->pids.n;
		if (run->options->tree)
			r = trace_add_descendants(&run->pids);
		for (size_t i = n_gone; i < run->pids.n && r == 0; i++) {
			r = attach_process(run, run->pids.pids[i], &threads, why);
			if (r == -ESRCH && i >= run->options->n_pids)
				r = 0;
		}
		n_gone = run->pids.n;
	} while (r == 0 && run->options->tree && run->pids.n > n_before);
	trace_pid_list_free(&threads);
	return r;
}

static int attach_with(struct run *run, uint32_t roles, struct why *why)
{
	trace_events_close(&run->session.events);
	if (trace_events_init(&run->session.events, roles, run->options->chains, why) < 0)
		return -ENOMEM;
	run->roles = roles;
	run->session.events.by_thread = true;
	run->session.events.is_thin = false; /* a ring has no switches to tell */
	run->session.events.ring_bytes = 32U << 10;
	run->session.events.switches_off = !(roles >> TRACE_SWITCH & 1);
	run->session.aggregate.switches_seen = !run->session.events.switches_off;
	return attach_all(run, why);
}

/* With more tasks than there are descriptors for, one event of each kind a thread, and of fewer kinds: its children are
 * not followed. */
static int attach_by_thread(struct run *run, struct why *why)
{
	uint32_t all = run->roles;
	uint32_t least = 1U << TRACE_SIDE | 1U << TRACE_ENTRY | 1U << TRACE_DONE |
			 1U << TRACE_DONE_MAJOR | TRACE_SEES_FRAMES;
	int r = attach_with(run, all & ~(KERNEL_ROLES | 1U << TRACE_CODE), why);

	if (r == -EMFILE)
		r = attach_with(run, all & least, why);
	model_warn(
		run->doc->blind_spots, &run->doc->n_blind_spots, "no-children",
		"too many threads for ulimit -n to follow what they start, and what they do in the kernel: "
		"threads and children that began after the trace were not seen");
	return r;
}

static void open_pidfds(struct run *run)
{
	run->pidfds = reallocarray(NULL, run->pids.n, sizeof(*run->pidfds));
	for (size_t i = 0; run->pidfds && i < run->pids.n; i++)
		run->pidfds[i] = (int)syscall(SYS_pidfd_open, run->pids.pids[i], 0);
}

static int attach(struct run *run, struct why *why)
{
	sigset_t ends;
	int r;

	for (size_t i = 0; i < run->options->n_pids; i++) {
		r = trace_check_pid(run->options->pids[i], why);
		if (r == 0 && trace_pid_list_add(&run->pids, run->options->pids[i]) < 0)
			r = why_set(why, -ENOMEM, "no memory to trace");
		if (r < 0)
			return r;
	}
	r = attach_all(run, why);
	if (r == -EMFILE)
		r = attach_by_thread(run, why);
	if (r < 0)
		return r;
	open_pidfds(run);
	(void)sigemptyset(&ends);
	(void)sigaddset(&ends, SIGINT);
	(void)sigaddset(&ends, SIGTERM);
	(void)sigaddset(&ends, SIGHUP);
	(void)sigaddset(&ends, SIGQUIT);
	run->fd_signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	return run->fd_signals < 0 ? why_errno(why, -errno, "signalfd") : 0;
}

/* The last of them has ended. */
static bool all_have_ended(struct run *run)
{
	bool any = false;

	for (size_t i = 0; run->pidfds && i < run->pids.n; i++) {
		struct pollfd p = {.fd = run->pidfds[i], .events = POLLIN};

		if (run->pidfds[i] < 0)
			continue;
		if (poll(&p, 1, 0) == 1) {
			(void)close(run->pidfds[i]);
			run->pidfds[i] = -1;
		} else {
			any = true;
		}
	}
	return run->pidfds && !any;
}

static bool is_told_to_end(const struct run *run)
{
	struct signalfd_siginfo info;

	return read(run->fd_signals, &info, sizeof(info)) == sizeof(info);
}

/* --- the loop ---------------------------------------------------------------------------------------------------------- */

static void show(struct run *run, uint64_t now_ns)
{
	const struct trace_session *s = &run->session;
	struct trace_live live;

	if (!run->options->live || now_ns < run->live_ns)
		return;
	run->live_ns = now_ns + LIVE_NS;
	live = (struct trace_live){
		.seconds = (double)(now_ns - run->began_ns) / 1e9,
		.n_faults = s->n_faults,
		.n_major = s->n_major,
		.n_lost = s->n_records_lost,
		.fault_ns = (double)s->fault_ns,
		.slowest_ns = (double)s->slowest_ns,
		.n_processes = (uint32_t)s->tasks.n_processes_ever,
		.n_threads = (uint32_t)s->tasks.n_threads_ever,
	};
	run->options->live(&live, run->options->live_data);
}

/* Sleeps until there is something in a ring, or a signal. */
static void wait_for_work(struct run *run)
{
	const struct trace_events *e = &run->session.events;
	struct pollfd *fds = reallocarray(NULL, e->n_rings + 1, sizeof(*fds));
	uint64_t wait_ns = trace_session_wait_ns(&run->session);
	struct timespec wait = {.tv_sec = 0, .tv_nsec = (long)wait_ns};
	size_t n = 0;

	if (!fds) { /* then by time alone */
		(void)poll(NULL, 0, 1);
		return;
	}
	fds[n++] = (struct pollfd){.fd = run->fd_signals, .events = POLLIN};
	for (size_t i = 0; i < e->n_rings && !run->stopped; i++)
		fds[n++] = (struct pollfd){.fd = e->rings[i].fd, .events = POLLIN};
	/* a ring whose task has ended is readable for good: it would keep us from sleeping */
	if (ppoll(fds, n, &wait, NULL) > 0 && !(fds[0].revents & POLLIN))
		for (size_t i = 1; i < n; i++)
			if (fds[i].revents & POLLHUP) {
				(void)poll(fds, 1, 1);
				break;
			}
	free(fds);
}

static bool has_ended(struct run *run)
{
	if (run->options->argv)
		return trace_command_look(&run->command);
	return is_told_to_end(run) || all_have_ended(run);
}

/* smaps walks all pages, and holds up who maps memory meanwhile: it may cost a hundredth. */
static void look_at_pages(struct run *run, pid_t pid, uint64_t now_ns)
{
	uint64_t cost_ns;

	if (now_ns < run->pages_ns)
		return;
	cost_ns = trace_pages_sample(&run->session.aggregate.pages, run->session.spaces, pid);
	run->pages_ns = now_ns + 100 * cost_ns;
	if (run->pages_ns < now_ns + LEAST_PAGES_NS)
		run->pages_ns = now_ns + LEAST_PAGES_NS;
}

static void look_at_process(struct run *run, uint64_t now_ns)
{
	pid_t pid = run->options->argv ? run->command.pid : run->pids.pids[0];

	if (now_ns >= run->sample_ns)
		run->sample_ns = trace_rusage_sample(run->doc, pid);
	look_at_pages(run, pid, now_ns);
}

static int loop(struct run *run)
{
	int r = 0;

	while (r == 0) {
		bool over = has_ended(run);
		uint64_t now_ns = sys_now_ns();

		if (now_ns >= run->ends_ns && !run->stopped) {
			trace_events_stop_all(&run->session.events);
			r = trace_session_round(&run->session, true);
			run->stopped = true;
			run->doc->wall_ns = now_ns - run->began_ns;
			over = over || !run->options->argv; /* a command's end is waited for */
		}
		if (over || r < 0)
			break;
		if (!run->stopped)
			r = trace_session_round(&run->session, false);
		look_at_process(run, now_ns);
		show(run, now_ns);
		wait_for_work(run);
	}
	if (!run->stopped) {
		run->doc->wall_ns = sys_now_ns() - run->began_ns;
		trace_events_stop_all(&run->session.events);
		r = r < 0 ? r : trace_session_round(&run->session, true);
		run->stopped = true;
	}
	return r;
}

/* --- the end ------------------------------------------------------------------------------------------------------------- */

static const struct {
	const char *id, *text;
} always_blind[] = {
	{"populated",
	 "pages populated inside system calls (MAP_POPULATE, mlock, madvise) take no fault that could be "
	 "seen: they are in rusage alone"},
	{"remaps",
	 "munmap and mremap leave no record: a fault where something else was mapped shortly before can be "
	 "billed to that"},
	{"set-user-id",
	 "what programs with the set-user-ID bit do, where the command starts any, is hidden from all but "
	 "root"},
};

static void name_blind_spots(const struct run *run)
{
	struct model_trace *doc = run->doc;

	for (size_t i = 0; i < ARRAY_LEN(always_blind); i++)
		model_warn(doc->blind_spots, &doc->n_blind_spots, always_blind[i].id, "%s",
			   always_blind[i].text);
	if ((run->roles & KERNEL_ROLES) != KERNEL_ROLES)
		model_warn(
			doc->blind_spots, &doc->n_blind_spots, "kernel-mode",
			"faults that system calls take (read(2) into fresh memory) were not seen, as they are not shown to "
			"ordinary users at this perf_event_paranoid, or descriptors were too few: they are in rusage "
			"alone");
	if (!(run->roles & TRACE_SEES_FRAMES))
		model_warn(
			doc->blind_spots, &doc->n_blind_spots, "kinds",
			"page frames and error codes are shown to root alone: reads of anonymous memory are told from "
			"writes by looking at some of the pages afterwards, copies from reuse by whether a relative "
			"since fork still lives, and a write to a missing page of a shared file counts as file-minor");
	else if (!(run->session.events.roles >> TRACE_CODE & 1))
		model_warn(
			doc->blind_spots, &doc->n_blind_spots, "kinds",
			"the tracepoint exceptions:page_fault_user cannot be read here (it is x86's, and in tracefs): a "
			"write to a missing page of a shared file counts as file-minor");
	if (run->session.was_hot)
		model_warn(
			doc->blind_spots, &doc->n_blind_spots, "timed-few",
			"faults came so fast that they were timed in one moment of %d only: each was counted, "
			"with its place, and is in the sums at the mean of its like (--timing all times each)",
			TRACE_FEW + 1);
	if (run->session.events.switches_off)
		model_warn(
			doc->blind_spots, &doc->n_blind_spots, "no-switches",
			"switches were not followed, as they were so many more than faults, or descriptors too few: what "
			"of the time was sleep is not known");
	if (run->session.kinds.n_unanswered)
		model_warn(
			doc->blind_spots, &doc->n_blind_spots, "pages-gone",
			"%llu faults were on pages that were gone before they could be looked at: taken for writes",
			(unsigned long long)run->session.kinds.n_unanswered);
}

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * rusage = before exec + user traps + kernel traps - retried - unfinished + populated + remainder: a fault that is
 * broken off counts as a trap, and rusage counts those alone that are completed. Where kernel traps are seen, what
 * is left can only be populated; else it is one or the other. A remainder that is small is not made into either.
 */
static void reconcile(struct run *run)
{
	enum { REMAINDER = 64 }; /* a process */
	struct model_bill *bill = run->doc->bill;
	uint64_t n_processes = bill->n_processes ? bill->n_processes : 1;
	uint64_t kernel = bill->kernel_traps == UINT64_MAX ? 0 : bill->kernel_traps;
	uint64_t broken_off = bill->counts[MODEL_RETRIED] + bill->counts[MODEL_UNFINISHED];
	int64_t left;

	if (!run->options->argv)
		return; /* rusage is nobody's who is not our child */
	bill->before_exec = run->before_exec.n_minor + run->before_exec.n_major;
	left = (int64_t)(run->doc->n_minor + run->doc->n_major + broken_off) -
	       (int64_t)(bill->before_exec + bill->user_traps + kernel);
	bill->kernel_or_populated = left > (int64_t)(REMAINDER * n_processes) ? (uint64_t)left : 0;
	bill->unexplained = left - (int64_t)bill->kernel_or_populated;
	if (left < -(int64_t)(REMAINDER * n_processes))
		model_warn(
			run->doc->warnings, &run->doc->n_warnings, "not-waited",
			"%lld of the faults seen are not in rusage, nor is the CPU time that goes with them: it "
			"leaves out children that live on, or that their parent did not wait for",
			(long long)-left);
}

/*
 * Entries of one mode that the kernel counted; lean ones are of both. Where an event is turned off right while it takes a
 * fault, it can have counted it and write no record; the other kind of entry, which is on then, tells of it. That
 * happens once a turn and CPU at the most, and is no fault where no record was lost. Of lost lean entries nobody knows
 * the mode: they are taken for the user's.
 */
static uint64_t count_entries(const struct trace_session *s, bool is_kernel)
{
	uint64_t n_lean = trace_events_read(&s->events, TRACE_ENTRY_LEAN);
	uint64_t n = is_kernel
			     ? trace_events_read(&s->events, TRACE_ENTRY_KERNEL) + s->n_lean_kernel
			     : trace_events_read(&s->events, TRACE_ENTRY) +
				       difference(n_lean, s->n_lean_kernel);
	uint64_t without_record = difference(n, s->n_entries[is_kernel]);

	if (s->n_records_lost == 0 && without_record <= s->n_turns * s->events.n_cpus)
		n -= without_record;
	return n;
}

static void take_counts(struct run *run)
{
	struct trace_session *s = &run->session;
	struct model_bill *bill = run->doc->bill;
	uint64_t user = count_entries(s, false), kernel = count_entries(s, true);

	/* what both events told of is one */
	bill->user_traps = user - s->n_twice[0];
	bill->kernel_traps =
		run->roles >> TRACE_ENTRY_KERNEL & 1 ? kernel - s->n_twice[1] : UINT64_MAX;
	memcpy(bill->counts, s->pairs.counts, sizeof(bill->counts));
	bill->counts[MODEL_LOST] =
		difference(user, s->n_entries[0]) + difference(kernel, s->n_entries[1]);
	bill->counts[MODEL_UNMAPPED] = s->n_unmapped;
	bill->n_processes = s->tasks.n_processes_ever;
	bill->n_threads = s->tasks.n_threads_ever;
	bill->n_execs = s->tasks.n_execs;
	bill->n_forks = s->n_forks;
}

/* Time on the CPU of threads that live still: by switches, or, where these were not followed, as the kernel says. */
static void take_living_threads(struct run *run)
{
	struct trace_session *s = &run->session;
	uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW), cpu_ns;
	char path[64];

	for (size_t i = 0; i < s->tasks.n_threads; i++) {
		struct trace_thread *t = s->tasks.threads[i];
		double *ret;

		if (trace_tasks_find(&s->tasks, t->tid) != t || t->row == MAP_NONE || t->row == 0)
			continue;
		ret = &s->aggregate.threads[t->row].cpu_ns;
		(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)t->pid,
			       (int)t->tid);
		if (!s->events.switches_off)
			*ret = (double)(t->cpu_ns +
					(t->in_ns && now_ns > t->in_ns ? now_ns - t->in_ns : 0));
		else if (sys_read_u64(path, &cpu_ns) == 0)
			*ret = (double)difference(cpu_ns, t->cpu_before_ns);
	}
}

/* What huge pages cost is asked where somebody may be told to use them: it can take tens of milliseconds. */
#define LEAST_FILLS_NS 10e6

static void price_huge_pages(struct model_bill *bill)
{
	double fills_ns = bill->kinds[MODEL_ANON_WRITE].cost.time_ns +
			  bill->kinds[MODEL_SHMEM].cost.time_ns +
			  bill->kinds[MODEL_THP].cost.time_ns;

	if (fills_ns >= LEAST_FILLS_NS)
		trace_huge_fill(&bill->fill_huge_ns, &bill->fill_fresh_huge_ns);
}

static int make_bill(struct run *run, struct why *why)
{
	struct trace_session *s = &run->session;
	struct trace_corrections corrections;
	struct model_bill *bill = run->doc->bill;
	struct why no_matter;
	int r;

	trace_events_close(&s->events); /* which would be in what is calibrated */
	if (trace_perf_calibrate(run->roles, run->options->chains, &corrections, &no_matter) < 0)
		model_warn(run->doc->warnings, &run->doc->n_warnings, "uncorrected",
			   "times are as traced, since what tracing adds could not be measured: %s",
			   no_matter.text);
	r = trace_aggregate_finish(&s->aggregate, &s->stacks, s->spaces, &corrections, bill);
	price_huge_pages(bill);
	if (r < 0)
		return why_set(why, r, "no memory for the bill");
	bill->slowdown_ns =
		(double)(s->n_entries[0] + s->n_entries[1] - s->n_lean) * corrections.slowdown_ns +
		(double)s->n_lean * corrections.slowdown_lean_ns;
	bill->deadline_ns = run->options->deadline_ns;
	return 0;
}

/* Faults above the deadline after start-up, which is known only now. */
static void count_late(struct run *run)
{
	const struct trace_aggregate *a = &run->session.aggregate;
	struct model_bill *bill = run->doc->bill;

	model_trace_derive(run->doc);
	for (size_t i = 0; i < a->n_moments; i++)
		if (i * a->moment_ns >= bill->phases[MODEL_PHASE_START].to_ns)
			bill->n_late += a->moments[i].n_late;
}

static int finish(struct run *run, struct why *why)
{
	take_living_threads(run);
	take_counts(run);
	if (!run->options->argv) {
		run->doc->n_major = run->session.n_major;
		run->doc->n_minor = run->session.n_faults - run->session.n_major;
	}
	reconcile(run);
	name_blind_spots(run);
	if (make_bill(run, why) < 0)
		return -ENOMEM;
	count_late(run);
	return 0;
}

/* --- a command ---------------------------------------------------------------------------------------------------------- */

static int start(struct run *run, bool *ret_not_executed, struct why *why)
{
	const struct trace_options *o = run->options;
	int r = trace_check_executable(o->argv[0], why);

	if (r == 0)
		r = trace_command_hold(&run->command, o->argv, o->caller, why);
	if (r < 0)
		return r;
	r = trace_session_init(&run->session, o, run->roles, why);
	if (r == 0)
		r = trace_events_add(&run->session.events, run->command.pid, true, why);
	if (r == 0) {
		run->fd_signals = trace_command_signals();
		r = run->fd_signals < 0 ? why_errno(why, run->fd_signals, "signalfd") : 0;
	}
	if (r < 0) {
		trace_command_abandon(&run->command);
		return r;
	}
	run->session.start_ns = run->session.aggregate.start_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW);
	r = trace_command_release(&run->command, o->argv[0], &run->before_exec, why);
	*ret_not_executed = run->command.not_executed;
	return r;
}

static int run_command(struct run *run, bool *ret_not_executed, struct why *why)
{
	struct trace_evidence_before before;
	size_t n_words = 0;
	int r, ended;

	while (run->options->argv[n_words])
		n_words++;
	if (model_trace_set_command(run->doc, n_words, run->options->argv) < 0)
		return why_set(why, -ENOMEM, "no memory to keep the command line");
	trace_evidence_begin(&before, run->doc);
	r = start(run, ret_not_executed, why);
	if (r < 0)
		return r;
	run->began_ns = run->command.started_ns;
	run->ends_ns =
		run->options->duration_ns ? run->began_ns + run->options->duration_ns : UINT64_MAX;
	run->sample_ns = run->pages_ns = run->began_ns + 10000000U;
	r = loop(run);
	if (r < 0) {
		(void)why_set(why, r, "no memory to go on with the trace");
		while (!trace_command_wait(&run->command, UINT64_MAX))
			;
	}
	ended = trace_rusage_reap(&run->command, run->doc, r < 0 ? NULL : why);
	trace_command_end(&run->command);
	trace_evidence_end(&before, run->doc);
	if (r == 0)
		r = ended;
	return r == 0 ? finish(run, why) : r;
}

/* --- running processes ------------------------------------------------------------------------------------------------------ */

/* Words of /proc/PID/cmdline; the name where there are none, as of a kernel thread. */
static int take_cmdline(struct run *run, pid_t pid)
{
	char path[64], text[4000] = "";
	char *words[64];
	size_t n_words = 0;
	FILE *f;
	size_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	f = fopen(path, "re");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f)
		(void)fclose(f);
	text[n] = 0;
	for (size_t at = 0; at < n && n_words < ARRAY_LEN(words); at += strlen(text + at) + 1)
		words[n_words++] = text + at;
	return model_trace_set_command(run->doc, n_words, words);
}

static int keep_pids(struct model_trace *doc, const struct trace_pid_list *list)
{
	int32_t *pids = reallocarray(NULL, list->n, sizeof(*pids));

	if (!pids)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i++)
		pids[i] = list->pids[i];
	doc->pids = pids;
	doc->n_pids = list->n;
	return 0;
}

static int run_attached(struct run *run, struct why *why)
{
	struct trace_evidence_before before;
	int r = trace_session_init(&run->session, run->options, run->roles, why);

	trace_evidence_begin(&before, run->doc);
	if (r == 0)
		r = attach(run, why);
	if (r < 0)
		return r;
	if (take_cmdline(run, run->options->pids[0]) < 0)
		return why_set(why, -ENOMEM, "no memory to keep the command line");
	if (keep_pids(run->doc, &run->pids) < 0)
		return why_set(why, -ENOMEM, "no memory to keep what was attached to");
	run->began_ns = sys_now_ns();
	run->ends_ns =
		run->options->duration_ns ? run->began_ns + run->options->duration_ns : UINT64_MAX;
	run->sample_ns = run->pages_ns = run->began_ns;
	r = loop(run);
	if (r < 0)
		return why_set(why, r, "no memory to go on with the trace");
	trace_evidence_end(&before, run->doc);
	return finish(run, why);
}

/* -------------------------------------------------------------------------------------------------------------------------- */

static void free_run(struct run *run)
{
	for (size_t i = 0; run->pidfds && i < run->pids.n; i++)
		if (run->pidfds[i] >= 0)
			(void)close(run->pidfds[i]);
	if (run->fd_signals >= 0)
		(void)close(run->fd_signals);
	free(run->pidfds);
	trace_pid_list_free(&run->pids);
	trace_session_free(&run->session);
	free(run);
}

int trace_perf_run(const struct trace_options *options, struct model_trace *doc,
		   bool *ret_not_executed, struct why *why)
{
	struct run *run = calloc(1, sizeof(*run));
	int r;

	if (!run)
		return why_set(why, -ENOMEM, "no memory to trace");
	run->options = options;
	run->doc = doc;
	run->fd_signals = -1;
	doc->bill = model_bill_new();
	text_copy(doc->source, sizeof(doc->source), "perf");
	r = doc->bill ? trace_events_probe(&run->roles, why)
		      : why_set(why, -ENOMEM, "no memory to trace");
	if (r == 0)
		r = options->argv ? run_command(run, ret_not_executed, why)
				  : run_attached(run, why);
	free_run(run);
	return r;
}
