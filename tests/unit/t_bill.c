/* SPDX-License-Identifier: MIT */
/* What follows from the rows of a bill: order, culprits, shares, phases, and the verdict's sentence. */
#include "tests/tap.h"
#include "tests/unit/made_up_bill.h"

static struct model_trace *doc;
static struct model_bill *b;

static void begin(void)
{
	model_trace_free(doc);
	doc = made_up_bill();
	b = doc->bill;
}

static void test_names(void)
{
	bool all = true;

	for (int k = 0; k < MODEL_N_FAULT_KINDS; k++)
		all = all && model_fault_kind_find(model_fault_kind_names[k]) == k &&
		      model_fault_kind_words[k];
	t_ok(all, "each kind is found by its name, and has words");
	t_is_i64(model_fault_kind_find("novel"), -1, "others are not");
	for (size_t i = 0; i < MODEL_N_BILL_COUNTS; i++)
		all = all && model_bill_count_names[i] && model_bill_count_rules[i];
	t_ok(all, "each count has a name and a rule");
	t_is_str(model_base_name("/a/b.c"), "b.c", "the end of a path");
	t_is_str(model_base_name("b.c"), "b.c", "of a path without folders all of it");
	t_is_str(model_base_name("/a/"), "/a/", "a folder is itself");
}

static void is_frame_text(struct model_frame f, bool has_dir, const char *expected)
{
	char text[128];

	model_frame_text(&f, has_dir, text, sizeof(text));
	t_is_str(text, expected, "a frame: %s", expected);
}

static void test_frame_text(void)
{
	is_frame_text(made_up_frame("f", "/home/u/src/x.c", 88, "/bin/p"), false, "f (x.c:88)");
	is_frame_text(made_up_frame("f", "/home/u/src/x.c", 88, "/bin/p"), true, "f (src/x.c:88)");
	is_frame_text(made_up_frame("f", "src/x.c", 0, ""), true, "f (src/x.c)");
	is_frame_text(made_up_frame("f", "/x.c", 1, ""), true, "f (/x.c:1)");
	is_frame_text(made_up_frame("", "", 0, "/lib/libz.so"), true, "libz.so+0x100");
	is_frame_text(made_up_frame("", "x.c", 3, ""), true, "(x.c:3)");
	is_frame_text(made_up_frame("", "", 0, ""), true, "");
	is_frame_text(
		made_up_frame(
			"a_name_of_more_letters_than_any_sentence_has_room_for_and_so_it_is_cut",
			"", 0, ""),
		true, "a_name_of_more_letters_than_any_sentence_has_room_for_and_so_it..");
}

static void test_order(void)
{
	enum model_fault_kind kinds[MODEL_N_FAULT_KINDS];

	begin();
	model_bill_derive(doc);
	t_is_str(b->mappings[0].name, "/srv/data.bin",
		 "equal times: the first that came stays first");
	t_is_str(b->mappings[1].name, "[anon]", "then the other");
	t_is_str(b->mappings[2].name, "[heap]", "the cheapest mapping last");
	t_is_double(b->sites[0].cost.time_ns, 300e6, 0, "the dearest site first");
	t_is_u64(b->sites[0].mapping, 1, "its mapping has moved");
	t_is_str(b->threads[0].comm, "main", "the dearest thread first");
	t_is_double(b->worst[0].latency_ns, 30e6, 0, "the longest fault first");
	t_is_u64(b->worst[0].thread, 1, "its thread has moved");
	t_is_u64(b->worst[0].mapping, 0, "its mapping has moved");
	t_is_u64(b->sites[b->worst[0].site].kind, MODEL_FILE_MAJOR, "its site is the same");
	t_is_u64(b->sites[b->worst[1].site].kind, MODEL_ANON_WRITE, "the other's, too");
	t_is_u64(model_bill_kinds(b, kinds), 3, "three kinds occurred");
	t_ok(kinds[0] == MODEL_ANON_WRITE && kinds[1] == MODEL_FILE_MINOR &&
		     kinds[2] == MODEL_FILE_MAJOR,
	     "by time, not by count");
	t_is_u64(b->mappings[0].kind, MODEL_FILE_MINOR, "a mapping's kind is what cost most of it");
	t_is_u64(b->mappings[1].kind, MODEL_ANON_WRITE, "of each");
	model_bill_derive(doc);
	t_is_u64(b->sites[0].mapping, 1, "derived twice it is the same");
}

static void test_each_in_order(void)
{
	begin();
	b->n_each = 3;
	b->each = made_up_rows(3, sizeof(*b->each));
	for (size_t i = 0; i < 3; i++)
		b->each[i] = (struct model_fault_row){.at_ns = (30 - 10 * i) * 10 * MADE_UP_MS,
						      .thread = 0,
						      .mapping = MODEL_NO_ROW,
						      .site = MODEL_NO_ROW};
	model_bill_derive(doc);
	t_ok(b->each[0].at_ns < b->each[1].at_ns && b->each[1].at_ns < b->each[2].at_ns,
	     "faults in time order");
	t_is_u64(b->each[0].thread, 1, "their thread has moved");
	t_is_u64(b->each[0].mapping, MODEL_NO_ROW, "what has no mapping keeps none");
	t_ok(b->each[0].phase == MODEL_PHASE_START && b->each[2].phase == MODEL_PHASE_STEADY,
	     "each has its phase");
}

static void test_culprit(void)
{
	begin();
	model_bill_derive(doc);
	t_is_str(model_site_culprit(&b->sites[0])->function, "fill",
		 "the first with a source file, not the library");
	text_copy(b->sites[0].stack[0].file, MODEL_BILL_NAME, "string/memset.S");
	model_bill_derive(doc);
	t_is_str(model_site_culprit(&b->sites[0])->function, "fill",
		 "nor where the library's source is known");
	b->sites[0].stack[1].file[0] = b->sites[0].stack[2].file[0] = 0;
	model_bill_derive(doc);
	t_is_str(model_site_culprit(&b->sites[0])->function, "fill",
		 "a name of others' code is better");
	b->sites[0].n_stack = 2;
	text_copy(b->sites[0].stack[1].function, MODEL_BILL_FUNCTION, "_start");
	model_bill_derive(doc);
	t_is_str(model_site_culprit(&b->sites[0])->function, "memset",
		 "save one that is the library's, too");
	t_is_str(model_site_culprit(&b->sites[1])->function, "scan", "else the first named");
	b->sites[1].stack[1].function[0] = 0;
	model_bill_derive(doc);
	t_is_u64(b->sites[1].culprit, 0, "else the instruction");
	b->sites[1].n_stack = 0;
	model_bill_derive(doc);
	t_ok(!model_site_culprit(&b->sites[1]), "without a stack there is none");
}

static void test_shares(void)
{
	begin();
	model_bill_derive(doc);
	t_is_double(b->threads[0].share, 0.4, 1e-9, "main: 400 ms of a second");
	t_is_double(b->threads[1].share, 300.0 / 390, 1e-9,
		    "reader: of 100 ms on the CPU and 290 ms blocked");
	t_is_double(b->worst_thread_share, 300.0 / 390, 1e-9, "the worst thread's");
	t_is_double(b->process_share, 700.0 / 1390, 1e-9, "of both together");
	t_is_double(b->share_of_wall, 0.7, 1e-9, "of the wall time");
	t_is_double(doc->totals.time_ns.mid, 700e6, 0, "the total both sources have");
	t_is_double(doc->totals.share.mid, 300.0 / 390, 1e-9, "and the share that decides");
	b->slowdown_ns = 330e6;
	model_bill_derive(doc);
	t_is_double(b->threads[0].share, 400.0 / 700, 1e-9,
		    "what the tracer cost is not main's own time");
	b->slowdown_ns = NAN;
	b->threads[1].cpu_ns = 30e6;
	model_bill_derive(doc);
	t_is_double(b->worst_thread_share, 300.0 / 320, 1e-9,
		    "a thread of a twentieth and more counts");
	b->threads[1].cost = made_up_cost(1, 39e6, 1e6);
	b->threads[1].cpu_ns = 39e6;
	model_bill_derive(doc);
	t_is_double(b->worst_thread_share, 0.4, 1e-9, "one that hardly ran does not");
	t_is_double(b->process_share, 439.0 / 1040, 1e-9, "but in the process");
	t_is_double(model_bill_share(b), 439.0 / 1040, 1e-9,
		    "whose share decides where it is larger");
}

static void test_unknown_shares(void)
{
	begin();
	b->threads[0].cpu_ns = b->threads[1].cpu_ns = NAN;
	model_bill_derive(doc);
	t_is_double(b->process_share, NAN, 0, "without CPU times no share");
	t_is_double(b->worst_thread_share, NAN, 0, "nor a worst thread");
	begin();
	b->threads[0].cost.blocked_ns = b->threads[0].cost.on_cpu_ns = NAN;
	model_bill_derive(doc);
	t_is_double(b->threads[1].share, 1, 1e-9,
		    "where switches were not seen a share is one at most");
	begin();
	b->threads[0].is_rest = true;
	model_bill_derive(doc);
	t_is_double(b->worst_thread_share, 0.4, 1e-9, "all others together are no thread");
	b->total.time_ns = b->sites[0].cost.on_cpu_ns = -5;
	model_bill_derive(doc);
	t_ok(b->total.time_ns == 0 && b->sites[0].cost.on_cpu_ns == 0,
	     "nothing took less than nothing");
}

static void is_phase(enum model_phase phase, uint64_t from_ms, uint64_t to_ms, uint64_t count,
		     const char *name)
{
	const struct model_phase_row *p = &b->phases[phase];

	t_is_u64(p->from_ns, from_ms * MADE_UP_MS, "%s: %s from", name, model_phase_names[phase]);
	t_is_u64(p->to_ns, to_ms * MADE_UP_MS, "%s: %s to", name, model_phase_names[phase]);
	t_is_u64(p->count, count, "%s: %s faults", name, model_phase_names[phase]);
}

static void test_phases(void)
{
	begin();
	model_bill_derive(doc);
	is_phase(MODEL_PHASE_START, 0, 300, 330, "a burst at the start");
	is_phase(MODEL_PHASE_STEADY, 300, 1000, 0, "a burst at the start");
	is_phase(MODEL_PHASE_EXIT, 1000, 1000, 0, "a burst at the start");
	t_is_double(b->phases[MODEL_PHASE_START].time_ns, 600e6, 0, "with its time");
	t_ok(b->worst[0].phase == MODEL_PHASE_START && b->worst[1].phase == MODEL_PHASE_STEADY,
	     "faults have the phase they came in");
	t_ok(model_bill_worst_later(b) == &b->worst[1], "the longest after start-up");
	b->n_worst = 1;
	t_ok(!model_bill_worst_later(b), "or none");

	doc->n_pids = 1;
	model_bill_derive(doc);
	is_phase(MODEL_PHASE_STEADY, 0, 1000, 330, "what was attached to had started");
	doc->n_pids = 0;
	doc->wall_ns = 8 * MADE_UP_MS;
	model_bill_derive(doc);
	is_phase(MODEL_PHASE_START, 0, 8, 330, "a run of 8 ms is all start-up");
	is_phase(MODEL_PHASE_STEADY, 8, 8, 0, "a run of 8 ms is all start-up");
	t_is_u64(b->worst[0].phase, MODEL_PHASE_START, "and so are faults past its end");
}

static void test_moments(void)
{
	begin();
	b->n_moments = 32;
	model_bill_derive(doc);
	is_phase(MODEL_PHASE_START, 0, 300, 330, "moments that are not kept are quiet");
	begin();
	b->moments[97].time_ns[MODEL_COW] = b->moments[98].time_ns[MODEL_COW] = 20e6;
	b->moments[97].count[MODEL_COW] = 3;
	b->worst[0].at_ns = 975 * MADE_UP_MS;
	model_bill_derive(doc);
	is_phase(MODEL_PHASE_EXIT, 970, 1000, 3, "a burst at the end");
	t_is_u64(b->worst[1].phase, MODEL_PHASE_EXIT, "and a fault in it");
	begin();
	free(b->moments);
	b->moments = NULL;
	b->n_moments = 0;
	b->moment_ns = 0;
	model_bill_derive(doc);
	is_phase(MODEL_PHASE_STEADY, 0, 1000, 0, "without moments nothing is known of a start");
	begin();
	b->moment_ns = 100 * MADE_UP_MS;
	model_bill_derive(doc);
	t_ok(b->phases[MODEL_PHASE_START].to_ns <= doc->wall_ns &&
		     b->phases[MODEL_PHASE_EXIT].from_ns <= doc->wall_ns,
	     "no phase ends behind the run's end");
}

static void is_verdict(enum model_trace_verdict_id id, const char *text)
{
	model_trace_derive(doc);
	t_is_str(doc->verdict.text, text, "the sentence");
	t_is_str(model_trace_verdict_names[doc->verdict.id], model_trace_verdict_names[id],
		 "and its id");
}

#define PHASES \
	"; start-up pays 600 ms once in its first 300 ms, steady state is clean (0 ns of 700 ms)"

static void test_verdict(void)
{
	begin();
	is_verdict(
		MODEL_FAULT_BILL,
		"faults cost 700 ms of 1.39 s thread time (50 %; worst thread 77 %): 400 ms zero-fill in "
		"fill (src/fill.c:10), 300 ms waiting for data.bin" PHASES);
	begin();
	b->n_threads = 1;
	b->sites[2].cost.blocked_ns = 0;
	b->sites[0].cost.time_ns = 1e6;
	is_verdict(
		MODEL_FAULT_BILL,
		"faults cost 700 ms of 1.39 s (50 %): 301 ms zero-fill in fill (src/fill.c:10), 200 ms "
		"mapping cached pages of data.bin, 100 ms waiting for data.bin" PHASES);
	begin();
	b->n_processes = 3;
	b->threads[0].cpu_ns = b->threads[1].cpu_ns = NAN;
	for (size_t i = 0; i < b->n_sites; i++)
		free(b->sites[i].stack);
	b->n_sites = 0;
	is_verdict(
		MODEL_FAULT_BILL,
		"3 processes, 1 s: faults cost 700 ms of 1 s wall time (70 %): 400 ms zero-fill, 200 ms "
		"mapping cached pages, 100 ms waiting for a file" PHASES);
	begin();
	b->threads[0].cpu_ns = 20e9;
	b->threads[1].cpu_ns = 20e9;
	is_verdict(
		MODEL_FAULTS_NOT_THE_PROBLEM,
		"faults are not the problem: 700 ms of 40.3 s thread time (1.7 %; worst thread 2.0 %)" PHASES);
	b->threads[0].cpu_ns = 7e9;
	for (size_t i = 30; i < b->n_moments; i++)
		b->moments[i].time_ns[MODEL_ANON_WRITE] = 1e6;
	model_trace_derive(doc);
	t_contains(doc->verdict.text, ", steady state pays 70 ms of 700 ms",
		   "one that is not clean");
	model_trace_derive(doc);
	t_is_u64(doc->verdict.id, MODEL_FAULT_BILL, "the worst thread decides");
	b->total.count = 0;
	is_verdict(MODEL_FAULTS_NOT_THE_PROBLEM,
		   "faults are not the problem: none was seen in 1 s");
}

/* The row of all sites that did not fit is of no kind: what is named is the dearest of the others. */
static void test_rest_is_not_named(void)
{
	begin();
	b->sites[3].kind = MODEL_UNKNOWN;
	b->sites[3].mapping = MODEL_NO_ROW;
	b->sites[3].n_stack = 0;
	t_ok(model_site_is_rest(&b->sites[3]) && !model_site_is_rest(&b->sites[2]), "the rest");
	model_trace_derive(doc);
	t_contains(doc->verdict.text, ": 300 ms waiting for data.bin, 100 ms zero-fill in fill",
		   "the dearest that have a name are named");
	t_ok(!strstr(doc->verdict.text, "unknown kind"), "and the rest is no unknown kind");
}

/* Verdicts of a bill whose dearest site is of one kind, in a file or in memory. */
static void test_words(void)
{
	static const struct {
		enum model_fault_kind kind;
		const char *file, *memory;
	} words[] = {
		{MODEL_COW, "copying pages of data.bin", "copying after fork in fill"},
		{MODEL_WP_REUSE, "re-enabling writes in fill", "re-enabling writes in fill"},
		{MODEL_FILE_MKWRITE, "first writes to data.bin", "first writes to a file in fill"},
		{MODEL_THP, "huge-page fill in fill", "huge-page fill in fill"},
		{MODEL_SWAP_IN, "swap-in in fill", "swap-in in fill"},
		{MODEL_UNKNOWN, "faults of unknown kind in fill", "faults of unknown kind in fill"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (int in_file = 0; in_file < 2; in_file++) {
			begin();
			b->sites[3].kind = words[i].kind;
			b->sites[3].mapping = in_file ? 1 : MODEL_NO_ROW;
			model_trace_derive(doc);
			t_contains(doc->verdict.text, in_file ? words[i].file : words[i].memory,
				   "%s in %s", model_fault_kind_names[words[i].kind],
				   in_file ? "a file" : "memory");
		}
}

int main(void)
{
	test_names();
	test_frame_text();
	test_order();
	test_each_in_order();
	test_culprit();
	test_shares();
	test_unknown_shares();
	test_phases();
	test_moments();
	test_verdict();
	test_words();
	test_rest_is_not_named();
	model_trace_free(doc);
	return t_done();
}
