/* SPDX-License-Identifier: MIT */
/* CSV: every line has its cells, texts are quoted, and no spreadsheet runs one as a formula. */
#include "src/report/report.h"
#include "tests/tap.h"
#include "tests/unit/made_up.h"

enum { MAX_CELLS = 64 };

static struct model_bench *doc;
static char *text;
static char *lines[MAX_CELLS][MAX_CELLS]; /* parsed: line, cell */
static size_t n_cells[MAX_CELLS], n_lines;

static void report(void)
{
	struct report_style style = {.width = 0};
	size_t n;
	FILE *out = open_memstream(&text, &n);

	model_bench_derive(doc);
	report_find("csv")->bench(doc, out, &style);
	(void)fclose(out);
}

/* Reads text as RFC 4180 says, in place. A quote at the wrong place ends it. */
static void parse(void)
{
	const char *in = text;
	char *out = text;

	n_lines = 0;
	memset(n_cells, 0, sizeof(n_cells));
	while (*in && n_lines < MAX_CELLS) {
		bool quoted = *in == '"';
		char end;

		lines[n_lines][n_cells[n_lines]++] = out;
		for (in += quoted; *in && (quoted || (*in != ',' && *in != '\n')); in++) {
			if (*in == '"' && !quoted)
				return;
			if (*in == '"' && *++in != '"')
				break;
			*out++ = *in;
		}
		end = *in++;
		*out++ = 0;
		if (end == '\n')
			n_lines++;
		else if (end != ',')
			return;
	}
}

static const char *cell(size_t line, const char *title)
{
	for (size_t c = 0; c < n_cells[0]; c++)
		if (strcmp(lines[0][c], title) == 0)
			return lines[line][c];
	return "no such column";
}

static void begin(void)
{
	free(text);
	model_bench_free(doc);
	text = NULL;
	doc = model_bench_new();
	if (!doc)
		abort();
}

static void test_values(void)
{
	struct model_scenario *s;

	begin();
	doc->floor.n_pages = MADE_UP_PAGES;
	doc->floor.ledger.minor.hi = doc->floor.ledger.trap.hi = 1;
	made_up_trials(&doc->floor, 3, 50, 0);
	s = made_up_scenario(doc, "priced");
	s->published.ns_per_page = 123.25;
	text_copy(s->article, sizeof(s->article), "row");
	made_up_trials(s, 3, 100, 10);
	made_up_trials(made_up_scenario(doc, "long"), 1, 1e6, 0);
	report();
	t_ok(strncmp(text, "scenario,article,status,verdict,", 32) == 0, "begins with the titles");
	t_ok(text[strlen(text) - 1] == '\n' && !strchr(text, '\r'), "lines end as Unix lines do");
	parse();
	t_is_u64(n_lines, 3, "a line for the titles, one for each scenario");
	t_is_u64(n_cells[1], n_cells[0], "as many cells as titles");
	t_is_str(cell(1, "scenario"), "priced", "name");
	t_is_str(cell(1, "article"), "row", "article");
	t_is_str(cell(1, "status"), "done", "status");
	t_is_str(cell(1, "verdict"), "valid", "verdict");
	t_is_str(cell(1, "reason"), "", "no reason");
	t_is_str(cell(1, "n_pages"), "1000", "pages");
	t_is_str(cell(1, "page_bytes"), "8192", "their size is the document's, not this machine's");
	t_is_str(cell(1, "minor_per_page"), "1", "minor");
	t_is_str(cell(1, "major_per_page"), "0", "major: 0 is 0");
	t_is_str(cell(1, "ns_per_page"), "110", "price");
	t_is_str(cell(1, "ns_per_page_lo"), "100", "from");
	t_is_str(cell(1, "ns_per_page_hi"), "120", "to");
	t_is_str(cell(1, "ns_per_page_mad"), "10", "MAD");
	t_is_str(cell(1, "times_floor"), "2.2", "times the floor");
	t_is_str(cell(1, "trials"), "3", "trials");
	t_is_str(cell(1, "rounds"), "9", "rounds");
	t_is_str(cell(1, "invalid_rounds"), "0", "of which invalid");
	t_is_str(cell(1, "user"), "", "user share: too short for the tick");
	t_is_str(cell(1, "sys"), "", "system share as well");
	t_is_str(cell(2, "user"), "0.1", "user share of a longer run");
	t_is_str(cell(2, "sys"), "0.8", "system share");
	t_is_str(cell(1, "blocked"), "0", "blocked share");
	t_is_str(cell(1, "published_ns_per_page"), "123.25", "published");
	t_is_str(cell(1, "published_ns_per_fault"), "", "not published");
}

static void test_undefined(void)
{
	static const char *const empty[] = {"verdict",
					    "minor_per_page",
					    "major_per_page",
					    "trap_per_page",
					    "populated_per_page",
					    "ns_per_fault",
					    "ns_per_page",
					    "ns_per_page_min",
					    "ns_per_page_hi",
					    "times_floor",
					    "user",
					    "pages_per_fault"};
	struct model_scenario *s;

	begin();
	s = made_up_scenario(doc, "skipped");
	s->status = MODEL_SKIPPED;
	text_copy(s->reason, sizeof(s->reason), "needs a, found \"b\"");
	s = made_up_scenario(doc, "one");
	made_up_trials(s, 1, 100, 0);
	report();
	t_ok(!strstr(text, "nan") && !strstr(text, "inf"), "no nan and no inf");
	parse();
	t_ok(n_lines == 3 && n_cells[1] == n_cells[0] && n_cells[2] == n_cells[0],
	     "cells of a skipped row");
	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
		t_is_str(cell(1, empty[i]), "", "skipped: %s is empty, not 0", empty[i]);
	t_is_str(cell(1, "ns_per_fault_lo"), "",
		 "skipped: nor has the price by the fault an interval");
	t_is_str(cell(1, "ns_per_fault_hi"), "", "at either end");
	t_is_str(cell(1, "status"), "skipped", "status");
	t_is_str(cell(1, "reason"), "needs a, found \"b\"", "a reason with comma and quotes");
	t_is_str(cell(2, "ns_per_page"), "100", "one trial has a price");
	t_is_str(cell(2, "ns_per_page_lo"), "", "but no interval");
	t_is_str(cell(2, "times_floor"), "", "and no floor to compare with");
}

static void name_is(const char *name, const char *raw, const char *read)
{
	char *start;

	begin();
	(void)made_up_scenario(doc, name);
	report();
	start = strchr(text, '\n') + 1;
	t_ok(strncmp(start, raw, strlen(raw)) == 0, "written as %s", raw);
	parse();
	t_ok(n_lines == 2 && n_cells[1] == n_cells[0], "the line keeps its cells");
	t_is_str(cell(1, "scenario"), read, "read as %s", read);
}

static void test_hostile(void)
{
	name_is("plain", "plain,", "plain");
	name_is("", ",", "");
	name_is("a,b", "\"a,b\",", "a,b");
	name_is("say \"a\"", "\"say \"\"a\"\"\",", "say \"a\"");
	name_is("\"", "\"\"\"\",", "\"");
	name_is("a\nb\rc", "\"a\nb\rc\",", "a\nb\rc");
	name_is("=1+1", "\"'=1+1\",", "'=1+1");
	name_is("+1", "\"'+1\",", "'+1");
	name_is("-1", "\"'-1\",", "'-1");
	name_is("@SUM(A1)", "\"'@SUM(A1)\",", "'@SUM(A1)");
	name_is("\t=1", "\"'\t=1\",", "'\t=1");
	name_is("=\"a\",b", "\"'=\"\"a\"\",b\",", "'=\"a\",b");
	name_is("a=1", "a=1,", "a=1");
	name_is("\r=1", "\"'\r=1\",", "'\r=1");
}

int main(void)
{
	test_values();
	test_undefined();
	test_hostile();
	free(text);
	model_bench_free(doc);
	return t_done();
}
