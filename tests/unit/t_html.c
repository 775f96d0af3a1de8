/* SPDX-License-Identifier: MIT */
/* The HTML page: whole, in order, nothing left out and nothing made up; texts stay texts. */
#include "src/report/report.h"
#include "src/report/style.h"
#include "tests/tap.h"
#include "tests/unit/made_up.h"

#include <ctype.h>

static struct model_bench *doc;
static char *page;

static void begin(void)
{
	free(page);
	model_bench_free(doc);
	page = NULL;
	doc = model_bench_new();
	if (!doc)
		abort();
}

static void report(void)
{
	struct report_style style = {.width = 0};
	size_t n;
	FILE *out = open_memstream(&page, &n);

	model_bench_derive(doc);
	report_find("html")->bench(doc, out, &style);
	(void)fclose(out);
}

static size_t count(const char *needle)
{
	size_t n = 0;

	for (const char *at = page; (at = strstr(at, needle)); at += strlen(needle))
		n++;
	return n;
}

/* --- the page is well-formed ---------------------------------------------------------------------- */

enum { MAX_DEPTH = 32, MAX_TAG = 32 };

/* Reads a quoted attribute value; NULL where it is not quoted, or holds a '<'. */
static const char *skip_value(const char *at)
{
	if (*at != '"')
		return NULL;
	at += 1 + strcspn(at + 1, "\"<");
	return *at == '"' ? at + 1 : NULL;
}

/* Reads a tag behind its name, up to '>'. NULL where its attributes are no attributes. */
static const char *skip_attributes(const char *at, bool *ret_closed)
{
	*ret_closed = false;
	while (at && *at != '>') {
		if (strncmp(at, "/>", 2) == 0) {
			*ret_closed = true;
			return at + 2;
		}
		if (*at++ != ' ')
			return NULL;
		at += strcspn(at, "= <>\"'");
		at = *at == '=' ? skip_value(at + 1) : NULL;
	}
	return at ? at + 1 : NULL;
}

/* Whether every element is closed by its own end, in order; NULL, or where it is not so. */
static const char *first_flaw(const char *at)
{
	char open[MAX_DEPTH][MAX_TAG];
	size_t depth = 0;

	for (at += strlen("<!DOCTYPE html>"); (at = strchr(at, '<'));) {
		const char *begin = at;
		bool end = at[1] == '/', closed = false;
		size_t n;

		at += end ? 2 : 1;
		n = strspn(at, "abcdefghijklmnopqrstuvwxyz123456");
		if (n == 0 || n >= MAX_TAG || depth == MAX_DEPTH - 1)
			return begin;
		if (end) {
			if (depth == 0 || strncmp(open[depth - 1], at, n) != 0 ||
			    open[depth - 1][n] || at[n] != '>')
				return begin;
			depth--;
			at += n;
			continue;
		}
		(void)snprintf(open[depth], MAX_TAG, "%.*s", (int)n, at);
		at = skip_attributes(at + n, &closed);
		if (!at)
			return begin;
		if (!closed && strcmp(open[depth], "meta") != 0)
			depth++;
	}
	return depth ? "an element is never closed" : NULL;
}

static void is_sound(const char *what)
{
	const char *flaw = first_flaw(page);
	const char *body = strstr(page, "<body>");

	if (!t_ok(!flaw, "%s: every element has its end", what))
		t_note("%.200s", flaw);
	t_ok(body && !strstr(body, "nan") && !strstr(body, "inf\"") && !strstr(body, "inf "),
	     "%s: no number is none", what);
	t_is_u64(count("<style>"), 1, "%s: one style", what);
	t_is_u64(count("<svg "), count("role=\"img\""), "%s: every chart is an image", what);
	t_is_u64(count("<desc>"), count("<svg "), "%s: with words for it", what);
}

/* --- documents ------------------------------------------------------------------------------------- */

static struct model_scenario *add_chase(const char *name, uint64_t n_pages, double ns)
{
	struct model_scenario *s = made_up_scenario(doc, name);

	s->n_pages = n_pages;
	s->n_accesses = 2 * n_pages;
	s->ledger = (struct model_ledger){.minor = {0, 0}};
	text_copy(s->pages, sizeof(s->pages), "base");
	for (uint32_t t = 0; t < 3; t++) {
		struct model_round *r = made_up_add(s, made_up_round(t, 0, 1));

		*r = (struct model_round){
			.trial = t,
			.elapsed_ns = (uint64_t)(ns * (double)s->n_accesses) + t,
			.page_table_bytes = (int64_t)(8 * n_pages),
			.cycles = MODEL_NOT_COUNTED,
			.instructions = MODEL_NOT_COUNTED,
			.dtlb_load_misses = MODEL_NOT_COUNTED,
			.resident_before = MODEL_NOT_COUNTED,
			.resident_after = MODEL_NOT_COUNTED,
		};
	}
	return s;
}

static void add_floor(void)
{
	text_copy(doc->floor.name, sizeof(doc->floor.name), "memset_mapped");
	doc->floor.n_pages = MADE_UP_PAGES;
	doc->floor.page_bytes = MADE_UP_PAGE_BYTES;
	doc->floor.ledger.minor.hi = doc->floor.ledger.trap.hi = 1;
	made_up_trials(&doc->floor, 3, 50, 0);
}

/* Whether b comes behind a in the page. */
static bool in_order(const char *a, const char *b)
{
	const char *at = strstr(page, a);

	return at && strstr(at, b);
}

static void test_whole(void)
{
	struct model_scenario *s;

	begin();
	text_copy(doc->suite.name, sizeof(doc->suite.name), "a_suite");
	text_copy(doc->suite.title, sizeof(doc->suite.title), "its title");
	text_copy(doc->started, sizeof(doc->started), "2001-02-03T04:05:06Z");
	text_copy(doc->tool_version, sizeof(doc->tool_version), "7.8.9");
	sys_machine_add_text(&doc->machine, "cpu", "Example CPU");
	add_floor();
	s = made_up_scenario(doc, "anon_write");
	s->published.ns_per_page = 900;
	made_up_trials(s, 3, 1000, 10);
	made_up_trials(made_up_scenario(doc, "anon_prefaulted"), 3, 100, 0);
	(void)add_chase("chase_base", 1000, 5);
	doc->n_relations = 1;
	doc->relations[0] = (struct model_relation){
		.text = "a claim", .measured = true, .figure = "1", .cause = "why"};
	model_warn(doc->warnings, &doc->n_warnings, "id", "a warning");
	report();
	is_sound("a whole page");
	t_ok(in_order("a_suite: its title", "2001-02-03T04:05:06Z by pagetoll 7.8.9"), "head");
	t_ok(in_order("pagetoll 7.8.9", "A first write costs 1010 ns"), "then the answer");
	t_ok(in_order("A first write", "<h2>Time a fault, time a page"), "then the prices");
	t_ok(in_order("Time a fault", "<h2>On the CPU"), "then where the time went");
	t_ok(in_order("On the CPU", "<h2>Published against"), "then what was published");
	t_ok(in_order("Published against", "<h2>Time an access"), "then accesses");
	t_ok(in_order("Time an access", "<h2>Memory for page tables"), "and page tables");
	t_ok(in_order("Memory for page tables", "<h2>Prices"), "then the tables: prices");
	t_ok(in_order("<h2>Prices", "<h2>Claims"), "relations");
	t_ok(in_order("<h2>Claims", "<h2>Warnings"), "warnings");
	t_ok(in_order("<h2>Warnings", "<h2>The machine"), "machine");
	t_ok(in_order("<h2>The machine", "<h2>The options"), "options");
	t_is_u64(count("<h2>Rows that did not run"), 0,
		 "no table of rows that did not run: all did");
	t_contains(page, "class=\"floor\"", "the floor is a line");
	t_contains(page, "memset_mapped, 50 ns a page", "with its name");
	t_contains(page, "range of 3 trials", "whiskers are called what they are");
	t_contains(page,
		   "differs</td><td class=\"text\">a claim</td><td class=\"text\">1"
		   "<span class=\"cause\">why",
		   "a claim that differs has its cause");
	t_contains(page, report_style_hash, "the policy names the style");
	t_contains(page, "default-src 'none'", "and allows nothing else");
	t_is_u64(count("<script"), 0, "no script");
	t_is_u64(count("http://") + count("https://") + count("url(") - count("url(#hatch)"), 0,
		 "nothing from elsewhere");
}

static void test_not_priced(void)
{
	struct model_scenario *s;

	begin();
	s = made_up_scenario(doc, "skipped_row");
	s->status = MODEL_SKIPPED;
	text_copy(s->reason, sizeof(s->reason), "needs a thing");
	s = made_up_scenario(doc, "failed_row");
	s->status = MODEL_FAILED;
	text_copy(s->reason, sizeof(s->reason), "broke");
	s = made_up_scenario(doc, "liar");
	made_up_trials(s, 3, 777777, 0);
	s->rounds[0].minor = 0; /* the other rounds have a price, which must not be shown */
	(void)made_up_scenario(doc, "never_run");
	made_up_trials(made_up_scenario(doc, "good_row"), 7, 1000, 10);
	report();
	is_sound("rows without a price");
	t_is_u64(count("class=\"page\""), 2, "one mark a page: of the legend and of the good row");
	t_is_u64(count(">skipped: needs a thing</text>"), 2,
		 "skipped rows are named in both charts");
	t_is_u64(count(">failed: broke</text>"), 2, "failed ones as well");
	t_is_u64(count(">INVALID: priced nowhere"), 2, "and the INVALID one");
	t_is_u64(count(">no round was run</text>"), 2, "and the one that was not begun");
	t_is_u64(count("<h2>Rows that did not run"), 1, "rows that did not run have a table");
	t_contains(page, "95 % interval, 7 trials", "an interval is called one");
	t_is_u64(count("778 us"), 0, "a liar has no figure in a chart");
	t_contains(page, "With a price: 1 of 5 rows, 1 INVALID, 3 not run.", "they are counted");
	begin();
	s = made_up_scenario(doc, "skipped_row");
	s->status = MODEL_SKIPPED;
	report();
	is_sound("nothing priced at all");
	t_is_u64(count("<svg"), 0, "without any price there is no chart");
}

static void test_columns(void)
{
	begin();
	made_up_trials(made_up_scenario(doc, "plain"), 1, 1000, 0);
	sys_machine_add_text(&doc->machine, "pmu", "not counted: no PMU in this VM");
	report();
	is_sound("a single trial");
	t_is_u64(count("class=\"whisker"), 0, "one trial has no interval, and no whisker");
	t_is_u64(count("not counted: no PMU in this VM"), 1, "no PMU: said once");
	t_is_u64(count("cycles/page"), 0, "instead of an empty column");
	t_is_u64(count("ns/access"), 0, "nor is there one of accesses");
	t_is_u64(count("page tables"), 0, "or of page tables");
	t_is_u64(count("cached pages"), 0, "or of cached pages");
	t_contains(page, "<td class=\"num\">1.0</td>", "pages a fault");
	t_is_u64(count("traps/page"), 0, "traps that are the faults need no column");
	t_contains(page, "7.6 GiB/s", "throughput, from the page size of the document");
	t_contains(page, ">on CPU 90 %</text>", "short runs: user and system are one");
	begin();
	made_up_add(made_up_scenario(doc, "timeless"), made_up_round(0, 0, 1000));
	doc->scenarios[0].rounds[0].user_ns = doc->scenarios[0].rounds[0].sys_ns = 0;
	report();
	t_contains(page, ">not recorded</text>", "a row without times says so");
	begin();
	made_up_trials(made_up_scenario(doc, "counted"), 3, 1e6, 0);
	doc->scenarios[0].rounds[0].cycles = 5000;
	doc->scenarios[0].rounds[0].instructions = 10000;
	doc->scenarios[0].rounds[0].dtlb_load_misses = 2000;
	doc->scenarios[0].rounds[0].resident_before = 12;
	doc->scenarios[0].rounds[0].resident_after = 988;
	sys_machine_add_text(&doc->machine, "pmu", "cycles, instructions");
	report();
	t_contains(page, "cycles/page</th><th scope=\"col\" class=\"num\">instr./cycle", "counted");
	t_contains(page,
		   "<td class=\"num\">5</td><td class=\"num\">2.00</td><td class=\"num\">2</td>",
		   "with their figures");
	t_contains(page, "<td class=\"num\">12</td><td class=\"num\">988</td>",
		   "pages in the cache");
	t_is_u64(count("TLB misses: "), 0, "nothing is missing then");
	t_contains(page, ">system 80 %</text>", "long runs: system time");
	t_contains(page, "<title>user 10.0 %</title>", "and user time");
}

static void test_accesses(void)
{
	struct model_scenario *s;

	begin();
	(void)add_chase("chase_base", 1000, 5);
	(void)add_chase("chase_base", 64000, 50);
	s = add_chase("chase_thp", 1000, 4);
	s->rounds[0].marks = s->rounds[1].marks = s->rounds[2].marks = MODEL_MARK_PAGE_SIZE;
	report();
	is_sound("accesses");
	t_is_u64(count("<h2>Time a fault"), 0,
		 "rows by the access have no price a fault or a page");
	t_is_u64(count("<h2>Time an access"), 1, "but one an access");
	t_is_u64(count(">chase_base (base)</text>"), 2, "a curve is named in both charts");
	t_is_u64(count(">chase_thp (base), 1 of 1 not drawn</text>"), 2,
		 "one without points as well");
	t_is_u64(count("class=\"curve c0 d0\" d="), 2, "two points make a line");
	t_is_u64(count("class=\"curve c1 d1\" d="), 0, "none do not");
	t_contains(page, "<th scope=\"col\" class=\"num\">ns/access</th>", "a column of accesses");
	t_contains(page, "7.8 MiB", "the size is of pages times their bytes");
	t_contains(page, "500 KiB", "page tables");
}

/* --- texts from outside ------------------------------------------------------------------------------- */

/* The text everywhere where a document has one. */
static void spoil(const char *evil)
{
	struct model_scenario *s;

	begin();
	text_copy(doc->suite.name, sizeof(doc->suite.name), evil);
	text_copy(doc->suite.title, sizeof(doc->suite.title), evil);
	text_copy(doc->suite.source, sizeof(doc->suite.source), evil);
	text_copy(doc->suite.machine, sizeof(doc->suite.machine), evil);
	text_copy(doc->started, sizeof(doc->started), evil);
	text_copy(doc->tool_version, sizeof(doc->tool_version), evil);
	add_floor();
	text_copy(doc->floor.name, sizeof(doc->floor.name), evil);
	s = made_up_scenario(doc, evil);
	text_copy(s->title, sizeof(s->title), evil);
	text_copy(s->article, sizeof(s->article), evil);
	s->published.ns_per_page = 900;
	made_up_trials(s, 3, 1000, 10);
	s = made_up_scenario(doc, evil);
	s->status = MODEL_FAILED;
	text_copy(s->reason, sizeof(s->reason), evil);
	s = add_chase(evil, 1000, 5);
	text_copy(s->pages, sizeof(s->pages), evil);
	doc->n_relations = 1;
	text_copy(doc->relations[0].text, sizeof(doc->relations[0].text), evil);
	text_copy(doc->relations[0].figure, sizeof(doc->relations[0].figure), evil);
	text_copy(doc->relations[0].cause, sizeof(doc->relations[0].cause), evil);
	doc->relations[0].measured = true;
	doc->n_warnings = 1;
	text_copy(doc->warnings[0].text, sizeof(doc->warnings[0].text), evil);
	doc->machine.n_facts = 2;
	text_copy(doc->machine.facts[0].key, sizeof(doc->machine.facts[0].key), evil);
	text_copy(doc->machine.facts[0].text, sizeof(doc->machine.facts[0].text), evil);
	text_copy(doc->machine.facts[1].key, sizeof(doc->machine.facts[1].key), "pmu");
	text_copy(doc->machine.facts[1].text, sizeof(doc->machine.facts[1].text), evil);
	report();
}

static void test_hostile(void)
{
	static const char *const evils[] = {
		"<script>alert(1)</script>",
		"</title></style></svg></table><b>",
		"\"><img src=x onerror=alert(1)>",
		"' onload='alert(1)",
		"--> ]]> <!-- <![CDATA[",
		"&lt;script&gt; & &amp; &#60;",
		"\x1b[31m\x07\r\n\t\x9b\xc2\x9b\xe2\x80\xae",
		"\xff\xfe\xc0\xbc\xed\xa0\x80\xe6\xbc",
		"%s%n%1000000d",
		"nowhereaspaceinthiswholelongtextnowhereaspaceinthiswholelongtextnowhereaspaceinthiswholelong",
	};

	for (size_t i = 0; i < sizeof(evils) / sizeof(evils[0]); i++) {
		size_t n_controls = 0;

		spoil(evils[i]);
		is_sound(evils[i]);
		t_is_u64(count("<script") + count("<img") + count("<b>") + count("<!--") +
				 count("<![") + count(" onload=\"") + count(" onerror=\""),
			 0, "no element and no attribute of it");
		for (const char *c = page; *c; c++)
			n_controls += iscntrl((unsigned char)*c) && *c != '\n';
		t_is_u64(n_controls, 0, "no control character");
	}
}

int main(void)
{
	test_whole();
	test_not_priced();
	test_columns();
	test_accesses();
	test_hostile();
	free(page);
	model_bench_free(doc);
	return t_done();
}
