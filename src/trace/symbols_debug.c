/* SPDX-License-Identifier: MIT */
/* Finding the files that hold a module's debug information, on this machine alone. */
#include "src/trace/symbols_debug.h"

#include "src/base/array.h"
#include "src/trace/symbols_parts.h"

#include <elfutils/libdwelf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_DIR "/usr/lib/debug"

enum { MIN_ID = 3, MAX_ID = 64, BLOCK_BYTES = 1 << 16 };

/* What a file must match: its build-id, or without one the checksum of its bytes. */
struct wanted {
	const unsigned char *id; /* NULL: none */
	size_t n_id;
	GElf_Word crc;
};

/* --- whether a file is the right one ------------------------------------------------------------------ */

/* The checksum that .gnu_debuglink has. Slow, and hardly ever needed: most files have a build-id. */
static bool crc_of(int fd, GElf_Word *ret)
{
	unsigned char *block = malloc(BLOCK_BYTES);
	GElf_Word crc = 0xffffffffU;
	off_t at = 0;
	ssize_t n = -1;

	while (block && (n = pread(fd, block, BLOCK_BYTES, at)) > 0) {
		at += n;
		for (ssize_t i = 0; i < n; i++) {
			crc ^= block[i];
			for (int bit = 0; bit < 8; bit++)
				crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
		}
	}
	free(block);
	*ret = ~crc;
	return n == 0;
}

static bool has_id(int fd, const struct wanted *wanted)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const void *id = NULL;
	ssize_t n = elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;
	bool same = n > 0 && (size_t)n == wanted->n_id && memcmp(id, wanted->id, wanted->n_id) == 0;

	(void)elf_end(elf);
	return same;
}

/* fd, or -1. The path is freed, or handed on. */
static int try_path(char *path, const struct wanted *wanted, char **ret_path)
{
	struct stat st;
	GElf_Word crc;
	int fd = path ? trace_file_open(path, 0, &st) : -1;

	if (fd >= 0 && (wanted->id ? has_id(fd, wanted) : crc_of(fd, &crc) && crc == wanted->crc)) {
		*ret_path = path;
		return fd;
	}
	if (fd >= 0)
		(void)close(fd);
	free(path);
	return -1;
}

/* --- where it may be --------------------------------------------------------------------------------- */

static char *path_by_id(const struct wanted *wanted)
{
	char hex[2 * MAX_ID + 1] = "", *path;

	if (!wanted->id || wanted->n_id < MIN_ID || wanted->n_id > MAX_ID)
		return NULL;
	for (size_t i = 0; i < wanted->n_id; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", wanted->id[i]);
	if (asprintf(&path, DEBUG_DIR "/.build-id/%.2s/%s.debug", hex, hex + 2) < 0)
		return NULL;
	return path;
}

/* The debug file of a program or library. */
static int find_main(Dwfl_Module *mod, const char *file, const char *link, GElf_Word crc,
		     char **ret_path)
{
	static const char *const places[] = {"%.*s/%s", "%.*s/.debug/%s", DEBUG_DIR "%.*s/%s"};
	struct wanted wanted = {.crc = crc};
	const char *slash = file ? strrchr(file, '/') : NULL;
	GElf_Addr where;
	int fd, n = dwfl_module_build_id(mod, &wanted.id, &where);

	wanted.n_id = n > 0 ? (size_t)n : 0;
	if (!wanted.n_id)
		wanted.id = NULL;
	fd = try_path(path_by_id(&wanted), &wanted, ret_path);
	if (fd >= 0 || !link || !slash || strchr(link, '/'))
		return fd;
	for (size_t i = 0; fd < 0 && i < ARRAY_LEN(places); i++) {
		char *path = NULL;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		if (asprintf(&path, places[i], (int)(slash - file), file, link) < 0)
			return -1;
#pragma GCC diagnostic pop
		fd = try_path(path, &wanted, ret_path);
	}
	return fd;
}

/* The file that several debug files share. */
static int find_alt(Dwfl_Module *mod, const char *file, char **ret_path)
{
	const char *name, *slash = file ? strrchr(file, '/') : NULL;
	struct wanted wanted = {.id = NULL};
	Dwarf_Addr bias;
	Dwarf *dw = dwfl_module_getdwarf(mod, &bias);
	const void *id;
	ssize_t n = dw ? dwelf_dwarf_gnu_debugaltlink(dw, &name, &id) : -1;
	char *path = NULL;
	int fd;

	if (n <= 0)
		return -1;
	wanted.id = id;
	wanted.n_id = (size_t)n;
	fd = try_path(path_by_id(&wanted), &wanted, ret_path);
	if (fd >= 0)
		return fd;
	if (name[0] == '/')
		path = strdup(name);
	else if (!slash || asprintf(&path, "%.*s/%s", (int)(slash - file), file, name) < 0)
		return -1;
	return try_path(path, &wanted, ret_path);
}

/* libdwfl wants so many parameters. NOLINTNEXTLINE(readability-function-size) */
int trace_debug_find(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		     const char *file_name, const char *debuglink_file, GElf_Word debuglink_crc,
		     char **debuginfo_file_name)
{
	struct trace_debug *debug = *userdata;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(mod, &bias);
	GElf_Word crc;
	int fd;

	(void)name, (void)base;
	if (!elf)
		return -1;
	/* libdwfl asks twice, and the second time the name is not that of the module's own link. */
	if (debuglink_file == dwelf_elf_gnu_debuglink(elf, &crc))
		return find_main(mod, file_name, debuglink_file, debuglink_crc,
				 debuginfo_file_name);
	fd = find_alt(mod, file_name, debuginfo_file_name);
	debug->found_alt = fd >= 0;
	return fd;
}
