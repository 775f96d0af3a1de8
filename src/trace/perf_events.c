/* SPDX-License-Identifier: MIT */
/* What is asked of the kernel for each traced task: the events, and the rings they write into. */
#include "src/trace/perf_events.h"

#include "src/base/array.h"
#include "src/base/why.h"
#include "src/sys/file.h"
#include "src/sys/page.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * Of a ring: as much of all rings together as costs little, at the most, which holds what both CPUs of a small
 * machine fault in some 50 ms; and what any user may lock (perf_event_mlock_kb is 516 a CPU, less the first page),
 * save where that is taken. The kernel asks for what is beyond it under RLIMIT_MEMLOCK.
 */
#define ALL_RINGS_BYTES (8U << 20)
#define MOST_RING_BYTES (4U << 20)
#define USUAL_RING_BYTES (512U << 10)
/* The reader is woken when so much is there, and has the rest of the ring to come in time. */
#define WAKE_BYTES (128U << 10)

#define ALL_RECORDS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
/* At entry page size 0 says that the page was missing; at completion it says what came. The CPU is asked for so that
 * no lean entry has as many fields: see perf_ring.c. */
#define ENTRY (PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_DATA_PAGE_SIZE)
#define DONE (PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE)
/* Looking the page up in the page table costs as much again as the rest of such a record. */
#define LEAN (PERF_SAMPLE_IP | PERF_SAMPLE_ADDR)

const struct trace_role_row trace_role_rows[TRACE_N_ROLES] = {
	[TRACE_ENTRY] = {.config = PERF_COUNT_SW_PAGE_FAULTS, .fields = ENTRY},
	[TRACE_ENTRY_LEAN] = {.config = PERF_COUNT_SW_PAGE_FAULTS,
			      .fields = LEAN,
			      .starts_off = true},
	[TRACE_CODE] = {.fields = PERF_SAMPLE_RAW, .is_tracepoint = true},
	[TRACE_DONE] = {.config = PERF_COUNT_SW_PAGE_FAULTS_MIN, .fields = DONE},
	[TRACE_DONE_MAJOR] = {.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ, .fields = DONE},
	[TRACE_ENTRY_KERNEL] = {.config = PERF_COUNT_SW_PAGE_FAULTS,
				.fields = ENTRY,
				.kernel_mode = true},
	[TRACE_DONE_KERNEL] = {.config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
			       .fields = DONE,
			       .kernel_mode = true},
	[TRACE_DONE_MAJOR_KERNEL] = {.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ,
				     .fields = DONE,
				     .kernel_mode = true},
	[TRACE_SIDE] = {.config = PERF_COUNT_SW_DUMMY, .is_side = true},
	[TRACE_SWITCH] = {.config = PERF_COUNT_SW_DUMMY, .is_switch = true},
};

static bool is_done(enum trace_role role)
{
	return role == TRACE_DONE || role == TRACE_DONE_MAJOR || role == TRACE_DONE_KERNEL ||
	       role == TRACE_DONE_MAJOR_KERNEL;
}

/* Frame and stack pointer: enough to tell one activation of a function from another. */
static uint64_t user_registers(void)
{
#if defined(__x86_64__)
	return 1U << 6 | 1U << 7; /* PERF_REG_X86_BP, PERF_REG_X86_SP */
#elif defined(__aarch64__)
	return 1U << 29 | 1U << 31; /* PERF_REG_ARM64_X29, PERF_REG_ARM64_SP */
#else
	return 0; /* chains are not guessed, then */
#endif
}

/*
 * The chain is walked at completion, where it is not in what is timed; the registers are the same there, and come
 * with it. Of a fault whose completion is not asked for, they come with the entry, and tell which chain it had: that
 * of another from the same instruction at the same depth of the stack. With a chain comes the top of the stack, where
 * a function without a frame has its return address.
 */
uint64_t trace_sample_fields(const struct trace_events *e, enum trace_role role)
{
	uint64_t fields = ALL_RECORDS | trace_role_rows[role].fields;

	if (e->chains && is_done(role))
		fields |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER;
	if (e->chains && user_registers() && (role == TRACE_ENTRY_LEAN || is_done(role)))
		fields |= PERF_SAMPLE_REGS_USER;
	if (e->roles & TRACE_SEES_FRAMES && (is_done(role) || role == TRACE_ENTRY))
		fields |= PERF_SAMPLE_PHYS_ADDR;
	return fields;
}

/* A record of a lean entry as the kernel writes it: without its thread and time where its ring tells them. */
#define THIN_LACKS (PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

size_t trace_thin_bytes(const struct trace_events *e)
{
	uint64_t fields = trace_sample_fields(e, TRACE_ENTRY_LEAN) & ~(uint64_t)THIN_LACKS;
	bool has_registers = fields & PERF_SAMPLE_REGS_USER;
	size_t n_words = (size_t)__builtin_popcountll(fields) +
			 (has_registers ? (size_t)__builtin_popcountll(user_registers()) : 0);

	return sizeof(struct perf_event_header) + n_words * sizeof(uint64_t);
}

/* Lean entries are of both modes where we may see both: an event more costs each fault a look. */
static bool sees_kernel(const struct trace_events *e, enum trace_role role)
{
	return trace_role_rows[role].kernel_mode || trace_role_rows[role].is_tracepoint ||
	       (role == TRACE_ENTRY_LEAN && e->roles >> TRACE_ENTRY_KERNEL & 1);
}

static void fill_attr(struct perf_event_attr *attr, enum trace_role role,
		      const struct trace_events *e, bool on_exec)
{
	const struct trace_role_row *row = &trace_role_rows[role];

	*attr = (struct perf_event_attr){
		.type = row->is_tracepoint ? PERF_TYPE_TRACEPOINT : PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = row->is_tracepoint ? e->code.id : row->config,
		.sample_period =
			!row->is_side && !row->is_switch, /* each fault; the others count nothing */
		.sample_type = trace_sample_fields(e, role),
		.inherit = !e->by_thread,
		/* a tracepoint is always in the kernel's code, whoever has the fault */
		.exclude_kernel = !sees_kernel(e, role),
		.exclude_user = row->kernel_mode,
		.exclude_hv = 1,
		.exclude_callchain_kernel = 1,
		.watermark = 1,
		.wakeup_watermark =
			e->ring_bytes / 4 < WAKE_BYTES ? (uint32_t)e->ring_bytes / 4 : WAKE_BYTES,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.disabled = 1, /* until it has a ring: what it counted before would be lost */
		.enable_on_exec = on_exec && !row->starts_off,
	};
	if (e->is_thin && role == TRACE_ENTRY_LEAN)
		attr->sample_type &= ~(uint64_t)THIN_LACKS;
	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		attr->sample_regs_user = user_registers();
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		attr->sample_stack_user = TRACE_STACK_BYTES;
	if (row->is_side)
		attr->mmap = attr->mmap2 = attr->mmap_data = attr->comm = attr->comm_exec =
			attr->task = 1;
	attr->context_switch = row->is_switch;
}

static int open_event(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* --- what is allowed -------------------------------------------------------------------------------- */

static int why_refused(int r, struct why *why)
{
	uint64_t paranoid = 0;

	if (r == -EACCES || r == -EPERM) {
		if (sys_read_u64("/proc/sys/kernel/perf_event_paranoid", &paranoid) == 0 &&
		    paranoid > 2)
			return why_set(why, r,
				       "perf_event_paranoid is %llu, which keeps page faults from "
				       "ordinary users",
				       (unsigned long long)paranoid);
		return why_set(why, r,
			       "perf_event_open is refused, as in most containers (seccomp)");
	}
	return why_errno(why, r, "perf_event_open");
}

/* The offset of a field, out of the description of a tracepoint; 0: it has none of that name and of 8 bytes. */
static uint32_t offset_of(const char *format, const char *field)
{
	const char *at = strstr(format, field);
	unsigned offset, size;

	if (!at || sscanf(at + strlen(field), "\toffset:%u;\tsize:%u;", &offset, &size) != 2 ||
	    size != sizeof(uint64_t))
		return 0;
	return offset;
}

/* Only root reads these files, as a rule. */
static struct trace_tracepoint find_code(void)
{
	static const char *const folders[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	struct trace_tracepoint code = {.id = 0};
	char path[128], format[2048];

	for (size_t i = 0; i < ARRAY_LEN(folders) && code.id == 0; i++) {
		(void)snprintf(path, sizeof(path), "%s/events/exceptions/page_fault_user/format",
			       folders[i]);
		if (sys_read_text(path, format, sizeof(format)) <= 0 ||
		    sscanf(format, "name: page_fault_user\nID: %u", &code.id) != 1)
			continue;
		code.address_at = offset_of(format, "unsigned long address;");
		code.code_at = offset_of(format, "unsigned long error_code;");
		if (code.address_at == 0 || code.code_at == 0)
			code.id = 0;
	}
	return code;
}

/*
 * An event of the tracepoint that is open to our end, off and of ourselves: whenever the last one is closed the kernel
 * waits for all CPUs (tracepoint_synchronize_unregister()), for tens of milliseconds, and calibration opens and closes
 * some twenty times.
 */
static int fd_code = -1;

static int try_role(struct trace_events *e, enum trace_role role)
{
	struct perf_event_attr attr;
	int fd;

	if (trace_role_rows[role].is_tracepoint && e->code.id == 0)
		return -ENOENT;
	fill_attr(&attr, role, e, false);
	attr.inherit = 0;
	fd = open_event(&attr, 0, -1);
	if (fd < 0)
		return fd;
	if (role == TRACE_CODE && fd_code < 0)
		fd_code = fd;
	else
		(void)close(fd);
	return 0;
}

int trace_events_probe(uint32_t *ret_roles, struct why *why)
{
	struct trace_events e = {.ring_bytes = USUAL_RING_BYTES, .code = find_code()};
	int r;

	*ret_roles = 0;
	for (int role = 0; role < TRACE_N_ROLES; role++) {
		r = try_role(&e, role);
		if (r < 0 && role == TRACE_ENTRY)
			return why_refused(r, why);
		if (r == 0)
			*ret_roles |= 1U << role;
	}
	e.roles = TRACE_SEES_FRAMES;
	if (try_role(&e, TRACE_ENTRY) == 0)
		*ret_roles |= TRACE_SEES_FRAMES;
	return 0;
}

/* --- rings -------------------------------------------------------------------------------------------- */

static struct trace_ring *find_ring(struct trace_events *e, int cpu)
{
	for (size_t i = 0; i < e->n_rings && !e->by_thread; i++)
		if (e->rings[i].cpu == cpu)
			return &e->rings[i];
	return NULL;
}

static int add_ring(struct trace_events *e, int cpu, int fd, struct why *why)
{
	struct trace_ring *grown = array_grow(e->rings, e->n_rings, sizeof(*e->rings));
	struct trace_ring *ring;
	int r;

	if (!grown)
		return why_set(why, -ENOMEM, "no memory for rings");
	e->rings = grown;
	ring = &e->rings[e->n_rings];
	*ring = (struct trace_ring){.fd = fd, .cpu = cpu};
	r = trace_ring_map(ring, e->ring_bytes);
	if (r < 0)
		return why_errno(why, r, "cannot map a ring of perf (more of ulimit -l may help)");
	e->n_rings++;
	return 0;
}

/* --- opening --------------------------------------------------------------------------------------------- */

static int note_id(struct trace_events *e, int fd, enum trace_role role)
{
	uint64_t id;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0)
		return -errno;
	if (e->n_ids == e->ids_room) {
		size_t room = e->ids_room ? 2 * e->ids_room : 64;
		uint64_t *ids = reallocarray(e->ids, room, sizeof(*ids));
		uint8_t *roles;

		if (!ids)
			return -ENOMEM;
		e->ids = ids;
		roles = realloc(e->id_roles, room);
		if (!roles)
			return -ENOMEM;
		e->id_roles = roles;
		e->ids_room = room;
	}
	e->ids_of_role[role] = id;
	/* numbers grow, so the list stays sorted */
	e->ids[e->n_ids] = id;
	e->id_roles[e->n_ids++] = (uint8_t)role;
	return 0;
}

enum trace_role trace_events_role(const struct trace_events *e, uint64_t id)
{
	size_t lo = 0, hi = e->n_ids;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (e->ids[mid] == id)
			return e->id_roles[mid];
		if (e->ids[mid] < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return TRACE_N_ROLES;
}

static int keep_event(struct trace_events *e, int fd, pid_t tid, enum trace_role role)
{
	struct trace_event *grown = array_grow(e->events, e->n_events, sizeof(*e->events));

	if (!grown)
		return -ENOMEM;
	e->events = grown;
	e->events[e->n_events++] = (struct trace_event){.fd = fd,
							.tid = tid,
							.role = (uint8_t)role,
							.is_on = !trace_role_rows[role].starts_off};
	return note_id(e, fd, role);
}

/* What the events of one task on one CPU are opened for; they write into that CPU's ring. */
struct target {
	pid_t tid;
	int cpu;
	bool on_exec;
	struct trace_ring *ring; /* NULL: the first of them makes it */
};

static int join_ring(struct trace_events *e, struct target *target, int fd, struct why *why)
{
	int r;

	if (!target->ring) {
		r = add_ring(e, target->cpu, fd, why);
		target->ring = r == 0 ? &e->rings[e->n_rings - 1] : NULL;
		return r;
	}
	r = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target->ring->fd) < 0 ? -errno : 0;
	return r < 0 ? why_errno(why, r, "cannot join the events of task %d", (int)target->tid) : 0;
}

static int open_role(struct trace_events *e, enum trace_role role, struct target *target,
		     struct why *why)
{
	struct perf_event_attr attr;
	int fd, r;

	fill_attr(&attr, role, e, target->on_exec);
	fd = open_event(&attr, target->tid, target->cpu);
	if (fd < 0)
		return why_errno(why, fd, "cannot trace task %d", (int)target->tid);
	r = join_ring(e, target, fd, why);
	if (r == 0)
		r = keep_event(e, fd, target->tid, role);
	if (r < 0)
		(void)close(fd);
	else if (!target->on_exec && !trace_role_rows[role].starts_off)
		(void)ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	return r;
}

static int add_on_cpu(struct trace_events *e, pid_t tid, int cpu, bool on_exec, struct why *why)
{
	struct target target = {tid, cpu, on_exec, find_ring(e, cpu)};
	int r;

	/* the side event owns the ring: it is there in any case, and writes little */
	for (int i = 0; i < TRACE_N_ROLES; i++) {
		enum trace_role role = i == 0 ? TRACE_SIDE : i <= TRACE_SIDE ? i - 1 : i;

		if (!(e->roles >> role & 1))
			continue;
		r = open_role(e, role, &target, why);
		if (r < 0)
			return r;
	}
	return 0;
}

/* An event for each task, role and CPU takes many descriptors. A command that we started has its own limits. */
static void raise_file_limit(void)
{
	struct rlimit limit, more;
	uint64_t most = 0;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	(void)sys_read_u64("/proc/sys/fs/nr_open", &most);
	more = (struct rlimit){most, most};
	if (most > limit.rlim_max && setrlimit(RLIMIT_NOFILE, &more) == 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

int trace_events_add(struct trace_events *e, pid_t tid, bool on_exec, struct why *why)
{
	size_t n_before = e->n_events, n_rings_before = e->n_rings;
	int r = 0;

	for (size_t i = 0; i < (e->by_thread ? 1 : e->n_cpus) && r == 0; i++) {
		int cpu = e->by_thread ? -1 : e->cpus[i];

		r = add_on_cpu(e, tid, cpu, on_exec, why);
		if (r == -ENODEV && !e->by_thread) /* a CPU that has gone */
			r = 0;
	}
	if (r == 0)
		return 0;
	while (e->n_events > n_before) /* half a task would be counted as less than it is */
		(void)close(e->events[--e->n_events].fd);
	while (e->n_rings >
	       n_rings_before) { /* whose events are closed: others could not join them */
		trace_ring_free(&e->rings[--e->n_rings]);
	}
	/* the first ring has taken what all may lock together */
	if (r == -EPERM && n_rings_before == 0 && e->ring_bytes > USUAL_RING_BYTES) {
		e->ring_bytes = USUAL_RING_BYTES;
		return trace_events_add(e, tid, on_exec, why);
	}
	return r;
}

/* "0-3,8" of /sys/devices/system/cpu/online. */
static int list_cpus(struct trace_events *e)
{
	char text[1024];
	char *at = text;

	if (sys_read_text("/sys/devices/system/cpu/online", text, sizeof(text)) <= 0)
		(void)snprintf(text, sizeof(text), "0-%ld", sysconf(_SC_NPROCESSORS_CONF) - 1);
	while (*at) {
		long first = strtol(at, &at, 10), last = first;

		if (*at == '-')
			last = strtol(at + 1, &at, 10);
		for (long cpu = first; cpu <= last; cpu++) {
			int *grown = array_grow(e->cpus, e->n_cpus, sizeof(*e->cpus));

			if (!grown)
				return -ENOMEM;
			e->cpus = grown;
			e->cpus[e->n_cpus++] = (int)cpu;
		}
		if (*at != ',')
			break;
		at++;
	}
	return 0;
}

int trace_events_init(struct trace_events *e, uint32_t roles, bool chains, struct why *why)
{
	*e = (struct trace_events){
		.roles = roles, .chains = chains, .is_thin = roles >> TRACE_SWITCH & 1};
	if (roles >> TRACE_CODE & 1)
		e->code = find_code();
	if (e->code.id == 0)
		e->roles &= ~(1U << TRACE_CODE);
	raise_file_limit();
	if (list_cpus(e) < 0)
		return why_set(why, -ENOMEM, "no memory for the list of CPUs");
	for (e->ring_bytes = MOST_RING_BYTES;
	     e->ring_bytes > USUAL_RING_BYTES && e->ring_bytes * e->n_cpus > ALL_RINGS_BYTES;
	     e->ring_bytes /= 2)
		;
	return 0;
}

void trace_events_close(struct trace_events *e)
{
	for (size_t i = 0; i < e->n_rings; i++)
		trace_ring_free(&e->rings[i]);
	for (size_t i = 0; i < e->n_events; i++)
		(void)close(e->events[i].fd);
	free(e->rings);
	free(e->events);
	free(e->ids);
	free(e->id_roles);
	free(e->cpus);
	*e = (struct trace_events){.n_events = 0};
}

/* --- while they run ---------------------------------------------------------------------------------------- */

static void turn(struct trace_events *e, enum trace_role role, bool on)
{
	for (size_t i = 0; i < e->n_events; i++) {
		if (e->events[i].role != role || e->events[i].is_on == on)
			continue;
		e->events[i].is_on = on;
		(void)ioctl(e->events[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			    0);
	}
}

/* What is wanted is turned on before the other is turned off, so that no entry is missed; and completions are on
 * longer than full entries, so that each of these has one. */
void trace_events_lean(struct trace_events *e, bool lean)
{
	static const enum trace_role full[] = {TRACE_DONE, TRACE_DONE_KERNEL, TRACE_CODE,
					       TRACE_ENTRY, TRACE_ENTRY_KERNEL};
	size_t n = ARRAY_LEN(full);

	e->is_lean = lean;
	if (lean)
		turn(e, TRACE_ENTRY_LEAN, true);
	for (size_t i = 0; i < n; i++)
		turn(e, full[lean ? n - 1 - i : i], !lean);
	if (!lean)
		turn(e, TRACE_ENTRY_LEAN, false);
}

void trace_events_no_switches(struct trace_events *e)
{
	e->switches_off = true;
	turn(e, TRACE_SWITCH, false);
}

void trace_events_turn_on(struct trace_events *e, uint32_t roles)
{
	for (int role = 0; role < TRACE_N_ROLES; role++)
		if (roles >> role & 1)
			turn(e, role, true);
}

void trace_events_stop(struct trace_events *e)
{
	for (int role = 0; role < TRACE_N_ROLES; role++)
		turn(e, role, false);
}

void trace_events_stop_all(struct trace_events *e)
{
	if (prctl(PR_TASK_PERF_EVENTS_DISABLE) < 0) {
		trace_events_stop(e);
		return;
	}
	for (size_t i = 0; i < e->n_events; i++)
		e->events[i].is_on = false;
}

uint64_t trace_events_read(const struct trace_events *e, enum trace_role role)
{
	uint64_t sum = 0, value;

	for (size_t i = 0; i < e->n_events; i++)
		if (e->events[i].role == role &&
		    read(e->events[i].fd, &value, sizeof(value)) == sizeof(value))
			sum += value;
	return sum;
}
