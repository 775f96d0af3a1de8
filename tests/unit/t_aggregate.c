/* SPDX-License-Identifier: MIT */
/* Sums of made-up faults, and the bill made of them: tables that agree, means of like, corrections, bounds. */
#include "src/base/array.h"
#include "src/trace/aggregate.h"
#include "tests/tap.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* No kernel gives such a number to a process, so that /proc has nothing to say of it. */
enum { PID = 5000000, DISK = 8, N_STACKS = 9000, MOST_CELLS = 8000, MOST_NAMES = 3000 };
#define MS UINT64_C(1000000)
#define START_NS (1000 * MS)

static struct trace_spaces *spaces;
static struct trace_symbols *symbols;
static struct trace_stacks stacks;
static struct trace_aggregate sums;
static struct trace_corrections corrections;
static struct model_bill *bill;
static struct trace_thread threads[2];
static uint32_t names[MOST_NAMES], rows[2];

static uint64_t state = 88172645463325252U;

static uint64_t random_below(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static void end(void)
{
	model_bill_free(bill);
	bill = NULL;
	trace_aggregate_free(&sums);
	trace_stacks_free(&stacks);
	trace_symbols_free(symbols);
	trace_spaces_free(spaces);
}

/* A name for each of so many files. */
static void make_names(size_t n)
{
	char path[40];

	for (size_t i = 0; i < n; i++) {
		struct trace_mmap_event e = {
			.pid = PID,
			.start = 0x10000000 + (i << 20),
			.length = 1 << 20,
			.dev_major = DISK,
			.inode = 100 + i,
			.prot = PROT_READ | PROT_EXEC,
			.flags = MAP_PRIVATE,
			.name = path,
		};

		(void)snprintf(path, sizeof(path), "/file%zu", i);
		trace_spaces_mmap(spaces, &e);
		names[i] = trace_spaces_find(spaces, PID, e.start, false)->name;
	}
}

static uint32_t stack_at(uint64_t address)
{
	return trace_stacks_of_chain(&stacks, PID, 0, &address, 1, 0);
}

static void begin(size_t n_names)
{
	end();
	corrections = (struct trace_corrections){.slowdown_ns = 0};
	if (trace_spaces_new(&spaces) < 0 || trace_symbols_new(&symbols) < 0 ||
	    trace_stacks_init(&stacks, spaces, symbols) < 0 ||
	    trace_aggregate_init(&sums, START_NS) < 0)
		exit(EXIT_FAILURE);
	make_names(n_names);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		threads[i] = (struct trace_thread){
			.pid = PID, .tid = PID + (int32_t)i, .comm = "worker", .row = MAP_NONE};
		rows[i] = trace_aggregate_row(&sums, &threads[i]);
	}
}

/* A timed fault of the first thread, in the first file, 1 ms after the start. */
static struct trace_seen fault(enum model_fault_kind kind, uint64_t latency_ns)
{
	return (struct trace_seen){
		.thread = &threads[0],
		.row = rows[0],
		.pid = PID,
		.entered_ns = START_NS + MS,
		.address = 0x7000,
		.latency_ns = latency_ns,
		.kind = (uint8_t)kind,
		.name = names[0],
		.timed = true,
	};
}

static void add(struct trace_seen seen)
{
	trace_aggregate_add(&sums, &seen);
}

static void add_untimed(enum model_fault_kind kind, size_t n)
{
	struct trace_seen seen = fault(kind, 0);

	seen.timed = false;
	for (size_t i = 0; i < n; i++)
		add(seen);
}

static void add_timed(enum model_fault_kind kind, uint64_t latency_ns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(fault(kind, latency_ns));
}

static void finish(void)
{
	model_bill_free(bill);
	bill = model_bill_new();
	if (!bill || trace_aggregate_finish(&sums, &stacks, spaces, &corrections, bill) < 0)
		exit(EXIT_FAILURE);
}

/* --- tables that agree -------------------------------------------------------------------------------------- */

struct totals {
	uint64_t count, n_major, n_timed;
	double raw_ns, time_ns;
};

static void sum_up(struct totals *t, const struct model_cost *c)
{
	t->count += c->count;
	t->n_major += c->n_major;
	t->n_timed += c->n_timed;
	t->raw_ns += c->raw_ns;
	t->time_ns += c->time_ns;
}

static bool is_total(const struct totals *t, bool times)
{
	const struct model_cost *c = &bill->total;
	double tolerance = 1e-6 * (c->raw_ns + 1);

	return t->count == c->count && t->n_major == c->n_major && t->n_timed == c->n_timed &&
	       (!times || (fabs(t->raw_ns - c->raw_ns) < tolerance &&
			   fabs(t->time_ns - c->time_ns) < tolerance));
}

/* times: those of threads and moments as well, which is so where every fault was timed. */
static void tables_agree(const char *what, bool times)
{
	struct totals kinds = {0}, mappings = {0}, sites = {0}, by_thread = {0};
	double moments_ns = 0;
	uint64_t in_moments = 0;

	for (size_t i = 0; i < MODEL_N_FAULT_KINDS; i++)
		if (bill->kinds[i].cost.count)
			sum_up(&kinds, &bill->kinds[i].cost);
	for (size_t i = 0; i < bill->n_mappings; i++)
		sum_up(&mappings, &bill->mappings[i].cost);
	for (size_t i = 0; i < bill->n_sites; i++)
		sum_up(&sites, &bill->sites[i].cost);
	for (size_t i = 0; i < bill->n_threads_listed; i++)
		sum_up(&by_thread, &bill->threads[i].cost);
	for (size_t i = 0; i < bill->n_moments; i++)
		for (size_t k = 0; k < MODEL_N_FAULT_KINDS; k++) {
			in_moments += bill->moments[i].count[k];
			moments_ns += bill->moments[i].time_ns[k];
		}
	t_ok(is_total(&kinds, true), "%s: kinds add up to the total", what);
	t_ok(is_total(&mappings, true), "%s: so do mappings", what);
	t_ok(is_total(&sites, true), "%s: and sites", what);
	t_ok(is_total(&by_thread, times), "%s: and threads", what);
	t_is_u64(in_moments, bill->total.count, "%s: and moments", what);
	if (times)
		t_is_double(moments_ns, bill->total.time_ns, 1e-6 * bill->total.raw_ns,
			    "%s: moments in time, too", what);
}

/* The i-th; the run goes on meanwhile, so that moments are joined with faults in them. */
static struct trace_seen random_fault(uint64_t i)
{
	enum model_fault_kind kind = (enum model_fault_kind)random_below(MODEL_N_FAULT_KINDS);
	struct trace_seen seen = fault(kind, 500 + random_below(100000));
	size_t thread = random_below(2);

	seen.thread = &threads[thread];
	seen.row = rows[thread];
	seen.name = names[random_below(5)];
	seen.stack = stack_at(0x10000000 + 16 * random_below(20));
	seen.major = kind == MODEL_FILE_MAJOR || kind == MODEL_SWAP_IN;
	seen.entered_ns = START_NS + random_below(i + 1) * MS / 2;
	seen.preempted_ns = random_below(4) ? 0 : seen.latency_ns / 3;
	seen.blocked_ns = seen.major ? seen.latency_ns / 2 : 0;
	return seen;
}

static void test_agreement(void)
{
	enum { N = 5000 };

	begin(5);
	corrections.of[TRACE_CLASS_FILLING] =
		(struct trace_correction){.tracer_ns = 50, .trap_ns = 300};
	corrections.of[TRACE_CLASS_OTHER] =
		(struct trace_correction){.tracer_ns = 40, .trap_ns = 200};
	for (size_t i = 0; i < N; i++)
		add(random_fault(i));
	finish();
	t_is_u64(bill->total.count, N, "every fault is counted");
	t_ok(bill->total.n_major > N / 15 && bill->total.n_timed == N,
	     "majors and timed ones, too");
	t_is_u64(bill->n_mappings, 5, "a row for each mapping");
	t_is_u64(bill->n_threads_listed, 2, "and each thread");
	tables_agree("random faults", true);
	for (size_t i = 0; i < N; i++) {
		struct trace_seen seen = random_fault(i);

		seen.timed = i % 3;
		add(seen);
	}
	finish();
	tables_agree("some not timed", true);
}

/* --- means of like, corrections ------------------------------------------------------------------------------- */

static void test_untimed(void)
{
	begin(1);
	add_timed(MODEL_COW, 1000, 10);
	add_untimed(MODEL_COW, 30);
	add_timed(MODEL_SHMEM, 3000, 2);
	add_untimed(MODEL_SHMEM, 2);
	add_untimed(MODEL_WP_REUSE, 4);
	add_timed(MODEL_FILE_MAJOR, 900000, 5);
	add_untimed(MODEL_UNKNOWN, 3);
	finish();
	t_is_double(bill->kinds[MODEL_COW].cost.raw_ns, 40 * 1000.0, 1e-6,
		    "at the mean of their like");
	t_ok(bill->kinds[MODEL_COW].cost.n_timed == 10 && bill->kinds[MODEL_COW].cost.count == 40,
	     "how many were timed is told");
	t_is_double(bill->kinds[MODEL_SHMEM].cost.raw_ns, 4 * 3000.0, 1e-6,
		    "few of their like: by the kind");
	t_is_double(bill->kinds[MODEL_WP_REUSE].cost.raw_ns, 4 * (10 * 1000.0 + 2 * 3000.0) / 12,
		    1e-6, "none of their kind: by all that were minor");
	t_ok(isnan(bill->kinds[MODEL_WP_REUSE].cost.p50_ns) &&
		     isnan(bill->kinds[MODEL_WP_REUSE].cost.worst_ns),
	     "but it has no quantiles");
	t_is_double(bill->kinds[MODEL_UNKNOWN].cost.raw_ns, 0, 0, "of an unknown kind: nothing");
	t_ok(bill->time_lo_ns <= bill->total.time_ns && bill->total.time_ns <= bill->time_hi_ns,
	     "the interval holds the time");
}

static void test_corrections(void)
{
	struct trace_seen seen = fault(MODEL_ANON_WRITE, 10000);

	begin(1);
	corrections.of[TRACE_CLASS_FILLING] =
		(struct trace_correction){.tracer_ns = 500, .trap_ns = 300, .spread_ns = 7};
	corrections.of[TRACE_CLASS_REUSING] =
		(struct trace_correction){.tracer_ns = 100, .trap_ns = 300, .spread_ns = 5};
	corrections.of[TRACE_CLASS_COPYING] =
		(struct trace_correction){.tracer_ns = 500, .trap_ns = 300, .spread_ns = 9};
	seen.preempted_ns = 4000;
	seen.blocked_ns = 1000;
	add(seen);
	add_timed(MODEL_WP_REUSE, 2000, 2);
	add_timed(MODEL_COW, 150, 1);
	finish();
	t_is_double(bill->kinds[MODEL_ANON_WRITE].cost.time_ns, 10000 - 4000 - 200, 1e-6,
		    "less preemption, and corrected as one that fills a page");
	t_is_double(bill->kinds[MODEL_ANON_WRITE].cost.on_cpu_ns, 5000, 1e-6, "on the CPU");
	t_is_double(bill->kinds[MODEL_WP_REUSE].cost.time_ns, 2 * 2200.0, 1e-6,
		    "corrected as one that only makes it writable");
	t_is_double(bill->kinds[MODEL_COW].cost.time_ns, 0, 0, "never below nothing");
	t_is_double(bill->tracer_ns, 2 * 500.0 + 2 * 100.0, 1e-6, "what tracing added");
	t_is_double(bill->trap_ns, 4 * 300.0, 1e-6, "what no event sees");
	t_is_double(bill->time_hi_ns - bill->total.time_ns, 7.0 + 2 * 5.0 + 9.0, 1e-6,
		    "the interval");
	sums.switches_seen = false;
	finish();
	t_ok(isnan(bill->total.on_cpu_ns) && isnan(bill->total.blocked_ns) &&
		     isnan(bill->total.preempted_ns),
	     "where switches are not seen nobody knows who slept");
}

static void test_quantiles(void)
{
	begin(1);
	for (uint64_t i = 1; i <= 1000; i++)
		add(fault(MODEL_COW, 100 * i));
	finish();
	t_ok(fabs(bill->total.p50_ns - 50000) < 0.19 * 50000, "p50 within a step of the histogram");
	t_ok(fabs(bill->total.p99_ns - 99000) < 0.19 * 99000, "p99, too");
	t_is_double(bill->total.worst_ns, 100000, 0, "the worst is exact");
	add(fault(MODEL_COW, 0));
	add(fault(MODEL_COW, UINT64_MAX / 4096));
	finish();
	t_is_double(bill->total.worst_ns, (double)(UINT64_MAX / 4096), 1e3,
		    "no time is too short or too long");
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

static void test_mapping_rows(void)
{
	struct trace_seen seen = fault(MODEL_FILE_MINOR, 1000);

	begin(2);
	seen.name = names[1];
	seen.deleted = seen.shared = seen.writable = true;
	add(seen);
	seen = fault(MODEL_COW, 5000);
	seen.name = names[1];
	seen.deleted = seen.shared = seen.writable = true;
	add(seen);
	finish();
	t_is_u64(bill->n_mappings, 1, "mappings without a fault have no row");
	t_is_str(bill->mappings[0].name, "/file1", "its name");
	t_ok(bill->mappings[0].deleted && bill->mappings[0].shared && bill->mappings[0].writable &&
		     !bill->mappings[0].executable,
	     "what it is");
	t_is_i64(bill->mappings[0].kind, MODEL_COW, "the kind that cost most");
	t_is_u64(bill->n_sites, 2, "two kinds in one place: two sites");
	t_ok(bill->sites[0].mapping == 0 && bill->sites[0].n_stack == 0,
	     "without a chain: no frames");
}

/* Two instructions with one name are one place; JIT compilers name code in /tmp/perf-PID.map. */
static void test_sites_merged_by_name(void)
{
	struct trace_mmap_event e = {.pid = getpid(),
				     .start = 0x7f0000001000,
				     .length = 0x1000,
				     .prot = PROT_READ | PROT_EXEC,
				     .flags = MAP_PRIVATE | MAP_ANONYMOUS,
				     .name = "//anon"};
	uint64_t at[] = {0x7f0000001000, 0x7f0000001010, 0x7f0000001100};
	struct trace_seen seen;
	char path[40];
	FILE *f;

	begin(1);
	trace_spaces_mmap(spaces, &e);
	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "we");
	if (!f)
		exit(EXIT_FAILURE);
	(void)fputs("7f0000001000 40 hot\n7f0000001100 40 cold\n", f);
	(void)fclose(f);
	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		seen = fault(MODEL_COW, 1000 * (3 - i));
		seen.stack = trace_stacks_of_chain(&stacks, getpid(), 0, &at[i], 1, 0);
		add(seen);
	}
	finish();
	(void)unlink(path);
	t_is_u64(sums.n_cells, 3, "three instructions: three cells");
	t_is_u64(bill->n_sites, 2, "in two functions: two sites");
	t_ok(bill->n_sites == 2 && strcmp(bill->sites[0].stack[0].function, "hot") == 0 &&
		     bill->sites[0].cost.count == 2 && bill->sites[0].cost.raw_ns == 5000,
	     "the dearest first, with the sum of both");
}

/* Behind its first four bytes, which may be a landing pad, all of it is one line. */
__attribute__((noinline)) static void one_line(volatile char *p)
{
	p[0] = 1, p[1] = 1, p[2] = 1, p[3] = 1;
}

static void test_sites_merged_by_line(void)
{
	char memory[4];
	struct trace_mmap_event e = {.pid = getpid(),
				     .length = 1 << 30,
				     .prot = PROT_READ | PROT_EXEC,
				     .flags = MAP_PRIVATE};
	uint64_t at[2];
	uint64_t offset = 0, start = 0, stop = 0, here = (uintptr_t)one_line + 4;
	struct trace_seen seen;
	char line[400], path[300];
	struct stat st;
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %299s", &start,
			   &stop, &offset, path) == 4 &&
		    start <= here && here < stop)
			break;
	if (f)
		(void)fclose(f);
	if (!TEST_HAS_SYMBOLS || stat(path, &st) < 0) {
		t_skip(2, "needs pagetoll built with libdw: this one has no names of functions");
		return;
	}
	one_line(memory);
	begin(1);
	e.start = UINT64_C(0x7f0000000000);
	at[0] = e.start + (here - start);
	at[1] = at[0] + 1;
	e.offset = offset;
	e.dev_major = major(st.st_dev);
	e.dev_minor = minor(st.st_dev);
	e.inode = st.st_ino;
	e.name = path;
	trace_spaces_mmap(spaces, &e);
	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		seen = fault(MODEL_COW, 1000);
		seen.stack = trace_stacks_of_chain(&stacks, getpid(), 0, &at[i], 1, 0);
		add(seen);
	}
	finish();
	t_is_u64(sums.n_cells, 2, "two addresses: two cells");
	t_ok(bill->n_sites == 1 && bill->sites[0].cost.count == 2 &&
		     strcmp(bill->sites[0].stack[0].function, "one_line") == 0,
	     "of one line: one site");
}

static void test_threads(void)
{
	struct trace_seen seen = fault(MODEL_COW, 1000);

	begin(1);
	add(seen);
	sums.threads[rows[0]].cpu_ns = 5000;
	finish();
	t_is_u64(bill->n_threads_listed, 1, "threads without a fault have no row");
	t_ok(bill->threads[0].pid == PID && bill->threads[0].tid == PID &&
		     !bill->threads[0].is_rest && bill->threads[0].cpu_ns == 5000,
	     "whose it is, and its time");
	t_is_str(bill->threads[0].comm, "worker", "its name");
	t_is_u64(trace_aggregate_row(&sums, &threads[0]), rows[0], "a thread has one row");
}

/* --- moments -------------------------------------------------------------------------------------------------------- */

static void add_at(uint64_t at_ns, uint64_t latency_ns)
{
	struct trace_seen seen = fault(MODEL_COW, latency_ns);

	seen.entered_ns = START_NS + at_ns;
	seen.address = at_ns; /* so that each is another one */
	add(seen);
}

static uint64_t count_at(uint64_t at_ns)
{
	return bill->moments[at_ns / bill->moment_ns].count[MODEL_COW];
}

static void test_moments(void)
{
	begin(1);
	add_at(0, 1000);
	add_at(MS - 1, 1000);
	add_at(255 * MS, 1000);
	finish();
	t_ok(bill->moment_ns == MS && bill->n_moments == 256, "moments of a millisecond");
	t_ok(count_at(0) == 2 && count_at(MS) == 0 && count_at(255 * MS) == 1,
	     "each fault in its own");
	add_at(256 * MS, 1000);
	finish();
	t_ok(bill->moment_ns == 2 * MS && bill->n_moments == 129,
	     "one more: they are twice as long");
	t_ok(count_at(0) == 2 && count_at(255 * MS) == 1 && count_at(256 * MS) == 1,
	     "and each fault is in its own still");
	add_at(100000 * MS, 1000);
	finish();
	t_ok(bill->moment_ns == 512 * MS && bill->n_moments == 196,
	     "and so on, as often as it takes");
	t_ok(count_at(0) == 4 && count_at(100000 * MS) == 1, "with all faults");
	add((struct trace_seen){.thread = &threads[0],
				.row = rows[0],
				.kind = MODEL_COW,
				.name = names[0],
				.entered_ns = START_NS - 5});
	finish();
	t_is_u64(count_at(0), 5, "what is before the start is at the start");
	add_at(UINT64_MAX - START_NS, 1000);
	finish();
	t_ok(bill->n_moments <= MODEL_MAX_MOMENTS, "no time is beyond all moments");
}

static void test_late(void)
{
	begin(1);
	sums.deadline_ns = 1000;
	add_at(0, 1000);
	add_at(0, 1001);
	add_at(300 * MS, 5000);
	t_ok(sums.moments[0].n_late == 1 && sums.moments[150].n_late == 1,
	     "above the deadline: late, in its moment");
}

/* --- single faults ------------------------------------------------------------------------------------------------------ */

static bool has_worst(double latency_ns)
{
	for (size_t i = 0; i < bill->n_worst; i++)
		if (bill->worst[i].latency_ns == latency_ns)
			return true;
	return false;
}

static void test_worst(void)
{
	enum { N = 1000, N_STRETCHES = 16 };
	bool all = true, in_order = true;

	begin(1);
	for (uint64_t i = 0; i < N; i++) /* by turns from all lengths, at the start */
		add_at(i, 100000 + i * 7919 % N);
	for (uint64_t i = 1; i < N_STRETCHES; i++) {
		add_at(i * 10 * MS, 1000 + i);
		add_at(i * 10 * MS + 1, 500);
	}
	finish();
	for (uint64_t i = N - (MODEL_MAX_WORST - N_STRETCHES); i < N; i++)
		all = all && has_worst((double)(100000 + i));
	t_ok(all, "the longest of all");
	all = true;
	for (uint64_t i = 1; i < N_STRETCHES; i++)
		all = all && has_worst((double)(1000 + i));
	t_ok(all, "and the longest of each stretch of the run");
	t_ok(!has_worst(500), "not others of it");
	t_ok(bill->n_worst <= MODEL_MAX_WORST, "no more than the document may have");
	for (size_t i = 1; i < bill->n_worst; i++)
		in_order = in_order && bill->worst[i - 1].latency_ns >= bill->worst[i].latency_ns;
	t_ok(in_order, "the longest first");
	t_ok(bill->worst[0].thread == 0 && bill->worst[0].mapping == 0 && bill->worst[0].site == 0,
	     "they name their rows");
	begin(1);
	add_untimed(MODEL_COW, 10);
	finish();
	t_is_u64(bill->n_worst, 0, "of what was not timed none is worst");
}

static void test_each(void)
{
	enum { MOST_EACH = 250000, OVER = 10 };

	begin(1);
	add_timed(MODEL_COW, 1000, 1);
	t_is_u64(sums.n_each, 0, "single faults are kept where they are asked for");
	sums.keep_each = true;
	add_timed(MODEL_COW, 1000, 1);
	add_untimed(MODEL_SHMEM, 1);
	t_is_u64(sums.n_each, 2, "then all of them");
	sums.each_kinds = 1U << MODEL_SHMEM;
	add_timed(MODEL_COW, 1000, 1);
	add_timed(MODEL_SHMEM, 1000, 1);
	t_is_u64(sums.n_each, 3, "or of a kind");
	sums.each_least_ns = 2000;
	add_timed(MODEL_SHMEM, 1999, 1);
	add_untimed(MODEL_SHMEM, 1);
	add_timed(MODEL_SHMEM, 2000, 1);
	t_is_u64(sums.n_each, 4, "or at least so long, which is known of timed ones alone");
	finish();
	t_ok(bill->n_each == 4 && bill->each[0].kind == MODEL_COW &&
		     bill->each[3].latency_ns == 2000,
	     "in their order");
	t_ok(bill->each[0].at_ns == MS && bill->each[0].address == 0x7000 &&
		     bill->sites[bill->each[0].site].kind == MODEL_COW &&
		     bill->sites[bill->each[3].site].kind == MODEL_SHMEM,
	     "when, where and by whom");
	t_ok(isnan(bill->each[1].latency_ns), "one that was not timed has no latency");
	add_timed(MODEL_SHMEM, 2000, MOST_EACH - 4 + OVER);
	finish();
	t_ok(bill->n_each == MOST_EACH && bill->n_each_left_out == OVER,
	     "what is too much is counted");
}

/* --- bounds ---------------------------------------------------------------------------------------------------------------- */

static void test_too_many_cells(void)
{
	enum { N_NAMES = 2500 };
	struct trace_seen seen;
	bool good = true;

	begin(N_NAMES);
	for (uint64_t i = 0; i < N_STACKS; i++) {
		seen = fault(MODEL_COW, 1000 + i);
		seen.stack = stack_at(0x10000000 + 16 * i);
		good = good && seen.stack > TRACE_STACK_KERNEL;
		add(seen);
	}
	t_ok(good && sums.n_cells == MOST_CELLS + 1,
	     "cells are bounded: the rest of a kind and mapping is in one");
	for (size_t i = 0; i < N_NAMES; i++) {
		seen = fault(MODEL_SHMEM, 1000);
		seen.stack = stack_at(0x10000000);
		seen.name = names[i];
		add(seen);
	}
	t_is_u64(sums.n_cells, MOST_CELLS + MOST_CELLS / 4 + 1, "and that of a kind in one more");
	finish();
	t_is_u64(bill->total.count, N_STACKS + N_NAMES, "no fault is left out");
	tables_agree("too many cells", true);
	t_ok(bill->n_sites == 513 && bill->sites[512].mapping == MODEL_NO_ROW &&
		     bill->sites[512].n_stack == 0,
	     "sites that cost little are in one row");
	t_ok(bill->worst[0].site == MODEL_NO_ROW || bill->worst[0].site < bill->n_sites,
	     "a fault whose cell did not fit names no site");
}

static void test_too_many_threads(void)
{
	enum { N = 4100, MOST_ROWS = 4000 };
	uint64_t n_rest = 0;

	begin(1);
	for (int32_t i = 0; i < N; i++) {
		struct trace_thread t = {.pid = PID, .tid = 100 + i, .row = MAP_NONE};
		struct trace_seen seen = fault(MODEL_COW, 1000);

		seen.row = trace_aggregate_row(&sums, &t);
		add(seen);
	}
	finish();
	t_is_u64(sums.n_threads, MOST_ROWS, "threads are bounded");
	for (size_t i = 0; i < bill->n_threads_listed; i++)
		if (bill->threads[i].is_rest)
			n_rest += bill->threads[i].cost.count;
	/* begin() has made rows for two that have no fault */
	t_is_u64(n_rest, N - (MOST_ROWS - 3), "those that did not fit have one row");
	tables_agree("too many threads", true);
}

int main(void)
{
	test_agreement();
	test_untimed();
	test_corrections();
	test_quantiles();
	test_mapping_rows();
	test_sites_merged_by_name();
	test_sites_merged_by_line();
	test_threads();
	test_moments();
	test_late();
	test_worst();
	test_each();
	test_too_many_cells();
	test_too_many_threads();
	end();
	return t_done();
}
