/* SPDX-License-Identifier: MIT */
/* Which pages of a file are in the page cache, and dropping them. */
#ifndef SYS_RESIDENCY_H
#define SYS_RESIDENCY_H

#include <stdint.h>

struct why;

/* Counts the resident pages of [0, bytes) by mincore(2). The caller must own the file or be able to
 * write it: for others mincore answers that everything is resident. 0 or negative errno. */
int sys_resident_pages(int fd, uint64_t bytes, uint64_t *ret_n_pages, struct why *why);

/*
 * fsync, POSIX_FADV_DONTNEED, and a look whether it worked; tried a few times, since pages under
 * write-back or in another CPU's batch stay at first. What is still resident goes to
 * ret_n_resident (0: cold). 0 or negative errno.
 */
int sys_drop_file(int fd, uint64_t bytes, uint64_t *ret_n_resident, struct why *why);

#endif
