/* SPDX-License-Identifier: MIT */
/* Where start-up ends and exit begins; for src/model alone. */
#ifndef MODEL_BILL_PHASES_H
#define MODEL_BILL_PHASES_H

#include <stddef.h>

/* Start-up is moments [0, steady), steady state [steady, exit), exit [exit, n). */
struct model_phase_ends {
	size_t steady, exit;
};

/* time_ns: fault time of each of n moments of one width. */
struct model_phase_ends model_phases_find(const double *time_ns, size_t n);

#endif
