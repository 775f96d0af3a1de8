/* SPDX-License-Identifier: MIT */
/*
 * What tracing adds to a fault on this machine, and what no event sees of it. A child touches fresh pages and
 * then the same pages again, by turns without events and with those of the trace. Of a fault that is
 *   bare   = fresh - again, without events: all that the program waits
 *   raw    = from entry event to completion event, as the trace sees it
 *   traced = fresh - again, with events; with those of the entry alone, too
 * bare - raw is what each fault of the trace is corrected by. It has two parts: the way into the kernel and back,
 * which lies outside of raw, less the tracer's own time inside of it. An event takes the time when it begins, so
 * from clock to clock all of one event is inside of raw, which is what the entry alone adds.
 * Events that are open, be they off, cost every fault of the machine some 80 ns: so bare is taken with none open.
 * Writing into a ring that another CPU reads costs more (250 ns a fault of 900 where it was tried), and mostly
 * another CPU does read it: so it is here, where there is a second one.
 */
#include "src/trace/perf_calibrate.h"

#include "src/base/array.h"
#include "src/base/why.h"
#include "src/sys/clock.h"
#include "src/sys/page.h"
#include "src/trace/perf_record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A round's records fill half of a ring. To make one takes time by its size. */
enum { N_PAGES = 512, N_ROUNDS = 10, READ_EVERY_MS = 10, RING_BYTES = 512 << 10 };

/* Beside the classes of faults. */
enum { WARM = TRACE_N_CLASSES, N_TOUCHES };
enum { BARE, TRACED, ENTRY_ONLY, LEAN_ONLY, N_WAYS };

static const uint32_t roles_of_way[N_WAYS] = {
	[TRACED] = 1U << TRACE_ENTRY | 1U << TRACE_DONE,
	[ENTRY_ONLY] = 1U << TRACE_ENTRY,
	[LEAN_ONLY] = 1U << TRACE_ENTRY_LEAN,
};

struct round {
	double fault_ns; /* fresh - again */
	double raw_ns;   /* mean of the pairs; of TRACED only */
};

struct bench {
	int fd_ask, fd_answer; /* of the child */
	pid_t pid;
	uint32_t roles;
	bool chains;
	int place;                  /* of the loop, in touches */
	struct trace_events events; /* while a round is traced */
	struct pollfd *fds;         /* of the answer, and of the rings */
	struct round rounds[TRACE_N_CLASSES][N_WAYS][N_ROUNDS];
};

/* --- the child --------------------------------------------------------------------------------------------------- */

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

static void (*const touches[N_TOUCHES][2])(volatile char *map, size_t bytes, size_t page) = {
	[TRACE_CLASS_OTHER] = {read_within, read_across},
	[TRACE_CLASS_FILLING] = {write_within, write_across},
	[TRACE_CLASS_PRESENT] = {write_within, write_across},
	[WARM] = {write_within, write_across},
};

static uint64_t timed_touch(char *map, size_t page, int what)
{
	uint64_t start = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	touches[what / 2][what % 2](map, N_PAGES * page, page);
	return sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
}

/* Memory whose pages are missing; or present, but another's, so that a write copies them. */
static char *map_fresh(size_t bytes, int fd)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE;
	char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (map == MAP_FAILED)
		return NULL;
	(void)madvise(map, bytes, MADV_NOHUGEPAGE); /* EINVAL: this kernel has no huge pages */
	if (fd >= 0)
		read_within(map, bytes, sys_page_bytes());
	return map;
}

/* What is 2 * touch + place. Nanoseconds a fault: fresh pages less the same again. Fresh is a new mapping: pages
 * that were given back to the kernel and are touched again cost more (a tenth, in the virtual machine where it was
 * tried). */
static int measure(int what, int fd, double *ret_fault_ns)
{
	size_t page = sys_page_bytes();
	char *map = map_fresh(N_PAGES * page, what / 2 == TRACE_CLASS_PRESENT ? fd : -1);
	uint64_t fresh, again;

	if (!map)
		return -ENOMEM;
	fresh = timed_touch(map, page, what);
	again = timed_touch(map, page, what);
	(void)munmap(map, N_PAGES * page);
	*ret_fault_ns = ((double)fresh - (double)again) / N_PAGES;
	return 0;
}

/* A file of the same size, in memory alone. */
static int fill_file(void)
{
	size_t bytes = N_PAGES * sys_page_bytes();
	int fd = memfd_create("pagetoll", MFD_CLOEXEC);

	if (fd >= 0 && (ftruncate(fd, (off_t)bytes) < 0 || fallocate(fd, 0, 0, (off_t)bytes) < 0)) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

/* One byte asks for one round; the answer is nanoseconds a fault, or the end where something is wrong. */
__attribute__((noreturn)) static void be_child(int fd_ask, int fd_answer)
{
	int fd = fill_file();
	double fault_ns;
	char what;

	while (fd >= 0 && read(fd_ask, &what, 1) == 1 && what >= 0 && what < 2 * N_TOUCHES &&
	       measure(what, fd, &fault_ns) == 0 &&
	       write(fd_answer, &fault_ns, sizeof(fault_ns)) == sizeof(fault_ns))
		;
	_exit(0);
}

/* --- a round --------------------------------------------------------------------------------------------------------- */

struct pairing {
	uint64_t entered_ns, address, n;
	double sum_ns;
};

static void take_record(struct pairing *p, const struct trace_record *record)
{
	if (record->type == TRACE_RECORD_ENTRY) {
		p->entered_ns = record->time_ns;
		p->address = record->address;
	} else if (record->type == TRACE_RECORD_DONE && record->address == p->address &&
		   p->entered_ns) {
		p->sum_ns += (double)(record->time_ns - p->entered_ns);
		p->n++;
		p->entered_ns = 0;
	}
}

/* Pairs what the rings hold; the child moves between CPUs seldom, and a pair that is torn is left out. */
static void drain(struct bench *b, struct pairing *p)
{
	struct trace_record record;

	for (size_t i = 0; i < b->events.n_rings; i++) {
		struct trace_ring *ring = &b->events.rings[i];
		size_t bytes;

		if (trace_ring_drain(ring) <= 0)
			continue;
		while ((bytes = trace_record_bytes(ring->queue + ring->n_used,
						   ring->n_queued - ring->n_used))) {
			trace_record_decode(&b->events, ring->queue + ring->n_used, &record);
			take_record(p, &record);
			ring->n_used += bytes;
		}
	}
}

/* Has the child touch its pages, and reads the rings meanwhile, as a trace does. */
static int ask(struct bench *b, int what, struct pairing *p, double *ret_fault_ns)
{
	struct pollfd *fds = b->fds;
	char byte = (char)(2 * what + b->place);
	ssize_t n;

	if (write(b->fd_ask, &byte, 1) != 1)
		return -EIO;
	do {
		(void)poll(fds, b->events.n_rings + 1, READ_EVERY_MS);
		drain(b, p);
	} while (!fds[0].revents);
	n = read(b->fd_answer, ret_fault_ns, sizeof(*ret_fault_ns));
	return n == sizeof(*ret_fault_ns) ? 0 : -EIO;
}

static int list_fds(struct bench *b)
{
	struct pollfd *fds = reallocarray(b->fds, b->events.n_rings + 1, sizeof(*fds));

	if (!fds)
		return -ENOMEM;
	b->fds = fds;
	for (size_t i = 0; i < b->events.n_rings; i++)
		fds[i + 1] = (struct pollfd){.fd = b->events.rings[i].fd, .events = POLLIN};
	return 0;
}

static int run_round(struct bench *b, int class, int way, size_t round)
{
	struct round *ret = &b->rounds[class][way][round];
	struct pairing pairing = {.n = 0};
	int r;

	trace_events_turn_on(&b->events, roles_of_way[way]);
	r = ask(b, class, &pairing, &ret->fault_ns);
	trace_events_stop(&b->events);
	drain(b, &pairing);
	ret->raw_ns = pairing.n ? pairing.sum_ns / (double)pairing.n : __builtin_nan("");
	return r;
}

static int open_events(struct bench *b, struct why *why)
{
	int r = trace_events_init(&b->events, b->roles, b->chains, why);

	b->events.ring_bytes = RING_BYTES;
	if (r == 0)
		r = trace_events_add(&b->events, b->pid, false, why);
	if (r < 0)
		return r;
	trace_events_stop(&b->events);
	return list_fds(b);
}

/* Each way, in an order that changes: without events while none is open. */
static int run_ways(struct bench *b, int class, size_t round, struct why *why)
{
	struct pairing nothing = {.n = 0};
	double not_used_ns;
	int r = 0;

	if (class != TRACE_CLASS_OTHER) /* the host is to have the memory at hand */
		r = ask(b, WARM, &nothing, &not_used_ns);
	if (r == 0)
		r = run_round(b, class, BARE, round);
	if (r == 0)
		r = open_events(b, why);
	for (int i = 0; i < N_WAYS - 1 && r == 0; i++)
		r = run_round(b, class, 1 + (i + (int)round) % (N_WAYS - 1), round);
	trace_events_close(&b->events);
	return r;
}

/* --- what follows ---------------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Half of the rounds are of each place: the middle lies between them. */
static double middle(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_size);
	return (values[n / 2] + values[(n - 1) / 2]) / 2;
}

/* What a way adds to bare faults: round by round, as these stand side by side. */
static double added_ns(const struct round (*ways)[N_ROUNDS], int way)
{
	double values[N_ROUNDS];

	for (size_t i = 0; i < N_ROUNDS; i++)
		values[i] = ways[way][i].fault_ns - ways[BARE][i].fault_ns;
	return fmax(middle(values, N_ROUNDS), 0);
}

/* The spread is that of the middle eight of ten: an interval of 97 % for their median. */
static struct trace_correction correct(const struct round (*ways)[N_ROUNDS])
{
	struct trace_correction c = {.tracer_ns = added_ns(ways, ENTRY_ONLY)};
	double net[N_ROUNDS];

	for (size_t i = 0; i < N_ROUNDS; i++)
		net[i] = ways[BARE][i].fault_ns - ways[TRACED][i].raw_ns;
	c.trap_ns = middle(net, N_ROUNDS) + c.tracer_ns;
	c.spread_ns = (net[N_ROUNDS - 2] - net[1]) / 2;
	return c;
}

static void conclude(const struct bench *b, struct trace_corrections *ret)
{
	for (int class = 0; class < TRACE_N_CLASSES; class ++)
		ret->of[class] = correct(b->rounds[class]);
	ret->slowdown_ns = added_ns(b->rounds[TRACE_CLASS_FILLING], TRACED);
	ret->slowdown_lean_ns = added_ns(b->rounds[TRACE_CLASS_FILLING], LEAN_ONLY);
}

/* All ways by turns, but each class by itself: pages that were just freed make others dearer. */
static int run_rounds(struct bench *b, struct why *why)
{
	int r = 0;

	for (int class = 0; class < TRACE_N_CLASSES; class ++)
		for (size_t i = 0; i < N_ROUNDS && r == 0; i++) {
			b->place = (int)(i % 2);
			r = run_ways(b, class, i, why);
		}
	return r;
}

/* Child and reader on a CPU each. Where that is refused, or there is only one, they are where they are. */
static void part(const struct bench *b, const cpu_set_t *allowed)
{
	cpu_set_t one;
	size_t first = CPU_SETSIZE, last = CPU_SETSIZE;

	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, allowed))
			continue;
		first = first == CPU_SETSIZE ? cpu : first;
		last = cpu;
	}
	if (first == last)
		return;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	(void)sched_setaffinity(0, sizeof(one), &one);
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	(void)sched_setaffinity(b->pid, sizeof(one), &one);
}

static int run_apart(struct bench *b, struct why *why)
{
	cpu_set_t allowed;
	bool parted = sched_getaffinity(0, sizeof(allowed), &allowed) == 0;
	int r;

	if (parted)
		part(b, &allowed);
	r = run_rounds(b, why);
	if (parted)
		(void)sched_setaffinity(0, sizeof(allowed), &allowed);
	return r;
}

static int start_child(struct bench *b)
{
	int asks[2], answers[2];

	if (pipe2(asks, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(answers, O_CLOEXEC) < 0) {
		int r = -errno;

		(void)close(asks[0]);
		(void)close(asks[1]);
		return r;
	}
	b->pid = fork();
	if (b->pid == 0) {
		(void)close(asks[1]);
		(void)close(answers[0]);
		be_child(asks[0], answers[1]);
	}
	(void)close(asks[0]);
	(void)close(answers[1]);
	if (b->pid < 0) {
		int r = -errno;

		(void)close(asks[1]);
		(void)close(answers[0]);
		return r;
	}
	b->fd_ask = asks[1];
	b->fd_answer = answers[0];
	return 0;
}

int trace_perf_calibrate(uint32_t roles, bool chains, struct trace_corrections *ret,
			 struct why *why)
{
	struct bench *b = calloc(1, sizeof(*b));
	int status, r;

	*ret = (struct trace_corrections){.slowdown_ns = 0};
	if (!b)
		return why_set(why, -ENOMEM, "no memory to calibrate");
	b->roles = roles & ~(1U << TRACE_SIDE | 1U << TRACE_SWITCH);
	b->chains = chains;
	b->fds = calloc(1, sizeof(*b->fds));
	if (!b->fds) {
		free(b);
		return why_set(why, -ENOMEM, "no memory to calibrate");
	}
	r = start_child(b);
	b->fds[0] = (struct pollfd){.fd = b->fd_answer, .events = POLLIN};
	if (r < 0)
		(void)why_errno(why, r, "cannot start a process to calibrate with");
	if (r == 0)
		r = run_apart(b, why);
	if (r == 0)
		conclude(b, ret);
	if (b->pid > 0) {
		(void)close(b->fd_ask); /* which ends the child */
		(void)close(b->fd_answer);
	}
	while (b->pid > 0 && waitpid(b->pid, &status, 0) < 0 && errno == EINTR)
		;
	free(b->fds);
	free(b);
	return r;
}
