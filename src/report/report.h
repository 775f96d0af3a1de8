/* SPDX-License-Identifier: MIT */
/* Documents made readable: one file a format. Nothing here measures or decides. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "src/model/bench.h"
#include "src/model/compare.h"
#include "src/model/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What the rows of a bill's tables are sorted by, the largest first. */
enum report_sort {
	REPORT_SORT_TIME,
	REPORT_SORT_COUNT,
	REPORT_SORT_WORST,
	REPORT_SORT_MEAN,
};

struct report_style {
	bool color;
	bool verbose;
	bool brief;   /* the answer alone */
	bool unicode; /* the reader's locale shows UTF-8 */
	size_t width; /* columns of the terminal; 0: unbounded */
	size_t top;   /* rows of a bill's table; 0: ten */
	enum report_sort sort;
};

struct report_format {
	const char *title; /* for lists and help */
	void (*bench)(const struct model_bench *doc, FILE *out, const struct report_style *style);
	/* NULL: this format has no form for it */
	/* of a trace by counters alone */
	void (*trace)(const struct model_trace *doc, FILE *out, const struct report_style *style);
	/* of a trace with a bill */
	void (*bill)(const struct model_trace *doc, FILE *out, const struct report_style *style);
	void (*compare)(const struct model_compare *doc, FILE *out,
			const struct report_style *style);
};

/* Generated from meson.build; the last row has no name. */
struct report_row {
	const char *name;
	const struct report_format *format;
};

extern const struct report_row report_registry[];

const struct report_format *report_find(const char *name);

#define REPORT(name)                                     \
	extern const struct report_format report_##name; \
	const struct report_format report_##name

/* The price table alone; running marks prices that are not final by '~'. */
void report_bench_table(const struct model_bench *doc, FILE *out, const struct report_style *style,
			bool running);

/* Rows priced by the access: working set against page kind, and, once it is final, page tables and TLB
 * misses. Nothing where there are none. */
void report_access_tables(const struct model_bench *doc, FILE *out,
			  const struct report_style *style, bool running);

/* A run with two sides: the ratio of B to A of each scenario. */
void report_ab_text(const struct model_bench *doc, FILE *out, const struct report_style *style);

/* What follows from the prices: fills up to REPORT_MAX_SENTENCES texts and returns how many. */
enum { REPORT_MAX_SENTENCES = 2, REPORT_SENTENCE_BYTES = 512 };
size_t report_bench_sentences(const struct model_bench *doc, char (*ret)[REPORT_SENTENCE_BYTES]);

/* The same sentences, folded. */
void report_bench_conclusions(const struct model_bench *doc, FILE *out, size_t width);

/* One line of figures where noise was seen, and with --verbose wherever it was looked for. */
void report_noise(const struct model_bench *doc, FILE *out, const struct report_style *style);

enum report_paint { PAINT_NONE, PAINT_GOOD, PAINT_WARN, PAINT_BAD, PAINT_DIM };

/* What a command's faults cost it, for people. */
void report_trace_text(const struct model_trace *doc, FILE *out, const struct report_style *style);

/* The same of a trace with a bill. */
void report_bill_text(const struct model_trace *doc, FILE *out, const struct report_style *style);

/* The command of a trace, in one line; or the processes that were attached to. */
void report_trace_command(const struct model_trace *doc, FILE *out,
			  const struct report_style *style);

/* A process's mappings; each: not summed up by name. */
struct model_inspect;
void report_inspect_text(const struct model_inspect *doc, bool each, FILE *out,
			 const struct report_style *style);

/* The findings of a trace, each in some lines. */
void report_findings(const struct model_trace *doc, FILE *out, const struct report_style *style);

/* What the source cannot see. */
void report_trace_limits(const struct model_trace *doc, FILE *out,
			 const struct report_style *style);

/* One line a call site and kind; or, of a bill with each fault, one line a fault. */
void report_bill_csv(const struct model_trace *doc, FILE *out, const struct report_style *style);

/* A paragraph behind a word of up to eight letters, folded, every line of it in the same column. */
void report_headed(FILE *out, const struct report_style *style, enum report_paint paint,
		   const char *head, const char *text);

/* The machine in three lines. */
void report_machine(const struct sys_machine *m, FILE *out, size_t width);

/* Prints text in a colour where the style has colours. */
void report_paint(FILE *out, const struct report_style *style, enum report_paint paint,
		  const char *text);

#endif
