/* SPDX-License-Identifier: MIT */
/* What stands behind --ab: SETTING=a,b. */
#ifndef CLI_AB_H
#define CLI_AB_H

#include "src/bench/setting.h"

#include <stdio.h>

struct why;

/* "pages=base,thp", "env.NAME=a,b", "same". Checks both values, and begins nothing. -EINVAL with a sentence. */
int cli_ab_parse(const char *text, const char *dir, struct bench_ab *ret_ab, struct why *why);

#endif
