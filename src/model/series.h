/* SPDX-License-Identifier: MIT */
/* Whether a row's trials have one price: drift, two groups, first rounds that differ. For bench.c alone. */
#ifndef MODEL_SERIES_H
#define MODEL_SERIES_H

struct model_scenario;
struct sys_machine;

/* Fills drift and groups of s, whose rounds are sorted and whose prices are summarized. Takes the intervals
 * from prices that drift: what moved has none. */
void model_series_find(struct model_scenario *s);

/* Warns of what was found, and of first rounds with the cause that there is evidence for. */
void model_series_warn(const struct sys_machine *machine, struct model_scenario *s);

#endif
