/* SPDX-License-Identifier: MIT */
/* A hash from 64-bit keys to 32-bit numbers, such as the index of an array. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX /* is no value */

struct map_slot {
	uint64_t key;
	uint32_t value; /* MAP_NONE: empty */
};

/* {0} is an empty one. Not thread-safe. */
struct map {
	struct map_slot *slots;
	size_t n, room; /* a power of two, or 0 */
};

void map_free(struct map *map);

/* MAP_NONE: there is no such key. */
uint32_t map_get(const struct map *map, uint64_t key);

/* 0, or -ENOMEM: then nothing is changed. A key that is there gets the new value. */
int map_put(struct map *map, uint64_t key, uint32_t value);

void map_remove(struct map *map, uint64_t key);

/* Mixes all bits of a number into all bits; and a number into a hash. */
static inline uint64_t map_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93U;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93U;
	return x ^ x >> 32;
}

static inline uint64_t map_mix_in(uint64_t hash, uint64_t x)
{
	return map_mix(hash ^ map_mix(x + 0x9e3779b97f4a7c15U));
}

#endif
