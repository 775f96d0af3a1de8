/* SPDX-License-Identifier: MIT */
/* Prices out of bench documents: valid rows alone, of the plain form, each once; and whose they are. */
#include "src/model/prices.h"
#include "tests/tap.h"
#include "tests/unit/made_up.h"

static void test_take(void)
{
	struct model_bench *doc = model_bench_new(), *other = model_bench_new();
	struct model_prices prices = {.reason = ""};
	const struct model_price *p = &prices.rows[MODEL_PRICE_FIRST_WRITE];
	struct model_scenario *s;

	made_up_trials(made_up_scenario(doc, "anon_write"), 7, 1000, 10);
	s = made_up_scenario(doc, "file_cold");
	made_up_trials(s, 2, 500, 0);
	for (size_t i = 0; i < s->n_rounds; i++)
		s->rounds[i].blocked_ns = s->rounds[i].elapsed_ns / 4;
	s = made_up_scenario(doc, "anon_thp");
	made_up_trials(s, 3, 100, 0);
	s->ledger.minor = (struct model_range){7, 8};
	s = made_up_scenario(doc, "anon_read_zero");
	made_up_trials(s, 3, 100, 0);
	s->threads = 2;
	(void)made_up_scenario(doc, "file_warm");
	made_up_trials(made_up_scenario(doc, "file_cold_random"), 1, 70000, 0);
	text_copy(doc->started, sizeof(doc->started), "2001-02-03T04:05:06Z");
	model_bench_derive(doc);
	t_is_u64(model_prices_take(&prices, doc, "a\033b"), 3, "three of six rows have a price");
	t_ok(model_price_is_known(p), "a valid one has");
	t_is_double(p->ns, 1030, 1e-6, "its median");
	t_ok(p->lo < p->ns && p->ns < p->hi, "its interval");
	t_is_str(p->source, "a?b", "its source, made harmless");
	t_is_str(p->started, "2001-02-03T04:05:06Z", "and when it was measured");
	t_ok(!model_price_is_known(&prices.rows[MODEL_PRICE_HUGE]), "an invalid one has none");
	t_ok(!model_price_is_known(&prices.rows[MODEL_PRICE_ZERO_READ]), "nor one of two threads");
	t_ok(!model_price_is_known(&prices.rows[MODEL_PRICE_CACHED_FILE]),
	     "nor one without rounds");
	p = &prices.rows[MODEL_PRICE_DISK_PAGE];
	t_is_double(p->ns, 500, 1e-6, "file_cold is by the page");
	t_is_double(p->blocked, 0.25, 1e-9, "with its share of sleep");
	p = &prices.rows[MODEL_PRICE_DISK_WAIT];
	t_ok(p->ns == 70000 && p->lo == p->ns && p->hi == p->ns, "one trial has no interval");
	s = made_up_scenario(other, "anon_read_zero");
	made_up_trials(s, 3, 1, 0);
	s->side = 1; /* of a setting under test: no price of this machine */
	made_up_trials(made_up_scenario(other, "anon_write"), 3, 5, 0);
	made_up_trials(made_up_scenario(other, "anon_read_zero"), 3, 6, 0);
	model_bench_derive(other);
	t_is_u64(model_prices_take(&prices, other, "other"), 1, "another document");
	t_is_double(prices.rows[MODEL_PRICE_FIRST_WRITE].ns, 1030, 1e-6, "replaces nothing");
	t_is_str(prices.rows[MODEL_PRICE_ZERO_READ].source, "other", "and adds what was missing");
	t_is_double(prices.rows[MODEL_PRICE_ZERO_READ].ns, 6, 1e-6,
		    "but takes no side of a setting");
	model_bench_free(doc);
	model_bench_free(other);
}

static void test_same_machine(void)
{
	struct sys_machine a = {.n_facts = 0}, b;
	const char *key = "untouched";

	t_ok(model_machine_is_same(&a, &a, &key), "nothing known of both: nothing differs");
	sys_machine_add_text(&a, "cpu", "one");
	sys_machine_add_text(&a, "kernel", "6.1");
	sys_machine_add_u64(&a, "page_bytes", 8192);
	sys_machine_add_text(&a, "boot_id", "x");
	b = a;
	text_copy(b.facts[3].text, sizeof(b.facts[3].text), "y");
	t_ok(model_machine_is_same(&a, &b, &key), "another boot is the same machine");
	t_is_str(key, "untouched", "and no fact is named");
	text_copy(b.facts[1].text, sizeof(b.facts[1].text), "6.2");
	t_ok(!model_machine_is_same(&a, &b, &key), "another kernel is not");
	t_is_str(key, "kernel", "and it is named");
	b = a;
	b.facts[2].number = 4096;
	t_ok(!model_machine_is_same(&a, &b, NULL), "nor another page size");
	b = a;
	sys_machine_add_text(&b, "hypervisor", "KVM");
	t_ok(!model_machine_is_same(&a, &b, &key) && strcmp(key, "hypervisor") == 0,
	     "nor one where a fact is known that is not here");
}

int main(void)
{
	test_take();
	test_same_machine();
	return t_done();
}
