/* SPDX-License-Identifier: MIT */
/* The noise of a run in its document: written and read. */
#ifndef MODEL_NOISE_DOC_H
#define MODEL_NOISE_DOC_H

#include <jansson.h>

struct json_reader;
struct json_writer;
struct model_bench;

/* "noise" and "noise_summary". */
void model_noise_write(struct json_writer *w, const struct model_bench *doc);

/* "noise"; the summary is derived. A document of an older version has none. */
void model_noise_read(struct json_reader *rd, const json_t *root, struct model_bench *doc);

#endif
