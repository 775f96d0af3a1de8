/* SPDX-License-Identifier: MIT */
/* Which kind a fault was: from its mapping, from what was there before and after, and from pagemap. */
#include "src/trace/kinds.h"

#include "src/sys/clock.h"
#include "src/sys/page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bits of /proc/PID/pagemap, which everybody may read of own processes (Documentation/admin-guide/mm/pagemap.rst). */
#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_FILE (UINT64_C(1) << 61)
#define PAGEMAP_EXCLUSIVE (UINT64_C(1) << 56)

enum {
	MOST_PAGEMAPS = 256,
	MOST_ANSWERS = 1 << 14,
	LOOK_EVERY = 64, /* faults of one process and instruction: a look is a system call */
	SMAPS_SHARE = 50,
};

enum { ANSWER_UNKNOWN, ANSWER_ORDINARY, ANSWER_OTHER };

void trace_kinds_init(struct trace_kinds *k, struct trace_tasks *tasks, bool sees_frames)
{
	*k = (struct trace_kinds){.tasks = tasks,
				  .sees_frames = sees_frames,
				  .page_bytes = sys_page_bytes(),
				  .huge_bytes = sys_huge_page_bytes()};
}

void trace_kinds_free(struct trace_kinds *k)
{
	map_free(&k->answers);
	map_free(&k->handlers);
	map_free(&k->before);
}

/* --- from the fault itself ---------------------------------------------------------------------------------- */

/* Which frames the page had before and after is known, and that it was mapped then. */
static bool has_frames(const struct trace_kinds *k, const struct trace_fault *f)
{
	return k->sees_frames && f->timed && !f->is_lean && f->page_bytes;
}

/*
 * A page that was there and only could not be written. The same frame afterwards was made writable; another is a
 * copy. Where frames are not shown: pages are shared since a fork as long as two of the family live; once they do
 * not the kernel takes the page as it is; and where nobody forked it was the zero page.
 */
static enum model_fault_kind kind_of_present(const struct trace_kinds *k,
					     const struct trace_fault *f)
{
	const struct trace_process *process = trace_tasks_process(k->tasks, f->thread->pid);
	const struct trace_family *family = process ? trace_tasks_family(k->tasks, process) : NULL;

	if (has_frames(k, f))
		return f->frame_before == f->frame_after ? MODEL_WP_REUSE : MODEL_COW;
	return family && family->n_ever > 1 && family->n_alive <= 1 ? MODEL_WP_REUSE : MODEL_COW;
}

static enum model_fault_kind kind_of_anon(const struct trace_kinds *k, const struct trace_fault *f,
					  const struct trace_mapping *m, struct trace_seen *seen)
{
	if (f->major)
		return MODEL_SWAP_IN;
	if (k->huge_bytes && f->page_bytes >= k->huge_bytes)
		return MODEL_THP;
	if (f->present)
		return kind_of_present(k, f);
	if (m->backing == TRACE_STACK)
		return MODEL_STACK;
	if (f->has_code)
		return f->is_write ? MODEL_ANON_WRITE : MODEL_ANON_ZERO_READ;
	if (has_frames(k, f)) /* the zero page has none that is shown */
		return f->frame_after ? MODEL_ANON_WRITE : MODEL_ANON_ZERO_READ;
	seen->look = TRACE_LOOK_ZERO;
	return MODEL_ANON_WRITE;
}

/* A write to a page that is missing does in one fault what a read and a write do in two: the second is named, which a
 * read alone would not have had. */
static enum model_fault_kind kind_of_file(const struct trace_fault *f,
					  const struct trace_mapping *m, struct trace_seen *seen)
{
	if (f->major)
		return MODEL_FILE_MAJOR;
	if (f->present || (f->has_code && f->is_write))
		return m->shared ? MODEL_FILE_MKWRITE : MODEL_COW;
	if (f->has_code)
		return MODEL_FILE_MINOR;
	if (!m->shared && m->writable)
		seen->look = TRACE_LOOK_COPY;
	return MODEL_FILE_MINOR;
}

/* "um", "uw" and "ui" in VmFlags: missing, write-protected and minor faults go to a handler. */
static bool smaps_says_handled(int32_t pid, const struct trace_mapping *m)
{
	char path[48], line[512];
	unsigned long start, end;
	bool inside = false, handled = false;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2) {
			if (inside)
				break;
			inside = start < m->end && m->start < end;
		} else if (inside && strncmp(line, "VmFlags:", 8) == 0) {
			handled = strstr(line, " um") || strstr(line, " uw") || strstr(line, " ui");
			break;
		}
	}
	if (f)
		(void)fclose(f);
	return handled;
}

/*
 * To read smaps the kernel walks the pages of all mappings on the way, under the lock that their faults wait for. A
 * program whose threads wait for each other there would be read again and again: it is done for a fiftieth of the
 * time at most, and else a process is taken for what it was.
 */
static bool is_handled(struct trace_kinds *k, int32_t pid, const struct trace_mapping *m)
{
	uint64_t key = map_mix_in(map_mix_in((uint32_t)pid, m->start), m->end), now_ns;
	uint32_t known = map_get(&k->handlers, key);

	if (known != MAP_NONE)
		return known == 1;
	now_ns = sys_now_ns();
	if (now_ns < k->smaps_ns || k->handlers.n >= MOST_ANSWERS)
		return map_get(&k->handlers, (uint32_t)pid) == 1;
	known = smaps_says_handled(pid, m);
	k->smaps_ns = sys_now_ns() + SMAPS_SHARE * (sys_now_ns() - now_ns);
	/* no memory: looked up again */
	(void)map_put(&k->handlers, key, known);
	if (known == 1)
		(void)map_put(&k->handlers, (uint32_t)pid, 1);
	return known == 1;
}

static enum model_fault_kind kind_of_mapped(struct trace_kinds *k, const struct trace_fault *f,
					    const struct trace_mapping *m, struct trace_seen *seen)
{
	/* Whoever waits for a handler sleeps, and what is tried again afterwards can count as major. Little else makes
	 * memory without a file wait. */
	if (f->blocked_ns && m->backing != TRACE_FILE && is_handled(k, f->thread->pid, m))
		return MODEL_UFFD;
	switch (m->backing) {
	case TRACE_HUGETLB:
		return MODEL_HUGETLB;
	case TRACE_SHMEM:
		return f->major ? MODEL_SWAP_IN : MODEL_SHMEM;
	case TRACE_FILE:
		return kind_of_file(f, m, seen);
	case TRACE_SPECIAL:
		return f->major ? MODEL_FILE_MAJOR : MODEL_FILE_MINOR;
	default:
		return kind_of_anon(k, f, m, seen);
	}
}

/* A lean entry does not tell whether the page was there: it is taken for what the same instruction does in the same
 * mapping when that is told. */
static uint64_t key_of_like(int32_t pid, const struct trace_seen *seen)
{
	return map_mix_in((uint64_t)(uint32_t)pid << 32 | seen->name, seen->ip);
}

static bool take_like(const struct trace_kinds *k, int32_t pid, struct trace_seen *seen)
{
	uint32_t known = map_get(&k->before, key_of_like(pid, seen));

	if (known == MAP_NONE)
		return false;
	seen->kind = (uint8_t)(known >> 8);
	seen->look = (uint8_t)known;
	return true;
}

bool trace_kinds_again(struct trace_kinds *k, struct trace_seen *seen)
{
	return take_like(k, seen->pid, seen);
}

/* A fork has the code of its relatives in the same place, and a short one has no full entry of its own. */
enum { ANY_PID = 0 };

void trace_kinds_guess(struct trace_kinds *k, struct trace_seen *seen)
{
	if (!take_like(k, seen->pid, seen))
		(void)take_like(k, ANY_PID, seen);
}

static void remember(struct trace_kinds *k, const struct trace_seen *seen)
{
	uint32_t like = (uint32_t)seen->kind << 8 | seen->look;

	if (k->before.n >= MOST_ANSWERS)
		map_free(&k->before);
	/* no memory: it is told again */
	(void)map_put(&k->before, key_of_like(seen->pid, seen), like);
	(void)map_put(&k->before, key_of_like(ANY_PID, seen), like);
}

/* Where it matters that the page was there: no other memory has faults on pages that are. */
static bool depends_on_presence(const struct trace_mapping *m)
{
	return m->backing == TRACE_ANON || m->backing == TRACE_HEAP || m->backing == TRACE_FILE ||
	       m->backing == TRACE_STACK;
}

void trace_kinds_first(struct trace_kinds *k, const struct trace_fault *f,
		       const struct trace_mapping *m, struct trace_seen *seen)
{
	seen->look = TRACE_LOOK_NOT;
	seen->kind = MODEL_UNKNOWN;
	if (!m)
		return;
	seen->kind = (uint8_t)kind_of_mapped(k, f, m, seen);
	if (f->major || !depends_on_presence(m))
		return;
	if (!f->is_lean)
		remember(k, seen);
	else if (!trace_kinds_again(k, seen))
		seen->look = TRACE_LOOK_LATER;
}

/* --- from pagemap ------------------------------------------------------------------------------------------------ */

static int pagemap_of(struct trace_kinds *k, int32_t pid)
{
	struct trace_process *p = trace_tasks_process(k->tasks, pid);
	char path[48];

	if (!p)
		return -1;
	if (p->fd_pagemap == -1 && k->tasks->n_pagemaps < MOST_PAGEMAPS) {
		(void)snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
		p->fd_pagemap = open(path, O_RDONLY | O_CLOEXEC);
		k->tasks->n_pagemaps += p->fd_pagemap >= 0;
		if (p->fd_pagemap < 0)
			p->fd_pagemap = -2;
	}
	return p->fd_pagemap;
}

static uint32_t look(struct trace_kinds *k, const struct trace_seen *seen)
{
	int fd = pagemap_of(k, seen->pid);
	uint64_t entry;

	k->n_looks++;
	if (fd < 0 ||
	    pread(fd, &entry, sizeof(entry),
		  (off_t)(seen->address / k->page_bytes * sizeof(entry))) != sizeof(entry) ||
	    !(entry & PAGEMAP_PRESENT))
		return ANSWER_UNKNOWN;     /* gone already */
	if (seen->look == TRACE_LOOK_ZERO) /* the zero page is nobody's own, and no file's */
		return entry & (PAGEMAP_EXCLUSIVE | PAGEMAP_FILE) ? ANSWER_ORDINARY : ANSWER_OTHER;
	return entry & PAGEMAP_FILE ? ANSWER_ORDINARY : ANSWER_OTHER;
}

/* The answer of the last look, and the faults since then, in one number. */
static uint32_t answer_for(struct trace_kinds *k, const struct trace_seen *seen)
{
	uint64_t key = map_mix_in((uint64_t)(uint32_t)seen->pid << 8 | seen->look, seen->ip);
	uint32_t known = map_get(&k->answers, key);
	uint32_t answer = known == MAP_NONE ? ANSWER_UNKNOWN : known & 3,
		 since = known == MAP_NONE ? 0 : known >> 2;

	if (known == MAP_NONE || since >= LOOK_EVERY || answer == ANSWER_UNKNOWN) {
		uint32_t now = look(k, seen);

		answer = now == ANSWER_UNKNOWN ? answer : now;
		since = 0;
	}
	if (k->answers.n >= MOST_ANSWERS)
		map_free(&k->answers);
	(void)map_put(&k->answers, key, answer | (since + 1) << 2);
	return answer;
}

/* A page that is shared since a fork is nobody's own, either. */
static bool is_alone(struct trace_kinds *k, int32_t pid)
{
	const struct trace_process *process = trace_tasks_process(k->tasks, pid);
	const struct trace_family *family = process ? trace_tasks_family(k->tasks, process) : NULL;

	return family && family->n_alive <= 1;
}

/* A write to a page that was read just before, in the same batch: that fault before was the read. */
static void see_upgrade(struct trace_kinds *k, struct trace_seen *batch,
			const struct trace_seen *seen)
{
	uint64_t mask = ~(k->page_bytes - 1);
	const struct trace_thread *t = seen->thread;
	struct trace_seen *before =
		t->last_in_batch < (uint32_t)(seen - batch) ? &batch[t->last_in_batch] : NULL;

	if (seen->kind == MODEL_COW && before && before->thread == t &&
	    before->look == TRACE_LOOK_ZERO && ((before->address ^ seen->address) & mask) == 0) {
		before->kind = MODEL_ANON_ZERO_READ;
		before->look = TRACE_LOOK_NOT;
	}
}

static void settle_one(struct trace_kinds *k, struct trace_seen *seen)
{
	uint32_t answer;

	if (seen->look == TRACE_LOOK_NOT ||
	    (seen->look == TRACE_LOOK_ZERO && !is_alone(k, seen->pid)))
		return;
	answer = answer_for(k, seen);
	k->n_unanswered += answer == ANSWER_UNKNOWN;
	if (answer == ANSWER_OTHER)
		seen->kind = seen->look == TRACE_LOOK_ZERO ? MODEL_ANON_ZERO_READ : MODEL_COW;
}

void trace_kinds_settle(struct trace_kinds *k, struct trace_seen *batch, size_t n)
{
	for (size_t i = 0; i < n; i++)
		batch[i].thread->last_in_batch = UINT32_MAX;
	for (size_t i = 0; i < n; i++) {
		see_upgrade(k, batch, &batch[i]);
		batch[i].thread->last_in_batch = (uint32_t)i;
	}
	for (size_t i = 0; i < n; i++)
		settle_one(k, &batch[i]);
}
