/* SPDX-License-Identifier: MIT */
/* Made-up traces of a machine that does not exist: round prices, pages of 8 KiB, huge ones of 4 MiB. */
#ifndef UNIT_MADE_UP_TRACE_H
#define UNIT_MADE_UP_TRACE_H

#include "src/base/text.h"
#include "src/model/trace.h"

#include <stdlib.h>

#define MADE_UP_MS UINT64_C(1000000)
#define MADE_UP_MIB (INT64_C(1) << 20)

static inline void made_up_price(struct model_trace *doc, enum model_price_id id, double ns,
				 double blocked)
{
	struct model_price *p = &doc->prices.rows[id];

	*p = (struct model_price){.ns = ns, .lo = 0.9 * ns, .hi = 1.1 * ns, .blocked = blocked};
	text_copy(p->source, sizeof(p->source), "made up");
	text_copy(p->started, sizeof(p->started), "2026-01-01T00:00:00Z");
}

static inline void made_up_all_prices(struct model_trace *doc)
{
	made_up_price(doc, MODEL_PRICE_FIRST_WRITE, 2000, 0);
	made_up_price(doc, MODEL_PRICE_ZERO_READ, 1000, 0);
	made_up_price(doc, MODEL_PRICE_CACHED_FILE, 4000, 0);
	made_up_price(doc, MODEL_PRICE_HUGE, 500000, 0);
	made_up_price(doc, MODEL_PRICE_DISK_WAIT, 100000, 0.9);
	made_up_price(doc, MODEL_PRICE_DISK_PAGE, 5000, 0.8);
}

/*
 * One second on the CPU, a fifth of it system time, of one process with one thread; a hundred faults, all
 * its own; every counter known and quiet.
 */
static inline struct model_trace *made_up_trace(void)
{
	struct model_trace *doc = model_trace_new();
	int64_t *f;

	if (!doc)
		abort();
	f = doc->evidence.figures;
	sys_machine_add_u64(&doc->machine, "page_bytes", 8192);
	sys_machine_add_u64(&doc->machine, "huge_page_bytes", 4 << 20);
	sys_machine_add_u64(&doc->machine, "n_cpus", 4);
	sys_machine_add_u64(&doc->machine, "memory_bytes", UINT64_C(8) << 30);
	made_up_all_prices(doc);
	text_copy(doc->source, sizeof(doc->source), "rusage");
	doc->estimate = true;
	doc->user_ns = 800 * MADE_UP_MS;
	doc->sys_ns = 200 * MADE_UP_MS;
	doc->wall_ns = 1000 * MADE_UP_MS;
	doc->n_minor = 100;
	for (size_t i = 0; i < MODEL_N_FIGURES; i++)
		f[i] = 0;
	f[MODEL_THREADS] = 1;
	f[MODEL_OWN_MINOR] = 100;
	f[MODEL_MAX_RESIDENT] = f[MODEL_SMAPS_RSS] = f[MODEL_VM_HWM] = 2 * MADE_UP_MIB;
	f[MODEL_LEAST_AVAILABLE] = INT64_C(6) << 30;
	doc->evidence.n_samples = 10;
	return doc;
}

/* Faults of its own, minor ones of that much resident memory. */
static inline void made_up_faults(struct model_trace *doc, uint64_t n_minor, uint64_t n_major)
{
	int64_t *f = doc->evidence.figures;

	doc->n_minor = n_minor;
	doc->n_major = n_major;
	f[MODEL_OWN_MINOR] = (int64_t)n_minor;
	f[MODEL_OWN_MAJOR] = (int64_t)n_major;
	f[MODEL_MAX_RESIDENT] = f[MODEL_SMAPS_RSS] = 8192 * (int64_t)(n_minor + n_major);
}

#endif
