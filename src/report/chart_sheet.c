/* SPDX-License-Identifier: MIT */
/* A chart with a row for each scenario, below an upright legend and between two axes that read alike. */
#include "src/report/chart_sheet.h"

#include "src/report/cell.h"
#include "src/report/scale.h"

enum {
	AXIS = 22,
	MIN_LINES = 2,
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

/* Lines of the longest legend: of what was published, or else of prices. That of times is short. */
static unsigned head_lines(const struct model_bench *doc)
{
	unsigned whiskers = chart_has_whiskers(doc);
	unsigned prices = 1 + whiskers + sheet_has_floor(doc);

	for (size_t i = 0; i < doc->n_scenarios; i++)
		if (sheet_is_published(&doc->scenarios[i]))
			return 3 + whiskers;
	return prices > MIN_LINES ? prices : MIN_LINES;
}

bool sheet_has_floor(const struct model_bench *doc)
{
	return chart_is_priced(&doc->floor) && scale_has(doc->floor.ns_per_page.median);
}

bool sheet_measure(struct sheet *sheet, unsigned n_lines)
{
	unsigned head = head_lines(sheet->doc);
	size_t n = 0;

	head = head > n_lines ? head : n_lines;
	for (size_t i = 0; sheet_next(sheet, &i);)
		n++;
	sheet->line = head - n_lines;
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

void sheet_name(const struct sheet *sheet, const struct model_scenario *s, double y)
{
	double room = SVG_WIDTH - 2 * SVG_PAD;

	svg_line(sheet->out, "rule", (struct svg_point){0, y}, (struct svg_point){SVG_WIDTH, y});
	if (s->verdict == MODEL_NOISY) {
		svg_label(sheet->out, "warn end", (struct svg_point){SVG_WIDTH - SVG_PAD, y + NAME},
			  "noisy");
		room -= svg_label_width("noisy") + SVG_LINE;
	}
	svg_name(sheet->out, "strong", (struct svg_point){SVG_PAD, y + NAME}, room,
		 model_scenario_label(s).s);
}

void sheet_no_price(const struct sheet *sheet, const struct model_scenario *s, double y)
{
	char text[sizeof(s->reason) + 32];

	chart_no_price(s, text, sizeof(text));
	svg_name(sheet->out, s->verdict == MODEL_INVALID ? "bad" : "warn",
		 (struct svg_point){SVG_PAD, y + SHEET_LANE_1 + 6}, SVG_WIDTH - 2 * SVG_PAD, text);
}
