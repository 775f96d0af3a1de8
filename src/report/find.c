/* SPDX-License-Identifier: MIT */
/* Looking up formats; colours, and paragraphs behind a word. */
#include "src/report/report.h"

#include "src/base/option.h"

#include <string.h>

enum { HEAD = 9 };

const struct report_format *report_find(const char *name)
{
	for (const struct report_row *row = report_registry; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row->format;
	return NULL;
}

void report_paint(FILE *out, const struct report_style *style, enum report_paint paint,
		  const char *text)
{
	static const char *const codes[] = {"", "\033[32m", "\033[33m", "\033[1;31m", "\033[2m"};

	if (style->color && paint != PAINT_NONE)
		(void)fprintf(out, "%s%s\033[0m", codes[paint], text);
	else
		(void)fputs(text, out);
}

void report_headed(FILE *out, const struct report_style *style, enum report_paint paint,
		   const char *head, const char *text)
{
	report_paint(out, style, paint, head);
	(void)fprintf(out, "%*s", strlen(head) < HEAD ? (int)(HEAD - strlen(head)) : 1, "");
	option_print_folded(out, text, HEAD, HEAD, style->width ? style->width : 100);
}
