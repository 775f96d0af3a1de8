/* SPDX-License-Identifier: MIT */
/* One ring that perf writes into, and the queue of records that were taken out of it. */
#ifndef TRACE_PERF_RING_H
#define TRACE_PERF_RING_H

#include <stddef.h>
#include <stdint.h>

struct trace_events;

struct trace_ring {
	int fd, cpu;
	void *pages; /* perf_event_mmap_page, then the data */
	size_t data_bytes;
	/* records taken out of it, in order, that are not processed yet */
	unsigned char *queue;
	size_t n_queued, n_used, queue_bytes;
	unsigned char *taken; /* the same as the kernel wrote them, of the last time */
	size_t taken_bytes;
	/* What the last record said, for thin ones behind it. */
	int32_t pid, tid; /* that runs on this CPU; tid 0: not known */
	uint64_t last_ns;
	uint64_t entry_ip, entry_address; /* where it was a full entry; else 0 */
	uint64_t
		n_nobodys; /* thin records of which nobody knows the thread: dropped, as good as lost */
};

/* Maps a ring of at most so many bytes for an event, smaller where that is refused. 0 or negative errno, that of
 * the last try. */
int trace_ring_map(struct trace_ring *ring, size_t most_bytes);
void trace_ring_free(struct trace_ring *ring);

/*
 * Moves what the ring holds into its queue. Thin records (trace_events.is_thin) get their thread and a time: that of
 * the records around them. now_ns: a time by CLOCK_MONOTONIC_RAW. Bytes moved, or -ENOMEM.
 */
long trace_ring_drain(struct trace_ring *ring, const struct trace_events *events, uint64_t now_ns);

/* The same of records that are in memory already. 0 or -ENOMEM. */
int trace_ring_take(struct trace_ring *ring, const struct trace_events *events,
		    const unsigned char *records, size_t n_bytes, uint64_t now_ns);

#endif
