/* SPDX-License-Identifier: MIT */
/* All settings of `bench --ab`; the table is generated from the list in meson.build. */
#ifndef SETTINGS_REGISTRY_H
#define SETTINGS_REGISTRY_H

#include "src/bench/setting.h"

extern const struct bench_setting_row setting_registry[];

#endif
