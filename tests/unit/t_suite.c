/* SPDX-License-Identifier: MIT */
/* Suites: the real one parses, bad ones are refused, and relations are judged by what was measured. */
#include "src/base/array.h"
#include "src/base/why.h"
#include "src/model/suite.h"
#include "tests/tap.h"
#include "tests/unit/made_up.h"

#include <errno.h>

static struct model_bench *doc;
static struct model_scenario *a, *b;

/* Two priced rows: "a" (article "row_a") at 100 ns a page and "b" at 200, three trials each. */
static void begin(void)
{
	model_bench_free(doc);
	doc = model_bench_new();
	if (!doc)
		abort();
	(void)made_up_scenario(doc, "a");
	(void)made_up_scenario(doc, "b");
	a = &doc->scenarios[0];
	b = &doc->scenarios[1];
	text_copy(a->article, sizeof(a->article), "row_a");
	made_up_trials(a, 3, 100, 1);
	made_up_trials(b, 3, 200, 2);
}

/* Judges one relation, given as the members behind its text. */
static const struct model_relation *judge(const char *members)
{
	struct model_suite *suite;
	struct why why;
	char text[800];

	(void)snprintf(
		text, sizeof(text),
		"{\"rows\": [{\"article\": \"row_a\", \"scenario\": \"a\"}, {\"scenario\": \"b\"}, "
		"{\"scenario\": \"c\"}, {\"scenario\": \"long\"}], "
		"\"relations\": [{\"text\": \"it is so\", %s}]}",
		members);
	if (model_suite_parse("made_up", text, &suite, &why) < 0) {
		t_note("%s", why.text);
		abort();
	}
	model_bench_derive(doc);
	model_suite_judge(suite, doc);
	free(suite);
	return &doc->relations[0];
}

static void is_judged(const char *members, const char *expected, const char *figure)
{
	const struct model_relation *r = judge(members);

	t_is_str(!r->measured ? "unknown"
		 : r->holds   ? "holds"
			      : "differs",
		 expected, "%s", members);
	t_is_str(r->figure, figure, "its figure");
	t_ok((r->cause[0] != 0) == (strcmp(expected, "differs") == 0),
	     "a cause where it differs, and only there: '%s'", r->cause);
}

static void test_judge(void)
{
	begin();
	is_judged("\"figure\": \"ratio\", \"of\": \"b\", \"to\": \"a\", \"lo\": 1.9, \"hi\": 2.1",
		  "holds", "2.00 [2.00, 2.00]");
	t_is_str(doc->relations[0].text, "it is so", "the text is kept");
	t_is_u64(doc->n_relations, 1, "one relation");
	is_judged("\"figure\": \"ratio\", \"of\": \"b\", \"to\": \"row_a\", \"lo\": 0, \"hi\": 1",
		  "differs", "2.00 [2.00, 2.00]");
	is_judged("\"figure\": \"saving\", \"of\": \"a\", \"to\": \"b\", \"lo\": 0.4, \"hi\": 0.6",
		  "holds", "50.0 % [50.0, 50.0]");
	made_up_trials(made_up_scenario(doc, "long"), 1, 1e6, 0); /* moves a and b */
	is_judged("\"figure\": \"sys_share\", \"of\": \"a\", \"lo\": 0, \"hi\": 1", "unknown",
		  "not measured"); /* too short for the tick */
	is_judged("\"figure\": \"sys_share\", \"of\": \"long\", \"lo\": 0.79, \"hi\": 0.81",
		  "holds", "80 % system");
	is_judged("\"figure\": \"cpu_share\", \"of\": \"a\", \"lo\": 0.89, \"hi\": 0.91", "holds",
		  "90 % on CPU");
	is_judged("\"figure\": \"minor_per_page\", \"of\": \"a\", \"lo\": 1, \"hi\": 1", "holds",
		  "1.0000 minor a page");
	is_judged("\"figure\": \"majors_per_pass\", \"of\": \"a\", \"lo\": 5, \"hi\": 9", "differs",
		  "0 major");
	is_judged("\"figure\": \"pages_per_fault\", \"of\": \"a\", \"lo\": 1, \"hi\": 1", "holds",
		  "1.0 pages a fault");
	is_judged("\"figure\": \"first_round\", \"of\": \"a\", \"lo\": 1, \"hi\": 1", "holds",
		  "1.00 times the later rounds");
}

/* Figures of counts beside the faults: traps, residency, page tables, the PMU. */
static void test_counts(void)
{
	begin();
	is_judged("\"figure\": \"minors_per_pass\", \"of\": \"a\", \"lo\": 999, \"hi\": 1001",
		  "holds", "1000 minor");
	is_judged("\"figure\": \"traps_per_pass\", \"of\": \"a\", \"lo\": 1, \"hi\": 2", "differs",
		  "1000 traps");
	is_judged("\"figure\": \"fault_ratio\", \"of\": \"b\", \"to\": \"a\", \"lo\": 2, \"hi\": 2",
		  "holds", "2.0 by the fault [2.0, 2.0]");
	is_judged("\"figure\": \"cached_before\", \"of\": \"a\", \"lo\": 0, \"hi\": 1", "unknown",
		  "not measured");
	is_judged("\"figure\": \"tlb_misses\", \"of\": \"a\", \"to\": \"b\", \"lo\": 0, \"hi\": 1",
		  "unknown", "not measured");
	sys_machine_add_text(&doc->machine, "pmu", "not counted: no PMU in this VM");
	is_judged("\"figure\": \"tlb_misses\", \"of\": \"a\", \"to\": \"b\", \"lo\": 0, \"hi\": 1",
		  "unknown", "not counted: no PMU in this VM");
	a->n_accesses = b->n_accesses = 500;
	for (size_t i = 0; i < a->n_rounds; i++) {
		a->rounds[i].resident_before = 250;
		a->rounds[i].resident_after = 1000;
		a->rounds[i].page_table_bytes = 1 << 10;
		b->rounds[i].page_table_bytes = 4 << 10;
		a->rounds[i].cycles = 1000;
		a->rounds[i].instructions = 1250;
		a->rounds[i].dtlb_load_misses = 10;
		b->rounds[i].dtlb_load_misses = 500;
	}
	is_judged("\"figure\": \"cached_before\", \"of\": \"a\", \"lo\": 0, \"hi\": 1", "holds",
		  "25 % cached before");
	is_judged("\"figure\": \"cached_after\", \"of\": \"a\", \"lo\": 0, \"hi\": 0.9", "differs",
		  "100 % cached after");
	is_judged(
		"\"figure\": \"page_tables\", \"of\": \"a\", \"to\": \"b\", \"lo\": 0, \"hi\": 0.3",
		"holds", "0.250 of the page tables");
	is_judged(
		"\"figure\": \"tlb_misses\", \"of\": \"a\", \"to\": \"b\", \"lo\": 0, \"hi\": 0.3",
		"holds", "0.020 of the dTLB load misses");
	is_judged("\"figure\": \"ratio\", \"of\": \"b\", \"to\": \"a\", \"lo\": 2, \"hi\": 2",
		  "holds", "2.00 [2.00, 2.00]"); /* by the access, then */
	t_ok(a->ns_per_page.n == 0 && a->ns_per_access.n == 3 && a->ns_per_access.median == 202,
	     "100,000 ns for 500 accesses, and no price a page");
}

/* A count of a pass says nothing where the pass is of another size; a share does. */
static void test_sizes(void)
{
	static const char members[] =
		"\"figure\": \"%s\", \"of\": \"a\", \"lo\": 1, \"hi\": 1000}], %s, \"x\": [{\"a\": 1";
	static const struct {
		const char *figure, *size, *expected;
	} rows[] = {
		{"minors_per_pass", "\"size\": \"8192000\", \"page_bytes\": 8192", "1000 minor"},
		{"minors_per_pass", "\"size\": \"8M\", \"page_bytes\": 8192",
		 "1000 minor, but the source's pass is of another size"},
		{"minors_per_pass", "\"size\": \"8192000\", \"page_bytes\": 4096",
		 "1000 minor, but the source's pass is of another size"},
		{"minors_per_pass", "\"size\": \"8M\"", "1000 minor"},
		{"minor_per_page", "\"size\": \"8M\", \"page_bytes\": 4096", "1.0000 minor a page"},
	};
	char text[300];

	begin();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		(void)snprintf(text, sizeof(text), members, rows[i].figure, rows[i].size);
#pragma GCC diagnostic pop
		is_judged(text, strstr(rows[i].expected, "another") ? "unknown" : "holds",
			  rows[i].expected);
	}
}

static void test_interval(void)
{
	begin();
	made_up_trials(
		b, 1, 220,
		0); /* trial 0 once more: its median is 210, the ratio of that pair 2.1 or so */
	is_judged("\"figure\": \"ratio\", \"of\": \"b\", \"to\": \"a\", \"lo\": 2.05, \"hi\": 3",
		  "unknown", "2.00 [2.00, 2.10], too wide to say");
	is_judged("\"figure\": \"ratio\", \"of\": \"b\", \"to\": \"a\", \"lo\": 0, \"hi\": 2",
		  "holds", "2.00 [2.00, 2.10]");
	is_judged("\"figure\": \"ratio\", \"of\": \"b\", \"to\": \"a\", \"lo\": 2.11, \"hi\": 3",
		  "differs", "2.00 [2.00, 2.10]");
	is_judged("\"figure\": \"ratio\", \"of\": \"b\", \"to\": \"a\", \"lo\": 0, \"hi\": 1.99",
		  "differs", "2.00 [2.00, 2.10]");
	is_judged("\"figure\": \"saving\", \"of\": \"b\", \"to\": \"a\", \"lo\": -2, \"hi\": 0",
		  "holds", "-100.0 % [-110.0, -100.0]");
}

/* An interval far wider than the claim says nothing, wherever its middle is; nor does a single trial. */
static void test_too_little(void)
{
	begin();
	for (size_t i = 0; i < 3; i++) {
		b->rounds[i].elapsed_ns = 80 * MADE_UP_PAGES;
		b->rounds[i + 3].elapsed_ns = 330 * MADE_UP_PAGES;
	}
	is_judged("\"figure\": \"ratio\", \"of\": \"b\", \"to\": \"a\", \"lo\": 1.5, \"hi\": 2.5",
		  "unknown", "2.00 [0.80, 3.24], too wide to say");
	is_judged("\"figure\": \"ratio\", \"of\": \"b\", \"to\": \"a\", \"lo\": 0, \"hi\": 2.5",
		  "holds", "2.00 [0.80, 3.24]");
	begin();
	a->n_rounds = b->n_rounds = 3;
	is_judged("\"figure\": \"ratio\", \"of\": \"b\", \"to\": \"a\", \"lo\": 0, \"hi\": 9",
		  "unknown", "2.00, of one trial, too few to say");
	is_judged("\"figure\": \"minor_per_page\", \"of\": \"a\", \"lo\": 1, \"hi\": 1", "holds",
		  "1.0000 minor a page");
}

/* What drifts for both at once drops out: pairs are made by trial. */
static void test_pairs(void)
{
	begin();
	a->n_rounds = b->n_rounds = 0;
	for (uint32_t t = 0; t < 3; t++) {
		made_up_add(a, made_up_round(t, 0, 100 * (t + 1)));
		made_up_add(b, made_up_round(t, 0, 150 * (t + 1)));
	}
	is_judged("\"figure\": \"ratio\", \"of\": \"b\", \"to\": \"a\", \"lo\": 1.5, \"hi\": 1.5",
		  "holds", "1.50 [1.50, 1.50]");
	b->rounds[1].minor = 0;
	b->rounds[2].minor = 0;
	is_judged("\"figure\": \"ratio\", \"of\": \"b\", \"to\": \"a\", \"lo\": 1.5, \"hi\": 1.5",
		  "unknown", "not measured"); /* a row with an invalid round is no evidence */
	a->rounds[0].minor = 0;
	is_judged("\"figure\": \"ratio\", \"of\": \"b\", \"to\": \"a\", \"lo\": 0, \"hi\": 9",
		  "unknown", "not measured");
}

static void test_unknown(void)
{
	begin();
	is_judged("\"figure\": \"ratio\", \"of\": \"c\", \"to\": \"a\", \"lo\": 0, \"hi\": 9",
		  "unknown", "not measured");
	is_judged("\"figure\": \"ratio\", \"of\": \"a\", \"to\": \"c\", \"lo\": 0, \"hi\": 9",
		  "unknown", "not measured");
	is_judged("\"figure\": \"sys_share\", \"of\": \"c\", \"lo\": 0, \"hi\": 9", "unknown",
		  "not measured");
	b->n_rounds = 0;
	is_judged("\"figure\": \"ratio\", \"of\": \"a\", \"to\": \"b\", \"lo\": 0, \"hi\": 9",
		  "unknown", "not measured");
	is_judged("\"figure\": \"minor_per_page\", \"of\": \"b\", \"lo\": 0, \"hi\": 9", "unknown",
		  "not measured");
	begin();
	for (size_t i = 0; i < a->n_rounds; i++)
		a->rounds[i].minor = 5;
	is_judged("\"figure\": \"minor_per_page\", \"of\": \"a\", \"lo\": 0, \"hi\": 9", "unknown",
		  "not measured");
	begin();
	a->n_rounds = 3;
	is_judged("\"figure\": \"first_round\", \"of\": \"a\", \"lo\": 0, \"hi\": 9", "unknown",
		  "not measured");
	for (size_t i = 0; i < a->n_rounds; i++)
		a->rounds[i].elapsed_ns = 0;
	is_judged("\"figure\": \"cpu_share\", \"of\": \"a\", \"lo\": 0, \"hi\": 9", "unknown",
		  "not measured");
}

/* --- causes: each with its evidence, and without ------------------------------------------------- */

/* Judges a relation that differs since a costs less than it claims, or more, with causes to look for. */
static const char *cause_at(const char *bounds, const char *causes)
{
	char members[256];

	(void)snprintf(
		members, sizeof(members),
		"\"figure\": \"ratio\", \"of\": \"a\", \"to\": \"b\", %s, \"causes\": [\"%s\"]",
		bounds, causes);
	return judge(members)->cause;
}

static const char *cause_of_less(const char *cause)
{
	return cause_at("\"lo\": 8, \"hi\": 9", cause);
}

static const char *cause_of_more(const char *cause)
{
	return cause_at("\"lo\": 0.01, \"hi\": 0.02", cause);
}

/* Each round of a: so many major faults, each one sleep, and as many more sleeps. */
static void read_file(uint64_t majors, uint64_t sleeps)
{
	begin();
	a->ledger = (struct model_ledger){.minor = {0, 2}, .major = {0, 1}, .trap = {0, 2}};
	for (size_t i = 0; i < a->n_rounds; i++) {
		a->rounds[i].major = majors;
		a->rounds[i].nvcsw = sleeps;
		a->rounds[i].blocked_ns = a->rounds[i].elapsed_ns / 2;
	}
}

static void read_ahead(uint64_t bytes)
{
	doc->machine.n_facts = 0;
	sys_machine_add_u64(&doc->machine, "read_ahead_bytes", bytes);
}

static void test_cause_read_ahead(void)
{
	static const char another[] = "readahead is of another size here";

	read_file(4, 4); /* 1000 pages of 8 KiB: 2 MB each */
	t_is_str(cause_of_less("read_ahead"),
		 "readahead is of another size here: one major fault brings 2.0 MiB",
		 "read_ahead: where the window is unknown what one fault brought is told");
	read_ahead(2 << 20);
	t_is_str(
		cause_of_less("read_ahead"),
		"readahead is of another size here (read_ahead_kb 2048): one major fault brings 2.0 MiB",
		"where it is unusual and fits");
	read_ahead(128 << 10);
	t_is_str(cause_of_less("read_ahead"), "cause not found", "not where it is the usual one");
	read_ahead(16 << 20);
	t_is_str(cause_of_less("read_ahead"), "cause not found",
		 "not where it is too large for what one fault brings");
	read_ahead(512 << 10);
	t_is_str(cause_of_less("read_ahead"), "cause not found", "not where it is too small");
	read_file(0, 0);
	read_ahead(2 << 20);
	t_is_str(cause_of_less("read_ahead"), "cause not found",
		 "not where there is no major fault");
	read_file(60, 60);
	t_is_str(cause_of_less("read_ahead"), "cause not found",
		 "nor, where it is unknown, with what the usual window brings");
	read_file(500, 500);
	t_contains(cause_of_less("read_ahead"), another, "but with far less");
}

static void test_cause_async(void)
{
	read_file(1, 10);
	t_is_str(
		cause_of_less("async_read_ahead"),
		"readahead stays ahead of the reader: it sleeps 10 times a pass, but in minor faults, for pages "
		"already under way",
		"async_read_ahead: where the window is unknown");
	read_ahead(128 << 10);
	t_is_str(
		cause_of_less("async_read_ahead"),
		"readahead (read_ahead_kb 128) stays ahead of the reader: it sleeps 10 times a pass, but in minor "
		"faults, for pages already under way",
		"where it sleeps without major faults");
	read_file(1, 2);
	read_ahead(128 << 10);
	t_is_str(cause_of_less("async_read_ahead"), "cause not found",
		 "not where each sleep is a major fault");
	read_file(60, 1000);
	read_ahead(128 << 10);
	t_is_str(cause_of_less("async_read_ahead"), "cause not found",
		 "not where each window has its major fault");
}

static void test_cause_populated(void)
{
	begin();
	t_is_str(cause_of_less("populated_in_call"), "cause not found",
		 "populated_in_call: not where a trap is counted for each page");
	a->ledger = (struct model_ledger){.minor = {1, 1.01}, .major = {0, 0}, .trap = {0, 0.01}};
	for (size_t i = 0; i < a->n_rounds; i++)
		a->rounds[i].trap_user = 2;
	t_is_str(
		cause_of_less("populated_in_call"),
		"the 1000 minor faults that rusage counts are pages filled in inside the call: perf "
		"counts 2 traps",
		"where rusage counts pages and perf no traps");
	for (size_t i = 0; i < a->n_rounds; i++)
		a->rounds[i].trap_user = MODEL_NOT_COUNTED;
	t_is_str(cause_of_less("populated_in_call"), "cause not found",
		 "not where nobody counts traps");
}

static void test_cause_deposited(void)
{
	begin();
	a->huge_page_bytes = 100 * MADE_UP_PAGE_BYTES; /* ten of them */
	for (size_t i = 0; i < a->n_rounds; i++)
		a->rounds[i].page_table_bytes = 10 * MADE_UP_PAGE_BYTES;
	t_is_str(cause_of_more("deposited_tables"), "cause not found",
		 "deposited_tables: not where the pages are no transparent huge pages");
	text_copy(a->pages, sizeof(a->pages), "thp");
	t_contains(cause_of_more("deposited_tables"), "to split it: 80 KiB for 10 of them",
		   "where there is a table for each");
	t_is_str(cause_of_less("deposited_tables"), "cause not found",
		 "not where there is less than claimed");
	for (size_t i = 0; i < a->n_rounds; i++)
		a->rounds[i].page_table_bytes = 9 * MADE_UP_PAGE_BYTES;
	t_is_str(cause_of_more("deposited_tables"), "cause not found", "not where it is fewer");
	for (size_t i = 0; i < a->n_rounds; i++)
		a->rounds[i].page_table_bytes = MODEL_NOT_COUNTED;
	t_is_str(cause_of_more("deposited_tables"), "cause not found", "nor where it is unknown");
}

static void test_cause_large_reads(void)
{
	read_file(4, 8);
	t_is_str(
		cause_of_less("large_reads"),
		"reads are large here: one wait brings 1000 KiB, so it sleeps only 8 times a pass, "
		"50 % of the time",
		"large_reads: where a wait brings much");
	t_is_str(cause_of_more("large_reads"), "cause not found",
		 "not where the price is higher than claimed: they make it lower");
	t_contains(cause_of_more("large_reads_compute"), "reads are large here",
		   "but the share on CPU they make higher");
	t_is_str(cause_of_less("large_reads_compute"), "cause not found", "and not lower");
	read_ahead(1 << 20);
	t_contains(cause_of_less("large_reads"), "here (read_ahead_kb 1024): one wait",
		   "the window is named where it is known");
	for (size_t i = 0; i < a->n_rounds; i++)
		a->rounds[i].blocked_ns = a->rounds[i].elapsed_ns / 50;
	t_is_str(cause_of_less("large_reads"), "cause not found",
		 "not where hardly any time is slept, whatever the window");
	read_file(4, 0);
	read_ahead(1 << 20);
	t_is_str(cause_of_less("large_reads"), "cause not found", "not where nothing sleeps");
	read_file(1, 1);
	t_is_str(cause_of_less("large_reads"), "cause not found", "nor where it sleeps once");
	read_file(60, 60);
	t_is_str(cause_of_less("large_reads"), "cause not found", "nor where a wait brings little");
}

/* Each round of a: so many faults, each bringing its share of the thousand pages. */
static void take_faults(uint64_t n)
{
	a->ledger.minor.lo = a->ledger.trap.lo = 0;
	for (size_t i = 0; i < a->n_rounds; i++) {
		a->rounds[i].minor = a->rounds[i].counted_minor = n;
		a->rounds[i].trap_user = (int64_t)n;
	}
}

static void test_cause_fault_around(void)
{
	begin();
	take_faults(250);
	t_is_str(cause_of_less("fault_around"), "cause not found",
		 "fault_around: not where the setting is not known");
	sys_machine_add_u64(&doc->machine, "fault_around_bytes", 4 * MADE_UP_PAGE_BYTES);
	t_is_str(cause_of_less("fault_around"),
		 "fault_around_bytes is set to 32 KiB here, in pages of 8 KiB",
		 "where one fault maps what is set");
	take_faults(20);
	t_is_str(
		cause_of_less("fault_around"),
		"fault_around_bytes is 32 KiB in pages of 8 KiB, and one fault maps more: the file "
		"lies in large folios",
		"where it maps more than is set");
	take_faults(500);
	t_is_str(cause_of_less("fault_around"), "cause not found", "not where it maps less");
	take_faults(0);
	t_is_str(cause_of_less("fault_around"), "cause not found", "not where there is no fault");
}

/* First rounds of so many ns a page, and the others of a hundred, half of it asleep. */
static void first_rounds(double ns_per_page)
{
	begin();
	for (size_t i = 0; i < a->n_rounds; i++) {
		if (i % 3 == 0)
			a->rounds[i].elapsed_ns = (uint64_t)(ns_per_page * MADE_UP_PAGES);
		a->rounds[i].blocked_ns = a->rounds[i].elapsed_ns / 2;
	}
}

static void test_cause_first_round(void)
{
	first_rounds(100);
	sys_machine_add_text(&doc->machine, "disk", "disk0");
	t_contains(cause_of_more("rounds_alike"),
		   "the first round sleeps 50 us, the later ones 50.5 us (disk0)", "rounds_alike");
	t_is_str(cause_of_more("slow_first"), "cause not found",
		 "slow_first: not where rounds are alike");
	first_rounds(200);
	t_is_str(cause_of_more("rounds_alike"), "cause not found",
		 "rounds_alike: not where the first is slow");
	t_contains(cause_of_more("slow_first"), "the later rounds are the fast ones", "slow_first");
	for (size_t i = 0; i < a->n_rounds; i++)
		a->rounds[i].blocked_ns = 0;
	t_is_str(cause_of_more("slow_first"), "cause not found",
		 "slow_first: not where it is slow without sleeping");
	first_rounds(50);
	t_is_str(cause_of_more("slow_first"), "cause not found",
		 "slow_first: not where the first is fast");
	begin();
	a->n_rounds = 3;
	made_up_trials(a, 2, 100, 0);
	t_is_str(cause_of_more("slow_first"), "cause not found",
		 "slow_first: not where nothing slept");
	t_is_str(cause_of_more("rounds_alike"), "cause not found", "rounds_alike: nor it");
}

static void test_cause_order(void)
{
	const struct model_relation *r;

	first_rounds(130);
	t_contains(cause_at("\"lo\": 0.01, \"hi\": 0.02", "slow_first\", \"rounds_alike"),
		   "later rounds are the fast ones", "the first cause that has evidence");
	t_contains(cause_at("\"lo\": 0.01, \"hi\": 0.02", "rounds_alike\", \"slow_first"),
		   "as long each time", "in the suite's order");
	r = judge("\"figure\": \"ratio\", \"of\": \"a\", \"to\": \"b\", \"lo\": 8, \"hi\": 9");
	t_is_str(r->cause, "cause not found", "none to look for: said so, not made up");
}

/* --- files --------------------------------------------------------------------------------------- */

static char *read_file_text(const char *path)
{
	char *text = NULL;
	size_t n = 0;
	FILE *in = fopen(path, "r");

	if (in && getdelim(&text, &n, 0, in) < 0)
		text[0] = 0;
	if (in)
		(void)fclose(in);
	return text;
}

/* A document in which each row of a suite is priced, with every figure there may be. */
static struct model_bench *all_rows(const struct model_suite *suite)
{
	struct model_bench *full = model_bench_new();

	if (!full)
		abort();
	for (unsigned i = 0; i < suite->n_rows; i++) {
		struct model_scenario *s = made_up_scenario(full, suite->rows[i].scenario);

		text_copy(s->article, sizeof(s->article), suite->rows[i].article);
		if (suite->head.size_bytes && suite->head.page_bytes) {
			s->page_bytes = suite->head.page_bytes;
			s->n_pages = suite->head.size_bytes / suite->head.page_bytes;
		}
		made_up_trials(s, 3, 1e7, 1);
		for (size_t k = 0; k < s->n_rounds; k++) {
			struct model_round *r = &s->rounds[k];

			r->cycles = r->instructions = r->dtlb_load_misses = 100;
			r->minor = r->counted_minor = s->n_pages;
			r->trap_user = r->resident_before = r->resident_after = (int64_t)s->n_pages;
			r->page_table_bytes = 4096;
		}
		s->n_accesses = strncmp(s->name, "chase", 5) == 0 ? 100 : 0;
	}
	model_bench_derive(full);
	return full;
}

/* Every suite that is compiled in: it parses, and all of its relations can be judged. */
static void test_all_suites(void)
{
	static const char *const names[] = {"denominator", "five_configs", "pagesize",
					    "quick",       "throughput",   "two_verdicts"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct model_suite *suite;
		struct model_bench *full;
		unsigned n_measured = 0;
		char path[256], *text;
		struct why why;
		int r;

		(void)snprintf(path, sizeof(path), TEST_SOURCE_ROOT "/suites/%s.json", names[i]);
		text = read_file_text(path);
		r = text ? model_suite_parse(names[i], text, &suite, &why) : -ENOENT;
		free(text);
		t_is_i64(r, 0, "suite %s parses", names[i]);
		if (r < 0)
			continue;
		full = all_rows(suite);
		model_suite_judge(suite, full);
		for (unsigned k = 0; k < full->n_relations; k++) {
			n_measured += full->relations[k].measured;
			if (!full->relations[k].measured)
				t_note("not measured: %s", full->relations[k].text);
		}
		t_is_u64(n_measured, suite->n_relations,
			 "%s: with all rows priced each relation has its figure and its rows",
			 names[i]);
		t_ok(suite->head.title[0] && (suite->n_relations == 0 || suite->head.source[0]),
		     "a title, and a source where there are relations");
		model_bench_free(full);
		free(suite);
	}
}

static void test_five_configs(void)
{
	char *text = read_file_text(TEST_SOURCE_ROOT "/suites/five_configs.json");
	struct model_suite *suite;
	struct why why = {.text = ""};
	int r;

	t_ok(text != NULL, "suites/five_configs.json is there");
	if (!text)
		return;
	r = model_suite_parse("five_configs", text, &suite, &why);
	t_is_i64(r, 0, "and parses: %s", why.text);
	free(text);
	if (r < 0)
		return;
	t_is_str(suite->head.name, "five_configs", "its name");
	t_ok(suite->head.title[0] && suite->head.source[0] && suite->head.machine[0],
	     "title, source and machine");
	t_ok(suite->n_rows == 5 && suite->n_relations == 11, "five rows, eleven relations");
	t_ok(suite->head.size_bytes == 200 << 20 && suite->n_trials == 5 && suite->n_rounds == 5,
	     "size, trials, rounds");
	t_is_u64(suite->budget_ns, UINT64_C(75000000000), "budget");
	t_is_double(suite->rows[0].published.ns_per_page, 1323.3, 1e-9, "a published price");
	t_is_double(suite->rows[2].published.ns_per_fault, NAN, 0, "one that was not published");
	free(suite);
}

#define ROW "{\"rows\": [{\"scenario\": \"a\"}], "
#define RELATION \
	"{\"text\": \"t\", \"figure\": \"minor_per_page\", \"of\": \"a\", \"lo\": 1, \"hi\": 2"

static const struct {
	const char *text, *sentence;
} bad[] = {
	{"", "x: line 1: "},
	{"{", "x: line 1: "},
	{"{\"title\": \"a\", \"title\": \"b\"}", "x: line 1: duplicate object key"},
	{"{\"title\": 5}", "x: \"title\" must be a text"},
	{"{\"size\": 200}", "x: \"size\" must be a text"},
	{"{\"size\": \"large\"}", "x: 'large' is not a size"},
	{"{\"budget\": \"soon\"}", "x: 'soon' is not a duration"},
	{"{\"trials\": -1}", "x: \"trials\" must be a whole number, not negative"},
	{"{\"rounds\": \"5\"}", "x: \"rounds\" must be a whole number, not negative"},
	{"{\"rows\": {}}", "x: \"rows\" must be an array"},
	{"{\"rows\": [{\"article\": \"a\"}]}", "x: row 0 names no \"scenario\""},
	{"{\"rows\": [5]}", "x: row 0 names no \"scenario\""},
	{"{\"rows\": [{\"scenario\": \"a\", \"ns_per_page\": \"5\"}]}",
	 "x: \"ns_per_page\" must be a number"},
	{"{\"relations\": 5}", "x: \"relations\" must be an array"},
	{"{\"relations\": [{\"text\": \"t\", \"figure\": \"ipc\"}]}",
	 "x: relation 't': has no \"lo\" and \"hi\""},
	{"{\"relations\": [{\"text\": \"t\", \"lo\": 1}]}",
	 "x: relation 't': nothing is called ''"},
	{"{\"relations\": [5]}", "x: relation '': nothing is called ''"},
	{ROW "\"relations\": [" RELATION ", \"causes\": \"a\"}]}",
	 "x: \"causes\" must be an array"},
	{ROW "\"relations\": [" RELATION ", \"causes\": [5]}]}",
	 "x: \"causes\" must be at most 4 names"},
	{ROW "\"relations\": [" RELATION ", \"causes\": [\"\", \"\", \"\", \"\", \"\"]}]}",
	 "x: \"causes\" must be at most 4 names"},
	{ROW "\"relations\": [" RELATION ", \"causes\": [\"novel\"]}]}",
	 "x: relation 't': nothing is called 'novel'"},
	{ROW "\"relations\": [" RELATION ", \"to\": \"b\"}]}",
	 "x: relation 't': 'minor_per_page' is about one row: \"of\""},
	{ROW
	 "\"relations\": [{\"text\": \"t\", \"figure\": \"ratio\", \"of\": \"a\", \"lo\": 1, \"hi\": 2}]}",
	 "x: relation 't': 'ratio' is about two rows: \"of\" and \"to\""},
	{ROW
	 "\"relations\": [{\"text\": \"t\", \"figure\": \"ratio\", \"of\": \"a\", \"to\": \"b\", \"lo\": 1, \"hi\": 2}]}",
	 "x: relation 't' is between rows that are not there"},
	{ROW
	 "\"relations\": [{\"text\": \"t\", \"figure\": \"minor_per_page\", \"of\": \"a\", \"lo\": 3, \"hi\": 2}]}",
	 "x: relation 't': has no \"lo\" and \"hi\", or not in this order"},
	{ROW "\"relations\": [{\"text\": \"t\", \"figure\": \"beauty\", \"of\": \"a\", \"lo\": 1, "
	     "\"hi\": 2}]}",
	 "x: relation 't': nothing is called 'beauty'"},
	{"{\"rounds\": 5000}", "x: asks for more trials or rounds than a run makes"},
	{"[]", "x: a suite must be an object"},
};

static void test_bad(void)
{
	struct model_suite *suite = NULL;
	char *text = NULL;
	struct why why;
	size_t n;
	FILE *out;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		int r = model_suite_parse("x", bad[i].text, &suite, &why);

		t_ok(r < 0 && !suite &&
			     strncmp(why.text, bad[i].sentence, strlen(bad[i].sentence)) == 0,
		     "refused: %s: %s", bad[i].text, why.text);
		if (r == 0)
			free(suite);
		suite = NULL;
	}
	for (int k = 0; k < 2; k++) {
		int most = k ? MODEL_MAX_RELATIONS : MODEL_MAX_SUITE_ROWS;

		out = open_memstream(&text, &n);
		(void)fprintf(out, "%s\"%s\": [", k ? ROW : "{", k ? "relations" : "rows");
		for (int i = 0; i <= most; i++)
			(void)fprintf(out, "%s%s", i ? ", " : "",
				      k ? RELATION "}" : "{\"scenario\": \"a\"}");
		(void)fputs("]}", out);
		(void)fclose(out);
		t_ok(model_suite_parse("x", text, &suite, &why) < 0,
		     "one of %d too many is refused", most);
		t_contains(why.text,
			   k ? "x: has more than 32 relations" : "x: has more than 64 rows",
			   "by name");
		free(text);
	}
}

int main(void)
{
	test_judge();
	test_counts();
	test_sizes();
	test_interval();
	test_too_little();
	test_pairs();
	test_unknown();
	test_cause_read_ahead();
	test_cause_async();
	test_cause_populated();
	test_cause_deposited();
	test_cause_large_reads();
	test_cause_fault_around();
	test_cause_first_round();
	test_cause_order();
	test_five_configs();
	test_all_suites();
	test_bad();
	model_bench_free(doc);
	return t_done();
}
