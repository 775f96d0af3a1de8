/* SPDX-License-Identifier: MIT */
/* Records of perf's rings, built by hand as perf_event_open(2) has them. */
#ifndef UNIT_MADE_UP_RECORDS_H
#define UNIT_MADE_UP_RECORDS_H

#include "src/base/array.h"
#include "src/trace/perf_record.h"

#include <linux/perf_event.h>
#include <string.h>

enum { PID = 70, TID = 71, FIRST_ID = 1000, PAGE = 8192, MOST_BYTES = 4096, ID_STEP = 10 };
#define TIME_NS UINT64_C(123456789)
#define STACK_WORD UINT64_C(0x5500)
#define FRAME UINT64_C(0x123000)
/* Bytes of the stack that were there to be read. */
enum { N_ON_STACK = 48 };

static struct trace_events events;
static uint64_t ids[TRACE_N_ROLES];
static uint8_t roles[TRACE_N_ROLES];

static inline void number_events(void)
{
	for (int i = 0; i < TRACE_N_ROLES; i++) {
		ids[i] = FIRST_ID + ID_STEP * (uint64_t)i;
		roles[i] = (uint8_t)i;
	}
	events = (struct trace_events){
		.ids = ids, .id_roles = roles, .n_ids = TRACE_N_ROLES, .chains = true};
}

/* --- building ------------------------------------------------------------------------------------------------- */

static struct {
	union {
		unsigned char bytes[MOST_BYTES];
		uint64_t words[MOST_BYTES / 8];
	};
	size_t n;
} raw;

static inline void put(const void *bytes, size_t n)
{
	memcpy(raw.bytes + raw.n, bytes, n);
	raw.n += n;
}

static inline void put_u64(uint64_t value)
{
	put(&value, sizeof(value));
}

static inline void put_u32(uint32_t value)
{
	put(&value, sizeof(value));
}

/* With its end and zeroes up to a multiple of 8. */
static inline void put_text(const char *text)
{
	put(text, strlen(text) + 1);
	while (raw.n % 8)
		raw.bytes[raw.n++] = 0;
}

static inline void set_size(size_t n)
{
	struct perf_event_header h;

	memcpy(&h, raw.bytes, sizeof(h));
	h.size = (uint16_t)n;
	memcpy(raw.bytes, &h, sizeof(h));
}

static inline void open_record(uint32_t type, uint16_t misc)
{
	struct perf_event_header h = {.type = type, .misc = misc};

	raw.n = 0;
	put(&h, sizeof(h));
}

static inline void close_record(void)
{
	set_size(raw.n);
}

/* sample_id_all: pid and tid, time, number of the event. */
static inline void put_trailer(void)
{
	put_u32(PID);
	put_u32(TID);
	put_u64(TIME_NS);
	put_u64(FIRST_ID + ID_STEP * TRACE_SIDE);
}

static const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_USER, 0x4001, 0x5001};

/* The fields in perf's own order: chain, registers, stack, frame, page size. */
static inline void make_sample(enum trace_role role)
{
	uint64_t fields = trace_sample_fields(&events, role);

	open_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_u64(ids[role]);
	if (fields & PERF_SAMPLE_IP)
		put_u64(0x4004);
	put_u32(PID);
	put_u32(TID);
	put_u64(TIME_NS);
	put_u64(0xabc000 + (uint64_t)role);
	if (fields & PERF_SAMPLE_CPU)
		put_u64(1);
	if (fields & PERF_SAMPLE_CALLCHAIN) {
		put_u64(ARRAY_LEN(chain));
		put(chain, sizeof(chain));
	}
	if (fields & PERF_SAMPLE_REGS_USER) {
		put_u64(PERF_SAMPLE_REGS_ABI_64);
		put_u64(0xb9);
		put_u64(0x59);
	}
	if (fields & PERF_SAMPLE_STACK_USER) {
		put_u64(TRACE_STACK_BYTES);
		for (size_t i = 0; i < TRACE_STACK_BYTES / 8; i++)
			put_u64(STACK_WORD + i);
		put_u64(N_ON_STACK);
	}
	if (fields & PERF_SAMPLE_PHYS_ADDR)
		put_u64(FRAME);
	if (fields & PERF_SAMPLE_DATA_PAGE_SIZE)
		put_u64(PAGE);
	close_record();
}

static inline void make_mmap(void)
{
	open_record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put_u32(PID);
	put_u32(TID);
	put_u64(0x10000);
	put_u64(0x3000);
	put_u64(0x2000);
	put_u32(8);
	put_u32(1);
	put_u64(4711);
	put_u64(9);
	put_u32(5);
	put_u32(2);
	put_text("/usr/lib/a file.so");
	put_trailer();
	close_record();
}

static inline void make_comm(void)
{
	open_record(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put_u32(PID);
	put_u32(TID);
	put_text("a name of 15 ch");
	put_trailer();
	close_record();
}

static inline void make_task(uint32_t type)
{
	open_record(type, 0);
	put_u32(PID);
	put_u32(60);
	put_u32(TID);
	put_u32(61);
	put_u64(TIME_NS - 1);
	put_trailer();
	close_record();
}

static inline void make_switch(uint16_t misc)
{
	open_record(PERF_RECORD_SWITCH, misc);
	put_trailer();
	close_record();
}

static inline void make_lost(void)
{
	open_record(PERF_RECORD_LOST, 0);
	put_u64(ids[TRACE_ENTRY]);
	put_u64(345);
	put_trailer();
	close_record();
}

#endif
