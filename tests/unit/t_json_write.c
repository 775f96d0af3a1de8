/* SPDX-License-Identifier: MIT */
/* What the JSON writer writes, jansson reads back: escapes, nesting, odd bytes, odd numbers. */
#include "src/base/json_write.h"
#include "tests/tap.h"

#include <jansson.h>

static struct json_writer w;
static char *text;
static size_t n_text;

static void begin(void)
{
	json_put_start(&w, open_memstream(&text, &n_text));
}

/* Ends the document, checks its text and gives what jansson makes of it. */
static json_t *end(const char *expected, const char *name)
{
	json_error_t error;
	json_t *root;

	json_put_finish(&w);
	(void)fclose(w.out);
	if (expected)
		t_is_str(text, expected, "%s", name);
	root = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
	t_ok(root != NULL, "%s: jansson reads it", name);
	if (!root)
		t_note("%s\n%s", error.text, text);
	free(text);
	return root;
}

static void string_is(const char *in, const char *expected_json, const char *expected_back)
{
	json_t *root;

	begin();
	json_put_string(&w, NULL, in);
	root = end(expected_json, "a string");
	t_is_str(json_string_value(root), expected_back, "and comes back");
	json_decref(root);
}

static void test_strings(void)
{
	string_is("", "\"\"\n", "");
	string_is("plain / text", "\"plain / text\"\n", "plain / text");
	string_is("a\"b\\c", "\"a\\\"b\\\\c\"\n", "a\"b\\c");
	string_is("\n\t\r\b\f\x1b\x01\x1f",
		  "\"\\u000a\\u0009\\u000d\\u0008\\u000c\\u001b\\u0001\\u001f\"\n",
		  "\n\t\r\b\f\x1b\x01\x1f");
	string_is("\x7f\xc2\x80\xc2\x9f", "\"\\u007f\\u0080\\u009f\"\n", "\x7f\xc2\x80\xc2\x9f");
	string_is("na\xc3\xafve \xf0\x9f\x90\xa7", "\"na\xc3\xafve \xf0\x9f\x90\xa7\"\n",
		  "na\xc3\xafve \xf0\x9f\x90\xa7");
	string_is("\xff\xc3(\xed\xa0\x80\xc0\xaf", "\"?\?(?????\"\n", "?\?(?????");
	string_is("cut \xe2\x82", "\"cut ??\"\n", "cut ??");
}

/* Every single byte and every start of a sequence, as value and as key. */
static void test_every_byte(void)
{
	unsigned unread = 0;

	for (unsigned a = 1; a < 256; a++)
		for (unsigned b = 1; b < 256; b += 5) {
			char in[] = {(char)a, (char)b, 0};
			json_t *root;

			begin();
			json_put_object_flat(&w, NULL);
			json_put_string(&w, in, in);
			json_put_end_object(&w);
			json_put_finish(&w);
			(void)fclose(w.out);
			root = json_loads(text, 0, NULL);
			unread += json_object_size(root) != 1;
			json_decref(root);
			free(text);
		}
	t_is_u64(unread, 0, "pairs of bytes, as key and as value, are always JSON");
}

static void number_is(double value, const char *expected)
{
	begin();
	json_put_double(&w, NULL, value);
	json_decref(end(expected, "a number"));
}

static void test_numbers(void)
{
	json_t *root;

	number_is(0, "0\n");
	number_is(0.1, "0.1\n");
	number_is(1.0 / 3, "0.333333333\n");
	number_is(1323.3, "1323.3\n");
	number_is(-2.5e-300, "-2.5e-300\n");
	number_is(1e300, "1e+300\n");
	number_is(NAN, "null\n");
	number_is(-NAN, "null\n");
	number_is(INFINITY, "null\n");
	number_is(-INFINITY, "null\n");
	begin();
	json_put_array_flat(&w, NULL);
	json_put_u64(&w, NULL, 0);
	json_put_u64(&w, NULL, INT64_MAX);
	json_put_i64(&w, NULL, INT64_MIN);
	json_put_i64(&w, NULL, -1);
	json_put_bool(&w, NULL, true);
	json_put_bool(&w, NULL, false);
	json_put_null(&w, NULL);
	json_put_string(&w, NULL, NULL);
	json_put_end_array(&w);
	root = end("[0, 9223372036854775807, -9223372036854775808, -1, true, false, null, null]\n",
		   "whole numbers");
	t_ok(json_integer_value(json_array_get(root, 2)) == INT64_MIN, "the least comes back");
	json_decref(root);
	begin();
	json_put_u64(&w, NULL, UINT64_MAX);
	json_put_finish(&w);
	(void)fclose(w.out);
	t_is_str(text, "18446744073709551615\n", "the largest is not made negative");
	free(text);
}

/* Written, read, and written again: the same nine digits. */
static void test_digits(void)
{
	uint64_t state = 12345;
	unsigned differ = 0;

	for (int i = 0; i < 2000; i++) {
		char first[32], second[40];
		double value;

		state = state * UINT64_C(6364136223846793005) + 1442695040888963407U;
		value = ldexp((double)(state >> 11), (int)(state % 200) - 150);
		(void)snprintf(first, sizeof(first), "%.9g", value);
		begin();
		json_put_double(&w, NULL, strtod(first, NULL));
		json_put_finish(&w);
		(void)fclose(w.out);
		(void)snprintf(second, sizeof(second), "%s\n", first);
		differ += strcmp(text, second) != 0;
		free(text);
	}
	t_is_u64(differ, 0, "2000 numbers keep their text after a round trip");
}

static void test_nesting(void)
{
	json_t *root;

	begin();
	json_put_object(&w, NULL);
	json_put_object(&w, "empty");
	json_put_end_object(&w);
	json_put_array(&w, "none");
	json_put_end_array(&w);
	json_put_array(&w, "list");
	json_put_u64(&w, NULL, 1);
	json_put_object_flat(&w, NULL);
	json_put_u64(&w, "a", 2);
	json_put_array(&w, "b");
	json_put_u64(&w, NULL, 3);
	json_put_u64(&w, NULL, 4);
	json_put_end_array(&w);
	json_put_end_object(&w);
	json_put_end_array(&w);
	json_put_array_flat(&w, "flat \"key\"");
	json_put_null(&w, NULL);
	json_put_end_array(&w);
	json_put_end_object(&w);
	root = end(
		"{\n \"empty\": {},\n \"none\": [],\n \"list\": [\n  1,\n  {\"a\": 2, \"b\": [3, 4]}\n ],\n"
		" \"flat \\\"key\\\"\": [null]\n}\n",
		"nesting, broken and flat");
	t_is_u64(json_object_size(root), 4, "four members");
	json_decref(root);
	begin();
	for (int i = 0; i < JSON_MAX_DEPTH; i++)
		json_put_array_flat(&w, NULL);
	for (int i = 0; i < JSON_MAX_DEPTH; i++)
		json_put_end_array(&w);
	json_decref(end("[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]\n", "as deep as it goes"));
}

int main(void)
{
	test_strings();
	test_every_byte();
	test_numbers();
	test_digits();
	test_nesting();
	return t_done();
}
