/* SPDX-License-Identifier: MIT */
/* The library of hooks: mapping, advising, touching. */
#include "src/bench/scenario.h"

#include "src/bench/chase.h"
#include "src/bench/datafile.h"
#include "src/bench/pages.h"
#include "src/bench/touch.h"
#include "src/sys/hugetlb.h"
#include "src/sys/page.h"
#include "src/sys/residency.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/prctl.h>

static size_t at_least(size_t a, size_t b)
{
	return a > b ? a : b;
}

/*
 * Reserves enough to cut an aligned range out of it, then maps over that range: fault-around windows
 * and huge pages are aligned in the address space, so an unaligned mapping has other counts.
 */
static int map_aligned(struct bench_trial *t, size_t map_bytes, int prot, int flags, int fd)
{
	size_t align = at_least(at_least(t->huge_bytes, t->page_bytes), t->unit_bytes);
	char *map;

	/* whole huge pages of addresses: no page table of ours is shared with a neighbour */
	t->reserved_bytes = (map_bytes + align - 1) / align * align + align;
	t->reserved = mmap(NULL, t->reserved_bytes, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (t->reserved == MAP_FAILED) {
		t->reserved = NULL;
		return why_errno(&t->why, -errno, "cannot reserve %zu bytes of address space",
				 t->reserved_bytes);
	}
	map = mmap(sys_align_up(t->reserved, align), map_bytes, prot, flags | MAP_FIXED, fd, 0);
	if (map == MAP_FAILED)
		return why_errno(&t->why, -errno, "cannot map %zu bytes", map_bytes);
	t->map = map;
	t->map_bytes = map_bytes;
	return 0;
}

int bench_advise(struct bench_trial *t, int advice)
{
	if (madvise(t->map, t->map_bytes, advice) < 0)
		return why_errno(&t->why, -errno, "madvise(%d)", advice);
	return 0;
}

static int map_anon(struct bench_trial *t, size_t map_bytes, int flags)
{
	return map_aligned(t, map_bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | flags, -1);
}

/* EINVAL: a kernel without THP has base pages only. */
static int refuse_thp(struct bench_trial *t)
{
	int r = bench_advise(t, MADV_NOHUGEPAGE);

	return r == -EINVAL ? 0 : r;
}

/* Three limits give one ENOMEM. The reserve, which takes no page of the pool, tells the first of them. */
static int why_no_hugetlb(struct bench_trial *t, size_t map_bytes)
{
	size_t kib = t->unit_bytes / 1024;
	struct sys_hugetlb_pool pool;

	if (!t->reserved)
		return why_set(
			&t->why, BENCH_SKIP,
			"no %zu kB of address space for pages of %zu kB; raise its limit, ulimit -v",
			t->reserved_bytes / 1024, kib);
	if (sys_hugetlb_pool(t->unit_bytes, &pool) == 0 &&
	    pool.available >= map_bytes / t->unit_bytes)
		return why_set(
			&t->why, BENCH_SKIP,
			"the pool has %" PRIu64
			" free pages of %zu kB, but this process cannot have %zu: raise the limit "
			"of its hugetlb cgroup (hugetlb.*.rsvd.*), or allow it the memory nodes "
			"that hold them (cpuset, numactl)",
			pool.available, kib, map_bytes / t->unit_bytes);
	return why_set(
		&t->why, BENCH_SKIP,
		"the pool of %zu kB pages has run dry since it was looked at; make it larger", kib);
}

int bench_map_anon(struct bench_trial *t)
{
	size_t map_bytes = bench_pages_whole_bytes(t);
	int r = map_anon(t, map_bytes, bench_pages_map_flags(t));

	if (bench_pages_are_pooled(t->pages))
		return r == -ENOMEM ? why_no_hugetlb(t, map_bytes) : r;
	if (r < 0 || t->is_unadvised)
		return r;
	return t->pages == BENCH_PAGES_THP ? bench_advise(t, MADV_HUGEPAGE) : refuse_thp(t);
}

int bench_map_anon_huge(struct bench_trial *t)
{
	int r = map_anon(t, t->bytes, 0);

	return r < 0 ? r : bench_advise(t, MADV_HUGEPAGE);
}

int bench_map_anon_touched(struct bench_trial *t)
{
	int r = bench_map_anon(t);

	return r != 0 ? r : bench_touch_write(t);
}

int bench_map_anon_numbered(struct bench_trial *t)
{
	int r = bench_map_anon(t);

	for (size_t i = 0; i < t->n_pages && r == 0; i++)
		t->map[i * t->page_bytes] = (char)bench_datafile_byte(i);
	t->expected_sum = bench_datafile_sum(t->n_pages);
	return r;
}

int bench_map_anon_filled(struct bench_trial *t)
{
	int r = bench_map_anon(t);

	if (r == 0)
		memset(t->map, t->mark, t->bytes);
	return r;
}

int bench_map_file(struct bench_trial *t)
{
	t->expected_sum = bench_datafile_sum(t->n_pages);
	return map_aligned(t, t->bytes, PROT_READ, MAP_SHARED, t->fd);
}

int bench_unmap(struct bench_trial *t)
{
	int r = 0;

	if (t->forbade_thp)
		(void)prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	t->forbade_thp = false;
	if (t->reserved)
		r = munmap(t->reserved, t->reserved_bytes);
	else if (t->map)
		r = munmap(t->map, t->map_bytes);
	t->map = t->reserved = NULL;
	return r < 0 ? why_errno(&t->why, -errno, "munmap") : 0;
}

int bench_forbid_thp(struct bench_trial *t)
{
	if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) > 0)
		return 0; /* by our parent, and so it stays */
	/* EINVAL: a kernel without THP has nothing to forbid */
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) < 0 && errno != EINVAL)
		return why_errno(&t->why, -errno, "prctl(PR_SET_THP_DISABLE)");
	t->forbade_thp = true;
	return 0;
}

/* Timed as a whole: so no alignment, one call. */
int bench_map_populated(struct bench_trial *t)
{
	char *map = mmap(NULL, t->bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (map == MAP_FAILED)
		return why_errno(&t->why, -errno, "cannot map %zu bytes", t->bytes);
	t->map = map;
	t->map_bytes = t->bytes;
	return 0;
}

/* --- chases ----------------------------------------------------------------------------------------- */

int bench_map_chase(struct bench_trial *t)
{
	int r = bench_map_anon(t);

	if (r != 0)
		return r;
	t->first = chase_wire(t->map, t->bytes);
	/* what goes round often is measured as it is after a while; a large set is never cached whole, and
	 * what was just followed must not be followed again */
	if (t->bytes / chase_line_bytes() <= t->n_accesses)
		(void)touch_chase(t->first, t->bytes / chase_line_bytes());
	t->expected_sum = (uintptr_t)chase_end(t->map, t->bytes, t->n_accesses);
	return 0;
}

int bench_chase(struct bench_trial *t)
{
	t->sum = (uintptr_t)touch_chase(t->first, t->n_accesses);
	return 0;
}

/* --- files ------------------------------------------------------------------------------------------ */

int bench_map_cold_file(struct bench_trial *t)
{
	uint64_t n_resident;
	int r;

	r = sys_drop_file(t->fd, t->bytes, &n_resident, &t->why);
	if (r < 0)
		return r;
	if (n_resident)
		return why_set(
			&t->why, BENCH_SKIP,
			"%" PRIu64 " of %zu pages stay in the page cache after fsync and "
			"POSIX_FADV_DONTNEED, so nothing can be cold; choose a --dir on a disk",
			n_resident, t->n_pages);
	return bench_map_file(t);
}

/* One page a read: the folios that the mapping measured will meet are then of one page. */
static int read_into_cache(struct bench_trial *t)
{
	int r = bench_map_cold_file(t);
	int unmapped;

	if (r == 0)
		r = bench_advise(t, MADV_RANDOM);
	if (r == 0)
		r = bench_touch_read(t);
	unmapped = bench_unmap(t);
	return r ? r : unmapped;
}

int bench_map_reread_file(struct bench_trial *t)
{
	uint64_t n_resident = 0;
	int r = 0;

	if (t->has_read_file)
		r = sys_resident_pages(t->fd, t->bytes, &n_resident, &t->why);
	if (r == 0 && n_resident < t->n_pages)
		r = read_into_cache(t);
	t->has_read_file = r == 0;
	return r ? r : bench_map_file(t);
}

int bench_map_warm_file(struct bench_trial *t)
{
	int r = bench_datafile_make_warm(t->fd, t->bytes, &t->why);

	return r < 0 ? r : bench_map_file(t);
}

int bench_touch_write(struct bench_trial *t)
{
	touch_write(t->map, t->map + t->bytes, t->page_bytes, t->mark);
	return 0;
}

int bench_touch_read(struct bench_trial *t)
{
	t->sum = touch_read(t->map, t->map + t->bytes, t->page_bytes);
	return 0;
}

int bench_fill_pages(struct bench_trial *t)
{
	touch_fill(t->map, t->map + t->bytes, t->page_bytes);
	return 0;
}
