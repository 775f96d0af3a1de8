/* SPDX-License-Identifier: MIT */
/* A document of any kind, for commands that take what they are given. */
#ifndef MODEL_DOCUMENT_H
#define MODEL_DOCUMENT_H

#include "src/model/bench.h"
#include "src/model/compare.h"
#include "src/model/trace.h"

#include <stdio.h>

struct why;

/* Exactly one is set. */
struct model_document {
	struct model_bench *bench;
	struct model_trace *trace;
	struct model_compare *compare;
};

/* Reads and checks a document of a kind known here, and derives. name is used in sentences only. */
int model_document_read(FILE *in, const char *name, struct model_document *ret_doc,
			struct why *why);

void model_document_free(struct model_document *doc);

#endif
