/* SPDX-License-Identifier: MIT */
/* Charts of rows that visit memory in random order: what is paid by the amount of memory. */
#include "src/report/chart.h"

#include "src/base/array.h"
#include "src/base/html_write.h"
#include "src/base/units.h"
#include "src/report/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEFT = 58, /* of the plot: the labels of the upright axis stand there */
	RIGHT = SVG_WIDTH - 24,
	PLOT_HEIGHT = 220,
	PLOT_TOP = 2 * SVG_LINE + 4, /* below the legend: the upright axis' name */
	BOTTOM = 2 * SVG_LINE + 6,
};

/* The rows with accesses: those of one scenario together, ordered by size. */
struct curve_row {
	const struct model_scenario *s;
	size_t series;
	double size_bytes;
};

struct curves {
	struct curve_row rows[MODEL_MAX_SCENARIOS];
	size_t n_rows, n_series;
};

static int by_series_and_size(const void *a, const void *b)
{
	const struct curve_row *x = a;
	const struct curve_row *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	return (x->size_bytes > y->size_bytes) - (x->size_bytes < y->size_bytes);
}

static size_t series_of(const struct curves *c, const struct model_scenario *s)
{
	for (size_t i = 0; i < c->n_rows; i++)
		if (strcmp(c->rows[i].s->name, s->name) == 0)
			return c->rows[i].series;
	return c->n_series;
}

static void collect(const struct model_bench *doc, struct curves *ret)
{
	ret->n_rows = ret->n_series = 0;
	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct model_scenario *s = &doc->scenarios[i];
		size_t series = series_of(ret, s);

		if (s->n_accesses == 0)
			continue;
		ret->n_series += series == ret->n_series;
		ret->rows[ret->n_rows++] = (struct curve_row){
			.s = s,
			.series = series,
			.size_bytes = (double)s->n_pages * (double)s->page_bytes,
		};
	}
	qsort(ret->rows, ret->n_rows, sizeof(ret->rows[0]), by_series_and_size);
}

/* --- what is drawn by size ---------------------------------------------------------------------- */

/* A figure of a row with its interval; NaN where there is none. */
struct curve_point {
	double value, lo, hi;
};

static struct curve_point access_time(const struct model_scenario *s)
{
	const struct stats_summary *price = &s->ns_per_access;

	if (!chart_is_priced(s))
		return (struct curve_point){NAN, NAN, NAN};
	return (struct curve_point){price->median, price->interval.lo, price->interval.hi};
}

static struct curve_point table_memory(const struct model_scenario *s)
{
	return (struct curve_point){chart_is_priced(s) ? s->page_table_bytes : NAN, NAN, NAN};
}

static struct units_text bytes_text(double bytes)
{
	return units_bytes((uint64_t)bytes);
}

struct curve_chart {
	const char *title, *text, *axis;
	enum scale_base base;
	struct curve_point (*point)(const struct model_scenario *s);
	struct units_text (*label)(double value);
	bool whiskers;
};

static const struct curve_chart charts[] = {
	{
		.title = "Time an access, by size",
		.text = "Memory visited line by line in random order, in each kind of page.",
		.axis = "time an access, log scale",
		.base = SCALE_TENS,
		.point = access_time,
		.label = units_time,
		.whiskers = true,
	},
	{
		.title = "Memory for page tables, by size",
		.text = "What the mapping of that memory takes in page tables.",
		.axis = "page tables, log scale",
		.base = SCALE_TWOS,
		.point = table_memory,
		.label = bytes_text,
	},
};

/* --- axes ----------------------------------------------------------------------------------------- */

struct plot {
	struct scale x, y;
	double top, bottom;
};

static bool make_plot(const struct curve_chart *chart, const struct curves *c, double top,
		      struct plot *ret)
{
	struct scale_range x = SCALE_EMPTY, y = SCALE_EMPTY;

	for (size_t i = 0; i < c->n_rows; i++) {
		struct curve_point p = chart->point(c->rows[i].s);

		if (!scale_has(p.value) || !scale_has(c->rows[i].size_bytes))
			continue;
		scale_include(&x, c->rows[i].size_bytes);
		scale_include(&y, p.value);
		scale_include(&y, p.lo);
		scale_include(&y, p.hi);
	}
	ret->top = top;
	ret->bottom = top + PLOT_HEIGHT;
	return scale_make(SCALE_TWOS, x, (struct scale_place){LEFT, RIGHT, 6}, &ret->x) &&
	       scale_make(chart->base, y, (struct scale_place){ret->bottom, ret->top, 11}, &ret->y);
}

static void draw_axes(const struct curve_chart *chart, const struct plot *plot, FILE *out)
{
	double middle = (LEFT + RIGHT) / 2.0;

	svg_label(out, "dim", (struct svg_point){SVG_PAD, plot->top - 15}, chart->axis);
	for (unsigned i = 0; i < plot->y.n_ticks; i++) {
		double y = scale_at(&plot->y, plot->y.ticks[i]);

		svg_line(out, "grid", (struct svg_point){LEFT, y}, (struct svg_point){RIGHT, y});
		svg_label(out, "dim end", (struct svg_point){LEFT - 6, y + 4},
			  chart->label(plot->y.ticks[i]).s);
	}
	for (unsigned i = 0; i < plot->x.n_ticks; i++) {
		double x = scale_at(&plot->x, plot->x.ticks[i]);

		svg_line(out, "grid", (struct svg_point){x, plot->top},
			 (struct svg_point){x, plot->bottom + 4});
		svg_label(out, "dim mid", (struct svg_point){x, plot->bottom + 18},
			  bytes_text(plot->x.ticks[i]).s);
	}
	svg_label(out, "dim mid", (struct svg_point){middle, plot->bottom + 36},
		  "memory visited, log scale");
}

/* --- curves --------------------------------------------------------------------------------------- */

/* Five colours, four shapes, three kinds of line: sixty curves are told apart, and without colours twelve. */
static const char *style_of(size_t series, char *ret, size_t size)
{
	(void)snprintf(ret, size, "c%zu d%zu", series % 5, series % 3);
	return ret;
}

static struct svg_point place_of(const struct plot *plot, const struct curve_row *row, double value)
{
	return (struct svg_point){scale_at(&plot->x, row->size_bytes), scale_at(&plot->y, value)};
}

static bool is_drawn(const struct curve_row *row, const struct curve_point *p)
{
	return scale_has(p->value) && scale_has(row->size_bytes);
}

static void draw_marks(const struct curve_chart *chart, const struct plot *plot,
		       const struct curve_row *row, FILE *out)
{
	struct curve_point p = chart->point(row->s);
	char style[32];

	if (!is_drawn(row, &p))
		return;
	(void)style_of(row->series, style, sizeof(style));
	if (scale_has(p.lo) && scale_has(p.hi))
		svg_whisker(out, style, place_of(plot, row, p.lo), place_of(plot, row, p.hi));
	svg_mark(out, row->series % SVG_N_SHAPES, style, place_of(plot, row, p.value));
}

/* The line of the series that begins with this row, which has two points at least. */
static void draw_line(const struct curve_chart *chart, const struct plot *plot,
		      const struct curves *c, size_t begin, FILE *out)
{
	char style[32];
	bool any = false;

	(void)style_of(c->rows[begin].series, style, sizeof(style));
	html_printf(out, "<path class=\"curve %s\" d=\"", style);
	for (size_t i = begin; i < c->n_rows && c->rows[i].series == c->rows[begin].series; i++) {
		struct curve_point p = chart->point(c->rows[i].s);
		struct svg_point at = place_of(plot, &c->rows[i], p.value);

		if (!is_drawn(&c->rows[i], &p))
			continue;
		html_printf(out, "%s%.1f %.1f", any ? "L" : "M", at.x, at.y);
		any = true;
	}
	(void)fputs("\"/>\n", out);
}

/* How many rows of that series are drawn, and how many are not. */
static void count_series(const struct curve_chart *chart, const struct curves *c, size_t begin,
			 size_t ret[2])
{
	ret[0] = ret[1] = 0;
	for (size_t i = begin; i < c->n_rows && c->rows[i].series == c->rows[begin].series; i++) {
		struct curve_point p = chart->point(c->rows[i].s);

		ret[is_drawn(&c->rows[i], &p) ? 0 : 1]++;
	}
}

/* "chase_thp (thp), 2 of 10 not drawn": the tables say why; 0 has no place on a log scale. */
static void draw_series_legend(const struct curves *c, size_t begin, const size_t counts[2],
			       FILE *out)
{
	const struct curve_row *row = &c->rows[begin];
	char text[sizeof(row->s->name) + sizeof(row->s->pages) + 96], style[48], kind[24] = "",
										 missing[64] = "";
	struct svg_point at = {SVG_PAD + CHART_ICON / 2.0 - 3,
			       SVG_LINE * ((double)row->series + 0.5)};

	if (counts[1])
		(void)snprintf(missing, sizeof(missing), ", %zu of %zu not drawn", counts[1],
			       counts[0] + counts[1]);
	if (row->s->pages[0])
		(void)snprintf(kind, sizeof(kind), " (%s)", row->s->pages);
	(void)snprintf(text, sizeof(text), "%s%s%s", row->s->name, kind, missing);
	(void)snprintf(style, sizeof(style), "curve c%zu d%zu", row->series % 5, row->series % 3);
	svg_line(out, style, (struct svg_point){at.x - 11, at.y},
		 (struct svg_point){at.x + 11, at.y});
	svg_mark(out, row->series % SVG_N_SHAPES, style + strlen("curve "), at);
	svg_name(out, "dim", (struct svg_point){SVG_PAD + CHART_ICON, at.y + 4},
		 SVG_WIDTH - 2 * SVG_PAD - CHART_ICON, text);
}

static void draw(const struct curve_chart *chart, const struct curves *c,
		 const struct model_bench *doc, FILE *out)
{
	bool whiskers = chart->whiskers && chart_has_whiskers(doc);
	unsigned legend = (unsigned)c->n_series + whiskers;
	double top = SVG_LINE * legend + PLOT_TOP;
	struct plot plot;

	if (!make_plot(chart, c, top, &plot))
		return;
	chart_open(out, plot.bottom + BOTTOM, chart->title, chart->text);
	if (whiskers)
		chart_whisker_legend(doc, out, (unsigned)c->n_series);
	draw_axes(chart, &plot, out);
	for (size_t i = 0; i < c->n_rows; i++) {
		size_t counts[2];

		if (i && c->rows[i].series == c->rows[i - 1].series)
			continue;
		count_series(chart, c, i, counts);
		draw_series_legend(c, i, counts, out);
		if (counts[0] > 1)
			draw_line(chart, &plot, c, i, out);
	}
	for (size_t i = 0; i < c->n_rows; i++)
		draw_marks(chart, &plot, &c->rows[i], out);
	chart_close(out);
}

void chart_accesses(const struct model_bench *doc, FILE *out)
{
	struct curves *c = malloc(sizeof(*c));

	if (!c)
		return; /* the tables have the figures, too */
	collect(doc, c);
	for (size_t i = 0; i < ARRAY_LEN(charts); i++)
		draw(&charts[i], c, doc, out);
	free(c);
}
