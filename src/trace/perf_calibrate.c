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

#include "src/base/why.h"
#include "src/trace/faulter.h"
#include "src/trace/perf_record.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>

/* A round's records fill half of a ring. To make one takes time by its size. */
enum { N_TURNS = 5, READ_EVERY_MS = 10, RING_BYTES = 512 << 10 };

/* A turn has a round of each place of the loop. */
enum { N_ROUNDS = N_TURNS * TRACE_N_PLACES };

enum { BARE, TRACED, ENTRY_ONLY, LEAN_ONLY, N_WAYS };

static const uint32_t roles_of_way[N_WAYS] = {
	[TRACED] = 1U << TRACE_ENTRY | 1U << TRACE_CODE | 1U << TRACE_DONE,
	[ENTRY_ONLY] = 1U << TRACE_ENTRY,
	[LEAN_ONLY] = 1U << TRACE_ENTRY_LEAN,
};

struct round {
	double fault_ns; /* fresh - again */
	double raw_ns;   /* mean of the pairs; of TRACED only */
};

struct bench {
	struct trace_faulter faulter;
	uint32_t roles;
	bool chains, is_thin;
	struct trace_events events; /* while a round is traced */
	struct pollfd *fds;         /* of the answer, and of the rings */
	struct round rounds[TRACE_N_CLASSES][N_WAYS][N_ROUNDS];
};

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

		if (trace_ring_drain(ring, &b->events, 0) <= 0)
			continue;
		while ((bytes = trace_record_bytes(ring->queue + ring->n_used,
						   ring->n_queued - ring->n_used))) {
			trace_record_decode(&b->events, ring->queue + ring->n_used, &record);
			take_record(p, &record);
			ring->n_used += bytes;
		}
	}
}

/* Waits for the answer, and reads the rings meanwhile, as a trace does. */
static int await(struct bench *b, struct pairing *p, double *ret_fault_ns)
{
	struct pollfd *fds = b->fds;

	do {
		(void)poll(fds, b->events.n_rings + 1, READ_EVERY_MS);
		drain(b, p);
	} while (!fds[0].revents);
	return trace_faulter_answer(&b->faulter, ret_fault_ns);
}

static int list_fds(struct bench *b, struct why *why)
{
	struct pollfd *fds = reallocarray(b->fds, b->events.n_rings + 1, sizeof(*fds));

	if (!fds)
		return why_set(why, -ENOMEM, "no memory to calibrate");
	b->fds = fds;
	fds[0] = (struct pollfd){.fd = b->faulter.fd_answer, .events = POLLIN};
	for (size_t i = 0; i < b->events.n_rings; i++)
		fds[i + 1] = (struct pollfd){.fd = b->events.rings[i].fd, .events = POLLIN};
	return 0;
}

static int run_round(struct bench *b, enum trace_class class, int way, size_t round)
{
	struct round *ret = &b->rounds[class][way][round];
	struct pairing pairing = {.n = 0};
	int r = trace_faulter_prepare(&b->faulter, class);

	if (r == 0)
		r = await(b, &pairing, &ret->fault_ns);
	if (r < 0)
		return r;
	trace_events_turn_on(&b->events, roles_of_way[way]);
	r = trace_faulter_touch(&b->faulter, class, round % TRACE_N_PLACES);
	if (r == 0)
		r = await(b, &pairing, &ret->fault_ns);
	trace_events_stop(&b->events);
	drain(b, &pairing);
	if (r == 0 && way == TRACED && pairing.n == 0) /* all of it lost */
		return -ENODATA;
	ret->raw_ns = pairing.n ? pairing.sum_ns / (double)pairing.n : 0;
	return r;
}

static int open_events(struct bench *b, struct why *why)
{
	int r = trace_events_init(&b->events, b->roles, b->chains, why);

	b->events.ring_bytes = RING_BYTES;
	b->events.is_thin = b->is_thin;
	if (r == 0)
		r = trace_events_add(&b->events, b->faulter.pid, false, why);
	if (r < 0)
		return r;
	trace_events_stop(&b->events);
	return list_fds(b, why);
}

/* What lean entries cost is asked for one class only: they are in nothing that is timed. */
static bool is_wanted(enum trace_class class, int way)
{
	return way != LEAN_ONLY || class == TRACE_CLASS_FILLING;
}

static int run_way(struct bench *b, enum trace_class class, int way, size_t turn, struct why *why)
{
	int r = 0;

	for (size_t place = 0; place < TRACE_N_PLACES && r == 0 && is_wanted(class, way); place++)
		r = run_round(b, class, way, turn * TRACE_N_PLACES + place);
	if (r == -ENODATA)
		return why_set(why, r, "no record came of the faults to calibrate with");
	return r < 0 ? why_set(why, r, "the process to calibrate with has ended") : 0;
}

/* Each way, in an order that changes: without events while none is open. */
static int run_turn(struct bench *b, enum trace_class class, size_t turn, struct why *why)
{
	int r = run_way(b, class, BARE, turn, why);

	if (r == 0)
		r = open_events(b, why);
	for (int i = 0; i < N_WAYS - 1 && r == 0; i++)
		r = run_way(b, class, 1 + (i + (int)turn) % (N_WAYS - 1), turn, why);
	trace_events_close(&b->events);
	return r;
}

/* All ways by turns, but each class by itself: pages that were just freed make others dearer. */
static int run_turns(struct bench *b, struct why *why)
{
	int r = list_fds(b, why);

	for (int class = 0; class < TRACE_N_CLASSES; class += 1)
		for (size_t turn = 0; turn < N_TURNS && r == 0; turn++)
			r = run_turn(b, (enum trace_class) class, turn, why);
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

static double bare_ns(const struct round rounds[N_ROUNDS])
{
	double values[N_ROUNDS];

	for (size_t i = 0; i < N_ROUNDS; i++)
		values[i] = rounds[i].fault_ns;
	return middle(values, N_ROUNDS);
}

static void conclude(const struct bench *b, struct trace_corrections *ret)
{
	for (int class = 0; class < TRACE_N_CLASSES; class += 1)
		ret->of[class] = correct(b->rounds[class]);
	ret->fill_ns = bare_ns(b->rounds[TRACE_CLASS_FILLING][BARE]);
	ret->slowdown_ns = added_ns(b->rounds[TRACE_CLASS_FILLING], TRACED);
	ret->slowdown_lean_ns = added_ns(b->rounds[TRACE_CLASS_FILLING], LEAN_ONLY);
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
	(void)sched_setaffinity(b->faulter.pid, sizeof(one), &one);
}

static int run_apart(struct bench *b, struct why *why)
{
	cpu_set_t allowed;
	bool parted = sched_getaffinity(0, sizeof(allowed), &allowed) == 0;
	int r;

	if (parted)
		part(b, &allowed);
	r = run_turns(b, why);
	if (parted)
		(void)sched_setaffinity(0, sizeof(allowed), &allowed);
	return r;
}

int trace_perf_calibrate(uint32_t roles, bool chains, struct trace_corrections *ret,
			 struct why *why)
{
	struct bench *b = calloc(1, sizeof(*b));
	int r;

	*ret = (struct trace_corrections){.fill_ns = NAN};
	if (!b)
		return why_set(why, -ENOMEM, "no memory to calibrate");
	b->is_thin = roles >> TRACE_SWITCH & 1;
	b->roles = roles & ~(1U << TRACE_SIDE | 1U << TRACE_SWITCH);
	b->chains = chains;
	r = trace_faulter_start(&b->faulter, why);
	if (r == 0)
		r = run_apart(b, why);
	if (r == 0)
		conclude(b, ret);
	trace_faulter_end(&b->faulter);
	free(b->fds);
	free(b);
	return r;
}
