/* SPDX-License-Identifier: MIT */
/* The hash of numbers against a naive one, under random operations, and keys that share a place. */
#include "src/base/map.h"
#include "tests/tap.h"

enum { N_KEYS = 512, N_STEPS = 40000 };

/* Index: the key's; MAP_NONE: is not in it. */
static uint32_t naive[N_KEYS];
static uint64_t keys[N_KEYS];
static struct map map;

static uint64_t state = 88172645463325252U;

static uint64_t random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void begin(void)
{
	map_free(&map);
	for (size_t i = 0; i < N_KEYS; i++)
		naive[i] = MAP_NONE;
}

/* Every key has the value that it has in the naive one, and the number of them is right. */
static bool is_like_naive(void)
{
	size_t n = 0;

	for (size_t i = 0; i < N_KEYS; i++) {
		n += naive[i] != MAP_NONE;
		if (map_get(&map, keys[i]) != naive[i])
			return false;
	}
	return map.n == n;
}

static bool put(size_t i, uint32_t value)
{
	naive[i] = value;
	return map_put(&map, keys[i], value) == 0;
}

static void take(size_t i)
{
	naive[i] = MAP_NONE;
	map_remove(&map, keys[i]);
}

static bool one_step(size_t n_keys)
{
	size_t i = random_number() % n_keys;

	if (random_number() % 2) {
		take(i);
		return true;
	}
	return put(i, (uint32_t)(random_number() % MAP_NONE));
}

/* With few keys it is mostly full and emptied by turns; with many it grows. */
static void test_random(size_t n_keys, const char *what)
{
	bool good = true;

	begin();
	for (size_t step = 0; step < N_STEPS && good; step++)
		good = one_step(n_keys) && (step % 16 || is_like_naive());
	t_ok(good && is_like_naive(), "%s: as the naive one at each look", what);
	t_ok((map.room & (map.room - 1)) == 0 && 2 * map.n <= map.room,
	     "%s: room is a power of two, and half of it at least is empty", what);
	for (size_t i = 0; i < n_keys; i++)
		take(i);
	t_is_u64(map.n, 0, "%s: nothing is left", what);
	t_ok(is_like_naive(), "%s: and nothing is found", what);
}

/* Keys whose place is the last of LEAST room, so that they go around its end. */
static void find_colliding_keys(void)
{
	enum { LEAST_ROOM = 64 };
	uint64_t key = 0;

	for (size_t i = 0; i < N_KEYS; key++)
		if ((map_mix(key) & (LEAST_ROOM - 1)) >= LEAST_ROOM - 2)
			keys[i++] = key;
}

static void test_shifting_back(void)
{
	enum { N = 20 };
	bool good = true;

	find_colliding_keys();
	for (size_t removed = 0; removed < N; removed++) {
		begin();
		for (size_t i = 0; i < N; i++)
			good = put(i, (uint32_t)i) && good;
		take(removed);
		good = good && is_like_naive();
	}
	t_ok(good,
	     "keys that share a place, around the end: any one removed, and the others found");
	test_random(30, "keys that share a place");
}

static void test_edges(void)
{
	struct map empty = {.slots = NULL};

	t_is_u64(map_get(&empty, 0), MAP_NONE, "an empty map has no key");
	map_remove(&empty, 7);
	t_ok(!empty.slots, "removing from it does nothing");
	t_ok(map_put(&empty, 0, 0) == 0 && map_get(&empty, 0) == 0, "key and value may be 0");
	t_ok(map_put(&empty, UINT64_MAX, MAP_NONE - 1) == 0 &&
		     map_get(&empty, UINT64_MAX) == MAP_NONE - 1,
	     "and the largest there are");
	t_ok(map_put(&empty, 0, 5) == 0 && map_get(&empty, 0) == 5 && empty.n == 2,
	     "a key that is there gets the new value");
	map_remove(&empty, 1);
	t_is_u64(empty.n, 2, "removing a key that is not there does nothing");
	map_free(&empty);
	t_ok(!empty.slots && empty.n == 0 && map_get(&empty, 0) == MAP_NONE,
	     "freed it is an empty one");
}

int main(void)
{
	test_edges();
	for (size_t i = 0; i < N_KEYS; i++)
		keys[i] = random_number();
	test_random(16, "few keys");
	test_random(N_KEYS, "many keys");
	for (size_t i = 0; i < N_KEYS; i++)
		keys[i] = i << 32;
	test_random(N_KEYS, "keys that differ in high bits alone");
	test_shifting_back();
	map_free(&map);
	return t_done();
}
