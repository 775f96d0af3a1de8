/* SPDX-License-Identifier: MIT */
/* The order of a pointer chase: every line of a working set once, in no pattern. */
#ifndef BENCH_CHASE_H
#define BENCH_CHASE_H

#include <stddef.h>
#include <stdint.h>

/*
 * A permutation of n_lines that is computed both ways instead of kept, so that a chain through a gigabyte
 * can be laid in the order of addresses. Steps within a page are as rare as chance makes them: a
 * pattern that stays near would be served by the TLB and hide what is measured.
 */
enum { CHASE_MIXES = 3 };
struct chase_order {
	uint64_t n_lines; /* > 0 */
	uint64_t mask;
	unsigned shift;
	uint64_t inverses[CHASE_MIXES];
};

/* What the chase steps over: a line of the first data cache. */
size_t chase_line_bytes(void);

struct chase_order chase_order_of(uint64_t n_lines);

/* The line visited at step i < n_lines, and the step that visits a line. */
uint64_t chase_line_at(const struct chase_order *order, uint64_t i);
uint64_t chase_step_of(const struct chase_order *order, uint64_t line);

/* Makes each line of the working set begin with the address of the next one: one cycle through all.
 * Returns the first. */
void **chase_wire(char *map, size_t bytes);

/* Where a chase of n_accesses ends that begins at the first line. */
void **chase_end(char *map, size_t bytes, uint64_t n_accesses);

#endif
