/* SPDX-License-Identifier: MIT */
/* Names of functions and files as they are shown. */
#ifndef TRACE_SYMBOLS_NAME_H
#define TRACE_SYMBOLS_NAME_H

#include <stddef.h>

/*
 * A linker's name as people write it: C++ and Rust demangled. Parts that a compiler split off keep their suffix,
 * as in other tools: "f.cold" in C, "f(int) [clone .cold]" in C++; so does a symbol's version: "f@@GLIBC_2.2.5".
 */
void trace_name_function(const char *linker_name, char *ret, size_t size);

/* A file's name as the debug information has it, without the directory of compilation where it lies below. Where it
 * is too long its end is kept. compiled_in may be NULL. */
void trace_name_file(const char *path, const char *compiled_in, char *ret, size_t size);

#endif
