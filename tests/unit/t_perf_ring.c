/* SPDX-License-Identifier: MIT */
/* Records out of a ring: lean entries that lack thread and time get both from their neighbours. */
#include "src/trace/perf_ring.h"

#include "tests/tap.h"
#include "tests/unit/made_up_records.h"

enum { ANOTHER = 99, MOST_TAKEN = 16 };
#define T0 UINT64_C(1000000)
#define T1 UINT64_C(1000900)

/* What the kernel has written, record behind record. */
static struct {
	unsigned char bytes[64 * MOST_TAKEN];
	size_t n;
} written;

static struct trace_ring ring;
static struct trace_record taken[MOST_TAKEN];
static size_t n_taken;

static void write_raw(void)
{
	memcpy(written.bytes + written.n, raw.bytes, raw.n);
	written.n += raw.n;
}

static void begin(bool chains)
{
	free(ring.queue);
	ring = (struct trace_ring){.fd = -1};
	written.n = 0;
	number_events();
	events.chains = chains;
	events.is_thin = true;
	for (int i = 0; i < TRACE_N_ROLES; i++)
		events.ids_of_role[i] = ids[i];
}

/* Decodes all that is new in the queue. */
static void take(uint64_t now_ns)
{
	size_t bytes;

	t_is_i64(trace_ring_take(&ring, &events, written.bytes, written.n, now_ns), 0, "taken");
	written.n = 0;
	for (n_taken = 0; n_taken < MOST_TAKEN; n_taken++) {
		const unsigned char *at = ring.queue + ring.n_used;

		bytes = trace_record_bytes(at, ring.n_queued - ring.n_used);
		if (bytes == 0)
			break;
		trace_record_decode(&events, at, &taken[n_taken]);
		ring.n_used += bytes;
	}
	t_is_u64(ring.n_used, ring.n_queued, "the queue holds whole records");
}

static void write_thin_of(uint64_t id, uint64_t address)
{
	open_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_u64(id);
	put_u64(0x4004 + address);
	put_u64(address);
	if (events.chains) {
		put_u64(PERF_SAMPLE_REGS_ABI_64);
		put_u64(0xb9);
		put_u64(0x59);
	}
	close_record();
	write_raw();
}

static void write_thin(uint64_t address)
{
	write_thin_of(ids[TRACE_ENTRY_LEAN], address);
}

static void write_switch(bool in, int32_t tid, uint64_t time_ns)
{
	open_record(PERF_RECORD_SWITCH, in ? 0 : PERF_RECORD_MISC_SWITCH_OUT);
	put_u32(PID);
	put_u32((uint32_t)tid);
	put_u64(time_ns);
	put_u64(ids[TRACE_SWITCH]);
	close_record();
	write_raw();
}

static void write_thin_lost(uint64_t count)
{
	open_record(PERF_RECORD_LOST, 0);
	put_u64(ids[TRACE_ENTRY_LEAN]);
	put_u64(count);
	put_u64(ids[TRACE_ENTRY_LEAN]);
	close_record();
	write_raw();
}

static void write_entry(enum trace_role role, uint64_t id, uint16_t misc)
{
	struct perf_event_header h;

	make_sample(role);
	memcpy(&h, raw.bytes, sizeof(h));
	h.misc = misc;
	memcpy(raw.bytes, &h, sizeof(h));
	memcpy(raw.bytes + sizeof(h), &id, sizeof(id));
	write_raw();
}

static bool is_lean_of(const struct trace_record *r, int32_t tid, uint64_t address,
		       uint64_t time_ns)
{
	return r->type == TRACE_RECORD_ENTRY && r->role == TRACE_ENTRY_LEAN && r->is_lean &&
	       r->pid == PID && r->tid == tid && r->address == address &&
	       r->ip == 0x4004 + address && r->time_ns == time_ns &&
	       r->sp == (events.chains ? 0x59 : 0) && r->bp == (events.chains ? 0xb9 : 0);
}

static void test_run(bool chains)
{
	begin(chains);
	write_switch(true, TID, T0);
	for (uint64_t i = 1; i <= 8; i++)
		write_thin(0x1000 * i);
	write_switch(false, TID, T1);
	take(T1 + 1);
	t_is_u64(n_taken, 10, "all of a run come out");
	for (uint64_t i = 1; i <= 8; i++)
		t_ok(is_lean_of(&taken[i], TID, 0x1000 * i, T0 + 100 * i),
		     "entry %d is its thread's, a ninth of the way behind the last", (int)i);
	t_is_u64(ring.n_nobodys, 0, "none is nobody's");
}

static void test_end(void)
{
	begin(false);
	write_switch(true, TID, T0);
	write_thin(0x1000);
	take(T0 + 200);
	t_ok(n_taken == 2 && is_lean_of(&taken[1], TID, 0x1000, T0 + 100),
	     "at the end the time goes on until now");
	write_thin(0x2000);
	write_switch(false, TID, T0 + 50);
	take(T0 + 300);
	t_ok(n_taken == 2 && is_lean_of(&taken[0], TID, 0x2000, T0 + 100),
	     "and never back, whatever the next record says");
	write_thin(0x3000);
	take(T0 + 400);
	t_ok(n_taken == 0 && ring.n_nobodys == 1, "whoever was switched out has no more entries");
}

static void test_thread(void)
{
	begin(false);
	write_thin(0x1000);
	write_switch(true, ANOTHER, T0);
	write_thin(0x2000);
	write_entry(TRACE_ENTRY, ids[TRACE_ENTRY], PERF_RECORD_MISC_USER);
	write_thin(0x3000);
	take(TIME_NS);
	t_ok(n_taken == 4 && ring.n_nobodys == 1, "before any switch an entry is nobody's");
	t_is_i64(taken[1].tid, ANOTHER, "then that of who was switched in");
	t_ok(taken[3].tid == TID && taken[3].address == 0x3000, "any other record tells it, too");
}

static void test_lost(void)
{
	begin(true);
	write_switch(true, TID, T0);
	write_thin_lost(345);
	write_thin(0x1000);
	write_switch(true, TID, T0 + 300);
	write_thin(0x2000);
	take(T0 + 500);
	t_ok(n_taken == 4 && taken[1].type == TRACE_RECORD_LOST && taken[1].count == 345 &&
		     taken[1].time_ns == T0 + 100,
	     "what was lost comes out whole, with a time");
	t_is_u64(ring.n_nobodys, 1, "behind it a switch can be missing");
	t_ok(is_lean_of(&taken[3], TID, 0x2000, T0 + 400), "until the next one");
}

/* Two events of one fault can share the first one's number. */
static void test_shared_numbers(bool chains)
{
	begin(chains);
	write_switch(true, TID, T0);
	write_thin_of(ids[TRACE_ENTRY], 0x1000);
	write_entry(TRACE_ENTRY, ids[TRACE_ENTRY_LEAN], PERF_RECORD_MISC_USER);
	write_entry(TRACE_ENTRY_KERNEL, ids[TRACE_ENTRY_LEAN], PERF_RECORD_MISC_KERNEL);
	take(TIME_NS);
	t_ok(taken[1].role == TRACE_ENTRY_LEAN && taken[1].address == 0x1000,
	     "a thin record is the lean event's, whatever its number");
	t_ok(taken[2].role == TRACE_ENTRY && !taken[2].is_lean && taken[2].page_bytes == PAGE,
	     "a full one is not");
	t_ok(taken[3].role == TRACE_ENTRY_KERNEL && taken[3].kernel_mode, "nor one in the kernel");
}

/* The same trap by both events, a long time after the record before: at the same time. */
static void test_twins(void)
{
	begin(false);
	write_switch(true, TID, T0);
	write_thin(0x1000);
	open_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_u64(ids[TRACE_ENTRY_LEAN]);
	put_u64(0x4004); /* as make_sample() has them */
	put_u64(0xabc000 + TRACE_ENTRY);
	close_record();
	write_raw();
	write_entry(TRACE_ENTRY, ids[TRACE_ENTRY], PERF_RECORD_MISC_USER);
	write_thin(0x2000);
	take(TIME_NS + 1000);
	t_ok(n_taken == 5 && taken[2].is_lean && taken[2].time_ns == TIME_NS &&
		     taken[3].time_ns == TIME_NS,
	     "before the full one");
	t_ok(taken[1].time_ns < TIME_NS && taken[4].time_ns > TIME_NS, "and no others");
	begin(false);
	write_entry(TRACE_ENTRY, ids[TRACE_ENTRY], PERF_RECORD_MISC_USER);
	open_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_u64(ids[TRACE_ENTRY]);
	put_u64(0x4004);
	put_u64(0xabc000 + TRACE_ENTRY);
	close_record();
	write_raw();
	take(TIME_NS + 1000000);
	t_ok(n_taken == 2 && taken[1].is_lean && taken[1].time_ns == TIME_NS, "and behind it");
}

static void test_sizes(void)
{
	for (int chains = 0; chains < 2; chains++)
		for (int frames = 0; frames < 2; frames++) {
			begin(chains);
			events.roles = frames ? TRACE_SEES_FRAMES : 0;
			make_sample(TRACE_ENTRY);
			t_ok(trace_thin_bytes(&events) < raw.n,
			     "no full entry is as small as a thin one (chains %d, frames %d)",
			     chains, frames);
		}
}

static void test_full(void)
{
	unsigned char before[sizeof(written.bytes)];
	size_t n;

	begin(true);
	events.is_thin = false;
	write_entry(TRACE_ENTRY_LEAN, ids[TRACE_ENTRY_LEAN], PERF_RECORD_MISC_USER);
	write_switch(false, TID, T0);
	write_entry(TRACE_ENTRY, ids[TRACE_ENTRY], PERF_RECORD_MISC_USER);
	n = written.n;
	memcpy(before, written.bytes, n);
	take(T1);
	t_ok(ring.n_queued == n && memcmp(ring.queue, before, n) == 0,
	     "where entries are not thin nothing is changed");
}

static void test_odd(void)
{
	struct perf_event_header h = {.type = PERF_RECORD_SAMPLE, .size = 0};

	begin(false);
	write_switch(true, TID, T0);
	memcpy(written.bytes + written.n, &h, sizeof(h));
	written.n += sizeof(h);
	take(T1);
	t_is_u64(n_taken, 1, "a record without a size ends what can be understood");
	begin(false);
	write_switch(true, TID, T0);
	write_thin(0x1000);
	written.n -= 8;
	take(T1);
	t_is_u64(n_taken, 1, "and so does one that is cut");
	begin(false);
	write_switch(true, TID, T0);
	write_entry(TRACE_ENTRY, 4711, PERF_RECORD_MISC_USER);
	write_thin(0x2000);
	take(T1);
	t_ok(ring.n_nobodys == 0 &&
		     is_lean_of(&taken[n_taken - 1], TID, 0x2000, T0 + (T1 - T0) / 2),
	     "an event that is none of ours says nothing of the thread, nor of the time");
}

int main(void)
{
	test_run(false);
	test_run(true);
	test_end();
	test_thread();
	test_lost();
	test_shared_numbers(false);
	test_shared_numbers(true);
	test_twins();
	test_sizes();
	test_full();
	test_odd();
	free(ring.queue);
	return t_done();
}
