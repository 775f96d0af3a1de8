/* SPDX-License-Identifier: MIT */
/* Faults made of entries, completions and switches: each rule of pairing with made-up records. */
#include "src/trace/pair.h"
#include "tests/tap.h"

enum { PAGE = 8192, MOST_FAULTS = 64 };
#define A UINT64_C(0x10000)
#define B UINT64_C(0x20000)

static struct trace_pairs pairs;
static struct trace_thread thread;
static struct trace_fault faults[MOST_FAULTS];
static size_t n_faults;

static void keep(void *data, const struct trace_fault *fault)
{
	size_t *n = data;

	if (*n < MOST_FAULTS)
		faults[*n] = *fault;
	(*n)++;
}

static void begin(void)
{
	n_faults = 0;
	thread = (struct trace_thread){.pid = 7, .tid = 8};
	pairs = (struct trace_pairs){
		.hook = keep, .data = &n_faults, .page_mask = ~(uint64_t)(PAGE - 1)};
}

/* --- records ------------------------------------------------------------------------------------------------ */

static struct trace_record entry_record(uint64_t time_ns, uint64_t address)
{
	return (struct trace_record){
		.type = TRACE_RECORD_ENTRY,
		.time_ns = time_ns,
		.address = address,
		.ip = 0x400,
		.sp = 0x7000,
		.bp = 0x7010,
	};
}

static bool enter(uint64_t time_ns, uint64_t address)
{
	struct trace_record r = entry_record(time_ns, address);

	return trace_pairs_entry(&pairs, &thread, &r, 0);
}

static bool enter_lean(uint64_t time_ns, uint64_t address)
{
	struct trace_record r = entry_record(time_ns, address);

	r.is_lean = true;
	return trace_pairs_entry(&pairs, &thread, &r, 0);
}

static bool enter_kernel(uint64_t time_ns, uint64_t address)
{
	struct trace_record r = entry_record(time_ns, address);

	r.kernel_mode = true;
	return trace_pairs_entry(&pairs, &thread, &r, 0);
}

static void done_as(uint64_t time_ns, uint64_t address, bool major, bool kernel_mode)
{
	static const uint64_t chain[] = {(uint64_t)-512, 0x401, 0x500};
	struct trace_record r = {
		.type = TRACE_RECORD_DONE,
		.time_ns = time_ns,
		.address = address,
		.page_bytes = PAGE,
		.major = major,
		.kernel_mode = kernel_mode,
		.chain = chain,
		.n_chain = 3,
	};

	trace_pairs_done(&pairs, &thread, &r);
}

static void done(uint64_t time_ns, uint64_t address)
{
	done_as(time_ns, address, false, false);
}

static void out(uint64_t time_ns, bool preempted)
{
	struct trace_record r = {
		.type = TRACE_RECORD_SWITCH_OUT, .time_ns = time_ns, .preempted = preempted};

	trace_pairs_switch(&thread, &r);
}

static void in(uint64_t time_ns)
{
	struct trace_record r = {.type = TRACE_RECORD_SWITCH_IN, .time_ns = time_ns};

	trace_pairs_switch(&thread, &r);
}

/* --- what came of them ----------------------------------------------------------------------------------------- */

/* "" or the counts that are not 0, in their order. */
static const char *counts(void)
{
	static char text[200];
	size_t n = 0;

	text[0] = 0;
	for (int i = 0; i < MODEL_N_BILL_COUNTS && n < sizeof(text); i++)
		if (pairs.counts[i])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %d", n ? " " : "",
					      model_bill_count_names[i], (int)pairs.counts[i]);
	return text;
}

/* "10000 @100 +50", and what else is to be said of it. */
static const char *told(size_t i)
{
	static char text[200];
	const struct trace_fault *f = &faults[i];

	if (i >= n_faults)
		return "-";
	(void)snprintf(text, sizeof(text), "%" PRIx64 " @%" PRIu64 " +%" PRIu64 "%s%s%s%s%s%s",
		       f->address, f->entered_ns, f->latency_ns, f->timed ? "" : " untimed",
		       f->major ? " major" : "", f->kernel_mode ? " kernel" : "",
		       f->unfinished ? " unfinished" : "", f->unentered ? " unentered" : "",
		       f->is_lean ? " lean" : "");
	return text;
}

static void expect(size_t n, const char *what_counts, const char *what)
{
	t_is_u64(n_faults, n, "%s: so many faults", what);
	t_is_str(counts(), what_counts, "%s: counts", what);
}

static void test_normal(void)
{
	begin();
	t_ok(enter(100, A + 8), "an entry is a fault of its own");
	done(150, A + 8);
	t_is_str(told(0), "10008 @100 +50", "a fault: its entry, its latency");
	t_ok(faults[0].ip == 0x400 && faults[0].sp == 0x7000 && faults[0].bp == 0x7010,
	     "instruction and registers are the entry's");
	t_ok(faults[0].page_bytes == PAGE && faults[0].n_chain == 3 && faults[0].thread == &thread,
	     "page and chain are the completion's");
	enter(200, B);
	done_as(900, B + 16, true, false);
	t_is_str(told(1), "20000 @200 +700 major", "another address of the page: the same fault");
	expect(2, "", "normal");
}

static void test_present(void)
{
	struct trace_record r = entry_record(100, A);

	begin();
	r.page_bytes = PAGE;
	trace_pairs_entry(&pairs, &thread, &r, 0);
	done(110, A);
	t_ok(faults[0].present, "a page that was there");
	enter(200, B);
	done(210, B);
	t_ok(!faults[1].present, "and one that was not");
}

static void tell_code(uint64_t address, uint64_t code)
{
	struct trace_record r = {.type = TRACE_RECORD_CODE, .address = address, .code = code};

	trace_pairs_code(&thread, &r);
}

static void test_codes(void)
{
	begin();
	tell_code(A + 8, TRACE_CODE_WRITE);
	enter(100, A + 8);
	done(150, A);
	t_ok(faults[0].has_code && faults[0].is_write, "a write is told by its code");
	tell_code(A, 0);
	enter(200, A);
	done(250, A);
	t_ok(faults[1].has_code && !faults[1].is_write, "and a read");
	enter(300, A);
	done(350, A);
	t_ok(!faults[2].has_code, "a code is of one fault");
	tell_code(B, TRACE_CODE_WRITE);
	enter(400, A);
	done(450, A);
	t_ok(!faults[3].has_code, "one of another address is of an access that did not fault");
	enter(500, B);
	done(550, B);
	t_ok(!faults[4].has_code, "and is gone then");
	tell_code(A, TRACE_CODE_WRITE);
	enter_kernel(600, A);
	done_as(610, A, false, true);
	t_ok(!faults[5].has_code, "it is of the user's fault, not of the kernel's");
	tell_code(A, TRACE_CODE_WRITE);
	enter(700, A);
	tell_code(A, TRACE_CODE_WRITE | TRACE_CODE_PRESENT);
	enter(710, A);
	done(750, A);
	t_ok(faults[6].has_code && faults[6].is_write, "a retried fault has its first");
}

static void test_retried(void)
{
	begin();
	enter(100, A);
	t_ok(enter(400, A + 4), "entered again for the same page");
	enter(700, A);
	done(900, A);
	t_is_str(told(0), "10000 @100 +800", "retried: one fault, from its first entry");
	expect(1, "retried 2", "retried");
}

static void test_unfinished(void)
{
	begin();
	enter(100, A);
	enter(300, B);
	t_is_str(told(0), "10000 @100 +0 untimed unfinished", "another page next: unfinished");
	done(350, B);
	t_is_str(told(1), "20000 @300 +50", "the other one is a fault as any");
	enter(400, A);
	done(500, B);
	expect(4, "unfinished 2 unentered 1", "completed for another page");
	t_is_str(told(2), "10000 @400 +0 untimed unfinished", "the entry is given up");
	t_is_str(told(3), "20000 @500 +0 untimed unentered", "the completion has no entry");
}

static void test_unentered(void)
{
	begin();
	done_as(500, A, true, false);
	t_is_str(told(0), "10000 @500 +0 untimed major unentered",
		 "a completion alone: counted, not timed");
	t_is_u64(faults[0].ip, 0x401, "its instruction is the chain's first that is no marker");
	expect(1, "unentered 1", "unentered");
}

static void test_nested(void)
{
	begin();
	enter(100, A);
	enter_kernel(120, B);
	done_as(140, B, false, true);
	done(200, A);
	t_is_str(told(0), "20000 @120 +20 kernel", "in kernel mode, during another");
	t_is_str(told(1), "10000 @100 +100", "the outer one goes on");
	expect(2, "nested 1", "nested");
	enter_kernel(300, A);
	done_as(310, A, false, true);
	expect(3, "nested 1", "in kernel mode and not during another");
}

static void test_lean(void)
{
	begin();
	enter_lean(100, A);
	enter_lean(200, B);
	t_is_str(told(0), "10000 @100 +0 untimed lean", "the next entry ends a lean one");
	enter_lean(300, B);
	t_is_str(told(1), "20000 @200 +0 untimed lean",
		 "of the same page, too: nothing tells whether it was retried");
	enter(400, A);
	t_is_str(told(2), "20000 @300 +0 untimed lean", "a full entry ends a lean one");
	done(450, A);
	expect(4, "untimed 3", "lean entries");
	t_is_str(told(3), "10000 @400 +50", "and is timed");
	enter_lean(500, B);
	done_as(900, B, true, false);
	t_is_str(told(4), "20000 @500 +400 major lean",
		 "a lean entry whose completion is seen is timed");
	enter_lean(1000, A);
	done(1100, B);
	t_is_str(told(5), "10000 @1000 +0 untimed lean", "whose completion is another's: not");
	expect(7, "unentered 1 untimed 4", "at the end");
}

/* Both events of one entry, one right behind the other, in either order. */
static void test_told_twice(void)
{
	struct trace_record r = entry_record(100, A);

	r.page_bytes = PAGE;
	begin();
	t_ok(enter_lean(100, A), "the lean event tells first");
	t_ok(!trace_pairs_entry(&pairs, &thread, &r, 0), "the full one tells of the same");
	done(150, A);
	t_is_str(told(0), "10000 @100 +50", "one fault, not lean any more");
	t_ok(faults[0].present, "which knows that the page was there");
	t_ok(enter(200, B) && !enter_lean(200, B), "the other way round, at the same time");
	done(260, B);
	t_is_str(told(1), "20000 @200 +60", "is one, too");
	t_ok(enter_lean(300, A) && !enter(800, A), "with two times that are close");
	done(900, A);
	t_is_str(told(2), "10000 @300 +600", "from the first");
	t_ok(enter(1000, A) && !enter(1000, A), "both look like the same event");
	done(1100, A);
	expect(4, "", "told twice");
	t_ok(enter_lean(2000, A) && enter(2000 + 30000, A), "lean and full far apart: two faults");
	done(40000, A);
	expect(6, "untimed 1", "far apart");
}

static void test_told_twice_once(void)
{
	begin();
	enter_lean(100, A);
	enter(100, A);
	t_ok(enter(500, A), "a third entry is no third telling");
	done(600, A);
	expect(1, "retried 1", "it is a retry");
	t_is_str(told(0), "10000 @100 +500", "of the first entry");
}

/* While both events are on a signal breaks off a fault; its second entry is told of twice as well. */
static void test_retried_told_twice(void)
{
	begin();
	enter(100, A);
	enter(90000, A);
	t_ok(!enter_lean(90000, A), "the second entry, told again by the lean event");
	done(90500, A);
	t_is_str(told(0), "10000 @100 +90400", "is no fault of its own");
	expect(1, "retried 1", "retried, and told twice");
}

static void test_switches(void)
{
	begin();
	in(50);
	enter(100, A);
	out(200, false);
	in(500);
	out(600, true);
	in(650);
	done(700, A);
	t_is_str(told(0), "10000 @100 +600", "a fault that slept and was preempted");
	t_ok(faults[0].blocked_ns == 300 && faults[0].preempted_ns == 50, "each apart");
	out(800, false);
	in(900);
	enter(1000, A);
	done(1100, A);
	t_ok(faults[1].blocked_ns == 0 && faults[1].preempted_ns == 0,
	     "what lies before a fault is not its");
	t_is_u64(thread.cpu_ns, (200 - 50) + (600 - 500) + (800 - 650), "time on the CPU");
}

static void test_switches_nested_and_torn(void)
{
	begin();
	enter(100, A);
	enter_kernel(200, B);
	out(300, false);
	in(400);
	done_as(500, B, false, true);
	done(600, A);
	t_ok(faults[0].blocked_ns == 100 && faults[1].blocked_ns == 100,
	     "both wait when the inner one does");
	out(700, false);
	enter(750, A);
	in(800);
	done(900, A);
	t_is_u64(faults[2].blocked_ns, 0, "away since before the entry, as records can be late");
	out(1000, false);
	out(1100, true);
	in(1200);
	t_ok(thread.cpu_ns == 500 && !thread.is_out, "out twice: on the CPU it was once");
	in(1300);
	t_ok(thread.in_ns == 1300, "in twice: since the last");
}

static void test_lost(void)
{
	struct trace_record r = entry_record(100, A);

	begin();
	trace_pairs_entry(&pairs, &thread, &r, 3);
	trace_pairs_lost(&pairs, &thread, 2);
	t_is_u64(n_faults, 0, "another ring lost records: no matter");
	trace_pairs_lost(&pairs, &thread, 3);
	t_is_str(told(0), "10000 @100 +0 untimed", "its ring did: counted, not timed");
	expect(1, "untimed 1", "lost");
	enter(200, A);
	done(250, A);
	expect(2, "untimed 1", "behind that it goes on");
	/* retried on another CPU: the completion will be in that one's ring */
	enter(300, B);
	r = entry_record(400, B);
	trace_pairs_entry(&pairs, &thread, &r, 3);
	trace_pairs_lost(&pairs, &thread, 0);
	t_is_u64(n_faults, 2, "the ring of the first entry does not matter any more");
	done(500, B);
	t_is_str(told(2), "20000 @300 +200", "the fault is whole");
}

static void test_end(void)
{
	begin();
	enter(100, A);
	enter_kernel(150, B);
	trace_pairs_end(&pairs, &thread);
	expect(2, "unfinished 2 nested 1", "the thread ends in two faults");
	t_is_str(told(1), "20000 @150 +0 untimed kernel unfinished", "one of them in kernel mode");
	enter_lean(200, A);
	trace_pairs_end(&pairs, &thread);
	expect(3, "unfinished 2 nested 1 untimed 1", "behind a lean entry it may be finished");
	trace_pairs_end(&pairs, &thread);
	t_is_u64(n_faults, 3, "it ends once");
}

/* Clocks of two CPUs differ by some nanoseconds. */
static void test_backwards(void)
{
	begin();
	enter(100, A);
	done(95, A);
	t_is_str(told(0), "10000 @100 +0", "completed before it was entered: took no time");
	enter(200, A);
	out(300, false);
	in(295);
	done(400, A);
	t_ok(faults[1].blocked_ns == 0 && faults[1].latency_ns == 200,
	     "back on a CPU before it was off: was not away");
	in(500);
	out(490, false);
	t_is_u64(thread.cpu_ns, 0, "off before it was on: no time on the CPU");
	in(600);
	out(700, false);
	t_is_u64(thread.cpu_ns, 100, "behind that it goes on");
	expect(2, "", "backwards");
}

int main(void)
{
	test_normal();
	test_present();
	test_codes();
	test_retried();
	test_unfinished();
	test_unentered();
	test_nested();
	test_lean();
	test_told_twice();
	test_told_twice_once();
	test_retried_told_twice();
	test_switches();
	test_switches_nested_and_torn();
	test_lost();
	test_end();
	test_backwards();
	return t_done();
}
