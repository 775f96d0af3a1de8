/* SPDX-License-Identifier: MIT */
/* A streaming JSON writer: no tree, bounded memory, any FILE. */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_MAX_DEPTH = 16 };

/*
 * Inside an object every value takes a key; inside an array the key is NULL. Write errors stay
 * in the FILE (ferror). Not shared between threads.
 */
struct json_writer {
	FILE *out;
	unsigned depth;
	bool any[JSON_MAX_DEPTH + 1];
	bool flat[JSON_MAX_DEPTH + 1]; /* this level on one line */
};

void json_put_start(struct json_writer *w, FILE *out);
void json_put_finish(struct json_writer *w); /* ends the document with a newline */

void json_put_object(struct json_writer *w, const char *key);
void json_put_object_flat(struct json_writer *w, const char *key);
void json_put_array(struct json_writer *w, const char *key);
void json_put_array_flat(struct json_writer *w, const char *key);
void json_put_end_object(struct json_writer *w);
void json_put_end_array(struct json_writer *w);

/* NULL writes null. Bytes that are no UTF-8 are replaced by '?', so that any reader takes it. */
void json_put_string(struct json_writer *w, const char *key, const char *value);
void json_put_u64(struct json_writer *w, const char *key, uint64_t value);
void json_put_i64(struct json_writer *w, const char *key, int64_t value);
void json_put_double(struct json_writer *w, const char *key, double value); /* NaN and inf: null */
void json_put_bool(struct json_writer *w, const char *key, bool value);
void json_put_null(struct json_writer *w, const char *key);

#endif
