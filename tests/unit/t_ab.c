/* SPDX-License-Identifier: MIT */
/* Runs with two sides: what is a pair, what the ratio says, and that a document keeps it. */
#include "src/base/why.h"
#include "src/model/ab.h"
#include "src/stats/ratio.h"
#include "tests/tap.h"
#include "tests/unit/made_up.h"

#include <string.h>

static struct model_bench *two_sides(void)
{
	struct model_bench *doc = model_bench_new();

	if (!doc)
		abort();
	text_copy(doc->ab.setting, sizeof(doc->ab.setting), "pages");
	text_copy(doc->ab.values[0], sizeof(doc->ab.values[0]), "base");
	text_copy(doc->ab.values[1], sizeof(doc->ab.values[1]), "thp");
	made_up_scenario(doc, "anon_write");
	made_up_scenario(doc, "anon_write");
	doc->scenarios[0].side = 1;
	doc->scenarios[1].side = 2;
	return doc;
}

/* One round a trial; the machine drifts by half, and both sides with it. */
static void add_pairs(struct model_bench *doc, uint32_t n, double b_to_a)
{
	for (uint32_t t = 0; t < n; t++) {
		double price = 1000 * (1 + 0.5 * t / n);

		made_up_add(&doc->scenarios[0], made_up_round(t, 0, price * (1 + 0.001 * (t % 3))));
		made_up_add(&doc->scenarios[1],
			    made_up_round(t, 0, price * b_to_a * (1 + 0.001 * (t % 5))));
	}
	model_bench_derive(doc);
}

static struct model_compare_row row_of(const struct model_bench *doc)
{
	struct model_compare_row row;

	memset(&row, 0, sizeof(row));
	t_ok(model_ab_row(doc, 0, &row), "there is a row");
	return row;
}

static void test_verdicts(void)
{
	static const struct {
		double b_to_a;
		enum model_change verdict;
	} cases[] = {
		{1.0, MODEL_CHANGE_NONE},
		{1.02, MODEL_CHANGE_SLOWER},
		{0.5, MODEL_CHANGE_FASTER},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct model_bench *doc = two_sides();
		struct model_compare_row row;

		add_pairs(doc, 40, cases[i].b_to_a);
		row = row_of(doc);
		t_ok(row.verdict == cases[i].verdict, "%.2f is %s", cases[i].b_to_a,
		     model_change_name(row.verdict));
		t_is_double(row.ratio, cases[i].b_to_a, 0.003, "though the machine drifts by half");
		t_ok(row.n_a == 40 && row.n_b == 40 && row.reason[0] == 0, "of 40 pairs");
		model_bench_free(doc);
	}
}

/* Trials that one side alone has are no pairs, and do not shift the others. */
static void test_unpaired(void)
{
	struct model_bench *doc = two_sides();
	struct model_compare_row row;

	add_pairs(doc, 20, 1.0);
	made_up_add(&doc->scenarios[0], made_up_round(20, 0, 9e6));
	doc->scenarios[1].rounds[3].minor = 0; /* and what is invalid is none */
	for (int i = 0; i < 2; i++) {
		doc->scenarios[0].rounds[5 + i].trial += 100;
		doc->scenarios[1].rounds[8 + i].trial += 200;
	}
	model_bench_derive(doc);
	row = row_of(doc);
	t_ok(row.n_a == 15, "%zu of 20 pairs are left", row.n_a);
	t_is_double(row.ratio, 1, 0.003, "and their ratio is as before");
	model_bench_free(doc);
}

static void test_reasons(void)
{
	struct model_bench *doc = two_sides();
	struct model_compare_row row;

	add_pairs(doc, STATS_LEAST_PAIRS - 1, 2);
	row = row_of(doc);
	t_ok(row.verdict == MODEL_CHANGE_UNKNOWN && isnan(row.lo), "eight pairs cannot tell");
	t_ok(strstr(row.reason, "8 pairs, an interval takes 9") != NULL, "and it says why: %s",
	     row.reason);
	for (size_t i = 0; i < doc->scenarios[1].n_rounds; i++)
		doc->scenarios[1].rounds[i].minor = 0;
	model_bench_derive(doc);
	row = row_of(doc);
	t_ok(strstr(row.reason, "side B counted other faults than claimed in 8 of 8") != NULL,
	     "an invalid side: %s", row.reason);
	model_bench_free(doc);

	doc = two_sides();
	doc->scenarios[0].status = MODEL_SKIPPED;
	text_copy(doc->scenarios[0].reason, sizeof(doc->scenarios[0].reason), "no such pages");
	model_bench_derive(doc);
	row = row_of(doc);
	t_ok(strcmp(row.reason, "no such pages") == 0, "a side that was not run: %s", row.reason);
	doc->scenarios[1].side = 0;
	t_ok(!model_ab_row(doc, 0, &row) && !model_ab_row(doc, 1, &row),
	     "without a B side there is no row");
	model_bench_free(doc);
}

static void test_document(void)
{
	struct model_bench *doc = two_sides(), *again = NULL;
	struct model_compare_row row;
	struct why why = {.text = ""};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	add_pairs(doc, 30, 1.1);
	model_bench_write(doc, file);
	t_ok(fclose(file) == 0, "written");
	t_ok(strstr(text, "\"verdict\": \"slower\"") != NULL, "the verdict is in the document");
	file = fmemopen(text, size, "r");
	t_ok(model_bench_read(file, "again", &again, &why) == 0, "read again %s", why.text);
	(void)fclose(file);
	if (again) {
		row = row_of(again);
		t_ok(row.verdict == MODEL_CHANGE_SLOWER && row.n_a == 30, "and judged anew");
		t_ok(strcmp(again->ab.values[1], "thp") == 0 && again->scenarios[1].side == 2,
		     "with its sides");
	}
	model_bench_free(again);
	model_bench_free(doc);
	free(text);
}

int main(void)
{
	test_verdicts();
	test_unpaired();
	test_reasons();
	test_document();
	return t_done();
}
