/* SPDX-License-Identifier: MIT */
/* Marks and letters of the charts, as inline SVG; colours come from the page's style, by class. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stdio.h>

/* All charts are SVG_WIDTH units wide, made for a telephone: there a unit is a little less than a pixel,
 * and a letter still over 10 pixels high. */
enum { SVG_WIDTH = 360, SVG_PAD = 2, SVG_FONT = 12, SVG_LINE = 18 };

enum svg_shape { SVG_CIRCLE, SVG_DIAMOND, SVG_SQUARE, SVG_TRIANGLE, SVG_N_SHAPES };

struct svg_point {
	double x, y;
};

/* title and desc are what people hear who do not see the chart. */
void svg_open(FILE *out, double height, const char *title, const char *desc);
void svg_close(FILE *out);

/* Text of ours, in the page's letters. class_name may name a side: "end" or "mid". */
void svg_label(FILE *out, const char *class_name, struct svg_point at, const char *text);

/* Text from outside, in letters of one width; what does not fit in room units is cut, and whole in its
 * title. */
void svg_name(FILE *out, const char *class_name, struct svg_point at, double room,
	      const char *text);

/* What a label takes at most. */
double svg_label_width(const char *text);

void svg_line(FILE *out, const char *class_name, struct svg_point a, struct svg_point b);
void svg_mark(FILE *out, enum svg_shape shape, const char *class_name, struct svg_point at);

/* A line from a to b, level or upright, with a bar across at both ends. */
void svg_whisker(FILE *out, const char *class_name, struct svg_point a, struct svg_point b);

#endif
