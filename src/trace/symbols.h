/* SPDX-License-Identifier: MIT */
/* From an address in a traced program to function, file and line. */
#ifndef TRACE_SYMBOLS_H
#define TRACE_SYMBOLS_H

#include "src/model/bill.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct trace_symbols;
struct why;

/* A file mapping as /proc/PID/maps or an MMAP2 record tells it. */
struct trace_module_key {
	pid_t pid;           /* a process that has it mapped, looked at now */
	uint64_t start, end; /* the mapping, for /proc/PID/map_files */
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	const char *
		path; /* as the kernel names it; may end in " (deleted)", may be of another mount namespace */
};

/* 0 or -ENOMEM. Without libdw all answers are module and offset. */
int trace_symbols_new(struct trace_symbols **ret);
void trace_symbols_free(struct trace_symbols *symbols);

/*
 * Makes a binary known while its process lives: opens it, by /proc/PID/map_files where the path is gone or is
 * another file, so that it can be read after the end. The same file (device, inode) is opened once. At most
 * a bounded number of files is kept open. A number for trace_symbols_resolve(), or negative errno: then
 * there is the path alone. Not thread-safe.
 */
int trace_symbols_module(struct trace_symbols *symbols, const struct trace_module_key *key);

/*
 * The frames of one instruction, innermost inlined function first; at least one: module and offset. file_offset
 * is in the file (address - start of mapping + its offset). behind_call: it is a return address, so the call
 * before it is meant. Results are cached. How many were written, 1 to max. Of a negative module there is the
 * offset alone. module is the path as the kernel names it, without " (deleted)"; names are not made harmless.
 */
size_t trace_symbols_resolve(struct trace_symbols *symbols, int module, uint64_t file_offset,
			     bool behind_call, struct model_frame *ret, size_t max);

/*
 * Code in no file: what /tmp/perf-PID.map says (JIT compilers write it), read anew when an address is not in
 * what was read before and the file has changed. path of another mount namespace is tried by /proc/PID/root.
 * Ask while the process lives: a map of somebody else's than its owner, root and us is not believed.
 * 1 where it is known, else 0, and *ret is left empty but for module "[anon]".
 */
size_t trace_symbols_resolve_jit(struct trace_symbols *symbols, pid_t pid, uint64_t address,
				 struct model_frame *ret);

/*
 * gcc leaves the frame pointer out of leaf functions, and libc's have none: a chain that the kernel walks by
 * frame pointers then lacks the direct caller of the innermost function. Given the file offset of the
 * innermost instruction, whether its function sets up a frame there (by its CFI: the CFA is based on the frame
 * pointer): 1 yes; 0 no, so the next frame of the chain is the caller's caller; negative: not known. Where it is no and
 * the CFA is a fixed distance from the stack pointer, *ret_sp_bytes is that distance, else 0: on x86-64 the return
 * address lies in the word below the CFA.
 */
int trace_symbols_has_frame(struct trace_symbols *symbols, int module, uint64_t file_offset,
			    uint32_t *ret_sp_bytes);

#endif
