/* SPDX-License-Identifier: MIT */
/* A hash from 64-bit keys to 32-bit numbers: open addressing, linear probing, removal by shifting back. */
#include "src/base/map.h"

#include <errno.h>
#include <stdlib.h>

enum { LEAST_ROOM = 64 };

void map_free(struct map *map)
{
	free(map->slots);
	*map = (struct map){.slots = NULL};
}

/* The slot of a key, or the empty one where it would go. */
static size_t find(const struct map *map, uint64_t key)
{
	size_t i = (size_t)map_mix(key) & (map->room - 1);

	while (map->slots[i].value != MAP_NONE && map->slots[i].key != key)
		i = (i + 1) & (map->room - 1);
	return i;
}

uint32_t map_get(const struct map *map, uint64_t key)
{
	return map->room ? map->slots[find(map, key)].value : MAP_NONE;
}

static int grow(struct map *map)
{
	struct map bigger = {.room = map->room ? 2 * map->room : LEAST_ROOM, .n = map->n};

	bigger.slots = reallocarray(NULL, bigger.room, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < bigger.room; i++)
		bigger.slots[i].value = MAP_NONE;
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].value != MAP_NONE)
			bigger.slots[find(&bigger, map->slots[i].key)] = map->slots[i];
	free(map->slots);
	*map = bigger;
	return 0;
}

int map_put(struct map *map, uint64_t key, uint32_t value)
{
	struct map_slot *slot;

	if (2 * (map->n + 1) > map->room && grow(map) < 0)
		return -ENOMEM;
	slot = &map->slots[find(map, key)];
	map->n += slot->value == MAP_NONE;
	*slot = (struct map_slot){key, value};
	return 0;
}

void map_remove(struct map *map, uint64_t key)
{
	size_t mask = map->room - 1, hole, i;

	if (!map->room)
		return;
	hole = find(map, key);
	if (map->slots[hole].value == MAP_NONE)
		return;
	map->n--;
	/* what lies behind, up to the next empty slot, moves up unless that would be before its own place */
	for (i = (hole + 1) & mask; map->slots[i].value != MAP_NONE; i = (i + 1) & mask) {
		size_t home = (size_t)map_mix(map->slots[i].key) & mask;

		if (((i - home) & mask) >= ((i - hole) & mask)) {
			map->slots[hole] = map->slots[i];
			hole = i;
		}
	}
	map->slots[hole].value = MAP_NONE;
}
