/* SPDX-License-Identifier: MIT */
/* What pages did before they faulted: given back, read first, in order; of processes that do not mix. */
#include "src/trace/habits.h"

#include "src/sys/page.h"
#include "tests/tap.h"

static struct trace_habits habits;
static struct model_habits sums;
static struct trace_thread threads[2];

static uint64_t page(void)
{
	return sys_page_bytes();
}

static void begin(void)
{
	trace_habits_free(&habits);
	trace_habits_init(&habits);
	sums = (struct model_habits){.n = {0}};
	for (int i = 0; i < 2; i++)
		threads[i] = (struct trace_thread){.pid = 70, .tid = 70 + i};
}

static struct trace_seen seen(uint64_t n, enum model_fault_kind kind)
{
	return (struct trace_seen){.thread = &threads[0],
				   .pid = 70,
				   .address = (0x1000 + n) * page() + 8,
				   .name = 3,
				   .kind = (uint8_t)kind};
}

static void fault(uint64_t n, enum model_fault_kind kind)
{
	struct trace_seen s = seen(n, kind);

	s.mapped = trace_habits_record(&habits, 70, 0x1000 * page());
	trace_habits_add(&habits, &s, &sums);
}

static void test_again(void)
{
	begin();
	trace_habits_mapped(&habits, 70, 0x1000 * page());
	for (uint64_t i = 0; i < 10; i++)
		fault(i, MODEL_ANON_WRITE);
	t_ok(sums.n[MODEL_JUDGED] == 10 && sums.n[MODEL_AGAIN] == 0, "ten pages that are new");
	for (uint64_t i = 0; i < 10; i++)
		fault(i, MODEL_ANON_WRITE);
	t_ok(sums.n[MODEL_AGAIN] == 10 && sums.n[MODEL_REMAPPED] == 0,
	     "again, in memory that stayed");
	trace_habits_mapped(&habits, 70, 0x1000 * page());
	for (uint64_t i = 0; i < 10; i++)
		fault(i, MODEL_ANON_WRITE);
	t_ok(sums.n[MODEL_AGAIN] == 20 && sums.n[MODEL_REMAPPED] == 10,
	     "again, in memory mapped anew");
	trace_habits_mapped(&habits, 70, 0x9000 * page());
	trace_habits_mapped(&habits, 71, 0x1000 * page());
	fault(0, MODEL_ANON_WRITE);
	t_is_u64(sums.n[MODEL_REMAPPED], 10, "not where others were mapped anew");
}

static void test_upgrade(void)
{
	struct trace_seen s;

	begin();
	fault(1, MODEL_ANON_ZERO_READ);
	fault(1, MODEL_COW);
	t_ok(sums.n[MODEL_UPGRADED] == 1 && sums.n[MODEL_AGAIN] == 0, "read, then written");
	fault(1, MODEL_COW);
	t_is_u64(sums.n[MODEL_UPGRADED], 1, "and copied later");
	fault(2, MODEL_ANON_WRITE);
	fault(2, MODEL_COW);
	t_is_u64(sums.n[MODEL_UPGRADED], 2, "without a fork nothing but a zero page is replaced");
	fault(3, MODEL_ANON_WRITE);
	s = seen(3, MODEL_COW);
	s.has_shared = true;
	trace_habits_add(&habits, &s, &sums);
	t_ok(sums.n[MODEL_UPGRADED] == 2 && sums.n[MODEL_SHARED] == 1, "after one it is a copy");
	fault(4, MODEL_COW);
	t_is_u64(sums.n[MODEL_UPGRADED], 2, "of a page never seen nothing is known");
}

static void test_order(void)
{
	struct trace_seen s;

	begin();
	for (uint64_t i = 0; i < 5; i++)
		fault(i, MODEL_FILE_MAJOR);
	t_ok(sums.n[MODEL_NEXT] == 4 && sums.n[MODEL_ONWARD] == 4, "in order");
	fault(8, MODEL_FILE_MAJOR);
	t_ok(sums.n[MODEL_NEXT] == 4 && sums.n[MODEL_ONWARD] == 5, "onward, and not the next");
	fault(2, MODEL_FILE_MAJOR);
	fault((UINT64_C(1) << 30) / page(), MODEL_FILE_MAJOR);
	t_ok(sums.n[MODEL_NEXT] == 4 && sums.n[MODEL_ONWARD] == 5, "back, and far ahead");
	s = seen(9, MODEL_FILE_MAJOR);
	s.thread = &threads[1];
	trace_habits_add(&habits, &s, &sums);
	s.address += page();
	s.name = 4;
	trace_habits_add(&habits, &s, &sums);
	t_ok(sums.n[MODEL_ONWARD] == 5, "each thread, and each mapping, has an order of its own");
	t_is_u64(sums.n[MODEL_OTHERS], 2, "those of a thread that is not the first are counted");
}

static void test_apart(void)
{
	struct trace_seen s = seen(1, MODEL_ANON_WRITE);

	begin();
	fault(1, MODEL_ANON_WRITE);
	s.pid = 71;
	trace_habits_add(&habits, &s, &sums);
	t_is_u64(sums.n[MODEL_AGAIN], 0, "the page of another process");
	s = seen(1, MODEL_ANON_WRITE);
	s.epoch = 1;
	s.on_stack = true;
	trace_habits_add(&habits, &s, &sums);
	t_ok(sums.n[MODEL_AGAIN] == 0 && sums.n[MODEL_ON_STACK] == 1,
	     "and of another program, after exec");
	fault(1, MODEL_UNKNOWN);
	t_is_u64(sums.n[MODEL_JUDGED], 3, "what is of no known kind is not judged");
}

/* More pages than are followed, twice: half of all faults bring what has been there before. */
static void test_many(void)
{
	enum { MANY = 300000 };
	double share;

	begin();
	for (uint64_t i = 0; i < 2 * MANY; i++)
		fault(i % MANY, MODEL_ANON_WRITE);
	share = (double)sums.n[MODEL_AGAIN] / (double)sums.n[MODEL_JUDGED];
	t_ok(fabs((double)sums.n[MODEL_JUDGED] / (2.0 * MANY) - 1) < 0.05,
	     "a sample stands for all: %" PRIu64, sums.n[MODEL_JUDGED]);
	t_ok(share > 0.47 && share < 0.53, "whose share is that of all: %f", share);
	t_ok(habits.pages.n <= 1 << 16, "in bounded memory");
}

int main(void)
{
	test_again();
	test_upgrade();
	test_order();
	test_apart();
	test_many();
	trace_habits_free(&habits);
	return t_done();
}
