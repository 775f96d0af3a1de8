/* SPDX-License-Identifier: MIT */
/* What the first touch of a huge page costs here. */
#ifndef TRACE_HUGE_FILL_H
#define TRACE_HUGE_FILL_H

/*
 * Nanoseconds on the CPU of one that was used just before, and of one that was not: in a virtual machine the host may
 * have to find that first. NaN: no huge page came. Takes a few milliseconds, or some tens where the host is slow.
 */
void trace_huge_fill(double *ret_used_ns, double *ret_fresh_ns);

#endif
