/* SPDX-License-Identifier: MIT */
/* HTML: a text is a text, in an element and in an attribute, whatever it holds. */
#include "src/base/html_write.h"
#include "tests/tap.h"

#include <limits.h>

static char *text;

static FILE *begin(void)
{
	static size_t n;

	free(text);
	text = NULL;
	return open_memstream(&text, &n);
}

static void text_is(const char *written, const char *expected, const char *what)
{
	FILE *out = begin();

	html_put_text(out, written);
	(void)fclose(out);
	t_is_str(text, expected, "%s", what);
}

static void test_text(void)
{
	text_is("", "", "nothing");
	text_is("plain 100 % text", "plain 100 % text", "plain text is left alone");
	text_is("<script>", "&lt;script&gt;", "no element");
	text_is("\" onload='x'", "&quot; onload=&#39;x&#39;", "no attribute, whichever quotes");
	text_is("&amp;", "&amp;amp;", "an entity is text, too");
	text_is("]]>--><!--", "]]&gt;--&gt;&lt;!--", "no comment and no CDATA");
	text_is("\xc3\xa4 \xe6\xbc\xa2 \xf0\x9f\x98\x80", "\xc3\xa4 \xe6\xbc\xa2 \xf0\x9f\x98\x80",
		"UTF-8 is kept");
	text_is("a\x1b[31m\x07\r\n\t\x7f", "a?[31m?????", "control characters");
	text_is("\xc2\x9b", "?", "control characters of two bytes");
	text_is("\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbf", "???", "direction marks");
	text_is("\xc3", "?", "a sequence cut off");
	text_is("\xe6\xbc<", "??&lt;", "and what follows it is not swallowed");
	text_is("\xc0\xbc\xe0\x80\xbc", "?????", "no '<' in more bytes than it needs");
	text_is("\xed\xa0\x80\xff", "????", "surrogates, and bytes that never occur");
}

static void test_long(void)
{
	static char in[10001], expected[60001];
	FILE *out = begin();

	memset(in, '"', 10000);
	for (size_t i = 0; i < 10000; i++)
		memcpy(expected + 6 * i, "&quot;", 6);
	html_put_text(out, in);
	(void)fclose(out);
	t_is_u64(strlen(text), 60000, "10,000 quotes take their room");
	t_ok(strcmp(text, expected) == 0, "and are all there");
}

static void test_printf(void)
{
	FILE *out = begin();

	html_printf(out, "<a b=\"%s\">%s</a>", "1\"2", "<i>");
	(void)fclose(out);
	t_is_str(text, "<a b=\"1&quot;2\">&lt;i&gt;</a>",
		 "markup comes from the format, text is text");
	out = begin();
	html_printf(out, "%d %u %zu %llu %%", INT_MIN, UINT_MAX, SIZE_MAX, ULLONG_MAX);
	(void)fclose(out);
	t_is_str(text, "-2147483648 4294967295 18446744073709551615 18446744073709551615 %",
		 "whole numbers");
	out = begin();
	html_printf(out, "%.1f|%.3g|%5.2f|%.0f", 1.25, 1e9, 3.14159, 7.0);
	(void)fclose(out);
	t_is_str(text, "1.2|1e+09| 3.14|7", "numbers with width and precision");
	out = begin();
	html_printf(out, "%s%d%s%.0f%s", "a", 1, "b", 2.0, "c");
	(void)fclose(out);
	t_is_str(text, "a1b2c", "arguments are taken in order");
	out = begin();
	html_printf(out, "plain, and %s", "%s %n");
	(void)fclose(out);
	t_is_str(text, "plain, and %s %n", "a text is no format");
}

int main(void)
{
	test_text();
	test_long();
	test_printf();
	free(text);
	return t_done();
}
