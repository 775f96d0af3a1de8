/* SPDX-License-Identifier: MIT */
/* The head that all documents have, and which reader takes the rest. */
#include "src/model/document.h"

#include "src/base/why.h"
#include "src/model/document_read.h"

#include <errno.h>
#include <string.h>

enum { MAX_DOCUMENT_BYTES = 256 << 20 };

static void check_head(struct json_reader *rd, const json_t *root, char ret_kind[MODEL_MAX_KIND])
{
	uint64_t schema = 0;

	*ret_kind = 0;
	if (!json_is_object(root))
		json_read_fail(rd, "is no pagetoll document");
	json_get_u64(rd, root, "schema", &schema);
	json_get_text(rd, root, "kind", ret_kind, MODEL_MAX_KIND);
	if (schema > MODEL_SCHEMA)
		json_read_fail(
			rd, "is of schema %llu, this pagetoll reads up to %d; use a newer pagetoll",
			(unsigned long long)schema, MODEL_SCHEMA);
	else if (schema == 0 || !*ret_kind)
		json_read_fail(rd, "is no pagetoll document (no \"schema\" and \"kind\")");
}

json_t *model_document_parse(struct json_reader *rd, FILE *in, char ret_kind[MODEL_MAX_KIND])
{
	json_t *root = json_read_stream(rd, in, MAX_DOCUMENT_BYTES);

	if (!root)
		return NULL;
	check_head(rd, root, ret_kind);
	if (rd->r == 0)
		return root;
	json_decref(root);
	return NULL;
}

int model_document_read(FILE *in, const char *name, struct model_document *ret_doc, struct why *why)
{
	struct json_reader rd = {.name = name, .why = why};
	struct model_document doc = {.bench = NULL};
	char kind[MODEL_MAX_KIND];
	json_t *root;

	root = model_document_parse(&rd, in, kind);
	if (!root)
		return rd.r;
	if (strcmp(kind, "bench") == 0)
		doc.bench = model_bench_from_json(&rd, root);
	else if (strcmp(kind, "trace") == 0)
		doc.trace = model_trace_from_json(&rd, root);
	else if (strcmp(kind, "compare") == 0)
		doc.compare = model_compare_from_json(&rd, root);
	else
		json_read_fail(&rd, "is a document of kind '%s', which this pagetoll does not know",
			       kind);
	json_decref(root);
	if (rd.r < 0)
		return rd.r;
	*ret_doc = doc;
	return 0;
}

void model_document_free(struct model_document *doc)
{
	model_bench_free(doc->bench);
	model_trace_free(doc->trace);
	model_compare_free(doc->compare);
	*doc = (struct model_document){.bench = NULL};
}
