/* SPDX-License-Identifier: MIT */
/* The address spaces of traced processes: which mapping an address is in, as records and /proc tell it. */
#ifndef TRACE_SPACES_H
#define TRACE_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct trace_spaces;

enum trace_backing {
	TRACE_ANON,  /* private memory without a file, /dev/zero included */
	TRACE_HEAP,  /* [heap] */
	TRACE_STACK, /* [stack], of the first thread; other threads' stacks are anonymous */
	TRACE_FILE,
	TRACE_SHMEM,   /* memfd, /dev/shm, tmpfs, System V, shared anonymous memory */
	TRACE_HUGETLB, /* MAP_HUGETLB, hugetlbfs, memfd with MFD_HUGETLB */
	TRACE_SPECIAL, /* [vdso] and the like, devices */
};

/* What is known of a mapping. Valid until the next call that changes the space. */
struct trace_mapping {
	uint64_t start, end;
	uint64_t offset; /* in the file, of start; 0 where there is none */
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	enum trace_backing backing;
	bool shared, readable, writable, executable;
	bool deleted;  /* the file has no name any more; memory that never had one is not deleted */
	uint32_t name; /* trace_spaces_name() */
	int module;    /* kept for the user of this struct: starts as TRACE_MODULE_UNKNOWN */
};

enum { TRACE_MODULE_UNKNOWN = -1000 };

/* An MMAP2 record. */
struct trace_mmap_event {
	pid_t pid;
	uint64_t start, length, offset;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	uint32_t prot, flags; /* as for mmap(2) */
	const char *name;     /* path, "//anon", "[heap]", "/memfd:x (deleted)" ... */
};

/*
 * 0 or -ENOMEM. Memory is bounded: 8,192 spaces, 65,536 mappings of each and 262,144 of all, 4,096 names. What does not
 * fit is counted, and read from /proc when it is asked for.
 */
int trace_spaces_new(struct trace_spaces **ret);
void trace_spaces_free(struct trace_spaces *spaces);

/*
 * What records say. A new mapping takes the place of what it overlaps: mmap, brk, shmat and mprotect leave a
 * record, of all that the kernel made one mapping of. None of these fails: what is missing is reread.
 */
void trace_spaces_mmap(struct trace_spaces *spaces, const struct trace_mmap_event *event);
void trace_spaces_fork(struct trace_spaces *spaces, pid_t parent,
		       pid_t child); /* processes, not threads */
void trace_spaces_exec(struct trace_spaces *spaces, pid_t pid);

/* Its last thread has ended. What is known is kept a while, for records that come late; another process of
 * the same number begins anew with its first mmap, fork or exec. */
void trace_spaces_exit(struct trace_spaces *spaces, pid_t pid);

/* Reads /proc/PID/maps in place of what is known, as at attach. 0 or negative errno: then what is known stays. */
int trace_spaces_reread(struct trace_spaces *spaces, pid_t pid);

/*
 * The mapping of an address; NULL where none is known.
 *
 * may_reread: on a miss /proc/PID/maps is read. Records are looked at after the fact, so what it says is put beside
 * what is known, and in its place only where both speak of the same addresses. It costs at most a
 * twentieth of a CPU for one process and a fifth for all, after a first few that are free; a page that was looked for
 * in vain is looked for again after 10 ms.
 *
 * munmap and mremap leave no record. Where mremap puts a mapping in a place from which another was removed, the other
 * one is found, and nothing here can notice.
 *
 * A stack grows without a record: an address below [stack] and within the limit is the stack's, unless /proc has just
 * been read and says otherwise.
 */
struct trace_mapping *trace_spaces_find(struct trace_spaces *spaces, pid_t pid, uint64_t address,
					bool may_reread);

/*
 * Names are kept once, as rows: "[anon]", "[heap]", "[stack]", "[anon:NAME]", "[anon_shmem]" (shared memory without a
 * file), "[anon_hugepage]" (hugetlb memory without a file), "memfd:NAME", a path. Row 0 is "[other]": what did
 * not fit. They are the bytes that the kernel told, so they are to be made harmless before anybody sees them.
 */
const char *trace_spaces_name(const struct trace_spaces *spaces, uint32_t name);
size_t trace_spaces_n_names(const struct trace_spaces *spaces);

/* How often /proc/PID/maps was read, or tried to be. */
uint64_t trace_spaces_n_rereads(const struct trace_spaces *spaces);

/* How often a space, a mapping or a name found no room. */
uint64_t trace_spaces_n_left_out(const struct trace_spaces *spaces);

#endif
