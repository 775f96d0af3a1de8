/* SPDX-License-Identifier: MIT */
/* Hostile bytes come out harmless, copies are cut at characters, and near words are found. */
#include "src/base/text.h"
#include "src/base/why.h"
#include "tests/tap.h"

#include <errno.h>

static void is_harmless(const char *in, const char *out, const char *name)
{
	char text[256];

	(void)snprintf(text, sizeof(text), "%s", in);
	text_make_harmless(text);
	t_is_str(text, out, "%s", name);
}

static void test_harmless(void)
{
	is_harmless("", "", "nothing");
	is_harmless("plain ~ text", "plain ~ text", "ASCII stays");
	is_harmless("na\xc3\xafve \xe2\x82\xac \xf0\x9f\x90\xa7",
		    "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x90\xa7", "two, three and four bytes stay");
	is_harmless("\033[31mred\033[0m", "?[31mred?[0m", "escape sequences");
	is_harmless("a\nb\tc\rd\be\ff\x7f", "a?b?c?d?e?f?", "C0 and DEL");
	is_harmless("\xc2\x9b"
		    "31m \xc2\x80 \xc2\x9f",
		    "?31m ? ?", "C1 as UTF-8: CSI of one character");
	is_harmless("\x9b"
		    "31m",
		    "?31m", "C1 as a byte");
	is_harmless("\xc2\xa0", "\xc2\xa0", "U+00A0 is no control");
	is_harmless("\xe2\x80\xae|\xe2\x81\xa6|\xe2\x81\xa9|\xe2\x80\x8e|\xef\xbb\xbf", "?|?|?|?|?",
		    "marks that turn the direction of a line");
	is_harmless("\xe2\x80\xa8\xe2\x80\xa9", "??", "line and paragraph separators");
	is_harmless("\xe2\x80\xaf \xe2\x81\xaa", "\xe2\x80\xaf \xe2\x81\xaa",
		    "their neighbours stay");
}

static void test_malformed(void)
{
	is_harmless("\xc3", "?", "cut off after one of two");
	is_harmless("\xe2\x82", "??", "cut off after two of three");
	is_harmless("\xf0\x9f\x90", "???", "cut off after three of four");
	is_harmless("\xc3(", "?(", "the byte behind a broken start is kept");
	is_harmless("\xe2\x82\033", "???", "... unless it is a control itself");
	is_harmless("\x80\xbf", "??", "continuations without a start");
	is_harmless("\xc0\xaf\xc1\x81", "????", "overlong, two bytes");
	is_harmless("\xe0\x80\xaf\xe0\x9f\xbf", "??????", "overlong, three bytes");
	is_harmless("\xf0\x80\x80\xaf", "????", "overlong, four bytes");
	is_harmless("\xed\xa0\x80\xed\xbf\xbf", "??????", "surrogates");
	is_harmless("\xf4\x90\x80\x80", "????", "beyond U+10FFFF");
	is_harmless("\xf5\x80\x80\x80\xfe\xff", "??????", "bytes that UTF-8 has not");
	is_harmless("\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80",
		    "\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80", "the last before each limit stays");
}

/* Whatever the bytes: no longer than before, and harmless text is left alone. */
static void test_every_byte(void)
{
	unsigned wrong = 0;

	for (unsigned a = 1; a < 256; a++)
		for (unsigned b = 1; b < 256; b++) {
			char text[] = {'<', (char)a, (char)b, '>', 0};
			char again[sizeof(text)];

			text_make_harmless(text);
			memcpy(again, text, sizeof(text));
			text_make_harmless(again);
			wrong += strlen(text) > 4 || strcmp(again, text) != 0 || text[0] != '<';
			for (const char *c = text; *c; c++)
				wrong += (unsigned char)*c < 0x20 || *c == 0x7f;
		}
	t_is_u64(wrong, 0, "all pairs of bytes: harmless, and done once is done");
}

static void test_copy(void)
{
	char text[8];

	t_is_str(text_copy(text, sizeof(text), "short"), "short", "what fits is whole");
	t_is_str(text_copy(text, sizeof(text), "1234567"), "1234567", "what fits just so is whole");
	t_is_str(text_copy(text, sizeof(text), "12345678"), "1234567", "what does not is cut");
	t_is_str(text_copy(text, sizeof(text), "123456\xc3\xa9"), "123456",
		 "before a character, not in it");
	t_is_str(text_copy(text, sizeof(text), "12345\xc3\xa9"), "12345\xc3\xa9",
		 "a character that fits is whole");
	t_is_str(text_copy(text, sizeof(text), "1234\xf0\x9f\x90\xa7"), "1234",
		 "nor in one of four bytes");
	t_is_str(text_copy(text, 1, "x"), "", "room for the end alone");
	t_is_str(text_copy(text, 1, ""), "", "nothing into nothing");
}

static void test_small(void)
{
	char padded[] = " \t two words \n";
	char blank[] = " \t\n";
	char none[] = "";
	uint32_t point = 0;

	t_is_str(text_strip(padded), "two words", "both ends are stripped");
	t_is_str(text_strip(blank), "", "all blank");
	t_is_str(text_strip(none), "", "empty");
	t_is_u64(text_columns("na\xc3\xafve \xf0\x9f\x90\xa7"), 7, "columns count characters");
	t_is_u64(text_sequence("\xe2\x82\xac", &point), 3, "bytes of a sequence");
	t_is_u64(point, 0x20ac, "its code point");
	t_is_u64(text_sequence("\xe2\x82", &point), 0, "no sequence");
}

static void test_nearest(void)
{
	static const char *const words[] = {"anon_write", "anon_thp", "file_cold", "file_warm",
					    NULL};
	static const char *const none[] = {NULL};
	char big[200];

	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	t_is_str(text_nearest("file_cold", words), "file_cold", "the word itself");
	t_is_str(text_nearest("file_cld", words), "file_cold", "a letter missing");
	t_is_str(text_nearest("flie_cold", words), "file_cold", "two letters swapped");
	t_is_str(text_nearest("file_wram", words), "file_warm", "the nearer of two that are alike");
	t_is_str(text_nearest("anon_wirtee", words), "anon_write", "two mistakes");
	t_is_str(text_nearest("thp", words), "anon_thp", "a part of a name");
	t_is_str(text_nearest("anon", words), "anon_write", "the beginning of a name");
	t_is_str(text_nearest("zebra", words), NULL, "nothing near");
	t_is_str(text_nearest("", words), NULL, "nothing given");
	t_is_str(text_nearest(big, words), NULL, "a word too long to compare");
	t_is_str(text_nearest("x", none), NULL, "nothing to choose from");
}

static void test_why(void)
{
	struct why why, other;
	char big[1000];

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	t_is_i64(why_set(&why, -EINVAL, "%s is %d", "it", 3), -EINVAL,
		 "why_set returns its number");
	t_is_str(why.text, "it is 3", "and keeps the sentence");
	t_is_i64(why_set(NULL, -ENOENT, "unheard"), -ENOENT, "without a place to keep it, too");
	t_is_i64(why_errno(NULL, -ENOENT, "unheard"), -ENOENT, "and why_errno");
	t_is_str(why_limit(-ENOENT), "", "no limit gives every error");
	t_is_str(why_limit(-EMFILE), "; raise the limit, ulimit -n", "but this one");
	t_is_i64(why_no_process(&why, -EAGAIN, "it"), -EAGAIN, "no process");
	t_contains(why.text, "cannot start it: ", "is said");
	t_contains(why.text, "; raise the limit on processes: ulimit -u", "with what helps");
	t_is_i64(why_errno(&why, -ENOENT, "cannot open %s", "a\033b"), -ENOENT, "why_errno");
	t_is_str(why.text, "cannot open a?b: No such file or directory",
		 "harmless, with the system's word");
	(void)why_set(&why, -1, "%s", big);
	t_is_u64(strlen(why.text), sizeof(why.text) - 1, "too long a sentence is cut");
	(void)why_errno(&why, -ENOENT, "%s", big);
	t_is_u64(strlen(why.text), sizeof(why.text) - 1, "the same with the system's word");
	t_is_i64(why_copy(&other, -EIO, &why), -EIO, "why_copy returns its number");
	t_is_str(other.text, why.text, "and copies");
	t_is_i64(why_copy(NULL, -EIO, &why), -EIO, "or not");
}

int main(void)
{
	test_harmless();
	test_malformed();
	test_every_byte();
	test_copy();
	test_small();
	test_nearest();
	test_why();
	return t_done();
}
