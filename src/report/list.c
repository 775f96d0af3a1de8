/* SPDX-License-Identifier: MIT */
/* Items in one line, and how many there was no room for. */
#include "src/report/list.h"

#include <stdarg.h>
#include <stdio.h>

enum { ROOM_FOR_REST = 40 };

void report_list_add(struct report_list *list, const char *separator, const char *fmt, ...)
{
	size_t room = sizeof(list->text) - ROOM_FOR_REST - list->used;
	char *at = list->text + list->used;
	int head, body;
	va_list ap;

	head = snprintf(at, room, "%s", list->n ? separator : "");
	va_start(ap, fmt);
	body = vsnprintf(at + head, (size_t)head < room ? room - (size_t)head : 0, fmt, ap);
	va_end(ap);
	if (list->n_left_out || (size_t)head + (size_t)body >= room) {
		*at = 0;
		list->n_left_out++;
		return;
	}
	list->used += (size_t)head + (size_t)body;
	list->n++;
}

const char *report_list_text(struct report_list *list)
{
	if (list->n_left_out)
		(void)snprintf(list->text + list->used, sizeof(list->text) - list->used,
			       ", and %zu more", list->n_left_out);
	return list->text;
}
