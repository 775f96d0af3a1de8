/* SPDX-License-Identifier: MIT */
/* Names of functions and files as they are shown. */
#include "src/trace/symbols_name.h"

#include "src/base/text.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A short name can stand for gigabytes of text, since names of types may refer back to each other. */
enum { MAX_MANGLED = 1024 };

/* As text_copy(), but says so where it was cut. */
static void copy_start(char *ret, size_t size, const char *text)
{
	static const char more[] = "...";

	if (strlen(text) < size) {
		(void)text_copy(ret, size, text);
		return;
	}
	(void)text_copy(ret, size - strlen(more), text);
	text_append(ret, size, "%s", more);
}

void trace_name_function(const char *linker_name, char *ret, size_t size)
{
	const char *version = strchrnul(linker_name, '@');
	char mangled[MAX_MANGLED], *plain = NULL;

	/* Without the underscore it is no mangled name, and most names of C are none. */
	if (linker_name[0] == '_' && (size_t)(version - linker_name) < sizeof(mangled)) {
		memcpy(mangled, linker_name, (size_t)(version - linker_name));
		mangled[version - linker_name] = 0;
		plain = cplus_demangle(mangled, DMGL_AUTO | DMGL_ANSI | DMGL_PARAMS);
	}
	copy_start(ret, size, plain ? plain : linker_name);
	if (plain)
		text_append(ret, size, "%s", version);
	free(plain);
}

/* Where path lies below directory the rest, else path. */
static const char *below(const char *path, const char *directory)
{
	size_t n = strlen(directory);

	if (n == 0 || strncmp(path, directory, n) != 0)
		return path;
	if (directory[n - 1] != '/' && path[n] != '/')
		return path;
	path += n;
	for (;;) {
		if (path[0] == '/')
			path++;
		else if (path[0] == '.' && path[1] == '/')
			path += 2;
		else
			return path;
	}
}

void trace_name_file(const char *path, const char *compiled_in, char *ret, size_t size)
{
	const char *rest = compiled_in ? below(path, compiled_in) : path;
	size_t n;

	if (!*rest)
		rest = path;
	n = strlen(rest);
	if (n >= size) {
		(void)snprintf(ret, size, "...%s", rest + n + 4 - size);
		return;
	}
	memcpy(ret, rest, n + 1);
}
