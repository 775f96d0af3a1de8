/* SPDX-License-Identifier: MIT */
/* Starting another command as our caller would have started it, and waiting for its end. */
#include "src/trace/command.h"

#include "src/base/array.h"
#include "src/base/why.h"
#include "src/sys/clock.h"

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

/* In the child, which shares our memory until exec: nothing but system calls, and *ret_errno. */
__attribute__((noreturn)) static void become(const struct trace_command *c, char *const *argv,
					     const struct trace_caller *caller,
					     volatile int *ret_errno)
{
	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		(void)sigaction(ours[i].signal, &c->old[i], NULL);
	(void)sigaction(SIGXFSZ, &caller->xfsz, NULL);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (caller->closed_fds >> fd & 1)
			(void)close(fd);
	(void)sigprocmask(SIG_SETMASK, &caller->mask, NULL);
	(void)execvp(argv[0], argv);
	*ret_errno = errno;
	_exit(127);
}

int trace_command_start(struct trace_command *c, char *const *argv,
			const struct trace_caller *caller, struct why *why)
{
	volatile int exec_errno = 0;
	pid_t pid;
	int status;

	*c = (struct trace_command){.pid = 0};
	take_signals(c);
	c->started_ns = sys_now_ns();
	/* vfork, since what a copy of us faults on before exec would be in the command's counters: 52
	 * faults for "true" against 72 by fork */
	pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (pid == 0)  /* NOLINTNEXTLINE(clang-analyzer-unix.Vfork): it makes system calls only */
		become(c, argv, caller, &exec_errno);
	c->pid = pid;
	if (c->pid > 0 && exec_errno == 0)
		return 0;
	if (c->pid < 0)
		exec_errno = errno;
	else
		while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
			;
	c->not_executed = c->pid > 0;
	trace_command_end(c);
	return c->not_executed ? why_errno(why, -exec_errno, "%s", argv[0])
			       : why_no_process(why, -exec_errno, argv[0]);
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
