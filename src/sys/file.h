/* SPDX-License-Identifier: MIT */
/* Small kernel files read whole, and data files without a name. */
#ifndef SYS_FILE_H
#define SYS_FILE_H

#include <stddef.h>
#include <stdint.h>

struct why;

/* Reads up to size - 1 bytes, terminates, strips the last newline. Length, or negative errno. */
long sys_read_text(const char *path, char *ret_text, size_t size);

/* The first number of a file. 0 or negative errno. */
int sys_read_u64(const char *path, uint64_t *ret_value);

/* The number behind "key" at the start of a line of a text such as /proc/meminfo. 0 or -ENOENT. */
int sys_find_u64(const char *text, const char *key, uint64_t *ret_value);

/* The same in a file of any length. 0 or negative errno. */
int sys_read_key(const char *path, const char *key, uint64_t *ret_value);

/* The word in brackets of "always [madvise] never", or the whole text where there are none. */
void sys_bracketed(const char *text, char *ret_word, size_t size);

/* Opens a file without a name in dir (nothing is left even after SIGKILL), or, where the
 * filesystem has no O_TMPFILE, one whose name is removed at once. fd or negative errno. */
int sys_open_nameless(const char *dir, struct why *why);

#endif
