/* SPDX-License-Identifier: MIT */
/* A streaming JSON writer: no tree, bounded memory, any FILE. */
#include "src/base/json_write.h"

#include "src/base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

static void put_string(FILE *out, const char *s)
{
	uint32_t point;
	size_t n;

	(void)fputc('"', out);
	for (; *s; s += n) {
		n = text_sequence(s, &point);
		if (n == 0) {
			(void)fputc('?', out);
			n = 1;
		} else if (point == '"' || point == '\\') {
			(void)fprintf(out, "\\%c", *s);
		} else if (point < 0x20 || (point >= 0x7f && point < 0xa0)) {
			(void)fprintf(out, "\\u%04x", (unsigned)point);
		} else {
			(void)fwrite(s, 1, n, out);
		}
	}
	(void)fputc('"', out);
}

static void begin_value(struct json_writer *w, const char *key)
{
	if (w->any[w->depth])
		(void)fputs(w->flat[w->depth] ? ", " : ",", w->out);
	if (w->depth && !w->flat[w->depth]) {
		(void)fputc('\n', w->out);
		for (unsigned i = 0; i < w->depth; i++)
			(void)fputc(' ', w->out);
	}
	w->any[w->depth] = true;
	if (key) {
		put_string(w->out, key);
		(void)fputs(": ", w->out);
	}
}

static void open_level(struct json_writer *w, const char *key, char bracket, bool flat)
{
	begin_value(w, key);
	(void)fputc(bracket, w->out);
	assert(w->depth < JSON_MAX_DEPTH);
	flat = flat || w->flat[w->depth];
	w->depth++;
	w->any[w->depth] = false;
	w->flat[w->depth] = flat;
}

static void close_level(struct json_writer *w, char bracket)
{
	bool broken = w->any[w->depth] && !w->flat[w->depth];

	w->depth--;
	if (broken) {
		(void)fputc('\n', w->out);
		for (unsigned i = 0; i < w->depth; i++)
			(void)fputc(' ', w->out);
	}
	(void)fputc(bracket, w->out);
}

void json_put_start(struct json_writer *w, FILE *out)
{
	*w = (struct json_writer){.out = out};
}

void json_put_finish(struct json_writer *w)
{
	assert(w->depth == 0);
	(void)fputc('\n', w->out);
}

void json_put_object(struct json_writer *w, const char *key)
{
	open_level(w, key, '{', false);
}

void json_put_object_flat(struct json_writer *w, const char *key)
{
	open_level(w, key, '{', true);
}

void json_put_array(struct json_writer *w, const char *key)
{
	open_level(w, key, '[', false);
}

void json_put_array_flat(struct json_writer *w, const char *key)
{
	open_level(w, key, '[', true);
}

void json_put_end_object(struct json_writer *w)
{
	close_level(w, '}');
}

void json_put_end_array(struct json_writer *w)
{
	close_level(w, ']');
}

void json_put_string(struct json_writer *w, const char *key, const char *value)
{
	if (!value) {
		json_put_null(w, key);
		return;
	}
	begin_value(w, key);
	put_string(w->out, value);
}

void json_put_u64(struct json_writer *w, const char *key, uint64_t value)
{
	begin_value(w, key);
	(void)fprintf(w->out, "%" PRIu64, value);
}

void json_put_i64(struct json_writer *w, const char *key, int64_t value)
{
	begin_value(w, key);
	(void)fprintf(w->out, "%" PRId64, value);
}

/* Nine digits: more than any measurement here has, and the same text after a round trip. */
void json_put_double(struct json_writer *w, const char *key, double value)
{
	if (!isfinite(value)) {
		json_put_null(w, key);
		return;
	}
	begin_value(w, key);
	(void)fprintf(w->out, "%.9g", value);
}

void json_put_bool(struct json_writer *w, const char *key, bool value)
{
	begin_value(w, key);
	(void)fputs(value ? "true" : "false", w->out);
}

void json_put_null(struct json_writer *w, const char *key)
{
	begin_value(w, key);
	(void)fputs("null", w->out);
}
