/* SPDX-License-Identifier: MIT */
/* Reading the counters that a trace document keeps as evidence: each file of /proc is one table. */
#include "src/trace/evidence.h"

#include "src/base/array.h"
#include "src/sys/cgroup.h"
#include "src/sys/clock.h"
#include "src/sys/file.h"
#include "src/sys/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { KIB = 1024, INBLOCK_BYTES = 512, FILE_TEXT = 1 << 14 };

struct row {
	const char *key; /* at the start of a line */
	enum model_figure figure;
	int64_t factor;
};

static const struct row io_rows[] = {
	{"read_bytes", MODEL_IO_READ, 1},
	{"rchar", MODEL_IO_RCHAR, 1},
	{"write_bytes", MODEL_IO_WRITTEN, 1},
};

static const struct row smaps_rows[] = {
	{"Rss", MODEL_SMAPS_RSS, KIB},
	{"AnonHugePages", MODEL_SMAPS_ANON_HUGE, KIB},
	{"Swap", MODEL_SMAPS_SWAP, KIB},
};

static const struct row status_rows[] = {
	{"VmHWM", MODEL_VM_HWM, KIB},  {"VmSwap", MODEL_VM_SWAP, KIB},
	{"VmPTE", MODEL_VM_PTE, KIB},  {"RssFile", MODEL_RSS_FILE, KIB},
	{"Threads", MODEL_THREADS, 1}, {"VmLck", MODEL_VM_LOCKED, KIB},
};

static const struct row vmstat_rows[] = {
	{"pswpin", MODEL_SWAP_INS, 1},
	{"pswpout", MODEL_SWAP_OUTS, 1},
	{"workingset_refault_anon", MODEL_REFAULTS_ANON, 1},
	{"workingset_refault_file", MODEL_REFAULTS_FILE, 1},
	{"pgmajfault", MODEL_SYSTEM_MAJOR, 1},
	{"thp_fault_alloc", MODEL_HUGE_FAULTS, 1},
	{"thp_fault_fallback", MODEL_HUGE_FALLBACKS, 1},
	{"compact_stall", MODEL_COMPACT_STALLS, 1},
	{"pgsteal_direct", MODEL_DIRECT_RECLAIM, 1},
	{"oom_kill", MODEL_OOM_KILLS, 1},
};

static const struct row stat_v1_rows[] = {
	{"total_workingset_refault_anon", MODEL_GROUP_REFAULTS_ANON, 1},
	{"total_workingset_refault_file", MODEL_GROUP_REFAULTS_FILE, 1},
};

static const struct row stat_v2_rows[] = {
	{"workingset_refault_anon", MODEL_GROUP_REFAULTS_ANON, 1},
	{"workingset_refault_file", MODEL_GROUP_REFAULTS_FILE, 1},
};

/* Keeps why a group is not known, once: the first reason is the one that counts. */
__attribute__((format(printf, 3, 4))) static void
give_reason(struct model_trace *doc, enum model_evidence_group group, const char *fmt, ...)
{
	char *reason = doc->evidence.reasons[group];
	va_list ap;

	if (*reason)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(reason, sizeof(doc->evidence.reasons[group]), fmt, ap);
	va_end(ap);
}

/* The largest of what was known and what the text says. */
static void take_rows(int64_t figures[MODEL_N_FIGURES], const char *text, const struct row *rows,
		      size_t n)
{
	uint64_t value;

	for (size_t i = 0; i < n; i++) {
		int64_t *known = &figures[rows[i].figure];

		if (sys_find_u64(text, rows[i].key, &value) == 0 &&
		    value <= (uint64_t)(INT64_MAX / rows[i].factor) &&
		    (int64_t)value * rows[i].factor > *known)
			*known = (int64_t)value * rows[i].factor;
	}
}

/* --- of one process ------------------------------------------------------------------------------ */

struct process_file {
	const char *name;
	enum model_evidence_group group;
	const struct row *rows;
	size_t n_rows;
};

enum { SMAPS_FILE, STATUS_FILE, IO_FILE };

/* What io says while it runs counts where the zombie's cannot be read. */
static const struct process_file process_files[] = {
	[SMAPS_FILE] = {"smaps_rollup", MODEL_OF_SMAPS, smaps_rows, ARRAY_LEN(smaps_rows)},
	[STATUS_FILE] = {"status", MODEL_OF_STATUS, status_rows, ARRAY_LEN(status_rows)},
	[IO_FILE] = {"io", MODEL_OF_IO, io_rows, ARRAY_LEN(io_rows)},
};

static long read_process_file(const struct process_file *file, struct model_trace *doc, pid_t pid)
{
	char path[64], text[FILE_TEXT];
	long n;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file->name);
	n = sys_read_text(path, text, sizeof(text));
	if (n > 0)
		take_rows(doc->evidence.figures, text, file->rows, file->n_rows);
	return n;
}

static void look_at_available(struct model_trace *doc)
{
	int64_t *least = &doc->evidence.figures[MODEL_LEAST_AVAILABLE];
	char text[FILE_TEXT];
	uint64_t kib;

	if (sys_read_text("/proc/meminfo", text, sizeof(text)) <= 0 ||
	    sys_find_u64(text, "MemAvailable", &kib) < 0)
		return;
	if (*least < 0 || (int64_t)kib * KIB < *least)
		*least = (int64_t)kib * KIB;
}

/* Where there is none that is no figure: it is not known. */
static void read_memlock_limit(struct model_trace *doc, pid_t pid)
{
	int64_t limit = sys_memory_lock_limit(pid);

	if (limit >= 0)
		doc->evidence.figures[MODEL_MEMLOCK_LIMIT] = limit;
}

uint64_t trace_evidence_sample(struct model_trace *doc, pid_t pid)
{
	uint64_t start = sys_now_ns(), took;
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(process_files); i++) {
		const struct process_file *file = &process_files[i];
		long n = read_process_file(file, doc, pid);

		any = any || n > 0;
		/* ESRCH is a process that ends just now; of io the zombie has the last word */
		if (n < 0 && n != -ESRCH && file->group != MODEL_OF_IO)
			give_reason(doc, file->group, "/proc/PID/%s: %s", file->name,
				    strerror((int)-n));
	}
	look_at_available(doc);
	read_memlock_limit(doc, pid);
	took = sys_now_ns() - start;
	doc->evidence.n_samples += any;
	doc->evidence.sampling_ns += took;
	return took;
}

/* Fields 10 and 12 of /proc/PID/stat, counted from behind the name, which can hold anything. */
static void read_own_faults(struct model_trace *doc, pid_t pid)
{
	uint64_t minor, major;
	char path[64], text[1024];
	const char *rest;
	long n;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	n = sys_read_text(path, text, sizeof(text));
	rest = n > 0 ? strrchr(text, ')') : NULL;
	if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64,
			    &minor, &major) != 2) {
		give_reason(doc, MODEL_OF_PROCESS, "/proc/PID/stat of the ended process: %s",
			    n < 0 ? strerror((int)-n) : "not understood");
		return;
	}
	doc->evidence.figures[MODEL_OWN_MINOR] = (int64_t)minor;
	doc->evidence.figures[MODEL_OWN_MAJOR] = (int64_t)major;
}

/* The second number of /proc/PID/schedstat. */
static void read_run_delay(struct model_trace *doc, pid_t pid)
{
	char path[64], text[128];
	uint64_t delay_ns;

	(void)snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	if (sys_read_text(path, text, sizeof(text)) > 0 &&
	    sscanf(text, "%*u %" SCNu64, &delay_ns) == 1)
		doc->evidence.figures[MODEL_RUN_DELAY] = (int64_t)delay_ns;
}

/* An ordinary user may not read io of a zombie, whose memory, and with it whether it may be looked into, is
 * gone; root may. */
void trace_evidence_of_zombie(struct model_trace *doc, pid_t pid)
{
	bool was_sampled = doc->evidence.figures[MODEL_IO_READ] >= 0;
	long n = read_process_file(&process_files[IO_FILE], doc, pid);

	if (n < 0 && was_sampled)
		give_reason(doc, MODEL_OF_IO,
			    "as it stood at the last sample: /proc/PID/io of the ended process: %s",
			    strerror((int)-n));
	else if (n < 0)
		give_reason(doc, MODEL_OF_IO, "/proc/PID/io: %s", strerror((int)-n));
	read_own_faults(doc, pid);
	read_run_delay(doc, pid);
}

void trace_evidence_of_rusage(struct model_trace *doc, const struct rusage *u)
{
	int64_t *f = doc->evidence.figures;

	f[MODEL_MAX_RESIDENT] = (int64_t)u->ru_maxrss * KIB;
	f[MODEL_DISK_READ] = (int64_t)u->ru_inblock * INBLOCK_BYTES;
	f[MODEL_DISK_WRITTEN] = (int64_t)u->ru_oublock * INBLOCK_BYTES;
	f[MODEL_SLEEPS] = u->ru_nvcsw;
	f[MODEL_PREEMPTIONS] = u->ru_nivcsw;
}

/* --- of the system and the cgroup ------------------------------------------------------------------- */

static void read_vmstat(int64_t figures[MODEL_N_FIGURES])
{
	char text[FILE_TEXT];

	if (sys_read_text("/proc/vmstat", text, sizeof(text)) > 0)
		take_rows(figures, text, vmstat_rows, ARRAY_LEN(vmstat_rows));
}

/* The files of one version: how often a limit was hit, and how often a process was killed for it. */
struct group_file {
	const char *name;
	const char *key; /* NULL: the file is the number */
	enum model_figure figure;
};

static const struct group_file group_v1_files[] = {
	{"memory.failcnt", NULL, MODEL_GROUP_LIMIT_HITS},
	{"memory.oom_control", "oom_kill", MODEL_GROUP_OOM_KILLS},
};

/* Local: each group's own, as all groups up to the root are added up here. */
static const struct group_file group_v2_files[] = {
	{"memory.events.local", "high", MODEL_GROUP_LIMIT_HITS},
	{"memory.events.local", "max", MODEL_GROUP_LIMIT_HITS},
	{"memory.events.local", "oom_kill", MODEL_GROUP_OOM_KILLS},
};

struct group_version {
	const struct group_file *files;
	size_t n_files;
	const struct row *stat_rows; /* of memory.stat, which holds the groups below, too */
	size_t n_stat_rows;
};

static const struct group_version group_versions[] = {
	[SYS_CGROUP_V1] = {group_v1_files, ARRAY_LEN(group_v1_files), stat_v1_rows,
			   ARRAY_LEN(stat_v1_rows)},
	[SYS_CGROUP_V2] = {group_v2_files, ARRAY_LEN(group_v2_files), stat_v2_rows,
			   ARRAY_LEN(stat_v2_rows)},
};

static void add_group_file(int64_t figures[MODEL_N_FIGURES], const char *dir,
			   const struct group_file *file)
{
	char path[PATH_MAX], text[FILE_TEXT];
	int64_t *figure = &figures[file->figure];
	uint64_t value;
	int r;

	if (snprintf(path, sizeof(path), "%s/%s", dir, file->name) >= (int)sizeof(path))
		return;
	if (!file->key)
		r = sys_read_u64(path, &value);
	else
		r = sys_read_text(path, text, sizeof(text)) < 0
			    ? -ENOENT
			    : sys_find_u64(text, file->key, &value);
	if (r == 0)
		*figure = (*figure < 0 ? 0 : *figure) + (int64_t)value;
}

/* A sys_cgroup_visit. The group itself comes first: refaults are taken from there alone. */
static void read_group(void *data, const char *dir, enum sys_cgroup_version version)
{
	const struct group_version *v = &group_versions[version];
	char path[PATH_MAX], text[FILE_TEXT];
	int64_t *figures = data;

	for (size_t i = 0; i < v->n_files; i++)
		add_group_file(figures, dir, &v->files[i]);
	if (figures[MODEL_GROUP_REFAULTS_ANON] < 0 &&
	    snprintf(path, sizeof(path), "%s/memory.stat", dir) < (int)sizeof(path) &&
	    sys_read_text(path, text, sizeof(text)) > 0)
		take_rows(figures, text, v->stat_rows, v->n_stat_rows);
}

static void read_counters(int64_t figures[MODEL_N_FIGURES])
{
	for (size_t i = 0; i < MODEL_N_FIGURES; i++)
		figures[i] = MODEL_NOT_COUNTED;
	read_vmstat(figures);
	sys_cgroup_walk(read_group, figures);
}

void trace_evidence_begin(struct trace_evidence_before *ret, struct model_trace *doc)
{
	read_counters(ret->figures);
	look_at_available(doc);
}

static bool is_counter(enum model_figure figure)
{
	enum model_evidence_group group = model_figure_rows[figure].group;

	return (group == MODEL_OF_SYSTEM || group == MODEL_OF_CGROUP) &&
	       figure != MODEL_LEAST_AVAILABLE;
}

/* Names the figures that stayed unknown, for groups that have no reason yet. */
static void name_unknown(struct model_trace *doc)
{
	static const char *const sources[MODEL_N_EVIDENCE_GROUPS] = {
		[MODEL_OF_TREE] = "rusage",
		[MODEL_OF_PROCESS] = "/proc/PID/stat and schedstat",
		[MODEL_OF_IO] = "/proc/PID/io",
		[MODEL_OF_SMAPS] = "/proc/PID/smaps_rollup",
		[MODEL_OF_STATUS] = "/proc/PID/status",
		[MODEL_OF_SYSTEM] = "/proc/vmstat or /proc/meminfo",
		[MODEL_OF_CGROUP] = "the files of the memory cgroup",
	};

	for (size_t i = 0; i < MODEL_N_FIGURES; i++) {
		enum model_evidence_group group = model_figure_rows[i].group;
		bool sampled = group == MODEL_OF_SMAPS || group == MODEL_OF_STATUS;

		if (doc->evidence.figures[i] >= 0)
			continue;
		if (sampled && doc->evidence.n_samples == 0)
			give_reason(doc, group, "the run ended before the first sample");
		else
			give_reason(doc, group, "%s: has no %s here", sources[group],
				    model_figure_rows[i].key);
	}
}

void trace_evidence_end(const struct trace_evidence_before *before, struct model_trace *doc)
{
	int64_t after[MODEL_N_FIGURES];

	read_counters(after);
	look_at_available(doc);
	for (size_t i = 0; i < MODEL_N_FIGURES; i++)
		if (is_counter(i) && before->figures[i] >= 0 && after[i] >= before->figures[i])
			doc->evidence.figures[i] = after[i] - before->figures[i];
	name_unknown(doc);
}
