/* SPDX-License-Identifier: MIT */
/* The threads and processes of a traced run, as records tell of them. */
#include "src/trace/tasks.h"

#include "src/base/array.h"

#include <unistd.h>

/* gcc 12 loses sight of memory that is stored behind a pointer it was given. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

/* --- places that are used again ------------------------------------------------------------------------- */

/* Puts a number on a stack of free places. Where there is no memory for it the place is lost, not more. */
static void keep_place(uint32_t **list, size_t *n, uint32_t place)
{
	uint32_t *grown = array_grow(*list, *n, sizeof(**list));

	if (!grown)
		return;
	*list = grown;
	grown[(*n)++] = place;
}

static uint32_t take_family(struct trace_tasks *t)
{
	struct trace_family *grown;

	if (t->n_free_families)
		return t->free_families[--t->n_free_families];
	grown = array_grow(t->families, t->n_families, sizeof(*t->families));
	if (!grown)
		return MAP_NONE;
	t->families = grown;
	return (uint32_t)t->n_families++;
}

static void leave_family(struct trace_tasks *t, struct trace_process *p)
{
	if (p->family == MAP_NONE)
		return;
	if (--t->families[p->family].n_alive == 0)
		keep_place(&t->free_families, &t->n_free_families, p->family);
	p->family = MAP_NONE;
}

static void found_family(struct trace_tasks *t, struct trace_process *p)
{
	p->family = take_family(t);
	if (p->family != MAP_NONE)
		t->families[p->family] = (struct trace_family){.n_alive = 1, .n_ever = 1};
}

static void join_family(struct trace_tasks *t, struct trace_process *p, uint32_t family)
{
	leave_family(t, p);
	p->family = family;
	if (family == MAP_NONE)
		return;
	t->families[family].n_alive++;
	t->families[family].n_ever++;
}

static void close_pagemap(struct trace_tasks *t, struct trace_process *p)
{
	if (p->fd_pagemap >= 0) {
		(void)close(p->fd_pagemap);
		t->n_pagemaps--;
	}
	p->fd_pagemap = -1;
}

/* --- processes --------------------------------------------------------------------------------------------- */

struct trace_process *trace_tasks_process(struct trace_tasks *t, int32_t pid)
{
	uint32_t place = map_get(&t->by_pid, (uint32_t)pid);

	return place == MAP_NONE ? NULL : &t->processes[place];
}

const struct trace_family *trace_tasks_family(const struct trace_tasks *t,
					      const struct trace_process *p)
{
	return p->family == MAP_NONE ? NULL : &t->families[p->family];
}

static struct trace_process *add_process(struct trace_tasks *t, int32_t pid)
{
	struct trace_process *grown;
	uint32_t place;

	if (t->n_free_processes) {
		place = t->free_processes[--t->n_free_processes];
	} else {
		grown = array_grow(t->processes, t->n_processes, sizeof(*t->processes));
		if (!grown)
			return NULL;
		t->processes = grown;
		place = (uint32_t)t->n_processes++;
	}
	if (map_put(&t->by_pid, (uint32_t)pid, place) < 0) {
		keep_place(&t->free_processes, &t->n_free_processes, place);
		return NULL;
	}
	t->processes[place] = (struct trace_process){.pid = pid, .fd_pagemap = -1};
	found_family(t, &t->processes[place]);
	t->n_processes_ever++;
	return &t->processes[place];
}

static void end_process(struct trace_tasks *t, struct trace_process *p)
{
	uint32_t place = (uint32_t)(p - t->processes);

	close_pagemap(t, p);
	leave_family(t, p);
	map_remove(&t->by_pid, (uint32_t)p->pid);
	keep_place(&t->free_processes, &t->n_free_processes, place);
}

/* --- threads ------------------------------------------------------------------------------------------------- */

struct trace_thread *trace_tasks_find(const struct trace_tasks *t, int32_t tid)
{
	uint32_t place = map_get(&t->by_tid, (uint32_t)tid);

	return place == MAP_NONE ? NULL : t->threads[place];
}

static uint32_t take_place(struct trace_tasks *t)
{
	struct trace_thread **grown, *thread;

	if (t->n_free_threads)
		return t->free_threads[--t->n_free_threads];
	grown = array_grow(t->threads, t->n_threads, sizeof(struct trace_thread *));
	if (!grown)
		return MAP_NONE;
	t->threads = grown;
	thread = malloc(sizeof(*thread));
	if (!thread)
		return MAP_NONE;
	grown[t->n_threads] = thread;
	return (uint32_t)t->n_threads++;
}

static struct trace_thread *add_thread(struct trace_tasks *t, int32_t pid, int32_t tid)
{
	struct trace_process *process = trace_tasks_process(t, pid);
	uint32_t place = take_place(t);

	if (place == MAP_NONE)
		return NULL;
	if (!process)
		process = add_process(t, pid);
	if (!process || map_put(&t->by_tid, (uint32_t)tid, place) < 0) {
		keep_place(&t->free_threads, &t->n_free_threads, place);
		return NULL;
	}
	process->n_threads++;
	t->n_threads_ever++;
	*t->threads[place] = (struct trace_thread){.pid = pid, .tid = tid, .row = MAP_NONE};
	return t->threads[place];
}

bool trace_tasks_exit(struct trace_tasks *t, int32_t tid)
{
	uint32_t place = map_get(&t->by_tid, (uint32_t)tid);
	struct trace_process *process;

	if (place == MAP_NONE)
		return false;
	process = trace_tasks_process(t, t->threads[place]->pid);
	map_remove(&t->by_tid, (uint32_t)tid);
	keep_place(&t->free_threads, &t->n_free_threads, place);
	if (!process || --process->n_threads > 0)
		return false;
	end_process(t, process);
	return true;
}

struct trace_thread *trace_tasks_thread(struct trace_tasks *t, int32_t pid, int32_t tid)
{
	struct trace_thread *thread = trace_tasks_find(t, tid);

	if (thread && thread->pid != pid) {
		(void)trace_tasks_exit(t, tid);
		thread = NULL;
	}
	if (!thread)
		thread = add_thread(t, pid, tid);
	t->failed = t->failed || !thread;
	return thread;
}

/* A child begins as its parent: its name, and its pages. */
void trace_tasks_fork(struct trace_tasks *t, int32_t parent_pid, int32_t parent_tid, int32_t pid,
		      int32_t tid)
{
	struct trace_thread *parent = trace_tasks_thread(t, parent_pid, parent_tid);
	struct trace_thread *child = trace_tasks_thread(t, pid, tid);
	struct trace_process *process, *old;

	if (!parent || !child)
		return;
	for (size_t i = 0; i < sizeof(child->comm); i++)
		child->comm[i] = parent->comm[i];
	if (pid == parent_pid)
		return;
	process = trace_tasks_process(t, pid);
	old = trace_tasks_process(t, parent_pid);
	if (process && old)
		join_family(t, process, old->family);
}

void trace_tasks_exec(struct trace_tasks *t, int32_t pid, int32_t tid)
{
	struct trace_process *process;

	if (!trace_tasks_thread(t, pid, tid))
		return;
	process = trace_tasks_process(t, pid);
	if (!process)
		return;
	leave_family(t, process);
	found_family(t, process);
	close_pagemap(t, process);
	process->n_execs++;
	t->n_execs++;
}

void trace_tasks_free(struct trace_tasks *t)
{
	for (size_t i = 0; i < t->n_processes; i++)
		if (t->processes[i].fd_pagemap >= 0)
			(void)close(t->processes[i].fd_pagemap);
	for (size_t i = 0; i < t->n_threads; i++)
		free(t->threads[i]);
	free(t->threads);
	free(t->free_threads);
	free(t->processes);
	free(t->free_processes);
	free(t->families);
	free(t->free_families);
	map_free(&t->by_tid);
	map_free(&t->by_pid);
	*t = (struct trace_tasks){.n_threads = 0};
}
