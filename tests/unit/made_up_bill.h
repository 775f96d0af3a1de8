/* SPDX-License-Identifier: MIT */
/* Made-up traces with a bill: rows that are told apart by their numbers. */
#ifndef UNIT_MADE_UP_BILL_H
#define UNIT_MADE_UP_BILL_H

#include "src/base/text.h"
#include "tests/unit/made_up_trace.h"

#include <math.h>
#include <stdlib.h>

static inline void *made_up_rows(size_t n, size_t bytes)
{
	void *rows = calloc(n, bytes);

	if (!rows)
		abort();
	return rows;
}

static inline struct model_cost made_up_cost(uint64_t count, double time_ns, double blocked_ns)
{
	return (struct model_cost){
		.count = count,
		.n_timed = count,
		.raw_ns = time_ns,
		.time_ns = time_ns,
		.on_cpu_ns = time_ns - blocked_ns,
		.blocked_ns = blocked_ns,
		.p50_ns = time_ns / (double)count,
		.p99_ns = 2 * time_ns / (double)count,
		.worst_ns = 3 * time_ns / (double)count,
	};
}

static inline struct model_frame made_up_frame(const char *function, const char *file,
					       uint32_t line, const char *module)
{
	struct model_frame f = {.line = line, .module_offset = 0x100 + line};

	text_copy(f.function, sizeof(f.function), function);
	text_copy(f.file, sizeof(f.file), file);
	text_copy(f.module, sizeof(f.module), module);
	return f;
}

static inline void made_up_site(struct model_site_row *site, uint32_t mapping,
				enum model_fault_kind kind, struct model_cost cost, uint32_t n,
				const struct model_frame *frames)
{
	*site = (struct model_site_row){
		.mapping = mapping, .kind = kind, .cost = cost, .n_stack = n};
	site->stack = made_up_rows(n + 1, sizeof(*site->stack));
	memcpy(site->stack, frames, n * sizeof(*frames));
}

static inline void made_up_mappings(struct model_bill *b)
{
	b->n_mappings = 3;
	b->mappings = made_up_rows(3, sizeof(*b->mappings));
	text_copy(b->mappings[0].name, MODEL_BILL_NAME, "[heap]");
	text_copy(b->mappings[1].name, MODEL_BILL_NAME, "/srv/data.bin");
	text_copy(b->mappings[2].name, MODEL_BILL_NAME, "[anon]");
	b->mappings[0].cost = made_up_cost(100, 100e6, 0);
	b->mappings[1].cost = made_up_cost(30, 300e6, 290e6);
	b->mappings[1].cost.n_major = 10;
	b->mappings[2].cost = made_up_cost(200, 300e6, 0);
	b->mappings[0].writable = b->mappings[1].shared = b->mappings[2].executable = true;
}

static inline void made_up_sites(struct model_bill *b)
{
	const struct model_frame fill[] = {made_up_frame("memset", "", 0, "/lib/libc.so"),
					   made_up_frame("fill", "src/fill.c", 10, "/bin/p"),
					   made_up_frame("main", "src/main.c", 5, "/bin/p")};
	const struct model_frame more[] = {made_up_frame("fill", "src/fill.c", 12, "/bin/p")};
	const struct model_frame scan[] = {made_up_frame("", "", 0, "/lib/libscan.so"),
					   made_up_frame("scan", "", 0, "/lib/libscan.so")};

	b->n_sites = 4;
	b->sites = made_up_rows(4, sizeof(*b->sites));
	made_up_site(&b->sites[0], 0, MODEL_ANON_WRITE, made_up_cost(100, 100e6, 0), 1, more);
	made_up_site(&b->sites[1], 1, MODEL_FILE_MAJOR, made_up_cost(10, 100e6, 99e6), 2, scan);
	b->sites[1].cost.n_major = 10;
	made_up_site(&b->sites[2], 1, MODEL_FILE_MINOR, made_up_cost(20, 200e6, 191e6), 2, scan);
	made_up_site(&b->sites[3], 2, MODEL_ANON_WRITE, made_up_cost(200, 300e6, 0), 3, fill);
}

static inline void made_up_threads(struct model_bill *b)
{
	b->n_processes = 1;
	b->n_threads = b->n_threads_listed = 2;
	b->threads = made_up_rows(2, sizeof(*b->threads));
	b->threads[0] =
		(struct model_thread_row){.pid = 7, .tid = 8, .comm = "reader", .cpu_ns = 100e6};
	b->threads[0].cost = made_up_cost(30, 300e6, 290e6);
	b->threads[1] =
		(struct model_thread_row){.pid = 7, .tid = 7, .comm = "main", .cpu_ns = 1e9};
	b->threads[1].cost = made_up_cost(300, 400e6, 0);
}

static inline void made_up_moments(struct model_bill *b)
{
	b->n_moments = 100;
	b->moments = made_up_rows(100, sizeof(*b->moments));
	b->moment_ns = 10 * MADE_UP_MS;
	for (size_t i = 0; i < 30; i++) {
		b->moments[i].count[MODEL_ANON_WRITE] = 11;
		b->moments[i].time_ns[MODEL_ANON_WRITE] = 20e6;
	}
}

static inline void made_up_worst(struct model_bill *b)
{
	b->n_worst = 2;
	b->worst = made_up_rows(2, sizeof(*b->worst));
	b->worst[0] = (struct model_fault_row){
		.at_ns = 500 * MADE_UP_MS,
		.latency_ns = 1e6,
		.blocked_ns = NAN,
		.address = UINT64_MAX,
		.thread = 1,
		.mapping = 2,
		.site = 3,
		.kind = MODEL_ANON_WRITE,
	};
	b->worst[1] = (struct model_fault_row){
		.at_ns = 100 * MADE_UP_MS,
		.latency_ns = 30e6,
		.blocked_ns = 29e6,
		.address = 0x7000,
		.file_offset = 0x3000,
		.thread = 0,
		.mapping = 1,
		.site = 1,
		.kind = MODEL_FILE_MAJOR,
		.major = true,
		.kernel_mode = true,
	};
}

/*
 * One second of wall time, in moments of 10 ms; two threads: "main" on the CPU all along, "reader" for 100 ms. 400 ms
 * zero-fill in two lines of fill(), and 300 ms of waits for data.bin, two thirds of them minor. Rows are in an order that
 * is none.
 */
static inline struct model_trace *made_up_bill(void)
{
	struct model_trace *doc = made_up_trace();
	struct model_bill *b = model_bill_new();

	if (!b)
		abort();
	doc->bill = b;
	text_copy(doc->source, sizeof(doc->source), "perf");
	doc->estimate = false;
	doc->n_minor = 340;
	doc->n_major = 10;
	made_up_mappings(b);
	made_up_sites(b);
	made_up_threads(b);
	made_up_moments(b);
	made_up_worst(b);
	b->kinds[MODEL_ANON_WRITE].cost = made_up_cost(300, 400e6, 0);
	b->kinds[MODEL_FILE_MAJOR].cost = b->sites[1].cost;
	b->kinds[MODEL_FILE_MINOR].cost = b->sites[2].cost;
	b->total = made_up_cost(330, 700e6, 290e6);
	b->total.n_major = 10;
	return doc;
}

#endif
