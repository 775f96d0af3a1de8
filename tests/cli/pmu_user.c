/* SPDX-License-Identifier: MIT */
/* Counts by hardware events and checks what comes: pmu_user group|threads|inherit|many|refused. */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 200, THREADS = 4, MANY = 1000 };

#define DTLB_LOAD_MISSES                                                 \
	(PERF_COUNT_HW_CACHE_DTLB | (PERF_COUNT_HW_CACHE_OP_READ << 8) | \
	 (PERF_COUNT_HW_CACHE_RESULT_MISS << 16))

/* What PERF_FORMAT_GROUP with both times gives for two events. */
struct two {
	uint64_t n, enabled_ns, running_ns, count[2];
};

static int open_event(uint32_t type, uint64_t config, int group, bool inherit)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       (inherit ? 0 : PERF_FORMAT_GROUP),
		.disabled = group < 0,
		.inherit = inherit,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

/* Touches so many pages that nobody has touched, each of them a fault of its own. */
static bool touch_fresh(size_t n_pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *map;

	map = mmap(NULL, n_pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	if (map == MAP_FAILED)
		return false;
	(void)madvise((void *)map, n_pages * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n_pages; i++)
		map[i * page] = 1;
	return munmap((void *)map, n_pages * page) == 0;
}

static bool is_so(bool good, const char *what)
{
	if (!good)
		(void)fprintf(stderr, "pmu_user: not so: %s\n", what);
	return good;
}

/* Counts two events, the second in the group of the first, while pages are touched. */
static bool count_two(const int fds[2], size_t n_pages, struct two *ret)
{
	*ret = (struct two){.n = 0};
	return is_so(fds[0] >= 0 && fds[1] >= 0, strerror(errno)) &&
	       ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) == 0 &&
	       touch_fresh(n_pages) &&
	       ioctl(fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP) == 0 &&
	       is_so(read(fds[0], ret, sizeof(*ret)) == sizeof(*ret), "two counts are read") &&
	       is_so(ret->n == 2, "two in the group") &&
	       is_so(ret->enabled_ns > 0 && ret->running_ns == ret->enabled_ns, "both times");
}

/* Misses beside true page faults, which pass through as they are: the same to the last. */
static bool count_misses(size_t n_pages)
{
	struct two counts;
	int fds[2];
	bool good;

	fds[0] = open_event(PERF_TYPE_HW_CACHE, DTLB_LOAD_MISSES, -1, false);
	fds[1] = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, fds[0], false);
	good = count_two(fds, n_pages, &counts) &&
	       is_so(counts.count[0] == counts.count[1], "as many misses as page faults") &&
	       is_so(counts.count[0] >= n_pages && counts.count[0] < n_pages + PAGES,
		     "a miss for each page, and no time");
	(void)close(fds[0]);
	(void)close(fds[1]);
	return good;
}

static bool in_group(void)
{
	struct two counts;
	int fds[2];
	bool good;

	fds[0] = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1, false);
	fds[1] = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, fds[0], false);
	good = count_two(fds, PAGES, &counts) &&
	       is_so(counts.count[0] > 0 && counts.count[1] > 0, "cycles and instructions") &&
	       is_so(counts.count[0] <= 2 * counts.enabled_ns, "cycles are nanoseconds here");
	(void)close(fds[0]);
	(void)close(fds[1]);
	return good && count_misses(PAGES);
}

static void *in_thread(void *n_pages)
{
	return count_misses((size_t)n_pages) ? n_pages : NULL;
}

/* Each thread opens its own at the same time as the others, and counts its own pages. */
static bool in_threads(void)
{
	pthread_t threads[THREADS];
	bool good = true;
	void *done;

	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, in_thread, (void *)((i + 1) * PAGES)) != 0)
			return false;
	for (size_t i = 0; i < THREADS; i++)
		good = pthread_join(threads[i], &done) == 0 && done && good;
	return good;
}

/* An event that is inherited counts the pages of a child. */
static bool with_child(void)
{
	int fd = open_event(PERF_TYPE_HW_CACHE, DTLB_LOAD_MISSES, -1, true);
	uint64_t values[3] = {0};
	pid_t child;
	int status;

	if (!is_so(fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0, strerror(errno)))
		return false;
	child = fork();
	if (child == 0)
		_exit(touch_fresh(PAGES) ? 0 : 1);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0 &&
	       is_so(read(fd, values, sizeof(values)) == sizeof(values), "counts are read") &&
	       is_so(values[0] >= PAGES, "the child's pages are counted") && close(fd) == 0;
}

/* Descriptors are neither lost nor left over. */
static bool many(void)
{
	int first = -1;

	for (int i = 0; i < MANY; i++) {
		int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, -1, false);

		if (i == 0)
			first = fd;
		if (!is_so(fd >= 0 && fd == first, "the same descriptor each time"))
			return false;
		(void)close(fd);
	}
	return true;
}

/* What cannot be is refused, as the kernel would. */
static bool refused(void)
{
	int no_event = dup(STDERR_FILENO), fd;

	fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, no_event, false);
	(void)close(no_event);
	return is_so(fd < 0 && errno == EBADF, "a group needs an event") &&
	       is_so(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) < 0 && errno == EFAULT,
		     "no attr: EFAULT") &&
	       is_so(open_event(PERF_TYPE_SOFTWARE, UINT32_MAX, -1, false) < 0 && errno == ENOENT,
		     "no such software event");
}

static const struct {
	const char *name;
	bool (*run)(void);
} modes[] = {
	{"group", in_group}, {"threads", in_threads}, {"inherit", with_child},
	{"many", many},      {"refused", refused},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (argc == 2 && strcmp(argv[1], modes[i].name) == 0)
			return modes[i].run() ? EXIT_SUCCESS : EXIT_FAILURE;
	(void)fputs("usage: pmu_user group|threads|inherit|many|refused\n", stderr);
	return 2;
}
