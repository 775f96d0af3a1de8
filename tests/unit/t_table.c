/* SPDX-License-Identifier: MIT */
/* Tables: aligned, without blanks at the end, and narrow where the terminal is. */
#include "src/report/table.h"
#include "tests/tap.h"

#include <stdlib.h>

static const struct table_column columns[] = {
	{"NAME", false, 0}, {"COUNT", true, 2}, {"NOTE", false, 3},
	{"PRICE", true, 0}, {"WORD", false, 1},
};
enum { N_COLUMNS = 5 };

static const char *const rows[][N_COLUMNS] = {
	{"one", "1", "a note", "1.50", "x"},
	{"a l\xc3\xb6nger name", "12345678", "", "100", "w"},
	{"na\xc3\xafve", "-", "\033[2J", "7", "end"},
};

static void fill(struct table *t)
{
	table_init(t, columns, N_COLUMNS);
	for (size_t r = 0; r < 3; r++)
		table_add(t, rows[r]);
}

static void prints(const struct table *t, const char *expected, const char *name)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	table_print(t, out);
	(void)fclose(out);
	t_is_str(text, expected, "%s", name);
	t_ok(!strstr(text, " \n"), "%s: no line ends in a blank", name);
	free(text);
}

static char hidden[64];

static size_t fit(struct table *t, size_t width)
{
	return table_fit(t, width, hidden, sizeof(hidden));
}

static void test_print(void)
{
	struct table t;

	fill(&t);
	t_is_u64(fit(&t, 0), 0, "any width: nothing is left out");
	prints(&t,
	       "NAME              COUNT  NOTE    PRICE  WORD\n"
	       "one                   1  a note   1.50  x\n"
	       "a l\xc3\xb6nger name  12345678            100  w\n"
	       "na\xc3\xafve                 -  ?[2J        7  end\n",
	       "words to the left, numbers to the right");
	table_fini(&t);
	table_init(&t, columns, N_COLUMNS);
	prints(&t, "NAME  COUNT  NOTE  PRICE  WORD\n", "a table without rows is its heading");
	table_fini(&t);
}

static void test_fit(void)
{
	struct table t;

	fill(&t);
	t_is_u64(fit(&t, 44), 0, "just wide enough");
	t_is_u64(t.gap, 2, "and so as it was");
	t_is_u64(fit(&t, 43), 0, "one column less wide: drawn together");
	t_is_u64(t.gap, 1, "by one blank");
	t_is_u64(fit(&t, 40), 0, "just wide enough then");
	t_is_u64(fit(&t, 39), 1, "less wide than that: one is left out");
	t_ok(t.hidden[2], "the one with the highest number");
	t_is_str(hidden, "NOTE", "and named");
	prints(&t,
	       "NAME             COUNT PRICE WORD\n"
	       "one                  1  1.50 x\n"
	       "a l\xc3\xb6nger name 12345678   100 w\n"
	       "na\xc3\xafve                -     7 end\n",
	       "without it");
	t_is_u64(fit(&t, 20), 2, "narrower: the next two");
	t_ok(t.hidden[1] && t.hidden[4], "in the order of their numbers");
	t_is_str(hidden, "COUNT, WORD", "named in that order");
	prints(&t,
	       "NAME          PRICE\none            1.50\na l\xc3\xb6nger name   100\nna\xc3\xafve             7\n",
	       "what stays");
	t_is_u64(fit(&t, 1), 0, "columns of number 0 stay, whatever the width");
	t_ok(!t.hidden[0] && !t.hidden[3], "both");
	table_fini(&t);
}

static void test_hidden(void)
{
	struct table t;

	fill(&t);
	t.hidden[0] = t.hidden[4] = true;
	prints(&t,
	       "   COUNT  NOTE    PRICE\n"
	       "       1  a note   1.50\n"
	       "12345678            100\n"
	       "       -  ?[2J        7\n",
	       "hidden by its owner: first and last");
	t_is_u64(fit(&t, 23), 0, "hidden columns take no room");
	t_is_u64(fit(&t, 20), 1, "but shown ones do");
	table_fini(&t);
}

static void test_empty(void)
{
	static const char *const nothing[] = {"x", "", "", "", ""};
	static const char *const middle[] = {"", "", "y", "", ""};
	struct table t;

	table_init(&t, columns, N_COLUMNS);
	table_add(&t, nothing);
	table_add(&t, middle);
	prints(&t,
	       "NAME  COUNT  NOTE  PRICE  WORD\n"
	       "x\n"
	       "             y\n",
	       "empty cells at the end");
	table_fini(&t);
}

static void test_cells(void)
{
	static const struct table_column one[] = {{"X", true, 0}};
	char longest[300], expected[TABLE_CELL + 120];
	const char *texts[] = {longest};
	struct table t;

	memset(longest, 'y', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	table_init(&t, one, 1);
	table_add(&t, texts);
	(void)snprintf(expected, sizeof(expected), "%*s\n%.*s\n", TABLE_CELL - 1, "X",
		       TABLE_CELL - 1, longest);
	prints(&t, expected, "a cell too long is cut");
	for (int i = 0; i < 500; i++)
		table_add(&t, texts);
	t_is_u64(t.n_rows, 501, "many rows");
	table_fini(&t);
}

static void prints_fitted(struct table *t, size_t width, const char *expected, const char *name)
{
	(void)fit(t, width);
	prints(t, expected, name);
	table_fini(t);
}

/* Columns whose texts may be cut are, before any is left out. */
static void test_cut(void)
{
	static const struct table_column titled[] = {
		{"PATH", false, 0}, {"N", true, 1}, {"WHERE", false, 0}};
	static const char *const texts[][3] = {
		{"/srv/l\xc3\xb6ng/data.mdb", "12", "scan_leaf < main"}, {"x", "3", "y"}};
	static const struct {
		size_t width;
		const char *expected, *name;
	} cases[] = {
		{0,
		 "PATH                 N  WHERE\n/srv/l\xc3\xb6ng/data.mdb  12  scan_leaf < main\n"
		 "x                    3  y\n",
		 "any width: nothing is cut"},
		{24, "PATH        N WHERE\n..data.mdb 12 scan_lea..\nx           3 y\n",
		 "a path keeps its end, other texts their beginning; both get as much"},
		{17, "PATH     N WHERE\n..a.mdb 12 scan..\nx        3 y\n", "narrower"},
		{14, "PATH    WHERE\n..a.mdb scan..\nx       y\n", "and then a column goes"},
		{3, "PATH  WHERE\n..mdb scan..\nx     y\n", "but never all"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct table t;

		table_init(&t, titled, 3);
		t.least[0] = 5;
		t.keeps_end[0] = true;
		t.least[2] = 6;
		table_add(&t, texts[0]);
		table_add(&t, texts[1]);
		prints_fitted(&t, cases[i].width, cases[i].expected, cases[i].name);
	}
}

int main(void)
{
	test_cut();
	test_print();
	test_fit();
	test_hidden();
	test_empty();
	test_cells();
	return t_done();
}
