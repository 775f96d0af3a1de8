/* SPDX-License-Identifier: MIT */
/* Functions, inlined functions and lines of an address, by debug information. */
#ifndef TRACE_SYMBOLS_SCOPES_H
#define TRACE_SYMBOLS_SCOPES_H

#include "src/model/bill.h"

#include <elfutils/libdw.h>
#include <stddef.h>

struct trace_scopes;

/* Lists the compilation units. Of a dw that ends later. NULL: no memory. */
struct trace_scopes *trace_scopes_new(Dwarf *dw);
void trace_scopes_free(struct trace_scopes *scopes);

/*
 * Up to max frames at an address as the debug information has it, innermost first. The last one's function is
 * empty where only the line is known. 0: nothing is known.
 */
size_t trace_scopes_frames(struct trace_scopes *scopes, Dwarf_Addr address, struct model_frame *ret,
			   size_t max);

#endif
