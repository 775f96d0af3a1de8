/* SPDX-License-Identifier: MIT */
/* One side of a comparison: the few numbers of each of its documents, which are not kept. */
#ifndef MODEL_SIDE_H
#define MODEL_SIDE_H

#include "src/model/compare.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one document says of a row. */
struct model_point {
	double log_ns;
	double squared_error; /* of log_ns, as its own interval implies; NaN where it has none */
	uint32_t boot;        /* index in model_side.boots */
	char started[24];
};

struct model_side_row {
	struct model_compare_row head; /* names and parameters; no figures */
	struct model_ledger ledger;
	struct model_point *points; /* owned; in the order of their start once the side is whole */
	size_t n_points;
	size_t last_run;    /* the document that the last point is of, counted from 1 */
	size_t n_noisy;     /* documents whose price is noisy; it counts */
	size_t n_unpriced;  /* documents that have no price of this row; */
	char unpriced[160]; /* why the first of them has none */
	char refused[192];  /* why its documents cannot stand for one row; "" */
};

enum { MODEL_MAX_FACT_VALUES = 4 };

/* The values that one fact of the machine has in the documents of a side. */
struct model_side_fact {
	char key[32];
	char values[MODEL_MAX_FACT_VALUES][SYS_FACT_TEXT];
	size_t n_values;
	bool more;          /* than there is room for */
	size_t n_documents; /* that tell it */
};

enum { MODEL_MAX_SIDE_DOCUMENTS = 10000 };

struct model_side {
	char name[256];
	bool by_params; /* what makes a row is its parameters, not its name in an article: a history */
	size_t n_documents;
	size_t n_twice;             /* the same run once more: left out */
	size_t n_two_sided;         /* runs with two sides (--ab): left out */
	char first[24], last[24];   /* when the first and the last of them was started */
	struct sys_machine machine; /* of the first; */
	bool same_machine;          /* and all others are of such a one */
	struct model_side_fact facts[SYS_MAX_FACTS + 1];
	size_t n_facts;
	char (*boots)
		[48]; /* owned: the boots that documents were made in; "" where it is not told */
	size_t n_boots;
	struct model_side_row *rows; /* owned */
	size_t n_rows;
	uint64_t *runs; /* owned: a fingerprint of each document, to know it again */
};

struct model_side *model_side_new(const char *name); /* NULL: no memory */
void model_side_free(struct model_side *side);

/* Takes what is needed of a document. source is its name, for sentences. 0, or -ENOMEM, or -E2BIG where a
 * side holds too much. */
int model_side_add(struct model_side *side, const struct model_bench *doc, const char *source);

/* Whether the side holds that very run. */
bool model_side_holds(const struct model_side *side, const struct model_bench *doc);

/* The row of those names; of that scenario and those parameters where the side is by them. NULL. */
const struct model_side_row *model_side_find(const struct model_side *side,
					     const struct model_compare_row *head);

/* Why two rows are not of one thing: "size: 64 MiB against 128 MiB"; false where they are. */
bool model_side_row_differs(const struct model_side_row *a, const struct model_side_row *b,
			    char *ret, size_t size);

/* The values of a fact in one text: "6.12.41, 6.12.43"; "not told" where no document tells it. */
void model_side_fact_text(const struct model_side *side, const char *key, char *ret, size_t size);

#endif
