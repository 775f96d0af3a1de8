/* SPDX-License-Identifier: MIT */
/* The fault bill of a traced run: what each kind, mapping, call site, thread and moment cost. */
#ifndef MODEL_BILL_H
#define MODEL_BILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- kinds -------------------------------------------------------------------------------------- */

/* What the kernel had to do. Names in the document: model_fault_kind_names. */
enum model_fault_kind {
	MODEL_ANON_WRITE,     /* filled a page of anonymous memory */
	MODEL_ANON_ZERO_READ, /* mapped the shared zero page */
	MODEL_COW,            /* copied a page, or gave one for the zero page */
	MODEL_WP_REUSE,       /* made a page writable that nobody shares */
	MODEL_FILE_MINOR,     /* mapped pages of a file that were cached, or under way */
	MODEL_FILE_MAJOR,     /* read from the file */
	MODEL_FILE_MKWRITE,   /* told the filesystem of a first write to a shared mapping */
	MODEL_SHMEM,
	MODEL_SWAP_IN,
	MODEL_THP, /* one fault for a huge page */
	MODEL_HUGETLB,
	MODEL_UFFD,
	MODEL_NUMA_HINT,
	MODEL_STACK, /* grew a stack */
	MODEL_UNKNOWN,
	MODEL_N_FAULT_KINDS,
};

extern const char *const model_fault_kind_names[MODEL_N_FAULT_KINDS]; /* "anon-write" ... */

/* What a trace says of its kinds: "zero-fill" ... */
extern const char *const model_fault_kind_words[MODEL_N_FAULT_KINDS];

/* -1: no such kind. */
int model_fault_kind_find(const char *name);

/* --- what a set of faults cost ------------------------------------------------------------------- */

/*
 * Times in ns. raw is from the entry of a fault to its completion, as timed; time is that less what the tracer
 * added and less preemption, which would have come without the fault, too, plus the way into the kernel and back,
 * which no event sees. Faults that were not timed (n_timed < count) are in all sums at the mean of their like.
 * on_cpu + blocked + preempted = raw.
 */
struct model_cost {
	uint64_t count, n_major, n_timed;
	double raw_ns, time_ns;
	double on_cpu_ns, blocked_ns, preempted_ns; /* NaN: switches were not seen */
	double p50_ns, p99_ns, worst_ns;            /* raw, of those timed; NaN: none was */
};

/* Nothing: sums of 0, and no fault that was timed. */
struct model_cost model_cost_none(void);

/* Sums; quantiles of two sets together are not known. */
void model_cost_add(struct model_cost *sum, const struct model_cost *more);

/* --- rows ----------------------------------------------------------------------------------------- */

enum {
	MODEL_BILL_NAME = 256,
	MODEL_BILL_FUNCTION = 192,
	MODEL_MAX_STACK = 24,
	MODEL_VM_FLAGS = 64,
};

/* Row number of what did not fit the tables, where one is named; no row: MODEL_NO_ROW. */
#define MODEL_NO_ROW UINT32_MAX

struct model_kind_row {
	struct model_cost cost; /* count 0: did not occur */
};

struct model_mapping_row {
	char name
		[MODEL_BILL_NAME]; /* path, "[heap]", "[stack]", "[anon]", "[anon:NAME]", "memfd:NAME", "[other]" */
	bool deleted; /* the file has no name any more */
	bool shared, writable, executable;
	struct model_cost cost;
	enum model_fault_kind kind; /* that cost most of it */
	/* as smaps had it when the first process had most of it; 0 and "": not looked at, or none */
	uint64_t size_bytes, rss_bytes, huge_bytes;
	uint64_t eligible_bytes; /* of size, where a huge page may be put */
	char vm_flags
		[MODEL_VM_FLAGS]; /* "hg rr": those that any of its mappings has beside the usual ones */
};

/* A frame of a call chain, innermost first; an inlined function is a frame of its own. */
struct model_frame {
	char function[MODEL_BILL_FUNCTION]; /* "": not known, then module+offset says where */
	char file[MODEL_BILL_NAME];         /* "": not known */
	uint32_t line;                      /* 0: not known */
	bool inlined;                       /* into the next frame */
	char module[MODEL_BILL_NAME];       /* path of the binary; "" : none (JIT code, stack) */
	uint64_t module_offset;             /* in the file */
};

/* What the pages of a place did before they faulted. Those judged are a sample, brought to the number of all. */
enum model_habit {
	MODEL_JUDGED,
	MODEL_AGAIN,    /* of these, brought a page that its process had had before */
	MODEL_REMAPPED, /* of those again, in memory that was mapped anew since */
	MODEL_UPGRADED, /* of those judged, wrote to a page that was only read until then */
	/* of all faults of the place: */
	MODEL_NEXT,     /* on the page right behind the thread's last fault in that mapping */
	MODEL_ONWARD,   /* behind it by a little, as when neighbours come along */
	MODEL_SHARED,   /* in a process that had shared its pages since a fork */
	MODEL_OTHERS,   /* by a thread that is not its process's first */
	MODEL_ON_STACK, /* on the thread's own stack, where that was seen */
	MODEL_N_HABITS,
};
extern const char *const model_habit_names[MODEL_N_HABITS]; /* keys in the document */

struct model_habits {
	uint64_t n[MODEL_N_HABITS];
};

/* One place in the code, in one mapping, of one kind of fault. */
struct model_site_row {
	struct model_frame *stack; /* owned; n_stack of them; [0] is the instruction that faulted */
	uint32_t n_stack;
	/* index of the frame to name, the first of: those with a source file, those with a name, the same in the
	 * language's own libraries, any */
	uint32_t culprit;
	uint32_t mapping; /* row in mappings, or MODEL_NO_ROW */
	enum model_fault_kind kind;
	struct model_cost cost;
	struct model_habits habits;
};

struct model_thread_row {
	int32_t pid, tid;
	char comm[32];
	struct model_cost cost;
	double cpu_ns; /* its time on the CPU while traced; NaN: not known */
	double share; /* of time on the CPU and blocked in faults, that faults took; NaN: not known */
	bool is_rest; /* all threads that did not fit */
};

/* A stretch of the run. The widths are all the same. */
struct model_moment {
	uint64_t count[MODEL_N_FAULT_KINDS];
	double time_ns[MODEL_N_FAULT_KINDS];
};

enum model_phase { MODEL_PHASE_START, MODEL_PHASE_STEADY, MODEL_PHASE_EXIT, MODEL_N_PHASES };
extern const char *const model_phase_names[MODEL_N_PHASES]; /* "start-up", "steady state", "exit" */

struct model_phase_row {
	uint64_t from_ns, to_ns; /* since the start; equal: there was none */
	uint64_t count;
	double time_ns;
};

/* One fault. */
struct model_fault_row {
	uint64_t at_ns;    /* entry, since the start */
	double latency_ns; /* raw; NaN: not timed */
	double blocked_ns; /* NaN: not known */
	uint64_t address;
	uint64_t file_offset;           /* where the mapping has a file */
	uint32_t thread, mapping, site; /* rows; or MODEL_NO_ROW */
	enum model_fault_kind kind;
	enum model_phase phase; /* derived */
	bool major, kernel_mode;
};

/* --- the bill ------------------------------------------------------------------------------------- */

enum { MODEL_MAX_MOMENTS = 256, MODEL_MAX_WORST = 64 };

/* Most rows that a document may have. */
enum {
	MODEL_MAX_MAPPINGS = 4 * 1024,
	MODEL_MAX_SITES = 16 * 1024,
	MODEL_MAX_THREADS = 8 * 1024,
	MODEL_MAX_EACH = 250 * 1000,
	MODEL_MAX_PIDS = 64 * 1024,
};

/* A count that is not known; of a difference, which may be negative: MODEL_UNKNOWN_DIFFERENCE. */
#define MODEL_UNKNOWN_COUNT UINT64_MAX
#define MODEL_UNKNOWN_DIFFERENCE INT64_MIN

/* What was seen and could not be used as it is, each by a rule of its own. */
enum model_bill_count {
	MODEL_RETRIED, /* entered again for the same page before it was completed: one fault, from its first entry */
	MODEL_UNFINISHED, /* entered, and never completed: a signal, the end of the thread, another page next */
	MODEL_UNENTERED, /* completed, and the entry was not seen: counted, not timed */
	MODEL_NESTED,    /* entered in the kernel during another fault of the same thread */
	MODEL_LOST,      /* events that the kernel counted and could not hand over */
	MODEL_UNTIMED,   /* counted, and on purpose not timed, as faults came too fast */
	MODEL_UNMAPPED,  /* in no mapping that was known */
	MODEL_N_BILL_COUNTS,
};
extern const char *const model_bill_count_names[MODEL_N_BILL_COUNTS]; /* keys in the document */
extern const char *const model_bill_count_rules[MODEL_N_BILL_COUNTS]; /* a sentence each */

struct model_bill {
	struct model_cost total; /* user and, where seen, kernel mode */
	double time_lo_ns, time_hi_ns;
	double tracer_ns;   /* that the tracer added inside of raw_ns */
	double trap_ns;     /* into the kernel and back, outside of it */
	double slowdown_ns; /* that the tracer cost the run in all, as calibrated */
	/* the same of one fault, as calibrated on this machine */
	double trap_each_ns, tracer_each_ns;
	/* what a first touch costs here, untraced, of a page and of a huge page that were used just before, and of a huge
	 * page that was not; NaN: not calibrated */
	double fill_each_ns, fill_huge_ns, fill_fresh_huge_ns;
	double share_of_wall, worst_thread_share; /* NaN: not known */
	double process_share; /* of all threads' time on the CPU and blocked in faults */

	/* reconciliation with rusage; MODEL_UNKNOWN_COUNT: not known. unexplained is known where rusage is, that is
	 * where a command was run to its end; else MODEL_UNKNOWN_DIFFERENCE. */
	uint64_t before_exec, user_traps, kernel_traps, kernel_or_populated;
	int64_t unexplained;
	uint64_t counts[MODEL_N_BILL_COUNTS];
	uint64_t n_processes, n_threads, n_execs, n_forks;
	/* the last fault of the thread that ended last, where it had one right then: with doc->signal, what it died of */
	struct model_fault_row fatal;
	struct model_frame fatal_frame;      /* of its instruction */
	char fatal_mapping[MODEL_BILL_NAME]; /* which need not be in mappings */
	bool has_fatal;

	struct model_kind_row kinds[MODEL_N_FAULT_KINDS];
	struct model_mapping_row *mappings;
	size_t n_mappings;
	struct model_site_row *sites;
	size_t n_sites;
	struct model_thread_row *threads;
	size_t n_threads_listed;
	struct model_moment *moments; /* NULL: none */
	size_t n_moments;
	uint64_t moment_ns;            /* width */
	struct model_fault_row *worst; /* the longest first */
	size_t n_worst;
	struct model_fault_row *each; /* of trace --each, in time order */
	size_t n_each;
	uint64_t n_each_left_out; /* more than could be kept */

	uint64_t deadline_ns; /* 0: none was given */
	uint64_t n_late;      /* faults above it after start-up */

	/* derived */
	struct model_phase_row phases[MODEL_N_PHASES];
};

struct model_bill *model_bill_new(void); /* NULL: no memory; figures are unknown */
void model_bill_free(struct model_bill *bill);

/* Phases, culprits, shares and order: everything that follows from the rows. Rows are sorted by time, and refer to each
 * other as before; where there is no memory for that they stay as they are. */
struct model_trace;
void model_bill_derive(struct model_trace *doc);

/* The verdict's sentence, of what was derived. */
void model_bill_judge(struct model_trace *doc);

/* --- reading a bill ------------------------------------------------------------------------------- */

/* The kinds that occurred, the dearest first. Returns how many. */
size_t model_bill_kinds(const struct model_bill *bill,
			enum model_fault_kind ret_kinds[MODEL_N_FAULT_KINDS]);

/* The larger of the worst thread's share and the process's; NaN: neither is known. */
double model_bill_share(const struct model_bill *bill);

/* The longest fault that was not of start-up; NULL: none is among the worst. */
const struct model_fault_row *model_bill_worst_later(const struct model_bill *bill);

/* Whether it is all sites that did not fit, in one row: of several kinds and mappings, and so of none. */
bool model_site_is_rest(const struct model_site_row *site);

/* The frame to name; NULL where the stack is not known. */
const struct model_frame *model_site_culprit(const struct model_site_row *site);

/* Whether it is a file, and not memory with a name in brackets. */
bool model_mapping_is_file(const struct model_mapping_row *mapping);

/* Behind the last slash of a path. */
const char *model_base_name(const char *path);

/* "load_table (table.c:88)", "libz.so.1+0x4711"; "" where neither is known. has_dir: the source file with the folder
 * it is in. */
void model_frame_text(const struct model_frame *frame, bool has_dir, char *ret, size_t size);

/* --- for src/model alone: JSON ------------------------------------------------------------------------ */

struct json_writer;
void model_bill_write(struct json_writer *w, const struct model_trace *doc);

#endif
