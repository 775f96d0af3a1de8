/* SPDX-License-Identifier: MIT */
/* Settings of the system that runs have changed: restored at each start, and told by doctor. */
#ifndef CLI_CHANGED_H
#define CLI_CHANGED_H

#include <stddef.h>

struct json_writer;

/* Restores what killed runs have left, and says so on standard error; without root it says that something
 * waits, except before doctor, which says more. */
void cli_changed_recover(const char *command);

/* doctor's section, as text on standard output and as the array "changed". */
void cli_changed_print(size_t width);
void cli_changed_put(struct json_writer *w);

#endif
