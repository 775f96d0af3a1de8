/* SPDX-License-Identifier: MIT */
/* Trace documents: written and read they are the same; hostile ones are refused or made harmless. */
#include "src/base/array.h"
#include "src/base/why.h"
#include "src/model/document.h"
#include "src/report/report.h"
#include "tests/tap.h"
#include "tests/unit/made_up_trace.h"

#include <errno.h>

static char *written(const struct model_trace *doc)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	model_trace_write(doc, out);
	(void)fclose(out);
	return text;
}

static char *as_text(const struct model_trace *doc, const struct report_style *style)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	report_find("text")->trace(doc, out, style);
	(void)fclose(out);
	return text;
}

/* Reads a text under the name "doc"; both NULL with the sentence in why. */
static struct model_document read_text(const char *text, int *ret_r, struct why *why)
{
	struct model_document doc = {.bench = NULL};
	FILE *in = fmemopen((char *)(uintptr_t)text, strlen(text), "r");

	why->text[0] = 0;
	*ret_r = model_document_read(in, "doc", &doc, why);
	(void)fclose(in);
	return doc;
}

/* Every field another number. */
static struct model_trace *filled(void)
{
	static char *const words[] = {(char *)"sh", (char *)"-c", (char *)"echo \"a\\b\"",
				      (char *)""};
	struct model_trace *doc = made_up_trace();

	text_copy(doc->tool_version, sizeof(doc->tool_version), "9.8.7");
	text_copy(doc->started, sizeof(doc->started), "2001-02-03T04:05:06Z");
	for (size_t i = 0; i < MODEL_N_FIGURES; i++)
		doc->evidence.figures[i] = 1000 + (int64_t)i;
	doc->evidence.figures[MODEL_SMAPS_SWAP] = MODEL_NOT_COUNTED;
	for (size_t g = 0; g < MODEL_N_EVIDENCE_GROUPS; g++)
		(void)snprintf(doc->evidence.reasons[g], sizeof(doc->evidence.reasons[g]),
			       "reason %zu", g);
	doc->evidence.sampling_ns = 12345;
	doc->exit_status = 137;
	doc->signal = 9;
	doc->n_minor = 777;
	doc->n_major = 88;
	doc->wall_ns = 3 * MADE_UP_MS;
	doc->user_ns = 2 * MADE_UP_MS;
	doc->sys_ns = MADE_UP_MS;
	text_copy(doc->prices.reason, sizeof(doc->prices.reason), "a price is missing");
	model_warn(doc->blind_spots, &doc->n_blind_spots, "blind", "what is not seen");
	model_warn(doc->warnings, &doc->n_warnings, "warn", "what is wrong");
	if (model_trace_set_command(doc, ARRAY_LEN(words), words) < 0)
		abort();
	model_trace_derive(doc);
	return doc;
}

static void test_round_trip(void)
{
	struct model_trace *doc = filled();
	char *first = written(doc), *second = NULL;
	struct model_document again;
	struct why why;
	int r;

	again = read_text(first, &r, &why);
	t_ok(again.trace && !again.bench, "a trace is read as one: %s", why.text);
	if (again.trace)
		second = written(again.trace);
	t_is_str(second, first, "read and written it is the same");
	t_ok(again.trace &&
		     memcmp(&again.trace->evidence, &doc->evidence, sizeof(doc->evidence)) == 0,
	     "all evidence");
	t_ok(again.trace && memcmp(&again.trace->verdict, &doc->verdict, sizeof(doc->verdict)) == 0,
	     "the verdict, which is made anew");
	t_contains(first, "\"schema\": 1,\n \"kind\": \"trace\",", "it begins as documents do");
	t_contains(first, "\"source\": \"rusage\",\n \"estimate\": true,",
		   "and says that it estimates");
	t_contains(first, "\"command\": [\"sh\", \"-c\", \"echo \\\"a\\\\b\\\"\", \"\"]",
		   "words quoted");
	t_contains(first, "\"swap_bytes\": null", "what is not known is null");
	t_contains(
		first,
		"\"reconciliation\": {\"rusage_minor\": 777, \"rusage_major\": 88, \"user_traps\": "
		"null, \"kernel_traps\": null, \"populated\": null, ",
		"what counters cannot tell is null");
	free(first);
	free(second);
	model_document_free(&again);
	model_trace_free(doc);
}

/* Nothing was known: nothing is 0 that was not counted, and no number is NaN. */
static void test_unknown(void)
{
	struct model_trace *doc = model_trace_new();
	char *first, *second = NULL;
	struct model_document again;
	struct why why;
	int r;

	text_copy(doc->source, sizeof(doc->source), "rusage");
	doc->n_minor = 5;
	doc->n_major = 5;
	doc->wall_ns = doc->user_ns = MADE_UP_MS;
	model_trace_derive(doc);
	first = written(doc);
	again = read_text(first, &r, &why);
	if (again.trace)
		second = written(again.trace);
	t_is_str(second, first, "a document of nothing known: %s", why.text);
	t_contains(first, "\"time_ns\": null", "no time");
	t_contains(first, "\"share\": null", "no share");
	t_contains(first, "\"rows\": []", "no prices");
	t_ok(!strstr(first, "nan") && !strstr(first, "inf"), "no NaN");
	free(first);
	first = as_text(doc, &(struct report_style){.verbose = true});
	t_contains(first, "unknown resident at most", "shown as text, too");
	t_ok(!strstr(first, "nan") && !strstr(first, "inf "), "without NaN");
	free(first);
	free(second);
	model_document_free(&again);
	model_trace_free(doc);
}

static void test_hostile_command(void)
{
	static char huge[3 * MODEL_MAX_COMMAND_WORD];
	static char *words[MODEL_MAX_COMMAND_WORDS + 100];
	struct model_trace *doc = filled();
	struct model_document again;
	char *text;
	struct why why;
	int r;

	memset(huge, 'x', sizeof(huge) - 1);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		words[i] = (char *)"w";
	words[0] = (char *)"a\033[31m\n\"\xff\xe2\x80\xae";
	words[1] = huge;
	t_is_i64(model_trace_set_command(doc, ARRAY_LEN(words), words), 0, "a hostile command");
	t_ok(doc->command_cut && doc->n_command == MODEL_MAX_COMMAND_WORDS, "is cut, and says so");
	t_ok(strlen(doc->command[1]) == MODEL_MAX_COMMAND_WORD - 1, "so is a word");
	text = written(doc);
	t_contains(text, "\"command\": [\"a\\u001b[31m\\u000a\\\"?\xe2\x80\xae\"",
		   "JSON is escaped");
	again = read_text(text, &r, &why);
	t_is_str(again.trace ? again.trace->command[0] : NULL, "a?[31m?\"??",
		 "read it is harmless");
	t_ok(again.trace && again.trace->command_cut, "and still cut");
	free(text);
	text = as_text(doc, &(struct report_style){.width = 80});
	t_contains(text, "command  a?[31m?\"?? xxx", "shown it is harmless");
	t_contains(text, " ...\n", "and short");
	free(text);
	t_is_i64(model_trace_set_command(doc, 2, words), 0, "two words");
	t_ok(doc->command_cut && doc->n_command == 2, "one of them cut");
	words[1] = (char *)"";
	t_is_i64(model_trace_set_command(doc, 2, words), 0, "and one empty");
	t_ok(!doc->command_cut, "nothing cut");
	model_document_free(&again);
	model_trace_free(doc);
}

static void test_show(void)
{
	struct model_trace *doc = made_up_trace();
	char *text;

	made_up_faults(doc, 90000, 0);
	model_trace_derive(doc);
	text = as_text(doc, &(struct report_style){.brief = true});
	t_ok(strncmp(text, "verdict  first-touch cost: fine; 90,000 minor", 44) == 0 &&
		     !strstr(text, "\n\n"),
	     "brief is the verdict alone");
	free(text);
	text = as_text(doc, &(struct report_style){.color = true});
	t_contains(text, "\033[32mverdict\033[0m  first-touch", "good news are green");
	free(text);
	made_up_faults(doc, 120000, 0);
	model_trace_derive(doc);
	text = as_text(doc, &(struct report_style){.width = 0});
	t_contains(text, "240 ms, estimated from prices, not timed; capped to 200 ms",
		   "a cap is said");
	free(text);
	t_ok(!report_find("csv")->trace, "csv has no form for it");
	model_trace_free(doc);
}

#define HEAD "{\"schema\": 1, \"kind\": \"trace\", \"source\": \"rusage\""
#define COUNTS HEAD ", \"reconciliation\": {\"rusage_minor\": 1, \"rusage_major\": 1}"

static const struct {
	const char *text, *sentence;
} bad[] = {
	{"{\"schema\": 1, \"kind\": \"novel\"}",
	 "doc: is a document of kind 'novel', which this pagetoll does not know"},
	{"{\"schema\": 2, \"kind\": \"trace\"}", "doc: is of schema 2, "},
	{"{\"schema\": 1, \"kind\": \"trace\"}",
	 "doc: is a trace by '', this pagetoll reads those by 'rusage' and 'perf'"},
	{"{\"schema\": 1, \"kind\": \"trace\", \"source\": \"bpf\"}",
	 "doc: is a trace by 'bpf', this pagetoll reads those by 'rusage' and 'perf'"},
	{HEAD "}", "doc: has no \"reconciliation\""},
	{HEAD ", \"reconciliation\": []}", "doc: \"reconciliation\" must be an object"},
	{HEAD ", \"reconciliation\": {\"rusage_minor\": -1}}",
	 "doc: \"rusage_minor\" must be a whole number, not negative"},
	{HEAD ", \"reconciliation\": {\"rusage_minor\": 9223372036854775807}}",
	 "doc: counts an impossible number of faults or seconds"},
	{COUNTS ", \"wall_ns\": 9223372036854775807}",
	 "doc: counts an impossible number of faults or seconds"},
	{COUNTS ", \"estimate\": 1}", "doc: \"estimate\" must be true or false"},
	{COUNTS ", \"command\": \"ls\"}", "doc: \"command\" must be an array"},
	{COUNTS ", \"command\": [\"ls\", 1]}", "doc: \"command\" must hold texts"},
	{COUNTS ", \"exit_status\": 256}", "doc: has an impossible exit status or signal"},
	{COUNTS ", \"exit_status\": -1}", "doc: has an impossible exit status or signal"},
	{COUNTS ", \"signal\": 4294967305}", "doc: has an impossible exit status or signal"},
	{COUNTS ", \"evidence\": []}", "doc: \"evidence\" must be an object"},
	{COUNTS ", \"evidence\": {\"tree\": 5}}", "doc: \"tree\" must be an object"},
	{COUNTS ", \"evidence\": {\"system\": {\"pswpin\": -2}}}", "doc: \"pswpin\" is impossible"},
	{COUNTS ", \"evidence\": {\"system\": {\"pswpin\": 9223372036854775807}}}",
	 "doc: \"pswpin\" is impossible"},
	{COUNTS ", \"evidence\": {\"system\": {\"pswpin\": \"5\"}}}",
	 "doc: \"pswpin\" must be a whole number"},
	{COUNTS ", \"prices\": {\"rows\": {}}}", "doc: \"rows\" must be an array"},
	{COUNTS ", \"prices\": {\"rows\": [5]}}", "doc: a price must be an object"},
	{COUNTS ", \"prices\": {\"rows\": [{\"scenario\": \"anon_write\", \"ns\": -1}]}}",
	 "doc: the price of anon_write is impossible"},
	{COUNTS ", \"prices\": {\"rows\": [{\"scenario\": \"anon_write\", \"ns\": 5, \"lo\": 6, "
		"\"hi\": 7}]}}",
	 "doc: the price of anon_write is impossible"},
	{COUNTS ", \"prices\": {\"rows\": [{\"scenario\": \"anon_write\", \"ns\": 5, \"lo\": 5, "
		"\"hi\": 1e300}]}}",
	 "doc: the price of anon_write is impossible"},
	{COUNTS ", \"prices\": {\"rows\": [{\"scenario\": \"anon_write\", \"ns\": 5, \"lo\": 5, "
		"\"hi\": 5, \"blocked\": 2}]}}",
	 "doc: the price of anon_write is impossible"},
	{COUNTS ", \"blind_spots\": [5]}", "doc: a warning must be an object"},
	{COUNTS ", \"machine\": {\"a\": -1}}",
	 "doc: \"machine\" must hold texts and whole numbers"},
};

static void test_bad(void)
{
	struct model_document doc;
	struct why why;
	int r;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		doc = read_text(bad[i].text, &r, &why);
		t_ok(r < 0 && !doc.trace && !doc.bench, "refused: %s", bad[i].text);
		t_contains(why.text, bad[i].sentence, "with its reason");
		model_document_free(&doc);
	}
}

/* Numbers that no run makes, each alone allowed: a verdict comes of them all the same. */
static void test_extremes(void)
{
	static const char text[] = COUNTS
		", \"wall_ns\": 2305843009213693951, \"user_ns\": 2305843009213693951, \"sys_ns\": 0, "
		"\"machine\": {\"page_bytes\": 9223372036854775807, \"n_cpus\": 9223372036854775807, "
		"\"huge_page_bytes\": 1, \"memory_bytes\": 1}, "
		"\"evidence\": {\"tree\": {\"max_resident_bytes\": 2305843009213693951, "
		"\"disk_read_bytes\": 2305843009213693951}, \"status\": {\"threads\": "
		"2305843009213693951}, \"samples\": 9223372036854775807}, "
		"\"prices\": {\"rows\": [{\"scenario\": \"anon_write\", \"ns\": 9e14, \"lo\": 0, \"hi\": "
		"9e14}, {\"scenario\": \"novel\", \"ns\": 5, \"lo\": 5, \"hi\": 5}]}}";
	struct report_style style = {.verbose = true};
	struct model_document doc;
	struct why why;
	char *shown;
	int r;

	doc = read_text(text, &r, &why);
	t_ok(doc.trace != NULL, "numbers that no run makes are read: %s", why.text);
	if (!doc.trace)
		return;
	shown = as_text(doc.trace, &style);
	t_ok(shown && !strstr(shown, "nan"), "and shown");
	free(shown);
	shown = written(doc.trace);
	t_ok(shown && !strstr(shown, "nan"), "and written");
	free(shown);
	model_document_free(&doc);
}

int main(void)
{
	test_round_trip();
	test_unknown();
	test_hostile_command();
	test_show();
	test_bad();
	test_extremes();
	return t_done();
}
