/* SPDX-License-Identifier: MIT */
/*
 * Runs a command that believes in a hardware PMU, for machines that have none: staged_pmu COMMAND...
 *
 * Each perf_event_open of the command and of its descendants is held by a seccomp filter and told to
 * this process, which looks at the event wanted. In place of a hardware event it opens a software event
 * on the same thread and puts the descriptor into the caller's table; everything else goes on to the
 * kernel as it was. What counts for what is the table stand_ins. The clocks count nanoseconds in both
 * modes, whatever exclude_user and exclude_kernel say; page faults heed them.
 *
 * Exits like the command, with 77 where this cannot be done. Needs Linux 5.14 and no privileges. A
 * descendant that outlives the command finds no perf_event_open (ENOSYS).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77 }; /* what the tests take for "cannot be done here" */

#define DTLB_LOAD_MISSES                                                 \
	(PERF_COUNT_HW_CACHE_DTLB | (PERF_COUNT_HW_CACHE_OP_READ << 8) | \
	 (PERF_COUNT_HW_CACHE_RESULT_MISS << 16))

/* Other hardware events are the CPU clock, so that a wrong one is far from page faults. */
static const struct {
	uint32_t type;
	uint32_t config;
	uint64_t software;
} stand_ins[] = {
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_SW_TASK_CLOCK},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_SW_CPU_CLOCK},
	{PERF_TYPE_HW_CACHE, DTLB_LOAD_MISSES, PERF_COUNT_SW_PAGE_FAULTS},
};

/* Those that the terminal or a test sends; the command gets them, too. */
static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};

struct stage {
	int listener;
	int signals;
	pid_t command;
	struct seccomp_notif *request; /* of the kernel's size, which may be more than ours */
	struct seccomp_notif_resp *answer;
	struct seccomp_notif_sizes sizes;
};

/* perf_event_open's arguments, as the caller gave them. */
struct wanted {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	int group_fd;
	unsigned long flags;
};

/* --- one perf_event_open ------------------------------------------------------------------------- */

/* False where it cannot be read: the kernel will then say why. */
static bool read_attr(pid_t thread, uint64_t address, struct perf_event_attr *ret)
{
	struct perf_event_attr attr = {.type = 0};
	const off_t at = (off_t)address;
	size_t size = PERF_ATTR_SIZE_VER0;
	bool good;
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/mem", thread);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	good = pread(fd, &attr, size, at) == (ssize_t)size;
	if (good && attr.size > size) {
		size = attr.size < sizeof(attr) ? attr.size : sizeof(attr);
		good = pread(fd, &attr, size, at) == (ssize_t)size;
	}
	(void)close(fd);
	*ret = attr;
	return good;
}

/* Whether this is a hardware event, for a thread or a CPU. */
static bool is_wanted(const struct seccomp_notif *request, struct wanted *ret)
{
	const __u64 *args = request->data.args;

	*ret = (struct wanted){
		.pid = args[1] ? (pid_t)args[1] : (pid_t)request->pid,
		.cpu = (int)args[2],
		.group_fd = (int)args[3],
		.flags = (unsigned long)args[4],
	};
	if ((ret->flags & PERF_FLAG_PID_CGROUP) ||
	    !read_attr((pid_t)request->pid, args[0], &ret->attr))
		return false;
	return ret->attr.type == PERF_TYPE_HARDWARE || ret->attr.type == PERF_TYPE_HW_CACHE ||
	       ret->attr.type == PERF_TYPE_RAW;
}

static void make_software(struct perf_event_attr *attr)
{
	uint64_t software = PERF_COUNT_SW_CPU_CLOCK;

	/* the upper half of config names one PMU of several */
	for (size_t i = 0; i < sizeof(stand_ins) / sizeof(stand_ins[0]); i++)
		if (stand_ins[i].type == attr->type &&
		    stand_ins[i].config == (attr->config & UINT32_MAX))
			software = stand_ins[i].software;
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = software;
	attr->config1 = 0;
	attr->config2 = 0;
	attr->precise_ip = 0;
	attr->exclusive = 0;
}

/* A pidfd names a process: the one that the thread belongs to. */
static pid_t process_of(pid_t thread)
{
	char path[64], line[128];
	int process = -1;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", thread);
	f = fopen(path, "re");
	if (!f)
		return -1;
	while (process < 0 && fgets(line, sizeof(line), f))
		if (strncmp(line, "Tgid:", 5) == 0)
			process = (int)strtol(line + 5, NULL, 10);
	(void)fclose(f);
	return process;
}

/* The caller's descriptor as one of ours, or negative errno. */
static int get_fd(pid_t thread, int fd)
{
	long pidfd, got = -1;
	int error;

	pidfd = syscall(SYS_pidfd_open, process_of(thread), 0);
	if (pidfd < 0)
		return -errno;
	got = syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	error = errno;
	(void)close((int)pidfd);
	return got < 0 ? -error : (int)got;
}

/* The event in place of the one wanted: a descriptor, or negative errno for the caller. */
static int open_stand_in(pid_t caller, struct wanted *w)
{
	int group = -1, error;
	long fd;

	if (w->group_fd >= 0) {
		group = get_fd(caller, w->group_fd);
		if (group < 0)
			return group;
	}
	make_software(&w->attr);
	fd = syscall(SYS_perf_event_open, &w->attr, w->pid, w->cpu, group,
		     w->flags | PERF_FLAG_FD_CLOEXEC);
	error = errno;
	if (group >= 0)
		(void)close(group);
	return fd < 0 ? -error : (int)fd;
}

/* --- answers: a caller that is gone meanwhile (ENOENT) needs none -------------------------------- */

static void answer(struct stage *s, int error, unsigned flags)
{
	memset(s->answer, 0, s->sizes.seccomp_notif_resp);
	s->answer->id = s->request->id;
	s->answer->error = error;
	s->answer->flags = flags;
	if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SEND, s->answer) < 0 && errno != ENOENT)
		perror("staged_pmu: cannot answer");
}

static void hand_over(struct stage *s, int fd, const struct wanted *w)
{
	struct seccomp_notif_addfd add = {
		.id = s->request->id,
		.flags = SECCOMP_ADDFD_FLAG_SEND,
		.srcfd = (unsigned)fd,
		.newfd_flags = w->flags & PERF_FLAG_FD_CLOEXEC ? O_CLOEXEC : 0,
	};

	if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0 && errno != ENOENT)
		answer(s, -errno, 0);
	(void)close(fd);
}

static void serve(struct stage *s)
{
	struct wanted wanted;
	int fd;

	memset(s->request, 0, s->sizes.seccomp_notif);
	if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_RECV, s->request) < 0)
		return; /* the caller is gone, or was interrupted and will come again */
	if (!is_wanted(s->request, &wanted)) {
		answer(s, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
		return;
	}
	fd = open_stand_in((pid_t)s->request->pid, &wanted);
	if (fd < 0)
		answer(s, fd, 0);
	else
		hand_over(s, fd, &wanted);
}

/* --- the command --------------------------------------------------------------------------------- */

static int listen_to_perf(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &program);
}

/* A message of one byte with room for one descriptor beside it. */
union one_fd {
	char room[CMSG_SPACE(sizeof(int))];
	struct cmsghdr aligned;
};

static bool send_fd(int socket, int fd)
{
	union one_fd control = {.room = {0}};
	char byte = 0;
	struct iovec data = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(socket, &message, 0) == 1;
}

static int receive_fd(int socket)
{
	union one_fd control = {.room = {0}};
	char byte;
	struct iovec data = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	int fd = -1;

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	c = CMSG_FIRSTHDR(&message);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* In the child: becomes the command, under the filter. */
static void become(char **argv, int socket, pid_t parent, const sigset_t *mask)
{
	int listener, error;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(SKIPPED);
	listener = listen_to_perf();
	if (listener < 0 || !send_fd(socket, listener) ||
	    sigprocmask(SIG_SETMASK, mask, NULL) < 0) {
		perror("staged_pmu: cannot hold perf_event_open");
		_exit(SKIPPED);
	}
	(void)execvp(argv[0], argv); /* both descriptors close */
	error = errno;
	perror(argv[0]);
	_exit(error == ENOENT ? 127 : 126);
}

/* --- the loop ------------------------------------------------------------------------------------ */

/* Reaps whoever is over, orphans included. Whether the command was among them. */
static bool reap(pid_t command, int *ret_status)
{
	bool is_over = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		*ret_status = status;
		is_over = true;
	}
	return is_over;
}

/* Until the command is over: its wait status. */
static int supervise(struct stage *s)
{
	struct pollfd fds[] = {{s->signals, POLLIN, 0}, {s->listener, POLLIN, 0}};
	struct signalfd_siginfo info;
	int status = 0;

	for (;;) {
		if (poll(fds, 2, -1) < 0)
			continue; /* EINTR: a signal that is not passed on */
		if (fds[1].revents & POLLIN)
			serve(s);
		else if (fds[1].revents)
			fds[1].fd = -1; /* nobody is left under the filter */
		if (!(fds[0].revents & POLLIN) ||
		    read(s->signals, &info, sizeof(info)) != sizeof(info))
			continue;
		if (info.ssi_signo == SIGCHLD) {
			if (reap(s->command, &status))
				return status;
		} else if (info.ssi_code != SI_KERNEL) {
			/* those of a terminal have reached the command, too */
			(void)kill(s->command, (int)info.ssi_signo);
		}
	}
}

static int exit_like(int status)
{
	sigset_t set;

	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	(void)prctl(PR_SET_DUMPABLE, 0); /* the command's core is the one of interest */
	(void)signal(WTERMSIG(status), SIG_DFL);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, WTERMSIG(status));
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	(void)raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

/* Blocks what supervise() reads. The mask of before is for the command. */
static int open_signals(sigset_t *ret_before)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++)
		(void)sigaddset(&set, passed_on[i]);
	(void)signal(SIGCHLD, SIG_DFL); /* where it is ignored there is no status */
	if (sigprocmask(SIG_BLOCK, &set, ret_before) < 0)
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int fail(const char *what)
{
	perror(what);
	return SKIPPED;
}

int main(int argc, char **argv)
{
	struct stage s = {.listener = -1};
	pid_t self = getpid();
	int sockets[2], status;
	sigset_t before;

	if (argc < 2) {
		(void)fputs("usage: staged_pmu COMMAND...\n", stderr);
		return 2;
	}
	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &s.sizes) < 0)
		return fail("staged_pmu: no seccomp notifications");
	s.request = calloc(1, s.sizes.seccomp_notif + sizeof(*s.request));
	s.answer = calloc(1, s.sizes.seccomp_notif_resp + sizeof(*s.answer));
	s.signals = open_signals(&before);
	/* orphans stay our descendants: Yama lets nobody but ancestors look into a process */
	if (!s.request || !s.answer || s.signals < 0 ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return fail("staged_pmu");
	s.command = fork();
	if (s.command < 0)
		return fail("staged_pmu: fork");
	if (s.command == 0)
		become(argv + 1, sockets[1], self, &before);
	(void)close(sockets[1]);
	s.listener = receive_fd(sockets[0]);
	(void)close(sockets[0]);
	status = supervise(&s); /* where there is no listener, for the child's complaint */
	free(s.request);
	free(s.answer);
	return exit_like(status);
}
