/* SPDX-License-Identifier: MIT */
/* The chart of where the time went: on the CPU, waiting for it, asleep. */
#include "src/report/chart.h"

#include "src/base/html_write.h"
#include "src/report/chart_sheet.h"

#include <math.h>

enum part { PART_CPU, PART_USER, PART_SYS, PART_WAITING, PART_ASLEEP, N_PARTS };

static const struct {
	const char *name, *class_name;
} parts[N_PARTS] = {
	[PART_CPU] = {"on CPU", "cpu"},      [PART_USER] = {"user", "user"},
	[PART_SYS] = {"system", "sys"},      [PART_WAITING] = {"waiting for a CPU", "wait"},
	[PART_ASLEEP] = {"asleep", "sleep"},
};

enum { BAR_TOP = 22, BAR_HEIGHT = 18, BAR_WIDTH = SHEET_RIGHT - SHEET_LEFT };

#define LEAST_SHARE 0.005 /* of parts that are told of at all */

/* Shares of the row's time. Where the tick has not told user from system both are one. */
static void shares_of(const struct model_scenario *s, double ret[N_PARTS])
{
	const struct model_times *t = &s->times;
	double on_cpu = (double)t->user_ns + (double)t->sys_ns;
	double all = on_cpu + (double)t->run_delay_ns + (double)t->blocked_ns;

	all = fmax(all, (double)t->wall_ns);
	ret[PART_CPU] = t->split_known ? 0 : on_cpu / all;
	ret[PART_USER] = t->split_known ? (double)t->user_ns / all : 0;
	ret[PART_SYS] = t->split_known ? (double)t->sys_ns / all : 0;
	ret[PART_WAITING] = (double)t->run_delay_ns / all;
	ret[PART_ASLEEP] = (double)t->blocked_ns / all;
}

/* The longest label that fits, so that a part is known by more than its colour. */
static void draw_part_label(FILE *out, enum part part, struct svg_point middle, double width,
			    double share)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%s %.0f %%", parts[part].name, 100 * share);
	if (svg_label_width(text) > width - 4)
		(void)snprintf(text, sizeof(text), "%.0f %%", 100 * share);
	if (svg_label_width(text) > width - 4)
		return;
	html_printf(out, "<text class=\"mid on-%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
		    parts[part].class_name, middle.x, middle.y + 4, text);
}

static void draw_bar(FILE *out, const struct model_scenario *s, double y)
{
	double shares[N_PARTS], x = SHEET_LEFT;

	shares_of(s, shares);
	if (shares[PART_CPU] + shares[PART_USER] + shares[PART_SYS] + shares[PART_WAITING] +
		    shares[PART_ASLEEP] <
	    LEAST_SHARE)
		svg_label(out, "dim over",
			  (struct svg_point){SHEET_LEFT, y + BAR_TOP + BAR_HEIGHT / 2.0 + 4},
			  "not recorded");
	for (enum part part = 0; part < N_PARTS; part++) {
		double width = shares[part] * BAR_WIDTH;
		struct svg_point middle = {x + width / 2, y + BAR_TOP + BAR_HEIGHT / 2.0};

		if (width < 0.05)
			continue;
		html_printf(out,
			    "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\">"
			    "<title>%s %.1f %%</title></rect>\n",
			    parts[part].class_name, x, y + BAR_TOP, width, BAR_HEIGHT,
			    parts[part].name, 100 * shares[part]);
		draw_part_label(out, part, middle, width, shares[part]);
		x += width;
	}
}

/* Rows that are priced by the access wait for nothing: a bar for each size would say so each time. */
static bool is_by_page(const struct model_scenario *s)
{
	return s->n_accesses == 0;
}

static bool has_times(const struct model_scenario *s)
{
	return is_by_page(s) && s->times.wall_ns > 0 && s->verdict != MODEL_INVALID;
}

/* The parts that occur in some row; waiting and sleep are named in any case. */
static unsigned count_parts(const struct model_bench *doc, bool ret_occurs[N_PARTS])
{
	unsigned n = 0;

	for (enum part part = 0; part < N_PARTS; part++)
		ret_occurs[part] = part == PART_WAITING || part == PART_ASLEEP;
	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct model_scenario *s = &doc->scenarios[i];

		if (!has_times(s))
			continue;
		if (s->times.split_known)
			ret_occurs[PART_USER] = ret_occurs[PART_SYS] = true;
		else
			ret_occurs[PART_CPU] = true;
	}
	for (enum part part = 0; part < N_PARTS; part++)
		n += ret_occurs[part];
	return n;
}

static void draw_legend(const struct sheet *sheet, const bool occurs[N_PARTS])
{
	unsigned n = 0;

	for (enum part part = 0; part < N_PARTS; part++) {
		struct svg_point at;

		if (!occurs[part])
			continue;
		at = chart_legend(sheet->out, sheet->line + n / 2, n % 2, parts[part].name);
		html_printf(
			sheet->out,
			"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"12\"/>\n",
			parts[part].class_name, at.x - 9, at.y - 6);
		n++;
	}
}

static void draw_axis(const struct sheet *sheet)
{
	char text[16];

	for (int percent = 0; percent <= 100; percent += 25) {
		(void)snprintf(text, sizeof(text), "%d %%", percent);
		sheet_tick(sheet, SHEET_LEFT + percent * BAR_WIDTH / 100.0, text);
	}
	sheet_axis_name(sheet, SHEET_LEFT + BAR_WIDTH / 2.0, "share of the time");
}

void chart_times(const struct model_bench *doc, FILE *out)
{
	struct sheet sheet = {.doc = doc, .out = out, .belongs = is_by_page};
	const struct model_scenario *s;
	bool occurs[N_PARTS];
	unsigned n_parts = count_parts(doc, occurs);
	double y;

	if (!(occurs[PART_CPU] || occurs[PART_SYS]) || !sheet_measure(&sheet, (n_parts + 1) / 2))
		return;
	sheet_open(
		&sheet, "On the CPU, or asleep",
		"Of all valid rounds together; with less than half a second in all the timer tick "
		"cannot tell user from system.");
	(void)fputs("<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" "
		    "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		    "<rect class=\"hatch-ground\" width=\"5\" height=\"5\"/>"
		    "<rect class=\"hatch-line\" width=\"2\" height=\"5\"/></pattern></defs>\n",
		    out);
	draw_legend(&sheet, occurs);
	draw_axis(&sheet);
	y = sheet.top;
	for (size_t i = 0; (s = sheet_next(&sheet, &i));) {
		sheet_name(&sheet, s, y);
		if (has_times(s))
			draw_bar(out, s, y);
		else
			sheet_no_price(&sheet, s, y);
		y += SHEET_ROW;
	}
	chart_close(out);
}
