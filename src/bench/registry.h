/* SPDX-License-Identifier: MIT */
/* The list of scenarios as the engine is handed it. */
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

#endif
