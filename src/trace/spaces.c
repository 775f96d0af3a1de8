/* SPDX-License-Identifier: MIT */
/* The address spaces of traced processes: which mapping an address is in, as records and /proc tell it. */
#include "src/trace/spaces.h"

#include "src/base/array.h"
#include "src/sys/clock.h"
#include "src/sys/page.h"
#include "src/trace/spaces_name.h"
#include "src/trace/spaces_read.h"
#include "src/trace/spaces_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
	MAX_SPACES = 8192,
	N_BUCKETS = 2048,
	N_KEPT_EXITED = 256, /* spaces of processes that ended are kept until as many others did */
	N_STRAYS = 64,
};

/* A page that was looked for in vain is most likely one that a program faults on by design. */
#define REPEAT_NS UINT64_C(10000000)

/* CPU time that may be spent on reading: so much at once, and then a share of what passes. */
struct allowance {
	int64_t left_ns;
	uint64_t at_ns;
};

struct allowance_rule {
	int64_t burst_ns;
	int64_t share; /* one of so many */
};

static const struct allowance_rule of_one = {20000000, 20}, of_all = {100000000, 5};

struct space {
	pid_t pid;
	struct space *next;              /* in the same bucket */
	struct trace_space_table *table; /* NULL: nothing is known */
	size_t last;                     /* index of the mapping that was found last */
	enum { LIVE, UNREADABLE, EXITED } state;
	bool heap_asked;
	uint64_t heap_start; /* 0: not known */
	struct allowance allowance;
	uint64_t missed_page, missed_ns;
};

/* A mapping that was read and found no room; one of some processes each. */
struct stray {
	pid_t pid; /* 0: none */
	struct trace_mapping mapping;
};

struct trace_spaces {
	struct space *buckets[N_BUCKETS];
	size_t n, n_ended; /* all of them; those that are not live */
	pid_t exited[N_KEPT_EXITED];
	size_t n_exited;   /* ever; the next goes to its remainder */
	size_t n_mappings; /* in all tables */
	uint64_t n_rereads, n_left_out;
	struct stray strays[N_STRAYS];
	struct allowance allowance;
	uint64_t page_bytes;
	struct trace_names *names;

	/* of the reading under way */
	struct trace_lines lines;
	struct trace_mapping *read;
	size_t n_read, read_room;
	pid_t read_pid;
	uint64_t wanted;
	struct trace_mapping hit; /* of what is wanted; end 0: not met yet */
};

/* --- spaces, by pid ---------------------------------------------------------------------------- */

static struct space **link_of(struct trace_spaces *spaces, pid_t pid)
{
	/* neighbours in time have neighbouring numbers: the low bits spread them best */
	struct space **link = &spaces->buckets[(unsigned)pid % N_BUCKETS];

	while (*link && (*link)->pid != pid)
		link = &(*link)->next;
	return link;
}

static void set_state(struct trace_spaces *spaces, struct space *space, int state)
{
	spaces->n_ended -= space->state != LIVE;
	spaces->n_ended += state != LIVE;
	space->state = state;
}

static void remove_space(struct trace_spaces *spaces, struct space **link)
{
	struct space *space = *link;

	set_state(spaces, space, LIVE);
	*link = space->next;
	spaces->n--;
	trace_space_table_drop(space->table);
	free(space);
}

/* Makes room by all that belongs to nobody any more. Whether there was any. */
static bool sweep(struct trace_spaces *spaces)
{
	if (spaces->n_ended == 0)
		return false;
	for (size_t i = 0; i < N_BUCKETS; i++) {
		struct space **link = &spaces->buckets[i];

		while (*link) {
			if ((*link)->state == LIVE)
				link = &(*link)->next;
			else
				remove_space(spaces, link);
		}
	}
	return true;
}

static void forget(struct space *space)
{
	trace_space_table_drop(space->table);
	space->table = NULL;
	space->heap_asked = false;
	space->heap_start = 0;
	space->missed_ns = 0;
}

static struct stray *stray_of(struct trace_spaces *spaces, pid_t pid)
{
	return &spaces->strays[(unsigned)pid % N_STRAYS];
}

/* A space for what a record says; what an ended process of that number left is gone. NULL: no room. */
static struct space *space_for(struct trace_spaces *spaces, pid_t pid)
{
	struct space **link = link_of(spaces, pid);
	struct space *space = *link;

	stray_of(spaces, pid)->pid = 0;
	if (space) {
		if (space->state == EXITED)
			forget(space);
		set_state(spaces, space, LIVE);
		return space;
	}
	if (spaces->n >= MAX_SPACES && sweep(spaces))
		link = link_of(spaces, pid);
	if (spaces->n < MAX_SPACES)
		space = calloc(1, sizeof(*space));
	if (!space) {
		spaces->n_left_out++;
		return NULL;
	}
	space->pid = pid;
	space->allowance = (struct allowance){of_one.burst_ns, sys_now_ns()};
	*link = space;
	spaces->n++;
	return space;
}

/* --- what records say ---------------------------------------------------------------------------- */

/* The kernel calls the first memory that brk gives anonymous in its record, and heap in maps. */
static void see_heap(struct space *space, struct trace_mapping *m)
{
	if (space->heap_start && m->backing == TRACE_ANON && !m->inode &&
	    m->start <= space->heap_start && m->end > space->heap_start) {
		m->backing = TRACE_HEAP;
		m->name = TRACE_NAME_HEAP;
	}
}

static bool is_the_same(const struct trace_mapping *a, const struct trace_mapping *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->inode == b->inode && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && a->backing == b->backing && a->name == b->name &&
	       a->shared == b->shared && a->readable == b->readable && a->writable == b->writable &&
	       a->executable == b->executable && a->deleted == b->deleted;
}

static int insert(struct trace_spaces *spaces, struct space *space, const struct trace_mapping *m)
{
	int r;

	if (!space->table)
		space->table = trace_space_table_new(&spaces->n_mappings, NULL, 0);
	if (!space->table)
		return -ENOSPC;
	r = trace_space_table_own(&space->table);
	return r < 0 ? r : trace_space_table_insert(space->table, m);
}

/* What overlaps a mapping that found no room is wrong now, and must not be found. */
static void leave_out(struct trace_spaces *spaces, struct space *space,
		      const struct trace_mapping *m)
{
	spaces->n_left_out++;
	if (!space->table)
		return;
	if (trace_space_table_own(&space->table) == 0)
		trace_space_table_remove(space->table, m->start, m->end);
	else
		forget(space);
}

void trace_spaces_mmap(struct trace_spaces *spaces, const struct trace_mmap_event *event)
{
	struct trace_mapping m;
	struct space *space;
	size_t at;

	if (event->length == 0 || event->start + event->length < event->start)
		return;
	space = space_for(spaces, event->pid);
	if (!space)
		return;
	m = trace_names_mapping(spaces->names, event);
	see_heap(space, &m);
	if (space->table) {
		const struct trace_mapping *old;

		at = trace_space_table_at(space->table, m.start);
		old = at < space->table->n ? &space->table->items[at] : NULL;
		/* the same place again and again: nothing changes, and what is shared stays so */
		if (old && is_the_same(old, &m))
			return;
		if (old && old->start < m.end && trace_mapping_same_file(old, &m))
			m.module = old->module;
	}
	if (insert(spaces, space, &m) == 0)
		return;
	/* sweeping leaves this one alone, which is live */
	if (!sweep(spaces) || insert(spaces, space, &m) < 0)
		leave_out(spaces, space, &m);
}

void trace_spaces_fork(struct trace_spaces *spaces, pid_t parent, pid_t child)
{
	struct space *from, *to;

	if (parent == child)
		return;
	to = space_for(spaces, child);
	if (!to)
		return;
	forget(to);
	from = *link_of(spaces, parent); /* behind space_for(), which may have swept */
	if (!from)
		return;
	to->table = trace_space_table_share(from->table);
	to->heap_asked = from->heap_asked;
	to->heap_start = from->heap_start;
}

void trace_spaces_exec(struct trace_spaces *spaces, pid_t pid)
{
	struct space *space = space_for(spaces, pid);

	if (space)
		forget(space);
}

void trace_spaces_exit(struct trace_spaces *spaces, pid_t pid)
{
	struct space *space = *link_of(spaces, pid);
	struct space **oldest;
	pid_t *place;

	stray_of(spaces, pid)->pid = 0;
	if (!space || space->state == EXITED)
		return;
	set_state(spaces, space, EXITED);
	place = &spaces->exited[spaces->n_exited++ % N_KEPT_EXITED];
	oldest = link_of(spaces, *place);
	/* its number may have been given to another since */
	if (*oldest && (*oldest)->state == EXITED && *oldest != space)
		remove_space(spaces, oldest);
	*place = pid;
}

/* --- reading /proc ------------------------------------------------------------------------------- */

static void begin_reading(void *data)
{
	struct trace_spaces *spaces = data;

	spaces->n_read = 0;
	spaces->hit.end = 0;
}

static bool keep_read(struct trace_spaces *spaces, const struct trace_mapping *m)
{
	if (spaces->n_read == TRACE_MAX_MAPPINGS)
		return false;
	if (spaces->n_read == spaces->read_room) {
		struct trace_mapping *larger =
			array_grow(spaces->read, spaces->n_read, sizeof(*larger));

		if (!larger)
			return false;
		spaces->read = larger;
		spaces->read_room = spaces->n_read ? 2 * spaces->n_read : 1;
	}
	spaces->read[spaces->n_read++] = *m;
	return true;
}

static void take_mapping(void *data, const struct trace_mmap_event *event)
{
	struct trace_spaces *spaces = data;
	struct trace_mmap_event e = *event;
	struct trace_mapping m;

	e.pid = spaces->read_pid;
	m = trace_names_mapping(spaces->names, &e);
	if (spaces->wanted >= m.start && spaces->wanted < m.end)
		spaces->hit = m;
	if (!keep_read(spaces, &m))
		spaces->n_left_out++;
}

/* Puts what was read in place of what is known, or beside it. False: no room. */
static bool keep_reading(struct trace_spaces *spaces, struct space *space, bool beside)
{
	struct trace_space_table *table = NULL;

	if (beside && space->table)
		table = trace_space_table_merge(space->table, spaces->read, spaces->n_read);
	if (!table) /* what was removed since piles up; where there is no room for it, it goes */
		table = trace_space_table_new(&spaces->n_mappings, spaces->read, spaces->n_read);
	if (!table && sweep(spaces))
		table = trace_space_table_new(&spaces->n_mappings, spaces->read, spaces->n_read);
	if (!table)
		return false;
	trace_space_table_drop(space->table);
	space->table = table;
	space->last = 0;
	return true;
}

/* Reads the maps of pid, which has that space; NULL: there is no room for one. wanted: an address that is looked for, and
 * is kept at least, as a stray. */
static int read_space(struct trace_spaces *spaces, pid_t pid, struct space *space, bool beside,
		      uint64_t wanted)
{
	const struct trace_maps_reader reader = {begin_reading, take_mapping, spaces};
	int r;

	spaces->n_rereads++;
	spaces->read_pid = pid;
	spaces->wanted = wanted;
	spaces->hit.end = 0;
	r = trace_maps_read(&spaces->lines, pid, &reader);
	if (r < 0) {
		/* another process may get its number; and what is refused now is refused again */
		if (space && (r == -ESRCH || r == -EACCES || r == -EPERM))
			set_state(spaces, space, UNREADABLE);
		return r;
	}
	if (space && !keep_reading(spaces, space, beside))
		spaces->n_left_out += spaces->n_read;
	if (spaces->hit.end)
		*stray_of(spaces, pid) = (struct stray){pid, spaces->hit};
	return 0;
}

int trace_spaces_reread(struct trace_spaces *spaces, pid_t pid)
{
	struct space *space;

	if (pid <= 0)
		return -EINVAL;
	space = space_for(spaces, pid);
	return space ? read_space(spaces, pid, space, false, UINT64_MAX) : -ENOSPC;
}

/* --- finding ------------------------------------------------------------------------------------- */

static bool is_allowed(struct allowance *a, const struct allowance_rule *rule, uint64_t now_ns)
{
	int64_t earned_ns = (int64_t)(now_ns - a->at_ns) / rule->share;

	a->at_ns = now_ns;
	a->left_ns += earned_ns;
	if (a->left_ns > rule->burst_ns)
		a->left_ns = rule->burst_ns;
	return a->left_ns > 0;
}

/* Reads on a miss, unless that would be dear or in vain. True: it was read, and says the truth of now. */
static bool read_on_miss(struct trace_spaces *spaces, pid_t pid, struct space *space,
			 uint64_t address)
{
	uint64_t page = address / spaces->page_bytes, now_ns = sys_now_ns(), begun_ns;
	int64_t took_ns;
	int r;

	if (space && space->missed_ns && space->missed_page == page &&
	    now_ns - space->missed_ns < REPEAT_NS)
		return false;
	if (!is_allowed(&spaces->allowance, &of_all, now_ns) ||
	    (space && !is_allowed(&space->allowance, &of_one, now_ns)))
		return false;
	/* CPU time: to be preempted costs nothing */
	begun_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	r = read_space(spaces, pid, space, true, address);
	took_ns = (int64_t)(sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun_ns);
	spaces->allowance.left_ns -= took_ns;
	if (space) {
		space->allowance.left_ns -= took_ns;
		space->missed_page = page;
		space->missed_ns = spaces->hit.end ? 0 : now_ns;
	}
	return r == 0;
}

static struct trace_mapping *known(struct space *space, uint64_t address)
{
	struct trace_mapping *items;

	if (!space || !space->table || space->table->n == 0)
		return NULL;
	items = space->table->items;
	if (space->last >= space->table->n || address < items[space->last].start ||
	    address >= items[space->last].end)
		space->last = trace_space_table_at(space->table, address);
	if (space->last == space->table->n || address < items[space->last].start)
		return NULL;
	return &items[space->last];
}

static struct trace_mapping *stray(struct trace_spaces *spaces, pid_t pid, uint64_t address)
{
	struct stray *s = stray_of(spaces, pid);

	return s->pid == pid && address >= s->mapping.start && address < s->mapping.end
		       ? &s->mapping
		       : NULL;
}

static uint64_t stack_limit(pid_t pid)
{
	struct rlimit limit;

	if (prlimit(pid, RLIMIT_STACK, NULL, &limit) < 0 && getrlimit(RLIMIT_STACK, &limit) < 0)
		return 0;
	return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

/* The stack, grown to an address that lies below it with nothing between. NULL: it does not. */
static struct trace_mapping *grow_stack(struct trace_spaces *spaces, struct space *space,
					uint64_t address)
{
	struct trace_mapping *m;
	size_t at;

	if (!space || !space->table)
		return NULL;
	at = trace_space_table_at(space->table, address);
	m = at < space->table->n ? &space->table->items[at] : NULL;
	if (!m || m->backing != TRACE_STACK || m->end - address > stack_limit(space->pid) ||
	    trace_space_table_own(&space->table) < 0)
		return NULL;
	m = &space->table->items[at];
	m->start = address - address % spaces->page_bytes;
	return m;
}

/* Once in the life of a program: from then on its heap is known. */
static void ask_heap(struct space *space)
{
	space->heap_asked = true;
	space->heap_start = trace_heap_start(space->pid);
	for (size_t i = 0; i < space->table->n; i++)
		see_heap(space, &space->table->items[i]);
}

struct trace_mapping *trace_spaces_find(struct trace_spaces *spaces, pid_t pid, uint64_t address,
					bool may_reread)
{
	struct trace_mapping *m;
	struct space *space;
	bool fresh = false;

	if (pid <= 0)
		return NULL;
	space = *link_of(spaces, pid);
	m = known(space, address);
	if (!m && (!space || space->state != EXITED))
		m = stray(spaces, pid, address);
	if (!space && !m && may_reread)
		space = space_for(spaces, pid);
	may_reread &= !space || space->state == LIVE;
	if (!m && may_reread) {
		fresh = read_on_miss(spaces, pid, space, address);
		m = known(space, address);
		if (!m && fresh)
			m = stray(spaces, pid, address);
	}
	if (m && m->backing == TRACE_ANON && may_reread && space && space->table &&
	    !space->heap_asked)
		ask_heap(space);
	return m || fresh ? m : grow_stack(spaces, space, address);
}

/* --- the rest ------------------------------------------------------------------------------------ */

const char *trace_spaces_name(const struct trace_spaces *spaces, uint32_t name)
{
	return trace_names_text(spaces->names, name);
}

size_t trace_spaces_n_names(const struct trace_spaces *spaces)
{
	return trace_names_n(spaces->names);
}

uint64_t trace_spaces_n_rereads(const struct trace_spaces *spaces)
{
	return spaces->n_rereads;
}

uint64_t trace_spaces_n_left_out(const struct trace_spaces *spaces)
{
	return spaces->n_left_out + trace_names_n_left_out(spaces->names);
}

int trace_spaces_new(struct trace_spaces **ret)
{
	struct trace_spaces *spaces = calloc(1, sizeof(*spaces));
	int r;

	if (!spaces)
		return -ENOMEM;
	r = trace_names_new(&spaces->names);
	if (r < 0) {
		free(spaces);
		return r;
	}
	spaces->page_bytes = sys_page_bytes();
	spaces->allowance = (struct allowance){of_all.burst_ns, sys_now_ns()};
	*ret = spaces;
	return 0;
}

void trace_spaces_free(struct trace_spaces *spaces)
{
	if (!spaces)
		return;
	for (size_t i = 0; i < N_BUCKETS; i++)
		while (spaces->buckets[i])
			remove_space(spaces, &spaces->buckets[i]);
	trace_names_free(spaces->names);
	free(spaces->read);
	free(spaces);
}
