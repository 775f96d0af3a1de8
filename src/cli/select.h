/* SPDX-License-Identifier: MIT */
/* Names on bench's command line become rows of the price list. */
#ifndef CLI_SELECT_H
#define CLI_SELECT_H

#include "src/bench/bench.h"
#include "src/model/suite.h"

struct why;

#define SELECT_DEFAULT "quick" /* the suite that runs where no name is given */

enum { SELECT_MAX_REQUESTS = MODEL_MAX_SCENARIOS, SELECT_MAX_SUITES = 16 };

struct selection {
	struct bench_request requests[SELECT_MAX_REQUESTS];
	size_t n_requests;
	struct model_suite *suites[SELECT_MAX_SUITES]; /* owned; requests point into them */
	size_t n_suites;
	const struct model_suite
		*whole; /* the suite that was named as such, if it is the only one */
	size_t n_whole;
};

/*
 * A name is a suite, a scenario, a row of a suite by its article's name, or a glob over scenarios
 * and these rows, tried in this order. Named twice it is run once. -EINVAL with "did you mean".
 */
int select_names(struct selection *selection, int n_names, char **names, struct why *why);
void select_free(struct selection *selection);

#endif
