/* SPDX-License-Identifier: MIT */
/* Starting another command as our caller would have started it, and waiting for its end. */
#include "src/trace/command.h"

#include "src/base/array.h"
#include "src/base/why.h"
#include "src/sys/clock.h"
#include "src/trace/identity.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

/* Dispositions that we change while the command runs, in the order of trace_command.old. A SIGCHLD that is
 * ignored would have the kernel reap the command, and its counters with it. */
static const struct {
	int signal;
	void (*ours)(int);
} ours[] = {{SIGINT, SIG_IGN}, {SIGQUIT, SIG_IGN}, {SIGCHLD, SIG_DFL}};

_Static_assert(ARRAY_LEN(ours) == ARRAY_LEN(((struct trace_command *)0)->old), "a slot for each");

static sigset_t held_signals(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGCHLD);
	return set;
}

static void take_signals(struct trace_command *c)
{
	sigset_t held = held_signals();

	(void)sigprocmask(SIG_BLOCK, &held, &c->mask);
	for (size_t i = 0; i < ARRAY_LEN(ours); i++) {
		struct sigaction action = {.sa_handler = ours[i].ours};

		(void)sigaction(ours[i].signal, &action, &c->old[i]);
	}
}

void trace_command_end(struct trace_command *c)
{
	sigset_t held = held_signals();
	struct timespec at_once = {.tv_nsec = 0};

	while (sigtimedwait(&held, NULL, &at_once) > 0)
		;
	for (size_t i = 0; i < ARRAY_LEN(ours); i++) {
		/* one that a caller of ours holds back is pending even where it is ignored: setting it
		 * to be ignored once more drops it */
		if (ours[i].ours == SIG_IGN)
			(void)signal(ours[i].signal, SIG_IGN);
		(void)sigaction(ours[i].signal, &c->old[i], NULL);
	}
	(void)sigprocmask(SIG_SETMASK, &c->mask, NULL);
}

/* What went wrong in the child. */
struct failure {
	int error;         /* errno; 0: it runs */
	bool not_executed; /* by exec, and not before */
};

/* In the child, which shares our memory until exec: nothing but system calls, and *ret_failure. */
__attribute__((noreturn)) static void become(const struct trace_command *c, char *const *argv,
					     const struct trace_caller *caller,
					     const struct trace_identity *who,
					     volatile struct failure *ret_failure)
{
	int r = trace_identity_become(who);

	if (r < 0) {
		ret_failure->error = -r;
		_exit(127);
	}
	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		(void)sigaction(ours[i].signal, &c->old[i], NULL);
	(void)sigaction(SIGXFSZ, &caller->xfsz, NULL);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (caller->closed_fds >> fd & 1)
			(void)close(fd);
	(void)sigprocmask(SIG_SETMASK, &caller->mask, NULL);
	(void)execvpe(argv[0], argv, who->changes ? who->environment : environ);
	ret_failure->error = errno;
	ret_failure->not_executed = true;
	_exit(127);
}

/* Cleans up, and says what of the three it was. Returns r. */
static int not_started(struct trace_command *c, const char *name, int r, bool by_exec,
		       struct why *why)
{
	int status;

	while (c->pid > 0 && waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	trace_command_end(c);
	c->not_executed = by_exec;
	if (c->pid < 0)
		return why_no_process(why, r, name);
	return by_exec ? why_errno(why, r, "%s", name)
		       : why_errno(why, r, "cannot become the user that %s is to run as", name);
}

int trace_command_start(struct trace_command *c, char *const *argv,
			const struct trace_caller *caller, struct why *why)
{
	volatile struct failure failure = {.error = 0};
	struct trace_identity who;
	pid_t pid;
	int r;

	*c = (struct trace_command){.pid = 0};
	r = trace_identity_find(caller, &who, why);
	if (r < 0)
		return r;
	take_signals(c);
	c->started_ns = sys_now_ns();
	/* vfork, since what a copy of us faults on before exec would be in the command's counters: 52
	 * faults for "true" against 72 by fork */
	pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (pid == 0)  /* NOLINTNEXTLINE(clang-analyzer-unix.Vfork): it makes system calls only */
		become(c, argv, caller, &who, &failure);
	r = pid < 0 ? -errno : -failure.error;
	c->pid = pid;
	trace_identity_free(&who);
	return r < 0 ? not_started(c, argv[0], r, failure.not_executed, why) : 0;
}

static bool has_ended(const struct trace_command *c)
{
	siginfo_t info = {.si_pid = 0};

	(void)waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT);
	return info.si_pid == c->pid;
}

bool trace_command_wait(struct trace_command *c, uint64_t until_ns)
{
	sigset_t held = held_signals();
	uint64_t now;

	while (!has_ended(c)) {
		struct timespec timeout = {.tv_sec = 0};
		int s;

		now = sys_now_ns();
		if (now >= until_ns)
			return false;
		timeout.tv_sec = (time_t)((until_ns - now) / 1000000000U);
		timeout.tv_nsec = (long)((until_ns - now) % 1000000000U);
		s = sigtimedwait(&held, NULL, &timeout);
		if (s == SIGTERM || s == SIGHUP)
			(void)kill(c->pid, s);
	}
	return true;
}
