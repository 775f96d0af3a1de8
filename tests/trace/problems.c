/* SPDX-License-Identifier: MIT */
/*
 * Programs with one problem each, for findings that no program of tests/cases has: problems NAME [ARG]. The function that
 * is to blame has the name of the problem. Exit status 77: it cannot be had here, and why.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUT __attribute__((noinline))
#define MIB (1UL << 20)
#define LARGE (128 * MIB)

enum { SKIPPED = 77 };

static size_t page;

static void skip(const char *what)
{
	(void)printf("skip: %s: %s\n", what, strerror(errno));
	exit(SKIPPED);
}

static char *map(size_t bytes, int flags)
{
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags,
			-1, 0);

	if (at == MAP_FAILED)
		skip("mmap");
	return at;
}

/* --- memory that is given back ------------------------------------------------------------------------------ */

static OUT void decommit(volatile char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += page)
		at[i] = 1;
}

/* As an arena does that gives its pages back at each end of a request. */
static int decommit_loop(const char *arg)
{
	char *at = map(16 * MIB, 0);

	(void)arg;
	for (int i = 0; i < 20; i++) {
		decommit(at, 16 * MIB);
		(void)madvise(at, 16 * MIB, MADV_DONTNEED);
	}
	return 0;
}

enum { BLOCK = 64 << 10, BLOCKS = 256 };

static OUT void trim(char **blocks)
{
	for (int i = 0; i < BLOCKS; i++) {
		blocks[i] = malloc(BLOCK);
		if (!blocks[i])
			abort();
		for (volatile char *p = blocks[i]; p < blocks[i] + BLOCK; p += page)
			*p = 1;
	}
}

/* The heap grows by 16 MiB, and all of it is freed: malloc trims its top. */
static int trim_loop(const char *arg)
{
	char *blocks[BLOCKS];

	(void)arg;
	for (int i = 0; i < 20; i++) {
		trim(blocks);
		for (int b = BLOCKS - 1; b >= 0; b--)
			free(blocks[b]);
	}
	return 0;
}

/* --- threads and stacks --------------------------------------------------------------------------------------- */

static OUT void *serve(void *arg)
{
	size_t bytes = 2 * MIB;
	char *own = map(bytes, 0);

	for (volatile char *p = own; p < own + bytes; p += page)
		*p = 1;
	return arg;
}

/* A thread for each request, with a buffer of its own that nobody uses again. */
static int serve_loop(const char *arg)
{
	enum { N = 2 };
	pthread_t threads[N];

	(void)arg;
	for (int round = 0; round < 32; round++) {
		for (int i = 0; i < N; i++)
			if (pthread_create(&threads[i], NULL, serve, NULL) != 0)
				abort();
		for (int i = 0; i < N; i++)
			(void)pthread_join(threads[i], NULL);
	}
	return 0;
}

static OUT int recurse(int depth)
{
	volatile char room[8192];

	room[0] = (char)depth;
	room[sizeof(room) - 1] = (char)depth;
	return depth > 0 ? recurse(depth - 1) + room[0] : room[0];
}

/* Most of an 8 MiB stack, once. */
static int recurse_once(const char *arg)
{
	(void)arg;
	return recurse(900) == 1 ? 1 : 0;
}

/* --- locks ------------------------------------------------------------------------------------------------------ */

static volatile int is_over;

/* Changing the rights of many pages that are there holds the lock for long. */
static void *protect_loop(void *arg)
{
	char *at = map(LARGE, MAP_POPULATE);

	while (!is_over) {
		(void)mprotect(at, LARGE, PROT_READ);
		(void)mprotect(at, LARGE, PROT_READ | PROT_WRITE);
	}
	return arg;
}

static OUT void contend(volatile char *at)
{
	*at = 5;
}

/* A page between two that may not be touched, so that it is a mapping of its own. */
static char *map_alone(void)
{
	char *at = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || mprotect(at + page, page, PROT_READ | PROT_WRITE) < 0)
		skip("mmap");
	return at + page;
}

/* Each first touch in a mapping without an anon_vma takes mmap_lock, which another thread holds most of the time. */
static int contend_loop(const char *arg)
{
	pthread_t thread;

	(void)arg;
	if (pthread_create(&thread, NULL, protect_loop, NULL) != 0)
		abort();
	(void)usleep(200000); /* until its memory is there */
	for (int i = 0; i < 150; i++)
		contend(map_alone());
	is_over = 1;
	return pthread_join(thread, NULL);
}

/* --- userfaultfd -------------------------------------------------------------------------------------------------- */

static void *handle(void *arg)
{
	int fd = *(int *)arg;
	char *filled = map(page, 0);
	struct uffd_msg message;

	while (read(fd, &message, sizeof(message)) == sizeof(message)) {
		struct uffdio_copy copy = {.dst = message.arg.pagefault.address & ~(page - 1),
					   .src = (uintptr_t)filled,
					   .len = page};

		(void)usleep(500);
		(void)ioctl(fd, UFFDIO_COPY, &copy);
	}
	return NULL;
}

static OUT void await(volatile char *at, size_t bytes)
{
	for (size_t i = bytes; i > 0; i -= page)
		at[i - page] = 3;
}

static int await_handler(const char *arg)
{
	static int fd;
	struct uffdio_api api = {.api = UFFD_API};
	size_t bytes = 256 * page;
	char *at = map(bytes, 0);
	struct uffdio_register registered = {.range = {(uintptr_t)at, bytes},
					     .mode = UFFDIO_REGISTER_MODE_MISSING};
	pthread_t thread;

	(void)arg;
	fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 ||
	    ioctl(fd, UFFDIO_REGISTER, &registered) < 0)
		skip("userfaultfd");
	if (pthread_create(&thread, NULL, handle, &fd) != 0)
		abort();
	await(at, bytes);
	return 0;
}

/* --- faults that end in a signal ---------------------------------------------------------------------------------- */

static OUT int behind_end(volatile const char *at)
{
	return at[page];
}

/* A file that was cut while it was mapped. */
static int cut_file(const char *arg)
{
	int fd = open(arg, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char *at;

	if (fd < 0 || ftruncate(fd, (off_t)(4 * page)) < 0)
		skip(arg ? arg : "no file");
	at = mmap(NULL, 4 * page, PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED || ftruncate(fd, (off_t)page) < 0)
		skip("mmap");
	return behind_end(at);
}

static OUT void empty_pool(volatile char *at)
{
	*at = 1;
}

static int pool_short(const char *arg)
{
	(void)arg;
	empty_pool(map(2 * MIB, MAP_HUGETLB | MAP_NORESERVE));
	return 0;
}

/* --- cow without churn: a private file, a child that writes ---------------------------------------------------------- */

static OUT void child_writes(volatile char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += page)
		at[i] = 2;
}

/* The parent waits; its child copies all that it inherited. */
static int child_copies(const char *arg)
{
	char *at = map(64 * MIB, MAP_POPULATE);
	pid_t child = fork();
	int status;

	(void)arg;
	if (child == 0) {
		child_writes(at, 64 * MIB);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

/* --- more file than memory ------------------------------------------------------------------------------------------------ */

static OUT unsigned scan(volatile const char *at, size_t bytes)
{
	unsigned sum = 0;

	for (size_t i = 0; i < bytes; i += page)
		sum += (unsigned char)at[i];
	return sum;
}

/* Several passes over a file of 48 MiB that is cold; a cgroup may keep it from staying. */
static int scan_again(const char *arg)
{
	size_t bytes = 48 * MIB;
	int fd = open(arg, O_RDONLY | O_CLOEXEC);
	const char *at = fd < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	unsigned sum = 0;

	if (at == MAP_FAILED)
		skip("file");
	(void)fsync(fd);
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	for (int i = 0; i < 4; i++)
		sum += scan(at, bytes);
	return sum == 1;
}

static OUT void fill(volatile char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += page)
		at[i] = (char)(i >> 12 | 1);
}

/* Twice over 48 MiB: what has gone to swap comes back. */
static int fill_again(const char *arg)
{
	char *at = map(48 * MIB, 0);

	(void)arg;
	for (int i = 0; i < 3; i++)
		fill(at, 48 * MIB);
	return 0;
}

static OUT void overfill(volatile char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += page)
		at[i] = (char)(i >> 12 | 2);
}

/* Once over 96 MiB: where less may be resident each page must press out another. */
static int fill_once(const char *arg)
{
	(void)arg;
	overfill(map(96 * MIB, 0), 96 * MIB);
	return 0;
}

/* All of the future is locked, until there is no more room for it. */
static int lock_all(const char *arg)
{
	(void)arg;
	if (mlockall(MCL_FUTURE) < 0)
		skip("mlockall");
	while (mmap(NULL, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED)
		(void)usleep(1000);
	(void)usleep(300000);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(const char *arg);
} problems[] = {
	{"decommit", decommit_loop}, {"trim", trim_loop},        {"serve", serve_loop},
	{"recurse", recurse_once},   {"contend", contend_loop},  {"await", await_handler},
	{"behind_end", cut_file},    {"empty_pool", pool_short}, {"child_writes", child_copies},
	{"scan", scan_again},        {"fill", fill_again},       {"overfill", fill_once},
	{"lock", lock_all},
};

int main(int argc, char **argv)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	for (size_t i = 0; argc > 1 && i < sizeof(problems) / sizeof(problems[0]); i++)
		if (strcmp(argv[1], problems[i].name) == 0)
			return problems[i].run(argc > 2 ? argv[2] : NULL);
	(void)fprintf(stderr, "usage: problems NAME [ARG]\n");
	return 2;
}
