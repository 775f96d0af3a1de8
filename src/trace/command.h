/* SPDX-License-Identifier: MIT */
/* Starting another command as our caller would have started it, and waiting for its end. */
#ifndef TRACE_COMMAND_H
#define TRACE_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct why;

/* What our caller gave us and we have changed for ourselves since: the command gets it unchanged. */
struct trace_caller {
	unsigned
		closed_fds; /* bit fd: standard descriptor that was closed, and that we hold open */
	struct sigaction xfsz; /* SIGXFSZ, which we ignore */
	sigset_t mask;
	/* Where we are root for somebody else, who the command is to be: never root then, or not begun at all. */
	int64_t run_as_uid, run_as_gid; /* -1: as we are; of the group: the user's own */
	const char *run_as_name;        /* of that user; NULL: the first of that number */
};

struct trace_command {
	pid_t pid;
	uint64_t started_ns; /* CLOCK_MONOTONIC */
	bool not_executed;   /* why it did not start: exec refused, and not something of ours */
	int fd_hold;         /* of a held one, else -1 */
	/* to be put back at the end */
	sigset_t mask;
	struct sigaction old[3];
};

/*
 * Starts argv, looked for in PATH, as a child that has the caller's signal mask and dispositions and
 * none of our descriptors. From here on until trace_command_end() SIGINT and SIGQUIT are ignored, which a
 * terminal sends to both, and SIGTERM, SIGHUP and SIGCHLD are held back for trace_command_wait(). 0, or
 * the negative errno; then nothing is changed.
 */
int trace_command_start(struct trace_command *c, char *const *argv,
			const struct trace_caller *caller, struct why *why);

/*
 * The same, but it is held before exec, so that events can be opened for c->pid: by fork, since whoever calls
 * vfork waits for exec. trace_command_release() lets it go, trace_command_abandon() does not.
 */
int trace_command_hold(struct trace_command *c, char *const *argv,
		       const struct trace_caller *caller, struct why *why);

/* Faults that a held command had before exec. */
struct trace_before_exec {
	uint64_t n_minor, n_major;
};

/* 0, or negative errno as trace_command_start(). */
int trace_command_release(struct trace_command *c, const char *name, struct trace_before_exec *ret,
			  struct why *why);
void trace_command_abandon(struct trace_command *c);

/* A descriptor that is readable when trace_command_wait() has something to do. Negative errno. */
int trace_command_signals(void);

/*
 * Waits until the command has ended, or until_ns. SIGTERM and SIGHUP are passed on to it. True once it
 * has ended: it is a zombie then, and stays one for /proc/PID to be read.
 */
bool trace_command_wait(struct trace_command *c, uint64_t until_ns);

/* The same at once: passes on what has come. */
bool trace_command_look(struct trace_command *c);

/* Puts signals back as they were; what came for the command meanwhile is dropped. */
void trace_command_end(struct trace_command *c);

#endif
