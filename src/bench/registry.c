/* SPDX-License-Identifier: MIT */
/* The list of scenarios as the engine is handed it. */
#include "src/bench/registry.h"

#include <stddef.h>
#include <string.h>

const struct bench_registry_row *bench_registry_find(const struct bench_registry_row *rows,
						     const char *name)
{
	for (; rows->name; rows++)
		if (strcmp(rows->name, name) == 0)
			return rows;
	return NULL;
}
