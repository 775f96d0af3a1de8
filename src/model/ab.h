/* SPDX-License-Identifier: MIT */
/* What a run with two sides says: for each scenario the ratio of B to A, from pairs of trials. */
#ifndef MODEL_AB_H
#define MODEL_AB_H

#include "src/model/compare.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The comparison of scenario i, which is the A side of one, with its B side; its reason says what keeps it from
 * a verdict. False where i is no A side, or has no B side.
 */
bool model_ab_row(const struct model_bench *doc, size_t i, struct model_compare_row *ret_row);

/* Rows of all pairs, owned by the caller; their number. NULL and 0: the run has none, or no memory. */
struct model_compare_row *model_ab_rows(const struct model_bench *doc, size_t *ret_n);

/* "pages: base (A), thp (B)". */
void model_ab_heading(const struct model_ab *ab, char *ret_text, size_t size);

#endif
