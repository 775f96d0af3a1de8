/* SPDX-License-Identifier: MIT */
/* Growing arrays. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdlib.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Makes room for one more item behind items[n] and returns the array, moved perhaps; NULL when
 * memory ran out, the old array still owned by the caller. Capacities are powers of two, so
 * none has to be stored.
 */
static inline void *array_grow(void *items, size_t n, size_t item_bytes)
{
	if (n && (n & (n - 1)))
		return items;
	return reallocarray(items, n ? 2 * n : 1, item_bytes);
}

#endif
