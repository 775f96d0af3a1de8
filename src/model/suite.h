/* SPDX-License-Identifier: MIT */
/* Suites: a source's experiment as data (suites/NAME.json), and whether its relations hold here. */
#ifndef MODEL_SUITE_H
#define MODEL_SUITE_H

#include "src/model/bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct why;

struct model_suite_row {
	char article[64], scenario[64]; /* scenario may be a pattern, as for fnmatch(3) */
	uint64_t size_bytes;            /* of this row alone; 0: the suite's */
	struct model_published published;
};

enum { MODEL_MAX_CAUSES = 4, MODEL_MAX_SUITE_ROWS = 64 };

struct model_suite_relation {
	char text[128];
	char figure[32];                   /* name of a row of the figures' table in relation.c */
	char of[64], to[64];               /* article or scenario names; to: "" */
	double lo, hi;                     /* holds inside */
	char causes[MODEL_MAX_CAUSES][32]; /* to look for where it differs, in this order */
	unsigned n_causes;
};

struct model_suite {
	struct model_suite_head head;
	uint64_t size_bytes, n_trials, n_rounds, budget_ns;
	uint64_t page_bytes; /* of the source: its counts a pass are of such pages; 0: any */
	struct model_suite_row rows[MODEL_MAX_SUITE_ROWS];
	unsigned n_rows;
	struct model_suite_relation relations[MODEL_MAX_RELATIONS];
	unsigned n_relations;
};

/* Parses a suite file. On success the caller frees *ret_suite. */
int model_suite_parse(const char *name, const char *text, struct model_suite **ret_suite,
		      struct why *why);

/* Whether figure and causes are names that relation.c knows; else the first that is not. */
bool model_relation_is_known(const struct model_suite_relation *relation, const char **ret_unknown);

/* Fills doc->relations by what was measured. The document is derived before. */
void model_suite_judge(const struct model_suite *suite, struct model_bench *doc);

#endif
