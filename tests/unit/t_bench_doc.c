/* SPDX-License-Identifier: MIT */
/* Documents: written and read they are the same; broken and hostile ones are refused with a name. */
#include "src/base/array.h"
#include "src/base/why.h"
#include "src/report/report.h"
#include "tests/tap.h"
#include "tests/unit/made_up.h"

#include <errno.h>

static char *written(const struct model_bench *doc)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	model_bench_write(doc, out);
	(void)fclose(out);
	return text;
}

/* Reads n bytes under the name "doc"; NULL with the sentence in why. */
static struct model_bench *read_bytes(const char *text, size_t n, int *ret_r, struct why *why)
{
	struct model_bench *doc = NULL;
	FILE *in = n ? fmemopen((char *)(uintptr_t)text, n, "r") : fopen("/dev/null", "r");

	why->text[0] = 0;
	*ret_r = model_bench_read(in, "doc", &doc, why);
	(void)fclose(in);
	return doc;
}

static void fill(struct model_bench *doc)
{
	struct model_scenario *s;

	text_copy(doc->tool_version, sizeof(doc->tool_version), "9.8.7");
	text_copy(doc->started, sizeof(doc->started), "2001-02-03T04:05:06Z");
	doc->options =
		(struct model_options){1 << 23, 3, 4, 60000000000, 0.02, 9007199254740991, 3};
	sys_machine_add_text(&doc->machine, "cpu", "Example CPU");
	sys_machine_add_u64(&doc->machine, "memory_bytes", INT64_MAX);
	text_copy(doc->suite.name, sizeof(doc->suite.name), "a_suite");
	text_copy(doc->suite.title, sizeof(doc->suite.title), "title with \"quotes\" and \\");
	model_warn(doc->warnings, &doc->n_warnings, "budget", "the budget ended");
	if (model_noise_add(doc, &(struct model_noise){1, 41, 42, 43, 44, 45, 46, MODEL_NOT_COUNTED,
						       0, 0}) < 0 ||
	    model_noise_add(doc, &(struct model_noise){8, 51, 52, 53, 54, 55, 56, 57, 0, 0}) < 0)
		abort();
	text_copy(doc->floor.name, sizeof(doc->floor.name), "floor");
	doc->floor.n_pages = 10;
	s = made_up_scenario(doc, "priced");
	text_copy(s->article, sizeof(s->article), "an_article");
	s->published = (struct model_published){1.5, NAN, 3, NAN};
	made_up_trials(s, 7, 100, 1.25);
	s->rounds[4].marks = (1 << MODEL_N_MARKS) - 1;
	s->rounds[5].trap_kernel = MODEL_NOT_COUNTED;
	/* every field another number, whatever their order */
	s->rounds[6] = (struct model_round){.trial = 7,
					    .round = 6,
					    .block = 8,
					    .started_ns = 9,
					    .elapsed_ns = 10,
					    .user_ns = 11,
					    .sys_ns = 12,
					    .blocked_ns = 13,
					    .run_delay_ns = 14,
					    .minor = 15,
					    .major = 16,
					    .trap_user = 17,
					    .trap_kernel = 18,
					    .counted_minor = 19,
					    .counted_major = 20,
					    .nvcsw = 21,
					    .nivcsw = 22,
					    .steal_ns = 23,
					    .warm_slow_touches = 24,
					    .cycles = 25,
					    .instructions = 26,
					    .dtlb_load_misses = 27,
					    .resident_before = 28,
					    .resident_after = 29,
					    .page_table_bytes = 30,
					    .calibration_ns = 31,
					    .psi_cpu_ns = 32,
					    .psi_memory_ns = 33,
					    .psi_io_ns = 34,
					    .marks = 1};
	s = made_up_scenario(doc, "no_traps");
	s->huge_page_bytes = 1 << 21;
	s->n_accesses = 4096;
	text_copy(s->pages, sizeof(s->pages), "hugetlb");
	text_copy(s->cache_state, sizeof(s->cache_state), "dropped");
	made_up_trials(s, 1, 1.0 / 3, 0);
	for (size_t i = 0; i < s->n_rounds; i++)
		s->rounds[i].trap_user = s->rounds[i].trap_kernel = MODEL_NOT_COUNTED;
	s = made_up_scenario(doc, "skipped");
	s->status = MODEL_SKIPPED;
	text_copy(s->reason, sizeof(s->reason), "needs more: found less");
	doc->n_relations = 3;
	doc->relations[0] = (struct model_relation){
		.text = "a holds", .holds = true, .measured = true, .figure = "1.0"};
	doc->relations[1] = (struct model_relation){
		.text = "b differs", .measured = true, .figure = "2.0", .cause = "a cause"};
	doc->relations[2] =
		(struct model_relation){.text = "c is unknown", .figure = "not measured"};
	/* judged anew on reading: this one must not keep what it says */
	doc->relations[0].claim = (struct model_claim){
		.figure = "minor_per_page", .of = "an_article", .lo = 0.5, .hi = 2};
	doc->suite.size_bytes = 1 << 24;
	doc->suite.page_bytes = 8192;
	model_bench_derive(doc);
	model_bench_judge(doc);
}

static void test_round_trip(char **ret_text)
{
	struct model_bench *doc = model_bench_new(), *again, *empty;
	char *first, *second;
	struct why why;
	int r;

	fill(doc);
	first = written(doc);
	again = read_bytes(first, strlen(first), &r, &why);
	t_is_i64(r, 0, "what is written can be read: %s", why.text);
	if (!again)
		exit(t_done());
	second = written(again);
	t_is_str(second, first, "and written again it is the same, byte for byte");
	t_is_u64(again->n_scenarios, 3, "all scenarios");
	t_ok(again->scenarios[0].rounds[5].trap_kernel == MODEL_NOT_COUNTED &&
		     again->scenarios[0].rounds[4].marks ==
			     (((1 << MODEL_N_MARKS) - 1) & ~MODEL_MARKS_DERIVED),
	     "rounds");
	t_ok(again->n_noise == 2 && again->noise[0].psi_memory_ns == 46 &&
		     again->noise[0].psi_io_ns == MODEL_NOT_COUNTED && again->noise[1].block == 8,
	     "the noise of its blocks");
	t_is_i64(again->noise[1].calibration_ns, 31, "with the calibration of their rounds");
	t_ok(!again->relations[0].measured && again->relations[1].measured &&
		     !again->relations[2].measured,
	     "relations; one of a row that is INVALID is judged anew, and unknown");
	t_ok(isnan(again->scenarios[0].published.ns_per_fault), "NaN is null and NaN again");
	t_is_u64(again->options.seed, 9007199254740991, "the largest seed");
	t_is_i64(again->options.cpu, 3, "the CPU");
	model_bench_free(again);
	free(second);
	empty = model_bench_new();
	second = written(empty);
	again = read_bytes(second, strlen(second), &r, &why);
	t_is_i64(r, 0, "an empty document can be read: %s", why.text);
	model_bench_free(again);
	model_bench_free(empty);
	model_bench_free(doc);
	free(second);
	*ret_text = first;
}

static void test_cut_off(const char *text)
{
	size_t n = strlen(text), n_read = 0, n_nameless = 0, n_tried = 0;
	struct why why;
	int r;

	for (size_t k = 0; k + 1 < n; k += k < 200 || k + 200 > n ? 1 : 37) {
		struct model_bench *doc = read_bytes(text, k, &r, &why);

		n_tried++;
		n_read += r == 0;
		n_nameless += strncmp(why.text, "doc: ", 5) != 0;
		model_bench_free(doc);
	}
	t_ok(n_tried > 500, "cut off at %zu places", n_tried);
	t_is_u64(n_read, 0, "cut off anywhere it is refused");
	t_is_u64(n_nameless, 0, "by name");
}

/* Each byte in turn replaced: read or refused, but nothing worse (the sanitizers look on). */
static void test_flipped(const char *text)
{
	static const char odd[] = "\"-9{]\0\xff";
	size_t n = strlen(text), n_nameless = 0, n_unsteady = 0;
	char *copy = strdup(text);
	struct why why;
	int r;

	for (size_t k = 0; k < n; k += 7) {
		struct model_bench *doc;

		copy[k] = odd[k / 7 % (sizeof(odd) - 1)];
		doc = read_bytes(copy, n, &r, &why);
		if (doc)
			free(written(doc));
		else
			n_nameless += strncmp(why.text, "doc: ", 5) != 0;
		n_unsteady += (r == 0) != (doc != NULL);
		model_bench_free(doc);
		copy[k] = text[k];
	}
	free(copy);
	t_is_u64(n_nameless, 0, "with one byte replaced it is read, or refused by name");
	t_is_u64(n_unsteady, 0, "and only what is read is returned");
}

#define HEAD "\"schema\": 1, \"kind\": \"bench\""
#define LEDGER \
	"\"ledger\": {\"minor_per_page\": [1, 1], \"major_per_page\": [0, 0], \"trap_per_page\": [1, 1]}"
#define ROW(more) \
	"{" HEAD ", \"scenarios\": [{\"name\": \"x\", \"status\": \"done\", " LEDGER more "}]}"
#define ROUND(more)                                                                               \
	ROW(", \"params\": {\"n_pages\": 5, \"page_bytes\": 10}, \"rounds\": [{\"trial\": 0" more \
	    "}]")

static const struct {
	const char *text, *sentence;
} bad[] = {
	{"", "doc: is empty"},
	{"not JSON", "doc: is no JSON, or cut off: line 1: "},
	{"{" HEAD "} {}", "doc: is no JSON, or cut off: line 1: "},
	{"{" HEAD ",}", "doc: is no JSON"},
	{"{" HEAD ", \"started\": \"\\u0000\"}", "doc: is no JSON"},
	{"{" HEAD ", \"started\": \"\xff\"}", "doc: is no JSON"},
	{"[]", "doc: is no pagetoll document"},
	{"[1, 2]", "doc: is no pagetoll document"},
	{"{}", "doc: is no pagetoll document (no \"schema\" and \"kind\")"},
	{"{\"schema\": 1}", "doc: is no pagetoll document (no \"schema\" and \"kind\")"},
	{"{\"kind\": \"bench\"}", "doc: is no pagetoll document"},
	{"{\"schema\": 0, \"kind\": \"bench\"}", "doc: is no pagetoll document"},
	{"{\"schema\": -1, \"kind\": \"bench\"}",
	 "doc: \"schema\" must be a whole number, not negative"},
	{"{\"schema\": \"1\", \"kind\": \"bench\"}",
	 "doc: \"schema\" must be a whole number, not negative"},
	{"{\"schema\": 1.0, \"kind\": \"bench\"}",
	 "doc: \"schema\" must be a whole number, not negative"},
	{"{\"schema\": 2, \"kind\": \"bench\"}",
	 "doc: is of schema 2, this pagetoll reads up to 1; use a newer pagetoll"},
	{"{\"schema\": 1, \"kind\": \"trace\"}", "doc: is a document of kind 'trace', not 'bench'"},
	{"{\"schema\": 1, \"kind\": \"\\u001b[2J\"}",
	 "doc: is a document of kind '?[2J', not 'bench'"},
	{"{\"schema\": 1, \"kind\": 5}", "doc: \"kind\" must be a text"},
	{"{" HEAD ", \"schema\": 1}", "doc: is no JSON, or cut off: line 1: duplicate object key"},
	{"{" HEAD ", \"started\": 5}", "doc: \"started\" must be a text"},
	{"{" HEAD ", \"interrupted\": 1}", "doc: \"interrupted\" must be true or false"},
	{"{" HEAD ", \"tool\": \"pagetoll\"}", "doc: \"tool\" must be an object"},
	{"{" HEAD ", \"machine\": []}", "doc: \"machine\" must be an object"},
	{"{" HEAD ", \"machine\": {\"a\": -1}}",
	 "doc: \"machine\" must hold texts and whole numbers"},
	{"{" HEAD ", \"machine\": {\"a\": 1.5}}",
	 "doc: \"machine\" must hold texts and whole numbers"},
	{"{" HEAD ", \"options\": {\"seed\": -1}}",
	 "doc: \"seed\" must be a whole number, not negative"},
	{"{" HEAD ", \"options\": {\"seed\": 99999999999999999999}}", "doc: is no JSON"},
	{"{" HEAD ", \"options\": {\"precision\": \"1%\"}}", "doc: \"precision\" must be a number"},
	{"{" HEAD ", \"options\": {\"precision\": 1e999}}", "doc: is no JSON"},
	{"{" HEAD ", \"options\": {\"cpu\": 1.5}}", "doc: \"cpu\" must be a whole number"},
	{"{" HEAD ", \"suite\": \"x\"}", "doc: \"suite\" must be an object"},
	{"{" HEAD ", \"scenarios\": {}}", "doc: \"scenarios\" must be an array"},
	{"{" HEAD ", \"scenarios\": [5]}", "doc: a scenario must be an object"},
	{"{" HEAD ", \"scenarios\": [{}]}",
	 "doc: \"status\" must be done, skipped or failed, not ''"},
	{"{" HEAD ", \"scenarios\": [{\"status\": \"finished\"}]}",
	 "doc: \"status\" must be done, skipped or failed, not 'finished'"},
	{"{" HEAD ", \"scenarios\": [{\"status\": \"done\"}]}",
	 "doc: a scenario has no \"ledger\""},
	{"{" HEAD ", \"scenarios\": [{\"status\": \"done\", \"ledger\": {}}]}",
	 "doc: the ledger's \"minor_per_page\" must be two numbers"},
	{"{" HEAD
	 ", \"scenarios\": [{\"status\": \"done\", \"ledger\": {\"minor_per_page\": [1, 2, 3]}}]}",
	 "doc: the ledger's \"minor_per_page\" must be two numbers"},
	{"{" HEAD
	 ", \"scenarios\": [{\"status\": \"done\", \"ledger\": {\"minor_per_page\": [0, \"x\"]}}]}",
	 "doc: the ledger's \"minor_per_page\" must be two numbers"},
	{"{" HEAD ", \"floor\": []}", "doc: \"floor\" must be an object"},
	{"{" HEAD ", \"floor\": {\"name\": \"f\"}}", "doc: \"status\" must be done"},
	{"{" HEAD ", \"relations\": 5}", "doc: \"relations\" must be an array"},
	{"{" HEAD ", \"warnings\": {}}", "doc: \"warnings\" must be an array"},
	{ROW(", \"rounds\": [{}]"), "doc: x: has rounds but no pages"},
	{ROW(", \"params\": {\"n_pages\": -5}"),
	 "doc: \"n_pages\" must be a whole number, not negative"},
	{ROW(", \"params\": {\"threads\": 4294967296}"), "doc: \"threads\" is too large"},
	{ROW(", \"rounds\": {}"), "doc: \"rounds\" must be an array"},
	{ROW(", \"published\": 5"), "doc: \"published\" must be an object"},
	{ROW(", \"published\": {\"minor\": \"5\"}"), "doc: \"minor\" must be a number"},
	{ROUND(", \"minor\": -1"), "doc: \"minor\" must be a whole number, not negative"},
	{ROUND(", \"major\": \"1\""), "doc: \"major\" must be a whole number, not negative"},
	{ROUND(", \"elapsed_ns\": 1.5"),
	 "doc: \"elapsed_ns\" must be a whole number, not negative"},
	{ROUND(", \"elapsed_ns\": -1"), "doc: \"elapsed_ns\" must be a whole number, not negative"},
	{ROUND(", \"round\": 4294967296"), "doc: \"round\" is too large"},
	{ROUND(", \"block\": -3"), "doc: \"block\" must be a whole number, not negative"},
	{ROUND(", \"trap_user\": -2"), "doc: a round counts an impossible number of traps"},
	{ROUND(", \"trap_kernel\": 9223372036854775807"),
	 "doc: a round counts an impossible number of traps"},
	{ROUND(", \"trap_user\": \"none\""), "doc: \"trap_user\" must be a whole number"},
	{ROUND(", \"marks\": \"stolen\""), "doc: \"marks\" must be an array"},
	{ROUND("}, {\"trial\": 100000"), "doc: trial 100000: more trials than any run makes"},
	{ROUND("}, {\"trial\": 4294967295"),
	 "doc: trial 4294967295: more trials than any run makes"},
	{"\xff\xfe{\0}", "doc: is no JSON"},
	{"\x1f\x8b\x08", "doc: is no JSON"},
	{ROW(", \"params\": {\"n_pages\": 5}, \"rounds\": [1, 2]"),
	 "doc: a round must be an object"},
	{"{" HEAD ", \"relations\": [5]}", "doc: a relation must be an object"},
	{"{" HEAD ", \"warnings\": [\"x\"]}", "doc: a warning must be an object"},
	{"{" HEAD ", \"noise\": {}}", "doc: \"noise\" must be an array"},
	{"{" HEAD ", \"noise\": [5]}", "doc: the noise of a block must be an object"},
	{"{" HEAD ", \"noise\": [{\"block\": 3}, {\"block\": 3}]}",
	 "doc: the noise of block 3 is out of order"},
	{"{" HEAD ", \"noise\": [{\"block\": 3, \"psi_io_ns\": -2}]}",
	 "doc: block 3: tasks waited for an impossible time"},
	{ROUND(", \"calibration_ns\": -2"), "doc: a round has an impossible calibration"},
	{ROUND(", \"psi_cpu_ns\": -2"), "doc: tasks waited for an impossible time in a round"},
	{ROUND(", \"psi_io_ns\": \"1\""), "doc: \"psi_io_ns\" must be a whole number"},
	{ROUND(", \"minor\": 9223372036854775807, \"major\": 1, \"trap_user\": 1, \"trap_kernel\": 1"),
	 "doc: a round counts an impossible number of faults"},
};

static void test_bad(void)
{
	struct why why;
	int r;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct model_bench *doc = read_bytes(bad[i].text, strlen(bad[i].text), &r, &why);
		bool good = !doc && r < 0 &&
			    strncmp(why.text, bad[i].sentence, strlen(bad[i].sentence)) == 0;

		t_ok(good, "refused: %s", bad[i].text);
		if (!good)
			t_note("got      %d '%s'\nexpected '%s'", r, why.text, bad[i].sentence);
		model_bench_free(doc);
	}
}

/* Brackets within brackets, and more rounds, scenarios and facts than there is room for. */
static void test_masses(void)
{
	enum { N = 200000 };
	char *deep = malloc(N + 64);
	struct model_bench *doc;
	char *text = NULL;
	struct why why;
	size_t n;
	FILE *out;
	int r;

	memset(deep, '[', N);
	deep[N] = 0;
	t_ok(!read_bytes(deep, N, &r, &why), "200,000 open brackets: refused");
	t_contains(why.text, "doc: is no JSON", "by name");
	n = (size_t)snprintf(deep, N, "{" HEAD ", \"machine\": ");
	deep[n] = '{';
	t_ok(!read_bytes(deep, N, &r, &why), "200,000 brackets further down");
	free(deep);
	out = open_memstream(&text, &n);
	(void)fputs("{" HEAD ", \"machine\": {", out);
	for (int i = 0; i < 200; i++)
		(void)fprintf(out, "%s\"fact_%d\": %d", i ? ", " : "", i, i);
	(void)fputs("}, \"relations\": [", out);
	for (int i = 0; i < 100; i++)
		(void)fprintf(out, "%s{\"text\": \"t\", \"holds\": true}", i ? ", " : "");
	(void)fputs("], \"warnings\": [", out);
	for (int i = 0; i < 100; i++)
		(void)fprintf(out, "%s{\"text\": \"t\"}", i ? ", " : "");
	(void)fputs("]}", out);
	(void)fclose(out);
	doc = read_bytes(text, n, &r, &why);
	t_ok(doc && doc->machine.n_facts == SYS_MAX_FACTS &&
		     doc->n_relations == MODEL_MAX_RELATIONS &&
		     doc->n_warnings == MODEL_MAX_WARNINGS,
	     "facts, relations and warnings too many are left out: %s", why.text);
	model_bench_free(doc);
	free(text);
	out = open_memstream(&text, &n);
	(void)fputs("{" HEAD ", \"scenarios\": [", out);
	for (int i = 0; i <= MODEL_MAX_SCENARIOS; i++)
		(void)fprintf(out, "%s{\"status\": \"failed\", " LEDGER "}", i ? ", " : "");
	(void)fputs("]}", out);
	(void)fclose(out);
	t_ok(!read_bytes(text, n, &r, &why), "too many scenarios: refused");
	t_is_str(why.text, "doc: more scenarios than can be read", "by name");
	free(text);
}

static void test_hostile(void)
{
	static const char text[] =
		"{" HEAD
		", \"started\": \"\\u001b[31m\", \"machine\": {\"cpu\\u0007\": \"a\\nb\\u009bc\"},\n"
		"\"suite\": {\"name\": \"\\u202e\", \"title\": \"\\u0008\"},\n"
		"\"relations\": [{\"text\": \"\\u001b]0;x\\u0007\", \"holds\": false, \"cause\": \"\\u007f\"}],\n"
		"\"warnings\": [{\"id\": \"\\r\", \"text\": \"%n%s\\u001b\"}],\n"
		"\"scenarios\": [{\"name\": \"=cmd()\\u001b,\\\"\", \"title\": \"\\u2066\", \"status\": \"failed\",\n"
		"\"reason\": \"\\u001b[2J\\r\\n\", \"ignored\": [[[]]], " LEDGER "}]}";
	static const char *const formats[] = {"text", "csv", "json"};
	struct report_style style = {.verbose = true, .width = 80};
	struct model_bench *doc;
	struct why why;
	int r;

	doc = read_bytes(text, sizeof(text) - 1, &r, &why);
	t_ok(doc != NULL, "hostile texts are read: %s", why.text);
	if (!doc)
		return;
	t_is_str(doc->scenarios[0].name, "=cmd()?,\"", "a name comes out harmless");
	t_is_str(doc->scenarios[0].reason, "?[2J??", "a reason");
	t_is_str(doc->machine.facts[0].key, "cpu?", "a fact's name");
	t_is_str(doc->machine.facts[0].text, "a?b?c", "its text");
	t_is_str(doc->warnings[0].text, "%n%s?", "a warning is no format");
	t_is_str(doc->suite.name, "?", "a suite");
	t_is_str(doc->started, "?[31m", "a time");
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		unsigned n_steering = 0;
		char *printed = NULL;
		size_t n;
		FILE *out = open_memstream(&printed, &n);

		report_find(formats[i])->bench(doc, out, &style);
		(void)fclose(out);
		for (size_t k = 0; k < n; k++)
			n_steering += ((unsigned char)printed[k] < 0x20 && printed[k] != '\n') ||
				      printed[k] == 0x7f;
		t_is_u64(n_steering, 0, "no control character in %s", formats[i]);
		free(printed);
	}
	model_bench_free(doc);
}

/* Long texts are cut at a character, unknown keys are left out, null is as good as nothing. */
static void test_lenient(void)
{
	char text[4096], longest[1001];
	struct model_bench *doc;
	struct why why;
	int r;

	for (size_t i = 0; i + 1 < sizeof(longest); i += 2)
		memcpy(longest + i, "\xc3\xa4", 2);
	longest[sizeof(longest) - 1] = 0;
	(void)snprintf(
		text, sizeof(text),
		"{" HEAD
		", \"novel\": {\"a\": [1]}, \"started\": null, \"floor\": null, \"suite\": null, "
		"\"scenarios\": [{\"name\": \"%s\", \"status\": \"done\", \"params\": null, \"rounds\": null, "
		"\"latency\": {\"a\": 1}, " LEDGER "}]}",
		longest);
	doc = read_bytes(text, strlen(text), &r, &why);
	t_ok(doc != NULL, "unknown and null members are no error: %s", why.text);
	if (!doc)
		return;
	t_is_u64(strlen(doc->scenarios[0].name), 62, "a name too long is cut before a character");
	t_is_i64(doc->scenarios[0].verdict, MODEL_NO_VERDICT, "without rounds there is no verdict");
	model_bench_free(doc);
}

/* Rounds that took no fault, of the named rows; those of the first took no time either. */
static void reports_zeroes(const char *const *names, double ns)
{
	struct report_style style = {.verbose = true, .width = 100};
	struct model_bench *doc = model_bench_new();
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	for (size_t i = 0; names[i]; i++) {
		struct model_scenario *s = made_up_scenario(doc, names[i]);

		s->ledger = (struct model_ledger){.minor = {0, 1}, .trap = {0, 1}};
		made_up_trials(s, 3, ns, 0);
		for (size_t r = 0; r < s->n_rounds; r++) {
			s->rounds[r].minor = s->rounds[r].counted_minor = 0;
			s->rounds[r].trap_user = 0;
		}
	}
	model_bench_derive(doc);
	report_find("text")->bench(doc, out, &style);
	(void)fclose(out);
	if (!t_ok(!strstr(text, "nan") && !strstr(text, "inf ") && !strstr(text, "e+"),
		  "%s without faults, at %g ns: nothing is divided by 0", names[0], ns))
		t_note("%s", text);
	t_ok(!strstr(text, "one fault for") && !strstr(text, "One wait"),
	     "no price of a fault is told");
	free(text);
	model_bench_free(doc);
}

static void test_zeroes(void)
{
	static const char *const floor[] = {"anon_write", "anon_prefaulted", "file_warm",
					    "file_cold", NULL};
	static const char *const huge[] = {"anon_write", "anon_thp", NULL};
	static const char *const one[] = {"file_cold_random", NULL};

	for (double ns = 0; ns <= 5; ns += 5) {
		reports_zeroes(floor, ns);
		reports_zeroes(huge, ns);
		reports_zeroes(one, ns);
	}
}

int main(void)
{
	char *text = NULL;

	test_round_trip(&text);
	test_cut_off(text);
	test_flipped(text);
	free(text);
	test_bad();
	test_masses();
	test_hostile();
	test_lenient();
	test_zeroes();
	return t_done();
}
