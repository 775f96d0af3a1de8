/* SPDX-License-Identifier: MIT */
/* What several findings ask of a place in the bill, and how they put figures into words. */
#ifndef DIAGNOSE_PLACE_H
#define DIAGNOSE_PLACE_H

#include "src/diagnose/diagnose.h"

/* Whether each mapping is a program or a library; the caller's to free. NULL: no memory. */
bool *place_find_images(const struct model_trace *doc);

/* NULL: not known. */
const struct model_mapping_row *place_mapping(const struct diagnose_case *c,
					      const struct model_site_row *site);

bool place_is_image(const struct diagnose_case *c, const struct model_site_row *site);
bool place_is_data_file(const struct diagnose_case *c, const struct model_site_row *site);

/* Of madvise and mlock, as smaps has it: "hg". */
bool place_has_flag(const struct diagnose_case *c, const struct model_site_row *site,
		    const char *flag);

/* The share of a habit: of the faults judged, or of all, by the habit. */
double place_share(const struct model_habits *habits, uint64_t n_faults, enum model_habit habit);

/* Pages came again, so often that this is what it costs. */
bool place_comes_again(const struct model_site_row *site);

/* Fills memory that was empty, or maps what is cached: no wait, no copy. */
bool place_fills(const struct model_site_row *site);

/* More than half of its time was sleep. */
bool place_sleeps(const struct model_site_row *site);

/* The dynamic linker, or the kernel alone as in exec. */
bool place_is_start(const struct model_site_row *site);

bool place_has_same_culprit(const struct model_site_row *a, const struct model_site_row *b);
void place_culprit(const struct diagnose_case *c, const struct model_site_row *site,
		   struct model_finding *ret);

/* The same of the fault that a process died of. */
void place_fatal_culprit(const struct diagnose_case *c, struct model_finding *ret);

/* A figure of the evidence; 0 where it is not known. */
double place_figure(const struct diagnose_case *c, enum model_figure figure);

/* Bytes that the run read from disk, and bytes of data files that it faulted on: a page for each fault. */
double place_bytes_read(const struct diagnose_case *c);
double place_bytes_faulted(const struct diagnose_case *c);

/* Whether this is a virtual machine, where the host may have to find memory first. */
bool place_is_virtual(const struct diagnose_case *c);

/* Sets the interval of what would be saved, around the middle: as wide as such predictions are, here, at the least. */
void place_predict(struct model_finding *f, double middle_ns);

#define EVIDENCE(f, ...) text_append((f)->evidence, sizeof((f)->evidence), __VA_ARGS__)
#define ADVICE(f, ...) text_append((f)->advice, sizeof((f)->advice), __VA_ARGS__)

#endif
