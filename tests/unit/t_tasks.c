/* SPDX-License-Identifier: MIT */
/* Threads and processes by records alone: forks, families of shared pages, exec, exit, numbers used again. */
#include "src/trace/tasks.h"
#include "tests/tap.h"

enum { PID = 100, CHILD = 200, OTHER = 300 };

static struct trace_tasks tasks;

static void begin(void)
{
	trace_tasks_free(&tasks);
	tasks = (struct trace_tasks){.n_threads = 0};
}

/* "ALIVE/EVER" of the family of a process; "-": it has none. */
static const char *family(int32_t pid)
{
	static char text[40];
	const struct trace_process *p = trace_tasks_process(&tasks, pid);
	const struct trace_family *f = p ? trace_tasks_family(&tasks, p) : NULL;

	if (!f)
		return "-";
	(void)snprintf(text, sizeof(text), "%u/%u", f->n_alive, f->n_ever);
	return text;
}

static void test_threads(void)
{
	struct trace_thread *first, *second;

	begin();
	t_ok(!trace_tasks_find(&tasks, PID) && !trace_tasks_process(&tasks, PID),
	     "nobody is known");
	first = trace_tasks_thread(&tasks, PID, PID);
	second = trace_tasks_thread(&tasks, PID, PID + 1);
	t_ok(first && second && first != second, "two threads");
	t_ok(trace_tasks_thread(&tasks, PID, PID) == first &&
		     trace_tasks_find(&tasks, PID + 1) == second,
	     "each is found again, in its place");
	t_ok(first->row == UINT32_MAX && first->pid == PID && second->tid == PID + 1,
	     "a new one has its numbers, and no row");
	t_is_u64(trace_tasks_process(&tasks, PID)->n_threads, 2, "one process of two");
	for (int32_t i = 2; i < 1000; i++)
		trace_tasks_thread(&tasks, PID, PID + i);
	t_ok(trace_tasks_find(&tasks, PID) == first && trace_tasks_find(&tasks, PID + 1) == second,
	     "pointers to threads stay, however many come");
	t_ok(tasks.n_threads_ever == 1000 && tasks.n_processes_ever == 1, "and all are counted");
}

static void test_fork_in_process(void)
{
	begin();
	(void)strcpy(trace_tasks_thread(&tasks, PID, PID)->comm, "parent");
	trace_tasks_fork(&tasks, PID, PID, PID, PID + 1);
	t_is_str(trace_tasks_find(&tasks, PID + 1)->comm, "parent",
		 "a thread has its parent's name");
	t_is_str(family(PID), "1/1", "a thread shares nothing anew");
	t_is_u64(tasks.n_processes_ever, 1, "and is no process");
}

static void test_families(void)
{
	begin();
	trace_tasks_thread(&tasks, PID, PID);
	trace_tasks_thread(&tasks, OTHER, OTHER);
	trace_tasks_fork(&tasks, PID, PID, CHILD, CHILD);
	t_is_str(family(CHILD), "2/2", "a child shares its parent's pages");
	trace_tasks_fork(&tasks, CHILD, CHILD, CHILD + 1, CHILD + 1);
	t_is_str(family(PID), "3/3", "so does a grandchild");
	t_is_str(family(OTHER), "1/1", "another process does not");
	trace_tasks_exec(&tasks, CHILD, CHILD);
	t_is_str(family(CHILD), "1/1", "exec: pages of its own");
	t_is_str(family(PID), "2/3", "of those that were three, two are left");
	t_ok(trace_tasks_process(&tasks, CHILD)->n_execs == 1 && tasks.n_execs == 1,
	     "exec is counted");
	t_ok(trace_tasks_exit(&tasks, CHILD + 1), "the grandchild ends");
	t_is_str(family(PID), "1/3", "alone again, which once it was not");
	trace_tasks_fork(&tasks, PID, PID, CHILD + 2, CHILD + 2);
	t_is_str(family(CHILD + 2), "2/4", "and shares with the next one");
	t_ok(trace_tasks_exit(&tasks, PID), "the parent ends before its child");
	t_is_str(family(CHILD + 2), "1/4", "which is alone then");
}

static void test_exit(void)
{
	begin();
	trace_tasks_thread(&tasks, PID, PID);
	trace_tasks_thread(&tasks, PID, PID + 1);
	t_ok(!trace_tasks_exit(&tasks, PID), "the first thread ends, the process goes on");
	t_ok(!trace_tasks_find(&tasks, PID) && trace_tasks_process(&tasks, PID), "without it");
	t_ok(trace_tasks_exit(&tasks, PID + 1), "with the last one it ends");
	t_ok(!trace_tasks_process(&tasks, PID), "and is not known any more");
	t_ok(!trace_tasks_exit(&tasks, PID + 1), "it ends once");
	t_ok(!trace_tasks_exit(&tasks, 12345), "who is not known cannot end");
}

/* A number that is used again is another task, of which nothing is known. */
static void test_used_again(void)
{
	struct trace_thread *old, *new;

	begin();
	old = trace_tasks_thread(&tasks, PID, PID);
	old->cpu_ns = 77;
	old->row = 3;
	old->pending[0].active = true;
	(void)strcpy(old->comm, "old");
	trace_tasks_exec(&tasks, PID, PID);
	trace_tasks_exit(&tasks, PID);
	new = trace_tasks_thread(&tasks, PID, PID);
	t_ok(new->cpu_ns == 0 && new->row == UINT32_MAX && !new->pending[0].active && !new->comm[0],
	     "a new thread of an old number begins anew");
	t_ok(trace_tasks_process(&tasks, PID)->n_execs == 0, "and so does its process");
	t_ok(tasks.n_processes_ever == 2 && tasks.n_threads_ever == 2, "both are counted");
	t_is_str(family(PID), "1/1", "it shares no pages");
}

/* Records that tell of an end can be lost: then the number turns up in another process. */
static void test_used_again_end_lost(void)
{
	struct trace_thread *t;

	begin();
	trace_tasks_thread(&tasks, PID, PID);
	trace_tasks_thread(&tasks, PID, PID + 1)->row = 5;
	t = trace_tasks_thread(&tasks, OTHER, PID + 1);
	t_ok(t && t->pid == OTHER && t->row == UINT32_MAX,
	     "a thread that is in another process now");
	t_is_u64(trace_tasks_process(&tasks, PID)->n_threads, 1, "has left the one it was in");
	t_ok(trace_tasks_exit(&tasks, PID) && trace_tasks_exit(&tasks, PID + 1) &&
		     !trace_tasks_process(&tasks, OTHER),
	     "both end as they should");
}

static void test_bounded(void)
{
	begin();
	trace_tasks_thread(&tasks, PID, PID);
	for (int32_t i = 0; i < 5000; i++) {
		trace_tasks_fork(&tasks, PID, PID, 1000 + i, 1000 + i);
		trace_tasks_fork(&tasks, 1000 + i, 1000 + i, 1000 + i, 100000 + i);
		trace_tasks_exec(&tasks, 1000 + i, 1000 + i);
		trace_tasks_exit(&tasks, 1000 + i);
		trace_tasks_exit(&tasks, 100000 + i);
	}
	t_ok(tasks.n_threads <= 4 && tasks.n_processes <= 3 && tasks.n_families <= 3,
	     "places of 5,000 processes one after the other are used again");
	t_ok(tasks.by_tid.n == 1 && tasks.by_pid.n == 1 && tasks.by_tid.room <= 64,
	     "and nothing is left of them");
	t_ok(tasks.n_processes_ever == 5001 && tasks.n_threads_ever == 10001, "all are counted");
	t_is_str(family(PID), "1/5001", "the parent is alone");
}

int main(void)
{
	test_threads();
	test_fork_in_process();
	test_families();
	test_exit();
	test_used_again();
	test_used_again_end_lost();
	test_bounded();
	trace_tasks_free(&tasks);
	return t_done();
}
