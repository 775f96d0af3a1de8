/* SPDX-License-Identifier: MIT */
/* Typed reading of a jansson tree with one error kept: the first. */
#ifndef MODEL_JSON_READ_H
#define MODEL_JSON_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct why;

/*
 * After the first error all getters do nothing, so that a reader can be written without a check
 * behind every line. A missing key, or null, leaves *ret as it was.
 */
struct json_reader {
	const char *name; /* of the document, for sentences */
	struct why *why;
	int r; /* 0, or the first error */
};

/* Parses a whole stream of at most max_bytes. NULL with the sentence in rd. */
json_t *json_read_stream(struct json_reader *rd, FILE *in, size_t max_bytes);
json_t *json_read_text(struct json_reader *rd, const char *text);

/* Keeps "NAME: <sentence>" unless an error is kept already. */
void json_read_fail(struct json_reader *rd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void json_get_u64(struct json_reader *rd, const json_t *object, const char *key, uint64_t *ret);
void json_get_u32(struct json_reader *rd, const json_t *object, const char *key, uint32_t *ret);
void json_get_i64(struct json_reader *rd, const json_t *object, const char *key, int64_t *ret);
void json_get_double(struct json_reader *rd, const json_t *object, const char *key, double *ret);
void json_get_bool(struct json_reader *rd, const json_t *object, const char *key, bool *ret);
/* Cut at size, made harmless: a document is somebody else's text. */
void json_get_text(struct json_reader *rd, const json_t *object, const char *key, char *ret,
		   size_t size);
/* NULL where absent or null. */
const json_t *json_get_object(struct json_reader *rd, const json_t *object, const char *key);
const json_t *json_get_array(struct json_reader *rd, const json_t *object, const char *key);

#endif
