/* SPDX-License-Identifier: MIT */
/* Starting another command as our caller would have started it, and waiting for its end. */
#include "src/trace/command.h"

#include "src/base/array.h"
#include "src/base/why.h"
#include "src/sys/clock.h"
#include "src/trace/identity.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
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

/* What a held child says: what it has faulted until now; and again, where it could not become the command, why. */
struct held_word {
	struct trace_before_exec before;
	struct failure failure;
};

/* In the child, which may share our memory until exec: nothing but system calls, and *ret_failure. */
static int become(const struct trace_command *c, char *const *argv,
		  const struct trace_caller *caller, const struct trace_identity *who,
		  volatile struct failure *ret_failure)
{
	int r = trace_identity_become(who);

	if (r < 0) {
		ret_failure->error = -r;
		return r;
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
	return -errno;
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

	*c = (struct trace_command){.fd_hold = -1};
	r = trace_identity_find(caller, &who, why);
	if (r < 0)
		return r;
	take_signals(c);
	c->started_ns = sys_now_ns();
	/* vfork, since what a copy of us faults on before exec would be in the command's counters: 52
	 * faults for "true" against 72 by fork */
	pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (pid == 0)  /* NOLINTNEXTLINE(clang-analyzer-unix.Vfork): it makes system calls only */
		_exit(become(c, argv, caller, &who, &failure) ? 127 : 0);
	r = pid < 0 ? -errno : -failure.error;
	c->pid = pid;
	trace_identity_free(&who);
	return r < 0 ? not_started(c, argv[0], r, failure.not_executed, why) : 0;
}

/* --- held before exec ------------------------------------------------------------------------------------ */

__attribute__((noreturn)) static void hold_and_become(const struct trace_command *c,
						      char *const *argv,
						      const struct trace_caller *caller,
						      const struct trace_identity *who, int fd)
{
	struct held_word word = {.before = {0, 0}};
	volatile struct failure failure = {.error = 0};
	struct rusage usage;
	char go;

	if (read(fd, &go, 1) != 1) /* our parent has gone, or thought better of it */
		_exit(127);
	(void)getrusage(RUSAGE_SELF, &usage);
	word.before =
		(struct trace_before_exec){(uint64_t)usage.ru_minflt, (uint64_t)usage.ru_majflt};
	(void)!write(fd, &word, sizeof(word));
	(void)become(c, argv, caller, who, &failure);
	word.failure = (struct failure){failure.error, failure.not_executed};
	(void)!write(fd, &word, sizeof(word));
	_exit(127);
}

int trace_command_hold(struct trace_command *c, char *const *argv,
		       const struct trace_caller *caller, struct why *why)
{
	struct trace_identity who;
	int pair[2], r;

	*c = (struct trace_command){.fd_hold = -1};
	r = trace_identity_find(caller, &who, why);
	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
		r = why_errno(why, -errno, "cannot start %s", argv[0]);
		trace_identity_free(&who);
		return r;
	}
	take_signals(c);
	c->started_ns = sys_now_ns();
	c->pid = fork();
	if (c->pid == 0) {
		(void)close(pair[0]); /* else the end of the other side would never be seen */
		hold_and_become(c, argv, caller, &who, pair[1]);
	}
	r = c->pid < 0 ? -errno : 0;
	trace_identity_free(&who);
	(void)close(pair[1]);
	c->fd_hold = pair[0];
	if (r == 0)
		return 0;
	(void)close(pair[0]);
	return not_started(c, argv[0], r, false, why);
}

/* True where all of it came; a short one is the end of the other side. */
static bool read_word(int fd, struct held_word *ret)
{
	size_t n = 0;

	while (n < sizeof(*ret)) {
		ssize_t more = read(fd, (char *)ret + n, sizeof(*ret) - n);

		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0)
			return false;
		n += (size_t)more;
	}
	return true;
}

int trace_command_release(struct trace_command *c, const char *name, struct trace_before_exec *ret,
			  struct why *why)
{
	struct held_word word, end;
	bool is_there;

	c->started_ns = sys_now_ns();
	is_there = send(c->fd_hold, "", 1, MSG_NOSIGNAL) == 1 && read_word(c->fd_hold, &word);
	if (!is_there) /* killed while it was held */
		end = (struct held_word){.failure = {ECHILD, false}};
	else if (!read_word(c->fd_hold, &end)) /* exec has closed it */
		end = (struct held_word){.failure = {0, false}};
	(void)close(c->fd_hold);
	c->fd_hold = -1;
	if (end.failure.error)
		return not_started(c, name, -end.failure.error, end.failure.not_executed, why);
	*ret = word.before;
	return 0;
}

void trace_command_abandon(struct trace_command *c)
{
	int status;

	(void)close(c->fd_hold); /* it reads the end, and exits */
	c->fd_hold = -1;
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	trace_command_end(c);
}

int trace_command_signals(void)
{
	sigset_t held = held_signals();
	int fd = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

static bool has_ended(const struct trace_command *c)
{
	siginfo_t info = {.si_pid = 0};

	(void)waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT);
	return info.si_pid == c->pid;
}

static void pass_on(const struct trace_command *c, int signal)
{
	if (signal == SIGTERM || signal == SIGHUP)
		(void)kill(c->pid, signal);
}

bool trace_command_look(struct trace_command *c)
{
	struct timespec at_once = {.tv_nsec = 0};
	sigset_t held = held_signals();
	int signal;

	if (has_ended(c))
		return true;
	while ((signal = sigtimedwait(&held, NULL, &at_once)) > 0)
		pass_on(c, signal);
	return has_ended(c); /* a SIGCHLD that was taken does not come again */
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
		pass_on(c, s);
	}
	return true;
}
