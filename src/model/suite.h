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

enum { MODEL_MAX_SUITE_ROWS = 64 };

struct model_suite {
	struct model_suite_head head;
	uint64_t n_trials, n_rounds, budget_ns;
	struct model_suite_row rows[MODEL_MAX_SUITE_ROWS];
	unsigned n_rows;
	struct model_relation relations[MODEL_MAX_RELATIONS]; /* claims, not judged */
	unsigned n_relations;
};

/* Parses a suite file. On success the caller frees *ret_suite. */
int model_suite_parse(const char *name, const char *text, struct model_suite **ret_suite,
		      struct why *why);

/* Gives the document the suite's head and claims, and judges them. The document is derived before. */
void model_suite_judge(const struct model_suite *suite, struct model_bench *doc);

#endif
