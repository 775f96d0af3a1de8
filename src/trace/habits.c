/* SPDX-License-Identifier: MIT */
/*
 * What a page did before it faulted. Of each process some pages are followed, those whose number hashes to one of
 * 2^shift; the share among them stands for all. Where more pages fault than there is room for, fewer are followed.
 */
#include "src/trace/habits.h"

#include "src/sys/page.h"

enum {
	MOST_PAGES = 1 << 16,
	MOST_MAPPED = 1 << 16,
	MOST_SHIFT = 40,
	ONWARD_BYTES = 2 << 20,
	KIND_BITS = 5,
};

_Static_assert(MODEL_N_FAULT_KINDS < 1 << KIND_BITS, "a kind fits beside the number of a record");

void trace_habits_init(struct trace_habits *h)
{
	*h = (struct trace_habits){.page_bytes = sys_page_bytes(),
				   .huge_bytes = sys_huge_page_bytes()};
}

void trace_habits_free(struct trace_habits *h)
{
	map_free(&h->pages);
	map_free(&h->mapped);
}

/* --- mappings -------------------------------------------------------------------------------------------- */

static uint64_t key_of_mapping(pid_t pid, uint64_t start)
{
	return map_mix_in((uint32_t)pid, start);
}

void trace_habits_mapped(struct trace_habits *h, pid_t pid, uint64_t start)
{
	if (h->mapped.n >= MOST_MAPPED)
		map_free(&h->mapped);
	h->n_records = (h->n_records + 1) & (UINT32_MAX >> (KIND_BITS + 1));
	/* no memory: taken for one that was there before */
	(void)map_put(&h->mapped, key_of_mapping(pid, start), h->n_records);
}

uint32_t trace_habits_record(const struct trace_habits *h, pid_t pid, uint64_t start)
{
	uint32_t record = map_get(&h->mapped, key_of_mapping(pid, start));

	return record == MAP_NONE ? 0 : record;
}

/* --- pages ------------------------------------------------------------------------------------------------- */

static uint64_t page_of(const struct trace_habits *h, const struct trace_seen *seen)
{
	uint64_t bytes = seen->kind == MODEL_THP && h->huge_bytes ? h->huge_bytes : h->page_bytes;

	return seen->address & ~(bytes - 1);
}

static bool is_followed(const struct trace_habits *h, uint64_t key)
{
	return (map_mix(key) & ((UINT64_C(1) << h->shift) - 1)) == 0;
}

/* Half of the pages are no longer followed. */
static void follow_fewer(struct trace_habits *h)
{
	struct map kept = {.slots = NULL};

	h->shift++;
	for (size_t i = 0; i < h->pages.room; i++) {
		const struct map_slot *slot = &h->pages.slots[i];

		if (slot->value != MAP_NONE && is_followed(h, slot->key))
			(void)map_put(&kept, slot->key, slot->value);
	}
	map_free(&h->pages);
	h->pages = kept;
}

/* Kinds that bring a page which was missing. */
static const bool brings[MODEL_N_FAULT_KINDS] = {
	[MODEL_ANON_WRITE] = true, [MODEL_ANON_ZERO_READ] = true, [MODEL_FILE_MINOR] = true,
	[MODEL_FILE_MAJOR] = true, [MODEL_SHMEM] = true,          [MODEL_SWAP_IN] = true,
	[MODEL_THP] = true,        [MODEL_HUGETLB] = true,        [MODEL_STACK] = true,
};

/* A write to anonymous memory that is there, and that no relative shares, finds the zero page: it was read before. */
static bool upgrades(const struct trace_seen *seen, uint32_t kind_before)
{
	return seen->kind == MODEL_COW && (kind_before == MODEL_ANON_ZERO_READ ||
					   (kind_before == MODEL_ANON_WRITE && !seen->has_shared));
}

/* One page that is followed stands for as many as are not. */
static void judge(const struct trace_seen *seen, uint32_t before, uint64_t weight,
		  struct model_habits *sums)
{
	uint32_t kind = before & ((1U << KIND_BITS) - 1), record = before >> KIND_BITS;

	sums->n[MODEL_JUDGED] += weight;
	if (before == MAP_NONE)
		return;
	if (brings[seen->kind]) {
		sums->n[MODEL_AGAIN] += weight;
		sums->n[MODEL_REMAPPED] += record != seen->mapped ? weight : 0;
	} else if (upgrades(seen, kind)) {
		sums->n[MODEL_UPGRADED] += weight;
	}
}

static void follow(struct trace_habits *h, const struct trace_seen *seen, struct model_habits *sums)
{
	uint64_t key =
		map_mix_in((uint64_t)(uint32_t)seen->pid << 32 | seen->epoch, page_of(h, seen));

	if (seen->kind == MODEL_UNKNOWN || !is_followed(h, key))
		return;
	judge(seen, map_get(&h->pages, key), UINT64_C(1) << h->shift, sums);
	if (h->pages.n >= MOST_PAGES && h->shift < MOST_SHIFT)
		follow_fewer(h);
	if (is_followed(h, key)) /* no memory: a page that had none before */
		(void)map_put(&h->pages, key, seen->mapped << KIND_BITS | seen->kind);
}

void trace_habits_add(struct trace_habits *h, const struct trace_seen *seen,
		      struct model_habits *sums)
{
	struct trace_thread *t = seen->thread;
	uint64_t page = seen->address & ~(h->page_bytes - 1);

	if (t->last_name == seen->name && page > t->last_page) {
		sums->n[MODEL_NEXT] += page - t->last_page == h->page_bytes;
		sums->n[MODEL_ONWARD] += page - t->last_page <= ONWARD_BYTES;
	}
	t->last_name = seen->name;
	t->last_page = page;
	sums->n[MODEL_SHARED] += seen->has_shared;
	sums->n[MODEL_OTHERS] += t->tid != t->pid;
	sums->n[MODEL_ON_STACK] += seen->on_stack;
	follow(h, seen, sums);
}
