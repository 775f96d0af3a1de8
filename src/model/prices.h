/* SPDX-License-Identifier: MIT */
/* The few prices that an estimate needs, taken out of bench documents. */
#ifndef MODEL_PRICES_H
#define MODEL_PRICES_H

#include "src/model/bench.h"

#include <stdbool.h>
#include <stddef.h>

enum model_price_id {
	MODEL_PRICE_FIRST_WRITE, /* anon_write: the usual minor fault */
	MODEL_PRICE_ZERO_READ,   /* anon_read_zero: the cheapest kind */
	MODEL_PRICE_CACHED_FILE, /* file_warm: the dearest, as it maps the neighbours, too */
	MODEL_PRICE_HUGE,        /* anon_thp */
	MODEL_PRICE_DISK_WAIT,   /* file_cold_random: a major fault that reads one page */
	MODEL_PRICE_DISK_PAGE,   /* file_cold, by the page: data that readahead brings */
	MODEL_N_PRICES,
};

struct model_price_row {
	const char *scenario;
	bool per_page; /* else per fault */
};

extern const struct model_price_row model_price_rows[MODEL_N_PRICES];

struct model_price {
	double ns;        /* median; 0: not known */
	double lo, hi;    /* its interval, or the same where there is none */
	double blocked;   /* share of it that was spent asleep */
	char source[256]; /* document, or what else it was taken from; "" */
	char started[32]; /* when that was measured */
};

struct model_prices {
	struct model_price rows[MODEL_N_PRICES];
	char reason[256]; /* why rows are missing; "" */
};

bool model_price_is_known(const struct model_price *price);

/* Takes what is not known yet from the valid rows of a document. Returns how many rows it took. */
size_t model_prices_take(struct model_prices *prices, const struct model_bench *doc,
			 const char *source);

/* Whether both have the same CPU, kernel, page size and hypervisor; a fact that only one has differs. The name of the first fact that differs goes to ret_key where it is not NULL. */
bool model_machine_is_same(const struct sys_machine *a, const struct sys_machine *b,
			   const char **ret_key);

#endif
