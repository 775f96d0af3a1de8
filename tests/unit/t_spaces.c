/* SPDX-License-Identifier: MIT */
/* Which mapping an address is in, by records alone: overlaps, cuts, offsets, forks, bounds, hostile names. */
#include "src/base/array.h"
#include "src/trace/spaces.h"
#include "src/trace/spaces_read.h"
#include "src/trace/spaces_table.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* No kernel gives such numbers to processes, so that /proc has nothing to say of them. */
enum { PID = 5000000, OTHER = 6000000 };
/* Disks, of which nothing has to be asked; and a number that is not mounted anywhere. */
enum { DISK = 8, NO_MOUNT = 987654 };

static struct trace_spaces *spaces;

static void begin(void)
{
	trace_spaces_free(spaces);
	spaces = NULL;
	if (trace_spaces_new(&spaces) < 0)
		exit(EXIT_FAILURE);
}

static struct trace_mmap_event file_event(pid_t pid, uint64_t start, uint64_t length,
					  const char *name)
{
	return (struct trace_mmap_event){
		.pid = pid,
		.start = start,
		.length = length,
		.dev_major = DISK,
		.inode = 100 + (unsigned char)name[1],
		.prot = PROT_READ,
		.flags = MAP_PRIVATE,
		.name = name,
	};
}

static void map_file(pid_t pid, uint64_t start, uint64_t length, uint64_t offset, const char *name)
{
	struct trace_mmap_event e = file_event(pid, start, length, name);

	e.offset = offset;
	trace_spaces_mmap(spaces, &e);
}

static struct trace_mapping *find(pid_t pid, uint64_t address)
{
	return trace_spaces_find(spaces, pid, address, false);
}

/* "NAME start-end offset" of the mapping of an address, "-" where there is none. */
static const char *told(pid_t pid, uint64_t address)
{
	static char text[300];
	const struct trace_mapping *m = find(pid, address);

	if (!m)
		return "-";
	(void)snprintf(text, sizeof(text), "%.200s %" PRIx64 "-%" PRIx64 " %" PRIx64,
		       trace_spaces_name(spaces, m->name), m->start, m->end, m->offset);
	return text;
}

static void test_cuts(void)
{
	begin();
	map_file(PID, 0x1000, 0x8000, 0x100, "/a");
	t_is_str(told(PID, 0x1000), "/a 1000-9000 100", "the first byte");
	t_is_str(told(PID, 0x8fff), "/a 1000-9000 100", "the last");
	t_is_str(told(PID, 0xfff), "-", "one before");
	t_is_str(told(PID, 0x9000), "-", "one behind");
	t_is_str(told(OTHER, 0x1000), "-", "another process");
	map_file(PID, 0x3000, 0x1000, 0x7000, "/b");
	t_is_str(told(PID, 0x2fff), "/a 1000-3000 100", "cut: what is left below");
	t_is_str(told(PID, 0x3000), "/b 3000-4000 7000", "the new one");
	t_is_str(told(PID, 0x4000), "/a 4000-9000 3100", "above, by its offset in the file");
	map_file(PID, 0x2000, 0x3000, 0, "/c");
	t_is_str(told(PID, 0x1fff), "/a 1000-2000 100", "over three: the first is cut");
	t_is_str(told(PID, 0x3000), "/c 2000-5000 0", "the one in the middle is gone");
	t_is_str(told(PID, 0x5000), "/a 5000-9000 4100", "the last is cut");
	map_file(PID, 0x5000, 0x4000, 0x9000, "/d");
	t_is_str(told(PID, 0x5000), "/d 5000-9000 9000", "exactly in place of another");
	t_is_str(told(PID, 0x4fff), "/c 2000-5000 0", "which leaves its neighbour alone");
	map_file(PID, 0x1000, 0x8000, 0x100, "/a");
	t_is_str(told(PID, 0x6000), "/a 1000-9000 100", "over all of them");
	map_file(PID, 0xffffffffff600000, 0x1000, 0, "/v");
	t_is_str(told(PID, 0xffffffffff600fff), "/v ffffffffff600000-ffffffffff601000 0",
		 "at the upper end");
	t_is_u64(trace_spaces_n_rereads(spaces), 0, "nothing was read for all that");
}

static void test_odd_records(void)
{
	struct trace_mmap_event e = file_event(PID, 0x1000, 0, "/a");

	begin();
	trace_spaces_mmap(spaces, &e);
	t_is_str(told(PID, 0x1000), "-", "no length: no mapping");
	e.start = UINT64_MAX - 10;
	e.length = 100;
	trace_spaces_mmap(spaces, &e);
	t_is_str(told(PID, UINT64_MAX - 5), "-", "beyond all addresses");
	e = file_event(PID, 0x1000, 0x1000, "/a");
	e.name = NULL;
	e.dev_major = 0;
	e.inode = 0;
	e.offset = 0x1000;
	trace_spaces_mmap(spaces, &e);
	t_is_str(told(PID, 0x1000), "[anon] 1000-2000 0",
		 "no name: anonymous, and an offset means nothing");
	map_file(PID, 0x1800, 0x100, 0, "/a");
	t_is_str(told(PID, 0x1900), "[anon] 1900-2000 0", "cut, too");
	t_ok(!trace_spaces_find(spaces, 0, 0x1000, true), "pid 0 has no mappings");
	t_ok(!trace_spaces_find(spaces, -1, 0x1000, true), "pid -1 neither");
	trace_spaces_exit(spaces, OTHER);
	t_is_str(told(OTHER, 0x1000), "-", "the end of a process that nobody knew");
}

/* What the kernel calls mappings, as seen on Linux 6.18. */
static const struct {
	const char *name;
	uint32_t dev_major, dev_minor, flags;
	enum trace_backing backing;
	const char *told;
	bool deleted;
} classes[] = {
	{"//anon", 0, 0, MAP_PRIVATE, TRACE_ANON, "[anon]", false},
	{"", 0, 0, MAP_PRIVATE, TRACE_ANON, "[anon]", false},
	{"//anon", 0, 0, MAP_SHARED, TRACE_SHMEM, "[anon_shmem]", false},
	{"//anon", 0, 0, MAP_PRIVATE | MAP_HUGETLB, TRACE_HUGETLB, "[anon_hugepage]", false},
	{"[anon:my heap]", 0, 0, MAP_PRIVATE, TRACE_ANON, "[anon:my heap]", false},
	{"[anon_shmem:x]", 0, NO_MOUNT, MAP_SHARED, TRACE_SHMEM, "[anon_shmem:x]", false},
	{"[heap]", 0, 0, MAP_PRIVATE, TRACE_HEAP, "[heap]", false},
	{"[stack]", 0, 0, MAP_PRIVATE, TRACE_STACK, "[stack]", false},
	{"[vdso]", 0, 0, MAP_PRIVATE, TRACE_SPECIAL, "[vdso]", false},
	{"[vvar]", 0, 0, MAP_PRIVATE, TRACE_SPECIAL, "[vvar]", false},
	{"[vsyscall]", 0, 0, MAP_PRIVATE, TRACE_SPECIAL, "[vsyscall]", false},
	{"/dev/zero", 0, NO_MOUNT, MAP_PRIVATE, TRACE_ANON, "[anon]", false},
	{"/dev/zero (deleted)", 0, NO_MOUNT, MAP_SHARED, TRACE_SHMEM, "[anon_shmem]", false},
	{"/memfd:pool (deleted)", 0, NO_MOUNT, MAP_SHARED, TRACE_SHMEM, "memfd:pool", false},
	{"/memfd:pool (deleted)", 0, NO_MOUNT, MAP_SHARED | MAP_HUGETLB, TRACE_HUGETLB,
	 "memfd:pool", false},
	{"/memfd: (deleted)", 0, NO_MOUNT, MAP_SHARED, TRACE_SHMEM, "memfd:", false},
	{"/memfd:pool", DISK, 0, MAP_SHARED, TRACE_FILE, "/memfd:pool", false},
	{"/SYSV0000162e (deleted)", 0, NO_MOUNT, MAP_SHARED, TRACE_SHMEM, "/SYSV0000162e", false},
	{"/SYSV00000000 (deleted)", 0, NO_MOUNT, MAP_SHARED | MAP_HUGETLB, TRACE_HUGETLB,
	 "/SYSV00000000", false},
	{"/anon_hugepage (deleted)", 0, NO_MOUNT, MAP_PRIVATE, TRACE_HUGETLB, "[anon_hugepage]",
	 false},
	{"/[aio] (deleted)", 0, NO_MOUNT, MAP_SHARED, TRACE_SPECIAL, "[aio]", false},
	{"/mnt/huge/f", 0, NO_MOUNT, MAP_SHARED | MAP_HUGETLB, TRACE_HUGETLB, "/mnt/huge/f", false},
	{"/usr/bin/x", DISK, 1, MAP_PRIVATE, TRACE_FILE, "/usr/bin/x", false},
	{"/usr/bin/x (deleted)", DISK, 1, MAP_PRIVATE, TRACE_FILE, "/usr/bin/x", true},
	{"/x (deleted) (deleted)", DISK, 1, MAP_PRIVATE, TRACE_FILE, "/x (deleted)", true},
	{" (deleted)", 0, NO_MOUNT, MAP_PRIVATE, TRACE_SPECIAL, " (deleted)", false},
	{"/nfs/x", 0, NO_MOUNT, MAP_PRIVATE, TRACE_FILE, "/nfs/x", false},
	{"/dev/dri/card0", 0, NO_MOUNT, MAP_SHARED, TRACE_SPECIAL, "/dev/dri/card0", false},
	{"/dev/shm/x", DISK, 1, MAP_SHARED, TRACE_FILE, "/dev/shm/x", false},
	{"anon_inode:[perf_event]", 0, NO_MOUNT, MAP_SHARED, TRACE_SPECIAL,
	 "anon_inode:[perf_event]", false},
};

static void test_classes(void)
{
	for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
		struct trace_mmap_event e = file_event(PID, 0x1000, 0x1000, "/x");
		const struct trace_mapping *m;

		begin();
		e.name = classes[i].name;
		e.dev_major = classes[i].dev_major;
		e.dev_minor = classes[i].dev_minor;
		e.inode = e.dev_major || e.dev_minor ? 77 : 0;
		e.flags = classes[i].flags;
		trace_spaces_mmap(spaces, &e);
		m = find(PID, 0x1000);
		t_ok(m && m->backing == classes[i].backing && m->deleted == classes[i].deleted &&
			     m->shared == (classes[i].flags == MAP_SHARED ||
					   classes[i].flags == (MAP_SHARED | MAP_HUGETLB)),
		     "'%s' flags %x: what is behind it", e.name, e.flags);
		t_is_str(m ? trace_spaces_name(spaces, m->name) : NULL, classes[i].told,
			 "its name");
	}
}

/* A process that is gone has no root directory any more, so that its paths are looked for in ours. */
static void test_called_deleted(void)
{
	char path[] = "/tmp/t_spaces XXXXXX (deleted)";
	int fd = mkostemps(path, 10, O_CLOEXEC);
	struct trace_mmap_event e = file_event(PID, 0x1000, 0x1000, path);
	struct trace_mapping *m;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		t_skip(1, "needs to write in /tmp");
		return;
	}
	begin();
	e.dev_major = major(st.st_dev);
	e.dev_minor = minor(st.st_dev);
	e.inode = st.st_ino;
	trace_spaces_mmap(spaces, &e);
	m = find(PID, 0x1000);
	t_ok(m && !m->deleted, "a file that is called deleted, and is not");
	t_is_str(m ? trace_spaces_name(spaces, m->name) : NULL, path, "has that name");
	e.inode++;
	trace_spaces_mmap(spaces, &e);
	m = find(PID, 0x1000);
	t_ok(m && m->deleted, "another file of that name is deleted");
	(void)close(fd);
	(void)unlink(path);
}

static void test_attributes(void)
{
	struct trace_mmap_event e = file_event(PID, 0x1000, 0x1000, "/x");
	struct trace_mapping *m;

	begin();
	e.prot = PROT_WRITE | PROT_EXEC;
	e.dev_minor = 3;
	e.inode = UINT64_C(1) << 40;
	trace_spaces_mmap(spaces, &e);
	m = find(PID, 0x1000);
	t_ok(m && !m->readable && m->writable && m->executable && !m->shared, "rights");
	t_ok(m && m->dev_major == DISK && m->dev_minor == 3 && m->inode == UINT64_C(1) << 40,
	     "device and inode");
	t_is_i64(m ? m->module : 0, TRACE_MODULE_UNKNOWN, "no module yet");
	if (m)
		m->module = 5;
	trace_spaces_mmap(spaces, &e);
	m = find(PID, 0x1000);
	t_is_i64(m ? m->module : 0, 5, "mapped once more: the module stays");
	e.prot = PROT_READ;
	e.start += 0x800;
	e.length = 0x400;
	e.offset = 0x800;
	trace_spaces_mmap(spaces, &e);
	m = find(PID, 0x1800);
	t_ok(m && m->readable && !m->executable, "mprotect of a part");
	t_is_i64(m ? m->module : 0, 5, "is of the same file");
	m = find(PID, 0x1c00);
	t_ok(m && m->offset == 0xc00 && m->executable && m->module == 5, "and so is the rest");
	e.inode++;
	trace_spaces_mmap(spaces, &e);
	m = find(PID, 0x1800);
	t_is_i64(m ? m->module : 0, TRACE_MODULE_UNKNOWN, "another file of that name is not");
}

static void test_fork(void)
{
	begin();
	for (uint64_t i = 0; i < 60000; i++)
		map_file(PID, 0x10000 + i * 16, 16, i * 16, "/a");
	for (pid_t i = 1; i <= 1000; i++)
		trace_spaces_fork(spaces, PID, PID + i);
	t_is_u64(trace_spaces_n_left_out(spaces), 0, "60,000 mappings of 1,000 children: shared");
	t_is_str(told(PID + 1000, 0x10000 + 16 * 59999), "/a fa5f0-fa600 ea5f0",
		 "a child has what its parent has");
	map_file(PID + 1, 0x10000, 8, 0x500, "/b");
	map_file(PID, 0x10008, 8, 0x600, "/c");
	t_is_str(told(PID + 1, 0x10000), "/b 10000-10008 500", "a child changes its own");
	t_is_str(told(PID + 1, 0x10008), "/a 10008-10010 8", "its parent's change is not its own");
	t_is_str(told(PID, 0x10000), "/a 10000-10008 0", "nor the other way round");
	t_is_str(told(PID + 2, 0x10008), "/a 10000-10010 0", "its sister sees neither");
	trace_spaces_fork(spaces, PID + 1, PID + 2000);
	t_is_str(told(PID + 2000, 0x10000), "/b 10000-10008 500", "a grandchild");
	trace_spaces_exit(spaces, PID);
	trace_spaces_fork(spaces, PID + 1, PID);
	t_is_str(told(PID, 0x10000), "/b 10000-10008 500", "a number that is given again");
	trace_spaces_fork(spaces, OTHER, PID + 1);
	t_is_str(told(PID + 1, 0x10000), "-", "a child of a stranger: nothing is known");
	trace_spaces_fork(spaces, PID, PID);
	t_is_str(told(PID, 0x10000), "/b 10000-10008 500", "a child of its own is none");
}

static void test_ends(void)
{
	begin();
	map_file(PID, 0x1000, 0x1000, 0, "/a");
	trace_spaces_fork(spaces, PID, OTHER);
	trace_spaces_exec(spaces, PID);
	t_is_str(told(PID, 0x1000), "-", "exec: empty");
	t_is_str(told(OTHER, 0x1000), "/a 1000-2000 0", "for this process alone");
	trace_spaces_exit(spaces, OTHER);
	t_is_str(told(OTHER, 0x1000), "/a 1000-2000 0", "after the end: still known");
	t_ok(!trace_spaces_find(spaces, OTHER, 0x5000, true) && trace_spaces_n_rereads(spaces) == 0,
	     "but never read, as the number may be another's");
	map_file(OTHER, 0x8000, 0x1000, 0, "/b");
	t_is_str(told(OTHER, 0x1000), "-", "its number again: what was is gone");
	t_is_str(told(OTHER, 0x8000), "/b 8000-9000 0", "what is, is known");
	trace_spaces_exit(spaces, OTHER);
	for (pid_t i = 1; i <= 1000; i++) {
		map_file(OTHER + i, 0x1000, 0x1000, 0, "/a");
		trace_spaces_exit(spaces, OTHER + i);
	}
	t_is_str(told(OTHER, 0x8000), "-", "long after the end: forgotten");
	t_is_str(told(OTHER + 1000, 0x1000), "/a 1000-2000 0", "not long: not yet");
}

static void test_bounds(void)
{
	char name[32];
	uint64_t before;

	begin();
	for (pid_t i = 0; i < 8192; i++)
		map_file(PID + i, 0x1000, 0x1000, 0, "/a");
	t_is_u64(trace_spaces_n_left_out(spaces), 0, "8,192 processes");
	map_file(OTHER, 0x1000, 0x1000, 0, "/a");
	t_is_u64(trace_spaces_n_left_out(spaces), 1, "one more is counted");
	t_is_str(told(OTHER, 0x1000), "-", "and not known");
	t_ok(!trace_spaces_find(spaces, OTHER, 0x1000, true) && trace_spaces_n_rereads(spaces) == 1,
	     "but asked for where that is allowed");
	trace_spaces_exit(spaces, PID);
	map_file(OTHER, 0x1000, 0x1000, 0, "/a");
	t_is_str(told(OTHER, 0x1000), "/a 1000-2000 0", "one that ended makes room");

	begin();
	for (uint64_t i = 0; i < TRACE_MAX_MAPPINGS; i++)
		map_file(PID, i * 32, 32, 0, "/a");
	t_is_u64(trace_spaces_n_left_out(spaces), 0, "65,536 mappings");
	map_file(PID, 8, 8, 0, "/b");
	t_is_u64(trace_spaces_n_left_out(spaces), 1, "a cut in one is one too many");
	t_is_str(told(PID, 8), "-", "what cannot be kept is not taken for what was there");
	t_is_str(told(PID, 7), "/a 0-8 0", "what lies below stays");
	t_is_str(told(PID, 32), "/a 20-40 0", "and all others");
	for (pid_t i = 1; i <= 4; i++) {
		trace_spaces_fork(spaces, PID, PID + i);
		map_file(PID + i, 0, 32, 0x100, "/c");
	}
	t_is_str(told(PID + 3, 0), "/c 0-20 100", "three copies fit");
	t_is_u64(trace_spaces_n_left_out(spaces), 2, "the fourth does not");
	t_is_str(told(PID + 4, 0), "-", "so that it knows nothing");
	trace_spaces_exit(spaces, PID + 1);
	map_file(PID + 4, 0, 32, 0x100, "/c");
	t_is_str(told(PID + 4, 0), "/c 0-20 100", "until there is room");
	trace_spaces_exit(spaces, PID + 2);
	trace_spaces_fork(spaces, PID, PID + 5);
	map_file(PID + 5, 0, 32, 0x100, "/c");
	t_is_str(told(PID + 5, 32), "/a 20-40 0", "room that an ended process leaves is used");

	begin();
	for (int i = 0; trace_spaces_n_left_out(spaces) == 0 && i < 5000; i++) {
		(void)snprintf(name, sizeof(name), "/%d", i);
		map_file(PID, 0x1000, 0x1000, 0, name);
	}
	t_is_u64(trace_spaces_n_names(spaces), 4096, "4,096 names");
	t_is_str(told(PID, 0x1000), "[other] 1000-2000 0", "others are one");
	map_file(PID, 0x1000, 0x1000, 0, "/7");
	before = trace_spaces_n_left_out(spaces);
	t_is_str(told(PID, 0x1000), "/7 1000-2000 0", "a name that is known is found");
	t_is_u64(before, 1, "each that is not is counted");
	t_is_str(trace_spaces_name(spaces, 5000), "[other]", "no such row");
}

static void test_hostile(void)
{
	static const char *const names[] = {
		"/\033[2J\007",
		"/\xff\xfe",
		"/a\nb",
		"/%s%n",
		"/"
		"\xe2\x80\xae"
		"gpj.exe",
	};
	static char longest[100000];
	const struct trace_mapping *m;

	begin();
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		map_file(PID, 0x1000, 0x1000, 0, names[i]);
		m = find(PID, 0x1000);
		t_is_str(m ? trace_spaces_name(spaces, m->name) : NULL, names[i],
			 "a name's bytes stay as they are");
	}
	memset(longest, 'x', sizeof(longest) - 1);
	longest[0] = '/';
	map_file(PID, 0x1000, 0x1000, 0, longest);
	m = find(PID, 0x1000);
	t_ok(m && strlen(trace_spaces_name(spaces, m->name)) < 5000,
	     "a name longer than any path is cut");
	memcpy(longest + sizeof(longest) - 11, " (deleted)", 11);
	map_file(PID, 0x1000, 0x1000, 0, longest);
	m = find(PID, 0x1000);
	t_ok(m && m->deleted, "and its end was seen before");
}

static void test_reads(void)
{
	begin();
	for (int i = 0; i < 10000; i++)
		(void)trace_spaces_find(spaces, PID, 0x1000, false);
	t_is_u64(trace_spaces_n_rereads(spaces), 0, "not allowed: not read");
	for (int i = 0; i < 10000; i++)
		(void)trace_spaces_find(spaces, PID, 0x1000U * (unsigned)i, true);
	t_is_u64(trace_spaces_n_rereads(spaces), 1, "a process that is gone is tried once");
	map_file(PID, 0x1000, 0x1000, 0, "/a");
	t_is_str(told(PID, 0x1000), "/a 1000-2000 0", "what records say comes late, and counts");
	t_is_i64(trace_spaces_reread(spaces, PID), -ESRCH, "reading it fails");
	t_is_str(told(PID, 0x1000), "/a 1000-2000 0", "and changes nothing");
	t_is_i64(trace_spaces_reread(spaces, 0), -EINVAL, "pid 0");
}

static void test_stack(void)
{
	struct trace_mmap_event e = file_event(PID, 0x70000000, 0x20000, "[stack]");
	const uint64_t limit = 0x100000, end = 0x70020000;
	struct rlimit old, now;

	begin();
	(void)getrlimit(RLIMIT_STACK, &old);
	now = old;
	now.rlim_cur = limit;
	if (setrlimit(RLIMIT_STACK, &now) < 0) {
		t_skip(6, "needs a limit of 1 MiB on stacks: setrlimit refused it");
		return;
	}
	e.dev_major = 0;
	e.inode = 0;
	trace_spaces_mmap(spaces, &e);
	trace_spaces_fork(spaces, PID, OTHER);
	t_is_str(told(PID, end - limit - 1), "-", "beyond the limit");
	t_ok(find(PID, end - limit) && find(PID, end - limit)->backing == TRACE_STACK,
	     "as far as it goes");
	t_ok(find(PID, 0x6fff8000) && find(PID, 0x6fff8000)->end == end, "and all between");
	map_file(OTHER, 0x6fff0000, 0x1000, 0, "/a");
	t_is_str(told(OTHER, 0x6ffe0000), "-", "below another mapping");
	t_is_str(told(OTHER, 0x6fff0000), "/a 6fff0000-6fff1000 0", "which is there");
	t_ok(find(OTHER, 0x6fff1000) && find(OTHER, 0x6fff1000)->backing == TRACE_STACK,
	     "right above it");
	(void)setrlimit(RLIMIT_STACK, &old);
}

static void test_maps_lines(void)
{
	static const char *const odd[] = {
		"",
		"x",
		"1000-2000",
		"2000-1000 r--p 0 8:1 5 /x",
		"1000-1000 r--p 0 8:1 5 /x",
		"1000-2000 r--p 0 8:1",
		"1000-2000 r-- 0 8:1 5 /x",
		"1000-2000 r--p 0 8.1 5 /x",
		"11111111111111111111-2000 r--p 0 8:1 5 /x",
		"-1-2000 r--p 0 8:1 5 /x",
		"1000-2000 r--p 0 8:1 5",
		" 1000-2000 r--p 0 8:1 5 /x",
	};
	char line[200] = "7f00a000-7f00c000 rw-s 00001000 fe:1f 77       /a\\012b \\n\\0123  c";
	struct trace_mmap_event e = {.pid = 0};

	t_ok(trace_maps_line(line, &e), "a line of maps");
	t_ok(e.start == 0x7f00a000 && e.length == 0x2000 && e.offset == 0x1000, "its numbers");
	t_ok(e.dev_major == 0xfe && e.dev_minor == 0x1f && e.inode == 77, "its file");
	t_ok(e.prot == (PROT_READ | PROT_WRITE) && e.flags == MAP_SHARED, "its rights");
	t_is_str(e.name, "/a\nb \\n\n3  c", "its name: newlines, and nothing else, are escaped");
	(void)snprintf(line, sizeof(line), "7f00a000-7f00c000 --xp 00000000 00:00 0 ");
	t_ok(trace_maps_line(line, &e) && e.prot == PROT_EXEC && e.flags == MAP_PRIVATE, "no name");
	t_is_str(e.name, "", "is an empty one");
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		(void)snprintf(line, sizeof(line), "%s", odd[i]);
		t_ok(!trace_maps_line(line, &e), "no line: '%s'", odd[i]);
	}
}

/* A file with lines of these lengths, read again. */
static void test_lines(void)
{
	static const size_t lengths[] = {3, 0, 32766, 32767, 32768, 100000, 65534, 5, 1};
	static struct trace_lines lines;
	char path[] = "/tmp/t_spaces.XXXXXX", *line = NULL;
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f) {
		t_skip(1, "needs to write in /tmp");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		for (size_t k = 0; k < lengths[i]; k++)
			(void)fputc('a' + (int)i, f);
		(void)fputc('\n', f);
	}
	(void)fputs("half a line", f);
	(void)fclose(f);
	t_is_i64(trace_lines_open(&lines, path), 0, "a file");
	(void)unlink(path);
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		size_t most = sizeof(lines.text) - 1;
		size_t n = lengths[i] < most ? lengths[i] : most;
		bool got = trace_lines_next(&lines, &line) == 1;

		t_ok(got && strlen(line) == n &&
			     (n == 0 || (line[0] == 'a' + (int)i && line[n - 1] == 'a' + (int)i)),
		     "a line of %zu, or as much of it as fits", lengths[i]);
	}
	t_is_i64(trace_lines_next(&lines, &line), 0, "half a line is none");
	trace_lines_close(&lines);
}

/* --- records at random, against an array of bytes ------------------------------------------------- */

enum { N_PIDS = 6, N_BYTES = 300, N_STEPS = 10000 };

struct model_byte {
	int file; /* 0: none */
	uint64_t offset;
};
static struct model_byte model[N_PIDS][N_BYTES];
static uint64_t seed;

static unsigned draw(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % n;
}

static bool agrees(int p, unsigned at)
{
	const struct trace_mapping *m = find(PID + p, at);
	const struct model_byte *b = &model[p][at];
	char name[16];

	(void)snprintf(name, sizeof(name), "/%c", 'a' + b->file);
	if (!m || !b->file)
		return !m && !b->file;
	return at >= m->start && at < m->end && m->offset + (at - m->start) == b->offset &&
	       strcmp(trace_spaces_name(spaces, m->name), name) == 0;
}

static void random_mmap(int p)
{
	unsigned start = draw(N_BYTES), length = 1 + draw(N_BYTES / 4);
	uint64_t offset = draw(100000);
	int file = 1 + (int)draw(20);
	char name[] = {'/', (char)('a' + file), 0};

	if (start + length > N_BYTES)
		length = N_BYTES - start;
	map_file(PID + p, start, length, offset, name);
	for (unsigned i = 0; i < length; i++)
		model[p][start + i] = (struct model_byte){file, offset + i};
}

static void random_step(void)
{
	int p = (int)draw(N_PIDS), q = (int)draw(N_PIDS);

	switch (draw(20)) {
	case 0:
		trace_spaces_fork(spaces, PID + p, PID + q);
		memcpy(model[q], model[p], sizeof(model[q]));
		break;
	case 1:
		if (draw(4) == 0) {
			trace_spaces_exec(spaces, PID + p);
			memset(model[p], 0, sizeof(model[p]));
		}
		break;
	case 2: /* ended, and its number given again */
		if (draw(4) == 0) {
			trace_spaces_exit(spaces, PID + p);
			memset(model[p], 0, sizeof(model[p]));
			random_mmap(p);
		}
		break;
	default:
		random_mmap(p);
	}
}

static void test_random(void)
{
	struct timespec now;
	unsigned step;
	bool good = true;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	seed = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
	if (getenv("SEED"))
		seed = strtoull(getenv("SEED"), NULL, 10);
	t_note("SEED=%" PRIu64, seed);
	begin();
	memset(model, 0, sizeof(model));
	for (step = 0; good && step < N_STEPS; step++) {
		random_step();
		for (int i = 0; good && i < 20; i++)
			good = agrees((int)draw(N_PIDS), draw(N_BYTES));
		for (int p = 0; good && step % 100 == 0 && p < N_PIDS; p++)
			for (unsigned at = 0; good && at < N_BYTES; at++)
				good = agrees(p, at);
	}
	t_ok(good && step == N_STEPS, "%u random steps agree with a model of bytes", step);
}

/* The same of a table that is merged with what was read. */
static void test_merge(void)
{
	struct trace_mapping items[8];
	struct trace_space_table *old, *merged;
	size_t n_all = 0;
	bool good = true;

	for (int step = 0; good && step < 2000; step++) {
		int bytes[100] = {0};
		uint64_t end = 0;
		size_t n;

		old = trace_space_table_new(&n_all, NULL, 0);
		for (int i = 0; i < 6; i++) {
			struct trace_mapping m = {
				.start = draw(90), .inode = 1, .name = (uint32_t)i + 1};

			m.end = m.start + 1 + draw(10);
			(void)trace_space_table_insert(old, &m);
			for (uint64_t k = m.start; k < m.end; k++)
				bytes[k] = i + 1;
		}
		for (n = 0; n < ARRAY_LEN(items) && end < 80; n++) {
			items[n] = (struct trace_mapping){
				.start = end + draw(10), .inode = 2, .name = 100};
			end = items[n].end = items[n].start + 1 + draw(10);
			for (uint64_t k = items[n].start; k < end; k++)
				bytes[k] = 100;
		}
		merged = trace_space_table_merge(old, items, n);
		for (uint64_t k = 0; good && k < 100; k++) {
			size_t at = trace_space_table_at(merged, k);
			const struct trace_mapping *m = &merged->items[at];

			good = bytes[k] ? at < merged->n && m->start <= k &&
						  m->name == (uint32_t)bytes[k]
					: at == merged->n || m->start > k;
			good = good && (at == 0 || at == merged->n ||
					merged->items[at - 1].end <= m->start);
		}
		trace_space_table_drop(old);
		good = good && n_all == merged->n;
		trace_space_table_drop(merged);
	}
	t_ok(good && n_all == 0, "2,000 merges: what was read, and between it what was known");
}

int main(void)
{
	test_cuts();
	test_odd_records();
	test_classes();
	test_called_deleted();
	test_attributes();
	test_fork();
	test_ends();
	test_bounds();
	test_hostile();
	test_reads();
	test_stack();
	test_maps_lines();
	test_lines();
	test_random();
	test_merge();
	trace_spaces_free(spaces);
	return t_done();
}
