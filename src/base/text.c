/* SPDX-License-Identifier: MIT */
/* Strings from outside made harmless, and small text helpers. */
#include "src/base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

size_t text_sequence(const char *text, uint32_t *ret_point)
{
	const unsigned char *s = (const unsigned char *)text;
	uint32_t point;
	size_t n, i;

	if (s[0] < 0x80) {
		*ret_point = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] <= 0xdf) {
		n = 2;
		point = s[0] & 0x1fU;
	} else if (s[0] >= 0xe0 && s[0] <= 0xef) {
		n = 3;
		point = s[0] & 0x0fU;
	} else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		n = 4;
		point = s[0] & 0x07U;
	} else {
		return 0;
	}
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		point = (point << 6) | (s[i] & 0x3fU);
	}
	if ((n == 3 && point < 0x800) || (n == 4 && (point < 0x10000 || point > 0x10ffff)) ||
	    (point >= 0xd800 && point <= 0xdfff))
		return 0;
	*ret_point = point;
	return n;
}

/* Direction and format marks let a file name pretend to be another: U+200E.. and U+2066.. */
bool text_steers(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
	       (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

void text_make_harmless(char *text)
{
	const char *in = text;
	char *out = text;
	uint32_t point;
	size_t n;

	while (*in) {
		n = text_sequence(in, &point);
		if (n == 0 || text_steers(point)) {
			*out++ = '?';
			in += n ? n : 1;
			continue;
		}
		memmove(out, in, n);
		out += n;
		in += n;
	}
	*out = 0;
}

char *text_copy(char *dst, size_t size, const char *src)
{
	size_t n = strnlen(src, size - 1);

	if (src[n])
		while (n > 0 && ((unsigned char)src[n] & 0xc0) == 0x80)
			n--;
	memcpy(dst, src, n);
	dst[n] = 0;
	return dst;
}

size_t text_columns_of(const char *text, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

void text_append(char *text, size_t size, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text + used, size - used, fmt, ap);
	va_end(ap);
}

size_t text_columns(const char *text)
{
	return text_columns_of(text, strlen(text));
}

void text_put_scdoc(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("_*\\#", *text))
			(void)fputc('\\', out);
		(void)fputc(*text, out);
		if (*text == '\n')
			(void)fputc('\n', out);
	}
}

char *text_strip(char *text)
{
	size_t n;

	while (isspace((unsigned char)*text))
		text++;
	n = strlen(text);
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		text[--n] = 0;
	return text;
}

enum { MAX_WORD = 63 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

/* Optimal string alignment distance; both words at most MAX_WORD long. */
static unsigned edit_distance(const char *a, const char *b)
{
	unsigned row[3][MAX_WORD + 2] = {0};
	size_t n_a = strlen(a);
	size_t n_b = strlen(b);
	size_t i, j;

	for (j = 0; j <= n_b; j++)
		row[0][j] = (unsigned)j;
	for (i = 1; i <= n_a; i++) {
		unsigned *now = row[i % 3];
		const unsigned *before = row[(i + 2) % 3];
		const unsigned *before2 = row[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (j = 1; j <= n_b; j++) {
			now[j] = min3(now[j - 1] + 1, before[j] + 1,
				      before[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before2[j - 2] + 1 < now[j])
				now[j] = before2[j - 2] + 1;
		}
	}
	return row[n_a % 3][n_b];
}

const char *text_nearest(const char *word, const char *const *candidates)
{
	const char *nearest = NULL;
	unsigned least = UINT32_MAX;
	size_t n = strlen(word);

	if (n == 0 || n > MAX_WORD)
		return NULL;
	for (; *candidates; candidates++) {
		unsigned d;

		if (strlen(*candidates) > MAX_WORD)
			continue;
		d = edit_distance(word, *candidates);
		/* a word cut short or with one part missing is near, too: "anon" of "anon_write" */
		if (d > 2 && n >= 3 && strstr(*candidates, word))
			d = 2;
		if (d < least) {
			least = d;
			nearest = *candidates;
		}
	}
	return least <= 2 || least <= n / 3 ? nearest : NULL;
}
