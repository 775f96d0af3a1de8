/* SPDX-License-Identifier: MIT */
/*
 * A process of ours that takes faults of a class when it is asked to. Pages are prepared first, which takes faults of
 * other kinds, and touched when asked again, so that events can be turned on in between.
 */
#include "src/trace/faulter.h"

#include "src/base/why.h"
#include "src/sys/clock.h"
#include "src/sys/page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { PREPARE, TOUCH_PREPARED };

struct order {
	unsigned char what, class, place;
};

/* --- the loops ----------------------------------------------------------------------------------------- */

/*
 * A fault's way into the kernel and back costs more or less with where the instruction lies: the same loop took 790
 * or 890 ns a zero page, on an AMD Zen 4 in a VM, with the loop across two cache lines or within one. What is traced
 * lies anywhere, so both are taken by turns; the spread that this gives is in the bill's interval.
 */
#if defined(__x86_64__)
#define TOUCH(name, skip, access)                                                                 \
	__attribute__((noinline)) static void name(volatile char *map, size_t bytes, size_t page) \
	{                                                                                         \
		const volatile char *end = map + bytes;                                           \
		__asm__ volatile(".p2align 6\n\t.skip " #skip ", 0x90\n1:\t" access               \
				 "\n\tadd %2, %0\n\tcmp %1, %0\n\tjb 1b"                          \
				 : "+r"(map)                                                      \
				 : "r"(end), "r"(page)                                            \
				 : "rax", "memory", "cc");                                        \
	}
TOUCH(read_within, 16, "movzbl (%0), %%eax")
TOUCH(read_across, 58, "movzbl (%0), %%eax")
TOUCH(write_within, 16, "movb $1, (%0)")
TOUCH(write_across, 58, "movb $1, (%0)")
#else
#define TOUCH(name, access)                                                                       \
	__attribute__((noinline)) static void name(volatile char *map, size_t bytes, size_t page) \
	{                                                                                         \
		for (size_t i = 0; i < bytes; i += page)                                          \
			access;                                                                   \
	}
TOUCH(read_within, (void)map[i])
TOUCH(write_within, map[i] = 1)
#define read_across read_within
#define write_across write_within
#endif

static void (*const touches[TRACE_N_CLASSES][TRACE_N_PLACES])(volatile char *map, size_t bytes,
							      size_t page) = {
	[TRACE_CLASS_OTHER] = {read_within, read_across},
	[TRACE_CLASS_FILLING] = {write_within, write_across},
	[TRACE_CLASS_COPYING] = {write_within, write_across},
	[TRACE_CLASS_REUSING] = {write_within, write_across},
};

/* --- the process ------------------------------------------------------------------------------------------ */

struct pages {
	size_t page_bytes, bytes;
	int fd; /* a file of that size, in memory alone: what is copied */
	char *map;
	enum trace_class class; /* that the map was made for */
};

/* Present and written, without a fault where the kernel can. */
static void populate(const struct pages *p)
{
	if (madvise(p->map, p->bytes, MADV_POPULATE_WRITE) < 0)
		write_within(p->map, p->bytes, p->page_bytes);
}

/* A child that has ended leaves its parent's pages write-protected, and nobody else's. */
static int protect_by_fork(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return -errno;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int map_again(struct pages *p, int fd)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE;

	if (p->map)
		(void)munmap(p->map, p->bytes);
	p->map = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (p->map == MAP_FAILED) {
		p->map = NULL;
		return -ENOMEM;
	}
	(void)madvise(p->map, p->bytes,
		      MADV_NOHUGEPAGE); /* EINVAL: this kernel has no huge pages */
	return 0;
}

/*
 * Pages are those of a new mapping: where they were given back to the kernel and are touched again they cost more (a
 * tenth, in the virtual machine where it was tried). What will be filled is memory that the host has at hand: it was
 * in use right before, by a map of the same class, or one that was populated for that.
 */
static int prepare(struct pages *p, enum trace_class class)
{
	bool is_first = !p->map || p->class != class;
	int r = map_again(p, -1);

	if (r == 0 && (is_first || class == TRACE_CLASS_REUSING))
		populate(p);
	if (r == 0 && class == TRACE_CLASS_REUSING)
		r = protect_by_fork();
	else if (r == 0)
		r = map_again(p, class == TRACE_CLASS_COPYING ? p->fd : -1);
	if (r == 0 && class == TRACE_CLASS_COPYING)
		read_within(p->map, p->bytes, p->page_bytes);
	p->class = class;
	return r;
}

static uint64_t timed_touch(const struct pages *p, const struct order *order)
{
	uint64_t start = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	touches[order->class][order->place](p->map, p->bytes, p->page_bytes);
	return sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
}

static double touch(const struct pages *p, const struct order *order)
{
	uint64_t fresh = timed_touch(p, order), again = timed_touch(p, order);

	return ((double)fresh - (double)again) / TRACE_FAULTER_PAGES;
}

static int make_pages(struct pages *ret)
{
	ret->page_bytes = sys_page_bytes();
	ret->bytes = TRACE_FAULTER_PAGES * ret->page_bytes;
	ret->map = NULL;
	ret->fd = memfd_create("pagetoll", MFD_CLOEXEC);
	if (ret->fd < 0 || ftruncate(ret->fd, (off_t)ret->bytes) < 0 ||
	    fallocate(ret->fd, 0, 0, (off_t)ret->bytes) < 0)
		return -errno;
	return 0;
}

static bool is_order(const struct order *order)
{
	return order->what <= TOUCH_PREPARED && order->class < TRACE_N_CLASSES &&
	       order->place < TRACE_N_PLACES;
}

/* Answers until nobody asks any more, or something is wrong, which the end of its answers says. */
__attribute__((noreturn)) static void be_faulter(int fd_ask, int fd_answer)
{
	struct pages pages;
	struct order order;
	double fault_ns = 0;

	if (make_pages(&pages) < 0)
		_exit(0);
	while (read(fd_ask, &order, sizeof(order)) == sizeof(order) && is_order(&order)) {
		if (order.what == TOUCH_PREPARED && pages.map)
			fault_ns = touch(&pages, &order);
		else if (prepare(&pages, order.class) < 0)
			break;
		if (write(fd_answer, &fault_ns, sizeof(fault_ns)) != sizeof(fault_ns))
			break;
	}
	_exit(0);
}

/* --- who asks ---------------------------------------------------------------------------------------------- */

static void close_pair(const int fds[2])
{
	(void)close(fds[0]);
	(void)close(fds[1]);
}

int trace_faulter_start(struct trace_faulter *ret, struct why *why)
{
	int asks[2], answers[2], r;

	*ret = (struct trace_faulter){.pid = -1, .fd_ask = -1, .fd_answer = -1};
	if (pipe2(asks, O_CLOEXEC) < 0)
		return why_errno(why, -errno, "pipe");
	if (pipe2(answers, O_CLOEXEC) < 0) {
		r = -errno;
		close_pair(asks);
		return why_errno(why, r, "pipe");
	}
	ret->pid = fork();
	if (ret->pid == 0) {
		(void)close(asks[1]);
		(void)close(answers[0]);
		be_faulter(asks[0], answers[1]);
	}
	if (ret->pid < 0) {
		r = -errno;
		close_pair(asks);
		close_pair(answers);
		return why_errno(why, r, "cannot start a process to calibrate with");
	}
	(void)close(asks[0]);
	(void)close(answers[1]);
	ret->fd_ask = asks[1];
	ret->fd_answer = answers[0];
	return 0;
}

void trace_faulter_end(struct trace_faulter *f)
{
	int status;

	if (f->fd_ask >= 0) /* which ends it */
		(void)close(f->fd_ask);
	if (f->fd_answer >= 0)
		(void)close(f->fd_answer);
	while (f->pid > 0 && waitpid(f->pid, &status, 0) < 0 && errno == EINTR)
		;
	*f = (struct trace_faulter){.pid = -1, .fd_ask = -1, .fd_answer = -1};
}

static int give_order(const struct trace_faulter *f, struct order order)
{
	return write(f->fd_ask, &order, sizeof(order)) == sizeof(order) ? 0 : -EIO;
}

int trace_faulter_prepare(const struct trace_faulter *f, enum trace_class class)
{
	return give_order(f, (struct order){PREPARE, (unsigned char)class, 0});
}

int trace_faulter_touch(const struct trace_faulter *f, enum trace_class class,
			enum trace_faulter_place place)
{
	return give_order(f, (struct order){TOUCH_PREPARED, (unsigned char)class,
					    (unsigned char)place});
}

int trace_faulter_answer(const struct trace_faulter *f, double *ret_fault_ns)
{
	return read(f->fd_answer, ret_fault_ns, sizeof(*ret_fault_ns)) == sizeof(*ret_fault_ns)
		       ? 0
		       : -EIO;
}
