/* SPDX-License-Identifier: MIT */
/* The functions of a module's symbol table, by address. */
#ifndef TRACE_SYMBOLS_TABLE_H
#define TRACE_SYMBOLS_TABLE_H

#include <elfutils/libdwfl.h>

struct trace_table;

/* Of .symtab, of the module or its debug file, else of .dynsym and .gnu_debugdata. Names are the module's and end
 * with it. NULL: no memory. */
struct trace_table *trace_table_new(Dwfl_Module *module);
void trace_table_free(struct trace_table *table);

/* The linker's name of the function at an address; NULL: there is none. */
const char *trace_table_find(const struct trace_table *table, GElf_Addr address);

#endif
