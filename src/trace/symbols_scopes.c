/* SPDX-License-Identifier: MIT */
/* Functions, inlined functions and lines of an address, by debug information. */
#include "src/trace/symbols_scopes.h"

#include "src/base/array.h"
#include "src/trace/symbols_name.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Not all compilers write .debug_aranges, by which libdw finds a unit, so units and their functions are listed here:
 * units at once, functions of a unit when one of its addresses is asked for. Debug information may be made up to
 * be endless: what is walked in it is bounded.
 */
enum {
	MAX_DEPTH = 64,
	MAX_WALKED = 1 << 22, /* entries of one unit, and of one function */
	MAX_BACK = 8,         /* ranges looked at before the nearest */
};

struct range {
	Dwarf_Addr start, end;
	union {
		size_t unit;
		Dwarf_Die function;
	} of;
};

struct ranges {
	struct range *items;
	size_t n;
};

struct unit {
	Dwarf_Die die;
	bool listed;
	struct ranges functions;
};

struct trace_scopes {
	struct unit *units;
	size_t n_units;
	struct ranges ranges;
};

/* --- ranges of addresses ----------------------------------------------------------------------------- */

static int add_range(struct ranges *ranges, const struct range *range)
{
	struct range *grown = array_grow(ranges->items, ranges->n, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	ranges->items = grown;
	ranges->items[ranges->n++] = *range;
	return 0;
}

/* Adds all ranges of an entry. 0 or -ENOMEM. */
static int add_ranges(struct ranges *ranges, Dwarf_Die *die, const struct range *like)
{
	struct range range = *like;
	Dwarf_Addr base;
	ptrdiff_t at = 0;
	int r = 0;

	while (r == 0 && (at = dwarf_ranges(die, at, &base, &range.start, &range.end)) > 0)
		if (range.start < range.end)
			r = add_range(ranges, &range);
	return r;
}

static int by_start(const void *a, const void *b)
{
	const struct range *r = a, *s = b;

	if (r->start != s->start)
		return r->start < s->start ? -1 : 1;
	return r->end > s->end ? -1 : r->end < s->end; /* the narrower one is met first */
}

static void sort(struct ranges *ranges)
{
	if (ranges->n)
		qsort(ranges->items, ranges->n, sizeof(*ranges->items), by_start);
}

static struct range *find(const struct ranges *ranges, Dwarf_Addr address)
{
	size_t lo = 0, hi = ranges->n;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (ranges->items[middle].start <= address)
			lo = middle + 1;
		else
			hi = middle;
	}
	for (size_t steps = 0; lo > 0 && steps < MAX_BACK; steps++)
		if (ranges->items[--lo].end > address)
			return &ranges->items[lo];
	return NULL;
}

/* --- units --------------------------------------------------------------------------------------------- */

static int add_unit(struct trace_scopes *scopes, Dwarf_Die *die)
{
	struct range like = {.of.unit = scopes->n_units};
	struct unit *grown;

	grown = array_grow(scopes->units, scopes->n_units, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	scopes->units = grown;
	scopes->units[scopes->n_units++] = (struct unit){.die = *die};
	return add_ranges(&scopes->ranges, die, &like);
}

struct trace_scopes *trace_scopes_new(Dwarf *dw)
{
	struct trace_scopes *scopes = calloc(1, sizeof(*scopes));
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	int r = 0;

	if (!scopes)
		return NULL;
	/* Without the last argument no .dwo file is looked for: of such units there are lines only. */
	while (r == 0 && dwarf_get_units(dw, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit)
			r = add_unit(scopes, &die);
	}
	if (r < 0) {
		trace_scopes_free(scopes);
		return NULL;
	}
	sort(&scopes->ranges);
	return scopes;
}

void trace_scopes_free(struct trace_scopes *scopes)
{
	if (!scopes)
		return;
	for (size_t i = 0; i < scopes->n_units; i++)
		free(scopes->units[i].functions.items);
	free(scopes->units);
	free(scopes->ranges.items);
	free(scopes);
}

/* --- functions of a unit --------------------------------------------------------------------------------- */

/* Entries without addresses in which functions may be defined. */
static bool holds_functions(int tag)
{
	static const int tags[] = {DW_TAG_namespace, DW_TAG_module, DW_TAG_structure_type,
				   DW_TAG_class_type, DW_TAG_union_type};

	for (size_t i = 0; i < ARRAY_LEN(tags); i++)
		if (tag == tags[i])
			return true;
	return false;
}

static int list_functions(struct ranges *functions, Dwarf_Die *parent, unsigned depth,
			  unsigned *left)
{
	Dwarf_Die child;
	int tag, r;

	if (depth == MAX_DEPTH || dwarf_child(parent, &child) != 0)
		return 0;
	do {
		if ((*left)-- == 0)
			return -E2BIG;
		tag = dwarf_tag(&child);
		r = 0;
		if (tag == DW_TAG_subprogram)
			r = add_ranges(functions, &child, &(struct range){.of.function = child});
		else if (holds_functions(tag))
			r = list_functions(functions, &child, depth + 1, left);
		if (r < 0)
			return r;
	} while (dwarf_siblingof(&child, &child) == 0);
	return 0;
}

static Dwarf_Die *function_at(struct unit *unit, Dwarf_Addr address)
{
	struct ranges functions = {.n = 0};
	unsigned left = MAX_WALKED;
	struct range *range;

	if (!unit->listed) {
		unit->listed = true; /* what was found before memory ran out is still true */
		(void)list_functions(&functions, &unit->die, 0, &left);
		sort(&functions);
		unit->functions = functions;
	}
	range = find(&unit->functions, address);
	return range ? &range->of.function : NULL;
}

/* --- inlined functions ----------------------------------------------------------------------------------- */

/* The block or inlined function in parent that holds the address. */
static bool find_block(Dwarf_Die *parent, Dwarf_Addr address, unsigned *left, Dwarf_Die *ret)
{
	Dwarf_Die child;

	if (dwarf_child(parent, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);

		if ((*left)-- == 0)
			return false;
		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
		     tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
		    dwarf_haspc(&child, address) > 0) {
			*ret = child;
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/* The inlined functions at the address, outermost first. */
static size_t list_inlined(const Dwarf_Die *function, Dwarf_Addr address, Dwarf_Die *ret,
			   size_t max)
{
	unsigned left = MAX_WALKED;
	Dwarf_Die at = *function, next;
	size_t n = 0;

	for (int depth = 0; depth < MAX_DEPTH && n < max; depth++) {
		if (!find_block(&at, address, &left, &next))
			break;
		at = next;
		if (dwarf_tag(&at) == DW_TAG_inlined_subroutine)
			ret[n++] = at;
	}
	return n;
}

/* --- frames ------------------------------------------------------------------------------------------------ */

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value) != 0 || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

static void name_function(Dwarf_Die *die, struct model_frame *frame)
{
	static const unsigned names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
	const char *name = NULL;

	for (size_t i = 0; i < ARRAY_LEN(names) && !name; i++)
		name = string_of(die, names[i]);
	if (name)
		trace_name_function(name, frame->function, sizeof(frame->function));
}

static void name_file(struct unit *unit, const char *path, struct model_frame *frame)
{
	if (path)
		trace_name_file(path, string_of(&unit->die, DW_AT_comp_dir), frame->file,
				sizeof(frame->file));
}

/* The line of the instruction itself. */
static void name_line(struct unit *unit, Dwarf_Addr address, struct model_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, address);
	int number;

	if (!line)
		return;
	name_file(unit, dwarf_linesrc(line, NULL, NULL), frame);
	if (dwarf_lineno(line, &number) == 0 && number > 0)
		frame->line = (uint32_t)number;
}

/* The line from which an inlined function is called. */
static void name_call(struct unit *unit, Dwarf_Die *inlined, struct model_frame *frame)
{
	uint32_t file = number_of(inlined, DW_AT_call_file);
	Dwarf_Files *files;
	size_t n_files;

	if (dwarf_getsrcfiles(&unit->die, &files, &n_files) != 0 || file >= n_files)
		return;
	name_file(unit, dwarf_filesrc(files, file, NULL, NULL), frame);
	frame->line = number_of(inlined, DW_AT_call_line);
}

size_t trace_scopes_frames(struct trace_scopes *scopes, Dwarf_Addr address, struct model_frame *ret,
			   size_t max)
{
	struct range *range = find(&scopes->ranges, address);
	Dwarf_Die inlined[MODEL_MAX_STACK], *function;
	struct unit *unit;
	size_t n;

	if (!range || max == 0)
		return 0;
	if (max > MODEL_MAX_STACK)
		max = MODEL_MAX_STACK;
	unit = &scopes->units[range->of.unit];
	function = function_at(unit, address);
	n = function ? list_inlined(function, address, inlined, max - 1) : 0;
	memset(ret, 0, (n + 1) * sizeof(*ret));
	name_line(unit, address, &ret[0]);
	for (size_t i = 0; i < n; i++) {
		Dwarf_Die *die = &inlined[n - 1 - i];

		name_function(die, &ret[i]);
		ret[i].inlined = true;
		name_call(unit, die, &ret[i + 1]);
	}
	if (function)
		name_function(function, &ret[n]);
	return n + 1;
}
