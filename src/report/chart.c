/* SPDX-License-Identifier: MIT */
/* What the charts of the HTML page share: figures, legends, and the words for rows without a price. */
#include "src/report/chart.h"

#include "src/base/html_write.h"
#include "src/base/text.h"
#include "src/report/cell.h"

void chart_open(FILE *out, double height, const char *title, const char *text)
{
	html_printf(out, "<figure>\n<figcaption><h2>%s</h2><p>%s</p></figcaption>\n", title, text);
	svg_open(out, height, title, text);
}

void chart_close(FILE *out)
{
	svg_close(out);
	(void)fputs("</figure>\n", out);
}

bool chart_is_priced(const struct model_scenario *s)
{
	return s->verdict != MODEL_INVALID && model_price(s)->n > 0;
}

void chart_no_price(const struct model_scenario *s, char *ret, size_t size)
{
	if (s->status != MODEL_DONE)
		(void)snprintf(ret, size, "%s: %s", model_status_name(s->status), s->reason);
	else if (s->verdict == MODEL_INVALID)
		text_copy(ret, size, "INVALID: priced nowhere, see the warnings");
	else
		text_copy(ret, size, "no round was run");
}

bool chart_has_whiskers(const struct model_bench *doc)
{
	struct cell_intervals all = cell_intervals(doc, false);

	return all.range || all.interval;
}

static void whisker_text(const struct model_bench *doc, char *ret, size_t size)
{
	struct cell_intervals all = cell_intervals(doc, false);
	const char *up_to = all.least == all.most ? "" : "up to ";

	if (all.range && all.interval)
		(void)snprintf(ret, size, "95 %% interval; range below %zu trials", all.from);
	else if (all.range)
		(void)snprintf(ret, size, "range of %s%zu trials", up_to, all.most);
	else
		(void)snprintf(ret, size, "95 %% interval, %s%zu trials", up_to, all.most);
}

struct svg_point chart_legend(FILE *out, unsigned line, unsigned half, const char *text)
{
	double x = SVG_PAD + half * CHART_HALF, y = SVG_LINE * (line + 0.5);

	svg_label(out, "dim", (struct svg_point){x + CHART_ICON, y + 4}, text);
	return (struct svg_point){x + CHART_ICON / 2.0 - 3, y};
}

void chart_whisker_legend(const struct model_bench *doc, FILE *out, unsigned line)
{
	char text[96];
	struct svg_point at;

	whisker_text(doc, text, sizeof(text));
	at = chart_legend(out, line, 0, text);
	svg_whisker(out, "dim", (struct svg_point){at.x - 8, at.y},
		    (struct svg_point){at.x + 8, at.y});
}
