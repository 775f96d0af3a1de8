/* SPDX-License-Identifier: MIT */
/* Claims as JSON, in suites and in documents, and whether they can be judged. */
#ifndef MODEL_RELATION_H
#define MODEL_RELATION_H

#include "src/model/bench.h"
#include "src/model/json_read.h"

struct json_writer;

/* Reads the members of a claim from object; what is missing is "" or NaN. */
void model_claim_read(struct json_reader *rd, const json_t *object, struct model_claim *ret);
void model_claim_write(struct json_writer *w, const struct model_claim *claim);

/* Whether all its names are known, its bounds in order, and as many rows named as the figure takes; else
 * a sentence. */
bool model_claim_is_sound(const struct model_claim *claim, struct why *why);

#endif
