/* SPDX-License-Identifier: MIT */
/*
 * A ring of one CPU. What has an event for each fault costs the more the more each record carries, so a lean entry
 * leaves out what its place in the ring tells: the thread is the one that was switched in last, and the time is between
 * those of its neighbours. Here both are put in, so that nobody else need know.
 */
#include "src/trace/perf_ring.h"

#include "src/sys/page.h"
#include "src/trace/perf_record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LEAST_RING_BYTES (16U << 10)

enum {
	HEADER = sizeof(struct perf_event_header),
	WORD = sizeof(uint64_t),
	MISSING = 2 * WORD, /* pid and tid, time */
	/* in a sample: behind the number of the event and the instruction; in one with all fields, the address */
	SAMPLE_AT = HEADER + 2 * WORD,
	ENTRY_ADDRESS_AT = HEADER + 4 * WORD,
};

/* --- memory ------------------------------------------------------------------------------------------------ */

int trace_ring_map(struct trace_ring *ring, size_t most_bytes)
{
	size_t head_bytes = sys_page_bytes();

	for (size_t bytes = most_bytes; bytes >= LEAST_RING_BYTES; bytes /= 2) {
		ring->pages = mmap(NULL, head_bytes + bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
				   ring->fd, 0);
		if (ring->pages != MAP_FAILED) {
			ring->data_bytes = bytes;
			return 0;
		}
		if (errno != EPERM && errno != ENOMEM && errno != EAGAIN)
			break;
	}
	ring->pages = NULL;
	return -errno;
}

void trace_ring_free(struct trace_ring *ring)
{
	if (ring->pages)
		(void)munmap(ring->pages, sys_page_bytes() + ring->data_bytes);
	free(ring->queue);
	free(ring->taken);
	*ring = (struct trace_ring){.fd = -1};
}

static int grow(unsigned char **buffer, size_t *bytes, size_t wanted, size_t first)
{
	size_t room = *bytes ? *bytes : first;
	unsigned char *grown;

	while (room < wanted)
		room *= 2;
	if (room == *bytes)
		return 0;
	grown = realloc(*buffer, room);
	if (!grown)
		return -ENOMEM;
	*buffer = grown;
	*bytes = room;
	return 0;
}

static int make_room(struct trace_ring *ring, size_t bytes)
{
	if (ring->n_used) {
		memmove(ring->queue, ring->queue + ring->n_used, ring->n_queued - ring->n_used);
		ring->n_queued -= ring->n_used;
		ring->n_used = 0;
	}
	return grow(&ring->queue, &ring->queue_bytes, ring->n_queued + bytes, LEAST_RING_BYTES);
}

/* --- thin records --------------------------------------------------------------------------------------------- */

/* A record as it was taken out. */
struct raw {
	const unsigned char *at;
	struct perf_event_header h;
	enum trace_role role;
	bool is_thin;
};

static uint64_t word_at(const unsigned char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static bool is_of_kernel(const struct perf_event_header *h)
{
	return (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

static bool is_entry(enum trace_role role)
{
	return role == TRACE_ENTRY || role == TRACE_ENTRY_KERNEL || role == TRACE_ENTRY_LEAN;
}

/*
 * The number of the event comes first in samples, and last in other records. Where two events tell of one fault the
 * second record can have the first one's number: then it is the size that tells which of them it is, as full entries
 * have a field more than any lean one.
 */
static struct raw look_at(const struct trace_events *e, const unsigned char *at, size_t n_left)
{
	struct raw raw = {.at = at, .role = TRACE_N_ROLES};
	size_t bytes = trace_record_bytes(at, n_left);

	if (bytes < HEADER + WORD)
		return raw;
	memcpy(&raw.h, at, HEADER);
	if (raw.h.type != PERF_RECORD_SAMPLE) {
		raw.role = trace_events_role(e, word_at(at + bytes - WORD));
		raw.is_thin = e->is_thin && raw.role == TRACE_ENTRY_LEAN;
		return raw;
	}
	raw.role = trace_events_role(e, word_at(at + HEADER));
	if (!e->is_thin || !is_entry(raw.role))
		return raw;
	raw.is_thin = bytes == trace_thin_bytes(e);
	if (raw.is_thin)
		raw.role = TRACE_ENTRY_LEAN;
	else if (raw.role == TRACE_ENTRY_LEAN)
		raw.role = is_of_kernel(&raw.h) ? TRACE_ENTRY_KERNEL : TRACE_ENTRY;
	return raw;
}

static bool is_full_entry(const struct raw *raw)
{
	return raw->h.type == PERF_RECORD_SAMPLE && !raw->is_thin && is_entry(raw->role) &&
	       raw->h.size >= HEADER + 5 * WORD;
}

static uint64_t ip_of(const struct raw *entry)
{
	return word_at(entry->at + HEADER + WORD);
}

static uint64_t address_of(const struct raw *entry)
{
	return word_at(entry->at + ENTRY_ADDRESS_AT);
}

static void put(struct trace_ring *ring, const void *bytes, size_t n)
{
	memcpy(ring->queue + ring->n_queued, bytes, n);
	ring->n_queued += n;
}

/* With the number that is its own. */
static void put_as_it_is(struct trace_ring *ring, const struct trace_events *e,
			 const struct raw *raw)
{
	unsigned char *id = ring->queue + ring->n_queued + HEADER;

	put(ring, raw->at, raw->h.size);
	if (e->is_thin && raw->h.type == PERF_RECORD_SAMPLE && is_entry(raw->role))
		memcpy(id, &e->ids_of_role[raw->role], WORD);
}

static void put_full(struct trace_ring *ring, const struct trace_events *e, const struct raw *raw,
		     uint64_t time_ns)
{
	struct perf_event_header h = raw->h;
	bool is_sample = h.type == PERF_RECORD_SAMPLE;
	size_t at = is_sample ? SAMPLE_AT : raw->h.size - WORD;
	uint64_t who = (uint64_t)(uint32_t)ring->tid << 32 | (uint32_t)ring->pid;

	h.size = (uint16_t)(h.size + MISSING);
	put(ring, &h, sizeof(h));
	if (is_sample) {
		put(ring, &e->ids_of_role[TRACE_ENTRY_LEAN], WORD);
		put(ring, raw->at + HEADER + WORD, WORD);
	} else {
		put(ring, raw->at + HEADER, at - HEADER);
	}
	put(ring, &who, WORD);
	put(ring, &time_ns, WORD);
	put(ring, raw->at + at, raw->h.size - at);
	ring->last_ns = time_ns;
}

/* Whether a thin record tells of the same trap as a full entry beside it. */
static bool is_twin(const unsigned char *thin, uint64_t ip, uint64_t address)
{
	return ip != 0 && word_at(thin + HEADER + WORD) == ip &&
	       word_at(thin + SAMPLE_AT) == address;
}

/* Records [from, to) that are all thin, between two times; next: the one behind them, NULL: none is there yet. */
static void put_run(struct trace_ring *ring, const struct trace_events *e,
		    const unsigned char *from, const unsigned char *to, const struct raw *next,
		    uint64_t until_ns)
{
	uint64_t since_ns = ring->last_ns, n = 0, i = 0, span_ns, time_ns;
	bool to_entry = next && is_full_entry(next);
	struct raw raw;

	for (const unsigned char *at = from; at < to; at += raw.h.size, n++)
		raw = look_at(e, at, (size_t)(to - at));
	span_ns = until_ns > since_ns ? until_ns - since_ns : 0;
	for (const unsigned char *at = from; at < to; at += raw.h.size) {
		bool is_sample;

		raw = look_at(e, at, (size_t)(to - at));
		is_sample = raw.h.type == PERF_RECORD_SAMPLE;
		i++;
		if (is_sample && ring->tid == 0) {
			ring->n_nobodys++;
			continue;
		}
		time_ns = since_ns + span_ns / (n + 1) * i;
		/* told twice: at the time that the other one has */
		if (is_sample && i == 1 && is_twin(at, ring->entry_ip, ring->entry_address))
			time_ns = since_ns;
		else if (is_sample && i == n && to_entry &&
			 is_twin(at, ip_of(next), address_of(next)))
			time_ns = since_ns + span_ns;
		put_full(ring, e, &raw, time_ns);
		if (raw.h.type == PERF_RECORD_LOST)
			ring->tid = 0; /* a switch can be among what was lost */
	}
}

/* What a record with all its fields says of the thread that runs, and of the time. */
static void learn(struct trace_ring *ring, const struct trace_events *e, const struct raw *raw)
{
	uint64_t time_ns = trace_record_time(e, raw->at);
	bool is_sample = raw->h.type == PERF_RECORD_SAMPLE;
	size_t ends_at = is_sample ? HEADER + WORD * (is_entry(raw->role) ? 4 : 3)
				   : (size_t)raw->h.size - WORD;
	uint64_t who;

	ring->entry_ip = is_full_entry(raw) ? ip_of(raw) : 0;
	ring->entry_address = is_full_entry(raw) ? address_of(raw) : 0;
	if (is_sample && raw->role == TRACE_N_ROLES) /* whose fields are not known */
		return;
	if (time_ns > ring->last_ns)
		ring->last_ns = time_ns;
	if (raw->role == TRACE_N_ROLES || ends_at > raw->h.size || ends_at < HEADER + MISSING)
		return;
	who = word_at(raw->at + ends_at - MISSING);
	ring->pid = (int32_t)(uint32_t)who;
	ring->tid = (int32_t)(who >> 32);
	if (ring->tid < 0 ||
	    (raw->h.type == PERF_RECORD_SWITCH && raw->h.misc & PERF_RECORD_MISC_SWITCH_OUT))
		ring->tid = 0;
}

int trace_ring_take(struct trace_ring *ring, const struct trace_events *e,
		    const unsigned char *records, size_t n_bytes, uint64_t now_ns)
{
	const unsigned char *end = records + n_bytes, *run = records, *at;
	struct raw raw;

	/* no record is smaller than a header and a word */
	if (make_room(ring, n_bytes + n_bytes / (HEADER + WORD) * MISSING) < 0)
		return -ENOMEM;
	for (at = records; at < end; at += raw.h.size) {
		raw = look_at(e, at, (size_t)(end - at));
		if (raw.h.size == 0) /* none of the kernel's: nothing behind it can be understood */
			break;
		if (raw.is_thin)
			continue;
		put_run(ring, e, run, at, &raw,
			raw.role == TRACE_N_ROLES ? ring->last_ns : trace_record_time(e, at));
		put_as_it_is(ring, e, &raw);
		learn(ring, e, &raw);
		run = at + raw.h.size;
	}
	put_run(ring, e, run, at, NULL, now_ns);
	if (run < at)
		ring->entry_ip = 0;
	return 0;
}

/* --- out of the ring ------------------------------------------------------------------------------------------- */

long trace_ring_drain(struct trace_ring *ring, const struct trace_events *e, uint64_t now_ns)
{
	struct perf_event_mmap_page *page = ring->pages;
	const unsigned char *data = (const unsigned char *)ring->pages + sys_page_bytes();
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;
	size_t n = (size_t)(head - tail), at = (size_t)(tail & (ring->data_bytes - 1));
	size_t first = n < ring->data_bytes - at ? n : ring->data_bytes - at;

	if (n == 0)
		return 0;
	if (grow(&ring->taken, &ring->taken_bytes, n, LEAST_RING_BYTES) < 0)
		return -ENOMEM;
	memcpy(ring->taken, data + at, first);
	memcpy(ring->taken + first, data, n - first);
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return trace_ring_take(ring, e, ring->taken, n, now_ns) < 0 ? -ENOMEM : (long)n;
}
