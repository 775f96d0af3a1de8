/* SPDX-License-Identifier: MIT */
/* Call chains weighted by fault time, one a line, as flame graphs are made of. */
#include "src/report/report.h"

#include "src/base/text.h"

#include <inttypes.h>
#include <math.h>

/* A semicolon parts frames, and a line is one chain. */
static void put_name(FILE *out, const char *name)
{
	char text[MODEL_MAX_COMMAND_WORD];

	text_make_harmless(text_copy(text, sizeof(text), name));
	for (char *c = text; *c; c++)
		(void)fputc(*c == ';' ? ':' : *c, out);
}

static void put_frame(FILE *out, const struct model_frame *f)
{
	if (f->function[0]) {
		put_name(out, f->function);
	} else if (f->module[0]) {
		put_name(out, model_base_name(f->module));
		(void)fprintf(out, "+0x%" PRIx64, f->module_offset);
	} else {
		(void)fputs("[unknown]", out);
	}
}

static void put_program(FILE *out, const struct model_trace *doc)
{
	bool is_known = doc->n_command && doc->command[0][0];

	put_name(out, is_known ? model_base_name(doc->command[0]) : "[unknown]");
	(void)fputc(';', out);
}

static void put_site(FILE *out, const struct model_trace *doc, const struct model_site_row *site)
{
	put_program(out, doc);
	if (model_site_is_rest(site)) {
		(void)fprintf(out, "[all others] %.0f\n", round(site->cost.time_ns));
		return;
	}
	for (size_t i = site->n_stack; i-- > 0;) {
		put_frame(out, &site->stack[i]);
		(void)fputc(';', out);
	}
	(void)fprintf(out, "[%s", model_fault_kind_names[site->kind]);
	if (site->mapping < doc->bill->n_mappings && doc->bill->mappings[site->mapping].name[0]) {
		(void)fputc(' ', out);
		put_name(out, model_base_name(doc->bill->mappings[site->mapping].name));
	}
	(void)fprintf(out, "] %.0f\n", round(site->cost.time_ns));
}

static void bill(const struct model_trace *doc, FILE *out, const struct report_style *style)
{
	(void)style;
	for (size_t i = 0; i < doc->bill->n_sites; i++)
		if (doc->bill->sites[i].cost.time_ns >= 0.5)
			put_site(out, doc, &doc->bill->sites[i]);
}

REPORT(folded) = {
	.title = "call chains weighted by fault time in ns, for flame graphs",
	.bill = bill,
};
