/* SPDX-License-Identifier: MIT */
/* The three counters disagree in the ways they should: traps, kernel traps, populated pages. */
#include "src/sys/counters.h"
#include "src/sys/page.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N_PAGES = 256, SLACK = 4 };

static struct sys_counters counters;
static size_t page, bytes;

static char *map(int flags)
{
	char *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1,
		       0);

	if (m != MAP_FAILED)
		(void)madvise(m, bytes, MADV_NOHUGEPAGE);
	return m == MAP_FAILED ? NULL : m;
}

static void touch(char *m)
{
	for (size_t i = 0; i < bytes; i += page)
		*(volatile char *)(m + i) = 1;
}

static void do_touch(void)
{
	char *m = map(0);

	touch(m);
	(void)munmap(m, bytes);
}

static void do_populate(void)
{
	char *m = map(0);

	if (madvise(m, bytes, 23 /* MADV_POPULATE_WRITE, 5.14 */) < 0)
		(void)mlock(m, bytes);
	(void)munmap(m, bytes);
}

static void do_read(void)
{
	char *m = map(0);
	int fd = open("/dev/zero", O_RDONLY);

	if (read(fd, m, bytes) != (ssize_t)bytes)
		m[0] = 1;
	(void)close(fd);
	(void)munmap(m, bytes);
}

static struct sys_reading count(void (*action)(void))
{
	struct sys_reading before, after;

	action(); /* once unmeasured: page tables, code */
	sys_counters_begin(&counters, &before);
	action();
	sys_counters_end(&counters, &after);
	return sys_counters_delta(&after, &before);
}

static void near(uint64_t got, uint64_t expected, const char *what)
{
	t_ok(got >= expected && got <= expected + SLACK, "%s: %llu, expected %llu", what,
	     (unsigned long long)got, (unsigned long long)expected);
}

/* Of one of perf's counters, where it is allowed. */
static void near_if(int fd, int refused, uint64_t got, uint64_t expected, const char *what)
{
	if (fd < 0)
		t_skip(1, "%s: not counted here: perf_event_open gives errno %d", what, refused);
	else
		near(got, expected, what);
}

static void check_kernel_traps(void)
{
	struct sys_reading d = count(do_read);

	near(d.minor, N_PAGES, "read(2) into fresh memory: rusage counts its faults");
	near_if(counters.fd_user, counters.errno_user, d.trap_user, 0,
		"read(2) into fresh memory: no user trap");
	near_if(counters.fd_kernel, counters.errno_kernel, d.trap_kernel, N_PAGES,
		"read(2) into fresh memory: kernel traps");
}

int main(void)
{
	struct sys_reading d;

	page = sys_page_bytes();
	bytes = N_PAGES * page;
	t_plan(8);
	sys_counters_open(&counters, true);
	d = count(do_touch);
	near(d.minor, N_PAGES, "first touch: rusage");
	near(d.major, 0, "first touch: no major fault");
	near_if(counters.fd_user, counters.errno_user, d.trap_user, N_PAGES,
		"first touch: user traps");
	d = count(do_populate);
	near(d.minor, N_PAGES, "populated: rusage counts the pages");
	near_if(counters.fd_user, counters.errno_user, d.trap_user + d.trap_kernel, 0,
		"populated: no trap");
	check_kernel_traps();
	sys_counters_close(&counters);
	return t_done();
}
