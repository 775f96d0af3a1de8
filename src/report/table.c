/* SPDX-License-Identifier: MIT */
/* A table for people: aligned columns, and the least important ones left out where it is narrow. */
#include "src/report/table.h"

#include "src/base/text.h"

#include <assert.h>
#include <stdlib.h>

void table_init(struct table *t, const struct table_column *columns, size_t n_columns)
{
	assert(n_columns <= TABLE_MAX_COLUMNS);
	*t = (struct table){.columns = columns, .n_columns = n_columns, .gap = 2};
}

void table_fini(struct table *t)
{
	free(t->cells);
	*t = (struct table){.columns = NULL};
}

void table_add(struct table *t, const char *const *texts)
{
	size_t n = (t->n_rows + 1) * t->n_columns;
	char(*grown)[TABLE_CELL] = reallocarray(t->cells, n, TABLE_CELL);

	if (!grown)
		return;
	t->cells = grown;
	for (size_t c = 0; c < t->n_columns; c++) {
		char *cell = t->cells[t->n_rows * t->n_columns + c];

		text_make_harmless(text_copy(cell, TABLE_CELL, texts[c]));
	}
	t->n_rows++;
}

static size_t column_width(const struct table *t, size_t c)
{
	size_t width = text_columns(t->columns[c].title);

	for (size_t r = 0; r < t->n_rows; r++) {
		size_t n = text_columns(t->cells[r * t->n_columns + c]);

		width = n > width ? n : width;
	}
	return width;
}

static size_t table_width(const struct table *t)
{
	size_t width = 0;

	for (size_t c = 0; c < t->n_columns; c++)
		if (!t->hidden[c])
			width += column_width(t, c) + (width ? t->gap : 0);
	return width;
}

/* The shown column to leave out next, or n_columns. */
static size_t next_to_drop(const struct table *t)
{
	size_t drop = t->n_columns;

	for (size_t c = 0; c < t->n_columns; c++)
		if (!t->hidden[c] && t->columns[c].drop &&
		    (drop == t->n_columns || t->columns[c].drop > t->columns[drop].drop))
			drop = c;
	return drop;
}

size_t table_fit(struct table *t, size_t width, char *ret_hidden, size_t size)
{
	size_t n = 0, used = 0;

	*ret_hidden = 0;
	if (width && table_width(t) > width)
		t->gap = 1;
	while (width && table_width(t) > width) {
		size_t drop = next_to_drop(t);

		if (drop == t->n_columns)
			break;
		t->hidden[drop] = true;
		if (used < size)
			used += (size_t)snprintf(ret_hidden + used, size - used, "%s%s",
						 n ? ", " : "", t->columns[drop].title);
		n++;
	}
	return n;
}

static void print_line(const struct table *t, FILE *out,
		       const char *(*cell)(const struct table *, size_t, size_t), size_t r)
{
	size_t pending = 0; /* blanks not yet printed, so that no line ends in some */

	for (size_t c = 0; c < t->n_columns; c++) {
		const char *text = cell(t, r, c);
		size_t blanks = column_width(t, c) - text_columns(text);

		if (t->hidden[c])
			continue;
		if (t->columns[c].right)
			pending += blanks;
		if (*text) {
			(void)fprintf(out, "%*s%s", (int)pending, "", text);
			pending = 0;
		}
		pending += t->gap + (t->columns[c].right ? 0 : blanks);
	}
	(void)fputc('\n', out);
}

static const char *title_cell(const struct table *t, size_t r, size_t c)
{
	(void)r;
	return t->columns[c].title;
}

static const char *row_cell(const struct table *t, size_t r, size_t c)
{
	return t->cells[r * t->n_columns + c];
}

void table_print(const struct table *t, FILE *out)
{
	print_line(t, out, title_cell, 0);
	for (size_t r = 0; r < t->n_rows; r++)
		print_line(t, out, row_cell, r);
}
