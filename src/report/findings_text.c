/* SPDX-License-Identifier: MIT */
/* Findings for people: what it is, what it costs and who it is; the evidence; what to do, and what that saves. */
#include "src/report/report.h"

#include "src/base/text.h"
#include "src/base/units.h"

#include <math.h>

enum { LINE = 1200 };

static void add_culprit(char *line, const struct model_culprit *culprit)
{
	struct model_frame frame = {.line = culprit->line};
	char place[512] = "";

	text_copy(frame.function, sizeof(frame.function), culprit->function);
	text_copy(frame.file, sizeof(frame.file), culprit->file);
	model_frame_text(&frame, false, place, sizeof(place));
	if (*place)
		text_append(line, LINE, "  %s", place);
	if (culprit->mapping[0])
		text_append(line, LINE, "  %s", culprit->mapping);
}

static void print_saving(const struct model_finding *f, FILE *out, const struct report_style *style)
{
	char line[LINE] = "";

	if (isnan(f->saving_lo_ns))
		return;
	text_append(line, LINE, "%s to %s, predicted", units_estimate(f->saving_lo_ns).s,
		    units_estimate(f->saving_hi_ns).s);
	report_headed(out, style, PAINT_GOOD, "saves", line);
}

static void print_finding(const struct model_finding *f, size_t number, FILE *out,
			  const struct report_style *style)
{
	enum report_paint paint = f->severity == MODEL_SEVERITY_FAILED  ? PAINT_BAD
				  : f->severity == MODEL_SEVERITY_COSTS ? PAINT_WARN
									: PAINT_NONE;
	char head[24], line[LINE] = "";

	(void)snprintf(head, sizeof(head), "%zu", number);
	text_append(line, LINE, "%s", f->id);
	if (!isnan(f->time_ns))
		text_append(line, LINE, "  %s", units_estimate(f->time_ns).s);
	add_culprit(line, &f->culprit);
	text_make_harmless(line);
	report_headed(out, style, paint, head, line);
	report_headed(out, style, PAINT_NONE, "", f->evidence);
	if (f->advice[0])
		report_headed(out, style, PAINT_NONE, "do", f->advice);
	print_saving(f, out, style);
}

/* Counters alone come to one finding at the most, and the verdict has said all of it but the name. */
static void print_names(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	char line[LINE] = "";

	for (size_t i = 0; i < doc->n_findings; i++)
		text_append(line, LINE, "%s%s", i ? ", " : "", doc->findings[i].id);
	if (*line)
		report_headed(out, style, PAINT_NONE, "finding", line);
}

void report_findings(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	if (!doc->bill) {
		print_names(doc, out, style);
		return;
	}
	/* the verdict has said it */
	if (doc->n_findings == 1 && doc->verdict.id == MODEL_FAULTS_NOT_THE_PROBLEM) {
		report_headed(out, style, PAINT_NONE, "do", doc->findings[0].advice);
		return;
	}
	for (size_t i = 0; i < doc->n_findings; i++) {
		(void)fputc('\n', out);
		print_finding(&doc->findings[i], i + 1, out, style);
	}
	if (doc->n_findings)
		report_headed(
			out, style, PAINT_DIM, "more",
			"'pagetoll explain FINDING': how it is told, and when it can be wrong");
}
