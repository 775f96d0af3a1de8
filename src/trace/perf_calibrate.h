/* SPDX-License-Identifier: MIT */
/* What tracing adds to a fault on this machine, and what no event sees of it. */
#ifndef TRACE_PERF_CALIBRATE_H
#define TRACE_PERF_CALIBRATE_H

#include "src/trace/aggregate.h"

#include <stdint.h>

struct why;

/*
 * Measures faults of a child of ours with and without the same events, by turns: some 0.2 s. 0, or negative errno:
 * then *ret is all zero.
 */
int trace_perf_calibrate(uint32_t roles, bool chains, struct trace_corrections *ret,
			 struct why *why);

#endif
