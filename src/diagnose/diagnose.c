/* SPDX-License-Identifier: MIT */
/* All findings of a document: whose each place is, and which of them are worth saying. */
#include "src/diagnose/diagnose.h"

#include "src/base/text.h"
#include "src/diagnose/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below this share of the time of the thread that decides a cause is not worth anybody's attention. */
#define MATTERS 0.05

/* The places of a bill by owner: row of the registry, or n_rows for nobody's. */
struct owners {
	size_t n_rows;
	uint16_t *of_site;
	struct diagnose_part *parts; /* of each row of the registry */
};

const struct diagnose_row *diagnose_find(const char *id)
{
	for (const struct diagnose_row *row = finding_registry; row->id; row++)
		if (strcmp(row->id, id) == 0)
			return row;
	return NULL;
}

/* --- whose is it ------------------------------------------------------------------------------------------- */

static size_t owner_of(const struct diagnose_case *c, const struct model_site_row *site,
		       size_t n_rows)
{
	if (model_site_is_rest(site))
		return n_rows;
	for (unsigned rank = 0; rank < DIAGNOSE_N_RANKS; rank++)
		for (size_t i = 0; i < n_rows; i++) {
			const struct diagnose_finding *f = finding_registry[i].finding;

			if (f->rank == rank && f->owns && f->owns(c, site))
				return i;
		}
	return n_rows;
}

static void add_site(struct diagnose_part *part, const struct model_site_row *site)
{
	part->time_ns += site->cost.time_ns;
	part->blocked_ns += isnan(site->cost.blocked_ns) ? 0 : site->cost.blocked_ns;
	part->count += site->cost.count;
	part->n_major += site->cost.n_major;
	for (size_t h = 0; h < MODEL_N_HABITS; h++)
		part->habits.n[h] += site->habits.n[h];
}

static double time_of_function(const struct diagnose_case *c, const struct owners *o, size_t owner,
			       const struct model_site_row *like)
{
	double sum_ns = 0;

	for (size_t i = 0; i < c->bill->n_sites; i++)
		if (o->of_site[i] == owner && place_has_same_culprit(&c->bill->sites[i], like))
			sum_ns += c->bill->sites[i].cost.time_ns;
	return sum_ns;
}

/* The function that costs most, be it in many lines; sites come dearest first. */
static void find_culprit(const struct diagnose_case *c, const struct owners *o, size_t owner)
{
	struct diagnose_part *part = &o->parts[owner];
	double most_ns = -1;

	for (size_t i = 0; i < c->bill->n_sites; i++) {
		const struct model_site_row *site = &c->bill->sites[i];
		double ns;

		if (o->of_site[i] != owner)
			continue;
		ns = time_of_function(c, o, owner, site);
		if (ns > most_ns) {
			most_ns = ns;
			part->site = site;
		}
		/* the rest together is less than this one */
		if (most_ns * 2 > part->time_ns)
			return;
	}
}

static int divide(const struct diagnose_case *c, struct owners *o)
{
	for (o->n_rows = 0; finding_registry[o->n_rows].id; o->n_rows++)
		;
	o->parts = calloc(o->n_rows + 1, sizeof(*o->parts));
	o->of_site = calloc(c->bill ? c->bill->n_sites + 1 : 1, sizeof(*o->of_site));
	if (!o->parts || !o->of_site)
		return -1;
	if (!c->bill)
		return 0;
	for (size_t i = 0; i < c->bill->n_sites; i++) {
		size_t owner = owner_of(c, &c->bill->sites[i], o->n_rows);

		o->of_site[i] = (uint16_t)owner;
		add_site(&o->parts[owner], &c->bill->sites[i]);
	}
	for (size_t i = 0; i < o->n_rows; i++)
		if (o->parts[i].count)
			find_culprit(c, o, i);
	return 0;
}

/* --- what is said --------------------------------------------------------------------------------------------- */

/* Whether a part is worth saying: as much of the deciding thread as faults are at the least; or it is the largest, since
 * something is. */
static bool is_worth_it(const struct diagnose_case *c, const struct owners *o, size_t row)
{
	double share = c->bill ? model_bill_share(c->bill) : NAN, largest_ns = 0;

	if (!c->bill)
		return true;
	if (o->parts[row].count == 0)
		return false;
	for (size_t i = 0; i < o->n_rows; i++)
		largest_ns = fmax(largest_ns, o->parts[i].time_ns);
	if (o->parts[row].time_ns >= largest_ns)
		return true;
	if (isnan(share))
		share = c->bill->share_of_wall;
	return o->parts[row].time_ns / c->bill->total.time_ns * share >= MATTERS;
}

static void begin(const struct diagnose_case *c, size_t row, const struct diagnose_part *part,
		  struct model_finding *ret)
{
	*ret = (struct model_finding){
		.severity = finding_registry[row].finding->severity,
		.time_ns = part->count ? part->time_ns
			   : c->bill   ? NAN
				       : c->doc->totals.time_ns.mid,
		.share_of_wall = NAN,
		.site = MODEL_NO_ROW,
		.saving_lo_ns = NAN,
		.saving_hi_ns = NAN,
	};
	text_copy(ret->id, sizeof(ret->id), finding_registry[row].id);
	if (part->site)
		place_culprit(c, part->site, ret);
}

static void end(const struct diagnose_case *c, struct model_finding *f)
{
	if (!isnan(f->time_ns) && c->doc->wall_ns)
		f->share_of_wall = f->time_ns / (double)c->doc->wall_ns;
	text_make_harmless(f->evidence);
	text_make_harmless(f->advice);
}

static int compare_times(const void *left, const void *right)
{
	const struct model_finding *a = left, *b = right;
	bool a_failed = a->severity == MODEL_SEVERITY_FAILED,
	     b_failed = b->severity == MODEL_SEVERITY_FAILED;

	if (a_failed != b_failed)
		return b_failed - a_failed;
	if (isnan(a->time_ns) || isnan(b->time_ns))
		return isnan(a->time_ns) - isnan(b->time_ns);
	return (a->time_ns < b->time_ns) - (a->time_ns > b->time_ns);
}

static void tell_all(const struct diagnose_case *c, const struct owners *o, struct model_trace *doc)
{
	for (size_t i = 0; i < o->n_rows && doc->n_findings < MODEL_MAX_FINDINGS; i++) {
		const struct diagnose_finding *finding = finding_registry[i].finding;
		struct model_finding *f = &doc->findings[doc->n_findings];

		if (!finding->whatever_the_time &&
		    (finding->owns ? c->is_quiet || !is_worth_it(c, o, i) : false))
			continue;
		begin(c, i, &o->parts[i], f);
		if (!finding->tell(c, &o->parts[i], f))
			continue;
		end(c, f);
		doc->n_findings++;
	}
}

void diagnose_trace(struct model_trace *doc)
{
	struct owners o = {.n_rows = 0};
	bool *is_image = place_find_images(doc);
	struct diagnose_case c = {
		.doc = doc,
		.bill = doc->bill,
		.is_image = is_image,
		.is_quiet = doc->verdict.id == MODEL_FAULTS_NOT_THE_PROBLEM,
	};

	doc->n_findings = 0;
	if (is_image && divide(&c, &o) == 0)
		tell_all(&c, &o, doc);
	qsort(doc->findings, doc->n_findings, sizeof(*doc->findings), compare_times);
	free(o.parts);
	free(o.of_site);
	free(is_image);
}
