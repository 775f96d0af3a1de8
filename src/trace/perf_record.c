/* SPDX-License-Identifier: MIT */
/* Records of perf's rings, decoded: the layouts are those of perf_event_open(2). */
#include "src/trace/perf_record.h"

#include <linux/perf_event.h>
#include <string.h>

/* Behind all records that are no samples: pid and tid, time, number of the event. */
enum { TRAILER_BYTES = 24 };

static uint64_t u64_at(const unsigned char *raw, size_t at)
{
	uint64_t value;

	memcpy(&value, raw + at, sizeof(value));
	return value;
}

static int32_t i32_at(const unsigned char *raw, size_t at)
{
	int32_t value;

	memcpy(&value, raw + at, sizeof(value));
	return value;
}

static struct perf_event_header header_of(const unsigned char *raw)
{
	struct perf_event_header h;

	memcpy(&h, raw, sizeof(h));
	return h;
}

size_t trace_record_bytes(const unsigned char *raw, size_t n_left)
{
	struct perf_event_header h;

	if (n_left < sizeof(h))
		return 0;
	h = header_of(raw);
	return h.size >= sizeof(h) && h.size <= n_left ? h.size : 0;
}

static bool has_ip(enum trace_role role)
{
	return role == TRACE_ENTRY || role == TRACE_ENTRY_LEAN || role == TRACE_ENTRY_KERNEL;
}

uint64_t trace_record_time(const struct trace_events *e, const unsigned char *raw)
{
	struct perf_event_header h = header_of(raw);

	if (h.type != PERF_RECORD_SAMPLE)
		return h.size >= sizeof(h) + TRAILER_BYTES ? u64_at(raw, h.size - 16) : 0;
	if (h.size < sizeof(h) + 32)
		return 0;
	return u64_at(raw,
		      sizeof(h) + (has_ip(trace_events_role(e, u64_at(raw, sizeof(h)))) ? 24 : 16));
}

/* --- samples ------------------------------------------------------------------------------------------ */

/* A record that is shorter than its fields gives zeroes: it is the kernel's, but nothing is read beyond it. */
struct cursor {
	const unsigned char *raw;
	size_t at, end;
};

static uint64_t next(struct cursor *c)
{
	uint64_t value;

	if (c->at + sizeof(value) > c->end)
		return 0;
	value = u64_at(c->raw, c->at);
	c->at += sizeof(value);
	return value;
}

static void take_chain(struct cursor *c, struct trace_record *ret)
{
	uint64_t n = next(c);

	if (n > (c->end - c->at) / sizeof(uint64_t))
		n = (c->end - c->at) / sizeof(uint64_t);
	ret->chain =
		(const uint64_t *)(const void *)(c->raw + c->at); /* records are aligned to 8 */
	ret->n_chain = (size_t)n;
	c->at += (size_t)n * sizeof(uint64_t);
}

/* Its room, the bytes, and how many of them are the stack's: none where it could not be read. */
static void take_stack(struct cursor *c, struct trace_record *ret)
{
	uint64_t room = next(c), n;

	if (room == 0 || room > c->end - c->at)
		return;
	ret->stack = c->raw + c->at;
	c->at += (size_t)room;
	n = next(c);
	ret->stack_bytes = (size_t)(n < room ? n : room);
}

/* What a tracepoint hands over: its length, and then its fields. */
static void take_code(struct cursor *c, const struct trace_events *e, struct trace_record *ret)
{
	const unsigned char *data = c->raw + c->at + sizeof(uint32_t);
	uint32_t n;

	if (c->end - c->at < sizeof(n))
		return;
	memcpy(&n, c->raw + c->at, sizeof(n));
	if (n > c->end - c->at - sizeof(n) || e->code.address_at + sizeof(uint64_t) > n ||
	    e->code.code_at + sizeof(uint64_t) > n)
		return;
	ret->type = TRACE_RECORD_CODE;
	ret->address = u64_at(data, e->code.address_at);
	ret->code = u64_at(data, e->code.code_at);
}

static bool is_of_kernel(const struct perf_event_header *h)
{
	return (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

static void decode_sample(const struct trace_events *e, const unsigned char *raw,
			  struct trace_record *ret)
{
	struct perf_event_header h = header_of(raw);
	struct cursor c = {raw, sizeof(h), h.size};
	uint64_t fields, who;

	ret->role = trace_events_role(e, next(&c));
	if (ret->role == TRACE_N_ROLES)
		return;
	fields = trace_sample_fields(e, ret->role);
	if (ret->role != TRACE_CODE)
		ret->type = has_ip(ret->role) ? TRACE_RECORD_ENTRY : TRACE_RECORD_DONE;
	ret->major = ret->role == TRACE_DONE_MAJOR || ret->role == TRACE_DONE_MAJOR_KERNEL;
	ret->kernel_mode = trace_role_rows[ret->role].kernel_mode ||
			   (ret->role == TRACE_ENTRY_LEAN && is_of_kernel(&h));
	if (fields & PERF_SAMPLE_IP)
		ret->ip = next(&c);
	who = next(&c);
	ret->pid = (int32_t)(uint32_t)who;
	ret->tid = (int32_t)(who >> 32);
	ret->time_ns = next(&c);
	if (fields & PERF_SAMPLE_RAW) {
		take_code(&c, e, ret);
		return;
	}
	ret->address = next(&c);
	if (fields & PERF_SAMPLE_CPU)
		(void)next(&c);
	if (fields & PERF_SAMPLE_CALLCHAIN)
		take_chain(&c, ret);
	if (fields & PERF_SAMPLE_REGS_USER && next(&c) != PERF_SAMPLE_REGS_ABI_NONE) {
		ret->bp = next(&c);
		ret->sp = next(&c);
	}
	if (fields & PERF_SAMPLE_STACK_USER)
		take_stack(&c, ret);
	if (fields & PERF_SAMPLE_PHYS_ADDR)
		ret->frame = next(&c);
	if (fields & PERF_SAMPLE_DATA_PAGE_SIZE)
		ret->page_bytes = next(&c);
	ret->is_lean = ret->role == TRACE_ENTRY_LEAN;
}

/* --- the others ----------------------------------------------------------------------------------------- */

static void take_trailer(const unsigned char *raw, size_t size, struct trace_record *ret)
{
	if (size < sizeof(struct perf_event_header) + TRAILER_BYTES)
		return;
	ret->pid = i32_at(raw, size - 24);
	ret->tid = i32_at(raw, size - 20);
	ret->time_ns = u64_at(raw, size - 16);
}

/* The kernel ends them, and fills them up to 8 bytes. One that does not end is none of its. */
static bool is_ended(const unsigned char *text, size_t n)
{
	return memchr(text, 0, n) != NULL;
}

static void decode_mmap(const unsigned char *raw, size_t size, struct trace_record *ret)
{
	enum { NAME_AT = 72 };
	uint64_t dev;

	if (size < NAME_AT + 8 + TRAILER_BYTES ||
	    !is_ended(raw + NAME_AT, size - TRAILER_BYTES - NAME_AT))
		return;
	ret->type = TRACE_RECORD_MMAP;
	ret->pid = i32_at(raw, 8);
	ret->tid = i32_at(raw, 12);
	dev = u64_at(raw, 40);
	ret->mmap = (struct trace_mmap_event){
		.pid = ret->pid,
		.start = u64_at(raw, 16),
		.length = u64_at(raw, 24),
		.offset = u64_at(raw, 32),
		.dev_major = (uint32_t)dev,
		.dev_minor = (uint32_t)(dev >> 32),
		.inode = u64_at(raw, 48),
		.prot = (uint32_t)u64_at(raw, 64),
		.flags = (uint32_t)(u64_at(raw, 64) >> 32),
		.name = (const char *)raw + NAME_AT,
	};
}

static void decode_comm(const unsigned char *raw, const struct perf_event_header *h,
			struct trace_record *ret)
{
	enum { NAME_AT = 16 };

	if (h->size < NAME_AT + 8 + TRAILER_BYTES ||
	    !is_ended(raw + NAME_AT, h->size - TRAILER_BYTES - NAME_AT))
		return;
	ret->type = TRACE_RECORD_COMM;
	ret->is_exec = h->misc & PERF_RECORD_MISC_COMM_EXEC;
	ret->pid = i32_at(raw, 8);
	ret->tid = i32_at(raw, 12);
	ret->comm = (const char *)raw + NAME_AT;
}

static void decode_task(const unsigned char *raw, const struct perf_event_header *h,
			struct trace_record *ret)
{
	if (h->size < 32 + TRAILER_BYTES)
		return;
	ret->type = h->type == PERF_RECORD_FORK ? TRACE_RECORD_FORK : TRACE_RECORD_EXIT;
	ret->pid = i32_at(raw, 8);
	ret->parent_pid = i32_at(raw, 12);
	ret->tid = i32_at(raw, 16);
	ret->parent_tid = i32_at(raw, 20);
}

void trace_record_decode(const struct trace_events *e, const unsigned char *raw,
			 struct trace_record *ret)
{
	struct perf_event_header h = header_of(raw);

	*ret = (struct trace_record){.type = TRACE_RECORD_OTHER, .role = TRACE_N_ROLES};
	if (h.type == PERF_RECORD_SAMPLE) {
		decode_sample(e, raw, ret);
		return;
	}
	take_trailer(raw, h.size, ret);
	switch (h.type) {
	case PERF_RECORD_SWITCH:
		ret->type = h.misc & PERF_RECORD_MISC_SWITCH_OUT ? TRACE_RECORD_SWITCH_OUT
								 : TRACE_RECORD_SWITCH_IN;
		ret->preempted = h.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		break;
	case PERF_RECORD_MMAP2:
		decode_mmap(raw, h.size, ret);
		break;
	case PERF_RECORD_COMM:
		decode_comm(raw, &h, ret);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		decode_task(raw, &h, ret);
		break;
	case PERF_RECORD_LOST:
		ret->type = TRACE_RECORD_LOST;
		ret->count = h.size >= 24 ? u64_at(raw, 16) : 1;
		break;
	default:
		break;
	}
}
