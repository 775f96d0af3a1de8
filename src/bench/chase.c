/* SPDX-License-Identifier: MIT */
/* The order of a pointer chase: every line of a working set once, in no pattern. */
#include "src/bench/chase.h"

#include <unistd.h>

enum { USUAL_LINE_BYTES = 64 };

/* Odd, so each has an inverse modulo any power of two. */
static const uint64_t factors[CHASE_MIXES] = {0x9e3779b97f4a7c15U, 0xbf58476d1ce4e5b9U,
					      0x94d049bb133111ebU};

size_t chase_line_bytes(void)
{
	long bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);

	return bytes > 0 ? (size_t)bytes : USUAL_LINE_BYTES; /* not told on every architecture */
}

/* Newton's iteration: each step doubles the bits that are right, beginning with three. */
static uint64_t inverse_of(uint64_t odd)
{
	uint64_t x = odd;

	for (int i = 0; i < 5; i++)
		x *= 2 - odd * x;
	return x;
}

struct chase_order chase_order_of(uint64_t n_lines)
{
	struct chase_order order = {.n_lines = n_lines};
	unsigned bits = 1;

	while (bits < 63 && (uint64_t)1 << bits < n_lines)
		bits++;
	order.mask = ((uint64_t)1 << bits) - 1;
	order.shift = (bits + 1) / 2; /* a right shift by half the bits or more undoes itself */
	for (size_t i = 0; i < CHASE_MIXES; i++)
		order.inverses[i] = inverse_of(factors[i]);
	return order;
}

static uint64_t mix(const struct chase_order *order, uint64_t x)
{
	for (size_t i = 0; i < CHASE_MIXES; i++) {
		x = x * factors[i] & order->mask;
		x ^= x >> order->shift;
	}
	return x;
}

static uint64_t unmix(const struct chase_order *order, uint64_t x)
{
	for (size_t i = CHASE_MIXES; i-- > 0;) {
		x ^= x >> order->shift;
		x = x * order->inverses[i] & order->mask;
	}
	return x;
}

/* The mixing permutes a power of two. What lies behind the last line is stepped over, which leaves a
 * permutation of the lines (cycle walking). */

uint64_t chase_line_at(const struct chase_order *order, uint64_t i)
{
	do
		i = mix(order, i);
	while (i >= order->n_lines);
	return i;
}

uint64_t chase_step_of(const struct chase_order *order, uint64_t line)
{
	do
		line = unmix(order, line);
	while (line >= order->n_lines);
	return line;
}

static void **line_address(char *map, uint64_t line)
{
	return (void **)(map + line * chase_line_bytes());
}

void **chase_wire(char *map, size_t bytes)
{
	size_t line_bytes = chase_line_bytes();
	struct chase_order order = chase_order_of(bytes / line_bytes);

	for (uint64_t line = 0; line < order.n_lines; line++) {
		uint64_t next = (chase_step_of(&order, line) + 1) % order.n_lines;

		*(void **)(map + line * line_bytes) =
			map + chase_line_at(&order, next) * line_bytes;
	}
	return line_address(map, chase_line_at(&order, 0));
}

void **chase_end(char *map, size_t bytes, uint64_t n_accesses)
{
	struct chase_order order = chase_order_of(bytes / chase_line_bytes());

	return line_address(map, chase_line_at(&order, n_accesses % order.n_lines));
}
