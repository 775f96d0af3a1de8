/* SPDX-License-Identifier: MIT */
/* Real mappings of each backing, of this process and of children: as /proc has them, and as records do. */
#include "src/base/array.h"
#include "src/sys/hugetlb.h"
#include "src/sys/page.h"
#include "src/trace/spaces.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t page_bytes;
static char dir[] = "/var/tmp/t_spaces.XXXXXX";

static struct trace_spaces *new_spaces(void)
{
	struct trace_spaces *spaces;

	if (trace_spaces_new(&spaces) < 0)
		exit(EXIT_FAILURE);
	return spaces;
}

static const char *path_in_dir(const char *name)
{
	static char path[300];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* --- records of this process, as the tracer will have them ---------------------------------------- */

enum { RING_PAGES = 32 };
static struct perf_event_mmap_page *ring;

static bool open_records(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.mmap2 = 1,
		.mmap_data = 1,
		.exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return false;
	ring = mmap(NULL, (1 + RING_PAGES) * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		ring = NULL;
	return ring;
}

struct mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, offset;
	uint32_t dev_major, dev_minor;
	uint64_t inode, generation;
	uint32_t prot, flags;
	char name[];
};

/* Hands on what was recorded since. */
static void take_records(struct trace_spaces *spaces)
{
	static union {
		struct mmap2 mmap2;
		char bytes[65536];
	} record;
	const char *data = (const char *)ring + page_bytes;
	uint64_t head;

	if (!ring)
		return;
	head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	while (ring->data_tail < head) {
		const struct mmap2 *e = &record.mmap2;

		/* a record may go over the end of the ring */
		for (size_t i = 0; i < sizeof(e->header) || i < e->header.size; i++)
			record.bytes[i] = data[(ring->data_tail + i) % (RING_PAGES * page_bytes)];
		if (e->header.type == PERF_RECORD_MMAP2) {
			const struct trace_mmap_event event = {
				.pid = (pid_t)e->pid,
				.start = e->start,
				.length = e->length,
				.offset = e->offset,
				.dev_major = e->dev_major,
				.dev_minor = e->dev_minor,
				.inode = e->inode,
				.prot = e->prot,
				.flags = e->flags,
				.name = e->name,
			};

			trace_spaces_mmap(spaces, &event);
		}
		ring->data_tail += e->header.size;
	}
}

/* --- mappings of each backing ------------------------------------------------------------------- */

static void *map(size_t bytes, int flags, int fd, off_t offset)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, offset);

	return p == MAP_FAILED ? NULL : p;
}

static void *map_pages(int flags, int fd)
{
	return fd < 0 && !(flags & MAP_ANONYMOUS) ? NULL : map(3 * page_bytes, flags, fd, 0);
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0 && ftruncate(fd, (off_t)(4 * page_bytes)) < 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

/* Maps fd from its second page on, and closes it. */
static void *map_second(int fd)
{
	void *p = fd < 0 ? NULL : map(2 * page_bytes, MAP_SHARED, fd, (off_t)page_bytes);

	if (fd >= 0)
		(void)close(fd);
	return p;
}

static void *make_anon(void)
{
	return map_pages(MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static void *make_named(void)
{
	void *p = make_anon();

	if (!p || prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, p, 3 * page_bytes, "my arena") < 0)
		return NULL;
	return p;
}

static void *make_shared(void)
{
	return map_pages(MAP_SHARED | MAP_ANONYMOUS, -1);
}

static void *make_zero(void)
{
	return map_pages(MAP_PRIVATE, open("/dev/zero", O_RDWR | O_CLOEXEC));
}

static void *make_shared_zero(void)
{
	return map_pages(MAP_SHARED, open("/dev/zero", O_RDWR | O_CLOEXEC));
}

static void *make_heap(void)
{
	void *first = sbrk((intptr_t)page_bytes); /* the record of the very first says anonymous */
	void *p = first == (void *)-1 ? first : sbrk((intptr_t)(4 * page_bytes));

	return p == (void *)-1 ? NULL : p;
}

static void *make_stack(void)
{
	return __builtin_frame_address(0);
}

static void *make_memfd(void)
{
	int fd = memfd_create("a pool\nof two lines", MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, (off_t)(4 * page_bytes)) < 0)
		return NULL;
	return map_second(fd);
}

static void *make_sysv(void)
{
	int id = shmget(IPC_PRIVATE, 3 * page_bytes, 0600);
	void *p = id < 0 ? (void *)-1 : shmat(id, NULL, 0);

	if (id >= 0)
		(void)shmctl(id, IPC_RMID, NULL);
	return p == (void *)-1 ? NULL : p;
}

/* Removes the name of a file before it is mapped, so that its record tells. */
static void *map_unlinked(const char *path)
{
	int fd = open_file(path);

	(void)unlink(path);
	return map_second(fd);
}

static void *make_shm(void)
{
	return map_unlinked("/dev/shm/t_spaces_proc");
}

static void *make_file(void)
{
	return map_second(open_file(path_in_dir("file")));
}

static void *make_deleted(void)
{
	return map_unlinked(path_in_dir("gone"));
}

static void *make_called_deleted(void)
{
	return map_second(open_file(path_in_dir("kept (deleted)")));
}

static void *make_gone_called_deleted(void)
{
	return map_unlinked(path_in_dir("lost (deleted)"));
}

static void *make_odd(void)
{
	return map_second(open_file(path_in_dir("a\nb \\n \x01\xff  c")));
}

static void *make_program(void)
{
	return (void *)(uintptr_t)make_program;
}

/* Mappings of huge pages that reserve none and touch none take nothing from the pool, which may be empty. */
static size_t huge_bytes(void)
{
	struct sys_hugetlb_pool pools[SYS_MAX_HUGETLB_POOLS];

	return sys_hugetlb_pools(pools) ? pools[0].page_bytes : 0;
}

/* The page size as part of the flags of mmap, memfd_create and shmget, which agree on it. */
static int huge_flags(int flag)
{
	return flag | __builtin_ctzll(huge_bytes()) << MAP_HUGE_SHIFT;
}

static void *make_hugetlb(void)
{
	return huge_bytes()
		       ? map(huge_bytes(),
			     huge_flags(MAP_HUGETLB) | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			     -1, 0)
		       : NULL;
}

static void *make_huge_memfd(void)
{
	int fd = huge_bytes() ? memfd_create("huge", (unsigned)huge_flags(MFD_HUGETLB)) : -1;

	return fd < 0 ? NULL : map(huge_bytes(), MAP_SHARED | MAP_NORESERVE, fd, 0);
}

static void *make_huge_sysv(void)
{
	int id = huge_bytes() ? shmget(IPC_PRIVATE, huge_bytes(),
				       huge_flags(SHM_HUGETLB) | SHM_NORESERVE | 0600)
			      : -1;
	void *p = id < 0 ? (void *)-1 : shmat(id, NULL, 0);

	if (id >= 0)
		(void)shmctl(id, IPC_RMID, NULL);
	return p == (void *)-1 ? NULL : p;
}

#define HUGE_NEED "needs a kernel with hugetlb pages"
#define HUGE_SHM_NEED "needs hugetlb pages by System V: root, or the group in vm.hugetlb_shm_group"

static const struct backing_case {
	const char *title;
	void *(*make)(void);
	enum trace_backing backing;
	const char *name; /* "@x": x in our directory */
	bool shared, deleted;
	uint64_t offset_pages; /* of what make() returned; UINT64_MAX: not looked at */
	const char *need;      /* where it cannot be made; NULL: it can everywhere */
	bool no_record;        /* it was there before records began, or gives none */
} cases[] = {
	{"anonymous", make_anon, TRACE_ANON, "[anon]", false, false, 0, NULL, false},
	{"anonymous with a name", make_named, TRACE_ANON, "[anon:my arena]", false, false, 0,
	 "needs a kernel with names of anonymous memory: CONFIG_ANON_VMA_NAME", true},
	{"shared anonymous", make_shared, TRACE_SHMEM, "[anon_shmem]", true, false, 0, NULL, false},
	{"/dev/zero", make_zero, TRACE_ANON, "[anon]", false, false, UINT64_MAX, NULL, false},
	{"/dev/zero, shared", make_shared_zero, TRACE_SHMEM, "[anon_shmem]", true, false, 0, NULL,
	 false},
	{"heap", make_heap, TRACE_HEAP, "[heap]", false, false, 0, NULL, false},
	{"stack", make_stack, TRACE_STACK, "[stack]", false, false, 0, NULL, true},
	{"memfd", make_memfd, TRACE_SHMEM, "memfd:a pool\nof two lines", true, false, 1, NULL,
	 false},
	{"System V", make_sysv, TRACE_SHMEM, "/SYSV00000000", true, false, 0,
	 "needs System V shared memory", false},
	{"/dev/shm, unlinked", make_shm, TRACE_SHMEM, "/dev/shm/t_spaces_proc", true, true, 1,
	 "needs to write in /dev/shm", false},
	{"a file", make_file, TRACE_FILE, "@file", true, false, 1, NULL, false},
	{"a file, unlinked", make_deleted, TRACE_FILE, "@gone", true, true, 1, NULL, false},
	{"a file that is called deleted", make_called_deleted, TRACE_FILE, "@kept (deleted)", true,
	 false, 1, NULL, false},
	{"such a file, unlinked", make_gone_called_deleted, TRACE_FILE, "@lost (deleted)", true,
	 true, 1, NULL, false},
	{"a file with an odd name", make_odd, TRACE_FILE, "@a\nb \\n \x01\xff  c", true, false, 1,
	 NULL, false},
	{"this program", make_program, TRACE_FILE, NULL, false, false, UINT64_MAX, NULL, true},
	{"MAP_HUGETLB", make_hugetlb, TRACE_HUGETLB, "[anon_hugepage]", false, false, 0, HUGE_NEED,
	 false},
	{"memfd with MFD_HUGETLB", make_huge_memfd, TRACE_HUGETLB, "memfd:huge", true, false, 0,
	 HUGE_NEED, false},
	{"System V with SHM_HUGETLB", make_huge_sysv, TRACE_HUGETLB, "/SYSV00000000", true, false,
	 0, HUGE_SHM_NEED, false},
};

static void check_case(struct trace_spaces *spaces, const struct backing_case *c, const void *p,
		       const char *told_by)
{
	uint64_t address = (uintptr_t)p;
	const struct trace_mapping *m = trace_spaces_find(spaces, getpid(), address, false);
	const char *name = m ? trace_spaces_name(spaces, m->name) : NULL;

	if (!t_ok(m && m->backing == c->backing && m->shared == c->shared &&
			  m->deleted == c->deleted && m->readable,
		  "%s, by %s", c->title, told_by))
		t_note("backing %d shared %d deleted %d name %s", m ? (int)m->backing : -1,
		       m && m->shared, m && m->deleted, name ? name : "-");
	if (c->name)
		t_is_str(name, c->name[0] == '@' ? path_in_dir(c->name + 1) : c->name, "its name");
	if (m && c->offset_pages != UINT64_MAX)
		t_is_u64(m->inode ? m->offset + (address - m->start) : 0,
			 c->offset_pages * page_bytes, "its offset");
}

static void test_backings(void)
{
	struct trace_spaces *by_maps = new_spaces(), *by_records = new_spaces();
	bool recorded = open_records();

	if (!recorded)
		t_skip(1, "needs perf events of own processes: sysctl "
			  "kernel.perf_event_paranoid=2");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct backing_case *c = &cases[i];
		const void *p = c->make();

		if (!p && c->need) {
			t_skip(1, "%s", c->need);
			continue;
		}
		if (!t_ok(p, "%s is made: %s", c->title, p ? "yes" : strerror(errno)))
			continue;
		take_records(by_records);
		t_is_i64(trace_spaces_reread(by_maps, getpid()), 0, "maps are read");
		check_case(by_maps, c, p, "maps");
		if (recorded && !c->no_record)
			check_case(by_records, c, p, "records");
	}
	trace_spaces_free(by_maps);
	trace_spaces_free(by_records);
}

/* --- what leaves no record ------------------------------------------------------------------------ */

static void test_churn(void)
{
	struct trace_spaces *spaces = new_spaces();
	char *p, *at, *hole;
	struct trace_mapping *m;
	uint64_t n;

	p = map(16 * page_bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	m = trace_spaces_find(spaces, getpid(), (uintptr_t)make_program(), true);
	if (m)
		m->module = 9;
	m = trace_spaces_find(spaces, getpid(), (uintptr_t)p, true);
	t_ok(m && m->backing == TRACE_ANON, "a process that nobody told of: read when asked for");
	t_is_u64(trace_spaces_n_rereads(spaces), 1, "once");
	for (int i = 0; i < 1000; i++)
		(void)trace_spaces_find(spaces, getpid(), (uintptr_t)p, true);
	t_is_u64(trace_spaces_n_rereads(spaces), 1, "what is known is not read again");

	hole = map(64 * page_bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	(void)munmap(hole, 64 * page_bytes);
	at = mremap(p, 16 * page_bytes, 32 * page_bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
		    hole + 8 * page_bytes);
	t_ok(at == hole + 8 * page_bytes, "mremap moves it");
	n = trace_spaces_n_rereads(spaces);
	m = trace_spaces_find(spaces, getpid(), (uintptr_t)at + 20 * page_bytes, true);
	t_ok(m && m->backing == TRACE_ANON && m->end >= (uintptr_t)at + 32 * page_bytes,
	     "where it is now: read");
	t_is_u64(trace_spaces_n_rereads(spaces) - n, 1, "by one look");
	m = trace_spaces_find(spaces, getpid(), (uintptr_t)make_program(), true);
	t_is_i64(m ? m->module : 0, 9, "what is known of a file's module is kept");
	t_ok(trace_spaces_find(spaces, getpid(), (uintptr_t)p, false),
	     "where it was: faults there may be told of late, so it is still known");
	t_is_i64(trace_spaces_reread(spaces, getpid()), 0, "reading all anew");
	t_ok(!trace_spaces_find(spaces, getpid(), (uintptr_t)p, false), "forgets it");
	trace_spaces_free(spaces);
}

/* A program that faults on addresses that nothing is mapped at must not make us read all the time. */
static void test_misses(void)
{
	enum { N = 20000 };
	struct trace_spaces *spaces = new_spaces();
	uint64_t n;

	for (int i = 0; i < N; i++)
		(void)trace_spaces_find(spaces, getpid(), page_bytes, true);
	n = trace_spaces_n_rereads(spaces);
	t_ok(n >= 1 && n < N / 100, "%d looks for one page: %" PRIu64 " reads", N, n);
	for (int i = 0; i < N; i++)
		(void)trace_spaces_find(spaces, getpid(), page_bytes * (size_t)(i % 10), true);
	n = trace_spaces_n_rereads(spaces) - n;
	t_ok(n >= 10 && n < N / 2, "%d looks for ten pages: %" PRIu64 " reads", N, n);
	trace_spaces_free(spaces);
}

/* No room for us: by too many processes, or by too many mappings. */
static void check_no_room(struct trace_spaces *spaces, const char *title)
{
	enum { N = 20000 };
	uint64_t n = trace_spaces_n_rereads(spaces);
	const char *p = make_shared();
	const struct trace_mapping *m;

	m = trace_spaces_find(spaces, getpid(), (uintptr_t)p, true);
	t_ok(m && m->backing == TRACE_SHMEM, "no room for %s: read for what is asked", title);
	t_is_u64(trace_spaces_n_rereads(spaces) - n, 1, "by one look");
	m = trace_spaces_find(spaces, getpid(), (uintptr_t)p + page_bytes, true);
	t_ok(m && trace_spaces_n_rereads(spaces) - n == 1, "which is remembered");
	t_ok(trace_spaces_n_left_out(spaces) > 0, "what found no room is counted");
	trace_spaces_exec(spaces, getpid());
	t_ok(!trace_spaces_find(spaces, getpid(), (uintptr_t)p, false), "until it does exec");
	n = trace_spaces_n_rereads(spaces);
	for (size_t i = 0; i < N; i++)
		(void)trace_spaces_find(spaces, getpid(), page_bytes * (i % 10), true);
	n = trace_spaces_n_rereads(spaces) - n;
	t_ok(n >= 1 && n < N / 2, "%d looks in vain: %" PRIu64 " reads", N, n);
}

static void test_no_room(void)
{
	enum { NOBODY = 5000000, MAX_SPACES = 8192, MAX_MAPPINGS = 65536, N_FULL = 4 };
	struct trace_mmap_event e = {.length = 1, .dev_major = 8, .inode = 1, .name = "/a"};
	struct trace_spaces *spaces = new_spaces();

	for (e.pid = NOBODY; e.pid < NOBODY + MAX_SPACES; e.pid++)
		trace_spaces_mmap(spaces, &e);
	check_no_room(spaces, "a process");
	trace_spaces_free(spaces);

	spaces = new_spaces();
	for (e.pid = NOBODY; e.pid < NOBODY + N_FULL; e.pid++)
		for (e.start = 0; e.start < MAX_MAPPINGS; e.start++)
			trace_spaces_mmap(spaces, &e);
	check_no_room(spaces, "mappings");
	trace_spaces_free(spaces);
}

/* Drivers keep memory on the kernel's own mount, by names of their own. */
static void test_internal(void)
{
	struct trace_mmap_event e = {
		.pid = getpid(), .start = page_bytes, .length = page_bytes, .flags = MAP_SHARED};
	struct trace_spaces *spaces = new_spaces();
	int fd = memfd_create("t_spaces", MFD_CLOEXEC);
	const struct trace_mapping *m;
	struct stat st;

	if (!t_ok(fd >= 0 && fstat(fd, &st) == 0, "the device of a memfd"))
		return;
	(void)close(fd);
	e.dev_major = major(st.st_dev);
	e.dev_minor = minor(st.st_dev);
	e.inode = st.st_ino;
	e.name = "/drm mm object (deleted)";
	trace_spaces_mmap(spaces, &e);
	m = trace_spaces_find(spaces, e.pid, e.start, false);
	t_ok(m && m->backing == TRACE_SHMEM, "whatever is on it is shared memory");
	trace_spaces_free(spaces);
}

/* --- other processes -------------------------------------------------------------------------------- */

struct child {
	pid_t pid;
	int to, from;
};

/* A child that runs main(its ends of two pipes). */
static struct child start(void (*main)(int to, int from))
{
	int down[2], up[2];
	struct child c = {.pid = -1};

	if (pipe2(down, O_CLOEXEC) < 0 || pipe2(up, O_CLOEXEC) < 0)
		return c;
	c.pid = fork();
	if (c.pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		main(up[1], down[0]);
		_exit(0);
	}
	(void)close(down[0]);
	(void)close(up[1]);
	c.to = down[1];
	c.from = up[0];
	return c;
}

static void say(int fd, const void *what, size_t n)
{
	if (write(fd, what, n) != (ssize_t)n)
		_exit(1);
}

static bool hear(int fd, void *ret, size_t n)
{
	return read(fd, ret, n) == (ssize_t)n;
}

static void end(struct child *c)
{
	(void)kill(c->pid, SIGKILL);
	(void)waitpid(c->pid, NULL, 0);
	(void)close(c->to);
	(void)close(c->from);
}

static void child_maps(int to, int from)
{
	void *p = map_second(open_file(path_in_dir("of the child")));
	char byte;

	say(to, &p, sizeof(p));
	(void)hear(from, &byte, 1);
}

static void test_child(void)
{
	struct trace_spaces *spaces = new_spaces();
	struct child c = start(child_maps);
	struct trace_mapping *m;
	uintptr_t p = 0;

	t_ok(c.pid > 0 && hear(c.from, &p, sizeof(p)), "a child that maps a file");
	m = trace_spaces_find(spaces, c.pid, p, true);
	t_ok(m && m->backing == TRACE_FILE && m->offset == page_bytes, "is read");
	t_is_str(m ? trace_spaces_name(spaces, m->name) : NULL, path_in_dir("of the child"),
		 "the file's name");
	end(&c);
	t_ok(trace_spaces_find(spaces, c.pid, p, true), "once it is gone, what was known is");
	t_ok(!trace_spaces_find(spaces, c.pid, 1, true), "and nothing else");
	t_is_i64(trace_spaces_reread(spaces, c.pid), -ESRCH, "reading says so");
	t_ok(trace_spaces_find(spaces, c.pid, p, true), "and loses nothing");
	trace_spaces_free(spaces);
}

static void child_zombie(int to, int from)
{
	(void)from;
	say(to, "x", 1);
}

static void test_zombie(void)
{
	struct trace_spaces *spaces = new_spaces();
	struct child c = start(child_zombie);
	siginfo_t info;

	t_ok(c.pid > 0 && waitid(P_PID, (id_t)c.pid, &info, WEXITED | WNOWAIT) == 0,
	     "a child that has ended, and is not reaped");
	t_is_i64(trace_spaces_reread(spaces, c.pid), -ESRCH, "has no mappings");
	t_ok(!trace_spaces_find(spaces, c.pid, page_bytes, true), "none is found");
	end(&c);
	trace_spaces_free(spaces);
}

static int thread_to, thread_from;

static void *outlive(void *leader)
{
	void *p = make_shared();
	char byte;

	(void)pthread_join(*(pthread_t *)leader, NULL);
	say(thread_to, &p, sizeof(p));
	(void)hear(thread_from, &byte, 1);
	_exit(0);
}

static void child_without_leader(int to, int from)
{
	static pthread_t leader;
	pthread_t thread;

	thread_to = to;
	thread_from = from;
	leader = pthread_self();
	if (pthread_create(&thread, NULL, outlive, &leader) == 0)
		pthread_exit(NULL);
}

/* The first thread of a process may end before the others: /proc/PID/maps is empty then. */
static void test_leader_gone(void)
{
	struct trace_spaces *spaces = new_spaces();
	struct child c = start(child_without_leader);
	struct trace_mapping *m;
	uintptr_t p = 0;
	char path[64], byte;
	int fd;

	t_ok(c.pid > 0 && hear(c.from, &p, sizeof(p)), "a child whose first thread has ended");
	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)c.pid);
	/* joined is a moment before it has let go of its memory */
	for (int i = 0; i < 1000; i++) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || read(fd, &byte, 1) <= 0)
			break;
		(void)close(fd);
		(void)usleep(1000);
	}
	m = trace_spaces_find(spaces, c.pid, p, true);
	t_ok(m && m->backing == TRACE_SHMEM, "is read by another of its threads");
	end(&c);
	trace_spaces_free(spaces);
}

/* exec over and over: whichever memory is read, it is that of one program. */
static void child_execs(int to, int from)
{
	static char script[] = "exec /bin/sh -c \"$0\" \"$0\"";
	char shell[] = "sh", option[] = "-c";
	char *const args[] = {shell, option, script, script, NULL};

	(void)to;
	(void)from;
	(void)execv("/bin/sh", args);
}

static void test_execs(void)
{
	enum { N = 500 };
	/* the last line of maps on x86-64, most often; where there is none, nothing tells a part from all */
	const uint64_t last = UINT64_C(0xffffffffff600000);
	struct trace_spaces *spaces = new_spaces();
	bool has_last = trace_spaces_find(spaces, getpid(), last, true);
	struct child c = start(child_execs);
	int n_read = 0, n_other = 0, n_parts = 0;

	for (int i = 0; i < N; i++) {
		int r = trace_spaces_reread(spaces, c.pid);

		n_read += r == 0;
		n_parts += r == 0 && has_last && !trace_spaces_find(spaces, c.pid, last, false);
		/* given up, or between two programs */
		n_other += r != 0 && r != -EAGAIN && r != -ESRCH;
	}
	t_ok(c.pid > 0 && n_read > 0 && n_other == 0,
	     "a child that does nothing but exec: read %d of %d times", n_read, N);
	t_is_i64(n_parts, 0, "and never a part of it");
	end(&c);
	trace_spaces_free(spaces);
}

static void child_refuses(int to, int from)
{
	void *p = make_anon();
	char byte;

	say(to, &p, sizeof(p));
	(void)hear(from, &byte, 1);
}

/* Looks at a child of root's as nobody. */
static void child_nobody(int to, int from)
{
	struct trace_spaces *spaces = new_spaces();
	pid_t pid;
	int r = -EIO;

	if (hear(from, &pid, sizeof(pid)) && setresgid(65534, 65534, 65534) == 0 &&
	    setresuid(65534, 65534, 65534) == 0) {
		r = trace_spaces_reread(spaces, pid);
		if (trace_spaces_find(spaces, pid, page_bytes, true) ||
		    trace_spaces_n_rereads(spaces) != 1)
			r = -EIO;
	}
	say(to, &r, sizeof(r));
}

static void test_refused(void)
{
	struct child c, looks;
	void *p = NULL;
	int r = 0;

	if (geteuid() != 0) {
		t_skip(1, "needs root: to look as another user");
		return;
	}
	c = start(child_refuses);
	looks = start(child_nobody);
	(void)hear(c.from, &p, sizeof(p));
	if (looks.pid > 0)
		say(looks.to, &c.pid, sizeof(c.pid));
	(void)hear(looks.from, &r, sizeof(r));
	t_is_i64(r, -EACCES, "another user's process is refused, and not tried again");
	end(&c);
	end(&looks);
}

/* --- other mount namespaces --------------------------------------------------------------------------- */

static void child_namespace(int to, int from)
{
	void *p[4] = {NULL};
	char options[64], byte;
	int fd;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("t_spaces", dir, "tmpfs", 0, NULL) < 0)
		goto out;
	p[0] = map_second(open_file(path_in_dir("theirs")));
	p[1] = map_second(open_file(path_in_dir("theirs (deleted)")));
	p[2] = map_unlinked(path_in_dir("gone"));
	(void)snprintf(options, sizeof(options), "pagesize=%zu", huge_bytes());
	if (huge_bytes() && mkdir(path_in_dir("h"), 0700) == 0 &&
	    mount("t_spaces", path_in_dir("h"), "hugetlbfs", 0, options) == 0) {
		fd = open(path_in_dir("h/huge"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (fd >= 0)
			p[3] = map(huge_bytes(), MAP_SHARED | MAP_NORESERVE, fd, 0);
	}
out:
	say(to, p, sizeof(p));
	(void)hear(from, &byte, 1);
}

static void test_namespace(void)
{
	static const struct {
		const char *title, *name;
		enum trace_backing backing;
		bool deleted;
	} files[] = {
		{"tmpfs", "theirs", TRACE_SHMEM, false},
		{"a name that says deleted", "theirs (deleted)", TRACE_SHMEM, false},
		{"deleted", "gone", TRACE_SHMEM, true},
		{"hugetlbfs", "h/huge", TRACE_HUGETLB, false},
	};
	struct trace_spaces *spaces = new_spaces();
	struct child c = start(child_namespace);
	uintptr_t p[4] = {0};

	(void)hear(c.from, p, sizeof(p));
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct trace_mapping *m;

		if (!p[i]) {
			t_skip(1, "%s", p[0] ? HUGE_NEED : "needs a mount namespace: root");
			continue;
		}
		m = trace_spaces_find(spaces, c.pid, p[i], true);
		t_ok(m && m->backing == files[i].backing && m->deleted == files[i].deleted,
		     "in another mount namespace: %s", files[i].title);
		t_is_str(m ? trace_spaces_name(spaces, m->name) : NULL, path_in_dir(files[i].name),
			 "its name");
	}
	end(&c);
	trace_spaces_free(spaces);
}

/* --- stack and heap ----------------------------------------------------------------------------------- */

/* A stack that has grown since it was read, and an address right below what it may be. */
static void child_grows(int to, int from)
{
	char *now = __builtin_frame_address(0), *p;
	char byte;

	say(to, &now, sizeof(now));
	(void)hear(from, &byte, 1);
	p = __builtin_alloca(100 * page_bytes);
	for (size_t i = 100; i > 0; i--)
		((volatile char *)p)[(i - 1) * page_bytes] = 1;
	say(to, &p, sizeof(p));
	(void)hear(from, &byte, 1);
}

static void test_stack(void)
{
	struct trace_spaces *spaces = new_spaces();
	struct child c = start(child_grows);
	uintptr_t before = 0, after = 0;
	struct trace_mapping *m;
	uint64_t start_then;

	(void)hear(c.from, &before, sizeof(before));
	m = trace_spaces_find(spaces, c.pid, before, true);
	t_ok(m && m->backing == TRACE_STACK, "a stack");
	start_then = m ? m->start : 0;
	say(c.to, "x", 1);
	(void)hear(c.from, &after, sizeof(after));
	t_ok(after && after < start_then, "that has grown");
	m = trace_spaces_find(spaces, c.pid, after, false);
	t_ok(m && m->backing == TRACE_STACK && m->start <= after, "is still known as such");
	m = trace_spaces_find(spaces, c.pid, after - 200 * page_bytes, true);
	t_ok(!m, "unless /proc says that it has not grown so far");
	end(&c);
	trace_spaces_free(spaces);
}

/* A process whose record of its first brk came before any look at it. */
static void child_heap(int to, int from)
{
	void *p = sbrk(0);
	char byte;

	say(to, &p, sizeof(p));
	(void)hear(from, &byte, 1);
}

static void test_heap(void)
{
	struct trace_spaces *spaces = new_spaces();
	struct child c = start(child_heap);
	uintptr_t p = 0;
	struct trace_mmap_event e = {.prot = PROT_READ | PROT_WRITE, .flags = MAP_PRIVATE};
	struct trace_mapping *m;

	(void)hear(c.from, &p, sizeof(p));
	m = trace_spaces_find(spaces, c.pid, p - 1, true);
	t_ok(m && m->backing == TRACE_HEAP, "a heap");
	if (!m) {
		end(&c);
		return;
	}
	e.pid = c.pid;
	e.start = m->start;
	e.length = m->end - m->start;
	e.name = "//anon";
	trace_spaces_free(spaces);
	spaces = new_spaces();
	trace_spaces_exec(spaces, c.pid);
	trace_spaces_mmap(spaces, &e);
	m = trace_spaces_find(spaces, c.pid, p - 1, false);
	t_ok(m && m->backing == TRACE_ANON, "that a record calls anonymous");
	m = trace_spaces_find(spaces, c.pid, p - 1, true);
	t_ok(m && m->backing == TRACE_HEAP, "is known as one when the process is asked");
	e.length *= 2;
	trace_spaces_mmap(spaces, &e);
	m = trace_spaces_find(spaces, c.pid, p - 1, false);
	t_ok(m && m->backing == TRACE_HEAP, "and from then on");
	t_is_str(m ? trace_spaces_name(spaces, m->name) : NULL, "[heap]", "by its name");
	end(&c);
	trace_spaces_free(spaces);
}

int main(void)
{
	page_bytes = sys_page_bytes();
	if (!mkdtemp(dir))
		t_skip_all("needs to write in /var/tmp");
	test_backings();
	test_churn();
	test_misses();
	test_no_room();
	test_internal();
	test_child();
	test_zombie();
	test_leader_gone();
	test_execs();
	test_refused();
	test_namespace();
	test_stack();
	test_heap();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (cases[i].name && cases[i].name[0] == '@')
			(void)unlink(path_in_dir(cases[i].name + 1));
	(void)unlink(path_in_dir("of the child"));
	(void)rmdir(dir);
	return t_done();
}
