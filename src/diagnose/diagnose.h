/* SPDX-License-Identifier: MIT */
/*
 * From a trace document to findings. One file is one finding; nothing here measures, and nothing asks the system.
 *
 * Each place of the bill belongs to one finding at the most: to the first, by rank, that owns it. So no time is told
 * twice, and what is special goes before what is usual.
 */
#ifndef DIAGNOSE_DIAGNOSE_H
#define DIAGNOSE_DIAGNOSE_H

#include "src/model/trace.h"

#include <stdbool.h>
#include <stddef.h>

/* What one finding owns of a bill. */
struct diagnose_part {
	double time_ns, blocked_ns;
	uint64_t count, n_major;
	struct model_habits habits;
	const struct model_site_row
		*site; /* the dearest of the function that costs most; NULL: none */
};

/* A document, and what follows of it for all findings. */
struct diagnose_case {
	const struct model_trace *doc;
	const struct model_bill *bill; /* NULL: counters alone */
	const bool *is_image;          /* of each mapping: it is a program or a library */
	bool is_quiet;                 /* faults are not the problem */
};

enum diagnose_rank {
	DIAGNOSE_BY_KIND,    /* the kind of the fault says it all */
	DIAGNOSE_BY_EVENT,   /* something else happened: a fork, a shortage, a lock */
	DIAGNOSE_BY_PLACE,   /* where in the program it is */
	DIAGNOSE_BY_PATTERN, /* what its pages did before */
	DIAGNOSE_REST,       /* any other */
	DIAGNOSE_N_RANKS,
};

/* One kind of finding. Texts are for people who have not seen it before: a sentence or two each. */
struct diagnose_finding {
	const char *title;       /* a few words, no full stop */
	const char *what;        /* what it is */
	const char *told;        /* how it is told from its like */
	const char *todo;        /* what to do */
	const char *false_alarm; /* when it can be wrong */
	enum diagnose_rank rank;
	enum model_severity severity;
	/* Faults that end in a signal, refused limits: to be said whatever the time. */
	bool whatever_the_time;
	/* Whether a place is of this finding. NULL: none is. */
	bool (*owns)(const struct diagnose_case *c, const struct model_site_row *site);
	/* Fills in evidence, advice, remedy and saving, of what is owned; false: it is not so after all. Time and
	 * culprit are there already, where the part has any; without a bill it is asked with an empty part. */
	bool (*tell)(const struct diagnose_case *c, const struct diagnose_part *part,
		     struct model_finding *ret);
};

/* Generated from meson.build; the last row has no name. */
struct diagnose_row {
	const char *id;
	const struct diagnose_finding *finding;
};

extern const struct diagnose_row finding_registry[];

/* NULL: there is none of that name. */
const struct diagnose_row *diagnose_find(const char *id);

/* Replaces the findings of a document: what failed first, then the dearest; those that have no time behind. */
void diagnose_trace(struct model_trace *doc);

#define FINDING(name)                                        \
	extern const struct diagnose_finding finding_##name; \
	const struct diagnose_finding finding_##name

#endif
