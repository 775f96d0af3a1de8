/* SPDX-License-Identifier: MIT */
/* Trace documents with a bill: written and read they are the same; hostile ones are refused or made harmless. */
#include "src/base/array.h"
#include "src/base/why.h"
#include "src/model/document.h"
#include "src/report/report.h"
#include "tests/tap.h"
#include "tests/unit/made_up_bill.h"

static char *formatted(const struct model_trace *doc, const char *format,
		       const struct report_style *style)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	report_find(format)->bill(doc, out, style);
	(void)fclose(out);
	return text;
}

static char *written(const struct model_trace *doc)
{
	return formatted(doc, "json", NULL);
}

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
	struct model_trace *doc = made_up_bill();
	struct model_bill *b = doc->bill;

	b->time_lo_ns = 650e6;
	b->time_hi_ns = 750e6;
	b->tracer_ns = 11e6;
	b->trap_ns = 12e6;
	b->slowdown_ns = 13e6 / 3;
	b->sites[3].cost.time_ns += 1.0 / 3; /* no document has parts of a nanosecond */
	b->threads[0].cpu_ns += 2.0 / 3;
	b->moments[3].time_ns[MODEL_COW] = 12345678.0 / 7;
	b->trap_each_ns = 187.25;
	b->tracer_each_ns = 212.5;
	b->before_exec = 34;
	b->user_traps = 330;
	b->kernel_or_populated = 5;
	b->unexplained = -19;
	b->n_execs = 2;
	for (size_t i = 0; i < MODEL_N_BILL_COUNTS; i++)
		b->counts[i] = 100 + i;
	b->deadline_ns = 50000;
	b->n_late = 3;
	b->mappings[0].deleted = true;
	b->sites[3].stack[0].inlined = true;
	b->n_each = 1;
	b->each = made_up_rows(1, sizeof(*b->each));
	b->each[0] = (struct model_fault_row){.at_ns = 42,
					      .latency_ns = NAN,
					      .blocked_ns = NAN,
					      .thread = MODEL_NO_ROW,
					      .mapping = MODEL_NO_ROW,
					      .site = MODEL_NO_ROW};
	b->n_each_left_out = 9;
	model_trace_derive(doc);
	return doc;
}

/* All that is no pointer, and no row. */
static bool is_same_head(const struct model_bill *a, const struct model_bill *b)
{
	return a->before_exec == b->before_exec && a->user_traps == b->user_traps &&
	       a->kernel_traps == b->kernel_traps && a->unexplained == b->unexplained &&
	       a->kernel_or_populated == b->kernel_or_populated &&
	       memcmp(a->counts, b->counts, sizeof(a->counts)) == 0 &&
	       memcmp(a->phases, b->phases, sizeof(a->phases)) == 0 &&
	       a->n_processes == b->n_processes && a->n_threads == b->n_threads &&
	       a->n_execs == b->n_execs && a->deadline_ns == b->deadline_ns &&
	       a->n_late == b->n_late && a->moment_ns == b->moment_ns &&
	       a->n_each_left_out == b->n_each_left_out;
}

static bool is_same_time(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool is_same_fault(const struct model_fault_row *a, const struct model_fault_row *b)
{
	return a->at_ns == b->at_ns && is_same_time(a->latency_ns, b->latency_ns) &&
	       is_same_time(a->blocked_ns, b->blocked_ns) && a->address == b->address &&
	       a->file_offset == b->file_offset && a->thread == b->thread &&
	       a->mapping == b->mapping && a->site == b->site && a->kind == b->kind &&
	       a->phase == b->phase && a->major == b->major && a->kernel_mode == b->kernel_mode;
}

static bool is_same_rows(const struct model_bill *a, const struct model_bill *b)
{
	return a->n_mappings == b->n_mappings && a->n_sites == b->n_sites &&
	       a->n_moments == b->n_moments && a->n_worst == b->n_worst && a->n_each == b->n_each &&
	       memcmp(a->mappings, b->mappings, a->n_mappings * sizeof(*a->mappings)) == 0 &&
	       is_same_fault(&a->worst[0], &b->worst[0]) &&
	       is_same_fault(&a->worst[1], &b->worst[1]) &&
	       memcmp(a->moments, b->moments, a->n_moments * sizeof(*a->moments)) == 0 &&
	       memcmp(a->sites[0].stack, b->sites[0].stack,
		      a->sites[0].n_stack * sizeof(*a->sites[0].stack)) == 0;
}

static void test_round_trip(void)
{
	struct model_trace *doc = filled();
	char *first = written(doc), *second = NULL;
	struct model_document again;
	struct why why;
	int r;

	again = read_text(first, &r, &why);
	t_ok(again.trace && again.trace->bill, "a bill is read as one: %s", why.text);
	if (again.trace) {
		second = written(again.trace);
		t_ok(is_same_head(again.trace->bill, doc->bill), "all counts");
		t_ok(is_same_rows(again.trace->bill, doc->bill), "all rows");
		t_ok(again.trace->n_minor == 340 && again.trace->n_major == 10, "rusage's counts");
		t_is_u64(again.trace->bill->worst[1].address, UINT64_MAX, "an address of 64 bits");
	}
	t_is_str(second, first, "read and written it is the same");
	t_contains(first, "\"source\": \"perf\",\n \"estimate\": false,",
		   "it says that it is no estimate");
	t_contains(first, "\"verdict\": {\n  \"id\": \"fault-bill\",", "and has a verdict");
	t_contains(
		first,
		"\"reconciliation\": {\"rusage_minor\": 340, \"rusage_major\": 10, \"before_exec\": 34, "
		"\"user_traps\": 330, \"kernel_traps\": null, \"populated\": null, "
		"\"kernel_or_populated\": 5, \"unexplained\": -19}",
		"it closes");
	t_contains(first, "\"retried\": {\"count\": 100, \"rule\": \"entered again",
		   "counts with rules");
	t_contains(first, "\"deadline\": {\"deadline_ns\": 50000, \"late\": 3}", "the deadline");
	t_ok(!strstr(first, "\"prices\""), "and no prices");
	free(first);
	free(second);
	model_document_free(&again);
	model_trace_free(doc);
}

static void test_attached(void)
{
	struct model_trace *doc = made_up_bill();
	struct model_document again;
	struct why why;
	char *text;
	int r;

	doc->n_pids = 2;
	doc->pids = made_up_rows(2, sizeof(*doc->pids));
	doc->pids[0] = 812;
	doc->pids[1] = 815;
	doc->exit_status = 0;
	model_trace_derive(doc);
	text = written(doc);
	t_contains(text, "\"pids\": [812, 815]", "processes");
	t_contains(text, "\"rusage_minor\": null", "rusage is not known");
	t_ok(!strstr(text, "\"each\""), "no fault by itself: no array of them");
	again = read_text(text, &r, &why);
	t_ok(again.trace && again.trace->n_pids == 2 && again.trace->pids[1] == 815,
	     "read again: %s", why.text);
	t_ok(again.trace && again.trace->n_minor == 320 && again.trace->n_major == 10,
	     "without rusage counts are those traced");
	free(text);
	text = formatted(doc, "text", &(struct report_style){.width = 80});
	t_contains(text, "attached to PID 812, 815 (2 processes)", "shown instead of a command");
	t_ok(!strstr(text, "exit status"), "without a status, as nobody waited");
	t_contains(text, "rusage not known; source perf", "and what does not close says so");
	free(text);
	model_document_free(&again);
	model_trace_free(doc);
}

/* Nothing was known: nothing is 0 that was not counted, and no number is NaN. */
static void test_unknown(void)
{
	static const char *const formats[] = {"json", "text", "csv", "folded"};
	struct model_trace *doc = model_trace_new();
	struct report_style style = {.verbose = true, .width = 80};
	struct model_document again;
	struct why why;
	char *first, *second = NULL;
	int r;

	text_copy(doc->source, sizeof(doc->source), "perf");
	doc->bill = model_bill_new();
	model_trace_derive(doc);
	first = written(doc);
	again = read_text(first, &r, &why);
	if (again.trace)
		second = written(again.trace);
	t_is_str(second, first, "a bill of nothing known: %s", why.text);
	t_contains(first, "\"time_lo_ns\": null", "no interval");
	free(first);
	free(second);
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		first = formatted(doc, formats[i], &style);
		t_ok(!strstr(first, "nan") && !strstr(first, "inf"), "as %s without NaN",
		     formats[i]);
		free(first);
	}
	model_document_free(&again);
	model_trace_free(doc);
}

static void test_deadline(void)
{
	struct model_trace *doc = filled();
	struct report_style style = {.brief = true};
	char *text;

	text = formatted(doc, "text", &style);
	t_contains(text, "NOT CLEAN: 3 faults over 50 us after start-up", "late faults are said");
	t_contains(text, "worst    1 ms at +0.500 s, anon-write in fill (fill.c:10), [anon] ",
		   "the worst after start-up is named, not the longer one before");
	free(text);
	doc->bill->n_late = 0;
	text = formatted(doc, "text", &style);
	t_contains(text,
		   "cannot tell: no fault seen over 50 us after start-up, but 311 were not timed",
		   "what was not timed may have been late");
	free(text);
	memset(doc->bill->counts, 0, sizeof(doc->bill->counts));
	text = formatted(doc, "text", &style);
	t_contains(text, "deadline clean: no fault over 50 us after start-up\n",
		   "else it is clean");
	free(text);
	model_trace_free(doc);
}

static void test_sort(void)
{
	struct model_trace *doc = filled();
	struct report_style style = {.top = 1};
	char *text;

	text = formatted(doc, "text", &style);
	t_contains(text, "\nand 3 more sites: 400 ms\n", "what is left out is summed up");
	t_contains(text,
		   "\nfill      fill.c:10  [anon]   anon-write    200  300 ms    43 %  4.5 ms\n",
		   "by time");
	free(text);
	style.sort = REPORT_SORT_WORST;
	text = formatted(doc, "text", &style);
	t_contains(
		text,
		"\nscan      libscan.so+0x100  data.bin  file-minor     20  200 ms    29 %  30 ms\n",
		"by the worst: the first of equals in time order");
	free(text);
	style.sort = REPORT_SORT_COUNT;
	text = formatted(doc, "text", &style);
	t_contains(text, "\nfill      fill.c:10  [anon]", "by count");
	free(text);
	style.sort = REPORT_SORT_MEAN;
	text = formatted(doc, "text", &style);
	t_contains(text, "\nscan      libscan.so+0x100  data.bin  file-minor", "by the mean");
	free(text);
	model_trace_free(doc);
}

static void test_csv(void)
{
	struct model_trace *doc = filled();
	struct report_style style = {.width = 0};
	char *text;

	text = formatted(doc, "csv", &style);
	t_contains(text, "at_ns,thread,pid,tid,comm,kind,latency_ns,",
		   "with each fault: one line a fault");
	t_contains(text, "\n42,,,,,anon-write,,,0,0,start-up,0x0,,,,,,,\n",
		   "what is not known is empty");
	free(text);
	doc->bill->n_each = 0;
	text_copy(doc->bill->sites[0].stack[1].function, MODEL_BILL_FUNCTION, "=a,\"b\"");
	text = formatted(doc, "csv", &style);
	t_contains(text,
		   "kind,mapping,function,file,line,module,offset,count,n_timed,time_ns,raw_ns,",
		   "else one line a site");
	t_contains(
		text,
		"\nanon-write,[anon],\"'=a,\"\"b\"\"\",src/fill.c,10,/bin/p,0x10a,200,200,300000000,",
		"names are quoted, and no formula");
	free(text);
	doc->bill->sites[0].mapping = MODEL_NO_ROW;
	doc->bill->sites[0].n_stack = 0;
	text = formatted(doc, "csv", &style);
	t_contains(text, "\nrest,,,,,,,200,", "what did not fit is of no kind");
	free(text);
	model_trace_free(doc);
}

static void test_folded(void)
{
	static char *const words[] = {(char *)"/opt/pro;gram", (char *)"-x"};
	struct model_trace *doc = filled();
	char *text;

	t_is_i64(model_trace_set_command(doc, 2, words), 0, "a command");
	text = formatted(doc, "folded", NULL);
	t_contains(text, "pro:gram;main;fill;memset;[anon-write [anon]] 300000000\n",
		   "outermost first, weighted by time");
	t_contains(text, "pro:gram;scan;libscan.so+0x100;[file-major data.bin] 100000000\n",
		   "what has no name is module and offset");
	t_ok(!report_find("folded")->trace && !report_find("folded")->bench &&
		     !report_find("folded")->compare,
	     "others have no such form");
	t_ok(!report_find("html")->bill, "and a bill none as html");
	free(text);
	model_trace_free(doc);
}

#define HEAD "{\"schema\": 1, \"kind\": \"trace\", \"source\": \"perf\""
#define TOTALS HEAD ", \"totals\": {}, \"reconciliation\": {}"

static const struct {
	const char *text, *sentence;
} bad[] = {
	{HEAD "}", "doc: has no \"totals\""},
	{HEAD ", \"totals\": []}", "doc: \"totals\" must be an object"},
	{HEAD ", \"totals\": {}}", "doc: has no \"reconciliation\""},
	{HEAD ", \"totals\": {\"count\": -1}}",
	 "doc: \"count\" must be a whole number, not negative"},
	{HEAD ", \"totals\": {\"count\": 9223372036854775807}}",
	 "doc: \"count\" is an impossible count"},
	{HEAD ", \"totals\": {\"count\": 1, \"major\": 2}}",
	 "doc: counts more faults of a sort than faults"},
	{HEAD ", \"totals\": {\"count\": 1, \"n_timed\": 2}}",
	 "doc: counts more faults of a sort than faults"},
	{HEAD ", \"totals\": {\"time_ns\": -5}}", "doc: \"time_ns\" is impossible"},
	{HEAD ", \"totals\": {\"time_ns\": 1e300}}", "doc: \"time_ns\" is impossible"},
	{HEAD ", \"totals\": {\"raw_ns\": \"5\"}}", "doc: \"raw_ns\" must be a number"},
	{HEAD ", \"totals\": {}, \"reconciliation\": {\"unexplained\": 9223372036854775807}}",
	 "doc: \"unexplained\" is an impossible count"},
	{HEAD ", \"totals\": {}, \"reconciliation\": {\"unexplained\": -9223372036854775807}}",
	 "doc: \"unexplained\" is an impossible count"},
	{HEAD ", \"totals\": {}, \"reconciliation\": {\"rusage_major\": 9223372036854775807}}",
	 "doc: \"rusage_major\" is an impossible count"},
	{HEAD ", \"pids\": [0]}", "doc: \"pids\" must hold processes"},
	{HEAD ", \"pids\": [\"1\"]}", "doc: \"pids\" must hold processes"},
	{HEAD ", \"pids\": {}}", "doc: \"pids\" must be an array"},
	{TOTALS ", \"by_kind\": [5]}", "doc: \"by_kind\" must hold objects"},
	{TOTALS ", \"by_mapping\": {}}", "doc: \"by_mapping\" must be an array"},
	{TOTALS ", \"by_mapping\": [5]}", "doc: \"by_mapping\" must hold objects"},
	{TOTALS ", \"by_mapping\": [{\"mapping\": 5}]}", "doc: \"mapping\" must be a text"},
	{TOTALS ", \"by_site\": [{\"mapping_row\": 0}]}",
	 "doc: \"mapping_row\" 0 is no row of its 0"},
	{TOTALS ", \"by_mapping\": [{}], \"by_site\": [{\"mapping_row\": 1}]}",
	 "doc: \"mapping_row\" 1 is no row of its 1"},
	{TOTALS ", \"by_site\": [{\"mapping_row\": 4294967296}]}",
	 "doc: \"mapping_row\" is too large"},
	{TOTALS ", \"by_site\": [{\"stack\": {}}]}", "doc: \"stack\" must be an array"},
	{TOTALS ", \"by_site\": [{\"stack\": [5]}]}", "doc: a frame must be an object"},
	{TOTALS ", \"by_site\": [{}, {\"stack\": [{\"module_offset\": 16}]}]}",
	 "doc: \"module_offset\" must be a text"},
	{TOTALS ", \"by_site\": [{\"stack\": [{\"module_offset\": \"0x1g\"}]}]}",
	 "doc: \"module_offset\" must be an address"},
	{TOTALS ", \"by_site\": [{\"stack\": [{\"module_offset\": \"0x11111111111111111\"}]}]}",
	 "doc: \"module_offset\" must be an address"},
	{TOTALS ", \"by_site\": [{\"stack\": [{\"line\": 4294967296}]}]}",
	 "doc: \"line\" is too large"},
	{TOTALS ", \"by_thread\": [{\"tid\": -2}]}", "doc: \"tid\" is no process or thread"},
	{TOTALS ", \"timeline\": [{\"kinds\": {\"cow\": [1]}}]}",
	 "doc: a moment of \"timeline\" is impossible"},
	{TOTALS ", \"timeline\": [{\"kinds\": {\"cow\": [-1, 5]}}]}",
	 "doc: a moment of \"timeline\" is impossible"},
	{TOTALS ", \"timeline\": [{\"kinds\": {\"cow\": [1, 1e300]}}]}",
	 "doc: a moment of \"timeline\" is impossible"},
	{TOTALS ", \"timeline\": [{\"kinds\": []}]}", "doc: \"kinds\" must be an object"},
	{TOTALS ", \"moment_ns\": 9223372036854775807}",
	 "doc: \"moment_ns\" is an impossible time"},
	{TOTALS ", \"worst\": [{\"at_ns\": 9223372036854775807}]}",
	 "doc: \"at_ns\" is an impossible time"},
	{TOTALS ", \"worst\": [{\"site_row\": 0}]}", "doc: \"site_row\" 0 is no row of its 0"},
	{TOTALS ", \"worst\": [{\"thread_row\": 0}]}", "doc: \"thread_row\" 0 is no row of its 0"},
	{TOTALS ", \"each\": [{\"latency_ns\": -1}]}", "doc: \"latency_ns\" is impossible"},
	{TOTALS ", \"each_left_out\": 9223372036854775807}",
	 "doc: \"each_left_out\" is an impossible count"},
	{TOTALS ", \"deadline\": {\"deadline_ns\": 9223372036854775807}}",
	 "doc: \"deadline_ns\" is an impossible time"},
	{TOTALS ", \"counts\": {\"lost\": 5}}", "doc: \"lost\" must be an object"},
	{TOTALS ", \"wall_ns\": 9223372036854775807}",
	 "doc: counts an impossible number of faults or seconds"},
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

/* An array of so many empty rows. */
static char *many(const char *key, size_t n, const char *row, const char *behind)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)fprintf(out, TOTALS ", \"%s\": [%s", key, row);
	while (--n)
		(void)fprintf(out, ",%s", row);
	(void)fprintf(out, "]%s}", behind);
	(void)fclose(out);
	return text;
}

static void test_bounds(void)
{
	static const struct {
		const char *key;
		size_t most;
	} arrays[] = {
		{"by_mapping", MODEL_MAX_MAPPINGS}, {"by_site", MODEL_MAX_SITES},
		{"by_thread", MODEL_MAX_THREADS},   {"timeline", MODEL_MAX_MOMENTS},
		{"worst", MODEL_MAX_WORST},         {"each", MODEL_MAX_EACH},
	};
	struct model_document doc;
	struct why why;
	char *text;
	int r;

	for (size_t i = 0; i < ARRAY_LEN(arrays); i++)
		for (size_t over = 0; over < 2; over++) {
			text = many(arrays[i].key, arrays[i].most + over, "{}", "");
			doc = read_text(text, &r, &why);
			t_ok(over ? r < 0 && strstr(why.text, "more than any run keeps") : r == 0,
			     "%zu rows of %s: %s", arrays[i].most + over, arrays[i].key, why.text);
			model_document_free(&doc);
			free(text);
		}
	text = many("by_site\": [{\"stack", MODEL_MAX_STACK + 1, "{}", "}]");
	doc = read_text(text, &r, &why);
	t_ok(r < 0 && strstr(why.text, "a stack has 25 frames"), "a stack too deep: %s", why.text);
	model_document_free(&doc);
	free(text);
	text = many("by_kind", 4 * (size_t)MODEL_N_FAULT_KINDS + 1, "{}", "");
	doc = read_text(text, &r, &why);
	t_ok(r < 0, "more kinds than there can be: %s", why.text);
	model_document_free(&doc);
	free(text);
}

/* Numbers that no run makes, each alone allowed; kinds of a newer pagetoll; names that steer a terminal. */
static void test_extremes(void)
{
	static const char *const formats[] = {"json", "text", "csv", "folded"};
	static const char text[] = HEAD
		", \"wall_ns\": 2305843009213693951, \"command\": [\"\"], \"moment_ns\": 1, "
		"\"totals\": {\"count\": 281474976710656, \"time_ns\": 2e17, \"raw_ns\": 0}, "
		"\"reconciliation\": {\"rusage_minor\": 281474976710656, \"unexplained\": -281474976710656}, "
		"\"deadline\": {\"deadline_ns\": 288230376151711744, \"late\": 281474976710656}, "
		"\"by_kind\": [{\"kind\": \"novel\", \"count\": 3}, {\"kind\": \"newer\", \"count\": 4}], "
		"\"by_mapping\": [{\"mapping\": \"/\\u001b[31m\\u202ex\\n\", \"count\": 1, \"time_ns\": 0}], "
		"\"by_site\": [{\"count\": 1, \"time_ns\": 5, \"mapping_row\": 0, \"stack\": [{\"function\": "
		"\"f\\u009b;g\\r\", \"file\": \"\\u001b]0;x\\u0007\", \"line\": 4294967295}]}], "
		"\"by_thread\": [{\"comm\": \"\\u001b[2J\", \"cpu_ns\": 0, \"count\": 1, \"time_ns\": 1}], "
		"\"timeline\": [{\"kinds\": {\"novel\": [281474976710656, 2e17]}}], "
		"\"worst\": [{\"at_ns\": 288230376151711744, \"latency_ns\": 2e17, \"thread_row\": 0, "
		"\"mapping_row\": 0, \"site_row\": 0, \"address\": \"0xffffffffffffffff\"}]}";
	struct report_style style = {.verbose = true, .width = 1};
	struct model_document doc;
	struct why why;
	char *shown;
	int r;

	doc = read_text(text, &r, &why);
	t_ok(doc.trace != NULL, "numbers that no run makes are read: %s", why.text);
	if (!doc.trace)
		return;
	t_is_u64(doc.trace->bill->kinds[MODEL_UNKNOWN].cost.count, 7,
		 "newer kinds are unknown ones");
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		shown = formatted(doc.trace, formats[i], &style);
		t_ok(shown && !strstr(shown, "nan") && !strstr(shown, "inf"), "shown as %s",
		     formats[i]);
		t_ok(shown && !strpbrk(shown, "\033\a\r") && !strstr(shown, "\xc2\x9b") &&
			     !strstr(shown, "\xe2\x80\xae"),
		     "which steers no terminal");
		free(shown);
	}
	model_document_free(&doc);
}

int main(void)
{
	test_round_trip();
	test_attached();
	test_unknown();
	test_deadline();
	test_sort();
	test_csv();
	test_folded();
	test_bad();
	test_bounds();
	test_extremes();
	return t_done();
}
