/* SPDX-License-Identifier: MIT */
/* A finding: one cause of what faults cost, who it is, and what to do about it. */
#ifndef MODEL_FINDING_H
#define MODEL_FINDING_H

#include <stdint.h>

struct json_writer;

enum model_severity {
	MODEL_SEVERITY_NOTE,   /* good to know; nothing has to be done */
	MODEL_SEVERITY_COSTS,  /* takes a share of the time that is worth having back */
	MODEL_SEVERITY_FAILED, /* something did not work, whatever its time */
	MODEL_N_SEVERITIES,
};

extern const char *const model_severity_names[MODEL_N_SEVERITIES]; /* "note", "costs", "failed" */

/* Who it is: as much as is known. */
struct model_culprit {
	char function[192]; /* "": not known */
	char file[256];
	uint32_t line; /* 0: not known */
	char mapping[256];
};

enum { MODEL_MAX_FINDINGS = 32 };

struct model_finding {
	char id[32];
	enum model_severity severity;
	double time_ns;       /* that it costs; NaN: not known */
	double share_of_wall; /* NaN: not known */
	struct model_culprit culprit;
	uint32_t site;      /* row in the bill's sites, whose stack it is; MODEL_NO_ROW */
	char evidence[640]; /* in numbers */
	char advice[768];   /* in terms of code; "": nothing is to be done */
	char remedy[48];    /* that `try` knows; "": none */
	double saving_lo_ns, saving_hi_ns; /* NaN: cannot be predicted */
};

/* The finding as an object of an array. */
void model_finding_write(struct json_writer *w, const struct model_finding *finding);

#endif
