/* SPDX-License-Identifier: MIT */
/* What several findings ask of a place in the bill. */
#include "src/diagnose/place.h"

#include "src/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer than these say nothing of a habit. */
enum { LEAST_JUDGED = 16 };

/* Half of the width of a prediction: what such predictions miss by, with some room. */
#define EITHER_WAY 0.24

/* --- mappings -------------------------------------------------------------------------------------------------- */

static bool has_library_name(const char *path)
{
	const char *name = model_base_name(path), *so = strstr(name, ".so");

	return so && (so[3] == 0 || so[3] == '.');
}

static void mark_modules(const struct model_bill *bill, const struct model_site_row *site,
			 bool *is_image)
{
	for (uint32_t i = 0; i < site->n_stack; i++) {
		const char *module = site->stack[i].module;

		/* the same module as in the frame before is marked already */
		if (!*module || (i > 0 && strcmp(module, site->stack[i - 1].module) == 0))
			continue;
		for (size_t m = 0; m < bill->n_mappings; m++)
			if (!is_image[m] && model_mapping_is_file(&bill->mappings[m]) &&
			    strcmp(bill->mappings[m].name, module) == 0)
				is_image[m] = true;
	}
}

bool *place_find_images(const struct model_trace *doc)
{
	const struct model_bill *bill = doc->bill;
	bool *is_image = calloc(bill ? bill->n_mappings + 1 : 1, sizeof(*is_image));

	if (!is_image || !bill)
		return is_image;
	for (size_t m = 0; m < bill->n_mappings; m++)
		is_image[m] =
			model_mapping_is_file(&bill->mappings[m]) &&
			(bill->mappings[m].executable || has_library_name(bill->mappings[m].name));
	for (size_t i = 0; i < bill->n_sites; i++)
		mark_modules(bill, &bill->sites[i], is_image);
	return is_image;
}

const struct model_mapping_row *place_mapping(const struct diagnose_case *c,
					      const struct model_site_row *site)
{
	return site->mapping < c->bill->n_mappings ? &c->bill->mappings[site->mapping] : NULL;
}

bool place_is_image(const struct diagnose_case *c, const struct model_site_row *site)
{
	return site->mapping < c->bill->n_mappings && c->is_image[site->mapping];
}

bool place_is_data_file(const struct diagnose_case *c, const struct model_site_row *site)
{
	const struct model_mapping_row *m = place_mapping(c, site);

	return m && model_mapping_is_file(m) && !c->is_image[site->mapping];
}

bool place_has_flag(const struct diagnose_case *c, const struct model_site_row *site,
		    const char *flag)
{
	const struct model_mapping_row *m = place_mapping(c, site);

	return m && strstr(m->vm_flags, flag);
}

/* --- habits ------------------------------------------------------------------------------------------------------ */

double place_share(const struct model_habits *h, uint64_t n_faults, enum model_habit habit)
{
	uint64_t n = n_faults;

	if (habit == MODEL_REMAPPED)
		n = h->n[MODEL_AGAIN];
	else if (habit == MODEL_AGAIN || habit == MODEL_UPGRADED)
		n = h->n[MODEL_JUDGED] >= LEAST_JUDGED ? h->n[MODEL_JUDGED] : 0;
	return n ? (double)h->n[habit] / (double)n : 0;
}

bool place_comes_again(const struct model_site_row *site)
{
	return place_share(&site->habits, site->cost.count, MODEL_AGAIN) >= 0.5;
}

bool place_fills(const struct model_site_row *site)
{
	static const bool fills[MODEL_N_FAULT_KINDS] = {
		[MODEL_ANON_WRITE] = true, [MODEL_ANON_ZERO_READ] = true,
		[MODEL_FILE_MINOR] = true, [MODEL_SHMEM] = true,
		[MODEL_THP] = true,        [MODEL_HUGETLB] = true,
		[MODEL_STACK] = true,
	};

	return fills[site->kind];
}

bool place_sleeps(const struct model_site_row *site)
{
	return 2 * site->cost.blocked_ns > site->cost.raw_ns;
}

bool place_is_start(const struct model_site_row *site)
{
	for (uint32_t i = 0; i < site->n_stack; i++) {
		const char *name = model_base_name(site->stack[i].module);

		if (strncmp(name, "ld-", 3) == 0 || strncmp(name, "ld64.", 5) == 0)
			return true;
	}
	return site->n_stack == 1 && strcmp(site->stack[0].function, "[kernel]") == 0;
}

/* --- culprits ---------------------------------------------------------------------------------------------------- */

bool place_has_same_culprit(const struct model_site_row *a, const struct model_site_row *b)
{
	const struct model_frame *x = model_site_culprit(a), *y = model_site_culprit(b);

	if (!x || !y || a->mapping != b->mapping)
		return x == y && a->mapping == b->mapping;
	return strcmp(x->function, y->function) == 0 && strcmp(x->module, y->module) == 0 &&
	       (x->function[0] || x->module_offset == y->module_offset);
}

void place_culprit(const struct diagnose_case *c, const struct model_site_row *site,
		   struct model_finding *ret)
{
	const struct model_frame *frame = model_site_culprit(site);
	const struct model_mapping_row *m = place_mapping(c, site);

	ret->site = (uint32_t)(site - c->bill->sites);
	if (frame) {
		text_copy(ret->culprit.function, sizeof(ret->culprit.function), frame->function);
		text_copy(ret->culprit.file, sizeof(ret->culprit.file), frame->file);
		ret->culprit.line = frame->line;
	}
	if (m)
		text_copy(ret->culprit.mapping, sizeof(ret->culprit.mapping), m->name);
}

void place_fatal_culprit(const struct diagnose_case *c, struct model_finding *ret)
{
	const struct model_frame *frame = &c->bill->fatal_frame;

	text_copy(ret->culprit.function, sizeof(ret->culprit.function), frame->function);
	text_copy(ret->culprit.file, sizeof(ret->culprit.file), frame->file);
	ret->culprit.line = frame->line;
	text_copy(ret->culprit.mapping, sizeof(ret->culprit.mapping), c->bill->fatal_mapping);
}

double place_figure(const struct diagnose_case *c, enum model_figure figure)
{
	int64_t value = c->doc->evidence.figures[figure];

	return value < 0 ? 0 : (double)value;
}

double place_bytes_read(const struct diagnose_case *c)
{
	return fmax(place_figure(c, MODEL_IO_READ), place_figure(c, MODEL_DISK_READ));
}

double place_bytes_faulted(const struct diagnose_case *c)
{
	double page = (double)sys_machine_u64(&c->doc->machine, "page_bytes", 0), n = 0;

	for (size_t i = 0; i < c->bill->n_sites; i++) {
		const struct model_site_row *site = &c->bill->sites[i];

		if ((site->kind == MODEL_FILE_MAJOR || site->kind == MODEL_FILE_MINOR) &&
		    place_is_data_file(c, site))
			n += (double)site->cost.count;
	}
	return n * page;
}

bool place_is_virtual(const struct diagnose_case *c)
{
	return strcmp(sys_machine_text(&c->doc->machine, "hypervisor", "none"), "none") != 0;
}

void place_predict(struct model_finding *f, double middle_ns)
{
	if (isnan(middle_ns) || middle_ns <= 0)
		return;
	f->saving_lo_ns = middle_ns * (1 - EITHER_WAY);
	f->saving_hi_ns = middle_ns * (1 + EITHER_WAY);
}
