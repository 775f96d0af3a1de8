/* SPDX-License-Identifier: MIT */
/* One sentence of context beside an error number. */
#include "src/base/why.h"

#include "src/base/text.h"

#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 0))) static void keep(struct why *why, const char *fmt, va_list ap)
{
	(void)vsnprintf(why->text, sizeof(why->text), fmt, ap);
	text_make_harmless(why->text);
}

int why_set(struct why *why, int r, const char *fmt, ...)
{
	va_list ap;

	if (!why)
		return r;
	va_start(ap, fmt);
	keep(why, fmt, ap);
	va_end(ap);
	return r;
}

int why_errno(struct why *why, int r, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	if (!why)
		return r;
	va_start(ap, fmt);
	keep(why, fmt, ap);
	va_end(ap);
	n = strlen(why->text);
	(void)snprintf(why->text + n, sizeof(why->text) - n, ": %s", strerror(-r));
	return r;
}

int why_copy(struct why *why, int r, const struct why *from)
{
	if (why)
		*why = *from;
	return r;
}
