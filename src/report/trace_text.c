/* SPDX-License-Identifier: MIT */
/* What a command's faults cost it, for people: the answer first, then the evidence. */
#include "src/report/report.h"

#include "src/base/array.h"
#include "src/base/option.h"
#include "src/base/text.h"
#include "src/base/units.h"

#include <math.h>
#include <string.h>

enum { LINE = 900 };
enum { BESIDE_COMMAND = 14, LEAST_COMMAND = 20 }; /* columns: its heading and the dots; its own */

/* A line that is made piece by piece. */
struct line {
	char text[LINE];
};

static int64_t figure(const struct model_trace *doc, enum model_figure which)
{
	return doc->evidence.figures[which];
}

static struct units_text bytes_or_unknown(const struct model_trace *doc, enum model_figure which)
{
	struct units_text unknown = {"unknown"};

	return figure(doc, which) < 0 ? unknown : units_bytes((uint64_t)figure(doc, which));
}

static struct units_text count_or_unknown(const struct model_trace *doc, enum model_figure which)
{
	struct units_text unknown = {"unknown"};

	return figure(doc, which) < 0 ? unknown : units_count((uint64_t)figure(doc, which));
}

/* Warnings that stand beside the verdict, however brief the report. */
static const struct {
	const char *id, *head;
} beside_verdict[] = {{"estimate", "ESTIMATE"}, {"estimate-more", "more"}};

static const char *head_beside(const struct model_warning *w)
{
	for (size_t i = 0; i < ARRAY_LEN(beside_verdict); i++)
		if (strcmp(beside_verdict[i].id, w->id) == 0)
			return beside_verdict[i].head;
	return NULL;
}

/* --- the lines ------------------------------------------------------------------------------------ */

static void print_verdict(const struct model_trace *doc, FILE *out,
			  const struct report_style *style)
{
	static const enum report_paint paints[MODEL_N_TRACE_VERDICTS] = {
		[MODEL_CANNOT_TELL] = PAINT_WARN,    [MODEL_FAULTS_NOT_THE_PROBLEM] = PAINT_GOOD,
		[MODEL_PROCESS_START] = PAINT_GOOD,  [MODEL_FIRST_TOUCH] = PAINT_GOOD,
		[MODEL_REPEATED_TOUCH] = PAINT_WARN, [MODEL_COLD_FILE] = PAINT_WARN,
		[MODEL_SHORT_OF_RAM] = PAINT_BAD,    [MODEL_FAULT_BILL] = PAINT_WARN,
	};

	report_headed(out, style, paints[doc->verdict.id], "verdict", doc->verdict.text);
	for (unsigned i = 0; i < doc->n_warnings; i++)
		if (head_beside(&doc->warnings[i]))
			report_headed(out, style, PAINT_WARN, head_beside(&doc->warnings[i]),
				      doc->warnings[i].text);
	if (!style->brief && doc->verdict.advice[0])
		report_headed(out, style, PAINT_NONE, "do", doc->verdict.advice);
}

/* One line of it, whatever it holds. */
void report_trace_command(const struct model_trace *doc, FILE *out,
			  const struct report_style *style)
{
	size_t width = style->width ? style->width : 100;
	size_t limit =
		width > LEAST_COMMAND + BESIDE_COMMAND ? width - BESIDE_COMMAND : LEAST_COMMAND;
	struct line line = {""};
	char cut[sizeof(line.text)];

	limit = limit < sizeof(cut) / 2 ? limit : sizeof(cut) / 2;
	for (size_t i = 0; i < doc->n_command && strlen(line.text) <= limit; i++)
		text_append(line.text, LINE, "%s%s", i ? " " : "", doc->command[i]);
	if (strlen(line.text) > limit) {
		text_copy(cut, limit, line.text);
		line = (struct line){""};
		text_append(line.text, LINE, "%s ...", cut);
	}
	text_make_harmless(line.text);
	report_headed(out, style, PAINT_NONE, "command", line.text);
}

static void print_counts(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	struct line line = {""};

	text_append(line.text, LINE, "%s minor, %s major", units_count(doc->n_minor).s,
		    units_count(doc->n_major).s);
	if (figure(doc, MODEL_OWN_MINOR) >= 0 &&
	    (uint64_t)figure(doc, MODEL_OWN_MINOR) < doc->n_minor)
		text_append(line.text, LINE, "; the first process alone %s minor, %s major",
			    count_or_unknown(doc, MODEL_OWN_MINOR).s,
			    count_or_unknown(doc, MODEL_OWN_MAJOR).s);
	report_headed(out, style, PAINT_NONE, "faults", line.text);
}

static void print_times(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	struct line line = {""};

	text_append(line.text, LINE, "%s wall, %s on the CPU (user %s, system %s); ",
		    units_duration(doc->wall_ns).s, units_duration(doc->user_ns + doc->sys_ns).s,
		    units_duration(doc->user_ns).s, units_duration(doc->sys_ns).s);
	if (doc->signal)
		text_append(line.text, LINE, "killed by signal %d", doc->signal);
	else
		text_append(line.text, LINE, "exit status %d", doc->exit_status);
	report_headed(out, style, PAINT_NONE, "run", line.text);
}

static void add_part(struct line *line, const struct model_trace *doc, enum model_part_id id,
		     const char *what)
{
	const struct model_part *part = &doc->totals.parts[id];

	if (part->count)
		text_append(line->text, LINE, "%s%s %s %s", line->text[0] ? " + " : "",
			    units_count(part->count).s, what, units_estimate(part->time.mid).s);
}

static void print_estimate(const struct model_trace *doc, FILE *out,
			   const struct report_style *style)
{
	const struct model_totals *t = &doc->totals;
	struct line line = {""};

	add_part(&line, doc, MODEL_PART_HUGE, "huge pages");
	add_part(&line, doc, MODEL_PART_MINOR, "minor");
	add_part(&line, doc, MODEL_PART_MAJOR, "major");
	add_part(&line, doc, MODEL_PART_READAHEAD, "pages read ahead");
	text_append(line.text, LINE,
		    isnan(t->time_ns.mid) ? " = unknown, as a price is missing"
					  : " = %s, estimated from prices, not timed",
		    units_estimate(isnan(t->uncapped_ns) ? t->time_ns.mid : t->uncapped_ns).s);
	if (!isnan(t->uncapped_ns))
		text_append(line.text, LINE,
			    "; capped to %s, as the run cannot have spent more in faults",
			    units_estimate(t->time_ns.mid).s);
	report_headed(out, style, PAINT_NONE, "estimate", line.text);
}

static void print_memory(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	struct line line = {""};

	text_append(line.text, LINE, "%s resident at most",
		    bytes_or_unknown(doc, MODEL_MAX_RESIDENT).s);
	if (doc->evidence.n_samples)
		text_append(
			line.text, LINE,
			"; seen in %s sample%s: %s in huge pages, %s in swap, %s of page tables",
			units_count(doc->evidence.n_samples).s,
			doc->evidence.n_samples == 1 ? "" : "s",
			bytes_or_unknown(doc, MODEL_SMAPS_ANON_HUGE).s,
			bytes_or_unknown(doc, MODEL_VM_SWAP).s,
			bytes_or_unknown(doc, MODEL_VM_PTE).s);
	else
		text_append(line.text, LINE, "; too short to be sampled");
	text_append(line.text, LINE, "; %s read from disk",
		    bytes_or_unknown(doc, MODEL_DISK_READ).s);
	report_headed(out, style, PAINT_NONE, "memory", line.text);
}

static void print_shortage(const struct model_trace *doc, FILE *out,
			   const struct report_style *style)
{
	struct line line = {""};

	text_append(line.text, LINE,
		    "swap-ins %s, refaults %s anonymous and %s of files, least available %s",
		    count_or_unknown(doc, MODEL_SWAP_INS).s,
		    count_or_unknown(doc, MODEL_REFAULTS_ANON).s,
		    count_or_unknown(doc, MODEL_REFAULTS_FILE).s,
		    bytes_or_unknown(doc, MODEL_LEAST_AVAILABLE).s);
	text_append(line.text, LINE,
		    " (all of this machine); memory cgroup: limit hit %s times, refaults %s and %s",
		    count_or_unknown(doc, MODEL_GROUP_LIMIT_HITS).s,
		    count_or_unknown(doc, MODEL_GROUP_REFAULTS_ANON).s,
		    count_or_unknown(doc, MODEL_GROUP_REFAULTS_FILE).s);
	report_headed(out, style, PAINT_NONE, "system", line.text);
}

/* Each price with where it is from; the source is named once where it is the same for all. */
static void print_prices(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	const struct model_prices *prices = &doc->prices;
	const char *source = "";
	struct line line = {""};

	for (size_t i = 0; i < MODEL_N_PRICES; i++) {
		const struct model_price *p = &prices->rows[i];

		if (!model_price_is_known(p))
			continue;
		if (*source && strcmp(source, p->source) != 0)
			text_append(line.text, LINE, " (%s)", source);
		source = p->source;
		text_append(line.text, LINE, "%s%s %s a %s", line.text[0] ? ", " : "",
			    model_price_rows[i].scenario, units_estimate(p->ns).s,
			    model_price_rows[i].per_page ? "page" : "fault");
	}
	if (*source)
		text_append(line.text, LINE, " (%s)", source);
	if (prices->reason[0])
		text_append(line.text, LINE, "%s%s", line.text[0] ? "; " : "", prices->reason);
	report_headed(out, style, PAINT_NONE, "prices", line.text[0] ? line.text : "none");
}

static void print_warnings(const struct model_trace *doc, FILE *out,
			   const struct report_style *style)
{
	for (unsigned i = 0; i < doc->n_warnings; i++)
		if (!head_beside(&doc->warnings[i]))
			report_headed(out, style, PAINT_WARN, "warning", doc->warnings[i].text);
}

/* What could not be read, and what counters cannot see at all. */
void report_trace_limits(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	for (size_t g = 0; g < MODEL_N_EVIDENCE_GROUPS; g++)
		if (doc->evidence.reasons[g][0])
			report_headed(out, style, PAINT_DIM, "unknown", doc->evidence.reasons[g]);
	for (unsigned i = 0; i < doc->n_blind_spots; i++)
		report_headed(out, style, PAINT_DIM, "blind", doc->blind_spots[i].text);
}

void report_trace_text(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	static void (*const lines[])(const struct model_trace *, FILE *,
				     const struct report_style *) = {
		report_trace_command, print_times,    print_counts, print_estimate,
		print_memory,         print_shortage, print_prices,
	};

	if (doc->bill) {
		report_bill_text(doc, out, style);
		return;
	}
	print_verdict(doc, out, style);
	if (style->brief)
		return;
	report_findings(doc, out, style);
	(void)fputc('\n', out);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		lines[i](doc, out, style);
	if (style->verbose)
		report_trace_limits(doc, out, style);
	if (style->verbose)
		report_machine(&doc->machine, out, style->width);
	print_warnings(doc, out, style);
}
