/* SPDX-License-Identifier: MIT */
/* What a mapping is called and what is behind it, by the kernel's name for it, its flags and its device. */
#include "src/trace/spaces_name.h"

#include "src/base/array.h"
#include "src/sys/clock.h"
#include "src/sys/hugetlb.h"
#include "src/trace/spaces_read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define DELETED " (deleted)"

enum {
	N_HEADS = 2048,     /* of the hash of names */
	MAX_INTERNAL = 16,  /* the kernel's own mounts: shmem, and a hugetlbfs a page size */
	N_DEVICES = 256,    /* kept, by minor number */
	MAX_DEVICE_AGE = 10 /* seconds: numbers of filesystems that are gone are given to others */
};

struct name {
	char *text;
	uint32_t hash;
	uint32_t next; /* of the same head; 0: none, as row 0 is in no list */
};

struct device {
	uint32_t dev_major, dev_minor;
	enum trace_backing backing;
	uint64_t at_ns; /* 0: unused */
};

struct trace_names {
	struct name rows[TRACE_MAX_NAMES];
	size_t n;
	uint32_t heads[N_HEADS];
	uint64_t n_left_out;
	struct device internal[MAX_INTERNAL];
	size_t n_internal;
	struct device devices[N_DEVICES];
	struct trace_lines lines; /* not the caller's: maps are being read meanwhile */
};

/* --- names ------------------------------------------------------------------------------------- */

static uint32_t hash_of(const char *text, size_t n)
{
	uint32_t hash = 2166136261U; /* FNV-1a */

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619U;
	return hash;
}

static bool is_text(const char *known, const char *text, size_t n)
{
	return known && strlen(known) == n && memcmp(known, text, n) == 0;
}

/* The row of the first n bytes of text. */
static uint32_t row_of(struct trace_names *names, const char *text, size_t n)
{
	uint32_t hash, *head, row;

	if (n >= PATH_MAX)
		n = PATH_MAX - 1;
	hash = hash_of(text, n);
	head = &names->heads[hash % N_HEADS];
	for (row = *head; row; row = names->rows[row].next)
		if (names->rows[row].hash == hash && is_text(names->rows[row].text, text, n))
			return row;
	row = (uint32_t)names->n;
	if (row < TRACE_MAX_NAMES)
		names->rows[row].text = strndup(text, n);
	if (row == TRACE_MAX_NAMES || !names->rows[row].text) {
		names->n_left_out++;
		return TRACE_NAME_OTHER;
	}
	names->rows[row].hash = hash;
	names->rows[row].next = *head;
	*head = row;
	names->n++;
	return row;
}

const char *trace_names_text(const struct trace_names *names, uint32_t row)
{
	return names->rows[row < names->n ? row : TRACE_NAME_OTHER].text;
}

size_t trace_names_n(const struct trace_names *names)
{
	return names->n;
}

uint64_t trace_names_n_left_out(const struct trace_names *names)
{
	return names->n_left_out;
}

/* --- devices ----------------------------------------------------------------------------------- */

/* The kernel's own mounts are in no list of mounts: a file on each tells its number. */
static void add_internal(struct trace_names *names, unsigned flags, enum trace_backing backing)
{
	struct stat st;
	int fd;

	if (names->n_internal == MAX_INTERNAL)
		return;
	fd = memfd_create("pagetoll", flags | MFD_CLOEXEC);
	if (fd < 0)
		return; /* no such page size, or no hugetlb at all: then there are no such mappings */
	if (fstat(fd, &st) == 0)
		names->internal[names->n_internal++] =
			(struct device){major(st.st_dev), minor(st.st_dev), backing, 1};
	(void)close(fd);
}

static void find_internal(struct trace_names *names)
{
	struct sys_hugetlb_pool pools[SYS_MAX_HUGETLB_POOLS];
	size_t n = sys_hugetlb_pools(pools);

	add_internal(names, 0, TRACE_SHMEM);
	for (size_t i = 0; i < n; i++) {
		/* memfd_create takes the page size as mmap does */
		unsigned log2 = (unsigned)__builtin_ctzll(pools[i].page_bytes);

		add_internal(names, MFD_HUGETLB | log2 << MAP_HUGE_SHIFT, TRACE_HUGETLB);
	}
}

static enum trace_backing backing_of_type(const char *type)
{
	if (strcmp(type, "tmpfs") == 0)
		return TRACE_SHMEM;
	return strcmp(type, "hugetlbfs") == 0 ? TRACE_HUGETLB : TRACE_FILE;
}

static enum trace_backing ask_device(struct trace_names *names, const struct trace_mmap_event *e)
{
	char type[32];

	/* the process's mounts; ours where it is gone, or got the file from elsewhere */
	if (trace_filesystem(&names->lines, e->pid, e->dev_major, e->dev_minor, type,
			     sizeof(type)) < 0 &&
	    trace_filesystem(&names->lines, getpid(), e->dev_major, e->dev_minor, type,
			     sizeof(type)) < 0)
		return TRACE_FILE;
	return backing_of_type(type);
}

/* SHMEM, HUGETLB or FILE. */
static enum trace_backing device_backing(struct trace_names *names,
					 const struct trace_mmap_event *e)
{
	struct device *d = &names->devices[e->dev_minor % N_DEVICES];
	uint64_t now_ns;

	if (e->dev_major) /* a disk's: those without one have major number 0 */
		return TRACE_FILE;
	for (size_t i = 0; i < names->n_internal; i++)
		if (names->internal[i].dev_minor == e->dev_minor)
			return names->internal[i].backing;
	now_ns = sys_now_ns();
	if (d->at_ns == 0 || d->dev_minor != e->dev_minor ||
	    now_ns - d->at_ns > MAX_DEVICE_AGE * UINT64_C(1000000000))
		*d = (struct device){0, e->dev_minor, ask_device(names, e), now_ns};
	return d->backing;
}

/* --- what a name says ---------------------------------------------------------------------------- */

/*
 * What the kernel calls mappings, in MMAP2 records and in maps; the first row that fits. Names of its own files
 * are on no disk and always end in " (deleted)", which is taken off.
 */
static const struct rule {
	const char *text;
	enum { EXACT, BEGINS, OWN_FILE } how;
	enum trace_backing backing;
	const char *name; /* NULL: as the kernel has it */
} rules[] = {
	{"", EXACT, TRACE_ANON, "[anon]"},
	{"//anon", EXACT, TRACE_ANON, "[anon]"},
	{"/dev/zero", EXACT, TRACE_ANON, "[anon]"},
	{"/dev/zero" DELETED, EXACT, TRACE_SHMEM, "[anon_shmem]"}, /* MAP_SHARED | MAP_ANONYMOUS */
	{"[heap]", EXACT, TRACE_HEAP, NULL},
	{"[stack]", EXACT, TRACE_STACK, NULL},
	{"[anon:", BEGINS, TRACE_ANON, NULL},
	{"[anon_shmem:", BEGINS, TRACE_SHMEM, NULL},
	{"[", BEGINS, TRACE_SPECIAL, NULL},
	{"/memfd:", OWN_FILE, TRACE_SHMEM, NULL},
	{"/SYSV", OWN_FILE, TRACE_SHMEM, NULL},
	{"/secretmem", OWN_FILE, TRACE_SHMEM, NULL},
	{"/anon_hugepage", OWN_FILE, TRACE_HUGETLB, "[anon_hugepage]"},
	{"/[aio]", OWN_FILE, TRACE_SPECIAL, "[aio]"},
	{"/dev/shm/", BEGINS, TRACE_FILE, NULL}, /* what is mounted there says what it is */
	{"/dev/hugepages/", BEGINS, TRACE_FILE, NULL},
	{"/dev/", BEGINS, TRACE_SPECIAL, NULL},
	{"/", BEGINS, TRACE_FILE, NULL},
	{"", BEGINS, TRACE_SPECIAL, NULL}, /* anon_inode:[perf_event], socket:[1] */
};

static bool ends_deleted(const char *name)
{
	size_t n = strlen(name), n_suffix = strlen(DELETED);

	return n > n_suffix && strcmp(name + n - n_suffix, DELETED) == 0;
}

static bool fits(const struct rule *rule, const struct trace_mmap_event *e)
{
	if (rule->how == EXACT)
		return strcmp(e->name, rule->text) == 0;
	if (strncmp(e->name, rule->text, strlen(rule->text)) != 0)
		return false;
	return rule->how == BEGINS || (e->dev_major == 0 && ends_deleted(e->name));
}

static bool is_same_file(const char *path, const struct trace_mmap_event *e)
{
	struct statx st;

	/* what the kernel has in memory is enough, and mounts nothing */
	if (statx(AT_FDCWD, path, AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC, STATX_INO, &st) < 0)
		return false;
	return st.stx_ino == e->inode && st.stx_dev_major == e->dev_major &&
	       st.stx_dev_minor == e->dev_minor;
}

/* A file may be called "x (deleted)" without being so. On filesystems whose files have other device numbers than
 * their mappings (btrfs, overlayfs) it is believed to be. */
static bool is_deleted(const struct trace_mmap_event *e)
{
	char path[PATH_MAX];
	int n;

	if (!ends_deleted(e->name))
		return false;
	n = snprintf(path, sizeof(path), "/proc/%d/root%s", (int)e->pid, e->name);
	if (n < (int)sizeof(path) && is_same_file(path, e))
		return false;
	return !is_same_file(e->name, e);
}

/* The last rule fits all. */
static const struct rule *rule_of(const struct trace_mmap_event *e)
{
	const struct rule *rule = rules;

	while (!fits(rule, e))
		rule++;
	return rule;
}

static uint32_t name_row(struct trace_names *names, const struct trace_mmap_event *e,
			 const struct rule *rule, bool deleted)
{
	const char *text = rule->name ? rule->name : e->name;
	size_t n = strlen(text);

	if (!rule->name && (rule->how == OWN_FILE || deleted))
		n -= strlen(DELETED);
	if (strncmp(text, "/memfd:", 7) == 0 && rule->how == OWN_FILE) {
		text++;
		n--;
	}
	return row_of(names, text, n);
}

/* Anonymous memory that has something else behind it than its name says. */
static void see_flags(struct trace_names *names, uint32_t flags, struct trace_mapping *m)
{
	bool anon = m->backing == TRACE_ANON;

	if (flags & MAP_HUGETLB)
		m->backing = TRACE_HUGETLB;
	else if (anon && m->shared)
		m->backing = TRACE_SHMEM;
	if (anon && m->backing != TRACE_ANON) {
		const char *name = flags & MAP_HUGETLB ? "[anon_hugepage]" : "[anon_shmem]";

		m->name = row_of(names, name, strlen(name));
	}
}

struct trace_mapping trace_names_mapping(struct trace_names *names,
					 const struct trace_mmap_event *event)
{
	struct trace_mmap_event e = *event;
	struct trace_mapping m = {
		.start = e.start,
		.end = e.start + e.length,
		.dev_major = e.dev_major,
		.dev_minor = e.dev_minor,
		.inode = e.inode,
		.shared = e.flags & MAP_SHARED,
		.readable = e.prot & PROT_READ,
		.writable = e.prot & PROT_WRITE,
		.executable = e.prot & PROT_EXEC,
		.module = TRACE_MODULE_UNKNOWN,
	};
	const struct rule *rule;

	if (!e.name)
		e.name = "";
	rule = rule_of(&e);
	m.backing = rule->backing;
	if (e.dev_major || e.dev_minor || e.inode)
		m.offset = e.offset; /* records have the address there where there is no file */
	if (rule->how == BEGINS && e.name[0] == '/')
		m.deleted = is_deleted(&e);
	if (m.backing == TRACE_FILE || (m.backing == TRACE_SHMEM && rule->how == OWN_FILE)) {
		enum trace_backing on = device_backing(names, &e);

		m.backing = on == TRACE_FILE ? m.backing : on;
	}
	m.name = name_row(names, &e, rule, m.deleted);
	see_flags(names, e.flags, &m);
	return m;
}

/* --- all of it ----------------------------------------------------------------------------------- */

int trace_names_new(struct trace_names **ret)
{
	static const char *const first[] = {
		[TRACE_NAME_OTHER] = "[other]",
		[TRACE_NAME_HEAP] = "[heap]",
	};
	struct trace_names *names = calloc(1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_LEN(first); i++)
		(void)row_of(names, first[i], strlen(first[i]));
	if (names->n < ARRAY_LEN(first)) {
		trace_names_free(names);
		return -ENOMEM;
	}
	find_internal(names);
	*ret = names;
	return 0;
}

void trace_names_free(struct trace_names *names)
{
	for (size_t i = 0; names && i < names->n; i++)
		free(names->rows[i].text);
	free(names);
}
