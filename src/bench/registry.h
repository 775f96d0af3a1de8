/* SPDX-License-Identifier: MIT */
/* The lists of scenarios and settings as the engine is handed them. */
#ifndef BENCH_REGISTRY_H
#define BENCH_REGISTRY_H

struct bench_scenario;

/* Rows in alphabetical order; the last has no name. */
struct bench_registry_row {
	const char *name;
	const struct bench_scenario *scenario;
};

const struct bench_registry_row *bench_registry_find(const struct bench_registry_row *rows,
						     const char *name);

struct bench_setting_row;
const struct bench_setting_row *bench_setting_find(const struct bench_setting_row *rows,
						   const char *name);

#endif
