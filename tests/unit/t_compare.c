/* SPDX-License-Identifier: MIT */
/* Two sides compared: each verdict, each refusal, boots, earlier runs, and prices over time. */
#include "src/base/why.h"
#include "src/model/compare.h"
#include "src/model/side.h"
#include "tests/tap.h"
#include "tests/unit/made_up.h"

#include <errno.h>
#include <string.h>

/* Runs of a machine, each with one row of one price. */
struct made_up {
	const char *kernel, *boot;
	int minute; /* when the run was started; */
	double ns;
};

static struct model_bench *make(struct made_up m)
{
	struct model_bench *doc = model_bench_new();

	made_up_trials(made_up_scenario(doc, "anon_write"), 7, m.ns, 0.001 * m.ns);
	(void)snprintf(doc->started, sizeof(doc->started), "2001-02-03T04:%02d:00Z", m.minute);
	sys_machine_add_text(&doc->machine, "cpu", "made up");
	sys_machine_add_text(&doc->machine, "kernel", m.kernel);
	sys_machine_add_text(&doc->machine, "boot_id", m.boot);
	model_bench_derive(doc);
	return doc;
}

static void add_document(struct model_side *side, struct model_bench *doc)
{
	model_bench_derive(doc);
	if (model_side_add(side, doc, "doc.json") < 0)
		abort();
	model_bench_free(doc);
}

static void add(struct model_side *side, struct made_up m)
{
	add_document(side, make(m));
}

/* A side of one kernel and boot, a run each other minute, so that two sides can be interleaved. */
static struct model_side *side_of(const char *name, int minute, const double *prices, size_t n)
{
	struct model_side *side = model_side_new(name);

	for (size_t i = 0; i < n; i++)
		add(side, (struct made_up){"6.1", "boot", minute + 2 * (int)i, prices[i]});
	return side;
}

static struct model_compare *compare_with(struct model_side *a, struct model_side *b,
					  const struct model_side *known)
{
	struct model_compare_input input = {.a = a, .b = b, .known_a = known, .known_b = known};
	struct model_compare *doc = model_compare_new();
	struct why why;

	if (model_compare_sides(doc, &input, &why) < 0) {
		t_note("%s", why.text);
		abort();
	}
	return doc;
}

static struct model_compare *compare(struct model_side *a, struct model_side *b)
{
	return compare_with(a, b, NULL);
}

static bool warns(const struct model_compare *doc, const char *id)
{
	for (unsigned i = 0; i < doc->n_warnings; i++)
		if (strcmp(doc->warnings[i].id, id) == 0)
			return true;
	return false;
}

static void drop(struct model_compare *doc, struct model_side *a, struct model_side *b)
{
	model_compare_free(doc);
	model_side_free(a);
	model_side_free(b);
}

/* --- verdicts -------------------------------------------------------------------------------------- */

static void test_judge(void)
{
	t_ok(model_change_judge(1.001, 1.2) == MODEL_CHANGE_SLOWER, "all above 1 is slower");
	t_ok(model_change_judge(0.8, 0.999) == MODEL_CHANGE_FASTER, "all below 1 is faster");
	t_ok(model_change_judge(0.97, 1.03) == MODEL_CHANGE_NONE, "within 3 %% is no change");
	t_ok(model_change_judge(0.96, 1.01) == MODEL_CHANGE_UNKNOWN, "wider cannot tell");
	t_ok(model_change_judge(0.99, 1.04) == MODEL_CHANGE_UNKNOWN, "on either side");
	t_ok(model_change_judge(1.01, 1.02) == MODEL_CHANGE_SLOWER, "a small change is one");
	t_ok(model_change_judge(NAN, NAN) == MODEL_CHANGE_UNKNOWN &&
		     model_change_judge(NAN, 0.5) == MODEL_CHANGE_UNKNOWN,
	     "no interval cannot tell");
}

struct verdict_case {
	const char *title;
	double a[3], b[3];
	enum model_change verdict;
};

static const struct verdict_case verdict_cases[] = {
	{"slower", {100, 101, 102}, {110, 111, 112}, MODEL_CHANGE_SLOWER},
	{"faster", {110, 111, 112}, {100, 101, 102}, MODEL_CHANGE_FASTER},
	{"no change", {100, 100.5, 101}, {100.2, 100.6, 100.9}, MODEL_CHANGE_NONE},
	{"cannot tell", {90, 100, 110}, {95, 105, 115}, MODEL_CHANGE_UNKNOWN},
};

static void test_verdicts(void)
{
	for (size_t i = 0; i < sizeof(verdict_cases) / sizeof(verdict_cases[0]); i++) {
		const struct verdict_case *c = &verdict_cases[i];
		struct model_side *a = side_of("A", 0, c->a, 3), *b = side_of("B", 1, c->b, 3);
		struct model_compare *doc = compare(a, b);
		const struct model_compare_row *row = &doc->rows[0];

		t_is_str(model_change_name(row->verdict), c->title, "three a side: %s", c->title);
		t_ok(row->lo < row->ratio && row->ratio < row->hi && row->detectable > 0,
		     "%s: an interval, and what is detectable", c->title);
		t_ok(row->n_a == 3 && row->n_b == 3 && row->n_known == 0, "%s: of three", c->title);
		drop(doc, a, b);
	}
}

static void test_numbers(void)
{
	const double a[] = {100, 110, 121}, b[] = {200, 220, 242};
	struct model_side *sa = side_of("A", 0, a, 3), *sb = side_of("B", 1, b, 3);
	struct model_compare *doc = compare(sa, sb);
	double se = log(1.1) * sqrt(2.0 / 3), factor = exp(2.7764451052 * se);

	/* trials step by 0.001 of the price, so that a median of seven is 1.003 of it */
	t_is_double(doc->rows[0].a_ns, 110 * 1.003, 0.01, "the price of a side: a geometric mean");
	t_is_double(doc->rows[0].ratio, 2, 1e-4, "the ratio");
	t_is_double(doc->rows[0].lo, 2 / factor, 1e-3, "Student's t of four degrees of freedom");
	t_is_double(doc->rows[0].hi, 2 * factor, 1e-3, "on both sides");
	t_is_double(doc->rows[0].detectable, exp((2.7764451052 + 0.9409645) * se) - 1, 1e-3,
		    "the smallest change detectable");
	drop(doc, sa, sb);
}

/* Three runs that agree to a hair are no proof: each is known to its own interval only. */
static void test_floor(void)
{
	const double prices[] = {100, 100.001, 100.002}, others[] = {101, 101.001, 101.002};
	struct model_side *sides[] = {model_side_new("A"), model_side_new("B")};
	struct model_compare *doc;

	for (int s = 0; s < 2; s++)
		for (int i = 0; i < 3; i++) {
			struct model_bench *run = model_bench_new();

			(void)snprintf(run->started, sizeof(run->started), "2001-02-03T%02d:%02dZ",
				       i, s);
			made_up_trials(made_up_scenario(run, "anon_write"), 7,
				       (s ? others : prices)[i] - 30, 10);
			add_document(sides[s], run);
		}
	doc = compare(sides[0], sides[1]);
	t_ok(doc->rows[0].verdict == MODEL_CHANGE_UNKNOWN && doc->rows[0].hi > 1.2,
	     "runs that happen to agree spread no less than each is known to");
	drop(doc, sides[0], sides[1]);
}

/* --- few documents --------------------------------------------------------------------------------- */

static void test_single(void)
{
	const double one[] = {100}, two[] = {200}, known[] = {100, 101, 102, 103};
	struct model_side *a = side_of("A", 0, one, 1), *b = side_of("B", 1, two, 1);
	struct model_side *earlier = side_of("earlier", 10, known, 4);
	struct model_compare *doc = compare(a, b);

	t_ok(doc->rows[0].verdict == MODEL_CHANGE_UNKNOWN && isnan(doc->rows[0].lo) &&
		     isnan(doc->rows[0].detectable),
	     "one document a side cannot tell, however far apart");
	t_is_double(doc->rows[0].ratio, 2, 1e-6, "but has its ratio");
	t_contains(doc->rows[0].reason, "how runs spread is not known", "and says why");
	t_ok(model_compare_wants_known(a, b), "earlier runs would help");
	model_compare_free(doc);
	doc = compare_with(a, b, earlier);
	t_is_str(model_change_name(doc->rows[0].verdict), "slower", "with earlier runs it can");
	t_is_u64(doc->rows[0].n_known, 4, "and says how many");
	t_is_str(doc->rows[0].reason, "", "without a remark");
	model_compare_free(doc);
	model_side_free(earlier);
	earlier = side_of("earlier", 10, known, 2);
	doc = compare_with(a, b, earlier);
	t_ok(isnan(doc->rows[0].lo), "two earlier runs are too few");
	model_side_free(earlier);
	drop(doc, a, b);
}

static void test_two(void)
{
	const double a[] = {100, 100.1, 100.2}, b[] = {200, 200.1};
	struct model_side *three = side_of("A", 0, a, 3), *two = side_of("B", 1, b, 2);
	struct model_side *other = side_of("A", 0, a, 2);
	struct model_compare *doc = compare(other, two);

	t_ok(isnan(doc->rows[0].lo) && doc->rows[0].verdict == MODEL_CHANGE_UNKNOWN,
	     "two documents a side cannot tell by themselves");
	model_compare_free(doc);
	model_side_free(other);
	doc = compare(three, two);
	t_is_str(model_change_name(doc->rows[0].verdict), "slower",
		 "three on one side tell how runs of that machine spread");
	drop(doc, three, two);
}

/* Runs of one trial have no interval, and those that agree in each digit have none of any width. */
static void test_certain_of_nothing(void)
{
	struct model_side *sides[] = {model_side_new("A"), model_side_new("B")};
	struct model_compare *doc;

	for (int i = 0; i < 6; i++) {
		struct model_bench *run =
			make((struct made_up){"6.1", "boot", i, i % 2 ? 101 : 100});

		run->scenarios[0].n_rounds = 1;
		add_document(sides[i % 2], run);
	}
	doc = compare(sides[0], sides[1]);
	t_ok(isnan(doc->rows[0].lo), "three runs of one trial that agree prove nothing");
	t_contains(doc->rows[0].reason, "give bench 2 --trials", "and it says what would help");
	drop(doc, sides[0], sides[1]);
}

/* A run that has a row twice is still one run. */
static void test_row_twice(void)
{
	struct model_side *side = model_side_new("A");
	struct model_bench *run = make((struct made_up){"6.1", "boot", 0, 100});
	struct model_bench *again = make((struct made_up){"6.1", "boot", 0, 100});

	t_ok(model_bench_add(run, "twice") != NULL, "a second row");
	run->scenarios[1] = again->scenarios[0];
	again->n_scenarios = 0;
	model_bench_free(again);
	side->by_params = true;
	add_document(side, run);
	t_ok(side->n_rows == 1 && side->rows[0].n_points == 1, "it is counted once");
	model_side_free(side);
}

static void test_other_machine_known(void)
{
	const double one[] = {100}, two[] = {200}, known[] = {100, 101, 102};
	struct model_side *a = side_of("A", 0, one, 1), *b = side_of("B", 1, two, 1);
	struct model_side *earlier = side_of("earlier", 10, known, 3);
	struct model_compare_input input = {.a = a, .b = b, .known_a = earlier};
	struct model_compare *doc = model_compare_new();

	(void)model_compare_sides(doc, &input, NULL);
	t_ok(isnan(doc->rows[0].lo), "runs of A's machine alone do not say how B's spread");
	model_side_free(earlier);
	drop(doc, a, b);
}

static void test_three_against_one(void)
{
	const double three[] = {100, 110, 120}, one[] = {100}, known[] = {100, 100.1, 100.2};
	struct model_side *a = side_of("A", 0, three, 3), *b = side_of("B", 1, one, 1);
	struct model_side *earlier = side_of("earlier", 10, known, 3);
	struct model_compare *doc = compare_with(a, b, earlier);

	t_ok(doc->rows[0].lo < 0.8 && doc->rows[0].hi > 1.05,
	     "where the compared runs spread wider than the earlier ones, that counts");
	model_side_free(earlier);
	drop(doc, a, b);
}

static void test_order(void)
{
	const double a[] = {100, 100.1, 100.2}, b[] = {103, 103.1, 103.2};
	const double known[] = {100, 110, 120};
	struct model_side *sa = side_of("A", 0, a, 3), *sb = side_of("B", 20, b, 3);
	struct model_side *earlier = side_of("earlier", 40, known, 3);
	struct model_compare *doc = compare(sa, sb);

	t_ok(warns(doc, "one-after-the-other"), "A measured before B is said");
	t_is_str(model_change_name(doc->rows[0].verdict), "slower", "and the verdict stands");
	model_compare_free(doc);
	doc = compare_with(sa, sb, earlier);
	t_is_str(model_change_name(doc->rows[0].verdict), "slower",
		 "saved runs do not change what three documents a side tell");
	model_side_free(earlier);
	drop(doc, sa, sb);
	sa = side_of("A", 0, a, 3);
	sb = side_of("B", 1, b, 3);
	doc = compare(sa, sb);
	t_ok(!warns(doc, "one-after-the-other") && !model_compare_wants_known(sa, sb),
	     "interleaved runs are not remarked upon");
	drop(doc, sa, sb);
}

/* --- boots ----------------------------------------------------------------------------------------- */

static void test_boots(void)
{
	static const char *const boots[] = {"one", "two", "three"};
	struct model_side *a = model_side_new("A"), *b = model_side_new("B");
	struct model_compare *doc;

	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 5; k++) { /* five runs of a boot agree; boots do not */
			add(a,
			    (struct made_up){"6.1", boots[i], 10 * i + k, 100 + 10 * i + 0.1 * k});
			add(b, (struct made_up){"6.2", boots[i], 30 + 10 * i + k,
						105 + 10 * i + 0.1 * k});
		}
	doc = compare(a, b);
	t_ok(doc->rows[0].n_a == 3 && doc->rows[0].n_b == 3, "boots are the unit, not documents");
	t_is_double(doc->rows[0].a_ns, cbrt(100.2 * 110.2 * 120.2) * 1.003, 0.01,
		    "a boot has the median of its documents");
	t_ok(doc->rows[0].verdict == MODEL_CHANGE_UNKNOWN,
	     "fifteen documents of three boots are three");
	t_is_u64(doc->a.n_boots, 3, "their number is kept");
	t_is_str(doc->facts[0].key, "kernel", "another kernel is a heading");
	t_is_str(doc->facts[0].b, "6.2", "with its values");
	t_is_u64(doc->n_facts, 1, "and boots are none");
	drop(doc, a, b);
}

static void test_one_boot_each(void)
{
	struct model_side *a = model_side_new("A"), *b = model_side_new("B");
	struct model_compare *doc;

	for (int i = 0; i < 3; i++) {
		add(a, (struct made_up){"6.1", "one", i, 100 + i});
		add(b, (struct made_up){"6.1", "two", 10 + i, 200 + i});
	}
	doc = compare(a, b);
	t_ok(doc->by_boots && doc->rows[0].n_a == 1 && isnan(doc->rows[0].lo),
	     "three documents of one boot do not tell how boots differ");
	t_contains(doc->rows[0].reason, "give 3 boots a side", "and it says what would");
	drop(doc, a, b);
}

/* Three boots known tell how a fourth one may differ; five runs of one boot do not. */
static void test_boots_known(void)
{
	static const char *const boots[] = {"one", "two", "three"};
	struct model_side *a = model_side_new("A"), *b = model_side_new("B");
	struct model_side *known = model_side_new("K");
	struct model_compare *doc;

	add(a, (struct made_up){"6.1", "four", 0, 100});
	add(b, (struct made_up){"6.1", "five", 1, 110});
	known->by_params = true;
	for (int i = 0; i < 5; i++)
		add(known, (struct made_up){"6.1", "one", 2 + i, 100 + 0.01 * i});
	doc = compare_with(a, b, known);
	t_ok(isnan(doc->rows[0].lo), "five runs of one boot tell nothing of boots");
	model_compare_free(doc);
	for (int i = 1; i < 3; i++)
		add(known, (struct made_up){"6.1", boots[i], 20 + i, 100 + 5 * i});
	doc = compare_with(a, b, known);
	t_ok(doc->rows[0].n_known == 3 && doc->rows[0].lo < 1 && doc->rows[0].hi > 1.2,
	     "three boots do, and a tenth is within what boots differ by");
	model_side_free(known);
	drop(doc, a, b);
}

static void test_latest_boot(void)
{
	struct model_side *side = model_side_new("runs");
	struct model_compare *doc = model_compare_new();

	side->by_params = true;
	for (int i = 0; i < 8; i++)
		add(side, (struct made_up){"6.1", "one", i, 100 + 0.01 * i});
	add(side, (struct made_up){"6.1", "two", 20, 110});
	t_is_i64(model_compare_over_time(doc, side, NULL, NULL), 0, "a history of two boots");
	t_ok(isnan(doc->rows[0].lo), "eight runs of one boot do not judge a run of the next");
	t_contains(doc->rows[0].reason, "1 earlier boots", "and it says so");
	model_compare_free(doc);
	add(side, (struct made_up){"6.1", "three", 21, 102});
	add(side, (struct made_up){"6.1", "four", 22, 101});
	add(side, (struct made_up){"6.2", "five", 23, 200});
	doc = model_compare_new();
	(void)model_compare_over_time(doc, side, NULL, NULL);
	t_ok(doc->rows[0].n_a == 4 && doc->rows[0].verdict == MODEL_CHANGE_SLOWER,
	     "four boots do, though the kernel is another one");
	model_compare_free(doc);
	model_side_free(side);
}

/* --- refusals and headings ------------------------------------------------------------------------- */

typedef void change(struct model_bench *doc);

/* Half the pages, each at the same faults. */
static void change_size(struct model_bench *doc)
{
	struct model_scenario *s = &doc->scenarios[0];

	s->n_pages /= 2;
	for (size_t i = 0; i < s->n_rounds; i++) {
		s->rounds[i].minor /= 2;
		s->rounds[i].counted_minor /= 2;
		s->rounds[i].trap_user /= 2;
	}
}

static void change_page(struct model_bench *doc)
{
	doc->scenarios[0].page_bytes *= 2;
}

static void change_ledger(struct model_bench *doc)
{
	doc->scenarios[0].ledger.minor.hi = 1.5;
}

static void change_access(struct model_bench *doc)
{
	text_copy(doc->scenarios[0].access, sizeof(doc->scenarios[0].access), "read");
}

static void change_accesses(struct model_bench *doc)
{
	doc->scenarios[0].n_accesses = 77;
}

static void change_threads(struct model_bench *doc)
{
	doc->scenarios[0].threads = 2;
}

static void change_name(struct model_bench *doc)
{
	text_copy(doc->scenarios[0].name, sizeof(doc->scenarios[0].name), "other");
}

struct refusal_case {
	change *make;
	const char *reason;
};

static const struct refusal_case refusal_cases[] = {
	{change_size, "size (pages): 7.8 MiB (1000) against 3.9 MiB (500)"},
	{change_page, "page size: 8 KiB against 16 KiB"},
	{change_ledger, "minor faults a page claimed: 1 to 1.01 against 1 to 1.5"},
	{change_access, "access: write against read"},
	{change_accesses, "accesses: 0 against 77"},
	{change_threads, "threads: 1 against 2"},
	{change_name, "only A has it"},
};

/* A changed row beside one that can be compared. */
static struct model_bench *two_rows(change *make_other, int minute)
{
	struct model_bench *doc = make((struct made_up){"6.1", "boot", minute, 100 + minute});

	if (make_other)
		make_other(doc);
	made_up_trials(made_up_scenario(doc, "anon_refault"), 7, 50, 0);
	return doc;
}

static void test_refusals(void)
{
	for (size_t i = 0; i < sizeof(refusal_cases) / sizeof(refusal_cases[0]); i++) {
		const struct refusal_case *c = &refusal_cases[i];
		struct model_side *a = model_side_new("A"), *b = model_side_new("B");
		struct model_compare *doc;

		add_document(a, two_rows(NULL, 0));
		add_document(b, two_rows(c->make, 1));
		doc = compare(a, b);
		t_is_str(doc->left[0].reason, c->reason, "not compared: %s", c->reason);
		t_ok(doc->n_rows == 1 && strcmp(doc->rows[0].scenario, "anon_refault") == 0,
		     "the other row is");
		drop(doc, a, b);
	}
}

static void test_all_refused(void)
{
	struct model_side *a = model_side_new("A"), *b = model_side_new("B");
	struct model_compare *doc = model_compare_new();
	struct model_compare_input input = {.a = a, .b = b};
	struct model_bench *other = make((struct made_up){"6.1", "boot", 1, 100});
	struct why why;

	change_size(other);
	add(a, (struct made_up){"6.1", "boot", 0, 100});
	add_document(b, other);
	t_is_i64(model_compare_sides(doc, &input, &why), -EINVAL, "nothing to compare is refused");
	t_contains(why.text, "no row can be compared: anon_write: size", "with the reason");
	input.pattern = "x*";
	model_compare_free(doc);
	doc = model_compare_new();
	t_is_i64(model_compare_sides(doc, &input, &why), -EINVAL, "so is a name that no row has");
	t_contains(why.text, "'x*'", "which is said");
	drop(doc, a, b);
}

static void test_disagreement_inside(void)
{
	struct model_side *a = model_side_new("A"), *b = model_side_new("B");
	struct model_compare *doc;

	add_document(a, two_rows(NULL, 0));
	add_document(a, two_rows(change_size, 1));
	add_document(b, two_rows(NULL, 2));
	doc = compare(a, b);
	t_is_u64(doc->n_left, 1, "a side whose documents differ is refused by row");
	t_contains(doc->left[0].reason, "A: its documents differ in size", "and says in what");
	drop(doc, a, b);
}

static void test_unpriced(void)
{
	const double one[] = {100};
	struct model_side *a = side_of("A", 0, one, 1), *b = model_side_new("B");
	struct model_bench *bad = make((struct made_up){"6.1", "boot", 1, 100});
	struct model_bench *noisy = make((struct made_up){"6.1", "boot", 3, 100});
	struct model_compare *doc;

	bad->scenarios[0].rounds[0].minor = 5;
	add_document(b, bad);
	doc = compare(a, b);
	t_ok(doc->rows[0].verdict == MODEL_CHANGE_UNKNOWN && doc->rows[0].n_b == 0 &&
		     isnan(doc->rows[0].b_ns) && isnan(doc->rows[0].ratio),
	     "an invalid row has no price");
	t_contains(doc->rows[0].reason, "1 of 1 documents of B without a price: the faults counted",
		   "which is said");
	model_compare_free(doc);
	for (size_t i = 0; i < noisy->scenarios[0].n_rounds; i++)
		noisy->scenarios[0].rounds[i].marks = MODEL_MARK_STOLEN;
	add_document(b, noisy);
	doc = compare(a, b);
	t_is_u64(doc->rows[0].n_b, 1, "a noisy one counts");
	t_contains(doc->rows[0].reason, "1 of 2 documents of B noisy", "and is said");
	drop(doc, a, b);
}

/* What the reader of a document does with a price that drifts is up to it; here it has a warning. */
static void test_drifting(void)
{
	const double one[] = {100};
	struct model_side *a = side_of("A", 0, one, 1), *b = model_side_new("B");
	struct model_bench *run = make((struct made_up){"6.1", "boot", 1, 100});
	struct model_compare *doc;

	model_warn(run->scenarios[0].warnings, &run->scenarios[0].n_warnings, "drifting",
		   "it drifts");
	(void)model_side_add(b, run, "run.json");
	model_bench_free(run);
	doc = compare(a, b);
	t_ok(doc->rows[0].verdict == MODEL_CHANGE_UNKNOWN && doc->rows[0].n_b == 0,
	     "a price that drifts is none");
	t_contains(doc->rows[0].reason, "it drifts", "for the reason that its warning gives");
	drop(doc, a, b);
}

/* A document of two sides of a setting: neither is a price of the machine. */
static void test_sides_of_a_setting(void)
{
	struct model_side *side = model_side_new("A");
	struct model_bench *run = two_rows(NULL, 0);

	text_copy(run->ab.setting, sizeof(run->ab.setting), "pages");
	add_document(side, run);
	t_ok(side->n_rows == 0 && side->n_documents == 0 && side->n_two_sided == 1,
	     "a run with two sides is no price of the machine, and is counted");
	model_side_free(side);
}

static void test_headings(void)
{
	struct model_side *a = model_side_new("A"), *b = model_side_new("B");
	struct model_bench *other = make((struct made_up){"6.2", "boot", 2, 100});
	struct model_compare *doc;

	add(a, (struct made_up){"6.1", "boot", 0, 100});
	add(a, (struct made_up){"6.1.1", "boot", 1, 100});
	text_copy(other->machine.facts[0].text, SYS_FACT_TEXT, "another CPU");
	sys_machine_add_u64(&other->machine, "memory_bytes", 1024);
	sys_machine_add_u64(&other->machine, "memory_available_bytes", 5);
	add_document(b, other);
	doc = compare(a, b);
	t_is_str(doc->facts[0].key, "cpu", "another CPU is a heading");
	t_is_str(doc->facts[1].a, "6.1, 6.1.1", "all values of a side are told");
	t_is_str(doc->facts[2].a, "not told", "what one side does not tell, too");
	t_is_str(doc->facts[2].b, "1 KiB", "bytes are told as sizes");
	t_is_u64(doc->n_facts, 3, "what changes by itself is no heading");
	t_ok(warns(doc, "other-machine"), "two machines are warned of");
	drop(doc, a, b);
}

static void test_hugetlb(void)
{
	struct model_side *sides[] = {model_side_new("A"), model_side_new("B")};
	static const char *const texts[] = {"2048kB: 16 of 32 free, 1048576kB: 1 of 1 free",
					    "2048kB: 3 of 32 free, 1048576kB: 0 of 1 free"};
	struct model_compare *doc;

	for (int i = 0; i < 2; i++) {
		struct model_bench *run = make((struct made_up){"6.1", "boot", i, 100});

		sys_machine_add_text(&run->machine, "hugetlb", texts[i]);
		add_document(sides[i], run);
	}
	doc = compare(sides[0], sides[1]);
	t_is_u64(doc->n_facts, 0, "how many pages of a pool are free is no difference");
	drop(doc, sides[0], sides[1]);
}

static void test_twice(void)
{
	const double one[] = {100};
	struct model_side *a = side_of("A", 0, one, 1), *b = side_of("B", 0, one, 1);
	struct model_compare *doc;

	add(a, (struct made_up){"6.1", "boot", 0, 100});
	doc = compare(a, b);
	t_is_u64(doc->rows[0].n_a, 1, "a copy of a run counts once");
	t_ok(warns(doc, "twice"), "which is said");
	t_ok(warns(doc, "on-both-sides"), "the same run on both sides is said");
	drop(doc, a, b);
}

/* --- over time ------------------------------------------------------------------------------------- */

static void test_over_time(void)
{
	const double prices[] = {101, 100, 102, 150};
	struct model_side *side = model_side_new("runs");
	struct model_compare *doc = model_compare_new();
	struct model_bench *other;

	side->by_params = true;
	for (int i = 3; i >= 0; i--) /* files need not be in the order of time */
		add(side, (struct made_up){"6.1", "boot", i, prices[i]});
	other = make((struct made_up){"6.1", "boot", 9, 77});
	change_size(other);
	add_document(side, other);
	t_is_i64(model_compare_over_time(doc, side, NULL, NULL), 0, "a history");
	t_is_u64(doc->n_rows, 2, "another size is a row of its own");
	t_is_double(doc->rows[0].b_ns, 150 * 1.003, 0.01, "the latest");
	t_is_str(model_change_name(doc->rows[0].verdict), "slower", "against the earlier ones");
	t_is_u64(doc->rows[0].n_a, 3, "of which there are three");
	t_is_u64(doc->histories[0].n_prices, 4, "all prices are there");
	t_is_double(doc->histories[0].prices[0], 101 * 1.003, 0.01, "in the order of time");
	t_is_double(doc->histories[0].min_ns, 100 * 1.003, 0.01, "the least");
	t_is_double(doc->histories[0].median_ns, 101.5 * 1.003, 0.01, "the median");
	t_is_double(doc->histories[0].max_ns, 150 * 1.003, 0.01, "and the largest");
	t_is_str(model_change_name(doc->rows[1].verdict), "cannot tell", "one run cannot tell");
	t_contains(doc->rows[1].reason, "0 earlier runs", "and says why");
	drop(doc, side, NULL);
}

static void test_short_history(void)
{
	const double prices[] = {100, 100.1, 200};
	struct model_side *side = side_of("runs", 0, prices, 3);
	struct model_compare *doc = model_compare_new();

	(void)model_compare_over_time(doc, side, NULL, NULL);
	t_ok(doc->rows[0].verdict == MODEL_CHANGE_UNKNOWN && isnan(doc->rows[0].lo),
	     "two earlier runs do not tell how they spread");
	t_contains(doc->rows[0].reason, "2 earlier runs", "which is said");
	drop(doc, side, NULL);
}

static void test_long_history(void)
{
	struct model_side *side = model_side_new("runs");
	struct model_compare *doc = model_compare_new();

	for (int i = 0; i < 200; i++) {
		struct model_bench *run = make((struct made_up){"6.1", "boot", 0, 100 + i});

		(void)snprintf(run->started, sizeof(run->started), "2001-%02d-%02dT00:00Z",
			       1 + i / 28, 1 + i % 28);
		add_document(side, run);
	}
	(void)model_compare_over_time(doc, side, NULL, NULL);
	t_ok(doc->histories[0].n_prices <= MODEL_MAX_HISTORY && doc->histories[0].n_prices > 40,
	     "many runs become few prices");
	t_is_double(doc->histories[0].prices[doc->histories[0].n_prices - 1], 299 * 1.003, 0.01,
		    "the last is the latest run's own");
	drop(doc, side, NULL);
}

int main(void)
{
	test_judge();
	test_verdicts();
	test_numbers();
	test_floor();
	test_single();
	test_two();
	test_other_machine_known();
	test_three_against_one();
	test_order();
	test_boots();
	test_one_boot_each();
	test_refusals();
	test_all_refused();
	test_disagreement_inside();
	test_unpriced();
	test_drifting();
	test_sides_of_a_setting();
	test_headings();
	test_hugetlb();
	test_twice();
	test_certain_of_nothing();
	test_row_twice();
	test_boots_known();
	test_latest_boot();
	test_over_time();
	test_short_history();
	test_long_history();
	return t_done();
}
