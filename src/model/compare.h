/* SPDX-License-Identifier: MIT */
/* How a price has changed between two sides: the row of a comparison, and the verdict on it. */
#ifndef MODEL_COMPARE_H
#define MODEL_COMPARE_H

#include "src/model/bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_change {
	MODEL_CHANGE_UNKNOWN,
	MODEL_CHANGE_NONE, /* the interval lies inside +- MODEL_CHANGE_SHARE */
	MODEL_CHANGE_FASTER,
	MODEL_CHANGE_SLOWER,
};

/* What is called no change. */
#define MODEL_CHANGE_SHARE 0.03

const char *model_change_name(enum model_change change); /* "cannot tell", "no change", ... */

/* Of the interval of a ratio of times; NaN where there is none. */
enum model_change model_change_judge(double lo, double hi);

struct model_compare_row {
	char scenario[64], article[64];
	uint64_t n_pages, page_bytes, huge_page_bytes, n_accesses;
	uint32_t threads;
	char pages[16], access[16];
	char unit[16];        /* "ns/page" or "ns/access" */
	double a_ns, b_ns;    /* the price on each side; NaN: none */
	size_t n_a, n_b;      /* resampling units: documents, boots, or pairs */
	double ratio, lo, hi; /* of B to A, with its 95 % interval; NaN: none */
	double detectable;    /* the smallest change that is found 4 times in 5, a share; NaN */
	double chance;        /* how probable a difference as large is where there is none; NaN */
	enum model_change verdict;
	size_t n_known;   /* earlier runs that the spread is known from; 0: the compared ones */
	char reason[256]; /* why it cannot tell, or what is to be known beside the verdict; "" */
};

/* Names and parameters of a scenario; all figures are NaN, and the verdict is open. */
void model_compare_row_init(struct model_compare_row *row, const struct model_scenario *s);

/* --- the document --------------------------------------------------------------------------------- */

/* Runs of this machine that the spread between runs is taken from, where the compared ones are too few. */
enum { MODEL_LEAST_RUNS = 3, MODEL_MOST_KNOWN_RUNS = 50 };

struct model_compare_side {
	char name[256];
	size_t n_documents, n_boots; /* boots: 0 where no document tells one */
	char first[24], last[24];    /* when they were started */
};

/* A fact that is not the same on both sides. */
struct model_compare_fact {
	char key[32];
	char a[SYS_FACT_TEXT], b[SYS_FACT_TEXT];
};

/* A row that was left out. */
struct model_compare_left {
	char scenario[64], article[64], reason[256];
};

enum { MODEL_MAX_HISTORY = 60 };

/* A row's price over time: up to MODEL_MAX_HISTORY prices, each the median of neighbours where there are
 * more runs. Belongs to the row of the same index. */
struct model_history {
	size_t n; /* runs with a price */
	double min_ns, median_ns, max_ns;
	double prices[MODEL_MAX_HISTORY];
	size_t n_prices;
};

struct model_compare {
	char tool_version[32], started[32];
	bool of_history; /* A is the earlier runs, B the latest one */
	bool by_boots; /* what is counted is boots, and not documents: both sides are not of one boot */
	struct model_compare_side a, b;
	struct model_compare_fact facts[SYS_MAX_FACTS + 1];
	size_t n_facts;
	struct model_compare_row *rows; /* owned */
	size_t n_rows;
	struct model_history *histories; /* owned; n_rows of them, or NULL */
	struct model_compare_left *left; /* owned */
	size_t n_left;
	struct model_warning warnings[MODEL_MAX_WARNINGS];
	unsigned n_warnings;
};

struct model_compare *model_compare_new(void); /* NULL: no memory */
void model_compare_free(struct model_compare *doc);
int model_compare_add_row(struct model_compare *doc, const struct model_compare_row *row);
int model_compare_leave(struct model_compare *doc, const struct model_compare_left *left);

/* The smallest and the largest of what is detectable, over all rows; false where nothing is. */
bool model_compare_detectable(const struct model_compare_row *rows, size_t n_rows,
			      double *ret_least, double *ret_most);

struct model_side;

struct model_compare_input {
	const struct model_side *a, *b;
	/* Earlier runs of A's machine, and of B's, without those that are compared; NULL: none. */
	const struct model_side *known_a, *known_b;
	const char *pattern; /* rows whose scenario or article matches this glob; NULL: all */
};

/* Whether known runs could make a difference: some row has fewer than MODEL_LEAST_RUNS on a side, or all of
 * one side was measured before the other. */
bool model_compare_wants_known(const struct model_side *a, const struct model_side *b);

/* Fills the document. -EINVAL with a sentence where no row can be compared. */
int model_compare_sides(struct model_compare *doc, const struct model_compare_input *input,
			struct why *why);

/* The history of one side, which is by parameters: each row's latest run against the earlier ones. */
int model_compare_over_time(struct model_compare *doc, const struct model_side *side,
			    const char *pattern, struct why *why);

/* JSON, schema 1. Errors stay in the FILE. */
void model_compare_write(const struct model_compare *doc, FILE *out);

/* A row as an object of an array. */
struct json_writer;
void model_compare_row_write(struct json_writer *w, const struct model_compare_row *row);

#endif
