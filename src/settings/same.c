/* SPDX-License-Identifier: MIT */
/* Nothing: both sides are alike, and whoever finds a difference is wrong. */
#include "src/bench/setting.h"

SETTING(same) = {
	.title = "nothing: an A/A run, to see what this machine's noise looks like",
};
