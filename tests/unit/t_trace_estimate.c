/* SPDX-License-Identifier: MIT */
/* What faults cost by counts and prices: the parts, their intervals, the cap, the share. */
#include "tests/tap.h"
#include "tests/unit/made_up_trace.h"

static struct model_trace *doc;
static int64_t *f; /* its figures */

static void begin(void)
{
	model_trace_free(doc);
	doc = made_up_trace();
	f = doc->evidence.figures;
}

static void is_span(struct model_span got, double lo, double mid, double hi, const char *name)
{
	t_is_double(got.lo, lo, 1, "%s: the least", name);
	t_is_double(got.mid, mid, 1, "%s: the middle", name);
	if (isinf(hi))
		t_ok(isinf(got.hi), "%s: no upper end", name);
	else
		t_is_double(got.hi, hi, 1, "%s: the most", name);
}

static void test_minor(void)
{
	begin();
	made_up_faults(doc, 10000, 0);
	model_trace_estimate(doc);
	is_span(doc->totals.parts[MODEL_PART_MINOR].time, 10000 * 900, 10000 * 2000, 10000 * 4400,
		"10,000 minor faults, from a zero page to a cached file");
	is_span(doc->totals.time_ns, 9e6, 20e6, 44e6, "and nothing else");
	t_is_double(doc->totals.share.mid, 0.02, 1e-9, "20 ms of a second on the CPU");
	t_is_double(doc->totals.share.lo, 0.009, 1e-9, "the least of it");
	t_is_double(doc->totals.share.hi, 0.044, 1e-9, "the most of it");
	t_is_double(doc->totals.share_of_wall, 0.02, 1e-9, "of the wall time, too");
	t_ok(isnan(doc->totals.uncapped_ns), "nothing was capped");
	doc->wall_ns = 100000 * MADE_UP_MS;
	model_trace_estimate(doc);
	t_is_double(doc->totals.share.mid, 0.02, 1e-9, "a long sleep does not thin out the share");
	t_is_double(doc->totals.share_of_wall, 0.0002, 1e-9, "only that of the wall time");
	doc->prices.rows[MODEL_PRICE_CACHED_FILE].ns = 0;
	doc->prices.rows[MODEL_PRICE_ZERO_READ].ns = 0;
	model_trace_estimate(doc);
	is_span(doc->totals.time_ns, 18e6, 20e6, 22e6, "with one price only its own interval");
}

static uint64_t n_huge(void)
{
	model_trace_estimate(doc);
	return doc->totals.parts[MODEL_PART_HUGE].count;
}

static void test_huge(void)
{
	begin();
	made_up_faults(doc, 1000, 0);
	f[MODEL_MAX_RESIDENT] = f[MODEL_SMAPS_RSS] = 210 * MADE_UP_MIB;
	f[MODEL_SMAPS_ANON_HUGE] = 200 * MADE_UP_MIB;
	f[MODEL_HUGE_FAULTS] = 1 << 20;
	t_is_u64(n_huge(), 50, "200 MiB seen in huge pages of 4 MiB");
	t_is_u64(doc->totals.parts[MODEL_PART_MINOR].count, 950, "are not priced as small ones");
	is_span(doc->totals.parts[MODEL_PART_HUGE].time, 50 * 450000, 50 * 500000, 50 * 550000,
		"50 huge pages");
	f[MODEL_MAX_RESIDENT] = 250 * MADE_UP_MIB;
	t_is_u64(n_huge(), 60, "what became resident later, in 1,000 faults, must be ten more");
	is_span(doc->totals.parts[MODEL_PART_HUGE].time, 50 * 450000, 60 * 500000, 60 * 550000,
		"of which 50 were seen");
	made_up_faults(doc, 20000, 0);
	f[MODEL_MAX_RESIDENT] = 250 * MADE_UP_MIB;
	f[MODEL_SMAPS_RSS] = 210 * MADE_UP_MIB;
	t_is_u64(n_huge(), 50, "in 20,000 faults it can be small pages");
	is_span(doc->totals.parts[MODEL_PART_HUGE].time, 50 * 450000, 50 * 500000, 60 * 550000,
		"or ten more");
	f[MODEL_HUGE_FAULTS] = 30;
	t_is_u64(n_huge(), 30, "no more than the whole system took: the rest was collapsed later");
	made_up_faults(doc, 20, 0);
	f[MODEL_HUGE_FAULTS] = 1 << 20;
	t_is_u64(n_huge(), 20, "no more than there were faults");
	t_is_u64(doc->totals.parts[MODEL_PART_MINOR].count, 0, "which leaves none");
}

/* A run too short to be seen at its full size. */
static void test_huge_unseen(void)
{
	begin();
	made_up_faults(doc, 364, 0);
	f[MODEL_MAX_RESIDENT] = 120 * MADE_UP_MIB;
	f[MODEL_SMAPS_RSS] = 10 * MADE_UP_MIB;
	f[MODEL_SMAPS_ANON_HUGE] = 4 * MADE_UP_MIB;
	f[MODEL_HUGE_FAULTS] = 25;
	t_is_u64(n_huge(), 25,
		 "25 of 364 faults must have brought huge pages: they brought 120 MiB");
	is_span(doc->totals.parts[MODEL_PART_HUGE].time, 450000, 25 * 500000, 25 * 550000,
		"one of them was seen");
	f[MODEL_HUGE_FAULTS] = 5000;
	t_is_u64(n_huge(), 28, "others' huge pages count no more than would have fitted");
	made_up_faults(doc, 120 * 128, 0);
	f[MODEL_SMAPS_RSS] = f[MODEL_SMAPS_ANON_HUGE] = MODEL_NOT_COUNTED;
	t_is_u64(n_huge(), 0, "nor are they believed where small pages explain all");
	t_ok(doc->totals.parts[MODEL_PART_HUGE].time.hi > 0, "they could be");
	made_up_faults(doc, 364, 0);
	f[MODEL_MAX_RESIDENT] = 120 * MADE_UP_MIB;
	f[MODEL_RSS_FILE] = 110 * MADE_UP_MIB;
	t_is_u64(n_huge(), 1, "mapped files need no huge pages");
	f[MODEL_RSS_FILE] = 0;
	f[MODEL_HUGE_FAULTS] = 0;
	t_is_u64(n_huge(), 0, "none on the whole system: none here");
	t_ok(!model_trace_needs(doc, MODEL_PRICE_HUGE), "and no price is needed");
	f[MODEL_SMAPS_RSS] = 0;
	f[MODEL_HUGE_FAULTS] = 2;
	t_ok(model_trace_needs(doc, MODEL_PRICE_HUGE), "with two it is");
	doc->prices.rows[MODEL_PRICE_HUGE].ns = 0;
	model_trace_estimate(doc);
	t_ok(isnan(doc->totals.time_ns.mid) && isfinite(doc->totals.time_ns.hi),
	     "without a price the middle is unknown, and the most is what the run can have spent");
	doc->machine.n_facts = 1; /* page_bytes alone */
	t_is_u64(n_huge(), 0, "a machine without huge pages");
	t_ok(!isnan(doc->totals.time_ns.mid), "needs no price of one");
}

static void test_major(void)
{
	begin();
	made_up_faults(doc, 100, 5000);
	doc->wall_ns = 2000 * MADE_UP_MS;
	model_trace_estimate(doc);
	is_span(doc->totals.parts[MODEL_PART_MAJOR].time, 5000 * 900, 5000 * 1e5, 5000 * 1.1e5,
		"5,000 major faults, from none that had to wait to all");
	t_is_double(doc->totals.share.mid, 500.2 / (1000 + 450), 1e-6,
		    "nine tenths of that are sleep, beside a second on the CPU");
	doc->prices.rows[MODEL_PRICE_DISK_WAIT].ns = 0;
	model_trace_estimate(doc);
	t_ok(isnan(doc->totals.time_ns.mid), "without a price of the disk unknown");
	is_span(doc->totals.time_ns, 5000 * 900 + 100 * 900, NAN, 1200e6,
		"but as an interval up to system time and sleep");
	t_ok(model_trace_needs(doc, MODEL_PRICE_DISK_WAIT), "so it is needed");
	made_up_faults(doc, 100, 1);
	doc->wall_ns = 20000 * MADE_UP_MS;
	model_trace_estimate(doc);
	t_ok(!model_trace_needs(doc, MODEL_PRICE_DISK_WAIT),
	     "one major fault in 20 s is too little to be priced");
	is_span(doc->totals.time_ns, 90000, 200000, 440000 + 1e7,
		"and does not make the rest unknown");
}

static void test_readahead(void)
{
	begin();
	made_up_faults(doc, 500, 1);
	doc->wall_ns = 2000 * MADE_UP_MS;
	f[MODEL_DISK_READ] = f[MODEL_IO_READ] = 128 * MADE_UP_MIB;
	f[MODEL_IO_RCHAR] = 1 * MADE_UP_MIB;
	f[MODEL_MAX_RESIDENT] = 8192 * 500;
	f[MODEL_RSS_FILE] = 120 * MADE_UP_MIB;
	model_trace_estimate(doc);
	t_is_u64(doc->totals.parts[MODEL_PART_READAHEAD].count, 120 * 128 - 1,
		 "120 MiB of a file were mapped, and came from disk");
	is_span(doc->totals.parts[MODEL_PART_READAHEAD].time, 0, 15359 * 5000.0, 16383 * 5500.0,
		"each page at its price; at the most all that was read");
	f[MODEL_IO_RCHAR] = 100 * MADE_UP_MIB;
	model_trace_estimate(doc);
	t_is_u64(doc->totals.parts[MODEL_PART_READAHEAD].count, 28 * 128 - 1,
		 "what read(2) gave was not mapped");
	f[MODEL_IO_RCHAR] = 200 * MADE_UP_MIB;
	model_trace_estimate(doc);
	t_is_u64(doc->totals.parts[MODEL_PART_READAHEAD].count, 0, "where it gave all, none was");
	f[MODEL_IO_RCHAR] = 1 * MADE_UP_MIB;
	f[MODEL_IO_READ] = 4 * MADE_UP_MIB;
	model_trace_estimate(doc);
	t_is_u64(doc->totals.parts[MODEL_PART_READAHEAD].count, 96 * 128 - 1,
		 "where io is old, three quarters then are three quarters at the end");
	f[MODEL_IO_READ] = 0;
	model_trace_estimate(doc);
	t_is_u64(doc->totals.parts[MODEL_PART_READAHEAD].count, 0, "nothing then is no share");
	f[MODEL_IO_READ] = 128 * MADE_UP_MIB;
	f[MODEL_IO_RCHAR] = MODEL_NOT_COUNTED;
	model_trace_estimate(doc);
	t_is_u64(doc->totals.parts[MODEL_PART_READAHEAD].count, 0, "nor is it believed unread");
	f[MODEL_IO_RCHAR] = 0;
	f[MODEL_RSS_FILE] = MODEL_NOT_COUNTED;
	f[MODEL_MAX_RESIDENT] = 64 * MADE_UP_MIB + 8192 * 500;
	model_trace_estimate(doc);
	t_is_u64(doc->totals.parts[MODEL_PART_READAHEAD].count, 64 * 128 - 1,
		 "resident memory that minor faults do not explain is files");
	f[MODEL_MAX_RESIDENT] = 8192 * 500;
	model_trace_estimate(doc);
	t_is_u64(doc->totals.parts[MODEL_PART_READAHEAD].count, 0,
		 "directories read from disk are mapped nowhere");
	t_ok(model_trace_needs(doc, MODEL_PRICE_DISK_PAGE), "that much needs a price");
	f[MODEL_DISK_READ] = 8192 * 20;
	t_ok(!model_trace_needs(doc, MODEL_PRICE_DISK_PAGE), "20 pages in 2 s do not");
}

static void test_cap(void)
{
	begin();
	made_up_faults(doc, 150000, 0);
	model_trace_estimate(doc);
	t_is_double(doc->totals.time_ns.mid, 200e6, 1, "300 ms of faults in 200 ms of system time");
	t_is_double(doc->totals.uncapped_ns, 300e6, 1, "are cut, and what they were is kept");
	t_is_double(doc->totals.time_ns.hi, 200e6, 1, "so is the most");
	t_is_double(doc->totals.time_ns.lo, 135e6, 1, "the least fits");
	doc->user_ns = 240 * MADE_UP_MS;
	model_trace_estimate(doc);
	t_is_double(doc->totals.time_ns.mid, 300e6, 1,
		    "in a run too short to tell user from system, all CPU time is the cap");
	begin();
	made_up_faults(doc, 0, 20000);
	doc->wall_ns = 1500 * MADE_UP_MS;
	model_trace_estimate(doc);
	t_is_double(doc->totals.time_ns.mid, 700e6, 1,
		    "2 s of waits in a run that slept 500 ms and was 200 ms in the kernel");
	t_is_double(doc->totals.share.hi, 0.7 / 1.5, 1e-9, "are at most that of its time");
	f[MODEL_RUN_DELAY] = 300 * (int64_t)MADE_UP_MS;
	model_trace_estimate(doc);
	t_is_double(doc->totals.time_ns.mid, 400e6, 1, "less where it waited for a CPU instead");
	f[MODEL_THREADS] = 3;
	model_trace_estimate(doc);
	t_is_double(doc->totals.time_ns.mid, 2000e6, 1, "with three threads they fit");
	f[MODEL_THREADS] = 1;
	f[MODEL_OWN_MAJOR] = 100;
	model_trace_estimate(doc);
	t_is_double(doc->totals.time_ns.mid, 2000e6, 1, "and where descendants took them");
	f[MODEL_OWN_MAJOR] = 20000;
	f[MODEL_THREADS] = MODEL_NOT_COUNTED;
	model_trace_estimate(doc);
	t_is_double(doc->totals.time_ns.mid, 2000e6, 1, "and where nobody saw how many there were");
	doc->wall_ns = 100 * MADE_UP_MS;
	f[MODEL_THREADS] = 1;
	model_trace_estimate(doc);
	t_is_double(doc->totals.time_ns.mid, 200e6, 1,
		    "more CPU than wall time is no negative sleep");
}

static void test_nothing(void)
{
	begin();
	doc->user_ns = doc->sys_ns = doc->wall_ns = 0;
	model_trace_estimate(doc);
	t_is_double(doc->totals.time_ns.mid, 0, 0, "a run without time has spent none");
	t_is_double(doc->totals.share.mid, 0, 0, "and no share of it");
	t_ok(isnan(doc->totals.share_of_wall), "of no wall time");
	begin();
	made_up_faults(doc, 0, 0);
	model_trace_estimate(doc);
	is_span(doc->totals.time_ns, 0, 0, 0, "no fault");
	model_trace_free(doc);
	doc = model_trace_new(); /* knows nothing at all */
	model_trace_derive(doc);
	t_ok(doc->verdict.text[0] != 0, "an empty document has a verdict all the same");
	doc->n_minor = 100;
	doc->wall_ns = doc->user_ns = MADE_UP_MS;
	model_trace_derive(doc);
	t_ok(isnan(doc->totals.time_ns.mid) && doc->verdict.id == MODEL_CANNOT_TELL,
	     "without prices there is no estimate");
}

int main(void)
{
	test_minor();
	test_huge();
	test_huge_unseen();
	test_major();
	test_readahead();
	test_cap();
	test_nothing();
	model_trace_free(doc);
	return t_done();
}
