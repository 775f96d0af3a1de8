/* SPDX-License-Identifier: MIT */
/* The address spaces of traced processes: which mapping an address is in, as records and /proc tell it. */
#ifndef TRACE_SPACES_H
#define TRACE_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct trace_spaces;
struct why;

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
	uint64_t offset; /* in the file, of start */
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	enum trace_backing backing;
	bool shared, readable, writable, executable;
	bool deleted;
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

/* 0 or -ENOMEM. Memory is bounded: most spaces, mappings of each, and names; what does not fit is counted, and
 * read from /proc when it is asked for. */
int trace_spaces_new(struct trace_spaces **ret);
void trace_spaces_free(struct trace_spaces *spaces);

/* What records say. A new mapping takes the place of what it overlaps. None of them fails: what is missing is
 * reread. */
void trace_spaces_mmap(struct trace_spaces *spaces, const struct trace_mmap_event *event);
void trace_spaces_fork(struct trace_spaces *spaces, pid_t parent,
		       pid_t child); /* processes, not threads */
void trace_spaces_exec(struct trace_spaces *spaces, pid_t pid);
void trace_spaces_exit(struct trace_spaces *spaces, pid_t pid); /* its last thread has ended */

/* Reads /proc/PID/maps in place of what is known: at attach, and where an address is in no mapping. 0 or negative
 * errno. */
int trace_spaces_reread(struct trace_spaces *spaces, pid_t pid);

/*
 * The mapping of an address; NULL where none is known. may_reread: on a miss /proc/PID/maps is read, at most so
 * often that it costs little (munmap, mremap and mprotect leave no record).
 */
struct trace_mapping *trace_spaces_find(struct trace_spaces *spaces, pid_t pid, uint64_t address,
					bool may_reread);

/* Names are kept once, as rows: "[anon]", "[heap]", "[stack]", "[anon:NAME]", "memfd:NAME", a path. Row 0 is
 * "[other]": what did not fit. */
const char *trace_spaces_name(const struct trace_spaces *spaces, uint32_t name);
size_t trace_spaces_n_names(const struct trace_spaces *spaces);

uint64_t trace_spaces_n_rereads(const struct trace_spaces *spaces);

#endif
