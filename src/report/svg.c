/* SPDX-License-Identifier: MIT */
/* Marks and letters of the charts, as inline SVG; colours come from the page's style, by class. */
#include "src/report/svg.h"

#include "src/base/html_write.h"
#include "src/base/text.h"

#include <stdbool.h>
#include <string.h>

#define LETTER 0.62 /* em: the widest of the usual fonts of one width, with a little to spare */
#define WIDE_LETTER 1.05 /* em: East Asian and whatever else is not Latin, Greek or Cyrillic */
#define LABEL_LETTER 0.6 /* em: a page's letters, on average over a label */

enum { FIRST_WIDE_POINT = 0x530, LAST_PLAIN_POINT = 0x7e };

void svg_open(FILE *out, double height, const char *title, const char *desc)
{
	html_printf(out,
		    "<svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"%s\">"
		    "<title>%s</title><desc>%s</desc>\n",
		    SVG_WIDTH, height, title, title, desc);
}

void svg_close(FILE *out)
{
	(void)fputs("</svg>\n", out);
}

void svg_label(FILE *out, const char *class_name, struct svg_point at, const char *text)
{
	html_printf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", class_name, at.x,
		    at.y, text);
}

double svg_label_width(const char *text)
{
	return LABEL_LETTER * SVG_FONT * (double)text_columns(text);
}

/* Width of one character, at least one byte long; what is broken is written as '?'. */
static double letter_width(const char *s, size_t *ret_bytes, bool *ret_plain)
{
	uint32_t point;

	*ret_bytes = text_sequence(s, &point);
	if (*ret_bytes == 0)
		point = '?';
	*ret_bytes += *ret_bytes == 0;
	*ret_plain = *ret_plain && point <= LAST_PLAIN_POINT;
	return SVG_FONT * (point < FIRST_WIDE_POINT ? LETTER : WIDE_LETTER);
}

/* How many bytes of text fit into room; all of it, or what leaves room for "...". */
static size_t fit(const char *text, double room, double *ret_width, bool *ret_plain)
{
	double width = 0, dots = 3 * LETTER * SVG_FONT, cut_width = 0;
	size_t n = 0, cut = 0, bytes;

	*ret_plain = true;
	while (text[n]) {
		width += letter_width(text + n, &bytes, ret_plain);
		n += bytes;
		if (width <= room - dots) {
			cut = n;
			cut_width = width;
		}
		if (width > room) {
			*ret_width = cut_width + dots;
			return cut;
		}
	}
	*ret_width = width;
	return n;
}

void svg_name(FILE *out, const char *class_name, struct svg_point at, double room, const char *text)
{
	double width;
	bool plain;
	size_t n = fit(text, room, &width, &plain);
	bool cut = text[n] != 0;
	char shown[1024];

	text_copy(shown, n + 1 < sizeof(shown) ? n + 1 : sizeof(shown), text);
	html_printf(out, "<text class=\"name %s\" x=\"%.1f\" y=\"%.1f\"", class_name, at.x, at.y);
	if (!plain) /* nobody knows how wide these letters are: let them be made to fit */
		html_printf(out, " textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\"", width);
	html_printf(out, ">%s%s", shown, cut ? "..." : "");
	if (cut)
		html_printf(out, "<title>%s</title>", text);
	(void)fputs("</text>\n", out);
}

void svg_line(FILE *out, const char *class_name, struct svg_point a, struct svg_point b)
{
	html_printf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
		    class_name, a.x, a.y, b.x, b.y);
}

/* Outlines around 0,0, all of about the same area. */
static const char *const outlines[SVG_N_SHAPES] = {
	[SVG_CIRCLE] = "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
	[SVG_DIAMOND] = "m0 -5l5 5l-5 5l-5 -5z",
	[SVG_SQUARE] = "m-3.5 -3.5h7v7h-7z",
	[SVG_TRIANGLE] = "m0 -5l4.8 8.4h-9.6z",
};

void svg_mark(FILE *out, enum svg_shape shape, const char *class_name, struct svg_point at)
{
	html_printf(out, "<path class=\"%s\" d=\"M%.1f %.1f%s\"/>\n", class_name, at.x, at.y,
		    outlines[shape]);
}

#define HALF_BAR 6.5 /* longer than any mark, so that a short whisker is seen behind it */

void svg_whisker(FILE *out, const char *class_name, struct svg_point a, struct svg_point b)
{
	bool level = a.y == b.y;
	double dx = level ? 0 : HALF_BAR, dy = level ? HALF_BAR : 0;

	html_printf(out, "<path class=\"whisker %s\" d=\"M%.1f %.1fL%.1f %.1f", class_name, a.x,
		    a.y, b.x, b.y);
	html_printf(out, "M%.1f %.1fL%.1f %.1f", a.x - dx, a.y - dy, a.x + dx, a.y + dy);
	html_printf(out, "M%.1f %.1fL%.1f %.1f\"/>\n", b.x - dx, b.y - dy, b.x + dx, b.y + dy);
}
