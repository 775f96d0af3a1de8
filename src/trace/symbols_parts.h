/* SPDX-License-Identifier: MIT */
/* The parts of trace/symbols.c: the file behind a mapping, what is known of its code, JIT maps, the cache. */
#ifndef TRACE_SYMBOLS_PARTS_H
#define TRACE_SYMBOLS_PARTS_H

#include "src/model/bill.h"
#include "src/trace/symbols.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* --- files: symbols_file.c ----------------------------------------------------------------------- */

/*
 * Opens path for reading if it is a regular file, or leads to one; nothing else is ever opened, since a FIFO
 * would block and a device might act. flags: O_NOFOLLOW or 0. fd, or negative errno (-EINVAL: no regular file).
 */
int trace_file_open(const char *path, int flags, struct stat *ret);

/*
 * Opens the very file that is mapped, whatever its path names by now. fd, or negative errno. *ret_path is
 * owned by the caller: the path by which it was found.
 * *ret_deleted: key->path ends in " (deleted)", and that is not part of its name.
 */
int trace_file_open_mapped(const struct trace_module_key *key, char **ret_path, bool *ret_deleted);

/* The vdso of this process, as a file. fd, or negative errno. */
int trace_file_open_vdso(void);

/* --- code in ELF files: symbols_dwarf.c, or symbols_none.c without libdw ---------------------------- */

struct trace_elf;

/* Takes fd over, even on failure. Nothing is read before the first question. NULL: no memory. */
struct trace_elf *trace_elf_new(int fd, const char *path);
void trace_elf_free(struct trace_elf *elf);

/* Function, file, line and inlined of up to max frames, innermost first; module is the caller's. 0: not known. */
size_t trace_elf_frames(struct trace_elf *elf, uint64_t file_offset, struct model_frame *ret,
			size_t max);

/* As trace_symbols_has_frame(). */
int trace_elf_has_frame(struct trace_elf *elf, uint64_t file_offset, uint32_t *ret_sp_bytes);

/* --- JIT maps: symbols_jit.c ------------------------------------------------------------------------- */

struct trace_jit;

struct trace_jit *trace_jit_new(void); /* NULL: no memory */
void trace_jit_free(struct trace_jit *jit);

/* The function at an address, NULL: not known. Valid until the next call. */
const char *trace_jit_find(struct trace_jit *jit, pid_t pid, uint64_t address);

/* --- the cache: symbols_cache.c ------------------------------------------------------------------------ */

struct trace_cache;

struct trace_cache *trace_cache_new(void); /* NULL: no memory */
void trace_cache_free(struct trace_cache *cache);

/* How many frames were written, at most max; 0: not in the cache. */
size_t trace_cache_get(const struct trace_cache *cache, int module, uint64_t file_offset,
		       struct model_frame *ret, size_t max);

/* Keeps n >= 1 frames, save for module and module_offset. When the cache is full it is emptied first. */
void trace_cache_put(struct trace_cache *cache, int module, uint64_t file_offset,
		     const struct model_frame *frames, size_t n);

#endif
