/* SPDX-License-Identifier: MIT */
/* The few prices that an estimate needs, taken out of bench documents. */
#include "src/model/prices.h"

#include "src/base/array.h"
#include "src/base/text.h"

#include <math.h>
#include <string.h>

const struct model_price_row model_price_rows[MODEL_N_PRICES] = {
	[MODEL_PRICE_FIRST_WRITE] = {"anon_write", false},
	[MODEL_PRICE_ZERO_READ] = {"anon_read_zero", false},
	[MODEL_PRICE_CACHED_FILE] = {"file_warm", false},
	[MODEL_PRICE_HUGE] = {"anon_thp", false},
	[MODEL_PRICE_DISK_WAIT] = {"file_cold_random", false},
	[MODEL_PRICE_DISK_PAGE] = {"file_cold", true},
};

bool model_price_is_known(const struct model_price *price)
{
	return price->ns > 0;
}

/* The row's plain form: one thread, each page touched once. NULL where it has no valid price. */
static const struct model_scenario *find_priced(const struct model_bench *doc,
						const struct model_price_row *row)
{
	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct model_scenario *s = &doc->scenarios[i];
		const struct stats_summary *price =
			row->per_page ? &s->ns_per_page : &s->ns_per_fault;

		/* a side of a setting under test is no price of this machine */
		if (strcmp(s->name, row->scenario) == 0 && s->side == 0 && s->threads == 1 &&
		    s->n_accesses == 0 &&
		    (s->verdict == MODEL_VALID || s->verdict == MODEL_NOISY) && price->median >= 1)
			return s;
	}
	return NULL;
}

/* As many digits as a document keeps, so that an estimate is the same when it is read again; no price is known
 * to a tenth of a nanosecond. */
static double rounded(double ns)
{
	return round(10 * ns) / 10;
}

static void take(struct model_price *price, const struct model_scenario *s, bool per_page)
{
	const struct stats_summary *summary = per_page ? &s->ns_per_page : &s->ns_per_fault;
	bool has_interval = summary->interval.kind != STATS_INTERVAL_NONE;
	/* a price that moved was between what it was first and last, whatever it is divided by */
	double drift = s->drift.found ? summary->median / model_price(s)->median : NAN;
	double blocked = model_time_share(s, s->times.blocked_ns);

	price->ns = rounded(summary->median);
	price->lo = has_interval ? rounded(summary->interval.lo) : price->ns;
	price->hi = has_interval ? rounded(summary->interval.hi) : price->ns;
	if (s->drift.found) {
		price->lo = rounded(fmin(drift * fmin(s->drift.from, s->drift.to), price->ns));
		price->hi = rounded(fmax(drift * fmax(s->drift.from, s->drift.to), price->ns));
	}
	price->blocked = blocked > 0 ? round(1e6 * fmin(blocked, 1)) / 1e6 : 0;
}

size_t model_prices_take(struct model_prices *prices, const struct model_bench *doc,
			 const char *source)
{
	size_t n = 0;

	for (size_t i = 0; i < MODEL_N_PRICES; i++) {
		const struct model_price_row *row = &model_price_rows[i];
		struct model_price *price = &prices->rows[i];
		const struct model_scenario *s = find_priced(doc, row);

		if (!s || model_price_is_known(price))
			continue;
		take(price, s, row->per_page);
		text_copy(price->source, sizeof(price->source), source);
		text_make_harmless(price->source);
		text_copy(price->started, sizeof(price->started), doc->started);
		n++;
	}
	return n;
}

static bool is_same_fact(const struct sys_fact *a, const struct sys_fact *b)
{
	return a && b && a->is_number == b->is_number && a->number == b->number &&
	       strcmp(a->text, b->text) == 0;
}

bool model_machine_is_same(const struct sys_machine *a, const struct sys_machine *b,
			   const char **ret_key)
{
	static const char *const keys[] = {"cpu", "architecture", "kernel", "page_bytes",
					   "hypervisor"};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const struct sys_fact *x = sys_machine_fact(a, keys[i]);
		const struct sys_fact *y = sys_machine_fact(b, keys[i]);

		/* what neither could find out (aarch64 has no model name) does not tell them apart */
		if ((!x && !y) || is_same_fact(x, y))
			continue;
		if (ret_key)
			*ret_key = keys[i];
		return false;
	}
	return true;
}
