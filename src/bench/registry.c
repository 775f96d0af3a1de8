/* SPDX-License-Identifier: MIT */
/* The lists of scenarios and settings as the engine is handed them. */
#include "src/bench/registry.h"

#include "src/bench/setting.h"

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

const struct bench_setting_row *bench_setting_find(const struct bench_setting_row *rows,
						   const char *name)
{
	for (; rows->name; rows++)
		if (strcmp(rows->name, name) == 0)
			return rows;
	return NULL;
}
