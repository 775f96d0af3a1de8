/* SPDX-License-Identifier: MIT */
/* Typed reading of a jansson tree with one error kept: the first. */
#include "src/model/json_read.h"

#include "src/base/text.h"
#include "src/base/why.h"

#include <errno.h>
#include <stdarg.h>

void json_read_fail(struct json_reader *rd, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (rd->r < 0)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	rd->r = why_set(rd->why, -EBADMSG, "%s: %s", rd->name, text);
}

struct limited_stream {
	FILE *in;
	size_t left;
	bool too_long;
};

static size_t read_limited(void *buffer, size_t size, void *data)
{
	struct limited_stream *s = data;
	size_t n;

	if (size > s->left) {
		s->too_long = s->left == 0;
		size = s->left;
	}
	n = fread(buffer, 1, size, s->in);
	s->left -= n;
	return n;
}

json_t *json_read_stream(struct json_reader *rd, FILE *in, size_t max_bytes)
{
	struct limited_stream stream = {.in = in, .left = max_bytes};
	json_error_t error;
	json_t *root;

	root = json_load_callback(read_limited, &stream, JSON_REJECT_DUPLICATES, &error);
	if (root)
		return root;
	if (ferror(in))
		json_read_fail(rd, "cannot be read");
	else if (stream.too_long)
		json_read_fail(rd, "is larger than %zu MiB", max_bytes >> 20);
	else if (stream.left == max_bytes)
		json_read_fail(rd, "is empty");
	else
		json_read_fail(rd, "is no JSON, or cut off: line %d: %s", error.line, error.text);
	return NULL;
}

json_t *json_read_text(struct json_reader *rd, const char *text)
{
	json_error_t error;
	json_t *root;

	root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		json_read_fail(rd, "line %d: %s", error.line, error.text);
	return root;
}

static const json_t *get(struct json_reader *rd, const json_t *object, const char *key)
{
	const json_t *value = rd->r < 0 ? NULL : json_object_get(object, key);

	return json_is_null(value) ? NULL : value;
}

void json_get_u64(struct json_reader *rd, const json_t *object, const char *key, uint64_t *ret)
{
	const json_t *value = get(rd, object, key);

	if (!value)
		return;
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		json_read_fail(rd, "\"%s\" must be a whole number, not negative", key);
	else
		*ret = (uint64_t)json_integer_value(value);
}

void json_get_u32(struct json_reader *rd, const json_t *object, const char *key, uint32_t *ret)
{
	uint64_t value = *ret;

	json_get_u64(rd, object, key, &value);
	if (value > UINT32_MAX)
		json_read_fail(rd, "\"%s\" is too large", key);
	else
		*ret = (uint32_t)value;
}

void json_get_i64(struct json_reader *rd, const json_t *object, const char *key, int64_t *ret)
{
	const json_t *value = get(rd, object, key);

	if (!value)
		return;
	if (!json_is_integer(value))
		json_read_fail(rd, "\"%s\" must be a whole number", key);
	else
		*ret = json_integer_value(value);
}

void json_get_double(struct json_reader *rd, const json_t *object, const char *key, double *ret)
{
	const json_t *value = get(rd, object, key);

	if (!value)
		return;
	if (!json_is_number(value))
		json_read_fail(rd, "\"%s\" must be a number", key);
	else
		*ret = json_number_value(value);
}

void json_get_bool(struct json_reader *rd, const json_t *object, const char *key, bool *ret)
{
	const json_t *value = get(rd, object, key);

	if (!value)
		return;
	if (!json_is_boolean(value))
		json_read_fail(rd, "\"%s\" must be true or false", key);
	else
		*ret = json_is_true(value);
}

void json_get_text(struct json_reader *rd, const json_t *object, const char *key, char *ret,
		   size_t size)
{
	const json_t *value = get(rd, object, key);

	if (!value)
		return;
	if (!json_is_string(value)) {
		json_read_fail(rd, "\"%s\" must be a text", key);
		return;
	}
	text_copy(ret, size, json_string_value(value));
	text_make_harmless(ret);
}

const json_t *json_get_object(struct json_reader *rd, const json_t *object, const char *key)
{
	const json_t *value = get(rd, object, key);

	if (value && !json_is_object(value)) {
		json_read_fail(rd, "\"%s\" must be an object", key);
		return NULL;
	}
	return value;
}

const json_t *json_get_array(struct json_reader *rd, const json_t *object, const char *key)
{
	const json_t *value = get(rd, object, key);

	if (value && !json_is_array(value)) {
		json_read_fail(rd, "\"%s\" must be an array", key);
		return NULL;
	}
	return value;
}
