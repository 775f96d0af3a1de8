/* SPDX-License-Identifier: MIT */
/* The bench document: rounds as measured, and the prices that follow from them. */
#ifndef MODEL_BENCH_H
#define MODEL_BENCH_H

#include "src/model/noise.h"
#include "src/stats/series.h"
#include "src/stats/stats.h"
#include "src/sys/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct why;

enum { MODEL_SCHEMA = 1 };

enum model_status {
	MODEL_DONE,
	MODEL_SKIPPED, /* a need is unmet; the reason says what was found and what would fix it */
	MODEL_FAILED,  /* something broke */
};

enum model_verdict {
	MODEL_NO_VERDICT, /* not done */
	MODEL_VALID,
	MODEL_NOISY,   /* valid, with warnings that the machine was not quiet */
	MODEL_INVALID, /* the faults counted are not the faults claimed */
};

/* What a round may carry beside its numbers. The names in JSON are in model_mark_names. */
enum model_mark {
	MODEL_MARK_HOST_COLD = 1 << 0,   /* warm-up pass: > 0.5 % of the touches over 10 us */
	MODEL_MARK_SWITCHED = 1 << 1,    /* waited long for the CPU: see was_preempted() */
	MODEL_MARK_STOLEN = 1 << 2,      /* the hypervisor took the CPU */
	MODEL_MARK_WARM_LATE = 1 << 3,   /* > 0.1 s between warm-up and measurement */
	MODEL_MARK_NOT_TOUCHED = 1 << 4, /* the pages do not hold what the loop should have met */
	MODEL_MARK_PAGE_SIZE = 1 << 5,   /* smaps shows another page size than claimed */
	MODEL_MARK_NOT_COLD = 1 << 6,    /* pages were cached, or nothing had to be read */
	MODEL_MARK_SLEPT = 1 << 7,       /* asleep where nothing has to be waited for */
	MODEL_MARK_NOT_CACHED =
		1 << 8,                /* pages of a file that is to be cached had left the cache */
	MODEL_MARK_SLOW_CPU = 1 << 9,  /* calibration took longer than is usual in this run */
	MODEL_MARK_PRESSURE = 1 << 10, /* tasks waited for memory, or for a disk: see noise.c */
};
#define MODEL_MARKS_NOISE                                                                        \
	(MODEL_MARK_HOST_COLD | MODEL_MARK_SWITCHED | MODEL_MARK_STOLEN | MODEL_MARK_WARM_LATE | \
	 MODEL_MARK_SLEPT | MODEL_MARK_SLOW_CPU | MODEL_MARK_PRESSURE)
/* Follow from other fields: judged anew on reading. All others are the trial's word. */
#define MODEL_MARKS_DERIVED (MODEL_MARK_SLOW_CPU | MODEL_MARK_PRESSURE)
#define MODEL_MARKS_INVALID                                                    \
	(MODEL_MARK_NOT_TOUCHED | MODEL_MARK_PAGE_SIZE | MODEL_MARK_NOT_COLD | \
	 MODEL_MARK_NOT_CACHED)
enum { MODEL_N_MARKS = 11 };
extern const char *const model_mark_names[MODEL_N_MARKS];

enum { MODEL_NOT_COUNTED = -1 };

/* One timed section. Counts are of the measuring thread and exact; so are elapsed_ns, blocked_ns and
 * the sum of user_ns and sys_ns, whose split is sampled by the timer tick: little for one round. */
struct model_round {
	uint32_t trial, round, block;
	uint64_t started_ns; /* since the run began */
	uint64_t elapsed_ns;
	uint64_t user_ns, sys_ns;
	uint64_t blocked_ns;   /* asleep: elapsed less on CPU less runnable */
	uint64_t run_delay_ns; /* runnable, but another task had the CPU */
	uint64_t minor, major; /* rusage */
	/* A second, untimed pass with perf's counters open: its traps (or MODEL_NOT_COUNTED), and its own
	 * rusage. */
	int64_t trap_user, trap_kernel;
	uint64_t counted_minor, counted_major;
	/* The same pass, by the hardware's counters: user and kernel mode together, TLB misses of user mode.
	 * MODEL_NOT_COUNTED where there are none, as in most VMs. */
	int64_t cycles, instructions, dtlb_load_misses;
	/* Pages of the data file in the page cache right before and right after; MODEL_NOT_COUNTED where
	 * there is no file. */
	int64_t resident_before, resident_after;
	int64_t page_table_bytes; /* VmPTE that this round added, or MODEL_NOT_COUNTED */
	uint64_t nvcsw, nivcsw;   /* context switches: sleeps, and preemptions */
	uint64_t steal_ns;
	uint64_t warm_slow_touches; /* of the last warm-up pass: over 10 us */
	/* The slower of two passes of the calibration loop, before the warm-up and right after; what tasks of the
	 * whole machine waited for meanwhile. MODEL_NOT_COUNTED where it is not known. */
	int64_t calibration_ns;
	int64_t psi_cpu_ns, psi_memory_ns, psi_io_ns;
	uint32_t marks;
};

/* A round of which nothing is counted that may be refused, all else 0: what every round begins as. */
extern const struct model_round model_round_uncounted;

struct model_range {
	double lo, hi;
};

/* Faults a page that the scenario claims. */
struct model_ledger {
	struct model_range minor, major, trap;
	bool kernel_decides; /* wide on purpose: fault-around, readahead, large folios */
};

struct model_warning {
	char id[24]; /* stable */
	char text[256];
};

/* What an article printed for this row; NaN where it did not. */
struct model_published {
	double ns_per_page, ns_per_fault, minor, major;
};

enum { MODEL_MAX_WARNINGS = 40 };

/* Over all valid rounds together. */
struct model_times {
	uint64_t wall_ns, user_ns, sys_ns, blocked_ns, run_delay_ns;
	bool split_known; /* long enough for the tick to have told user from system */
};

struct model_scenario {
	char name[64];
	char title[128];
	char article[64]; /* the row's name in the suite's source; "" */
	enum model_status status;
	char reason[512];

	uint64_t n_pages, page_bytes, huge_page_bytes; /* huge: 0 where base pages are claimed */
	uint64_t
		n_accesses; /* of a pass that visits the pages in random order; 0: each page once */
	uint32_t threads;
	char access[16];
	char pages[16]; /* "base", "thp" or "hugetlb"; "" where the kernel decides, or not known */
	char cache_state[128]; /* of files: how it was made; "" */
	unsigned side;         /* of a run with two sides: 1 (A) or 2 (B); else 0 */
	struct model_ledger ledger;
	struct model_published published;

	struct model_round *rounds; /* owned */
	size_t n_rounds;

	/* from here on derived by model_bench_derive() */
	double usual_calibration_ns; /* of the whole run; NaN: not known */
	enum model_verdict verdict;
	struct model_warning warnings[MODEL_MAX_WARNINGS];
	unsigned n_warnings;
	size_t n_invalid;           /* rounds outside the ledger, priced nowhere */
	bool first_round_left;      /* first rounds differ and are not in the price */
	double first_round_ratio;   /* first round to the others, median over trials; NaN */
	struct stats_drift drift;   /* of the price; where found no price has an interval */
	uint64_t drift_ns;          /* the time that it moved over: first trial to last */
	struct stats_groups groups; /* that the price falls into, counted in trials ... */
	size_t n_mixed_trials; /* ... or, where it is not 0, in rounds; trials that have both */
	bool traps_counted;
	double minor_per_page, major_per_page, trap_per_page, populated_per_page; /* NaN: unknown */
	double sleeps_per_page; /* voluntary switches: waits, whatever the kernel calls the fault */
	double pages_per_fault; /* NaN where no fault was taken */
	double resident_before, resident_after; /* pages, median over rounds; NaN: no file */
	double page_table_bytes;                /* median over rounds; NaN: not known */
	/* By the PMU, medians over rounds; NaN: not counted. By the access where accesses are priced. */
	double instructions_per_cycle;
	double cycles_per_page, instructions_per_page, dtlb_load_misses_per_page;
	double cycles_per_access, dtlb_load_misses_per_access;
	struct stats_summary ns_per_page;   /* over trials; n == 0 where accesses are priced */
	struct stats_summary ns_per_access; /* n == 0 where each page is touched once */
	struct stats_summary ns_per_fault;  /* n == 0: undefined, see no_ns_per_fault */
	const char *no_ns_per_fault;
	struct model_times times;
};

enum { MODEL_MAX_CAUSES = 4 };

/* What a source found, as something that can be judged: a figure between two bounds. */
struct model_claim {
	char figure[32];                   /* name of a row in figure.c; "" where it is not known */
	char of[64], to[64];               /* article or scenario names; to: "" */
	double lo, hi;                     /* holds inside */
	char causes[MODEL_MAX_CAUSES][32]; /* to look for where it differs, in this order */
	unsigned n_causes;
};

struct model_relation {
	char text[128];
	bool holds;
	bool measured; /* false: a row is missing, or the interval too wide: holds means nothing */
	char figure[128];
	char cause[256]; /* "" where it holds */
	struct model_claim claim;
};

struct model_options {
	uint64_t size_bytes; /* 0: each scenario's own */
	uint64_t n_rounds, n_trials;
	uint64_t budget_ns;
	double precision; /* 0: not asked for */
	uint64_t seed;
	int cpu;
};

struct model_suite_head {
	char name[64], title[128], source[256], machine[256]; /* name "": no suite */
	uint64_t size_bytes,
		page_bytes; /* of the source's passes: its counts are of these; 0: of any */
};

/* "A" or "B", of a scenario that has a side. */
const char *model_side_name(const struct model_scenario *s);

/* Two sides of one setting, whose trials were run in pairs. */
struct model_ab {
	char setting[320]; /* "pages", "env.NAME"; "": the run has no sides */
	char values[2][256];
};

enum { MODEL_MAX_TRIALS = 10000, MODEL_MAX_TRIAL_ROUNDS = 1000 };
enum { MODEL_MAX_RELATIONS = 32, MODEL_MAX_ROUNDS = 100000, MODEL_MAX_SCENARIOS = 512 };

struct model_bench {
	char tool_version[32];
	char started[32]; /* UTC, ISO 8601 */
	bool interrupted;
	struct sys_machine machine;
	struct model_options options;
	struct model_suite_head suite;
	struct model_ab ab;
	struct model_scenario floor;      /* memset_mapped; name "": not measured */
	struct model_scenario *scenarios; /* owned */
	size_t n_scenarios;
	struct model_relation relations[MODEL_MAX_RELATIONS];
	unsigned n_relations;
	char baseline[256];                /* what the run was compared with; "" */
	struct model_compare_row *changes; /* since then, owned: B is this run */
	size_t n_changes;
	struct model_warning warnings[MODEL_MAX_WARNINGS]; /* of the whole run */
	unsigned n_warnings;
	struct model_noise *noise; /* owned; by block, ascending */
	size_t n_noise;
	struct model_noise_summary noise_summary; /* derived */
};

struct model_bench *model_bench_new(void); /* NULL: no memory */
void model_bench_free(struct model_bench *doc);

/* Appends; the pointer is good until the next append. NULL: no memory or too many. */
struct model_scenario *model_bench_add(struct model_bench *doc, const char *name);
int model_scenario_add_round(struct model_scenario *s, const struct model_round *round);

void model_warn(struct model_warning *warnings, unsigned *n, const char *id, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* "anon_write", or "anon_cold (anon_write)" where a suite has a name for the row: what tells it from the
 * others of its scenario. */
struct model_label {
	char s[132];
};
struct model_label model_scenario_label(const struct model_scenario *s);

/* Row i of all that was measured: the scenarios, and behind them the floor, unless it is one of them. NULL
 * behind the last. */
const struct model_scenario *model_bench_row(const struct model_bench *doc, size_t i);

/* The change of a row since the baseline; NULL where it was not compared. */
const struct model_compare_row *model_bench_change(const struct model_bench *doc,
						   const struct model_scenario *s);

/* Why there is no figure: the machine's fact of that name, unless it says "counted"; then the counter was
 * there, and did not count this. */
const char *model_not_counted(const struct model_bench *doc, const char *fact);

/* The scenario of that name, or with that article name; NULL. */
const struct model_scenario *model_bench_find(const struct model_bench *doc, const char *name);

/* True where the round's counts lie inside the ledger and its proofs hold. */
bool model_round_is_valid(const struct model_scenario *s, const struct model_round *round);

/* Faults of the counted pass that were no traps; MODEL_NOT_COUNTED unless traps of both modes are
 * known. */
int64_t model_round_populated(const struct model_round *round);

/* part_ns as a share of the time of all valid rounds; NaN where there is none. */
double model_time_share(const struct model_scenario *s, uint64_t part_ns);

/* Memory filled by the second of a pass, with zeroes or from a disk, at the price a page; NaN where pages
 * were only mapped or touched. */
double model_bytes_per_second(const struct model_scenario *s);

/* Computes everything derived, of every scenario, from the rounds, the options and the machine's facts alone.
 * s is of doc. */
void model_bench_derive(struct model_bench *doc);
void model_scenario_derive(const struct model_bench *doc, struct model_scenario *s);

/* Whether the rows of a run end by --precision; of two sides it is the pairs that do. */
bool model_bench_stops_rows(const struct model_bench *doc);

/* True where a round has a part in the price: valid, and no first round that is left out. */
bool model_round_is_priced(const struct model_scenario *s, const struct model_round *round);

/* The price that a row is about: ns_per_access where it has accesses, else ns_per_page. */
const struct stats_summary *model_price(const struct model_scenario *s);

/* The same of one round. */
double model_round_price(const struct model_scenario *s, const struct model_round *round);

/* What a time is divided by. MODEL_PRICE: as model_price() does. */
enum model_denominator { MODEL_PRICE, MODEL_PER_FAULT };

/* Median price of each trial, NaN for trials without a valid round; at most n. Returns
 * the number of trials. Index is the trial's number: trials of one block share it. */
size_t model_trial_prices(const struct model_scenario *s, enum model_denominator denominator,
			  double *ret_prices, size_t n);

/* The "machine" object of any document, and an array of warnings. */
struct json_writer;
void model_machine_write(struct json_writer *w, const struct sys_machine *m);
/* null where it was not counted. */
void model_count_write(struct json_writer *w, const char *key, int64_t count);
void model_warnings_write(struct json_writer *w, const char *key,
			  const struct model_warning *warnings, unsigned n);

/* Judges every claim of the document by its rounds; it is derived before. A relation whose claim is not
 * known keeps what it said. */
void model_bench_judge(struct model_bench *doc);

/* "0 to 0.4", in the figure's own unit; "" where the figure is not known. */
void model_claim_range(const struct model_claim *claim, char *ret, size_t size);

/* JSON, schema 1. Errors stay in the FILE. */
void model_bench_write(const struct model_bench *doc, FILE *out);

/* Reads and checks a document, and derives. name is used in sentences only. */
int model_bench_read(FILE *in, const char *name, struct model_bench **ret_doc, struct why *why);

const char *model_status_name(enum model_status status);
const char *model_verdict_name(enum model_verdict verdict);

#endif
