/* SPDX-License-Identifier: MIT */
/* Starting, stopping and reaping the process of a trial. */
#include "src/base/why.h"
#include "src/bench/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ABOVE_FIXED_FDS = BENCH_TRIAL_FD_FILE + 1 };

int bench_child_move_fd(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE_FIXED_FDS);
	int r = moved < 0 ? -errno : moved;

	if (r == -EINVAL) /* the number asked for is beyond the limit */
		r = -EMFILE;

	(void)close(fd);
	return r;
}

int bench_child_init(struct bench_child *child, struct why *why)
{
	void *map;
	int fd;

	*child = (struct bench_child){.fd_shared = -1};
	fd = memfd_create("pagetoll-trial", MFD_CLOEXEC);
	if (fd < 0)
		return why_errno(why, -errno, "memfd_create");
	child->fd_shared = bench_child_move_fd(fd);
	if (child->fd_shared < 0)
		return why_errno(why, child->fd_shared, "cannot keep the trial's shared memory");
	if (ftruncate(child->fd_shared, (off_t)sizeof(struct bench_shared)) < 0)
		return why_errno(why, -errno, "cannot size the trial's shared memory");
	map = mmap(NULL, sizeof(struct bench_shared), PROT_READ | PROT_WRITE, MAP_SHARED,
		   child->fd_shared, 0);
	if (map == MAP_FAILED)
		return why_errno(why, -errno, "cannot map the trial's shared memory");
	child->shared = map;
	return 0;
}

void bench_child_fini(struct bench_child *child)
{
	if (child->pid)
		(void)bench_child_stop(child);
	if (child->shared)
		(void)munmap(child->shared, sizeof(struct bench_shared));
	if (child->fd_shared >= 0)
		(void)close(child->fd_shared);
	*child = (struct bench_child){.fd_shared = -1};
}

/* Our environment with one variable set, or taken out; the caller frees the array alone. NULL: no memory. */
static char **environment_with(const char *assignment)
{
	size_t name = strcspn(assignment, "=");
	size_t n = 0, count = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 2, sizeof(*env));
	if (!env)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!name || strncmp(environ[i], assignment, name) != 0 || environ[i][name] != '=')
			env[count++] = environ[i];
	if (assignment[name] == '=')
		env[count] = (char *)assignment;
	return env;
}

int bench_child_start(struct bench_child *child, int fd_file, const char *assignment,
		      struct why *why)
{
	char **env = environment_with(assignment);
	char *argv[] = {(char *)"pagetoll", (char *)BENCH_TRIAL_COMMAND, child->shared->scenario,
			NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	int r;

	if (!env)
		return why_set(why, -ENOMEM, "no memory for a trial's environment");
	child->shared->magic = BENCH_TRIAL_MAGIC;
	child->shared->parent = getpid();
	child->shared->status = MODEL_FAILED;
	child->shared->reason[0] = 0;
	atomic_store(&child->shared->n_done, 0);
	atomic_store(&child->shared->ended, 0);
	(void)posix_spawn_file_actions_init(&files);
	(void)posix_spawnattr_init(&attr);
	/* the engine holds back signals for itself; what is ignored (nohup) stays ignored */
	(void)sigemptyset(&none);
	r = posix_spawnattr_setsigmask(&attr, &none);
	if (r == 0)
		r = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&files, child->fd_shared,
						     BENCH_TRIAL_FD_SHARED);
	if (r == 0 && fd_file >= 0)
		r = posix_spawn_file_actions_adddup2(&files, fd_file, BENCH_TRIAL_FD_FILE);
	if (r == 0)
		r = posix_spawn(&child->pid, "/proc/self/exe", &files, &attr, argv, env);
	free(env);
	(void)posix_spawnattr_destroy(&attr);
	(void)posix_spawn_file_actions_destroy(&files);
	if (r != 0) {
		child->pid = 0;
		if (r == ENOENT)
			return why_set(why, -r,
				       "cannot start a trial: there is no /proc/self/exe to "
				       "execute; mount /proc");
		return why_no_process(why, -r, "a trial");
	}
	return 0;
}

int bench_child_stop(struct bench_child *child)
{
	int status = 0;

	if (!child->pid)
		return 0;
	(void)kill(child->pid, SIGKILL);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	child->pid = 0;
	return status;
}
