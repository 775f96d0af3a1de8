/* SPDX-License-Identifier: MIT */
/* The order of a chase: all lines once, in one cycle, and as far apart as chance puts them. */
#include "src/bench/chase.h"

#include "src/bench/touch.h"
#include "src/sys/page.h"
#include "tests/tap.h"

#include <stdlib.h>

static void test_permutation(uint64_t n)
{
	struct chase_order order = chase_order_of(n);
	unsigned char *seen = calloc(n, 1);
	uint64_t n_once = 0, n_back = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t line = chase_line_at(&order, i);

		if (line < n && !seen[line]++)
			n_once++;
		n_back += chase_step_of(&order, line) == i;
	}
	t_is_u64(n_once, n, "of %llu lines each is visited once", (unsigned long long)n);
	t_is_u64(n_back, n, "and each knows its step");
	free(seen);
}

/* Followed as it is when timed: one cycle, and it ends where it is said to. */
static void test_chain(size_t n_lines)
{
	size_t line_bytes = chase_line_bytes(), bytes = n_lines * line_bytes;
	char *map = aligned_alloc(line_bytes, bytes);
	void **first = chase_wire(map, bytes), **p = first;
	size_t n = 0;

	do {
		p = (void **)*p;
		n++;
	} while (p != first && n <= n_lines);
	t_is_u64(n, n_lines, "a chain through %zu lines comes back after all of them", n_lines);
	t_ok(touch_chase(first, n_lines + 1) == chase_end(map, bytes, n_lines + 1) &&
		     touch_chase(first, 0) == chase_end(map, bytes, 0) &&
		     touch_chase(first, n_lines) == first,
	     "and the end of a chase can be foretold");
	free(map);
}

/* A page is left at nearly each step: else the TLB would serve what is measured. */
static void test_far(void)
{
	uint64_t lines_a_page = sys_page_bytes() / chase_line_bytes();
	uint64_t n_pages = 1024, n = n_pages * lines_a_page, n_near = 0, n_next = 0;
	struct chase_order order = chase_order_of(n);
	uint64_t page = chase_line_at(&order, 0) / lines_a_page;

	for (uint64_t i = 1; i < n; i++) {
		uint64_t next = chase_line_at(&order, i) / lines_a_page;

		n_near += next == page;
		n_next += next == page + 1 || next + 1 == page;
		page = next;
	}
	/* by chance 1 of 1024 and 2 of 1024 */
	t_ok(n_near < n / 512, "%llu of %llu steps stay in a page", (unsigned long long)n_near,
	     (unsigned long long)n);
	t_ok(n_next < n / 256, "%llu of them go to a neighbour", (unsigned long long)n_next);
}

int main(void)
{
	static const uint64_t sizes[] = {1, 2, 3, 4, 5, 63, 64, 65, 1000, 4096, 16384, 100003};

	t_plan(2 * 12 + 2 * 4 + 2);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		test_permutation(sizes[i]);
	test_chain(1);
	test_chain(2);
	test_chain(1000);
	test_chain(16384);
	test_far();
	return t_done();
}
