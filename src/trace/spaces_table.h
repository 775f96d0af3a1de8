/* SPDX-License-Identifier: MIT */
/* The mappings of one address space: a sorted array without overlaps, shared by processes until one changes it. */
#ifndef TRACE_SPACES_TABLE_H
#define TRACE_SPACES_TABLE_H

#include "src/trace/spaces.h"

#include <stddef.h>
#include <stdint.h>

/* As vm.max_map_count has it where nobody changed it; and of all tables together. */
enum { TRACE_MAX_MAPPINGS = 65536, TRACE_MAX_ALL_MAPPINGS = 262144 };

struct trace_space_table {
	struct trace_mapping *items;
	size_t n, room;
	size_t n_users;
	size_t *n_all; /* mappings of all tables, kept up to date here */
};

/* A copy of sorted items, for one user. NULL: no memory, or beyond the bounds. */
struct trace_space_table *trace_space_table_new(size_t *n_all, const struct trace_mapping *items,
						size_t n);

struct trace_space_table *trace_space_table_share(struct trace_space_table *table);

/* One user less; the last one frees it. NULL is nothing. */
void trace_space_table_drop(struct trace_space_table *table);

/* Index of the first mapping that ends behind address; n where there is none. */
size_t trace_space_table_at(const struct trace_space_table *table, uint64_t address);

/* The rest change a table, and want its only user: this copies it for others. 0, -ENOMEM or -ENOSPC. */
int trace_space_table_own(struct trace_space_table **table);

/* Takes the place of what it overlaps; what sticks out is kept. 0, -ENOMEM or -ENOSPC: nothing is changed. */
int trace_space_table_insert(struct trace_space_table *table, const struct trace_mapping *m);

/* Nothing is known of [start, end) any more. Never needs memory: of a mapping that sticks out on both sides the part
 * above is forgotten, too. */
void trace_space_table_remove(struct trace_space_table *table, uint64_t start, uint64_t end);

/* A new table: items, and between them what old knows. What old was told of a file goes over to items of that
 * file. NULL: no memory, or beyond the bounds. */
struct trace_space_table *trace_space_table_merge(const struct trace_space_table *old,
						  struct trace_mapping *items, size_t n);

/* Whether both are of the same file. */
bool trace_mapping_same_file(const struct trace_mapping *a, const struct trace_mapping *b);

#endif
