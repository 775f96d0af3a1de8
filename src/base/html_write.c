/* SPDX-License-Identifier: MIT */
/* Writing HTML and SVG: markup comes from formats alone, and every text in it is escaped. */
#include "src/base/html_write.h"

#include "src/base/text.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

/* The characters that mean something in HTML, in an element or in an attribute; NULL for others. */
static const char *entity(uint32_t point)
{
	switch (point) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void html_put_text(FILE *out, const char *text)
{
	uint32_t point;
	size_t n;

	for (; *text; text += n) {
		n = text_sequence(text, &point);
		if (n == 0 || text_steers(point)) {
			(void)fputc('?', out);
			n = n ? n : 1;
		} else if (entity(point)) {
			(void)fputs(entity(point), out);
		} else {
			(void)fwrite(text, 1, n, out);
		}
	}
}

enum { MAX_SPEC = 16 };

/* A whole number without sign, of the size that its conversion names. */
static unsigned long long take_unsigned(const char *spec, va_list *ap)
{
	if (strstr(spec, "ll"))
		return va_arg(*ap, unsigned long long);
	if (strchr(spec, 'z'))
		return va_arg(*ap, size_t);
	return va_arg(*ap, unsigned);
}

/* One number by its conversion, which is part of a checked format. */
static void put_number(FILE *out, const char *spec, va_list *ap)
{
	if (strchr(spec, 'd')) {
		(void)fprintf(out, "%d", va_arg(*ap, int));
	} else if (strchr(spec, 'u')) {
		(void)fprintf(out, "%llu", take_unsigned(spec, ap));
	} else {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		(void)fprintf(out, spec, va_arg(*ap, double));
#pragma GCC diagnostic pop
	}
}

void html_printf(FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	while (*fmt) {
		size_t n = strcspn(fmt, "%");
		char spec[MAX_SPEC] = "";

		(void)fwrite(fmt, 1, n, out);
		fmt += n;
		if (!*fmt)
			break;
		n = 1 + strspn(fmt + 1, ".0123456789lz");
		assert(fmt[n] && strchr("sdufg%", fmt[n]) && n + 1 < sizeof(spec));
		memcpy(spec, fmt, n + 1);
		fmt += n + 1;
		if (strcmp(spec, "%s") == 0)
			html_put_text(out, va_arg(ap, const char *));
		else if (strcmp(spec, "%%") == 0)
			(void)fputc('%', out);
		else
			put_number(out, spec, &ap);
	}
	va_end(ap);
}
