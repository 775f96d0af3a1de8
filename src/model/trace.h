/* SPDX-License-Identifier: MIT */
/* The trace document: what a command's page faults cost it, and what follows from that. */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include "src/model/bench.h"
#include "src/model/bill.h"
#include "src/model/finding.h"
#include "src/model/prices.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct why;

/* --- evidence: what counters said --------------------------------------------------------------- */

/* Where a figure comes from, and of whom it is. A group whose figures are not all known has a reason. */
enum model_evidence_group {
	MODEL_OF_TREE,    /* rusage: the command and the descendants it waited for */
	MODEL_OF_PROCESS, /* /proc/PID/stat and schedstat of the first process, without descendants */
	MODEL_OF_IO,      /* /proc/PID/io: the command and the descendants it waited for */
	MODEL_OF_SMAPS, /* /proc/PID/smaps_rollup of the first process: the largest of the samples */
	MODEL_OF_STATUS, /* /proc/PID/status of the first process: the largest of the samples */
	MODEL_OF_SYSTEM, /* /proc/vmstat and meminfo: everybody on this machine, over the run */
	MODEL_OF_CGROUP, /* the memory cgroup and those above it: everybody in them, over the run */
	MODEL_N_EVIDENCE_GROUPS,
};

enum model_figure {
	MODEL_MAX_RESIDENT, /* bytes; of the largest process */
	MODEL_DISK_READ,    /* bytes that were read from a disk, ru_inblock */
	MODEL_DISK_WRITTEN,
	MODEL_SLEEPS,      /* voluntary context switches */
	MODEL_PREEMPTIONS, /* involuntary ones */
	MODEL_OWN_MINOR,
	MODEL_OWN_MAJOR,
	MODEL_RUN_DELAY, /* ns; its first thread could run, but others had the CPU */
	MODEL_IO_READ,   /* bytes read from storage */
	MODEL_IO_RCHAR,  /* bytes that read(2) and the like gave */
	MODEL_IO_WRITTEN,
	MODEL_SMAPS_RSS,
	MODEL_SMAPS_ANON_HUGE,
	MODEL_SMAPS_SWAP,
	MODEL_VM_HWM,
	MODEL_VM_SWAP,
	MODEL_VM_PTE,
	MODEL_RSS_FILE,
	MODEL_THREADS,
	MODEL_VM_LOCKED,     /* bytes, as those before */
	MODEL_MEMLOCK_LIMIT, /* bytes of RLIMIT_MEMLOCK; not known where there is none */
	MODEL_SWAP_INS,      /* pages, as all of the counts below */
	MODEL_SWAP_OUTS,
	MODEL_REFAULTS_ANON,
	MODEL_REFAULTS_FILE,
	MODEL_SYSTEM_MAJOR,   /* faults */
	MODEL_HUGE_FAULTS,    /* faults that brought a huge page */
	MODEL_HUGE_FALLBACKS, /* that brought small ones since no huge page was to be had */
	MODEL_COMPACT_STALLS, /* allocations that compacted memory by themselves */
	MODEL_DIRECT_RECLAIM, /* pages that allocations reclaimed by themselves */
	MODEL_OOM_KILLS,
	MODEL_LEAST_AVAILABLE, /* bytes; the smallest MemAvailable seen */
	MODEL_GROUP_LIMIT_HITS,
	MODEL_GROUP_OOM_KILLS,
	MODEL_GROUP_REFAULTS_ANON,
	MODEL_GROUP_REFAULTS_FILE,
	MODEL_N_FIGURES,
};

struct model_figure_row {
	enum model_evidence_group group;
	const char *key; /* in the document */
};

struct model_group_row {
	const char *key;   /* in the document */
	const char *scope; /* whom its figures are of, for people */
};

extern const struct model_figure_row model_figure_rows[MODEL_N_FIGURES];
extern const struct model_group_row model_group_rows[MODEL_N_EVIDENCE_GROUPS];

struct model_evidence {
	int64_t figures[MODEL_N_FIGURES];           /* MODEL_NOT_COUNTED: not known */
	char reasons[MODEL_N_EVIDENCE_GROUPS][160]; /* why some are not; "" */
	uint64_t n_samples, sampling_ns; /* looks at smaps_rollup and status, and what they took */
};

/* --- the bill ------------------------------------------------------------------------------------- */

/* Nanoseconds; NaN: not known. */
struct model_span {
	double lo, mid, hi;
};

/* The parts that counters can tell apart. */
enum model_part_id {
	MODEL_PART_HUGE,      /* minor faults that must have brought a huge page */
	MODEL_PART_MINOR,     /* all others */
	MODEL_PART_MAJOR,     /* major faults, each a wait for one page */
	MODEL_PART_READAHEAD, /* pages of mapped files that readahead brought beside those */
	MODEL_N_PARTS,
};

struct model_part {
	uint64_t count; /* faults; pages of readahead */
	struct model_span time;
};

extern const char *const model_part_names[MODEL_N_PARTS];

struct model_totals {
	struct model_part parts[MODEL_N_PARTS];
	struct model_span minor_ns, major_ns; /* huge + minor, major + readahead; capped */
	struct model_span time_ns;            /* both together, capped */
	struct model_span share;              /* of the time on CPU and asleep in faults; 0 to 1 */
	double share_of_wall; /* can be above 1 where several threads fault at once */
	double uncapped_ns;   /* the middle as priced, where the cap changed it; else NaN */
};

enum model_trace_verdict_id {
	MODEL_CANNOT_TELL,
	MODEL_FAULTS_NOT_THE_PROBLEM,
	MODEL_PROCESS_START,
	MODEL_FIRST_TOUCH,
	MODEL_REPEATED_TOUCH,
	MODEL_COLD_FILE,
	MODEL_SHORT_OF_RAM,
	MODEL_FAULT_BILL, /* of a bill whose faults matter */
	MODEL_N_TRACE_VERDICTS,
};

extern const char *const model_trace_verdict_names[MODEL_N_TRACE_VERDICTS];

struct model_trace_verdict {
	enum model_trace_verdict_id id;
	char text[640];   /* the sentence: the article's words, then the numbers */
	char advice[320]; /* what to do; "" where there is nothing */
};

/* --- the document --------------------------------------------------------------------------------- */

enum { MODEL_MAX_COMMAND_WORDS = 256, MODEL_MAX_COMMAND_WORD = 1024 };

struct model_trace {
	char tool_version[32];
	char started[32]; /* UTC, ISO 8601 */
	struct sys_machine machine;

	char source[16]; /* "rusage", "perf" */
	bool estimate;   /* times are prices times counts */
	struct model_warning blind_spots[MODEL_MAX_WARNINGS];
	unsigned n_blind_spots;
	struct model_warning warnings[MODEL_MAX_WARNINGS];
	unsigned n_warnings;

	char (*command)[MODEL_MAX_COMMAND_WORD]; /* owned; as given, not made harmless */
	size_t n_command;
	bool command_cut; /* words were too many or too long to be kept */
	int exit_status;  /* what pagetoll ended with: 128 + signal where one killed it */
	int signal;       /* 0: none */
	uint64_t wall_ns, user_ns, sys_ns;
	/* rusage's where a command was run to its end, else those that were traced */
	uint64_t n_minor, n_major;

	struct model_evidence evidence;
	struct model_prices prices;
	struct model_bill *bill; /* owned; NULL: counters alone (source rusage) */
	int32_t *pids;           /* owned; that were attached to; n_pids 0: a command was run */
	size_t n_pids;

	/* from here on derived by model_trace_derive() */
	struct model_totals totals;
	struct model_trace_verdict verdict;
	/* of diagnose_trace(), the dearest first */
	struct model_finding findings[MODEL_MAX_FINDINGS];
	size_t n_findings;
};

struct model_trace *model_trace_new(void); /* NULL: no memory; all figures are unknown */
void model_trace_free(struct model_trace *doc);

/* Keeps a command line, at most as much of it as the limits above allow. 0 or -ENOMEM. */
int model_trace_set_command(struct model_trace *doc, size_t n_words, char *const *words);

/* Keeps the largest of what was seen. */
void model_trace_raise(struct model_trace *doc, enum model_figure figure, int64_t value);

/* Whether the estimate needs this price: what could not matter, or did not occur, it does not. */
bool model_trace_needs(const struct model_trace *doc, enum model_price_id id);

/* Computes totals and verdict from counts, times, evidence and prices alone; where there is a bill, from it. */
void model_trace_derive(struct model_trace *doc);

/* The two halves of that. */
void model_trace_estimate(struct model_trace *doc);
void model_trace_judge(struct model_trace *doc);

/* JSON, schema 1. Errors stay in the FILE. */
void model_trace_write(const struct model_trace *doc, FILE *out);

#endif
