/* SPDX-License-Identifier: MIT */
/* Takes faults of one kind in a known number, for what traces them: faults [--time] [--present] [--warm] KIND ARG... */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

/* Functions that fault keep their names, and the loop in them. */
#ifdef __clang__
#define FAULTING __attribute__((noinline)) static
#else
#define FAULTING __attribute__((noinline, noclone)) static
#endif

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { FAILED = 1, USAGE = 2, SKIPPED = 77 };
enum { AS_COUNTED = -1 }; /* faults: the kernel decides how many; rusage tells */

static bool with_time, on_present, warm_first;
static size_t page_bytes;

static int skip(const char *why)
{
	(void)printf("skip: %s: %s\n", why, strerror(errno));
	return SKIPPED;
}

__attribute__((noreturn)) static void die(const char *what)
{
	perror(what);
	exit(FAILED);
}

/* --- the loops ---------------------------------------------------------------------------------------- */

typedef void touching(volatile unsigned char *memory, size_t n, size_t stride);

FAULTING void touch_pages(volatile unsigned char *memory, size_t n, size_t stride)
{
	for (size_t i = 0; i < n; i++)
		memory[i * stride] = 1;
}

FAULTING void read_pages(volatile unsigned char *memory, size_t n, size_t stride)
{
	for (size_t i = 0; i < n; i++)
		(void)memory[i * stride];
}

/* The same byte of each page would be in the same few sets of a cache, and out of it again at once. */
FAULTING void read_lines(volatile unsigned char *memory, size_t n, size_t stride)
{
	for (size_t i = 0; i < n; i++)
		(void)memory[i * stride + i % 32 * 64];
}

/* Downwards, since a stack grows so. */
FAULTING void grow_stack(volatile unsigned char *top, size_t n, size_t stride)
{
	for (size_t i = 1; i <= n; i++)
		*(top - i * stride) = 1;
}

/* In an order that no readahead foresees. */
FAULTING void read_shuffled(volatile unsigned char *memory, size_t n, size_t stride)
{
	size_t *order = calloc(n, sizeof(*order));
	unsigned seed = 1;

	if (!order)
		die("calloc");
	for (size_t i = 0; i < n; i++) {
		size_t j = (size_t)rand_r(&seed) % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (size_t i = 0; i < n; i++)
		(void)memory[order[i] * stride];
	free(order);
}

/* --- a section, timed --------------------------------------------------------------------------------- */

struct reading {
	struct timespec cpu, wall;
	struct rusage usage;
};

static void read_counters(struct reading *ret)
{
	if (getrusage(RUSAGE_THREAD, &ret->usage) < 0)
		die("getrusage");
}

static void read_clocks(struct reading *ret)
{
	(void)clock_gettime(CLOCK_MONOTONIC, &ret->wall);
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ret->cpu);
}

static double between_ns(struct timespec a, struct timespec b)
{
	return (double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec);
}

static void print_times(const struct reading *a, const struct reading *b, size_t n)
{
	if (with_time)
		(void)printf(" pages=%zu cpu_ns_per_page=%.1f wall_ns_per_page=%.1f", n,
			     between_ns(a->cpu, b->cpu) / (double)n,
			     between_ns(a->wall, b->wall) / (double)n);
	(void)printf("\n");
}

/* Touches n pages, which is expected to take so many faults, or none where they are present. */
static int section(touching *touch, volatile unsigned char *memory, size_t n, size_t stride,
		   long expected)
{
	struct reading a, b;
	long counted;

	touch(memory, on_present ? n : 0, stride); /* and the code is present in any case */
	read_clocks(&a); /* twice: the first time its own code is brought */
	read_counters(&a);
	read_clocks(&a);
	touch(memory, n, stride);
	read_clocks(&b);
	read_counters(&b);
	counted = b.usage.ru_minflt + b.usage.ru_majflt - a.usage.ru_minflt - a.usage.ru_majflt;
	(void)printf("faults=%ld counted=%ld",
		     expected == AS_COUNTED ? counted
		     : on_present           ? 0
					    : expected,
		     counted);
	print_times(&a, &b, n);
	return 0;
}

/* --- memory ----------------------------------------------------------------------------------------------- */

static unsigned char *map(size_t bytes, int flags)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1,
		       0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

/* Base pages, not present. With --warm the host of a virtual machine has as many at hand: populated and given
 * back right before, which takes no fault. */
static unsigned char *map_fresh(size_t n)
{
	unsigned char *memory;

	if (warm_first)
		(void)munmap(map(n * page_bytes, MAP_POPULATE), n * page_bytes);
	memory = map(n * page_bytes, 0);
	(void)madvise(memory, n * page_bytes, MADV_NOHUGEPAGE);
	return memory;
}

/* The same, present and written, without a fault where the kernel can. */
static unsigned char *map_written(size_t n)
{
	unsigned char *memory = map_fresh(n);

	if (madvise(memory, n * page_bytes, MADV_POPULATE_WRITE) < 0)
		touch_pages(memory, n, page_bytes);
	return memory;
}

struct file {
	unsigned char *memory;
	size_t n;
	int fd;
};

static struct file map_file(const char *path, int flags)
{
	struct file f = {.fd = open(path, O_RDWR)};
	struct stat st;

	if (f.fd < 0 || fstat(f.fd, &st) < 0 || fsync(f.fd) < 0)
		die(path);
	f.n = (size_t)st.st_size / page_bytes;
	f.memory = mmap(NULL, f.n * page_bytes, PROT_READ | PROT_WRITE, flags, f.fd, 0);
	if (f.memory == MAP_FAILED)
		die(path);
	return f;
}

static void read_whole(int fd)
{
	static char buffer[1 << 16];
	ssize_t n;

	for (off_t at = 0; (n = pread(fd, buffer, sizeof(buffer), at)) > 0; at += n)
		;
}

/* Drops it from the page cache, and readahead with it. False: it stays. */
static bool make_cold(const struct file *f)
{
	unsigned char in_cache;

	(void)posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED);
	if (madvise(f->memory, f->n * page_bytes, MADV_RANDOM) < 0 ||
	    mincore(f->memory, page_bytes, &in_cache) < 0)
		die("madvise");
	errno = EBUSY;
	return !(in_cache & 1);
}

/* --- children ----------------------------------------------------------------------------------------------- */

/* A child that waits to be killed, or goes at once. */
static pid_t fork_child(bool stays)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		die("fork");
	if (pid > 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (stays && getppid() == parent)
		(void)pause();
	_exit(0);
}

static void await(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) < 0)
		die("waitpid");
}

/* --- the kinds ---------------------------------------------------------------------------------------------- */

static size_t number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!*text || *end || n == 0) {
		(void)fprintf(stderr, "faults: '%s' is no number above 0\n", text);
		exit(USAGE);
	}
	return n;
}

static int anon_write(char **args)
{
	size_t n = number(args[0]);

	return section(touch_pages, map_fresh(n), n, page_bytes, (long)n);
}

static int zero_read(char **args)
{
	size_t n = number(args[0]);

	return section(read_pages, map_fresh(n), n, page_bytes, (long)n);
}

static int cow(char **args)
{
	size_t n = number(args[0]);
	unsigned char *memory = map_written(n);
	pid_t child;
	int r;

	if (warm_first) /* for the copies */
		(void)munmap(map(n * page_bytes, MAP_POPULATE), n * page_bytes);
	child = fork_child(true);
	r = section(touch_pages, memory, n, page_bytes, (long)n);
	(void)kill(child, SIGKILL);
	await(child);
	return r;
}

static int wp_reuse(char **args)
{
	size_t n = number(args[0]);
	unsigned char *memory = map_written(n);

	await(fork_child(false));
	return section(touch_pages, memory, n, page_bytes, (long)n);
}

/* A file so many times over, side by side. */
static struct file map_often(const char *path, size_t n_times)
{
	struct file f = map_file(path, MAP_PRIVATE);
	size_t bytes = f.n * page_bytes;
	unsigned char *all = map(n_times * bytes, MAP_NORESERVE);

	for (size_t i = 0; i < n_times; i++)
		if (mmap(all + i * bytes, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, f.fd, 0) ==
		    MAP_FAILED)
			die(path);
	return (struct file){all, n_times * f.n, f.fd};
}

/*
 * What is touched of each page is in the CPU's cache before, be the page present or not, so that faults are all of the
 * difference: for which the file is to be small, and mapped often.
 */
static int file_warm(char **args)
{
	struct file once = map_file(args[0], MAP_PRIVATE);
	struct file f = map_often(args[0], args[1] ? number(args[1]) : 1);

	read_whole(once.fd);
	if (madvise(once.memory, once.n * page_bytes, MADV_POPULATE_READ) == 0)
		read_lines(once.memory, once.n, page_bytes);
	return section(read_lines, f.memory, f.n, page_bytes, AS_COUNTED);
}

static int file_cold(char **args)
{
	struct file f = map_file(args[0], MAP_PRIVATE);

	if (!make_cold(&f))
		return skip("the file stays in the page cache");
	return section(read_pages, f.memory, f.n, page_bytes, (long)f.n);
}

static int shared_write(char **args)
{
	struct file f = map_file(args[0], MAP_SHARED);

	read_pages(f.memory, f.n, page_bytes);
	return section(touch_pages, f.memory, f.n, page_bytes, (long)f.n);
}

/* The same to pages that were not read before. */
static int write_missing(const char *path, int flags)
{
	struct file f = map_file(path, flags);

	read_whole(f.fd);
	return section(touch_pages, f.memory, f.n, page_bytes, (long)f.n);
}

static int shared_missing(char **args)
{
	return write_missing(args[0], MAP_SHARED);
}

static int private_missing(char **args)
{
	return write_missing(args[0], MAP_PRIVATE);
}

static int shmem(char **args)
{
	size_t n = number(args[0]);
	int fd = memfd_create("shmem", MFD_CLOEXEC);
	unsigned char *memory;

	if (fd < 0 || ftruncate(fd, (off_t)(n * page_bytes)) < 0)
		die("memfd_create");
	memory = mmap(NULL, n * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		die("mmap");
	return section(touch_pages, memory, n, page_bytes, (long)n);
}

/* The number behind a key in a file of the kernel's, "" for the first; 0: there is none. */
static size_t kernel_number(const char *path, const char *key)
{
	FILE *in = fopen(path, "re");
	char line[256];
	size_t n = 0;

	while (in && n == 0 && fgets(line, sizeof(line), in))
		if (strncmp(line, key, strlen(key)) == 0)
			n = strtoul(line + strlen(key), NULL, 10);
	if (in)
		(void)fclose(in);
	return n;
}

/* Huge pages: each base page of them is touched, and the first touch brings all. */
static int thp(char **args)
{
	size_t huge = kernel_number("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "");
	size_t n = number(args[0]), bytes = n * huge;
	uintptr_t at;

	errno = ENOSYS;
	if (huge == 0)
		return skip("no transparent huge pages");
	if (warm_first)
		(void)munmap(map(bytes, MAP_POPULATE), bytes);
	at = (uintptr_t)map(bytes + huge, 0);
	at += (huge - at % huge) % huge;
	if (madvise((void *)at, bytes, MADV_HUGEPAGE) < 0)
		return skip("MADV_HUGEPAGE");
	return section(touch_pages, (unsigned char *)at, bytes / page_bytes, page_bytes,
		       AS_COUNTED);
}

/* Below what the program has used of its stack so far. */
static int stack(char **args)
{
	enum { USED_PAGES = 64 };
	size_t n = number(args[0]);
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) < 0)
		die("getrlimit");
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_STACK, &limit) < 0)
		die("setrlimit");
	here -= here % page_bytes + USED_PAGES * page_bytes;
	return section(grow_stack, (unsigned char *)here, n, page_bytes, (long)n);
}

static int hugetlb(char **args)
{
	size_t n = number(args[0]);
	size_t huge = kernel_number("/proc/meminfo", "Hugepagesize:") << 10;
	void *memory = mmap(NULL, n * huge, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (memory == MAP_FAILED)
		return skip("no huge pages in the pool");
	return section(touch_pages, memory, n, huge, (long)n);
}

static int swap(char **args)
{
	size_t n = number(args[0]);
	unsigned char *memory = map_written(n);

	if (madvise(memory, n * page_bytes, MADV_PAGEOUT) < 0)
		return skip("MADV_PAGEOUT");
	errno = ENOSPC;
	if (kernel_number("/proc/self/status", "VmSwap:") == 0)
		return skip("nothing was swapped out");
	return section(read_pages, memory, n, page_bytes, AS_COUNTED);
}

/* --- kinds with a handler ------------------------------------------------------------------------------------ */

struct uffd {
	int fd;
	unsigned char *filling;
};

static void *serve_uffd(void *data)
{
	const struct uffd *u = data;
	struct uffd_msg message;

	while (read(u->fd, &message, sizeof(message)) == (ssize_t)sizeof(message)) {
		struct uffdio_copy copy = {
			.dst = message.arg.pagefault.address & ~(uint64_t)(page_bytes - 1),
			.src = (uintptr_t)u->filling,
			.len = page_bytes,
		};

		if (ioctl(u->fd, UFFDIO_COPY, &copy) < 0)
			die("UFFDIO_COPY");
	}
	return NULL;
}

static int uffd(char **args)
{
	size_t n = number(args[0]);
	struct uffd u = {.fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY)};
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register reg = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	unsigned char *memory = map_fresh(n);
	pthread_t thread;

	if (u.fd < 0)
		return skip("userfaultfd");
	u.filling = map_written(1);
	reg.range.start = (uintptr_t)memory;
	reg.range.len = n * page_bytes;
	if (ioctl(u.fd, UFFDIO_API, &api) < 0 || ioctl(u.fd, UFFDIO_REGISTER, &reg) < 0)
		return skip("userfaultfd");
	if (pthread_create(&thread, NULL, serve_uffd, &u) != 0)
		die("pthread_create");
	return section(touch_pages, memory, n, page_bytes, (long)n);
}

static volatile sig_atomic_t n_signals;

static void open_page(int signal, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;

	(void)signal;
	(void)context;
	n_signals++;
	if (mprotect((void *)(at - at % page_bytes), page_bytes, PROT_READ | PROT_WRITE) < 0)
		_exit(FAILED);
}

/* Each page faults twice: into SIGSEGV, whose handler opens it, and then as a first write. */
static int segv_handler(char **args)
{
	size_t n = number(args[0]);
	unsigned char *memory = map_fresh(n);
	struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO};

	if (sigaction(SIGSEGV, &action, NULL) < 0 ||
	    mprotect(memory, n * page_bytes, PROT_NONE) < 0)
		die("mprotect");
	return section(touch_pages, memory, n, page_bytes, (long)n);
}

static void count_signal(int signal)
{
	(void)signal;
	n_signals++;
}

/* Signals break off faults that sleep, which are then entered again. */
static int timer_cold(char **args)
{
	struct file f = map_file(args[0], MAP_PRIVATE);
	struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
	struct itimerval often = {.it_interval = {.tv_usec = 300}, .it_value = {.tv_usec = 300}};
	const struct itimerval never = {.it_value = {.tv_usec = 0}};
	int r;

	if (!make_cold(&f))
		return skip("the file stays in the page cache");
	if (sigaction(SIGALRM, &action, NULL) < 0 || setitimer(ITIMER_REAL, &often, NULL) < 0)
		die("setitimer");
	r = section(read_shuffled, f.memory, f.n, page_bytes, (long)f.n);
	(void)setitimer(ITIMER_REAL, &never, NULL);
	return r;
}

/* --- several threads and processes ------------------------------------------------------------------------ */

struct worker {
	pthread_t thread;
	size_t n;
	unsigned n_passes;
	uint64_t until_ns, n_faults;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* Runs so many and returns their faults. */
static uint64_t run_workers(size_t n_workers, void *(*work)(void *), struct worker what)
{
	struct worker *workers = calloc(n_workers, sizeof(*workers));
	uint64_t n_faults = 0;

	if (!workers)
		die("calloc");
	for (size_t i = 0; i < n_workers; i++) {
		workers[i] = what;
		errno = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		if (errno)
			die("pthread_create");
	}
	for (size_t i = 0; i < n_workers; i++) {
		(void)pthread_join(workers[i].thread, NULL);
		n_faults += workers[i].n_faults;
	}
	free(workers);
	return n_faults;
}

static void *touch_some(void *data)
{
	struct worker *w = data;

	touch_pages(map_fresh(w->n), w->n, page_bytes);
	w->n_faults = w->n;
	return NULL;
}

static int threads(char **args)
{
	size_t n_threads = number(args[0]), n = number(args[1]);

	(void)printf("faults=%llu\n", (unsigned long long)run_workers(n_threads, touch_some,
								      (struct worker){.n = n}));
	return 0;
}

static int forks(char **args)
{
	size_t n_children = number(args[0]), n = number(args[1]);

	for (size_t i = 0; i < n_children; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			touch_pages(map_fresh(n), n, page_bytes);
			_exit(0);
		}
		await(pid);
	}
	(void)printf("faults=%zu\n", n_children * n);
	return 0;
}

/* Itself again and again, each time with one less to go. */
static int execs(char **args)
{
	char left[32];
	unsigned long n = strtoul(args[0], NULL, 10);

	if (n == 0) {
		(void)printf("faults=0\n");
		return 0;
	}
	(void)snprintf(left, sizeof(left), "%lu", n - 1);
	(void)execl("/proc/self/exe", "faults", "execs", left, (char *)NULL);
	die("exec");
}

static void *storm_on(void *data)
{
	enum { STORM_PAGES = 1024 };
	struct worker *w = data;
	unsigned char *memory = map_fresh(STORM_PAGES);

	while (now_ns() < w->until_ns) {
		read_pages(memory, STORM_PAGES, page_bytes);
		if (w->n_passes > 1)
			touch_pages(memory, STORM_PAGES, page_bytes);
		if (madvise(memory, STORM_PAGES * page_bytes, MADV_DONTNEED) < 0)
			die("madvise");
		w->n_faults += w->n_passes * (uint64_t)STORM_PAGES;
	}
	return NULL;
}

/* Zero-page reads, and writes behind them, as fast as they come; or the reads alone, which come faster. */
static int storm(char **args)
{
	struct worker what = {
		.until_ns = now_ns() + number(args[0]) * 1000000000U,
		.n_passes = args[2] && strcmp(args[2], "reads") == 0 ? 1 : 2,
	};

	(void)printf("faults=%llu\n",
		     (unsigned long long)run_workers(number(args[1]), storm_on, what));
	return 0;
}

static void *sleep_on(void *data)
{
	const struct worker *w = data;

	(void)sleep((unsigned)w->n);
	return NULL;
}

static int idle(char **args)
{
	struct worker what = {.n = number(args[0])};

	(void)run_workers(args[1] ? number(args[1]) : 1, sleep_on, what);
	(void)printf("faults=0\n");
	return 0;
}

/* A byte to and there between two processes, so that they do little but switch. */
static int pingpong(char **args)
{
	size_t n = number(args[0]);
	struct reading a, b;
	int to[2], there[2];
	char byte = 0;
	pid_t pid;

	if (pipe(to) < 0 || pipe(there) < 0)
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		while (n-- > 0 && read(to[0], &byte, 1) == 1 && write(there[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	read_clocks(&a);
	for (size_t i = 0; i < n; i++)
		if (write(to[1], &byte, 1) != 1 || read(there[0], &byte, 1) != 1)
			die("pipe");
	read_clocks(&b);
	await(pid);
	(void)printf("faults=0");
	print_times(&a, &b, n);
	return 0;
}

/* --- faults that are no traps of user mode ------------------------------------------------------------------ */

FAULTING bool read_into(unsigned char *memory, size_t bytes)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	for (size_t at = 0; fd >= 0 && at < bytes;) {
		ssize_t got = read(fd, memory + at, bytes - at);

		if (got <= 0)
			return false;
		at += (size_t)got;
	}
	return fd >= 0;
}

static int kernel_read(char **args)
{
	size_t n = number(args[0]);

	if (!read_into(map_fresh(n), n * page_bytes))
		die("/dev/zero");
	(void)printf("faults=0 kernel=%zu\n", n);
	return 0;
}

static int populate(char **args)
{
	size_t n = number(args[0]);

	(void)map(n * page_bytes, MAP_POPULATE);
	(void)printf("faults=0 populated=%zu\n", n);
	return 0;
}

static int lock(char **args)
{
	size_t n = number(args[0]);

	if (mlock(map_fresh(n), n * page_bytes) < 0)
		return skip("mlock");
	(void)printf("faults=0 populated=%zu\n", n);
	return 0;
}

/* --- the table ------------------------------------------------------------------------------------------------ */

static const struct {
	const char *name, *args;
	int least, most;
	bool is_section; /* knows --time and --present */
	int (*main)(char **args);
} kinds[] = {
	{"anon-write", "N", 1, 1, true, anon_write},
	{"zero-read", "N", 1, 1, true, zero_read},
	{"cow", "N", 1, 1, true, cow},
	{"wp-reuse", "N", 1, 1, true, wp_reuse},
	{"file-warm", "FILE [TIMES]", 1, 2, true, file_warm},
	{"file-cold", "FILE", 1, 1, true, file_cold},
	{"shared-write", "FILE", 1, 1, true, shared_write},
	{"shared-missing", "FILE", 1, 1, true, shared_missing},
	{"private-missing", "FILE", 1, 1, true, private_missing},
	{"shmem", "N", 1, 1, true, shmem},
	{"thp", "N", 1, 1, true, thp},
	{"stack", "N", 1, 1, true, stack},
	{"uffd", "N", 1, 1, true, uffd},
	{"hugetlb", "N", 1, 1, true, hugetlb},
	{"swap", "N", 1, 1, true, swap},
	{"segv-handler", "N", 1, 1, true, segv_handler},
	{"timer-cold", "FILE", 1, 1, true, timer_cold},
	{"pingpong", "N", 1, 1, true, pingpong},
	{"threads", "T N", 2, 2, false, threads},
	{"forks", "C N", 2, 2, false, forks},
	{"execs", "N", 1, 1, false, execs},
	{"storm", "SECONDS T [reads]", 2, 3, false, storm},
	{"idle", "SECONDS [T]", 1, 2, false, idle},
	{"kernel-read", "N", 1, 1, false, kernel_read},
	{"populate", "N", 1, 1, false, populate},
	{"mlock", "N", 1, 1, false, lock},
};

static int usage(void)
{
	(void)fputs("usage: faults [--time] [--present] [--warm] KIND ARG...\n", stderr);
	for (size_t i = 0; i < COUNT(kinds); i++)
		(void)fprintf(stderr, "  %s %s\n", kinds[i].name, kinds[i].args);
	return USAGE;
}

/* Where the options end; beyond the last argument where one is unknown. */
static int parse_options(int argc, char **argv)
{
	const struct {
		const char *name;
		bool *value;
	} options[] = {{"--time", &with_time}, {"--present", &on_present}, {"--warm", &warm_first}};
	int at = 1;

	for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
		size_t i = 0;

		while (i < COUNT(options) && strcmp(options[i].name, argv[at]) != 0)
			i++;
		if (i == COUNT(options))
			return argc;
		*options[i].value = true;
	}
	return at;
}

int main(int argc, char **argv)
{
	int at = parse_options(argc, argv), n_args = argc - at - 1;

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	for (size_t i = 0; at < argc && i < COUNT(kinds); i++)
		if (strcmp(kinds[i].name, argv[at]) == 0 && n_args >= kinds[i].least &&
		    n_args <= kinds[i].most && (kinds[i].is_section || !(with_time || on_present)))
			return kinds[i].main(argv + at + 1);
	return usage();
}
