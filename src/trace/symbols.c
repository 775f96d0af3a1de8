/* SPDX-License-Identifier: MIT */
/* Modules that were seen, and the frames of addresses in them. */
#include "src/trace/symbols.h"

#include "src/base/text.h"
#include "src/trace/symbols_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MAX_MODULES = 512, /* each keeps a descriptor, and perhaps another of its debug file */
	N_ASKED = 1 << 14,
};

static const char vdso[] = "[vdso]";

struct module {
	char *path;
	uint32_t dev_major, dev_minor;
	uint64_t inode; /* 0: the vdso */
	struct trace_elf *elf;
};

/* An answer of trace_symbols_has_frame(). */
struct asked {
	uint64_t file_offset;
	int module_plus_1; /* 0: none yet */
	int answer;
	uint32_t sp_bytes;
};

struct trace_symbols {
	struct module modules[MAX_MODULES];
	size_t n_modules;
	struct trace_cache *cache;
	struct trace_jit *jit;
	struct asked asked[N_ASKED];
};

int trace_symbols_new(struct trace_symbols **ret)
{
	struct trace_symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return -ENOMEM;
	symbols->cache = trace_cache_new();
	symbols->jit = trace_jit_new();
	if (!symbols->cache || !symbols->jit) {
		trace_symbols_free(symbols);
		return -ENOMEM;
	}
	*ret = symbols;
	return 0;
}

void trace_symbols_free(struct trace_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->n_modules; i++) {
		trace_elf_free(symbols->modules[i].elf);
		free(symbols->modules[i].path);
	}
	trace_jit_free(symbols->jit);
	trace_cache_free(symbols->cache);
	free(symbols);
}

/* --- modules ------------------------------------------------------------------------------------- */

static int find_module(const struct trace_symbols *symbols, const struct module *like)
{
	for (size_t i = 0; i < symbols->n_modules; i++) {
		const struct module *module = &symbols->modules[i];

		if (module->inode == like->inode && module->dev_major == like->dev_major &&
		    module->dev_minor == like->dev_minor)
			return (int)i;
	}
	return -ENOENT;
}

/* A 32-bit process has another vdso than ours, far below any of a 64-bit one. */
static int open_vdso(const struct trace_module_key *key)
{
	if (sizeof(void *) > sizeof(uint32_t) && key->end <= UINT32_MAX)
		return -ENOENT;
	return trace_file_open_vdso();
}

/* Fills the module's path and elf. 0 or negative errno. */
static int open_module(const struct trace_module_key *key, struct module *module)
{
	char *found_at = NULL;
	bool deleted = false;
	size_t n = strlen(key->path);
	int fd;

	fd = module->inode ? trace_file_open_mapped(key, &found_at, &deleted) : open_vdso(key);
	if (fd < 0)
		return fd;
	module->elf = trace_elf_new(fd, found_at ? found_at : vdso);
	free(found_at);
	if (!module->elf)
		return -ENOMEM;
	module->path = strndup(key->path, deleted ? n - strlen(" (deleted)") : n);
	if (!module->path) {
		trace_elf_free(module->elf);
		return -ENOMEM;
	}
	return 0;
}

int trace_symbols_module(struct trace_symbols *symbols, const struct trace_module_key *key)
{
	bool is_vdso = strcmp(key->path, vdso) == 0;
	struct module like = {.dev_major = 0}, *module = &symbols->modules[symbols->n_modules];
	int r;

	if (!is_vdso && !key->inode)
		return -ENOENT;
	if (!is_vdso)
		like = (struct module){.dev_major = key->dev_major,
				       .dev_minor = key->dev_minor,
				       .inode = key->inode};
	r = find_module(symbols, &like);
	if (r >= 0)
		return r;
	if (symbols->n_modules == MAX_MODULES)
		return -EMFILE;
	*module = like;
	r = open_module(key, module);
	return r < 0 ? r : (int)symbols->n_modules++;
}

static struct module *module_at(struct trace_symbols *symbols, int module)
{
	return module >= 0 && (size_t)module < symbols->n_modules ? &symbols->modules[module]
								  : NULL;
}

/* --- frames ---------------------------------------------------------------------------------------- */

static void clear(struct model_frame *frame)
{
	frame->function[0] = frame->file[0] = frame->module[0] = 0;
	frame->line = 0;
	frame->module_offset = 0;
	frame->inlined = false;
}

/* Asks the file, and keeps the answer. */
static size_t look_up(struct trace_symbols *symbols, int module, uint64_t file_offset,
		      struct model_frame *ret, size_t max)
{
	struct model_frame frames[MODEL_MAX_STACK];
	size_t n;

	n = trace_elf_frames(symbols->modules[module].elf, file_offset, frames, MODEL_MAX_STACK);
	if (n == 0) {
		clear(&frames[0]);
		n = 1;
	}
	trace_cache_put(symbols->cache, module, file_offset, frames, n);
	if (n > max)
		n = max;
	memcpy(ret, frames, n * sizeof(*ret));
	return n;
}

size_t trace_symbols_resolve(struct trace_symbols *symbols, int module, uint64_t file_offset,
			     bool behind_call, struct model_frame *ret, size_t max)
{
	/* The call is the last thing before the return address, which may be in another line or function. */
	uint64_t asked = file_offset - (behind_call && file_offset ? 1 : 0);
	const struct module *of = module_at(symbols, module);
	size_t n;

	if (max == 0)
		return 0;
	if (!of) {
		clear(&ret[0]);
		ret[0].module_offset = file_offset;
		return 1;
	}
	n = trace_cache_get(symbols->cache, module, asked, ret, max);
	if (n == 0)
		n = look_up(symbols, module, asked, ret, max);
	for (size_t i = 0; i < n; i++) {
		(void)text_copy(ret[i].module, sizeof(ret[i].module), of->path);
		ret[i].module_offset = file_offset;
	}
	return n;
}

size_t trace_symbols_resolve_jit(struct trace_symbols *symbols, pid_t pid, uint64_t address,
				 struct model_frame *ret)
{
	const char *function = trace_jit_find(symbols->jit, pid, address);

	clear(ret);
	if (!function) {
		(void)text_copy(ret->module, sizeof(ret->module), "[anon]");
		return 0;
	}
	(void)text_copy(ret->function, sizeof(ret->function), function);
	return 1;
}

int trace_symbols_has_frame(struct trace_symbols *symbols, int module, uint64_t file_offset,
			    uint32_t *ret_sp_bytes)
{
	const struct module *of = module_at(symbols, module);
	struct asked *asked;

	*ret_sp_bytes = 0;
	if (!of)
		return -ENOENT;
	/* Asked of every fault: the last answer of each kind is kept. */
	asked = &symbols->asked[(file_offset ^ (uint64_t)module << 7) % N_ASKED];
	if (asked->module_plus_1 != module + 1 || asked->file_offset != file_offset) {
		*asked = (struct asked){.file_offset = file_offset, .module_plus_1 = module + 1};
		asked->answer = trace_elf_has_frame(of->elf, file_offset, &asked->sp_bytes);
	}
	*ret_sp_bytes = asked->sp_bytes;
	return asked->answer;
}
