/* SPDX-License-Identifier: MIT */
/* What follows from the mappings of a process: why each has no huge pages, and findings. */
#ifndef DIAGNOSE_INSPECT_H
#define DIAGNOSE_INSPECT_H

#include "src/model/inspect.h"

/* Fills in why of each row, and the findings. */
void diagnose_inspect(struct model_inspect *doc);

#endif
