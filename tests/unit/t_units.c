/* SPDX-License-Identifier: MIT */
/* Sizes, durations and shares: what people write is understood, garbage is not. */
#include "src/base/array.h"
#include "src/base/units.h"
#include "src/base/why.h"
#include "tests/tap.h"

#include <errno.h>
#include <unistd.h>

#define UNTOUCHED UINT64_C(0xdeadbeef)

static const char *const garbage[] = {
	"",     "-5",   "+5",     "0x10", "inf", "nan",      "INFINITY", "1e9", ".",    "1.2.3",
	"12 q", "x",    " 5",     "5,5",  "--",  "1 2",      "\xc2\xb5", "5\n", "5;ls", "%",
	"1m1",  "5 %%", "5parts", "/",    ":",   "\xd9\xa3", "1MM",      "1iB", "1_0",  "\t1",
};

static void test_garbage(void)
{
	for (size_t i = 0; i < ARRAY_LEN(garbage); i++) {
		uint64_t number = UNTOUCHED;
		double share = 7;
		struct why why;
		int bytes = units_parse_bytes(garbage[i], &number, &why);
		int duration = units_parse_duration(garbage[i], &number, &why);
		int u64 = units_parse_u64(garbage[i], &number, &why);
		int part = units_parse_share(garbage[i], &share, &why);

		t_ok(bytes == -EINVAL && duration == -EINVAL && u64 == -EINVAL && part == -EINVAL,
		     "'%s' is nothing: %d %d %d %d", garbage[i], bytes, duration, u64, part);
		t_ok(number == UNTOUCHED && share > 6, "and leaves the result alone");
	}
}

static void bytes_are(const char *text, uint64_t expected)
{
	uint64_t bytes = UNTOUCHED;
	struct why why = {.text = ""};

	(void)units_parse_bytes(text, &bytes, &why);
	t_is_u64(bytes, expected, "'%s' %s", text, why.text);
}

static void test_bytes(void)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), kept = UNTOUCHED;
	struct why why;

	bytes_are("0", 0);
	bytes_are("4096", 4096);
	bytes_are("1b", 1);
	bytes_are("64k", 64 << 10);
	bytes_are("64K", 64 << 10);
	bytes_are("64KiB", 64 << 10);
	bytes_are("64M", 64 << 20);
	bytes_are("64 MiB", 64 << 20);
	bytes_are("64mb", 64 << 20);
	bytes_are("1.5GiB", UINT64_C(3) << 29);
	bytes_are(".5g", 1 << 29);
	bytes_are("1.g", 1 << 30);
	bytes_are("2T", UINT64_C(2) << 40);
	bytes_are("10p", 10 * page);
	bytes_are("10 pages", 10 * page);
	bytes_are("4194303T", UINT64_C(4194303) << 40);
	t_is_i64(units_parse_bytes("4194304T", &kept, &why), -ERANGE, "2^62 is too much");
	t_contains(why.text, "'4194304T'", "and named");
	t_is_i64(units_parse_bytes("99999999999999999999", &kept, &why), -ERANGE, "2^66 as well");
	t_is_i64(units_parse_bytes("99999999999999999999999999999999999999999999T", &kept, &why),
		 -ERANGE, "more digits than any number has");
	t_is_u64(kept, UNTOUCHED, "the result is left alone");
	t_is_i64(units_parse_bytes("6q", &kept, &why), -EINVAL, "no unit");
	t_contains(why.text, "'6q' is not a size; write 64M", "the sentence says how to write one");
	t_is_i64(units_parse_bytes("6\033[2J", &kept, NULL), -EINVAL, "nobody asks why");
}

static void test_huge_text(void)
{
	char text[4000];
	uint64_t kept = UNTOUCHED;
	struct why why;

	memset(text, '9', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	t_is_i64(units_parse_bytes(text, &kept, &why), -ERANGE, "4,000 digits of bytes");
	t_is_i64(units_parse_duration(text, &kept, &why), -ERANGE, "of seconds");
	t_is_i64(units_parse_u64(text, &kept, &why), -ERANGE, "of a whole number");
	text[1] = '.';
	t_is_i64(units_parse_bytes(text, &kept, &why), 0, "4,000 digits behind the point");
	t_ok(kept == 9 || kept == 10, "are less than one");
}

static void ns_are(const char *text, uint64_t expected)
{
	uint64_t ns = UNTOUCHED;
	struct why why = {.text = ""};

	(void)units_parse_duration(text, &ns, &why);
	t_is_u64(ns, expected, "'%s' %s", text, why.text);
}

static void test_duration(void)
{
	uint64_t kept = UNTOUCHED;
	struct why why;

	ns_are("0", 0);
	ns_are("90", UINT64_C(90000000000));
	ns_are("2s", 2000000000);
	ns_are("2 sec", 2000000000);
	ns_are("85ns", 85);
	ns_are("50us", 50000);
	ns_are("10ms", 10000000);
	ns_are("1.5m", UINT64_C(90000000000));
	ns_are("1min", UINT64_C(60000000000));
	ns_are("1h", UINT64_C(3600000000000));
	t_is_i64(units_parse_duration("4611686019", &kept, &why), -ERANGE, "2^62 ns are too long");
	t_contains(why.text, "'4611686019' is longer", "and named");
	t_is_i64(units_parse_duration("5x", &kept, &why), -EINVAL, "no unit");
	t_contains(why.text, "50us", "the sentence says how to write one");
	t_is_u64(kept, UNTOUCHED, "the result is left alone");
}

static void share_is(const char *text, double expected)
{
	double share = NAN;
	struct why why = {.text = ""};

	(void)units_parse_share(text, &share, &why);
	t_is_double(share, expected, 1e-12, "'%s' %s", text, why.text);
}

static void test_share(void)
{
	double kept = 7;
	struct why why;

	share_is("3%", 0.03);
	share_is("3 %", 0.03);
	share_is("0.03", 0.03);
	share_is("100%", 1);
	share_is("1", 1);
	share_is("0", 0);
	t_is_i64(units_parse_share("101%", &kept, &why), -ERANGE, "more than all");
	t_is_i64(units_parse_share("3", &kept, &why), -ERANGE,
		 "3 is no share; perhaps 3%% was meant");
	t_contains(why.text, "more than 100 %; write 2%", "the sentence says how");
	t_is_i64(units_parse_share("3k", &kept, &why), -EINVAL, "no unit");
	t_is_double(kept, 7, 0, "the result is left alone");
}

static void test_u64(void)
{
	uint64_t n = UNTOUCHED;
	struct why why;

	t_ok(units_parse_u64("0", &n, &why) == 0 && n == 0, "0");
	t_ok(units_parse_u64("007", &n, &why) == 0 && n == 7, "007 is not octal");
	t_ok(units_parse_u64("18446744073709551615", &n, &why) == 0 && n == UINT64_MAX, "2^64 - 1");
	t_is_i64(units_parse_u64("18446744073709551616", &n, &why), -ERANGE, "2^64");
	t_is_i64(units_parse_u64("99999999999999999999", &n, &why), -ERANGE, "20 digits");
	t_contains(why.text, "'99999999999999999999' is too large", "the sentence");
	t_is_i64(units_parse_u64("1.5", &n, &why), -EINVAL, "not whole");
	t_is_i64(units_parse_u64("5k", &n, &why), -EINVAL, "a unit");
	t_contains(why.text, "'5k' is not a whole number", "the sentence");
}

static void test_counts_and_shares(void)
{
	t_is_str(units_count(0).s, "0", "no fault");
	t_is_str(units_count(999).s, "999", "three digits");
	t_is_str(units_count(1000).s, "1,000", "four");
	t_is_str(units_count(51337).s, "51,337", "five");
	t_is_str(units_count(123456).s, "123,456", "six");
	t_is_str(units_count(UINT64_MAX).s, "18,446,744,073,709,551,615", "the most");
	t_is_str(units_share(0).s, "0 %", "nothing");
	t_is_str(units_share(0.0004).s, "0.04 %", "two digits where it is small");
	t_is_str(units_share(0.001).s, "0.1 %", "one digit");
	t_is_str(units_share(0.0994).s, "9.9 %", "below ten");
	t_is_str(units_share(0.0996).s, "10 %", "no 10.0");
	t_is_str(units_share(1).s, "100 %", "all");
	t_is_str(units_estimate(NAN).s, "?", "a time that is not known");
	t_is_str(units_estimate(-5).s, "0 ns", "no negative time");
	t_is_str(units_estimate(1500).s, "1.5 us", "a time");
	t_is_str(units_estimate(INFINITY).s, units_duration(UINT64_C(1) << 62).s, "no end");
}

static void test_print(void)
{
	t_is_str(units_count(0).s, "0", "no thousands");
	t_is_str(units_count(999).s, "999", "below a thousand");
	t_is_str(units_count(1000).s, "1,000", "a thousand");
	t_is_str(units_count(11203).s, "11,203", "groups of three");
	t_is_str(units_count(UINT64_MAX).s, "18,446,744,073,709,551,615", "the largest");
	t_is_str(units_bytes(0).s, "0 B", "0");
	t_is_str(units_bytes(1023).s, "1023 B", "below a KiB");
	t_is_str(units_bytes(1024).s, "1 KiB", "a KiB");
	t_is_str(units_bytes(1536).s, "1.5 KiB", "one digit where it does not divide");
	t_is_str(units_bytes(200 << 20).s, "200 MiB", "exact where it does");
	t_is_str(units_bytes(UINT64_C(3) << 40).s, "3 TiB", "TiB");
	t_is_str(units_bytes(UINT64_C(1) << 62).s, "4194304 TiB", "the largest unit goes on");
	t_is_str(units_duration(0).s, "0 ns", "0 ns");
	t_is_str(units_duration(85).s, "85 ns", "ns");
	t_is_str(units_duration(12300).s, "12.3 us", "us");
	t_is_str(units_duration(2000000).s, "2 ms", "ms");
	t_is_str(units_duration(4500000000).s, "4.5 s", "s");
	t_is_str(units_duration(999999).s, "1 ms",
		 "what rounds to a thousand is one of the next unit");
	t_is_str(units_duration(999499).s, "999 us", "what does not is not");
	t_is_str(units_duration(999999999).s, "1 s", "the same below a second");
	t_is_str(units_duration(UINT64_C(3600000000000)).s, "3600 s", "an hour is no power of ten");
	t_is_str(units_time(6.2417).s, "6.24 ns", "a fraction of a ns is shown");
	t_is_str(units_time(0.5).s, "0.5 ns", "below one as well");
	t_is_str(units_time(999.7).s, "1 us", "what rounds to a thousand ns is a us");
	t_is_str(units_time(272270).s, "272 us", "us");
	t_is_str(units_time(1e30).s, "1e+21 s", "an exponent where digits would not end");
	t_is_str(units_time_aligned(6.2).s, "6.20 ns", "three digits, with zeroes");
	t_is_str(units_time_aligned(9996).s, "10.0 us", "three after rounding, too");
	t_is_str(units_time_aligned(0).s, "0.00 ns", "of nothing");
	t_is_str(units_time_aligned(999600).s, "1.00 ms", "the next unit");
	t_is_str(units_time_aligned(3.6e12).s, "3600 s", "as many as it takes");
	t_is_str(units_time_aligned(1e30).s, "1e+21 s", "an exponent where digits would not end");
	t_is_str(units_bytes((1 << 20) - 1).s, "1.0 MiB", "nor are there 1024.0 KiB");
	t_is_str(units_ns(0).s, "0.00", "ns: two digits below ten");
	t_is_str(units_ns(9.5).s, "9.50", "ns below ten");
	t_is_str(units_ns(19.31).s, "19.3", "one below a hundred");
	t_is_str(units_ns(100).s, "100", "none above");
	t_is_str(units_ns(2103.4).s, "2103", "none above");
	t_is_str(units_ns(25507.5e6).s, "25507500000", "never an exponent");
}

int main(void)
{
	test_garbage();
	test_bytes();
	test_huge_text();
	test_duration();
	test_share();
	test_u64();
	test_print();
	test_counts_and_shares();
	return t_done();
}
