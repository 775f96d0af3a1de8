/* SPDX-License-Identifier: MIT */
/* The bench document in memory, and the prices derived from its rounds. */
#include "src/model/bench.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/model/compare.h"
#include "src/model/series.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const model_mark_names[MODEL_N_MARKS] = {
	"host-cold", "switched", "stolen",     "warm-late", "not-touched", "page-size",
	"not-cold",  "slept",    "not-cached", "slow-cpu",  "pressure",
};

const struct model_round model_round_uncounted = {
	.trap_user = MODEL_NOT_COUNTED,
	.trap_kernel = MODEL_NOT_COUNTED,
	.cycles = MODEL_NOT_COUNTED,
	.instructions = MODEL_NOT_COUNTED,
	.dtlb_load_misses = MODEL_NOT_COUNTED,
	.resident_before = MODEL_NOT_COUNTED,
	.resident_after = MODEL_NOT_COUNTED,
	.page_table_bytes = MODEL_NOT_COUNTED,
	.calibration_ns = MODEL_NOT_COUNTED,
	.psi_cpu_ns = MODEL_NOT_COUNTED,
	.psi_memory_ns = MODEL_NOT_COUNTED,
	.psi_io_ns = MODEL_NOT_COUNTED,
};

const char *model_status_name(enum model_status status)
{
	static const char *const names[] = {"done", "skipped", "failed"};

	return names[status];
}

const char *model_verdict_name(enum model_verdict verdict)
{
	static const char *const names[] = {"-", "valid", "noisy", "invalid"};

	return names[verdict];
}

static void scenario_init(struct model_scenario *s, const char *name)
{
	*s = (struct model_scenario){
		.threads = 1,
		.published = {NAN, NAN, NAN, NAN},
		.usual_calibration_ns = NAN,
	};
	text_copy(s->name, sizeof(s->name), name);
}

struct model_bench *model_bench_new(void)
{
	struct model_bench *doc = calloc(1, sizeof(*doc));

	if (doc)
		scenario_init(&doc->floor, "");
	return doc;
}

void model_bench_free(struct model_bench *doc)
{
	if (!doc)
		return;
	for (size_t i = 0; i < doc->n_scenarios; i++)
		free(doc->scenarios[i].rounds);
	free(doc->floor.rounds);
	free(doc->scenarios);
	free(doc->changes);
	free(doc->noise);
	free(doc);
}

struct model_scenario *model_bench_add(struct model_bench *doc, const char *name)
{
	struct model_scenario *grown;

	if (doc->n_scenarios == MODEL_MAX_SCENARIOS)
		return NULL;
	grown = array_grow(doc->scenarios, doc->n_scenarios, sizeof(*grown));
	if (!grown)
		return NULL;
	doc->scenarios = grown;
	scenario_init(&grown[doc->n_scenarios], name);
	return &grown[doc->n_scenarios++];
}

int model_scenario_add_round(struct model_scenario *s, const struct model_round *round)
{
	struct model_round *grown;

	if (s->n_rounds == MODEL_MAX_ROUNDS)
		return -E2BIG;
	grown = array_grow(s->rounds, s->n_rounds, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->rounds = grown;
	grown[s->n_rounds++] = *round;
	return 0;
}

void model_warn(struct model_warning *warnings, unsigned *n, const char *id, const char *fmt, ...)
{
	struct model_warning *w;
	va_list ap;

	if (*n == MODEL_MAX_WARNINGS)
		return;
	w = &warnings[(*n)++];
	text_copy(w->id, sizeof(w->id), id);
	va_start(ap, fmt);
	(void)vsnprintf(w->text, sizeof(w->text), fmt, ap);
	va_end(ap);
	text_make_harmless(w->text);
}

const char *model_side_name(const struct model_scenario *s)
{
	return s->side == 1 ? "A" : "B";
}

struct model_label model_scenario_label(const struct model_scenario *s)
{
	bool named = s->article[0] && strcmp(s->article, s->name) != 0;
	struct model_label label;

	(void)snprintf(label.s, sizeof(label.s), named ? "%s (%s)" : "%s",
		       named ? s->article : s->name, s->name);
	if (s->side)
		text_append(label.s, sizeof(label.s), ", side %s", model_side_name(s));
	return label;
}

const struct model_scenario *model_bench_row(const struct model_bench *doc, size_t i)
{
	if (i < doc->n_scenarios)
		return &doc->scenarios[i];
	if (i > doc->n_scenarios || !doc->floor.name[0] || model_bench_find(doc, doc->floor.name))
		return NULL;
	return &doc->floor;
}

const struct model_compare_row *model_bench_change(const struct model_bench *doc,
						   const struct model_scenario *s)
{
	for (size_t i = 0; i < doc->n_changes; i++)
		if (strcmp(doc->changes[i].scenario, s->name) == 0 &&
		    strcmp(doc->changes[i].article, s->article) == 0)
			return &doc->changes[i];
	return NULL;
}

const char *model_not_counted(const struct model_bench *doc, const char *fact)
{
	const char *text = sys_machine_text(&doc->machine, fact, "not measured");

	return strcmp(text, "counted") == 0 ? "not counted: this PMU knows no such event" : text;
}

const struct model_scenario *model_bench_find(const struct model_bench *doc, const char *name)
{
	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct model_scenario *s = &doc->scenarios[i];

		if (strcmp(s->article, name) == 0 || strcmp(s->name, name) == 0)
			return s;
	}
	return NULL;
}

/* --- the ledger ------------------------------------------------------------------------------- */

static bool inside(struct model_range range, double faults, double n_pages)
{
	/* half a fault of slack: counts are whole, bounds are not */
	return faults >= range.lo * n_pages - 0.5 && faults <= range.hi * n_pages + 0.5;
}

static int64_t traps(const struct model_round *r)
{
	if (r->trap_user == MODEL_NOT_COUNTED)
		return MODEL_NOT_COUNTED;
	return r->trap_user + (r->trap_kernel == MODEL_NOT_COUNTED ? 0 : r->trap_kernel);
}

bool model_round_is_valid(const struct model_scenario *s, const struct model_round *round)
{
	double n_pages = (double)s->n_pages;
	int64_t n_traps = traps(round);

	return !(round->marks & MODEL_MARKS_INVALID) &&
	       inside(s->ledger.minor, (double)round->minor, n_pages) &&
	       inside(s->ledger.major, (double)round->major, n_pages) &&
	       (n_traps == MODEL_NOT_COUNTED || inside(s->ledger.trap, (double)n_traps, n_pages));
}

/* --- prices ----------------------------------------------------------------------------------- */

static const struct stats_summary no_summary = {
	.median = NAN,
	.min = NAN,
	.mad = NAN,
	.interval = {STATS_INTERVAL_NONE, NAN, NAN},
};

bool model_round_is_priced(const struct model_scenario *s, const struct model_round *r)
{
	return model_round_is_valid(s, r) && !(s->first_round_left && r->round == 0);
}

int64_t model_round_populated(const struct model_round *r)
{
	int64_t faults = (int64_t)(r->counted_minor + r->counted_major);
	int64_t populated = faults - traps(r);

	if (r->trap_user == MODEL_NOT_COUNTED || r->trap_kernel == MODEL_NOT_COUNTED)
		return MODEL_NOT_COUNTED;
	return populated > 0 ? populated : 0;
}

/* Of the timed pass: what its time is divided by. */
static uint64_t faults_taken(const struct model_round *r)
{
	uint64_t faults = r->minor + r->major;
	int64_t populated = model_round_populated(r);

	if (populated <= 0)
		return faults;
	return faults > (uint64_t)populated ? faults - (uint64_t)populated : 0;
}

double model_time_share(const struct model_scenario *s, uint64_t part_ns)
{
	return s->times.wall_ns ? (double)part_ns / (double)s->times.wall_ns : NAN;
}

/* Pages that were filled with zeroes or read from a disk; not those that were only mapped. */
static bool fills_pages(const struct model_scenario *s)
{
	bool faults = s->ledger.minor.lo + s->ledger.major.lo > 0 || s->ledger.kernel_decides;

	if (!isnan(s->resident_before))
		return s->resident_before < (double)s->n_pages;
	return strcmp(s->access, "zero") == 0 || (strcmp(s->access, "write") == 0 && faults);
}

double model_bytes_per_second(const struct model_scenario *s)
{
	return fills_pages(s) ? 1e9 * (double)s->page_bytes / s->ns_per_page.median : NAN;
}

/* What a round costs in one of the two denominators; NaN where that is undefined. */
typedef double round_price(const struct model_scenario *s, const struct model_round *r);

static double per_page(const struct model_scenario *s, const struct model_round *r)
{
	return (double)r->elapsed_ns / (double)s->n_pages;
}

static double per_access(const struct model_scenario *s, const struct model_round *r)
{
	return (double)r->elapsed_ns / (double)s->n_accesses;
}

static round_price *main_price(const struct model_scenario *s)
{
	return s->n_accesses ? per_access : per_page;
}

double model_round_price(const struct model_scenario *s, const struct model_round *round)
{
	return main_price(s)(s, round);
}

const struct stats_summary *model_price(const struct model_scenario *s)
{
	return s->n_accesses ? &s->ns_per_access : &s->ns_per_page;
}

static double per_fault(const struct model_scenario *s, const struct model_round *r)
{
	uint64_t n = faults_taken(r);

	(void)s;
	return n ? (double)r->elapsed_ns / (double)n : NAN;
}

/* The rounds of one trial, a run of s->rounds, which are sorted. */
struct span {
	size_t begin, end;
};

static struct span span_from(const struct model_scenario *s, size_t begin)
{
	struct span span = {begin, begin};

	while (span.end < s->n_rounds && s->rounds[span.end].trial == s->rounds[begin].trial)
		span.end++;
	return span;
}

/* Median over the rounds of a trial; scratch has room for all of them. */
static double trial_price(const struct model_scenario *s, struct span span, round_price *price,
			  double *scratch)
{
	size_t n = 0;

	for (size_t i = span.begin; i < span.end; i++) {
		double value =
			model_round_is_priced(s, &s->rounds[i]) ? price(s, &s->rounds[i]) : NAN;

		if (!isnan(value))
			scratch[n++] = value;
	}
	return stats_median(scratch, n);
}

/* stopped: the rows of the run end when they are precise. */
static struct stats_summary summarize(const struct model_scenario *s, round_price *price,
				      bool stopped)
{
	struct stats_summary summary = no_summary;
	double *trials, *scratch;
	struct span span;
	size_t n = 0;

	trials = calloc(2 * s->n_rounds + 1, sizeof(*trials));
	if (!trials)
		return summary;
	scratch = trials + s->n_rounds;
	for (size_t i = 0; i < s->n_rounds; i = span.end) {
		span = span_from(s, i);
		trials[n] = trial_price(s, span, price, scratch);
		if (!isnan(trials[n]))
			n++;
	}
	summary = stopped ? stats_summarize_stopped(trials, n) : stats_summarize(trials, n);
	free(trials);
	return summary;
}

size_t model_trial_prices(const struct model_scenario *s, enum model_denominator denominator,
			  double *ret_prices, size_t n)
{
	round_price *price = denominator == MODEL_PER_FAULT ? per_fault : main_price(s);
	double *scratch;
	struct span span;
	size_t count = 0;

	scratch = calloc(s->n_rounds + 1, sizeof(*scratch));
	if (!scratch)
		return 0;
	for (size_t i = 0; i < s->n_rounds && s->rounds[i].trial < n; i = span.end) {
		for (span = span_from(s, i); count < s->rounds[i].trial; count++)
			ret_prices[count] = NAN;
		ret_prices[count++] = trial_price(s, span, price, scratch);
	}
	free(scratch);
	return count;
}

static int by_trial_and_round(const void *a, const void *b)
{
	const struct model_round *x = a;
	const struct model_round *y = b;

	if (x->trial != y->trial)
		return x->trial < y->trial ? -1 : 1;
	return (x->round > y->round) - (x->round < y->round);
}

static void sort_rounds(struct model_scenario *s)
{
	if (s->n_rounds > 1)
		qsort(s->rounds, s->n_rounds, sizeof(*s->rounds), by_trial_and_round);
}

/* --- first rounds ----------------------------------------------------------------------------- */

enum { MIN_ROUNDS_TO_JUDGE = 3 };

/* First round of a trial to the median of its others; NaN with too few rounds. */
static double first_to_others(const struct model_scenario *s, struct span span, double *scratch)
{
	double first = NAN;
	size_t n = 0;

	for (size_t i = span.begin; i < span.end; i++) {
		const struct model_round *r = &s->rounds[i];

		if (!model_round_is_valid(s, r))
			continue;
		if (r->round == 0)
			first = per_page(s, r);
		else
			scratch[n++] = per_page(s, r);
	}
	if (n + 1 < MIN_ROUNDS_TO_JUDGE)
		return NAN;
	return first / stats_median(scratch, n);
}

/*
 * The first round differs where nine of ten trials are off on the same side and the middle one by
 * more than a tenth: a storage cache, or memory the host had to find anew. Such rounds are named
 * and left out; averaged in they would be neither the first price nor the steady one.
 */
static void judge_first_rounds(struct model_scenario *s)
{
	size_t n_ratios = 0, n_above = 0, n_below = 0;
	double *ratios, *scratch;
	struct span span;

	s->first_round_left = false;
	s->first_round_ratio = NAN;
	ratios = calloc(2 * s->n_rounds + 1, sizeof(*ratios));
	if (!ratios)
		return;
	scratch = ratios + s->n_rounds;
	for (size_t i = 0; i < s->n_rounds; i = span.end) {
		double ratio;

		span = span_from(s, i);
		ratio = first_to_others(s, span, scratch);
		if (isnan(ratio))
			continue;
		ratios[n_ratios++] = ratio;
		n_above += ratio > 1.05;
		n_below += ratio < 0.95;
	}
	if (n_ratios >= MIN_ROUNDS_TO_JUDGE) {
		s->first_round_ratio = stats_median(ratios, n_ratios);
		s->first_round_left =
			!s->side && /* of both sides or of none */
			10 * (n_above > n_below ? n_above : n_below) >= 9 * n_ratios &&
			(s->first_round_ratio > 1.1 || s->first_round_ratio < 0.9);
	}
	free(ratios);
}

/* --- counts, times, warnings -------------------------------------------------------------------- */

/* A few stray ones are allowed for; one fault a huge page is few, too, but claimed. */
static bool claims_no_trap(const struct model_scenario *s)
{
	return s->ledger.trap.lo <= 0 && s->ledger.trap.hi <= 0.01;
}

/* User and system time are sampled by the tick, 100 to 1000 times a second. */
enum { LEAST_SAMPLED_NS = 500000000 };

static void derive_counts(struct model_scenario *s)
{
	double minor = 0, major = 0, trap = 0, taken = 0, pages = 0, sleeps = 0, filled = 0;
	double counted =
		0; /* pages of rounds whose traps were: not all of them in a run with two sides */
	bool kernel_counted = true;

	s->n_invalid = 0;
	s->times = (struct model_times){0};
	for (size_t i = 0; i < s->n_rounds; i++) {
		const struct model_round *r = &s->rounds[i];

		s->n_invalid += !model_round_is_valid(s, r);
	}
	for (size_t i = 0; i < s->n_rounds; i++) {
		const struct model_round *r = &s->rounds[i];

		/* where every round is invalid its counts are still shown: they say why */
		if (!model_round_is_valid(s, r) && s->n_invalid < s->n_rounds)
			continue;
		pages += (double)s->n_pages;
		minor += (double)r->minor;
		major += (double)r->major;
		sleeps += (double)r->nvcsw;
		taken += (double)faults_taken(r);
		if (r->trap_user != MODEL_NOT_COUNTED) {
			counted += (double)s->n_pages;
			trap += (double)traps(r);
			filled += (double)model_round_populated(r);
			kernel_counted = kernel_counted && r->trap_kernel != MODEL_NOT_COUNTED;
		}
		s->times.wall_ns += r->elapsed_ns;
		s->times.user_ns += r->user_ns;
		s->times.sys_ns += r->sys_ns;
		s->times.blocked_ns += r->blocked_ns;
		s->times.run_delay_ns += r->run_delay_ns;
	}
	s->times.split_known = s->times.wall_ns >= LEAST_SAMPLED_NS;
	s->minor_per_page = pages > 0 ? minor / pages : NAN;
	s->major_per_page = pages > 0 ? major / pages : NAN;
	s->sleeps_per_page = pages > 0 ? sleeps / pages : NAN;
	s->traps_counted = counted > 0;
	s->trap_per_page = s->traps_counted ? trap / counted : NAN;
	s->populated_per_page = s->traps_counted && kernel_counted ? filled / counted : NAN;
	s->pages_per_fault = taken > 0 && !claims_no_trap(s) ? pages / taken : NAN;
}

static void derive_per_fault(struct model_scenario *s, bool stopped)
{
	s->no_ns_per_fault = NULL;
	s->ns_per_fault = no_summary;
	if (s->n_invalid == s->n_rounds)
		s->no_ns_per_fault = "no valid round";
	else if (claims_no_trap(s) && s->ledger.minor.lo > 0)
		s->no_ns_per_fault =
			"the pages are populated inside a system call, no fault is taken";
	else if (claims_no_trap(s))
		s->no_ns_per_fault = "no fault is taken";
	else
		s->ns_per_fault = summarize(s, per_fault, stopped);
	if (!s->no_ns_per_fault && s->ns_per_fault.n == 0)
		s->no_ns_per_fault = "no fault was taken";
}

/* A figure of a round; NaN where it was not taken. */
typedef double round_figure(const struct model_round *r);

static double known(int64_t count)
{
	return count < 0 ? NAN : (double)count; /* a document may hold anything */
}

static double resident_before(const struct model_round *r)
{
	return known(r->resident_before);
}

static double resident_after(const struct model_round *r)
{
	return known(r->resident_after);
}

static double page_table_bytes(const struct model_round *r)
{
	return known(r->page_table_bytes);
}

static double cycles(const struct model_round *r)
{
	return known(r->cycles);
}

static double instructions(const struct model_round *r)
{
	return known(r->instructions);
}

static double dtlb_load_misses(const struct model_round *r)
{
	return known(r->dtlb_load_misses);
}

/* Median over the valid rounds that have the figure: the lower of two middle ones, as counts are whole. */
static double median_figure(const struct model_scenario *s, round_figure *figure)
{
	double *values, median = NAN;
	size_t n = 0;

	values = calloc(s->n_rounds + 1, sizeof(*values));
	if (!values)
		return NAN;
	for (size_t i = 0; i < s->n_rounds; i++)
		if (model_round_is_valid(s, &s->rounds[i]) && !isnan(figure(&s->rounds[i])))
			values[n++] = figure(&s->rounds[i]);
	stats_sort(values, n);
	if (n)
		median = values[(n - 1) / 2];
	free(values);
	return median;
}

static void derive_pmu(struct model_scenario *s)
{
	double pages = s->n_accesses ? NAN : (double)s->n_pages;
	double accesses = s->n_accesses ? (double)s->n_accesses : NAN;
	double n_cycles = median_figure(s, cycles);
	double n_instructions = median_figure(s, instructions);
	double misses = median_figure(s, dtlb_load_misses);

	s->instructions_per_cycle = n_instructions / n_cycles;
	s->cycles_per_page = n_cycles / pages;
	s->instructions_per_page = n_instructions / pages;
	s->dtlb_load_misses_per_page = misses / pages;
	s->cycles_per_access = n_cycles / accesses;
	s->dtlb_load_misses_per_access = misses / accesses;
}

static size_t count_marks(const struct model_scenario *s, uint32_t mark)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_rounds; i++)
		n += (s->rounds[i].marks & mark) != 0;
	return n;
}

static const char *proof_text(uint32_t marks)
{
	if (marks & MODEL_MARK_NOT_TOUCHED)
		return "the pages do not hold what the loop should have met";
	if (marks & MODEL_MARK_NOT_CACHED)
		return "pages of the file had left the page cache: somebody dropped them, or memory "
		       "is short";
	if (marks & MODEL_MARK_NOT_COLD)
		return "pages of the file were cached already, or none had to be read";
	return "the kernel used another page size than the scenario claims";
}

static void warn_of_ledger(struct model_scenario *s)
{
	const struct model_round *r = s->rounds;
	double n = (double)s->n_pages;
	size_t proofs = count_marks(s, MODEL_MARKS_INVALID);

	/* the round that is told of: a proof that failed goes before counts */
	while (proofs ? !(r->marks & MODEL_MARKS_INVALID) : model_round_is_valid(s, r))
		r++;
	if (proofs)
		model_warn(s->warnings, &s->n_warnings, "ledger", "%zu of %zu rounds: %s",
			   s->n_invalid, s->n_rounds, proof_text(r->marks));
	else if (traps(r) == MODEL_NOT_COUNTED)
		model_warn(
			s->warnings, &s->n_warnings, "ledger",
			"%zu of %zu rounds counted other faults than claimed: %.4f minor, %.4f major "
			"a page; claimed %g to %g and %g to %g",
			s->n_invalid, s->n_rounds, (double)r->minor / n, (double)r->major / n,
			s->ledger.minor.lo, s->ledger.minor.hi, s->ledger.major.lo,
			s->ledger.major.hi);
	else
		model_warn(
			s->warnings, &s->n_warnings, "ledger",
			"%zu of %zu rounds counted other faults than claimed: %.4f minor, %.4f major, "
			"%.4f traps a page; claimed %g to %g, %g to %g, %g to %g",
			s->n_invalid, s->n_rounds, (double)r->minor / n, (double)r->major / n,
			(double)traps(r) / n, s->ledger.minor.lo, s->ledger.minor.hi,
			s->ledger.major.lo, s->ledger.major.hi, s->ledger.trap.lo,
			s->ledger.trap.hi);
	s->verdict = MODEL_INVALID;
}

bool model_bench_stops_rows(const struct model_bench *doc)
{
	return doc->options.precision > 0 && !doc->ab.setting[0];
}

void model_scenario_derive(const struct model_bench *doc, struct model_scenario *s)
{
	bool stopped = model_bench_stops_rows(doc);

	s->verdict = MODEL_NO_VERDICT;
	s->n_warnings = 0;
	sort_rounds(s);
	model_noise_mark(s);
	derive_counts(s);
	judge_first_rounds(s);
	s->ns_per_page = s->n_accesses ? no_summary : summarize(s, per_page, stopped);
	s->ns_per_access = s->n_accesses ? summarize(s, per_access, stopped) : no_summary;
	derive_per_fault(s, stopped);
	model_series_find(s);
	s->resident_before = median_figure(s, resident_before);
	s->resident_after = median_figure(s, resident_after);
	s->page_table_bytes = median_figure(s, page_table_bytes);
	derive_pmu(s);
	if (s->n_rounds == 0)
		return;
	s->verdict = MODEL_VALID;
	model_noise_warn(s);
	model_series_warn(&doc->machine, s);
	if (s->n_invalid)
		warn_of_ledger(s);
}

void model_bench_derive(struct model_bench *doc)
{
	model_noise_derive(doc);
	for (size_t i = 0; i < doc->n_scenarios; i++)
		model_scenario_derive(doc, &doc->scenarios[i]);
	model_scenario_derive(doc, &doc->floor);
}
