/* SPDX-License-Identifier: MIT */
/*
 * What tracing adds to a fault on this machine, and what no event sees of it. A child touches fresh pages and
 * then the same pages again, by turns without events and with those of the trace. Of a fault that is
 *   bare   = fresh - again, without events: all that the program waits
 *   raw    = from entry event to completion event, as the trace sees it
 *   traced = fresh - again, with events
 * bare - raw is what each fault of the trace is corrected by. It has two parts: the way into the kernel and back,
 * which lies outside of raw, less the tracer's own time inside of it. Two events are written a fault; from clock
 * to clock it is one of them, so that half of (traced - bare) is inside.
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
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_PAGES = 1024, N_ROUNDS = 10, READ_EVERY_MS = 10 };

enum { READS, WRITES, N_TOUCHES, WARM = N_TOUCHES }; /* of a zero page; that fill a page */
enum { BARE, TRACED, TRACED_LEAN, N_WAYS };

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
	struct round rounds[N_TOUCHES][N_WAYS][N_ROUNDS];
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

static void (*const touches[N_TOUCHES + 1][2])(volatile char *map, size_t bytes, size_t page) = {
	[READS] = {read_within, read_across},
	[WRITES] = {write_within, write_across},
	[WARM] = {write_within, write_across},
};

static uint64_t timed_touch(char *map, size_t page, int what)
{
	uint64_t start = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	touches[what / 2][what % 2](map, N_PAGES * page, page);
	return sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
}

/* What is 2 * touch + place. Nanoseconds a fault: fresh pages less the same again. Fresh is a new mapping: pages that were given back to the
 * kernel and are touched again cost more (a tenth, in the virtual machine where it was tried). */
static int measure(int what, double *ret_fault_ns)
{
	size_t page = sys_page_bytes();
	char *map = mmap(NULL, N_PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	uint64_t fresh, again;

	if (map == MAP_FAILED)
		return -errno;
	(void)madvise(map, N_PAGES * page,
		      MADV_NOHUGEPAGE); /* EINVAL: this kernel has no huge pages */
	fresh = timed_touch(map, page, what);
	again = timed_touch(map, page, what);
	(void)munmap(map, N_PAGES * page);
	*ret_fault_ns = ((double)fresh - (double)again) / N_PAGES;
	return 0;
}

/* One byte asks for one round; the answer is nanoseconds a fault, or the end where something is wrong. */
__attribute__((noreturn)) static void be_child(int fd_ask, int fd_answer)
{
	double fault_ns;
	char what;

	while (read(fd_ask, &what, 1) == 1 && what >= 0 && what < 2 * (N_TOUCHES + 1) &&
	       measure(what, &fault_ns) == 0 &&
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

static int run_round(struct bench *b, int touch_kind, int way, struct round *ret)
{
	struct pairing pairing = {.n = 0};
	int r = 0;

	if (touch_kind == WRITES) /* the host is to have the memory at hand */
		r = ask(b, WARM, &pairing, &ret->fault_ns);
	if (r < 0)
		return r;
	if (way != BARE) {
		b->events.is_lean = way == TRACED_LEAN;
		trace_events_start(&b->events);
	}
	r = ask(b, touch_kind, &pairing, &ret->fault_ns);
	if (way != BARE)
		trace_events_stop(&b->events);
	drain(b, &pairing);
	ret->raw_ns = pairing.n ? pairing.sum_ns / (double)pairing.n : __builtin_nan("");
	return r;
}

static int run_traced(struct bench *b, int touch_kind, size_t round, struct why *why)
{
	int r = trace_events_init(&b->events, b->roles, b->chains, why);

	if (r == 0)
		r = trace_events_add(&b->events, b->pid, false, why);
	if (r == 0) {
		trace_events_stop(&b->events);
		r = list_fds(b);
	}
	for (int way = TRACED; way < N_WAYS && r == 0; way++)
		r = run_round(b, touch_kind, way, &b->rounds[touch_kind][way][round]);
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

static double median_of(const struct round *rounds, bool raw)
{
	double values[N_ROUNDS];

	for (size_t i = 0; i < N_ROUNDS; i++)
		values[i] = raw ? rounds[i].raw_ns : rounds[i].fault_ns;
	return middle(values, N_ROUNDS);
}

/* Pair by pair, as bare and traced rounds stand side by side. The spread is that of the middle eight of ten: an
 * interval of 97 % for their median. */
static struct trace_correction correct(const struct round (*ways)[N_ROUNDS])
{
	double slowdown = median_of(ways[TRACED], false) - median_of(ways[BARE], false);
	struct trace_correction c = {.tracer_ns = slowdown > 0 ? slowdown / 2 : 0};
	double net[N_ROUNDS];

	for (size_t i = 0; i < N_ROUNDS; i++)
		net[i] = ways[BARE][i].fault_ns - ways[TRACED][i].raw_ns;
	c.trap_ns = middle(net, N_ROUNDS) + c.tracer_ns;
	c.spread_ns = (net[N_ROUNDS - 2] - net[1]) / 2;
	return c;
}

static void conclude(const struct bench *b, struct trace_corrections *ret)
{
	double bare = median_of(b->rounds[WRITES][BARE], false);

	ret->other = correct(b->rounds[READS]);
	ret->filling = correct(b->rounds[WRITES]);
	ret->slowdown_ns = median_of(b->rounds[WRITES][TRACED], false) - bare;
	ret->slowdown_lean_ns = median_of(b->rounds[WRITES][TRACED_LEAN], false) - bare;
}

/* Bare and traced by turns, but reads and writes each by themselves: pages that were just freed make others dearer. */
static int run_rounds(struct bench *b, struct why *why)
{
	int r = 0;

	for (int touch_kind = 0; touch_kind < N_TOUCHES; touch_kind++)
		for (size_t i = 0; i < N_ROUNDS && r == 0; i++) {
			b->place = (int)(i % 2);
			r = run_round(b, touch_kind, BARE, &b->rounds[touch_kind][BARE][i]);
			if (r == 0)
				r = run_traced(b, touch_kind, i, why);
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
