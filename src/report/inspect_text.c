/* SPDX-License-Identifier: MIT */
/* A process's mappings for people: the largest first, those of one name together, and what the words mean. */
#include "src/report/report.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/model/inspect.h"
#include "src/report/table.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 900, USUAL_TOP = 20 };

/* Mappings of one name, rights and reason. */
struct row {
	const struct model_inspect_row *first;
	uint64_t n, size, rss, huge, swap, locked, dirty;
};

static const char *name_of(const struct sys_mapping *m)
{
	return m->name[0] ? m->name : "[anon]";
}

static int compare_names(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	int r = strcmp(name_of(&a->first->mapping), name_of(&b->first->mapping));

	if (r == 0)
		r = strcmp(a->first->mapping.perms, b->first->mapping.perms);
	return r ? r : (int)a->first->why - (int)b->first->why;
}

static int compare_sizes(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->rss != b->rss)
		return a->rss < b->rss ? 1 : -1;
	return a->size < b->size ? 1 : a->size > b->size ? -1 : 0;
}

static void add(struct row *sum, const struct row *more)
{
	sum->n += more->n;
	sum->size += more->size;
	sum->rss += more->rss;
	sum->huge += more->huge;
	sum->swap += more->swap;
	sum->locked += more->locked;
	sum->dirty += more->dirty;
}

/* Returns how many rows are left. */
static size_t join(struct row *rows, size_t n)
{
	size_t kept = 0;

	qsort(rows, n, sizeof(*rows), compare_names);
	for (size_t i = 0; i < n; i++)
		if (kept && compare_names(&rows[kept - 1], &rows[i]) == 0)
			add(&rows[kept - 1], &rows[i]);
		else
			rows[kept++] = rows[i];
	return kept;
}

static struct row *make_rows(const struct model_inspect *doc, bool each, size_t *ret_n)
{
	struct row *rows = calloc(doc->n_rows + 1, sizeof(*rows));

	*ret_n = 0;
	if (!rows)
		return NULL;
	for (size_t i = 0; i < doc->n_rows; i++) {
		const struct sys_mapping *m = &doc->rows[i].mapping;

		rows[i] = (struct row){&doc->rows[i],     1,
				       m->end - m->start, m->rss_bytes,
				       m->huge_bytes,     m->swap_bytes,
				       m->locked_bytes,   m->dirty_bytes};
	}
	*ret_n = each ? doc->n_rows : join(rows, doc->n_rows);
	qsort(rows, *ret_n, sizeof(*rows), compare_sizes);
	return rows;
}

/* Flags that say something beside rights. */
static void flags_of(const struct sys_mapping *m, char *ret, size_t size)
{
	static const char *const told[] = {"hg", "nh", "rr", "sr", "lo", "dc",
					   "ht", "um", "uw", "nr", "gd"};

	*ret = 0;
	for (size_t i = 0; i < ARRAY_LEN(told); i++)
		if (sys_smaps_has_flag(m, told[i]))
			text_append(ret, size, "%s%s", *ret ? " " : "", told[i]);
}

static const char *bytes_or_dash(uint64_t bytes, struct units_text *text)
{
	*text = units_bytes(bytes);
	return bytes ? text->s : "-";
}

static void add_row(struct table *t, const struct row *r)
{
	const struct sys_mapping *m = &r->first->mapping;
	struct units_text texts[6];
	char flags[64], name[SYS_MAPPING_NAME + 24];

	flags_of(m, flags, sizeof(flags));
	text_copy(name, sizeof(name), name_of(m));
	if (r->n > 1)
		text_append(name, sizeof(name), " (%s)", units_count(r->n).s);
	table_add(t, (const char *[]){
			     name, m->perms, bytes_or_dash(r->size, &texts[0]),
			     bytes_or_dash(r->rss, &texts[1]), bytes_or_dash(r->huge, &texts[2]),
			     bytes_or_dash(r->dirty, &texts[3]), bytes_or_dash(r->swap, &texts[4]),
			     bytes_or_dash(r->locked, &texts[5]), r->first->node, flags,
			     model_no_huge_rows[r->first->why].word});
}

static void print_table(const struct row *rows, size_t n, size_t top, FILE *out,
			const struct report_style *style)
{
	static const struct table_column columns[] = {
		{"MAPPING", false, 0},
		{"MODE", false, 6},
		{"SIZE", true, 0},
		{"RSS", true, 0},
		{"HUGE", true, 0},
		{"DIRTY", true, 7},
		{"SWAP", true, 3},
		{"LOCKED", true, 4},
		{"NODE", true, 9},
		{"FLAGS", false, 5},
		{"WHY NO HUGE PAGES", false, 0},
	};
	char hidden[256];
	struct table t;

	table_init(&t, columns, ARRAY_LEN(columns));
	t.least[0] = 12;
	t.keeps_end[0] = true;
	for (size_t i = 0; i < n && i < top; i++)
		add_row(&t, &rows[i]);
	(void)table_fit(&t, style->width, hidden, sizeof(hidden));
	table_print(&t, out);
	table_fini(&t);
	if (n > top)
		(void)fprintf(out, "and %s more; --top N shows them\n", units_count(n - top).s);
}

/* What the words of the table mean, once each. */
static void print_reasons(const struct row *rows, size_t n, size_t top, FILE *out,
			  const struct report_style *style)
{
	bool said[MODEL_N_HUGE] = {false};

	for (size_t i = 0; i < n && i < top; i++)
		said[rows[i].first->why] = true;
	(void)fputc('\n', out);
	for (size_t i = 0; i < MODEL_N_HUGE; i++)
		if (said[i])
			report_headed(out, style, PAINT_NONE, model_no_huge_rows[i].word,
				      model_no_huge_rows[i].text);
}

static void add_figure(char *line, const char *what, int64_t bytes)
{
	if (bytes >= 0)
		text_append(line, LINE, "%s%s %s", *line ? ", " : "", what,
			    units_bytes((uint64_t)bytes).s);
}

static void print_process(const struct model_inspect *doc, FILE *out,
			  const struct report_style *style)
{
	const struct model_process *p = &doc->process;
	char line[LINE] = "";

	text_append(line, LINE, "%d %s", p->pid, p->command[0] ? p->command : p->comm);
	report_headed(out, style, PAINT_NONE, "process", line);
	*line = 0;
	add_figure(line, "resident", p->rss_bytes);
	add_figure(line, "at most", p->most_rss_bytes);
	add_figure(line, "in swap", p->swap_bytes);
	add_figure(line, "locked", p->locked_bytes);
	add_figure(line, "page tables", p->page_table_bytes);
	report_headed(out, style, PAINT_NONE, "memory", line);
	*line = 0;
	if (p->n_minor >= 0)
		text_append(line, LINE, "%s minor, %s major until now",
			    units_count((uint64_t)p->n_minor).s,
			    units_count((uint64_t)p->n_major).s);
	add_figure(line, "read from disk", p->read_bytes);
	report_headed(out, style, PAINT_NONE, "faults", line);
	*line = 0;
	text_append(line, LINE, "huge pages %s",
		    p->thp_disabled ? "off by prctl"
				    : sys_thp_mode(&doc->thp, doc->thp.huge_page_bytes));
	if (doc->thp.shmem_enabled[0])
		text_append(line, LINE, ", of shared memory %s", doc->thp.shmem_enabled);
	add_figure(line, "RLIMIT_MEMLOCK", p->memlock_limit_bytes);
	add_figure(line, "RLIMIT_STACK", p->stack_limit_bytes);
	report_headed(out, style, PAINT_NONE, "settings", line);
}

static void print_findings(const struct model_inspect *doc, FILE *out,
			   const struct report_style *style)
{
	for (size_t i = 0; i < doc->n_findings; i++) {
		const struct model_finding *f = &doc->findings[i];
		char line[LINE];

		(void)snprintf(line, sizeof(line), "%s%s%s: %s", f->id,
			       f->culprit.mapping[0] ? " " : "", f->culprit.mapping, f->evidence);
		report_headed(out, style, PAINT_WARN, "finding", line);
		report_headed(out, style, PAINT_NONE, "do", f->advice);
	}
}

void report_inspect_text(const struct model_inspect *doc, bool each, FILE *out,
			 const struct report_style *style)
{
	size_t n, top = style->top ? style->top : USUAL_TOP;
	struct row *rows = make_rows(doc, each, &n);

	print_findings(doc, out, style);
	print_process(doc, out, style);
	(void)fputc('\n', out);
	if (rows)
		print_table(rows, n, top, out, style);
	if (doc->n_left_out)
		(void)fprintf(out, "%s mappings found no room\n", units_count(doc->n_left_out).s);
	if (rows)
		print_reasons(rows, n, top, out, style);
	free(rows);
}
