/* SPDX-License-Identifier: MIT */
/* The mappings of one address space: a sorted array without overlaps, shared by processes until one changes it. */
#include "src/trace/spaces_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct trace_space_table *new_table(size_t *n_all, size_t n, size_t room)
{
	struct trace_space_table *table;

	if (n > TRACE_MAX_MAPPINGS || *n_all + n > TRACE_MAX_ALL_MAPPINGS)
		return NULL;
	table = malloc(sizeof(*table));
	if (!table)
		return NULL;
	*table = (struct trace_space_table){
		.n = n, .room = room ? room : 1, .n_users = 1, .n_all = n_all};
	table->items = reallocarray(NULL, table->room, sizeof(*table->items));
	if (!table->items) {
		free(table);
		return NULL;
	}
	*n_all += n;
	return table;
}

struct trace_space_table *trace_space_table_new(size_t *n_all, const struct trace_mapping *items,
						size_t n)
{
	struct trace_space_table *table = new_table(n_all, n, n);

	if (table && n)
		memcpy(table->items, items, n * sizeof(*items));
	return table;
}

struct trace_space_table *trace_space_table_share(struct trace_space_table *table)
{
	if (table)
		table->n_users++;
	return table;
}

void trace_space_table_drop(struct trace_space_table *table)
{
	if (!table || --table->n_users)
		return;
	*table->n_all -= table->n;
	free(table->items);
	free(table);
}

size_t trace_space_table_at(const struct trace_space_table *table, uint64_t address)
{
	size_t from = 0, to = table->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (table->items[middle].end > address)
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

int trace_space_table_own(struct trace_space_table **table)
{
	struct trace_space_table *copy;

	if ((*table)->n_users == 1)
		return 0;
	if (*(*table)->n_all + (*table)->n > TRACE_MAX_ALL_MAPPINGS)
		return -ENOSPC;
	copy = trace_space_table_new((*table)->n_all, (*table)->items, (*table)->n);
	if (!copy)
		return -ENOMEM;
	trace_space_table_drop(*table);
	*table = copy;
	return 0;
}

/* Memory without a file has no offsets. */
static bool has_file(const struct trace_mapping *m)
{
	return m->inode || m->dev_major || m->dev_minor;
}

bool trace_mapping_same_file(const struct trace_mapping *a, const struct trace_mapping *b)
{
	return has_file(a) && a->inode == b->inode && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && a->name == b->name;
}

static struct trace_mapping part(const struct trace_mapping *m, uint64_t start, uint64_t end)
{
	struct trace_mapping cut = *m;

	cut.offset += has_file(m) ? start - m->start : 0;
	cut.start = start;
	cut.end = end;
	return cut;
}

/* What takes the place of items[first] to items[behind - 1]. */
struct splice {
	size_t first, behind;
	struct trace_mapping pieces[3];
	size_t n_pieces;
};

/* What is to become of the mappings that overlap [start, end), with m between what sticks out. */
static void plan_splice(const struct trace_space_table *table, uint64_t start, uint64_t end,
			const struct trace_mapping *m, struct splice *ret)
{
	const struct trace_mapping *items = table->items;

	ret->n_pieces = 0;
	ret->first = ret->behind = trace_space_table_at(table, start);
	while (ret->behind < table->n && items[ret->behind].start < end)
		ret->behind++;
	if (ret->first < ret->behind && items[ret->first].start < start)
		ret->pieces[ret->n_pieces++] =
			part(&items[ret->first], items[ret->first].start, start);
	if (m)
		ret->pieces[ret->n_pieces++] = *m;
	if (ret->first < ret->behind && items[ret->behind - 1].end > end)
		ret->pieces[ret->n_pieces++] =
			part(&items[ret->behind - 1], end, items[ret->behind - 1].end);
}

static void do_splice(struct trace_space_table *table, const struct splice *s)
{
	struct trace_mapping *items = table->items;
	size_t n = table->n - (s->behind - s->first) + s->n_pieces;

	memmove(&items[s->first + s->n_pieces], &items[s->behind],
		(table->n - s->behind) * sizeof(*items));
	memcpy(&items[s->first], s->pieces, s->n_pieces * sizeof(*items));
	*table->n_all += n;
	*table->n_all -= table->n;
	table->n = n;
}

/* Room for n mappings; doubled, so that a mapping more does not copy all of them. */
static int make_room(struct trace_space_table *table, size_t n)
{
	struct trace_mapping *items;
	size_t room = table->room;

	if (n > TRACE_MAX_MAPPINGS || *table->n_all - table->n + n > TRACE_MAX_ALL_MAPPINGS)
		return -ENOSPC;
	while (room < n)
		room *= 2;
	if (room == table->room)
		return 0;
	items = reallocarray(table->items, room, sizeof(*items));
	if (!items)
		return -ENOMEM;
	table->items = items;
	table->room = room;
	return 0;
}

int trace_space_table_insert(struct trace_space_table *table, const struct trace_mapping *m)
{
	struct splice s;
	size_t n;
	int r = 0;

	plan_splice(table, m->start, m->end, m, &s);
	n = table->n - (s.behind - s.first) + s.n_pieces;
	if (n > table->n)
		r = make_room(table, n);
	if (r == 0)
		do_splice(table, &s);
	return r;
}

void trace_space_table_remove(struct trace_space_table *table, uint64_t start, uint64_t end)
{
	struct splice s;

	plan_splice(table, start, end, NULL, &s);
	if (s.n_pieces > s.behind - s.first)
		s.n_pieces--;
	do_splice(table, &s);
}

/* Room that is not needed; where that fails it stays. */
static void give_back(struct trace_space_table *table)
{
	size_t room = table->n ? table->n : 1;
	struct trace_mapping *items = reallocarray(table->items, room, sizeof(*items));

	if (items) {
		table->items = items;
		table->room = room;
	}
}

struct trace_space_table *trace_space_table_merge(const struct trace_space_table *old,
						  struct trace_mapping *items, size_t n)
{
	/* each item may cut one of the old in two */
	size_t most = old->n + 2 * n;
	struct trace_space_table *table = new_table(old->n_all, 0, most);
	struct trace_mapping *out;
	uint64_t done = 0; /* what lies below is in the table */
	size_t i = 0;

	if (!table)
		return NULL;
	out = table->items;
	for (size_t k = 0; k <= n; k++) {
		uint64_t gap_end = k < n ? items[k].start : UINT64_MAX;

		for (; i < old->n && old->items[i].start < gap_end; i++) {
			const struct trace_mapping *m = &old->items[i];
			uint64_t from = m->start > done ? m->start : done;
			uint64_t to = m->end < gap_end ? m->end : gap_end;

			if (from < to)
				*out++ = part(m, from, to);
			if (m->end > gap_end)
				break; /* it may go on behind the item */
		}
		if (k == n)
			break;
		if (i < old->n && old->items[i].start < items[k].end &&
		    trace_mapping_same_file(&old->items[i], &items[k]))
			items[k].module = old->items[i].module;
		*out++ = items[k];
		done = items[k].end;
	}
	table->n = (size_t)(out - table->items);
	*table->n_all += table->n;
	if (table->n <= TRACE_MAX_MAPPINGS && *table->n_all <= TRACE_MAX_ALL_MAPPINGS) {
		give_back(table);
		return table;
	}
	trace_space_table_drop(table);
	return NULL;
}
