/* SPDX-License-Identifier: MIT */
/* Mapping this process's own code and data before it is timed. */
#ifndef SYS_CODE_H
#define SYS_CODE_H

struct why;

/*
 * Reads one byte of every page of the executable and its libraries, so that no first call of a
 * function inside a timed section takes a fault. Fault-around usually has mapped these pages, but
 * leaves out those that are locked at that moment: one stray fault in a trial under load. 0 or
 * negative errno.
 */
int sys_touch_code(struct why *why);

#endif
