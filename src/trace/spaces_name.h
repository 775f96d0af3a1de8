/* SPDX-License-Identifier: MIT */
/* What a mapping is called and what is behind it, by the kernel's name for it, its flags and its device. */
#ifndef TRACE_SPACES_NAME_H
#define TRACE_SPACES_NAME_H

#include "src/trace/spaces.h"

#include <stddef.h>
#include <stdint.h>

enum { TRACE_MAX_NAMES = 4 * 1024, TRACE_NAME_OTHER = 0, TRACE_NAME_HEAP = 1 };

/* Names, each once; and devices that were looked up. */
struct trace_names;

/* 0 or -ENOMEM. */
int trace_names_new(struct trace_names **ret);
void trace_names_free(struct trace_names *names);

const char *trace_names_text(const struct trace_names *names, uint32_t row);
size_t trace_names_n(const struct trace_names *names);
uint64_t trace_names_n_left_out(const struct trace_names *names);

/* The mapping that a record or a line of maps describes. */
struct trace_mapping trace_names_mapping(struct trace_names *names,
					 const struct trace_mmap_event *event);

#endif
