/* SPDX-License-Identifier: MIT */
/* Items in one line, and how many there was no room for. */
#ifndef REPORT_LIST_H
#define REPORT_LIST_H

#include <stddef.h>

enum { REPORT_LIST_BYTES = 900 };

/* Begins as {.n = 0}. */
struct report_list {
	char text[REPORT_LIST_BYTES];
	size_t used, n, n_left_out;
};

/* Adds an item behind a separator; what does not fit is counted. */
void report_list_add(struct report_list *list, const char *separator, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The line; where items were left out it ends in "and 3 more". */
const char *report_list_text(struct report_list *list);

#endif
