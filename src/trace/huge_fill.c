/* SPDX-License-Identifier: MIT */
/* Touches some huge pages once, and one of them again and again, given back in between. */
#include "src/trace/huge_fill.h"

#include "src/sys/clock.h"
#include "src/sys/page.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum { N_TOUCHES = 5, MOST_FAULTS = 4 };

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static long n_faults(void)
{
	struct rusage u;

	return getrusage(RUSAGE_THREAD, &u) == 0 ? u.ru_minflt : 0;
}

/* One touch of each small page: a single fault, if it was a huge page that came. */
static double touch_ns(volatile char *at, size_t huge_bytes)
{
	long before = n_faults();
	uint64_t from_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (size_t i = 0; i < huge_bytes; i += sys_page_bytes())
		at[i] = 1;
	return n_faults() - before <= MOST_FAULTS
		       ? (double)(sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - from_ns)
		       : NAN;
}

static double middle(double ns[N_TOUCHES])
{
	for (int i = 0; i < N_TOUCHES; i++)
		if (isnan(ns[i]))
			return NAN;
	qsort(ns, N_TOUCHES, sizeof(*ns), by_size);
	return ns[N_TOUCHES / 2];
}

void trace_huge_fill(double *ret_used_ns, double *ret_fresh_ns)
{
	size_t huge_bytes = sys_huge_page_bytes(), bytes = (N_TOUCHES + 1) * huge_bytes;
	double fresh_ns[N_TOUCHES], used_ns[N_TOUCHES];
	char *map, *at;

	*ret_used_ns = *ret_fresh_ns = NAN;
	if (huge_bytes == 0)
		return;
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return;
	at = map + (huge_bytes - (uintptr_t)map % huge_bytes) % huge_bytes;
	(void)madvise(at, N_TOUCHES * huge_bytes, MADV_HUGEPAGE);
	for (size_t i = 0; i < N_TOUCHES; i++)
		fresh_ns[i] = touch_ns(at + i * huge_bytes, huge_bytes);
	for (size_t i = 0; i < N_TOUCHES; i++) {
		(void)madvise(at, huge_bytes, MADV_DONTNEED);
		used_ns[i] = touch_ns(at, huge_bytes);
	}
	(void)munmap(map, bytes);
	*ret_used_ns = middle(used_ns);
	*ret_fresh_ns = middle(fresh_ns);
}
