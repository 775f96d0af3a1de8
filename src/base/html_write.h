/* SPDX-License-Identifier: MIT */
/* Writing HTML and SVG: markup comes from formats alone, and every text in it is escaped. */
#ifndef BASE_HTML_WRITE_H
#define BASE_HTML_WRITE_H

#include <stdio.h>

/*
 * Writes text so that it is nothing but text, in an element and in a quoted attribute alike. Bytes that
 * are no UTF-8, control characters and direction marks become '?'. Write errors stay in the FILE.
 */
void html_put_text(FILE *out, const char *text);

/*
 * fprintf whose format is markup and whose every %s is escaped as above, so that nothing from outside
 * can be forgotten. It knows %s, %d, %u, %zu, %llu, %% and, with a width and a precision, %f and %g.
 */
void html_printf(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
