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

/* What stands for the rest of a text that was cut. */
static const char cut_mark[] = "..";

/* The width that all texts of a column need. */
static size_t natural_width(const struct table *t, size_t c)
{
	size_t width = text_columns(t->columns[c].title);

	for (size_t r = 0; r < t->n_rows; r++) {
		size_t n = text_columns(t->cells[r * t->n_columns + c]);

		width = n > width ? n : width;
	}
	return width;
}

static size_t column_width(const struct table *t, size_t c)
{
	size_t width = natural_width(t, c);

	return t->most[c] && t->most[c] < width ? t->most[c] : width;
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

/* As narrow as the columns that may be cut can get. */
static void cut_columns(struct table *t)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		size_t title = text_columns(t->columns[c].title);

		t->most[c] = t->least[c] && t->least[c] < title ? title : t->least[c];
	}
}

/* The narrowest column that shows less than all of its texts, or n_columns. */
static size_t next_to_widen(const struct table *t, const size_t *natural)
{
	size_t widen = t->n_columns;

	for (size_t c = 0; c < t->n_columns; c++)
		if (t->most[c] && !t->hidden[c] && t->most[c] < natural[c] &&
		    (widen == t->n_columns || t->most[c] < t->most[widen]))
			widen = c;
	return widen;
}

/* What is left of the width goes to the columns that were cut. */
static void widen_columns(struct table *t, size_t width)
{
	size_t now = table_width(t), natural[TABLE_MAX_COLUMNS];

	for (size_t c = 0; c < t->n_columns; c++)
		natural[c] = natural_width(t, c);
	for (; now < width; now++) {
		size_t c = next_to_widen(t, natural);

		if (c == t->n_columns)
			return;
		t->most[c]++;
	}
}

size_t table_fit(struct table *t, size_t width, char *ret_hidden, size_t size)
{
	size_t n = 0, used = 0;

	*ret_hidden = 0;
	if (width && table_width(t) > width) {
		t->gap = 1;
		cut_columns(t);
	}
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
	if (width)
		widen_columns(t, width);
	return n;
}

/* Bytes of the first so many columns of a text. */
static size_t bytes_of(const char *text, size_t columns)
{
	size_t bytes = 0;
	uint32_t point;

	for (size_t i = 0; i < columns; i++) {
		size_t step = text_sequence(text + bytes, &point);

		bytes += step ? step : 1;
	}
	return bytes;
}

/* Prints a text in at most so many columns. */
static void print_cut(const char *text, size_t most, bool keeps_end, FILE *out)
{
	size_t n = text_columns(text), mark = sizeof(cut_mark) - 1;

	if (n <= most)
		(void)fputs(text, out);
	else if (most <= mark)
		(void)fwrite(text, 1, bytes_of(text, most), out);
	else if (keeps_end)
		(void)fprintf(out, "%s%s", cut_mark, text + bytes_of(text, n - (most - mark)));
	else
		(void)fprintf(out, "%.*s%s", (int)bytes_of(text, most - mark), text, cut_mark);
}

static void print_line(const struct table *t, FILE *out, const size_t *widths,
		       const char *(*cell)(const struct table *, size_t, size_t), size_t r)
{
	size_t pending = 0; /* blanks not yet printed, so that no line ends in some */

	for (size_t c = 0; c < t->n_columns; c++) {
		const char *text = cell(t, r, c);
		size_t columns = text_columns(text);
		size_t blanks = columns < widths[c] ? widths[c] - columns : 0;

		if (t->hidden[c])
			continue;
		if (t->columns[c].right)
			pending += blanks;
		if (*text) {
			(void)fprintf(out, "%*s", (int)pending, "");
			print_cut(text, widths[c], t->keeps_end[c], out);
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
	size_t widths[TABLE_MAX_COLUMNS];

	for (size_t c = 0; c < t->n_columns; c++)
		widths[c] = column_width(t, c);
	print_line(t, out, widths, title_cell, 0);
	for (size_t r = 0; r < t->n_rows; r++)
		print_line(t, out, widths, row_cell, r);
}
