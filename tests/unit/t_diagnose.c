/* SPDX-License-Identifier: MIT */
/* Findings on made-up documents: for each one on which it is found, and near misses that are something else. */
#include "src/diagnose/diagnose.h"

#include "src/base/array.h"
#include "tests/tap.h"
#include "tests/unit/made_up_bill.h"

#include <signal.h>

/* One place, which is all that a bill has: a thousand faults, half a second of one on the CPU. */
struct story {
	const char *title;
	const char *id;    /* that is found first */
	const char *never; /* that is not found at all; NULL: any may be */
	enum model_fault_kind kind;
	const char *mapping;
	uint64_t count; /* 0: a thousand */
	/* in thousandths of the faults */
	uint32_t again, remapped, upgraded, next, onward, shared, others, on_stack, blocked;
	void (*more)(struct model_trace *doc);
};

static struct model_site_row *site_of(struct model_trace *doc)
{
	return &doc->bill->sites[0];
}

/* --- what is more to a story ---------------------------------------------------------------------------------- */

static void no_own_frames(struct model_trace *doc)
{
	site_of(doc)->stack[0] =
		made_up_frame("_dl_relocate_object", "", 0, "/lib/ld-linux-x86-64.so.2");
	site_of(doc)->n_stack = 1;
}

static void one_fork(struct model_trace *doc)
{
	doc->bill->n_forks = 1;
}

static void many_forks(struct model_trace *doc)
{
	doc->bill->n_forks = 100;
}

static void threads(struct model_trace *doc)
{
	struct model_bill *b = doc->bill;

	free(b->threads);
	b->n_threads = 9;
	b->n_threads_listed = 5;
	b->threads = made_up_rows(5, sizeof(*b->threads));
	for (int i = 0; i < 5; i++) {
		b->threads[i] = (struct model_thread_row){.pid = 7, .tid = 7 + i, .cpu_ns = 200e6};
		b->threads[i].cost = made_up_cost(200, 100e6, 0);
	}
}

static void limit_hit(struct model_trace *doc)
{
	doc->evidence.figures[MODEL_GROUP_LIMIT_HITS] = 900;
}

static void refaults(struct model_trace *doc)
{
	limit_hit(doc);
	doc->evidence.figures[MODEL_GROUP_REFAULTS_FILE] = 5000;
}

static void swapped(struct model_trace *doc)
{
	doc->evidence.figures[MODEL_VM_SWAP] = 64 * MADE_UP_MIB;
}

static void read_much(struct model_trace *doc)
{
	site_of(doc)->cost.n_major =
		site_of(doc)->kind == MODEL_FILE_MAJOR ? site_of(doc)->cost.count : 0;
	doc->evidence.figures[MODEL_DISK_READ] = 512 * MADE_UP_MIB;
}

static void eligible(struct model_trace *doc)
{
	struct model_mapping_row *m = &doc->bill->mappings[0];

	m->size_bytes = m->eligible_bytes = 64U << 20;
	m->rss_bytes = 32U << 20;
	text_copy(m->vm_flags, sizeof(m->vm_flags), "hg");
}

static void mostly_huge(struct model_trace *doc)
{
	eligible(doc);
	doc->bill->mappings[0].huge_bytes = 30U << 20;
}

static void virtual_machine(struct model_trace *doc)
{
	sys_machine_add_text(&doc->machine, "hypervisor", "kvm");
	doc->bill->fill_each_ns = 20000;
}

static void virtual_and_short(struct model_trace *doc)
{
	virtual_machine(doc);
	limit_hit(doc);
}

static void died(struct model_trace *doc, int sig, enum model_fault_kind kind, const char *mapping)
{
	struct model_bill *b = doc->bill;

	doc->signal = sig;
	b->has_fatal = true;
	b->fatal = (struct model_fault_row){
		.at_ns = 5, .latency_ns = NAN, .blocked_ns = NAN, .kind = kind};
	b->fatal.mapping = b->fatal.site = MODEL_NO_ROW;
	b->fatal_frame = made_up_frame("work", "src/work.c", 7, "/bin/p");
	text_copy(b->fatal_mapping, sizeof(b->fatal_mapping), mapping);
}

static void bus_error(struct model_trace *doc)
{
	died(doc, SIGBUS, MODEL_FILE_MINOR, "/srv/cut");
}

static void empty_pool(struct model_trace *doc)
{
	died(doc, SIGBUS, MODEL_HUGETLB, "[anon_hugepage]");
}

static void killed(struct model_trace *doc)
{
	died(doc, SIGKILL, MODEL_FILE_MINOR, "/srv/cut");
}

static void locked(struct model_trace *doc)
{
	doc->evidence.figures[MODEL_VM_LOCKED] = 8 * MADE_UP_MIB;
	doc->evidence.figures[MODEL_MEMLOCK_LIMIT] = 8 * MADE_UP_MIB;
}

static void half_locked(struct model_trace *doc)
{
	locked(doc);
	doc->evidence.figures[MODEL_VM_LOCKED] = 4 * MADE_UP_MIB;
}

static void quiet(struct model_trace *doc)
{
	site_of(doc)->cost = doc->bill->total = made_up_cost(1000, 1e6, 0);
	doc->bill->threads[0].cost = doc->bill->total;
}

static void quiet_and_killed(struct model_trace *doc)
{
	quiet(doc);
	bus_error(doc);
}

/* --- the stories ----------------------------------------------------------------------------------------------- */

#define ANON "[anon]"
#define FILE_NAME "/srv/data.bin"

static const struct story stories[] = {
	{"plain", "first-touch", "host-cold-memory", MODEL_ANON_WRITE, ANON, .onward = 1000},
	{"a cached file", "first-touch", "cold-file", MODEL_FILE_MINOR, FILE_NAME, .onward = 1000},
	{"little time", "faults-not-the-problem", "first-touch", MODEL_ANON_WRITE, ANON,
	 .more = quiet},
	{"little time, and killed", "fault-signal", "first-touch", MODEL_ANON_WRITE, ANON,
	 .more = quiet_and_killed},
	{"given back by munmap", "allocator-churn", "first-touch", MODEL_ANON_WRITE, ANON,
	 .again = 900, .remapped = 900},
	{"a heap that is trimmed", "allocator-churn", "decommit-churn", MODEL_ANON_WRITE, "[heap]",
	 .again = 900},
	{"seldom again", "first-touch", "allocator-churn", MODEL_ANON_WRITE, ANON, .again = 400,
	 .remapped = 400},
	{"given back in place", "decommit-churn", "allocator-churn", MODEL_ANON_WRITE, ANON,
	 .again = 900},
	{"again, and huge pages were to be had", "decommit-churn", "thp-eligible-not-used",
	 MODEL_ANON_WRITE, ANON, .count = 4000, .again = 900, .more = eligible},
	{"back from swap", "swap-in", "cold-file", MODEL_SWAP_IN, ANON, .count = 0},
	{"mapped again, with swap", "swap-in", "decommit-churn", MODEL_ANON_WRITE, ANON,
	 .again = 900, .more = swapped},
	{"a page each, in order", "io-per-page", "cold-file", MODEL_FILE_MAJOR, FILE_NAME,
	 .next = 900, .onward = 950, .blocked = 900},
	{"a page each, not in order", "cold-file", "io-per-page", MODEL_FILE_MAJOR, FILE_NAME,
	 .next = 100, .onward = 900, .blocked = 900},
	{"few pages in order", "cold-file", "io-per-page", MODEL_FILE_MAJOR, FILE_NAME, .count = 20,
	 .next = 900, .onward = 950, .blocked = 900},
	{"jumps, and much is read", "read-amplification", "cold-file", MODEL_FILE_MAJOR, FILE_NAME,
	 .onward = 100, .blocked = 900, .more = read_much},
	{"jumps, and little is read", "cold-file", "read-amplification", MODEL_FILE_MAJOR,
	 FILE_NAME, .onward = 100, .blocked = 900},
	{"onward, and much is read", "cold-file", "read-amplification", MODEL_FILE_MAJOR, FILE_NAME,
	 .onward = 900, .blocked = 900, .more = read_much},
	{"minor faults that sleep", "blocked-minor", "first-touch", MODEL_FILE_MINOR, FILE_NAME,
	 .onward = 900, .blocked = 800},
	{"minor faults of what is read", "blocked-minor", "first-touch", MODEL_FILE_MINOR,
	 FILE_NAME, .onward = 900, .more = read_much},
	{"pressed out and read again", "cache-thrash", "cold-file", MODEL_FILE_MAJOR, FILE_NAME,
	 .again = 600, .onward = 900, .blocked = 900, .more = refaults},
	{"read again without a shortage", "cold-file", "cache-thrash", MODEL_FILE_MAJOR, FILE_NAME,
	 .again = 600, .onward = 900, .blocked = 900},
	{"written after a fork", "cow-after-fork", "process-start", MODEL_COW, ANON, .shared = 1000,
	 .more = one_fork},
	{"written again after a fork", "cow-after-fork", "process-start", MODEL_WP_REUSE, ANON,
	 .shared = 1000, .more = one_fork},
	{"a few pages a fork", "process-start", "cow-after-fork", MODEL_COW, ANON, .shared = 1000,
	 .more = many_forks},
	{"linking", "process-start", "first-touch", MODEL_ANON_WRITE, ANON, .more = no_own_frames},
	{"pages of a library", "process-start", "first-touch", MODEL_FILE_MINOR, "/lib/libx.so.1",
	 .count = 0},
	{"first writes to a file", "shared-write-notify", "cow-after-fork", MODEL_FILE_MKWRITE,
	 FILE_NAME, .count = 0},
	{"read, then written", "zero-page-then-write", "cow-after-fork", MODEL_COW, ANON,
	 .upgraded = 900},
	{"copied, not read before", "cow-after-fork", "zero-page-then-write", MODEL_COW, ANON,
	 .upgraded = 100, .shared = 900, .more = one_fork},
	{"huge pages asked for", "thp-eligible-not-used", "first-touch", MODEL_ANON_WRITE, ANON,
	 .count = 4000, .more = eligible},
	{"huge pages came", "first-touch", "thp-eligible-not-used", MODEL_ANON_WRITE, ANON,
	 .count = 4000, .more = mostly_huge},
	{"less than some huge pages", "first-touch", "thp-eligible-not-used", MODEL_ANON_WRITE,
	 ANON, .count = 1000, .more = eligible},
	{"huge pages take long", "thp-fault-latency", "first-touch", MODEL_THP, ANON, .count = 0},
	{"huge pages that come again", "decommit-churn", "thp-fault-latency", MODEL_THP, ANON,
	 .again = 900},
	{"threads that begin", "thread-first-touch", "first-touch", MODEL_ANON_WRITE, ANON,
	 .others = 1000, .more = threads},
	{"threads beside a first one", "first-touch", "thread-first-touch", MODEL_ANON_WRITE, ANON,
	 .others = 300, .more = threads},
	{"one other thread", "first-touch", "thread-first-touch", MODEL_ANON_WRITE, ANON,
	 .others = 1000},
	{"a stack", "stack-first-touch", "first-touch", MODEL_STACK, "[stack]", .count = 0},
	{"a stack of a thread", "stack-first-touch", "first-touch", MODEL_ANON_WRITE, ANON,
	 .on_stack = 900},
	{"near a stack", "first-touch", "stack-first-touch", MODEL_ANON_WRITE, ANON,
	 .on_stack = 100},
	{"asleep with threads", "mmap-lock-contention", "first-touch", MODEL_ANON_WRITE, ANON,
	 .blocked = 800, .more = threads},
	{"asleep alone", "first-touch", "mmap-lock-contention", MODEL_ANON_WRITE, ANON,
	 .blocked = 800},
	{"a handler", "uffd-handler-latency", "mmap-lock-contention", MODEL_UFFD, ANON,
	 .blocked = 900, .more = threads},
	{"a limit that is hit", "reclaim-in-fault", "first-touch", MODEL_ANON_WRITE, ANON,
	 .more = limit_hit},
	{"dear in a virtual machine", "first-touch", "reclaim-in-fault", MODEL_ANON_WRITE, ANON,
	 .more = virtual_machine},
	{"dear, and short", "reclaim-in-fault", "host-cold-memory", MODEL_ANON_WRITE, ANON,
	 .more = virtual_and_short},
	{"a file that was cut", "fault-signal", "hugetlb-pool-short", MODEL_ANON_WRITE, ANON,
	 .more = bus_error},
	{"an empty pool", "hugetlb-pool-short", "fault-signal", MODEL_ANON_WRITE, ANON,
	 .more = empty_pool},
	{"locked all", "memlock-limit", "fault-signal", MODEL_ANON_WRITE, ANON, .more = locked},
	{"locked half", "first-touch", "memlock-limit", MODEL_ANON_WRITE, ANON,
	 .more = half_locked},
	{"killed by somebody", "first-touch", "fault-signal", MODEL_ANON_WRITE, ANON,
	 .more = killed},
};

/* --- documents --------------------------------------------------------------------------------------------------- */

static uint64_t thousandths(uint64_t n, uint32_t share)
{
	return n * share / 1000;
}

static void set_habits(struct model_site_row *site, const struct story *s)
{
	uint64_t n = site->cost.count;

	site->habits = (struct model_habits){.n = {
						     [MODEL_JUDGED] = n,
						     [MODEL_AGAIN] = thousandths(n, s->again),
						     [MODEL_REMAPPED] = thousandths(n, s->remapped),
						     [MODEL_UPGRADED] = thousandths(n, s->upgraded),
						     [MODEL_NEXT] = thousandths(n, s->next),
						     [MODEL_ONWARD] = thousandths(n, s->onward),
						     [MODEL_SHARED] = thousandths(n, s->shared),
						     [MODEL_OTHERS] = thousandths(n, s->others),
						     [MODEL_ON_STACK] = thousandths(n, s->on_stack),
					     }};
}

static struct model_trace *document(const struct story *s)
{
	const struct model_frame frames[] = {made_up_frame("work", "src/work.c", 7, "/bin/p"),
					     made_up_frame("main", "src/main.c", 5, "/bin/p")};
	struct model_trace *doc = made_up_trace();
	struct model_bill *b = model_bill_new();
	struct model_cost cost =
		made_up_cost(s->count ? s->count : 1000, 500e6, 500e6 * s->blocked / 1000);

	if (!b)
		abort();
	doc->bill = b;
	b->total = cost;
	b->time_lo_ns = b->time_hi_ns = cost.time_ns;
	b->trap_each_ns = 500;
	b->fill_each_ns = 2000;
	b->fill_huge_ns = b->fill_fresh_huge_ns = 60000;
	b->n_processes = b->n_threads = b->n_mappings = b->n_sites = b->n_threads_listed = 1;
	b->mappings = made_up_rows(1, sizeof(*b->mappings));
	text_copy(b->mappings[0].name, MODEL_BILL_NAME, s->mapping);
	b->mappings[0].cost = cost;
	b->sites = made_up_rows(1, sizeof(*b->sites));
	made_up_site(&b->sites[0], 0, s->kind, cost, 2, frames);
	b->sites[0].cost.n_major = s->kind == MODEL_FILE_MAJOR ? cost.count : 0;
	set_habits(&b->sites[0], s);
	b->threads = made_up_rows(1, sizeof(*b->threads));
	b->threads[0] = (struct model_thread_row){.pid = 7, .tid = 7, .cpu_ns = 1e9};
	b->threads[0].cost = cost;
	if (s->more)
		s->more(doc);
	model_trace_derive(doc);
	diagnose_trace(doc);
	return doc;
}

static const struct model_finding *finding(const struct model_trace *doc, const char *id)
{
	for (size_t i = 0; id && i < doc->n_findings; i++)
		if (strcmp(doc->findings[i].id, id) == 0)
			return &doc->findings[i];
	return NULL;
}

static bool is_whole(const char *text, size_t size)
{
	return text[0] && strlen(text) < size - 1;
}

static void test_saving(const struct model_finding *f, const char *title)
{
	double middle = (f->saving_lo_ns + f->saving_hi_ns) / 2;

	t_ok(isnan(middle) ||
		     (f->saving_lo_ns > 0 && f->saving_hi_ns - f->saving_lo_ns <= middle / 2),
	     "%s: a saving is no wider than half its middle", title);
}

static void test_story(const struct story *s)
{
	struct model_trace *doc = document(s);
	const struct model_finding *f = &doc->findings[0];
	bool failed = f->severity == MODEL_SEVERITY_FAILED;

	t_is_str(doc->n_findings ? f->id : "nothing", s->id, "%s: what it is", s->title);
	t_ok(!finding(doc, s->never), "%s: and not %s", s->title, s->never);
	if (doc->n_findings) {
		t_ok(is_whole(f->evidence, sizeof(f->evidence)) &&
			     is_whole(f->advice, sizeof(f->advice)),
		     "%s: evidence and advice, not cut", s->title);
		t_ok(failed || f->time_ns == doc->bill->total.time_ns, "%s: all of the time",
		     s->title);
		t_ok(strcmp(f->id, "memlock-limit") == 0 ||
			     strcmp(f->culprit.function, "work") == 0 ||
			     strcmp(f->culprit.function, "_dl_relocate_object") == 0,
		     "%s: who it is: %s", s->title, f->culprit.function);
		test_saving(f, s->title);
	}
	model_trace_free(doc);
}

/* That which nothing here stages could be wrong unseen. */
static void test_all_are_told(void)
{
	for (const struct diagnose_row *row = finding_registry; row->id; row++) {
		bool told = strcmp(row->id, "host-cold-memory") == 0; /* beside others: below */

		for (size_t i = 0; i < ARRAY_LEN(stories); i++)
			told = told || strcmp(stories[i].id, row->id) == 0;
		t_ok(told, "there is a story of %s", row->id);
		t_ok(diagnose_find(row->id) == row, "%s is found by its name", row->id);
		t_ok(*row->finding->title && *row->finding->what && *row->finding->told &&
			     *row->finding->todo && *row->finding->false_alarm,
		     "%s explains itself", row->id);
	}
	t_ok(!diagnose_find("none"), "a name that is none");
}

static void test_host_cold(void)
{
	struct story s = {"host", NULL, NULL, MODEL_ANON_WRITE, ANON, .more = virtual_machine};
	struct model_trace *doc = document(&s);
	const struct model_finding *f = finding(doc, "host-cold-memory");

	t_ok(f && f->time_ns == 500e6 - 1000 * 20000,
	     "a host that is cold: what is beyond the usual price");
	model_trace_free(doc);
	s.kind = MODEL_ANON_ZERO_READ;
	doc = document(&s);
	t_ok(!finding(doc, "host-cold-memory"), "which is not known of other kinds");
	model_trace_free(doc);
}

/* Two places of two causes: ranked by time, and together no more than all. */
static void test_rank(void)
{
	const struct model_frame frames[] = {made_up_frame("other", "src/other.c", 9, "/bin/p")};
	struct story s = {"two", NULL, NULL, MODEL_ANON_WRITE, ANON, .count = 0};
	struct model_trace *doc = document(&s);
	struct model_bill *b = doc->bill;
	struct model_site_row first = b->sites[0];

	free(b->sites);
	b->sites = made_up_rows(2, sizeof(*b->sites));
	b->n_sites = 2;
	b->sites[0] = first;
	made_up_site(&b->sites[1], 0, MODEL_UFFD, made_up_cost(10, 700e6, 600e6), 1, frames);
	b->total = made_up_cost(1010, 1200e6, 600e6);
	model_trace_derive(doc);
	diagnose_trace(doc);
	t_ok(doc->n_findings == 2 && strcmp(doc->findings[0].id, "uffd-handler-latency") == 0 &&
		     doc->findings[0].time_ns == 700e6 && doc->findings[1].time_ns == 500e6,
	     "the dearest comes first");
	t_is_u64(doc->findings[1].site, 1, "each names its place");
	model_trace_free(doc);
}

/* Counters alone come to a verdict; the finding is its name. */
static void test_counters(void)
{
	static const struct {
		enum model_trace_verdict_id verdict;
		const char *id;
	} rows[] = {
		{MODEL_FIRST_TOUCH, "first-touch"},
		{MODEL_REPEATED_TOUCH, "allocator-churn"},
		{MODEL_COLD_FILE, "cold-file"},
		{MODEL_SHORT_OF_RAM, "swap-in"},
		{MODEL_PROCESS_START, "process-start"},
		{MODEL_FAULTS_NOT_THE_PROBLEM, "faults-not-the-problem"},
		{MODEL_CANNOT_TELL, NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct model_trace *doc = made_up_trace();

		doc->verdict.id = rows[i].verdict;
		text_copy(doc->verdict.text, sizeof(doc->verdict.text), "made up");
		diagnose_trace(doc);
		t_ok(rows[i].id
			     ? doc->n_findings == 1 && strcmp(doc->findings[0].id, rows[i].id) == 0
			     : doc->n_findings == 0,
		     "counters that say %s", model_trace_verdict_names[rows[i].verdict]);
		model_trace_free(doc);
	}
}

static void test_odd(void)
{
	struct story s = {"odd", NULL, NULL, MODEL_UNKNOWN, ANON, .count = 0};
	struct model_trace *doc = document(&s);
	struct model_site_row *site = site_of(doc);

	site->mapping = MODEL_NO_ROW;
	site->n_stack = 0;
	site->cost.blocked_ns = NAN;
	doc->bill->fill_each_ns = doc->bill->fill_huge_ns = NAN;
	for (int kind = 0; kind < MODEL_N_FAULT_KINDS; kind++) {
		site->kind = (enum model_fault_kind)kind;
		diagnose_trace(doc);
		t_ok(doc->n_findings <= 1,
		     "a place of which little is known is one thing at the most: %s",
		     model_fault_kind_names[kind]);
	}
	doc->bill->n_sites = 0;
	diagnose_trace(doc);
	t_is_u64(doc->n_findings, 0, "a bill without places has no cause");
	doc->bill->n_sites = 1;
	model_trace_free(doc);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_LEN(stories); i++)
		test_story(&stories[i]);
	test_all_are_told();
	test_host_cold();
	test_rank();
	test_counters();
	test_odd();
	return t_done();
}
