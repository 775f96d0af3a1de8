/* SPDX-License-Identifier: MIT */
/* Frames that were looked up once, kept in bounded memory. */
#include "src/base/text.h"
#include "src/trace/symbols_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
	HASH_BITS = 16,
	N_SLOTS = 1 << HASH_BITS,
	MAX_ENTRIES = N_SLOTS / 4 * 3,
	MAX_BYTES = 32 << 20,
};

/* Texts are as long as they are here, not as struct model_frame has room for. */
struct slot {
	uint64_t file_offset;
	int module;
	uint32_t n_frames;
	char *packed; /* NULL: free; for each frame line, inlined, function, file */
};

struct trace_cache {
	struct slot *slots;
	size_t n_entries, n_bytes;
};

struct trace_cache *trace_cache_new(void)
{
	struct trace_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->slots = calloc(N_SLOTS, sizeof(*cache->slots));
	if (!cache->slots) {
		free(cache);
		return NULL;
	}
	return cache;
}

static void empty(struct trace_cache *cache)
{
	for (size_t i = 0; i < N_SLOTS; i++)
		free(cache->slots[i].packed);
	memset(cache->slots, 0, N_SLOTS * sizeof(*cache->slots));
	cache->n_entries = cache->n_bytes = 0;
}

void trace_cache_free(struct trace_cache *cache)
{
	if (!cache)
		return;
	empty(cache);
	free(cache->slots);
	free(cache);
}

/* The slot that has the key, or the free one where it belongs: there always is a free one. */
static struct slot *find_slot(const struct trace_cache *cache, int module, uint64_t file_offset)
{
	uint64_t mixed =
		(file_offset + (uint64_t)module * 0x9e3779b97f4a7c15U) * 0xff51afd7ed558ccdU;
	size_t i = (size_t)(mixed >> (64 - HASH_BITS));
	struct slot *slot;

	for (;; i = (i + 1) % N_SLOTS) {
		slot = &cache->slots[i];
		if (!slot->packed || (slot->module == module && slot->file_offset == file_offset))
			return slot;
	}
}

static const char *unpack_text(const char *packed, char *ret, size_t size)
{
	size_t n = strlen(packed) + 1;

	memcpy(ret, packed, n < size ? n : size); /* it came from such a field */
	return packed + n;
}

size_t trace_cache_get(const struct trace_cache *cache, int module, uint64_t file_offset,
		       struct model_frame *ret, size_t max)
{
	const struct slot *slot = find_slot(cache, module, file_offset);
	const char *p = slot->packed;
	size_t n = 0;

	if (!p)
		return 0;
	for (; n < slot->n_frames && n < max; n++) {
		memcpy(&ret[n].line, p, sizeof(ret[n].line));
		p += sizeof(ret[n].line);
		ret[n].inlined = *p++ != 0;
		p = unpack_text(p, ret[n].function, sizeof(ret[n].function));
		p = unpack_text(p, ret[n].file, sizeof(ret[n].file));
	}
	return n;
}

static size_t packed_bytes(const struct model_frame *frames, size_t n)
{
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += sizeof(frames[i].line) + 1 + strlen(frames[i].function) + 1 +
			 strlen(frames[i].file) + 1;
	return bytes;
}

void trace_cache_put(struct trace_cache *cache, int module, uint64_t file_offset,
		     const struct model_frame *frames, size_t n)
{
	size_t n_bytes = packed_bytes(frames, n);
	struct slot *slot;
	char *p = n_bytes ? malloc(n_bytes) : NULL;

	if (!p)
		return; /* looked up anew the next time */
	if (cache->n_entries == MAX_ENTRIES || cache->n_bytes + n_bytes > MAX_BYTES)
		empty(cache);
	slot = find_slot(cache, module, file_offset);
	if (slot->packed) {
		free(p);
		return;
	}
	*slot = (struct slot){file_offset, module, (uint32_t)n, p};
	cache->n_entries++;
	cache->n_bytes += n_bytes;
	for (size_t i = 0; i < n; i++) {
		memcpy(p, &frames[i].line, sizeof(frames[i].line));
		p += sizeof(frames[i].line);
		*p++ = frames[i].inlined ? 1 : 0;
		p = stpcpy(p, frames[i].function) + 1;
		p = stpcpy(p, frames[i].file) + 1;
	}
}
