/* SPDX-License-Identifier: MIT */
/* What the readers of several kinds of documents share; for src/model alone. */
#ifndef MODEL_DOCUMENT_READ_H
#define MODEL_DOCUMENT_READ_H

#include "src/model/bench.h"
#include "src/model/compare.h"
#include "src/model/document.h"
#include "src/model/json_read.h"

enum { MODEL_MAX_KIND = 32 };

/* Parses a stream, and checks that it is a document of a schema known here. The root, for the caller to
 * drop; or NULL with the sentence in rd. */
json_t *model_document_parse(struct json_reader *rd, FILE *in, char ret_kind[MODEL_MAX_KIND]);

void model_machine_read(struct json_reader *rd, const json_t *root, struct sys_machine *m);

/* An array of objects with id and text, appended. */
void model_warnings_read(struct json_reader *rd, const json_t *root, const char *key,
			 struct model_warning *warnings, unsigned *n);

/* The document behind its head, derived; or NULL with the sentence in rd. */
struct model_bench *model_bench_from_json(struct json_reader *rd, const json_t *root);
struct model_trace *model_trace_from_json(struct json_reader *rd, const json_t *root);
struct model_compare *model_compare_from_json(struct json_reader *rd, const json_t *root);

/* The bill of a trace whose source sees each fault, into doc->bill. */
void model_bill_read(struct json_reader *rd, const json_t *root, struct model_trace *doc);

/* One row of a comparison, judged anew by its interval. */
void model_compare_row_read(struct json_reader *rd, const json_t *object,
			    struct model_compare_row *row);

#endif
