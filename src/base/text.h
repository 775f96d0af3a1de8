/* SPDX-License-Identifier: MIT */
/* Strings from outside made harmless, and small text helpers. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Replaces in place every byte that could steer a terminal (C0 and C1 controls, DEL, broken
 * UTF-8) by '?'. Well-formed UTF-8 stays, save for the direction marks that reorder a line.
 */
void text_make_harmless(char *text);

/* Whether a code point could steer a terminal or turn the direction of what follows. */
bool text_steers(uint32_t point);

/* Bytes of the well-formed UTF-8 sequence at s, 0 where it is malformed (RFC 3629). The code point
 * goes to ret_point. */
size_t text_sequence(const char *s, uint32_t *ret_point);

/* Copies src to dst (of size bytes, always terminated), cut at a character where it is too
 * long. Returns dst. */
char *text_copy(char *dst, size_t size, const char *src);

/* Appends to a text in size bytes; what finds no room is cut. */
void text_append(char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Number of terminal columns of a harmless UTF-8 string, one a code point; or of its first n bytes. */
size_t text_columns(const char *text);
size_t text_columns_of(const char *text, size_t n);

/* Writes text with scdoc's special characters escaped; a newline ends a paragraph. */
void text_put_scdoc(FILE *out, const char *text);

/* Removes white space at both ends, in place. Returns the first character kept. */
char *text_strip(char *text);

/*
 * The candidate nearest to word by edit distance (a swap counts one), or NULL when none is near
 * enough to be worth asking "did you mean". Candidates end with NULL.
 */
const char *text_nearest(const char *word, const char *const *candidates);

#endif
