/* SPDX-License-Identifier: MIT */
/* Records of perf's rings, built by hand as perf_event_open(2) has them: decoded; and short and hostile ones. */
#include "src/sys/page.h"
#include "tests/tap.h"
#include "tests/unit/made_up_records.h"

#include <sys/mman.h>

/* --- decoding ---------------------------------------------------------------------------------------------------- */

static struct trace_record decoded(void)
{
	struct trace_record record;

	trace_record_decode(&events, raw.bytes, &record);
	return record;
}

static void test_chain_and_stack(enum trace_role role, const struct trace_record *r,
				 uint64_t fields)
{
	uint64_t word = STACK_WORD;

	t_ok(fields & PERF_SAMPLE_CALLCHAIN
		     ? r->n_chain == ARRAY_LEN(chain) && memcmp(r->chain, chain, sizeof(chain)) == 0
		     : !r->chain && r->n_chain == 0,
	     "role %d: the chain", (int)role);
	t_ok(fields & PERF_SAMPLE_STACK_USER
		     ? r->stack_bytes == N_ON_STACK && memcmp(r->stack, &word, sizeof(word)) == 0
		     : !r->stack && r->stack_bytes == 0,
	     "role %d: the stack", (int)role);
	t_is_u64(r->frame, fields & PERF_SAMPLE_PHYS_ADDR ? FRAME : 0, "role %d: the frame",
		 (int)role);
}

static void test_sample(enum trace_role role)
{
	uint64_t fields = trace_sample_fields(&events, role);
	bool is_entry =
		role == TRACE_ENTRY || role == TRACE_ENTRY_LEAN || role == TRACE_ENTRY_KERNEL;
	bool has_registers = fields & PERF_SAMPLE_REGS_USER;
	struct trace_record r;

	make_sample(role);
	r = decoded();
	t_ok(r.type == (is_entry ? TRACE_RECORD_ENTRY : TRACE_RECORD_DONE) && r.role == role,
	     "role %d: what it is", (int)role);
	t_ok(r.pid == PID && r.tid == TID && r.time_ns == TIME_NS, "role %d: who and when",
	     (int)role);
	t_is_u64(trace_record_time(&events, raw.bytes), TIME_NS, "role %d: the time alone",
		 (int)role);
	t_ok(r.address == 0xabc000 + (uint64_t)role && r.ip == (is_entry ? 0x4004 : 0),
	     "role %d: where", (int)role);
	t_ok(r.page_bytes == (role == TRACE_ENTRY_LEAN ? 0 : PAGE) &&
		     r.is_lean == (role == TRACE_ENTRY_LEAN),
	     "role %d: the page", (int)role);
	t_ok(r.bp == (has_registers ? 0xb9 : 0) && r.sp == (has_registers ? 0x59 : 0),
	     "role %d: registers", (int)role);
	test_chain_and_stack(role, &r, fields);
	t_ok(r.kernel_mode == trace_role_rows[role].kernel_mode &&
		     r.major == (role == TRACE_DONE_MAJOR || role == TRACE_DONE_MAJOR_KERNEL),
	     "role %d: mode, and major", (int)role);
}

static void test_samples(bool chains, bool frames)
{
	events.chains = chains;
	events.roles = frames ? TRACE_SEES_FRAMES : 0;
	for (int role = 0; role < TRACE_SIDE; role++)
		if (role != TRACE_CODE)
			test_sample(role);
	events.chains = true;
}

/* As /sys/kernel/tracing/events/exceptions/page_fault_user/format has it. */
enum { N_RAW = 36, ADDRESS_AT = 8, CODE_AT = 24 };

static void make_code(uint32_t n_raw)
{
	open_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	put_u64(ids[TRACE_CODE]);
	put_u32(PID);
	put_u32(TID);
	put_u64(TIME_NS);
	put_u32(n_raw);
	put_u64(190); /* common fields */
	put_u64(0xabc123);
	put_u64(0x4004);
	put_u64(TRACE_CODE_WRITE | TRACE_CODE_PRESENT);
	put_u32(0);
	close_record();
}

static void test_code(void)
{
	struct trace_record r;

	events.code = (struct trace_tracepoint){190, ADDRESS_AT, CODE_AT};
	make_code(N_RAW);
	r = decoded();
	t_ok(r.type == TRACE_RECORD_CODE && r.role == TRACE_CODE && r.pid == PID && r.tid == TID,
	     "an error code: what it is, and whose");
	t_ok(r.address == 0xabc123 && r.code == (TRACE_CODE_WRITE | TRACE_CODE_PRESENT),
	     "of which address, and the code");
	t_is_u64(r.time_ns, TIME_NS, "when");
	t_is_u64(trace_record_time(&events, raw.bytes), TIME_NS, "the time alone");
	make_code(N_RAW + 1);
	t_is_i64(decoded().type, TRACE_RECORD_OTHER, "longer than its record: nothing is believed");
	make_code(CODE_AT + 7);
	t_is_i64(decoded().type, TRACE_RECORD_OTHER, "too short for a code: neither");
	make_code(0);
	set_size(32);
	t_is_i64(decoded().type, TRACE_RECORD_OTHER, "cut before its length: neither");
}

static void test_lean_in_kernel(void)
{
	struct perf_event_header h;

	make_sample(TRACE_ENTRY_LEAN);
	t_ok(!decoded().kernel_mode, "a lean entry of the user's");
	memcpy(&h, raw.bytes, sizeof(h));
	h.misc = PERF_RECORD_MISC_KERNEL;
	memcpy(raw.bytes, &h, sizeof(h));
	t_ok(decoded().kernel_mode, "and one in the kernel");
}

static void test_odd_samples(void)
{
	struct trace_record r;
	uint64_t none = PERF_SAMPLE_REGS_ABI_NONE;

	make_sample(TRACE_ENTRY_LEAN);
	memcpy(raw.bytes + 48, &none, sizeof(none));
	r = decoded();
	t_ok(r.sp == 0 && r.bp == 0, "a task without user registers has none in its record");
	make_sample(TRACE_DONE);
	raw.words[1] = 999;
	r = decoded();
	t_ok(r.type == TRACE_RECORD_OTHER && r.role == TRACE_N_ROLES,
	     "a number that is no event's: not ours");
	raw.words[1] = FIRST_ID + 5;
	t_is_i64(decoded().type, TRACE_RECORD_OTHER, "one between two of ours: neither");
	raw.words[1] = UINT64_MAX;
	t_is_i64(decoded().type, TRACE_RECORD_OTHER, "beyond all: neither");
}

static void test_mmap(void)
{
	struct trace_record r;

	make_mmap();
	r = decoded();
	t_ok(r.type == TRACE_RECORD_MMAP && r.pid == PID && r.tid == TID && r.time_ns == TIME_NS,
	     "a mapping: who and when");
	t_ok(r.mmap.pid == PID && r.mmap.start == 0x10000 && r.mmap.length == 0x3000 &&
		     r.mmap.offset == 0x2000,
	     "where");
	t_ok(r.mmap.dev_major == 8 && r.mmap.dev_minor == 1 && r.mmap.inode == 4711 &&
		     r.mmap.prot == 5 && r.mmap.flags == 2,
	     "of what");
	t_is_str(r.mmap.name, "/usr/lib/a file.so", "its name");
	t_is_u64(trace_record_time(&events, raw.bytes), TIME_NS, "the time alone");
}

static void test_others(void)
{
	struct trace_record r;

	make_comm();
	r = decoded();
	t_ok(r.type == TRACE_RECORD_COMM && r.is_exec && r.pid == PID && r.tid == TID, "exec");
	t_is_str(r.comm, "a name of 15 ch", "the new name");
	make_task(PERF_RECORD_FORK);
	r = decoded();
	t_ok(r.type == TRACE_RECORD_FORK && r.pid == PID && r.tid == TID && r.parent_pid == 60 &&
		     r.parent_tid == 61 && r.time_ns == TIME_NS,
	     "fork: child and parent");
	make_task(PERF_RECORD_EXIT);
	r = decoded();
	t_ok(r.type == TRACE_RECORD_EXIT && r.pid == PID && r.tid == TID, "exit");
	make_switch(0);
	r = decoded();
	t_ok(r.type == TRACE_RECORD_SWITCH_IN && r.tid == TID && r.time_ns == TIME_NS,
	     "switched in");
	make_switch(PERF_RECORD_MISC_SWITCH_OUT);
	r = decoded();
	t_ok(r.type == TRACE_RECORD_SWITCH_OUT && !r.preempted, "switched out, asleep");
	make_switch(PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	r = decoded();
	t_ok(r.type == TRACE_RECORD_SWITCH_OUT && r.preempted, "switched out, preempted");
	make_lost();
	r = decoded();
	t_ok(r.type == TRACE_RECORD_LOST && r.count == 345, "lost");
	open_record(PERF_RECORD_THROTTLE, 0);
	put_trailer();
	close_record();
	r = decoded();
	t_ok(r.type == TRACE_RECORD_OTHER && r.time_ns == TIME_NS, "any other has a time");
}

/* --- hostile ones ---------------------------------------------------------------------------------------------------- */

/* A record of n bytes whose end is the end of what can be read. */
static unsigned char *at_the_edge(size_t n)
{
	static unsigned char *edge;
	size_t room = (MOST_BYTES + sys_page_bytes() - 1) / sys_page_bytes() * sys_page_bytes();

	if (!edge) {
		unsigned char *pages = mmap(NULL, room + sys_page_bytes(), PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (pages == MAP_FAILED || mprotect(pages + room, sys_page_bytes(), PROT_NONE) < 0)
			exit(EXIT_FAILURE);
		edge = pages + room;
	}
	memcpy(edge - n, raw.bytes, n);
	return edge - n;
}

/* Reads all that a decoded record points to. A sum, so that the reads are not left out. */
static uint64_t read_all(const struct trace_record *r)
{
	uint64_t sum = r->time_ns + r->address + r->ip + r->page_bytes + r->count + r->sp + r->bp;

	for (size_t i = 0; i < r->n_chain; i++)
		sum += r->chain[i];
	for (size_t i = 0; i < r->stack_bytes; i++)
		sum += r->stack[i];
	if (r->type == TRACE_RECORD_MMAP)
		sum += strlen(r->mmap.name);
	if (r->type == TRACE_RECORD_COMM)
		sum += strlen(r->comm);
	return sum;
}

static uint64_t decode_at_the_edge(size_t n)
{
	unsigned char *at;
	struct trace_record record;

	set_size(n);
	at = at_the_edge(n);
	trace_record_decode(&events, at, &record);
	return read_all(&record) + trace_record_time(&events, at);
}

/* Each record cut to each length from its header on. */
static void test_short(const char *what)
{
	volatile uint64_t sum = 0;
	size_t whole = raw.n;

	for (size_t n = sizeof(struct perf_event_header); n <= whole; n += 8)
		sum += decode_at_the_edge(n);
	t_ok(true, "%s, cut anywhere: nothing is read beyond it", what);
	set_size(whole);
}

static void test_all_short(void)
{
	for (int role = 0; role < TRACE_SIDE; role++) {
		make_sample(role);
		test_short("a sample");
	}
	make_mmap();
	test_short("a mapping");
	make_comm();
	test_short("a name");
	make_task(PERF_RECORD_FORK);
	test_short("a fork");
	make_switch(0);
	test_short("a switch");
	make_lost();
	test_short("a loss");
}

/* A short record gives zeroes, not what lies behind it. */
static void test_short_values(void)
{
	struct trace_record r;

	make_sample(TRACE_DONE);
	set_size(40);
	r = decoded();
	t_ok(r.time_ns == TIME_NS && r.address && r.n_chain == 0 && r.page_bytes == 0,
	     "a sample cut behind its address");
	make_task(PERF_RECORD_FORK);
	set_size(40);
	t_is_i64(decoded().type, TRACE_RECORD_OTHER, "a fork without its trailer is none");
	make_mmap();
	set_size(72 + 24);
	t_is_i64(decoded().type, TRACE_RECORD_OTHER, "a mapping without a name is none");
	make_lost();
	set_size(16);
	r = decoded();
	t_ok(r.type == TRACE_RECORD_LOST && r.count == 1, "a loss without its count: one at least");
	open_record(PERF_RECORD_EXIT, 0);
	close_record();
	t_is_u64(trace_record_time(&events, raw.bytes), 0, "one of a header alone has no time");
}

static void test_hostile_chain(void)
{
	struct trace_record r;
	uint64_t many[] = {UINT64_MAX, UINT64_MAX / 8, 1U << 30, 1000};

	for (size_t i = 0; i < ARRAY_LEN(many); i++) {
		make_sample(TRACE_DONE);
		memcpy(raw.bytes + 40, &many[i], sizeof(many[i]));
		r = decoded();
		t_is_u64(r.n_chain, (raw.n - 48) / 8, "a chain of %" PRIu64 ": what the record has",
			 many[i]);
		t_is_u64(r.page_bytes, 0, "and nothing is left behind it");
	}
	make_sample(TRACE_DONE);
	memset(raw.bytes + 40, 0, 8);
	r = decoded();
	t_ok(r.n_chain == 0 && (!r.stack || r.stack + r.stack_bytes <= raw.bytes + raw.n),
	     "an empty chain, and what is behind it is taken for what it is not, but not beyond the record");
}

/* Of a sample at completion: behind its chain and its registers. */
static void test_hostile_stack(void)
{
	enum { STACK_AT = 48 + 8 * ARRAY_LEN(chain) + 24 };
	struct trace_record r;
	uint64_t many[] = {UINT64_MAX, UINT64_MAX / 2, 1 << 20, 1000};

	for (size_t i = 0; i < ARRAY_LEN(many); i++) {
		make_sample(TRACE_DONE);
		memcpy(raw.bytes + STACK_AT, &many[i], sizeof(many[i]));
		(void)decode_at_the_edge(raw.n);
		r = decoded();
		t_is_u64(r.stack_bytes, 0, "a stack of %" PRIu64 ": none", many[i]);
		make_sample(TRACE_DONE);
		memcpy(raw.bytes + STACK_AT + 8 + TRACE_STACK_BYTES, &many[i], sizeof(many[i]));
		(void)decode_at_the_edge(raw.n);
		r = decoded();
		t_is_u64(r.stack_bytes, TRACE_STACK_BYTES, "of which so much is there: its room");
	}
	make_sample(TRACE_DONE);
	memset(raw.bytes + STACK_AT, 0, 8);
	r = decoded();
	t_ok(!r.stack && r.stack_bytes == 0 && r.frame == STACK_WORD,
	     "no stack: its room is not there");
}

/* Names without an end. */
static void test_endless_names(void)
{
	struct trace_record r;

	make_mmap();
	memset(raw.bytes + 72, 'x', raw.n - 72);
	(void)decode_at_the_edge(raw.n);
	r = decoded();
	t_is_i64(r.type, TRACE_RECORD_OTHER, "a mapping whose name does not end is none");
	make_comm();
	memset(raw.bytes + 16, 'x', raw.n - 16);
	(void)decode_at_the_edge(raw.n);
	r = decoded();
	t_is_i64(r.type, TRACE_RECORD_OTHER, "a name that does not end is none");
}

static void test_sizes(void)
{
	make_lost();
	t_is_u64(trace_record_bytes(raw.bytes, raw.n), raw.n, "a whole record");
	t_is_u64(trace_record_bytes(raw.bytes, raw.n + 100), raw.n, "with others behind it");
	t_is_u64(trace_record_bytes(raw.bytes, raw.n - 1), 0, "one that is not whole");
	for (size_t n = 0; n < sizeof(struct perf_event_header); n++)
		if (trace_record_bytes(at_the_edge(n), n) != 0)
			t_ok(false, "less than a header: none");
	set_size(0);
	t_is_u64(trace_record_bytes(raw.bytes, raw.n), 0,
		 "no size: no record, and no endless loop");
	set_size(7);
	t_is_u64(trace_record_bytes(raw.bytes, raw.n), 0, "less than its header: none");
}

int main(void)
{
	number_events();
	test_samples(true, false);
	test_samples(false, false);
	test_samples(false, true);
	test_samples(true, true);
	test_odd_samples();
	test_code();
	test_lean_in_kernel();
	test_mmap();
	test_others();
	test_sizes();
	test_all_short();
	test_short_values();
	test_hostile_chain();
	test_hostile_stack();
	test_endless_names();
	return t_done();
}
