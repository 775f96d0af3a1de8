/* SPDX-License-Identifier: MIT */
/* Finding the files that hold a module's debug information, on this machine alone. */
#ifndef TRACE_SYMBOLS_DEBUG_H
#define TRACE_SYMBOLS_DEBUG_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* What *userdata of a module points to. */
struct trace_debug {
	bool found_alt; /* the file that dwz moved common parts to */
};

/*
 * The find_debuginfo hook of struct Dwfl_Callbacks. libdwfl's own asks a server when DEBUGINFOD_URLS is set, and
 * opens whatever a module's .gnu_debuglink names, even a FIFO. This one looks at the same places, but for the server.
 */
int trace_debug_find(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		     const char *file_name, const char *debuglink_file, GElf_Word debuglink_crc,
		     char **debuginfo_file_name);

#endif
