/* SPDX-License-Identifier: MIT */
/* One side of a comparison: the few numbers of each of its documents, which are not kept. */
#include "src/model/side.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/model/prices.h"
#include "src/stats/groups.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct model_side *model_side_new(const char *name)
{
	struct model_side *side = calloc(1, sizeof(*side));

	if (!side)
		return NULL;
	text_make_harmless(text_copy(side->name, sizeof(side->name), name));
	side->same_machine = true;
	return side;
}

void model_side_free(struct model_side *side)
{
	if (!side)
		return;
	for (size_t i = 0; i < side->n_rows; i++)
		free(side->rows[i].points);
	free(side->rows);
	free(side->boots);
	free(side->runs);
	free(side);
}

/* --- the same run once more ---------------------------------------------------------------------- */

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++) /* FNV-1a */
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* A copy under another name is the same run, too: so it is known by what it holds. */
static uint64_t fingerprint(const struct model_bench *doc)
{
	const char *boot = sys_machine_text(&doc->machine, "boot_id", "");
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	hash = hash_bytes(hash, doc->started, strlen(doc->started));
	hash = hash_bytes(hash, boot, strlen(boot));
	hash = hash_bytes(hash, &doc->options.seed, sizeof(doc->options.seed));
	for (size_t i = 0; i < doc->n_scenarios; i++) {
		const struct model_scenario *s = &doc->scenarios[i];
		double price = model_price(s)->median;

		hash = hash_bytes(hash, s->name, strlen(s->name));
		hash = hash_bytes(hash, &price, sizeof(price));
	}
	return hash;
}

bool model_side_holds(const struct model_side *side, const struct model_bench *doc)
{
	uint64_t run = fingerprint(doc);

	for (size_t i = 0; i < side->n_documents; i++)
		if (side->runs[i] == run)
			return true;
	return false;
}

static int keep_run(struct model_side *side, const struct model_bench *doc)
{
	uint64_t *grown = array_grow(side->runs, side->n_documents, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	side->runs = grown;
	grown[side->n_documents] = fingerprint(doc);
	return 0;
}

/* --- facts of the machine ------------------------------------------------------------------------- */

/* "2048kB: 16 of 32 free" without the number that is free, which changes by itself. */
static void without_free(char *text)
{
	char *of, *number;

	while ((of = strstr(text, " of "))) {
		for (number = of; number > text && isdigit((unsigned char)number[-1]);)
			number--;
		memmove(number, of + 4, strlen(of + 4) + 1);
	}
	while ((of = strstr(text, " free")))
		memmove(of, of + 5, strlen(of + 5) + 1);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static void fact_text(const struct sys_fact *fact, char ret[SYS_FACT_TEXT])
{
	if (!fact->is_number)
		text_copy(ret, SYS_FACT_TEXT, fact->text);
	else if (ends_with(fact->key, "_bytes"))
		text_copy(ret, SYS_FACT_TEXT, units_bytes(fact->number).s);
	else
		(void)snprintf(ret, SYS_FACT_TEXT, "%llu", (unsigned long long)fact->number);
	if (strcmp(fact->key, "hugetlb") == 0)
		without_free(ret);
}

/* The index of a fact, or n_facts. */
static size_t find_fact(const struct model_side *side, const char *key)
{
	size_t i = 0;

	while (i < side->n_facts && strcmp(side->facts[i].key, key) != 0)
		i++;
	return i;
}

static void keep_fact(struct model_side *side, const char *key, const char *text)
{
	size_t i_fact = find_fact(side, key);
	struct model_side_fact *fact = &side->facts[i_fact];

	if (i_fact == ARRAY_LEN(side->facts))
		return;
	if (i_fact == side->n_facts)
		text_copy(side->facts[side->n_facts++].key, sizeof(fact->key), key);
	fact->n_documents++;
	for (size_t i = 0; i < fact->n_values; i++)
		if (strcmp(fact->values[i], text) == 0)
			return;
	if (fact->n_values == MODEL_MAX_FACT_VALUES)
		fact->more = true;
	else
		text_copy(fact->values[fact->n_values++], SYS_FACT_TEXT, text);
}

static void keep_facts(struct model_side *side, const struct model_bench *doc)
{
	char text[SYS_FACT_TEXT];

	for (unsigned i = 0; i < doc->machine.n_facts; i++) {
		fact_text(&doc->machine.facts[i], text);
		keep_fact(side, doc->machine.facts[i].key, text);
	}
	keep_fact(side, "pagetoll", doc->tool_version);
	if (side->n_documents == 0)
		side->machine = doc->machine;
	else if (!model_machine_is_same(&side->machine, &doc->machine, NULL))
		side->same_machine = false;
}

void model_side_fact_text(const struct model_side *side, const char *key, char *ret, size_t size)
{
	size_t i_fact = find_fact(side, key);
	const struct model_side_fact *fact = &side->facts[i_fact];

	if (i_fact == side->n_facts) {
		text_copy(ret, size, "not told");
		return;
	}
	*ret = 0;
	for (size_t i = 0; i < fact->n_values; i++)
		text_append(ret, size, "%s%s", i ? ", " : "", fact->values[i]);
	if (fact->more)
		text_append(ret, size, ", ...");
	if (fact->n_documents < side->n_documents)
		text_append(ret, size, ", not told");
}

static int keep_boot(struct model_side *side, const struct model_bench *doc, uint32_t *ret_boot)
{
	const char *boot = sys_machine_text(&doc->machine, "boot_id", "");
	char(*grown)[sizeof(*side->boots)];
	char text[sizeof(*side->boots)];

	text_copy(text, sizeof(text), boot);
	for (size_t i = 0; i < side->n_boots; i++) {
		*ret_boot = (uint32_t)i;
		if (strcmp(side->boots[i], text) == 0)
			return 0;
	}
	grown = array_grow(side->boots, side->n_boots, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	side->boots = grown;
	memcpy(grown[side->n_boots], text, sizeof(text));
	*ret_boot = (uint32_t)side->n_boots++;
	return 0;
}

/* --- rows ----------------------------------------------------------------------------------------- */

/* A name that an article gives counts where it is another one. */
static const char *own_name(const struct model_compare_row *head)
{
	return strcmp(head->article, head->scenario) == 0 ? "" : head->article;
}

static bool same_params(const struct model_compare_row *a, const struct model_compare_row *b)
{
	return a->n_pages == b->n_pages && a->page_bytes == b->page_bytes &&
	       a->huge_page_bytes == b->huge_page_bytes && a->n_accesses == b->n_accesses &&
	       a->threads == b->threads && strcmp(a->pages, b->pages) == 0 &&
	       strcmp(a->access, b->access) == 0;
}

const struct model_side_row *model_side_find(const struct model_side *side,
					     const struct model_compare_row *head)
{
	for (size_t i = 0; i < side->n_rows; i++) {
		const struct model_compare_row *other = &side->rows[i].head;

		if (strcmp(other->scenario, head->scenario) == 0 &&
		    (side->by_params ? same_params(other, head)
				     : strcmp(own_name(other), own_name(head)) == 0))
			return &side->rows[i];
	}
	return NULL;
}

static struct units_text number_text(uint64_t number)
{
	struct units_text t = {.s = ""};

	(void)snprintf(t.s, sizeof(t.s), "%llu", (unsigned long long)number);
	return t;
}

static struct units_text word_text(const char *word)
{
	struct units_text t = {.s = ""};

	text_copy(t.s, sizeof(t.s), *word ? word : "not told");
	return t;
}

static struct units_text get_size(const struct model_side_row *r)
{
	struct units_text t = units_bytes(r->head.n_pages * r->head.page_bytes);

	/* two sizes that read alike are told in pages */
	text_append(t.s, sizeof(t.s), " (%llu)", (unsigned long long)r->head.n_pages);
	return t;
}

static struct units_text get_page(const struct model_side_row *r)
{
	return units_bytes(r->head.page_bytes);
}

static struct units_text get_huge_page(const struct model_side_row *r)
{
	return units_bytes(r->head.huge_page_bytes);
}

static struct units_text get_pages(const struct model_side_row *r)
{
	return word_text(r->head.pages);
}

static struct units_text get_accesses(const struct model_side_row *r)
{
	return number_text(r->head.n_accesses);
}

static struct units_text get_access(const struct model_side_row *r)
{
	return word_text(r->head.access);
}

static struct units_text get_threads(const struct model_side_row *r)
{
	return number_text(r->head.threads);
}

static struct units_text range_text(struct model_range range)
{
	struct units_text t = {.s = ""};

	(void)snprintf(t.s, sizeof(t.s), "%.6g to %.6g", range.lo, range.hi);
	return t;
}

static struct units_text get_minor(const struct model_side_row *r)
{
	return range_text(r->ledger.minor);
}

static struct units_text get_major(const struct model_side_row *r)
{
	return range_text(r->ledger.major);
}

static struct units_text get_trap(const struct model_side_row *r)
{
	return range_text(r->ledger.trap);
}

/* What makes a row another row. */
static const struct param {
	const char *title;
	struct units_text (*get)(const struct model_side_row *row);
} params[] = {
	{"page size", get_page},
	{"size (pages)", get_size},
	{"huge page size", get_huge_page},
	{"kind of pages", get_pages},
	{"accesses", get_accesses},
	{"access", get_access},
	{"threads", get_threads},
	{"minor faults a page claimed", get_minor},
	{"major faults a page claimed", get_major},
	{"traps a page claimed", get_trap},
};

bool model_side_row_differs(const struct model_side_row *a, const struct model_side_row *b,
			    char *ret, size_t size)
{
	if (!a->head.n_pages ||
	    !b->head.n_pages) /* it was not planned: nothing is known of its size */
		return false;
	for (size_t i = 0; i < ARRAY_LEN(params); i++) {
		struct units_text x = params[i].get(a), y = params[i].get(b);

		if (strcmp(x.s, y.s) == 0)
			continue;
		(void)snprintf(ret, size, "%s: %s against %s", params[i].title, x.s, y.s);
		return true;
	}
	return false;
}

static const char *find_warning(const struct model_scenario *s, const char *id)
{
	for (unsigned i = 0; i < s->n_warnings; i++)
		if (strcmp(s->warnings[i].id, id) == 0)
			return s->warnings[i].text;
	return NULL;
}

/* Why a row has no price that can be compared; NULL where it has one. */
static const char *no_price(const struct model_scenario *s)
{
	const char *drifting = find_warning(s, "drifting");

	if (s->status != MODEL_DONE && s->n_rounds == 0)
		return s->reason[0] ? s->reason : model_status_name(s->status);
	if (s->verdict == MODEL_INVALID)
		return "the faults counted are not the faults claimed";
	if (drifting)
		return drifting;
	if (!(model_price(s)->median > 0) || isinf(model_price(s)->median))
		return "no valid round";
	return NULL;
}

static int add_point(struct model_side_row *row, const struct model_scenario *s,
		     const struct model_bench *doc, uint32_t boot)
{
	double error = stats_log_error(model_price(s));
	struct model_point *grown = array_grow(row->points, row->n_points, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	row->points = grown;
	grown[row->n_points] = (struct model_point){
		.log_ns = log(model_price(s)->median),
		.squared_error = error * error,
		.boot = boot,
	};
	text_copy(grown[row->n_points].started, sizeof(grown->started), doc->started);
	row->n_points++;
	row->n_noisy += s->verdict == MODEL_NOISY;
	return 0;
}

/* A further document of a row, which must be of the same thing. */
static void join_row(struct model_side_row *row, const struct model_side_row *other,
		     const char *source)
{
	char difference[96];

	if (row->head.n_pages == 0) {
		row->head = other->head;
		row->ledger = other->ledger;
	}
	if (strcmp(own_name(&row->head), own_name(&other->head)) != 0)
		row->head.article[0] = 0; /* several articles have it */
	if (row->refused[0] || !model_side_row_differs(row, other, difference, sizeof(difference)))
		return;
	(void)snprintf(row->refused, sizeof(row->refused), "its documents differ in %s (%.48s)",
		       difference, source);
	text_make_harmless(row->refused);
}

static int find_or_add_row(struct model_side *side, const struct model_scenario *s,
			   const char *source, struct model_side_row **ret_row)
{
	struct model_side_row row = {.ledger = s->ledger}, *grown;
	const struct model_side_row *found;

	model_compare_row_init(&row.head, s);
	found = model_side_find(side, &row.head);
	if (found) {
		*ret_row = &side->rows[found - side->rows];
		join_row(*ret_row, &row, source);
		return 0;
	}
	if (side->n_rows == MODEL_MAX_SCENARIOS)
		return -E2BIG;
	grown = array_grow(side->rows, side->n_rows, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	side->rows = grown;
	grown[side->n_rows] = row;
	*ret_row = &grown[side->n_rows++];
	return 0;
}

static int add_row(struct model_side *side, const struct model_scenario *s,
		   const struct model_bench *doc, const char *source, uint32_t boot)
{
	const char *reason = no_price(s);
	struct model_side_row *row;
	int r;

	r = find_or_add_row(side, s, source, &row);
	if (r < 0)
		return r;
	if (!reason && row->last_run == side->n_documents + 1)
		return 0; /* once a document: a run is no two runs because it has the row twice */
	if (!reason) {
		row->last_run = side->n_documents + 1;
		return add_point(row, s, doc, boot);
	}
	if (row->n_unpriced++ == 0)
		text_copy(row->unpriced, sizeof(row->unpriced), reason);
	return 0;
}

int model_side_add(struct model_side *side, const struct model_bench *doc, const char *source)
{
	const struct model_scenario *s;
	uint32_t boot;
	int r;

	if (side->n_documents == MODEL_MAX_SIDE_DOCUMENTS)
		return -E2BIG;
	if (doc->ab.setting[0]) { /* its rows are of two settings, and compared already */
		side->n_two_sided++;
		return 0;
	}
	if (model_side_holds(side, doc)) {
		side->n_twice++;
		return 0;
	}
	r = keep_run(side, doc);
	if (r == 0)
		r = keep_boot(side, doc, &boot);
	for (size_t i = 0; r == 0 && (s = model_bench_row(doc, i)); i++)
		r = add_row(side, s, doc, source, boot);
	if (r < 0)
		return r;
	keep_facts(side, doc);
	if (!side->first[0] || strcmp(doc->started, side->first) < 0)
		text_copy(side->first, sizeof(side->first), doc->started);
	if (strcmp(doc->started, side->last) > 0)
		text_copy(side->last, sizeof(side->last), doc->started);
	side->n_documents++;
	return 0;
}
