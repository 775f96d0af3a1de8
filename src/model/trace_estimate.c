/* SPDX-License-Identifier: MIT */
/*
 * What faults cost where only counters saw them: counts times prices, as an interval between the
 * cheapest and the dearest that the counts allow, and never more than the run can have spent.
 */
#include "src/model/trace.h"

#include <math.h>

/* User and system time are told apart by the timer tick: below this the split says nothing. */
#define LEAST_SAMPLED_NS 500000000U

static const struct model_span unknown = {0, NAN, INFINITY};

static int64_t figure(const struct model_trace *doc, enum model_figure which)
{
	return doc->evidence.figures[which];
}

/* A figure as a number; otherwise where it is not known. */
static double figure_or(const struct model_trace *doc, enum model_figure which, double otherwise)
{
	return figure(doc, which) < 0 ? otherwise : (double)figure(doc, which);
}

static struct model_span sum(struct model_span a, struct model_span b)
{
	return (struct model_span){a.lo + b.lo, a.mid + b.mid, a.hi + b.hi};
}

/* fmin would take the other one for a NaN. */
static double least(double value, double cap)
{
	return value > cap ? cap : value;
}

static struct model_span capped(struct model_span span, double cap)
{
	return (struct model_span){least(span.lo, cap), least(span.mid, cap), least(span.hi, cap)};
}

static const struct model_price *price(const struct model_trace *doc, enum model_price_id id)
{
	return &doc->prices.rows[id];
}

static double page_bytes(const struct model_trace *doc)
{
	return (double)sys_machine_u64(&doc->machine, "page_bytes", 1);
}

/* --- minor faults ----------------------------------------------------------------------------- */

/*
 * How many of the minor faults brought a huge page. As few as samples saw; as many as can have come unseen,
 * in what became resident after the largest sample. In the middle those that must have: without them the
 * faults do not bring what was resident. The system's count includes the run's own, so the run's cannot be
 * larger; it is no estimate of them, since others take huge pages meanwhile.
 */
static struct model_span count_huge(const struct model_trace *doc)
{
	double huge = (double)sys_machine_u64(&doc->machine, "huge_page_bytes", 0);
	double most = fmin((double)doc->n_minor, figure_or(doc, MODEL_HUGE_FAULTS, INFINITY));
	double resident = figure_or(doc, MODEL_MAX_RESIDENT, 0);
	double unseen = fmax(resident - figure_or(doc, MODEL_SMAPS_RSS, 0), 0);
	double files = figure_or(doc, MODEL_RSS_FILE, 0);
	double beyond = resident - files - (double)doc->n_minor * page_bytes(doc);
	double seen, all, needed;

	if (huge <= page_bytes(doc))
		return (struct model_span){0, 0, 0};
	seen = fmin(floor(figure_or(doc, MODEL_SMAPS_ANON_HUGE, 0) / huge), most);
	all = fmin(seen + floor(unseen / huge), most);
	needed = floor(fmax(beyond, 0) / (huge - page_bytes(doc)));
	return (struct model_span){seen, fmax(seen, fmin(needed, all)), all};
}

static struct model_part price_huge(const struct model_trace *doc, struct model_span n)
{
	const struct model_price *p = price(doc, MODEL_PRICE_HUGE);
	struct model_part part = {.count = (uint64_t)n.mid};

	if (n.hi <= 0)
		return part;
	if (model_price_is_known(p))
		part.time = (struct model_span){n.lo * p->lo, n.mid * p->ns, n.hi * p->hi};
	else
		part.time = (struct model_span){0, n.mid > 0 ? NAN : 0, INFINITY};
	return part;
}

/* The cheapest and the dearest kind of minor fault that is priced; false where none is. */
static bool minor_prices(const struct model_trace *doc, double *ret_lo, double *ret_hi)
{
	static const enum model_price_id kinds[] = {MODEL_PRICE_FIRST_WRITE, MODEL_PRICE_ZERO_READ,
						    MODEL_PRICE_CACHED_FILE};

	*ret_lo = INFINITY;
	*ret_hi = 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct model_price *p = price(doc, kinds[i]);

		if (!model_price_is_known(p))
			continue;
		*ret_lo = fmin(*ret_lo, p->lo);
		*ret_hi = fmax(*ret_hi, p->hi);
	}
	return *ret_hi > 0;
}

static struct model_part price_minor(const struct model_trace *doc, struct model_span n_huge)
{
	const struct model_price *p = price(doc, MODEL_PRICE_FIRST_WRITE);
	double minor = (double)doc->n_minor;
	struct model_part part = {.count = doc->n_minor - (uint64_t)n_huge.mid};
	double lo, hi;

	if (part.count == 0)
		return part;
	part.time = unknown;
	if (minor_prices(doc, &lo, &hi) && model_price_is_known(p))
		part.time =
			(struct model_span){(minor - n_huge.hi) * lo, (minor - n_huge.mid) * p->ns,
					    (minor - n_huge.lo) * hi};
	return part;
}

/* --- major faults ----------------------------------------------------------------------------- */

/* What waits can cost at the most where nobody knows the disk: a slow one's seek, and a slow one's page. */
#define SLOWEST_WAIT_NS 10000000.0
#define SLOWEST_PAGE_NS 50000.0

/* A part that is this small a share of the run even then need not be priced. */
#define NEGLIGIBLE 0.001

static bool is_negligible(const struct model_trace *doc, double worst_ns)
{
	return worst_ns <= NEGLIGIBLE * (double)doc->wall_ns;
}

/*
 * At the least a major fault costs what a minor one does: the data was in memory after all (zram, a
 * retried fault). At the most each waits for the disk alone; what was read beside that is in
 * price_readahead().
 */
static struct model_part price_major(const struct model_trace *doc)
{
	const struct model_price *p = price(doc, MODEL_PRICE_DISK_WAIT);
	struct model_part part = {.count = doc->n_major};
	double n = (double)doc->n_major;
	double lo, hi, dearest;

	if (doc->n_major == 0)
		return part;
	lo = minor_prices(doc, &lo, &dearest) ? n * lo : 0;
	hi = n * SLOWEST_WAIT_NS;
	if (model_price_is_known(p))
		part.time = (struct model_span){fmin(lo, n * p->lo), n * p->ns, n * p->hi};
	else if (is_negligible(doc, hi))
		part.time = (struct model_span){0, 0, hi};
	else
		part.time = (struct model_span){lo, NAN, INFINITY};
	return part;
}

/* Pages read from disk that no major fault asked for: the most that readahead can have brought. */
static double most_read_ahead(const struct model_trace *doc)
{
	double pages = figure_or(doc, MODEL_DISK_READ, 0) / page_bytes(doc);

	return fmax(floor(pages - (double)doc->n_major), 0);
}

/* Bytes of mapped files that were resident at one time, at the least: as sampled, or what is left of the
 * largest resident size when every minor fault has brought a page of its own. */
static double mapped_file_bytes(const struct model_trace *doc)
{
	double n_huge = count_huge(doc).hi;
	double anon = ((double)doc->n_minor - n_huge) * page_bytes(doc) +
		      n_huge * (double)sys_machine_u64(&doc->machine, "huge_page_bytes", 0);

	return fmax(figure_or(doc, MODEL_RSS_FILE, 0),
		    figure_or(doc, MODEL_MAX_RESIDENT, 0) - anon);
}

/* The share of what was read from disk that read(2) did not give. Where io is that of the last sample, and
 * not of the end, the mix is taken to have gone on. */
static double mapped_share(const struct model_trace *doc)
{
	double read = figure_or(doc, MODEL_IO_READ, 0);

	if (read <= 0)
		return 0;
	return fmax(1 - figure_or(doc, MODEL_IO_RCHAR, INFINITY) / read, 0);
}

/* Of these, pages that were mapped: not given by read(2), and resident as file pages. */
static double mapped_read_ahead(const struct model_trace *doc)
{
	double mapped = figure_or(doc, MODEL_DISK_READ, 0) * mapped_share(doc);
	double pages =
		fmin(mapped, mapped_file_bytes(doc)) / page_bytes(doc) - (double)doc->n_major;

	return fmin(fmax(floor(pages), 0), most_read_ahead(doc));
}

/*
 * Where readahead runs in front of a reader, few faults are called major while many minor ones sleep
 * until their page's data has come.
 */
static struct model_part price_readahead(const struct model_trace *doc)
{
	const struct model_price *p = price(doc, MODEL_PRICE_DISK_PAGE);
	double most = most_read_ahead(doc), mapped = mapped_read_ahead(doc);
	struct model_part part = {.count = (uint64_t)mapped};

	if (model_price_is_known(p))
		part.time = (struct model_span){0, mapped * p->ns, most * p->hi};
	else if (is_negligible(doc, most * SLOWEST_PAGE_NS))
		part.time = (struct model_span){0, 0, most * SLOWEST_PAGE_NS};
	else
		part.time = (struct model_span){0, mapped > 0 ? NAN : 0, most * SLOWEST_PAGE_NS};
	return part;
}

bool model_trace_needs(const struct model_trace *doc, enum model_price_id id)
{
	switch (id) {
	case MODEL_PRICE_HUGE:
		return count_huge(doc).hi > 0;
	case MODEL_PRICE_DISK_WAIT:
		return !is_negligible(doc, (double)doc->n_major * SLOWEST_WAIT_NS);
	case MODEL_PRICE_DISK_PAGE:
		return !is_negligible(doc, most_read_ahead(doc) * SLOWEST_PAGE_NS);
	default:
		return doc->n_minor > 0;
	}
}

/* --- what the run can have spent ---------------------------------------------------------------- */

/* Faults are system time; where that is sampled too coarsely, all time on the CPU. */
static double most_on_cpu(const struct model_trace *doc)
{
	uint64_t cpu = doc->user_ns + doc->sys_ns;

	return (double)(cpu >= LEAST_SAMPLED_NS ? doc->sys_ns : cpu);
}

/* How many can have waited at once: one, where one thread and no descendant was seen. */
static double most_at_once(const struct model_trace *doc)
{
	double threads = figure_or(doc, MODEL_THREADS, 0);
	double own = figure_or(doc, MODEL_OWN_MINOR, -1) + figure_or(doc, MODEL_OWN_MAJOR, 0);
	bool alone = own >= (double)(doc->n_minor + doc->n_major);

	if (threads == 1 && alone)
		return 1;
	return fmax(threads, (double)sys_machine_u64(&doc->machine, "n_cpus", 1));
}

/* Wall time less time on the CPU, and less waiting for one, which is known of a single thread only. */
static double most_asleep(const struct model_trace *doc)
{
	double at_once = most_at_once(doc);
	double awake = (double)(doc->user_ns + doc->sys_ns);

	if (at_once <= 1)
		awake += figure_or(doc, MODEL_RUN_DELAY, 0);
	return fmax(at_once * (double)doc->wall_ns - awake, 0);
}

/* --- all together --------------------------------------------------------------------------------- */

/* The share of sleep in waits for a disk, as where they were priced; all of it where nobody knows. */
static double asleep_share(const struct model_trace *doc, const struct model_totals *t)
{
	double waits = t->parts[MODEL_PART_MAJOR].time.mid;
	double pages = t->parts[MODEL_PART_READAHEAD].time.mid;
	double asleep = waits * price(doc, MODEL_PRICE_DISK_WAIT)->blocked +
			pages * price(doc, MODEL_PRICE_DISK_PAGE)->blocked;

	return waits + pages > 0 ? asleep / (waits + pages) : 1;
}

/* Of the time on CPU and asleep in faults, so that a run that sleeps for other reasons does not thin
 * out what its faults cost. */
static double share(const struct model_trace *doc, double time, double asleep)
{
	double busy = (double)(doc->user_ns + doc->sys_ns) + fmin(asleep, most_asleep(doc));

	if (busy > 0)
		return least(time / busy, 1);
	return isnan(time) ? NAN : 0; /* no time at all: nothing was spent in faults, either */
}

/*
 * Minor faults are on the CPU; major ones sleep and are on the CPU, in the mix of their price, and neither can
 * be more than the run has. At the most the mix is another: then only both together have an end.
 */
static void cap(const struct model_trace *doc, struct model_totals *t, double asleep)
{
	double cpu = most_on_cpu(doc), sleep = most_asleep(doc), on_cpu;

	t->minor_ns = capped(t->minor_ns, cpu);
	on_cpu = least((1 - asleep) * t->major_ns.mid,
		       isnan(t->minor_ns.mid) ? cpu : cpu - t->minor_ns.mid);
	t->major_ns.mid = least(asleep * t->major_ns.mid, sleep) + on_cpu;
	t->major_ns.hi = least(t->major_ns.hi, cpu + sleep);
	t->major_ns.lo =
		least(t->major_ns.lo, isnan(t->major_ns.mid) ? t->major_ns.hi : t->major_ns.mid);
	t->time_ns = capped(sum(t->minor_ns, t->major_ns), cpu + sleep);
}

void model_trace_estimate(struct model_trace *doc)
{
	struct model_span n_huge = count_huge(doc);
	struct model_totals t = {0};
	double priced, asleep;

	t.parts[MODEL_PART_HUGE] = price_huge(doc, n_huge);
	t.parts[MODEL_PART_MINOR] = price_minor(doc, n_huge);
	t.parts[MODEL_PART_MAJOR] = price_major(doc);
	t.parts[MODEL_PART_READAHEAD] = price_readahead(doc);
	t.minor_ns = sum(t.parts[MODEL_PART_HUGE].time, t.parts[MODEL_PART_MINOR].time);
	t.major_ns = sum(t.parts[MODEL_PART_MAJOR].time, t.parts[MODEL_PART_READAHEAD].time);
	priced = t.minor_ns.mid + t.major_ns.mid;
	asleep = asleep_share(doc, &t);
	cap(doc, &t, asleep);
	/* not for what is lost in adding the parts in another order */
	t.uncapped_ns = priced > t.time_ns.mid * (1 + 1e-9) ? priced : NAN;
	t.share = (struct model_span){
		share(doc, t.time_ns.lo, asleep * t.major_ns.lo),
		share(doc, t.time_ns.mid, asleep * t.major_ns.mid),
		share(doc, t.time_ns.hi, asleep * t.major_ns.hi),
	};
	t.share_of_wall = doc->wall_ns ? t.time_ns.mid / (double)doc->wall_ns : NAN;
	doc->totals = t;
}
