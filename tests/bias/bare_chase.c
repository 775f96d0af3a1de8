/* SPDX-License-Identifier: MIT */
/*
 * The pointer chase anybody would write: a cycle of all lines shuffled by Sattolo's algorithm, followed a
 * number of times. No engine, no order computed, nothing shared with pagetoll's.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 64 };

static uint64_t state = 88172645463325252U;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* One cycle through all lines: each element of the shuffled order leads to the next. */
static void wire(char *map, uint32_t n)
{
	uint32_t *order = malloc(n * sizeof(*order));

	if (!order)
		exit(1);
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n - 1; i > 0; i--) {
		uint32_t k = (uint32_t)(next_random() % i), kept = order[i];

		order[i] = order[k];
		order[k] = kept;
	}
	for (uint32_t i = 0; i < n; i++)
		*(void **)(map + (size_t)order[i] * LINE) = map + (size_t)order[(i + 1) % n] * LINE;
	free(order);
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 256UL << 20;
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 1UL << 19;
	int advice = argc > 3 && *argv[3] == 't' ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
	size_t huge = 2UL << 20, page = (size_t)sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	void *volatile *p;
	double start, end;

	if (map == MAP_FAILED)
		return 1;
	map += (huge - (uintptr_t)map % huge) % huge;
	madvise(map, bytes, advice);
	wire(map, (uint32_t)(bytes / LINE));
	for (size_t i = 0; i < bytes; i += page) /* as warm on the host as pagetoll has it */
		((volatile char *)map)[i] = map[i];
	p = (void *volatile *)map;
	for (size_t i = 0; bytes / LINE <= n && i < bytes / LINE;
	     i++) /* once round what is small */
		p = (void *volatile *)*p;
	start = now_ns();
	for (size_t i = 0; i < n; i++)
		p = (void *volatile *)*p;
	end = now_ns();
	printf("%.3f\n", (end - start) / (double)n);
	return p == NULL;
}
