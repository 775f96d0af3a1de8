/* SPDX-License-Identifier: MIT */
/* A table for people: aligned columns, and the least important ones left out where it is narrow. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_MAX_COLUMNS = 16, TABLE_CELL = 96 };

struct table_column {
	const char *title;
	bool right;    /* aligned to the right */
	unsigned drop; /* 0: stays; the highest is left out first */
};

struct table {
	const struct table_column *columns;
	size_t n_columns;
	char (*cells)[TABLE_CELL]; /* n_rows times n_columns, owned */
	size_t n_rows;
	bool hidden[TABLE_MAX_COLUMNS];
	size_t gap; /* blanks between columns */
	size_t least
		[TABLE_MAX_COLUMNS]; /* columns of text that a column may be cut to; 0: it is not cut */
	bool keeps_end[TABLE_MAX_COLUMNS]; /* such a text is cut in front, as a path */
	size_t most[TABLE_MAX_COLUMNS];    /* what table_fit() left it; 0: all */
};

void table_init(struct table *t, const struct table_column *columns, size_t n_columns);
void table_fini(struct table *t);

/* Adds a row of n_columns texts; they are cut at TABLE_CELL and made harmless. A row that finds no
 * memory is left out. */
void table_add(struct table *t, const char *const *texts);

/* Draws columns together, cuts those that may be, then hides some, until the table is at most width wide (0: any
 * width). The titles of those it hid go to ret_hidden. Returns how many. */
size_t table_fit(struct table *t, size_t width, char *ret_hidden, size_t size);

/* Prints the heading, then the rows. */
void table_print(const struct table *t, FILE *out);

#endif
