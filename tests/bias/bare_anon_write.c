/* SPDX-License-Identifier: MIT */
/* The loop anybody would write to time first touches: no engine, no ledger, nothing shared with it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Aligned as pagetoll's loop is: where a loop lies in its cache lines alone can move the price of a
 * fault by a fifth, and is not what is compared here. */
__attribute__((noinline, aligned(64))) static void touch(char *p, char *end, size_t page)
{
	for (; p < end; p += page)
		*(volatile char *)p = 1;
}

static double one_pass(size_t bytes, size_t page)
{
	char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double start, end;

	if (map == MAP_FAILED)
		exit(1);
	madvise(map, bytes, MADV_NOHUGEPAGE);
	start = now_ns();
	touch(map, map + bytes, page);
	end = now_ns();
	munmap(map, bytes);
	return (end - start) / (double)(bytes / page);
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 64UL << 20;
	int n_rounds = argc > 2 ? atoi(argv[2]) : 5;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (int i = 0; i < n_rounds; i++) {
		/*
		 * Three passes a round, as pagetoll makes them: in which order the kernel hands out
		 * pages depends on how they were freed before, and prices move by percents with it.
		 */
		(void)one_pass(bytes, page);
		printf("%.3f\n", one_pass(bytes, page));
		(void)one_pass(bytes, page);
	}
	return 0;
}
