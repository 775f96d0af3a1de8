/* SPDX-License-Identifier: MIT */
/*
 * What follows from a command's faults. The rule of thumb says: many minor faults are first-touch
 * cost and fine, many major ones are a shortage of RAM. It judges by count and knows no cold file; here time
 * decides, and a shortage is believed only with evidence of one.
 */
#include "src/model/trace.h"

#include "src/base/text.h"
#include "src/base/units.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

/* Below this share of its time a run's faults are not worth anybody's attention. */
#define MATTERS 0.05
/* From here on first touches are worth making cheaper, though they are nothing bad. */
#define WORTH_SAVING 0.2

/* A run this short with this few faults has done little but exec, linking and start-up. */
enum { START_FAULTS = 1000, START_CPU_NS = 30000000 };

/* Faults for this many times the memory ever resident are not first touches; two a page are usual (a
 * read, then a write), and short of this size nobody cares. */
enum { AGAIN_TIMES = 3, AGAIN_LEAST_BYTES = 32 << 20 };

/* Of the major faults, to be believed to be the cause: of the run's own counters, and of counters that
 * others move, too. */
#define OWN_SHARE 0.1
#define SYSTEM_SHARE 0.5
/* Fewer pages than this come back on any machine, and a process has a page or two in swap. */
enum { LEAST_PAGES = 32 };
/* MemAvailable below this share of the memory is a shortage. */
#define LEAST_AVAILABLE 0.05

static int64_t figure(const struct model_trace *doc, enum model_figure which)
{
	return doc->evidence.figures[which];
}

/* What is not known is no evidence. */
static double known_or_0(const struct model_trace *doc, enum model_figure which)
{
	return figure(doc, which) < 0 ? 0 : (double)figure(doc, which);
}

/* --- was memory short? ---------------------------------------------------------------------------- */

static bool is_known(const struct model_trace *doc, enum model_figure which)
{
	return figure(doc, which) >= 0;
}

/* Enough to explain a tenth of the major faults, where nobody but the run's group counts. */
static bool group_explains(const struct model_trace *doc, enum model_figure pages)
{
	return known_or_0(doc, pages) >= fmax(OWN_SHARE * (double)doc->n_major, LEAST_PAGES);
}

/* Enough to explain half of them, where everybody does. */
static bool system_explains(const struct model_trace *doc, enum model_figure pages)
{
	return known_or_0(doc, pages) >= fmax(SYSTEM_SHARE * (double)doc->n_major, LEAST_PAGES);
}

/* Itself, or a descendant whose end a shell reports so. */
static bool was_killed(const struct model_trace *doc)
{
	return doc->exit_status == 128 + SIGKILL &&
	       (known_or_0(doc, MODEL_OOM_KILLS) > 0 || known_or_0(doc, MODEL_GROUP_OOM_KILLS) > 0);
}

static double swapped_bytes(const struct model_trace *doc)
{
	return fmax(known_or_0(doc, MODEL_VM_SWAP), known_or_0(doc, MODEL_SMAPS_SWAP));
}

static bool was_swapped(const struct model_trace *doc)
{
	double page = (double)sys_machine_u64(&doc->machine, "page_bytes", 1);

	return swapped_bytes(doc) >= LEAST_PAGES * page;
}

/* Samples saw the process often, never in swap, and the major faults are its own. */
static bool was_never_swapped(const struct model_trace *doc)
{
	return figure(doc, MODEL_VM_SWAP) == 0 && doc->evidence.n_samples >= 3 &&
	       known_or_0(doc, MODEL_OWN_MAJOR) >= (double)doc->n_major / 2;
}

static enum model_figure system_swap_ins(const struct model_trace *doc)
{
	return is_known(doc, MODEL_REFAULTS_ANON) ? MODEL_REFAULTS_ANON : MODEL_SWAP_INS;
}

/* What the machine swapped in is the run's only where nothing contradicts: neither its memory cgroup's
 * counter nor the samples, unless they saw it in swap. */
static bool swap_came_back(const struct model_trace *doc)
{
	bool contradicted = is_known(doc, MODEL_GROUP_REFAULTS_ANON) || was_never_swapped(doc);

	if (group_explains(doc, MODEL_GROUP_REFAULTS_ANON))
		return true;
	return (was_swapped(doc) || !contradicted) && system_explains(doc, system_swap_ins(doc));
}

/* Swapped out is not yet a cost: only what comes back is waited for. */
static bool had_swap(const struct model_trace *doc)
{
	bool is_counted =
		is_known(doc, MODEL_GROUP_REFAULTS_ANON) || is_known(doc, system_swap_ins(doc));

	return was_swapped(doc) && (!is_counted || swap_came_back(doc));
}

/* A file page that came back is a shortage only where something pressed it out: proactive reclaim takes
 * idle pages from a machine that has memory to spare. */
static bool cache_thrashed(const struct model_trace *doc)
{
	double memory = (double)sys_machine_u64(&doc->machine, "memory_bytes", 0);
	int64_t available = figure(doc, MODEL_LEAST_AVAILABLE);
	bool pressed = known_or_0(doc, MODEL_GROUP_LIMIT_HITS) > 0 ||
		       (available >= 0 && (double)available < LEAST_AVAILABLE * memory);

	if (is_known(doc, MODEL_GROUP_REFAULTS_FILE))
		return pressed && group_explains(doc, MODEL_GROUP_REFAULTS_FILE);
	return pressed && system_explains(doc, MODEL_REFAULTS_FILE);
}

static bool others_swapped(const struct model_trace *doc)
{
	return !swap_came_back(doc) && system_explains(doc, system_swap_ins(doc));
}

struct phrase {
	char s[160];
};

/* Pages that came back, by the group's count where that explains the run's faults. */
static double came_back(const struct model_trace *doc, enum model_figure group,
			enum model_figure system)
{
	return known_or_0(doc, group_explains(doc, group) ? group : system);
}

/* Whether the faults that a shortage caused take more than half of the time of all faults: the major ones,
 * and the minor ones of pages that readahead had brought back before they were touched. */
static bool shortage_dominates(const struct model_trace *doc)
{
	const struct model_totals *t = &doc->totals;
	double share, back = 0;

	if (swap_came_back(doc))
		back += came_back(doc, MODEL_GROUP_REFAULTS_ANON, system_swap_ins(doc));
	if (cache_thrashed(doc))
		back += came_back(doc, MODEL_GROUP_REFAULTS_FILE, MODEL_REFAULTS_FILE);
	back = fmax(back - (double)doc->n_major, 0);
	share = doc->n_minor ? fmin(back / (double)doc->n_minor, 1) : 0;
	return t->major_ns.mid + share * t->minor_ns.mid > (1 - share) * t->minor_ns.mid;
}

static struct phrase times(double n)
{
	struct phrase p = {"once"};

	if (n > 1)
		(void)snprintf(p.s, sizeof(p.s), "%s times", units_count((uint64_t)n).s);
	return p;
}

/* How many pages came back, and to whom. */
static struct phrase pages(const struct model_trace *doc, enum model_figure group,
			   enum model_figure system)
{
	bool by_group = group_explains(doc, group);
	struct phrase p;

	(void)snprintf(p.s, sizeof(p.s), "%s pages of %s",
		       units_count((uint64_t)came_back(doc, group, system)).s,
		       by_group ? "its memory cgroup" : "this machine's processes");
	return p;
}

/* The evidence as half a sentence; "" where there is none. */
static void find_shortage(const struct model_trace *doc, char *ret, size_t size)
{
	const char *comma = "";

	*ret = 0;
	if (was_killed(doc)) {
		text_append(ret, size, "it was killed while the OOM killer was at work");
		comma = ", ";
	}
	if (had_swap(doc)) {
		text_append(ret, size, "%sup to %s of it were in swap", comma,
			    units_bytes((uint64_t)swapped_bytes(doc)).s);
		comma = ", ";
	}
	if (swap_came_back(doc)) {
		text_append(ret, size, "%s%s came back from swap", comma,
			    pages(doc, MODEL_GROUP_REFAULTS_ANON, system_swap_ins(doc)).s);
		comma = ", ";
	}
	if (cache_thrashed(doc)) {
		text_append(ret, size, "%s%s were pressed out of the file cache and read again",
			    comma, pages(doc, MODEL_GROUP_REFAULTS_FILE, MODEL_REFAULTS_FILE).s);
		comma = ", ";
	}
	if (*ret && known_or_0(doc, MODEL_GROUP_LIMIT_HITS) > 0)
		text_append(ret, size, "%sa memory cgroup's limit was hit %s", comma,
			    times(known_or_0(doc, MODEL_GROUP_LIMIT_HITS)).s);
}

/* --- sentences ------------------------------------------------------------------------------------ */

/* "about 82 ms [38 ms, 281 ms], 68 % of its time": of all, or of one part of it. */
static struct phrase cost(const struct model_totals *t, const struct model_span *part)
{
	double share = t->time_ns.mid > 0 ? t->share.mid * part->mid / t->time_ns.mid : 0;
	struct phrase p;

	if (isnan(part->mid))
		(void)snprintf(p.s, sizeof(p.s), "%s at the very most, %s of its time",
			       units_estimate(part->hi).s, units_share(t->share.hi).s);
	else
		(void)snprintf(p.s, sizeof(p.s), "about %s [%s, %s], %s of its time",
			       units_estimate(part->mid).s, units_estimate(part->lo).s,
			       units_estimate(part->hi).s, units_share(share).s);
	return p;
}

static struct phrase faults(uint64_t n, const char *kind)
{
	struct phrase p;

	(void)snprintf(p.s, sizeof(p.s), "%s %s fault%s", n ? units_count(n).s : "no", kind,
		       n == 1 ? "" : "s");
	return p;
}

__attribute__((format(printf, 3, 4))) static void
say(struct model_trace *doc, enum model_trace_verdict_id id, const char *fmt, ...)
{
	struct model_trace_verdict *v = &doc->verdict;
	va_list ap;

	*v = (struct model_trace_verdict){.id = id};
	va_start(ap, fmt);
	(void)vsnprintf(v->text, sizeof(v->text), fmt, ap);
	va_end(ap);
}

static void advise(struct model_trace *doc, const char *advice)
{
	(void)snprintf(doc->verdict.advice, sizeof(doc->verdict.advice), "%s", advice);
}

/* --- the verdicts ----------------------------------------------------------------------------------- */

static void say_cannot_tell(struct model_trace *doc)
{
	const char *reason = doc->prices.reason;

	say(doc, MODEL_CANNOT_TELL,
	    "cannot tell: %s and %s, and what one costs here is not known%s%s",
	    faults(doc->n_minor, "minor").s, faults(doc->n_major, "major").s, *reason ? ": " : "",
	    reason);
	advise(doc, "run 'pagetoll bench' once, or name a document of this machine with --prices");
}

static void say_not_the_problem(struct model_trace *doc, const char *shortage)
{
	const struct model_totals *t = &doc->totals;
	double awake = (double)(doc->user_ns + doc->sys_ns) + known_or_0(doc, MODEL_RUN_DELAY);
	bool waits = 2 * awake < (double)doc->wall_ns;

	say(doc, MODEL_FAULTS_NOT_THE_PROBLEM, "faults are not the problem: %s and %s took %s",
	    faults(doc->n_minor, "minor").s, faults(doc->n_major, "major").s,
	    cost(t, &t->time_ns).s);
	if (t->share.mid < MATTERS && t->share.hi >= MATTERS)
		text_append(doc->verdict.text, sizeof(doc->verdict.text), " (%s at the very most)",
			    units_share(t->share.hi).s);
	if (*shortage)
		text_append(doc->verdict.text, sizeof(doc->verdict.text),
			    "; yet memory was short: %s", shortage);
	advise(doc,
	       waits ? "look elsewhere: it slept most of the time, for something that is no fault"
		     : "look elsewhere: profile where it computes, on the CPU");
}

static void say_process_start(struct model_trace *doc)
{
	say(doc, MODEL_PROCESS_START,
	    "process start: %s and %s in %s on the CPU are exec, linking and start-up; they took %s",
	    faults(doc->n_minor, "minor").s, faults(doc->n_major, "major").s,
	    units_duration(doc->user_ns + doc->sys_ns).s,
	    cost(&doc->totals, &doc->totals.time_ns).s);
	advise(doc,
	       "nothing, unless it is started very often: then start it once, or link it statically");
}

static void say_first_touch(struct model_trace *doc)
{
	const struct model_totals *t = &doc->totals;

	uint64_t n_huge = t->parts[MODEL_PART_HUGE].count;
	struct phrase huge = {""};

	if (n_huge)
		(void)snprintf(huge.s, sizeof(huge.s), ", %s of them of a huge page,",
			       units_count(n_huge).s);
	say(doc, MODEL_FIRST_TOUCH, "first-touch cost: fine; %s%s took %s",
	    faults(doc->n_minor, "minor").s, huge.s, cost(t, &t->minor_ns).s);
	if (doc->n_major == 0)
		text_append(doc->verdict.text, sizeof(doc->verdict.text),
			    ", and none waited for a disk");
	else
		text_append(doc->verdict.text, sizeof(doc->verdict.text), "; %s with them",
			    faults(doc->n_major, "major").s);
	if (t->share.mid >= WORTH_SAVING)
		advise(doc,
		       "nothing is wrong; to make it smaller: huge pages (MADV_HUGEPAGE before the first "
		       "touch), or prefault ahead of time (MADV_POPULATE_WRITE, MAP_POPULATE) where it "
		       "must not be paid at the moment of use");
}

static void say_repeated_touch(struct model_trace *doc, double n_times)
{
	const struct model_totals *t = &doc->totals;

	say(doc, MODEL_REPEATED_TOUCH,
	    "not first-touch cost alone: %s took %s; they are pages for %.0f times the memory that was "
	    "ever resident (%s)",
	    faults(doc->n_minor, "minor").s, cost(t, &t->minor_ns).s, n_times,
	    units_bytes((uint64_t)known_or_0(doc, MODEL_MAX_RESIDENT)).s);
	advise(doc,
	       "keep memory instead of giving it back (free, munmap, MADV_DONTNEED) and taking it "
	       "anew: for malloc set both M_MMAP_THRESHOLD and M_TRIM_THRESHOLD; after fork, "
	       "MADV_DONTFORK. Prefaulting would pay the same each time");
}

static void say_short_of_ram(struct model_trace *doc, const char *shortage)
{
	const struct model_totals *t = &doc->totals;

	if (isnan(t->share.mid)) /* killed: it is short, whatever faults cost */
		say(doc, MODEL_SHORT_OF_RAM, "short of RAM: must be fixed; %s, %s and %s", shortage,
		    faults(doc->n_major, "major").s, faults(doc->n_minor, "minor").s);
	else
		say(doc, MODEL_SHORT_OF_RAM,
		    "short of RAM: must be fixed; %s, and faults, %s of them major, took %s",
		    shortage, doc->n_major ? units_count(doc->n_major).s : "none",
		    cost(t, &t->time_ns).s);
	advise(doc,
	       "give it more memory (or a higher cgroup limit), or have it use less; faster swap only "
	       "makes it less bad");
}

static void say_cold_file(struct model_trace *doc)
{
	const struct model_totals *t = &doc->totals;
	struct units_text read = units_bytes((uint64_t)known_or_0(doc, MODEL_DISK_READ));

	if (t->parts[MODEL_PART_READAHEAD].time.mid > t->parts[MODEL_PART_MAJOR].time.mid)
		say(doc, MODEL_COLD_FILE,
		    "cold file: waiting for mapped data that readahead brought took %s, with %s "
		    "only; %s were read from disk, and nothing says that memory was short",
		    cost(t, &t->major_ns).s, faults(doc->n_major, "major").s, read.s);
	else
		say(doc, MODEL_COLD_FILE,
		    "cold file: %s took %s; %s were read from disk, and nothing says that memory was "
		    "short, so \"many major faults: short of RAM\" would be wrong: it was the first read "
		    "of a file",
		    faults(doc->n_major, "major").s, cost(t, &t->major_ns).s, read.s);
	if (others_swapped(doc))
		text_append(doc->verdict.text, sizeof(doc->verdict.text),
			    " (others on this machine swapped meanwhile, this did not)");
	if (known_or_0(doc, MODEL_GROUP_LIMIT_HITS) > 0)
		text_append(
			doc->verdict.text, sizeof(doc->verdict.text),
			" (its memory cgroup hit a limit, as any file that does not fit makes it, but no "
			"page came back)");
	advise(doc,
	       "read ahead while something else is to do (MADV_WILLNEED, MADV_POPULATE_READ), or run it "
	       "again: is it fast with the file cached? MADV_RANDOM on a file that is read in order "
	       "makes each page wait");
}

/* Major faults without a disk: a network or FUSE filesystem, or data that was in memory after all. */
static void say_no_disk(struct model_trace *doc)
{
	const struct model_totals *t = &doc->totals;

	say(doc, MODEL_CANNOT_TELL,
	    "cannot tell: %s took %s, but nothing was read from a local disk and nothing says that memory "
	    "was short",
	    faults(doc->n_major, "major").s, cost(t, &t->major_ns).s);
	advise(doc, "is the file on a network or FUSE filesystem? Then it waits for that one");
}

/* --- which one ------------------------------------------------------------------------------------ */

static bool is_process_start(const struct model_trace *doc)
{
	return doc->n_minor + doc->n_major <= START_FAULTS &&
	       doc->user_ns + doc->sys_ns <= START_CPU_NS;
}

/* Pages that minor faults of the first process alone brought, in times of what was ever resident; 0
 * where that is not known, or nearly all faults are of descendants. */
static double times_again(const struct model_trace *doc)
{
	double page = (double)sys_machine_u64(&doc->machine, "page_bytes", 0);
	double own = known_or_0(doc, MODEL_OWN_MINOR);
	double resident = known_or_0(doc, MODEL_MAX_RESIDENT);

	if (resident <= 0 || own < 0.8 * (double)doc->n_minor || own * page < AGAIN_LEAST_BYTES)
		return 0;
	return own * page / resident;
}

/* What is known only as a range is small all the same where its upper end is. */
static bool is_small(const struct model_totals *t)
{
	return isnan(t->time_ns.mid) ? t->share.hi < MATTERS : t->share.mid < MATTERS;
}

static bool is_short_of_ram(const struct model_trace *doc, const char *shortage)
{
	const struct model_totals *t = &doc->totals;
	bool is_priced = !isnan(t->share.mid);

	return was_killed(doc) ||
	       (*shortage && is_priced && !is_small(t) && shortage_dominates(doc));
}

void model_trace_judge(struct model_trace *doc)
{
	const struct model_totals *t = &doc->totals;
	bool majors_dominate = t->major_ns.mid > t->minor_ns.mid;
	char shortage[400];

	find_shortage(doc, shortage, sizeof(shortage));
	if (is_short_of_ram(doc, shortage))
		say_short_of_ram(doc, shortage);
	else if (is_small(t))
		say_not_the_problem(doc, shortage);
	else if (isnan(t->share.mid))
		say_cannot_tell(doc);
	else if (majors_dominate && figure(doc, MODEL_DISK_READ) == 0)
		say_no_disk(doc);
	else if (majors_dominate)
		say_cold_file(doc);
	else if (is_process_start(doc))
		say_process_start(doc);
	else if (times_again(doc) >= AGAIN_TIMES)
		say_repeated_touch(doc, times_again(doc));
	else
		say_first_touch(doc);
}
