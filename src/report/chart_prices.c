/* SPDX-License-Identifier: MIT */
/* The charts of prices: a fault beside a page, and what was published beside what was measured. */
#include "src/report/chart.h"

#include "src/base/units.h"
#include "src/report/chart_sheet.h"
#include "src/report/scale.h"

/* --- lanes: a price with its interval and what was published ------------------------------------ */

enum { LANES_RIGHT = SVG_WIDTH - 72 }; /* of the axis: figures stand right of it */

struct lane {
	const struct stats_summary *price;
	double published;
	enum svg_shape shape;
	const char *class_name;
	const char *nothing; /* what is said where there is no price */
};

enum { N_LANES = 2 };

static void lanes_of(const struct model_scenario *s, struct lane ret[N_LANES])
{
	ret[0] = (struct lane){
		&s->ns_per_fault, s->published.ns_per_fault, SVG_DIAMOND, "fault", "no fault taken",
	};
	ret[1] = (struct lane){
		&s->ns_per_page, s->published.ns_per_page, SVG_CIRCLE, "page", "no price",
	};
}

static double lane_at(size_t i, double y)
{
	return y + (i ? SHEET_LANE_2 : SHEET_LANE_1);
}

static void include_lanes(const struct model_scenario *s, struct scale_range *range)
{
	struct lane lanes[N_LANES];

	if (!chart_is_priced(s))
		return;
	lanes_of(s, lanes);
	for (size_t i = 0; i < N_LANES; i++) {
		scale_include(range, lanes[i].price->median);
		scale_include(range, lanes[i].price->interval.lo);
		scale_include(range, lanes[i].price->interval.hi);
		scale_include(range, lanes[i].published);
	}
}

static void draw_interval(FILE *out, const struct scale *x, const struct lane *lane, double y)
{
	const struct stats_interval *in = &lane->price->interval;

	if (in->kind != STATS_INTERVAL_NONE && scale_has(in->lo) && scale_has(in->hi))
		svg_whisker(out, lane->class_name, (struct svg_point){scale_at(x, in->lo), y},
			    (struct svg_point){scale_at(x, in->hi), y});
}

/* value stands at the right end; joined: with a line between published and measured. */
static void draw_lane(FILE *out, const struct scale *x, const struct lane *lane, double y,
		      const char *value, bool joined)
{
	struct svg_point at = {scale_at(x, lane->price->median), y};
	struct svg_point then = {scale_at(x, lane->published), y};
	bool measured = scale_has(lane->price->median), published = scale_has(lane->published);

	svg_line(out, "lane", (struct svg_point){x->from, y}, (struct svg_point){x->to, y});
	if (measured && published && joined)
		svg_line(out, "joint", then, at);
	if (measured)
		draw_interval(out, x, lane, y);
	if (published)
		svg_mark(out, lane->shape, "published", then);
	if (measured)
		svg_mark(out, lane->shape, lane->class_name, at);
	svg_label(out, "end", (struct svg_point){SVG_WIDTH - SVG_PAD, y + 4}, value);
}

static void draw_nothing(FILE *out, const char *text, double y)
{
	svg_label(out, "dim over", (struct svg_point){SHEET_LEFT, y + 4}, text);
}

/* --- what both charts have in common --------------------------------------------------------------- */

static void draw_mark_legend(struct sheet *sheet)
{
	svg_mark(sheet->out, SVG_DIAMOND, "fault",
		 chart_legend(sheet->out, sheet->line, 0, "time a fault"));
	svg_mark(sheet->out, SVG_CIRCLE, "page",
		 chart_legend(sheet->out, sheet->line, 1, "time a page"));
	sheet->line++;
}

static void draw_published_legend(struct sheet *sheet)
{
	struct svg_point at = chart_legend(sheet->out, sheet->line++, 0, "published (hollow)");

	svg_mark(sheet->out, SVG_DIAMOND, "published", (struct svg_point){at.x - 6, at.y});
	svg_mark(sheet->out, SVG_CIRCLE, "published", (struct svg_point){at.x + 6, at.y});
}

static void draw_axis(const struct sheet *sheet, const struct scale *x)
{
	for (unsigned i = 0; i < x->n_ticks; i++)
		sheet_tick(sheet, scale_at(x, x->ticks[i]), units_time(x->ticks[i]).s);
	sheet_axis_name(sheet, (x->from + x->to) / 2, "time, log scale");
}

typedef void draw_lanes(const struct sheet *sheet, const struct scale *x,
			const struct lane lanes[N_LANES], double y);

static void draw_rows(const struct sheet *sheet, const struct scale *x, draw_lanes *draw)
{
	const struct model_scenario *s;
	struct lane lanes[N_LANES];
	double y = sheet->top;

	for (size_t i = 0; (s = sheet_next(sheet, &i));) {
		sheet_name(sheet, s, y);
		lanes_of(s, lanes);
		if (chart_is_priced(s))
			draw(sheet, x, lanes, y);
		else
			sheet_no_price(sheet, s, y);
		y += SHEET_ROW;
	}
}

static bool make_axis(struct scale_range range, struct scale *ret)
{
	struct scale_place place = {SHEET_LEFT, LANES_RIGHT, SCALE_LEAST_TICKS};

	return scale_make(SCALE_TENS, range, place, ret);
}

/* --- a fault beside a page --------------------------------------------------------------------------- */

static bool is_by_page(const struct model_scenario *s)
{
	return s->n_accesses == 0;
}

/* The floor is a line through all rows, named in the legend. */
static void draw_floor(struct sheet *sheet, const struct scale *x)
{
	const struct model_scenario *floor = &sheet->doc->floor;
	char text[sizeof(floor->name) + 64];
	double at = scale_at(x, floor->ns_per_page.median);
	struct svg_point icon = chart_legend(sheet->out, sheet->line++, 0, "floor:");
	double begin = SVG_PAD + CHART_ICON + 38;

	svg_line(sheet->out, "floor", (struct svg_point){at, sheet->top},
		 (struct svg_point){at, sheet->bottom});
	svg_line(sheet->out, "floor", (struct svg_point){icon.x, icon.y - 7},
		 (struct svg_point){icon.x, icon.y + 7});
	(void)snprintf(text, sizeof(text), "%s, %s a page", floor->name,
		       units_time(floor->ns_per_page.median).s);
	svg_name(sheet->out, "dim", (struct svg_point){begin, icon.y + 4},
		 SVG_WIDTH - SVG_PAD - begin, text);
}

static void draw_price_lanes(const struct sheet *sheet, const struct scale *x,
			     const struct lane lanes[N_LANES], double y)
{
	for (size_t i = 0; i < N_LANES; i++) {
		if (lanes[i].price->n == 0)
			draw_nothing(sheet->out, lanes[i].nothing, lane_at(i, y));
		else
			draw_lane(sheet->out, x, &lanes[i], lane_at(i, y),
				  units_time_aligned(lanes[i].price->median).s, false);
	}
}

void chart_prices(const struct model_bench *doc, FILE *out)
{
	struct sheet sheet = {.doc = doc, .out = out, .belongs = is_by_page};
	struct scale_range range = SCALE_EMPTY;
	const struct model_scenario *s;
	bool published = false;
	struct scale x;

	for (size_t i = 0; (s = sheet_next(&sheet, &i));) {
		include_lanes(s, &range);
		published = published || (chart_is_priced(s) && sheet_is_published(s));
	}
	if (sheet_has_floor(doc))
		scale_include(&range, doc->floor.ns_per_page.median);
	if (!sheet_measure(&sheet,
			   1U + published + chart_has_whiskers(doc) + sheet_has_floor(doc)) ||
	    !make_axis(range, &x))
		return;
	sheet_open(&sheet, "Time a fault, time a page",
		   "Two denominators, as one fault may bring many pages.");
	draw_mark_legend(&sheet);
	if (published)
		draw_published_legend(&sheet);
	if (chart_has_whiskers(doc))
		chart_whisker_legend(doc, out, sheet.line++);
	draw_axis(&sheet, &x);
	if (sheet_has_floor(doc))
		draw_floor(&sheet, &x);
	draw_rows(&sheet, &x, draw_price_lanes);
	chart_close(out);
}

/* --- published against measured ------------------------------------------------------------------- */

static void draw_published_lanes(const struct sheet *sheet, const struct scale *x,
				 const struct lane lanes[N_LANES], double y)
{
	char ratio[48];

	for (size_t i = 0; i < N_LANES; i++) {
		double value = lanes[i].price->median / lanes[i].published;

		if (!scale_has(lanes[i].published)) {
			draw_nothing(sheet->out, "not published", lane_at(i, y));
			continue;
		}
		(void)snprintf(ratio, sizeof(ratio), scale_has(value) ? "x %.3g" : "not here",
			       value);
		draw_lane(sheet->out, x, &lanes[i], lane_at(i, y), ratio, true);
	}
}

void chart_published(const struct model_bench *doc, FILE *out)
{
	struct sheet sheet = {.doc = doc, .out = out, .belongs = sheet_is_published};
	struct scale_range range = SCALE_EMPTY;
	const struct model_scenario *s;
	struct svg_point at;
	struct scale x;

	for (size_t i = 0; (s = sheet_next(&sheet, &i));)
		include_lanes(s, &range);
	if (!sheet_measure(&sheet, 3U + chart_has_whiskers(doc)) || !make_axis(range, &x))
		return;
	sheet_open(&sheet, "Published against measured",
		   "At the right, what was measured here as a multiple of what was published.");
	draw_mark_legend(&sheet);
	draw_published_legend(&sheet);
	at = chart_legend(out, sheet.line++, 0, "from published to measured");
	svg_line(out, "joint", (struct svg_point){at.x - 9, at.y},
		 (struct svg_point){at.x + 9, at.y});
	if (chart_has_whiskers(doc))
		chart_whisker_legend(doc, out, sheet.line++);
	draw_axis(&sheet, &x);
	draw_rows(&sheet, &x, draw_published_lanes);
	chart_close(out);
}
