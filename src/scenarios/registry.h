/* SPDX-License-Identifier: MIT */
/* The generated list of scenarios; see meson.build beside this file. */
#ifndef SCENARIOS_REGISTRY_H
#define SCENARIOS_REGISTRY_H

#include "src/bench/registry.h"

extern const struct bench_registry_row scenario_registry[];

#endif
