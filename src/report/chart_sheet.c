/* SPDX-License-Identifier: MIT */
/* A chart with a row for each scenario, below an upright legend and between two axes that read alike. */
#include "src/report/chart_sheet.h"

#include "src/report/scale.h"

#include <string.h>

enum {
	AXIS = 22,
	NAME = 15,                   /* from the top of a row */
	BELOW = AXIS + SVG_LINE + 4, /* the axis again, and its name */
};

const struct model_scenario *sheet_next(const struct sheet *sheet, size_t *i)
{
	const struct model_bench *doc = sheet->doc;

	while (*i < doc->n_scenarios && !sheet->belongs(&doc->scenarios[*i]))
		(*i)++;
	return *i < doc->n_scenarios ? &doc->scenarios[(*i)++] : NULL;
}

bool sheet_is_published(const struct model_scenario *s)
{
	return s->n_accesses == 0 &&
	       (scale_has(s->published.ns_per_page) || scale_has(s->published.ns_per_fault));
}

/* Room for the longest legend of the page. */
static unsigned head_lines(const struct model_bench *doc)
{
	for (size_t i = 0; i < doc->n_scenarios; i++)
		if (sheet_is_published(&doc->scenarios[i]))
			return SHEET_MAX_LINES;
	return SHEET_MAX_LINES - 1;
}

bool sheet_measure(struct sheet *sheet, unsigned n_lines)
{
	unsigned head = head_lines(sheet->doc);
	size_t n = 0;

	for (size_t i = 0; sheet_next(sheet, &i);)
		n++;
	sheet->line = head > n_lines ? head - n_lines : 0;
	sheet->top = head * SVG_LINE + AXIS;
	sheet->bottom = sheet->top + (double)(SHEET_ROW * n);
	return n > 0;
}

void sheet_open(const struct sheet *sheet, const char *title, const char *text)
{
	chart_open(sheet->out, sheet->bottom + BELOW, title, text);
}

/* Keeps a label that is centered at x inside the chart. */
static double inside(double x, const char *text)
{
	double half = svg_label_width(text) / 2;

	return fmax(half, fmin(x, SVG_WIDTH - half));
}

void sheet_tick(const struct sheet *sheet, double x, const char *text)
{
	double at = inside(x, text);

	svg_line(sheet->out, "grid", (struct svg_point){x, sheet->top},
		 (struct svg_point){x, sheet->bottom});
	svg_label(sheet->out, "dim mid", (struct svg_point){at, sheet->top - 6}, text);
	svg_label(sheet->out, "dim mid", (struct svg_point){at, sheet->bottom + 15}, text);
}

void sheet_axis_name(const struct sheet *sheet, double x, const char *text)
{
	svg_label(sheet->out, "dim mid", (struct svg_point){x, sheet->bottom + BELOW - 6}, text);
}

/* "anon_cold (anon_write)": the row's name in the article, and the scenario's where it is another. */
void sheet_name(const struct sheet *sheet, const struct model_scenario *s, double y)
{
	double room = SVG_WIDTH - 2 * SVG_PAD;
	char text[sizeof(s->article) + sizeof(s->name) + 4];

	svg_line(sheet->out, "rule", (struct svg_point){0, y}, (struct svg_point){SVG_WIDTH, y});
	if (s->verdict == MODEL_NOISY) {
		svg_label(sheet->out, "warn end", (struct svg_point){SVG_WIDTH - SVG_PAD, y + NAME},
			  "noisy");
		room -= svg_label_width("noisy") + SVG_LINE;
	}
	if (!s->article[0] || strcmp(s->article, s->name) == 0)
		(void)snprintf(text, sizeof(text), "%s", s->name);
	else
		(void)snprintf(text, sizeof(text), "%s (%s)", s->article, s->name);
	svg_name(sheet->out, "strong", (struct svg_point){SVG_PAD, y + NAME}, room, text);
}

void sheet_no_price(const struct sheet *sheet, const struct model_scenario *s, double y)
{
	char text[sizeof(s->reason) + 32];

	chart_no_price(s, text, sizeof(text));
	svg_name(sheet->out, s->verdict == MODEL_INVALID ? "bad" : "warn",
		 (struct svg_point){SVG_PAD, y + SHEET_LANE_1 + 6}, SVG_WIDTH - 2 * SVG_PAD, text);
}
