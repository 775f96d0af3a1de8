/* SPDX-License-Identifier: MIT */
/* The inspect document: what each mapping of a process is, and why it has no huge pages. */
#ifndef MODEL_INSPECT_H
#define MODEL_INSPECT_H

#include "src/model/finding.h"
#include "src/sys/machine.h"
#include "src/sys/smaps.h"
#include "src/sys/thp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Why a mapping has no huge page; in the order in which it is asked. */
enum model_no_huge {
	MODEL_HUGE_HUGETLB,    /* it has those of a pool */
	MODEL_HUGE_ALL,        /* most of it is huge */
	MODEL_HUGE_SPECIAL,    /* of a device, or of the kernel */
	MODEL_HUGE_SMALL,      /* smaller than one */
	MODEL_HUGE_UNALIGNED,  /* no whole one fits in between its ends */
	MODEL_HUGE_PRCTL,      /* PR_SET_THP_DISABLE */
	MODEL_HUGE_REFUSED,    /* MADV_NOHUGEPAGE */
	MODEL_HUGE_FILE,       /* a file of a filesystem on disk */
	MODEL_HUGE_SHMEM,      /* shared memory, for which they are off */
	MODEL_HUGE_NEVER,      /* turned off for all */
	MODEL_HUGE_UNASKED,    /* by madvise alone, and nobody did */
	MODEL_HUGE_UFFD,       /* userfaultfd handles it page by page */
	MODEL_HUGE_UNTOUCHED,  /* may have them, and nothing is there yet */
	MODEL_HUGE_PARTLY,     /* has some */
	MODEL_HUGE_CAME_SMALL, /* may have them, and what is there came in small pages */
	MODEL_HUGE_OTHER,      /* the kernel says no, and nothing above says why */
	MODEL_N_HUGE,
};

struct model_no_huge_row {
	const char *word; /* in the document and in tables */
	const char *text; /* a sentence, with what changes it */
};
extern const struct model_no_huge_row model_no_huge_rows[MODEL_N_HUGE];

struct model_process {
	int32_t pid;
	char comm[32];
	char command[512]; /* blanks between words; made harmless */
	/* bytes; -1: not known */
	int64_t rss_bytes, most_rss_bytes, swap_bytes, locked_bytes, page_table_bytes;
	int64_t memlock_limit_bytes, stack_limit_bytes; /* -1: none, or not known */
	int64_t n_threads, n_minor, n_major, read_bytes;
	bool thp_disabled; /* by prctl */
};

struct model_inspect_row {
	struct sys_mapping mapping;
	enum model_no_huge why;
	char node[16]; /* that holds most of it; "": not known */
};

enum { MODEL_MAX_INSPECTED = 65536 };

struct model_inspect {
	char tool_version[32];
	char started[32]; /* UTC, ISO 8601 */
	struct sys_machine machine;
	struct sys_thp thp;
	struct model_process process;
	struct model_inspect_row *rows; /* owned; by address */
	size_t n_rows;
	uint64_t n_left_out; /* mappings beyond MODEL_MAX_INSPECTED */
	struct model_finding findings[MODEL_MAX_FINDINGS];
	size_t n_findings;
};

struct model_inspect *model_inspect_new(void); /* NULL: no memory */
void model_inspect_free(struct model_inspect *doc);

/* Adds a mapping; what finds no room is counted. */
void model_inspect_add(struct model_inspect *doc, const struct sys_mapping *mapping);

/* JSON, schema 1. Errors stay in the FILE. */
void model_inspect_write(const struct model_inspect *doc, FILE *out);

#endif
