/* SPDX-License-Identifier: MIT */
/* Option tables: one row feeds the parser, its bounds, --help, the manual and the completion. */
#include "src/base/option.h"

#include "src/base/text.h"
#include "src/base/units.h"
#include "src/base/why.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <string.h>

enum { MAX_ROWS = 63, FIRST_LONG = 256 };

static void *member(const struct option_row *row, void *config)
{
	return (char *)config + row->offset;
}

static int check_bounds(const struct option_row *row, double value, const char *text,
			struct why *why)
{
	if (value < row->min) {
		if (row->type == OPTION_BYTES)
			return why_set(why, -EINVAL, "--%s %s: must be %s at the least", row->name,
				       text, units_bytes((uint64_t)row->min).s);
		if (row->type == OPTION_DURATION)
			return why_set(why, -EINVAL, "--%s %s: must be %s at the least", row->name,
				       text, units_duration((uint64_t)row->min).s);
		return why_set(why, -EINVAL, "--%s %s: must be %g at the least", row->name, text,
			       row->min);
	}
	if (row->max > 0 && value > row->max)
		return why_set(why, -EINVAL, "--%s %s: must be %.16g at the most", row->name, text,
			       row->max);
	return 0;
}

static int parse_choice(const struct option_row *row, const char *text, void *config,
			struct why *why)
{
	const char *near;
	char all[256] = "";
	size_t used = 0;

	for (const char *const *c = row->choices; *c; c++) {
		if (strcmp(*c, text) == 0) {
			*(const char **)member(row, config) = *c;
			return 0;
		}
		if (used < sizeof(all))
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
						 used ? ", " : "", *c);
	}
	near = text_nearest(text, row->choices);
	if (near)
		return why_set(why, -EINVAL, "--%s %s: did you mean '%s'? It takes one of %s",
			       row->name, text, near, all);
	return why_set(why, -EINVAL, "--%s %s: it takes one of %s", row->name, text, all);
}

static int parse_value(const struct option_row *row, const char *text, void *config,
		       struct why *why)
{
	struct why inner = {.text = ""};
	uint64_t number = 0;
	double share = 0;
	int r = 0;

	switch (row->type) {
	case OPTION_FLAG:
		*(bool *)member(row, config) = true;
		return 0;
	case OPTION_STRING:
		if (!*text)
			return why_set(why, -EINVAL, "--%s: is empty; it takes %s", row->name,
				       row->metavar);
		*(const char **)member(row, config) = text;
		return 0;
	case OPTION_CHOICE:
		return parse_choice(row, text, config, why);
	case OPTION_BYTES:
		r = units_parse_bytes(text, &number, &inner);
		break;
	case OPTION_DURATION:
		r = units_parse_duration(text, &number, &inner);
		break;
	case OPTION_COUNT:
		r = units_parse_u64(text, &number, &inner);
		break;
	case OPTION_SHARE:
		r = units_parse_share(text, &share, &inner);
		break;
	}
	if (r < 0)
		return why_set(why, -EINVAL, "--%s: %s", row->name, inner.text);
	r = check_bounds(row, row->type == OPTION_SHARE ? share : (double)number, text, why);
	if (r < 0)
		return r;
	if (row->type == OPTION_SHARE)
		*(double *)member(row, config) = share;
	else
		*(uint64_t *)member(row, config) = number;
	return 0;
}

static int unknown_option(const struct option_row *rows, const char *word, struct why *why)
{
	const char *names[MAX_ROWS + 1];
	const char *near;
	char name[64];
	size_t n = 0;

	if (word[0] != '-' || word[1] != '-')
		return why_set(why, -EINVAL, "unknown option '%s'; --help lists them", word);
	text_copy(name, sizeof(name), word + 2);
	name[strcspn(name, "=")] = 0;
	for (; rows->name && n < MAX_ROWS; rows++)
		names[n++] = rows->name;
	names[n] = NULL;
	near = text_nearest(name, names);
	if (near)
		return why_set(why, -EINVAL, "unknown option '--%s'; did you mean '--%s'?", name,
			       near);
	return why_set(why, -EINVAL, "unknown option '--%s'; --help lists them", name);
}

static const struct option_row *find_row(const struct option_row *rows, const char *name)
{
	for (; rows->name; rows++)
		if (strcmp(rows->name, name) == 0)
			return rows;
	return NULL;
}

/* A table as getopt_long wants it. */
struct getopt_table {
	struct option longs[MAX_ROWS + 1];
	char shorts[2 * MAX_ROWS + 3];
	size_t n_rows;
};

static void build_getopt(const struct option_row *rows, bool stops, struct getopt_table *ret)
{
	char *s = ret->shorts;
	size_t n;

	if (stops)
		*s++ = '+';
	*s++ = ':';
	for (n = 0; n < MAX_ROWS && rows[n].name; n++) {
		int takes = rows[n].type != OPTION_FLAG;

		ret->longs[n] =
			(struct option){rows[n].name, takes ? required_argument : no_argument, NULL,
					FIRST_LONG + (int)n};
		if (!rows[n].letter)
			continue;
		*s++ = rows[n].letter;
		if (takes)
			*s++ = ':';
	}
	ret->longs[n] = (struct option){NULL, 0, NULL, 0};
	*s = 0;
	ret->n_rows = n;
}

/* The row of an option as getopt names it; -1: none. */
static int index_of(const struct option_row *rows, size_t n_rows, int c)
{
	if (c >= FIRST_LONG)
		return c - FIRST_LONG;
	for (size_t i = 0; i < n_rows; i++)
		if (rows[i].letter == c)
			return (int)i;
	return -1;
}

/* What getopt made of an option: the index of its row, or -EINVAL. */
static int take_option(const struct option_row *rows, const struct getopt_table *table, int c,
		       const char *word, struct why *why)
{
	char letter[3] = {'-', (char)optopt, 0};
	int i;

	if (c == '?' && optopt >= FIRST_LONG) /* a flag that was given a value */
		return why_set(why, -EINVAL, "--%s takes no value", rows[optopt - FIRST_LONG].name);
	if (c == '?')
		return unknown_option(rows, optopt ? letter : word, why);
	i = index_of(rows, table->n_rows, c == ':' ? optopt : c);
	if (i < 0)
		return unknown_option(rows, word, why);
	if (c == ':')
		return why_set(why, -EINVAL, "--%s needs a value: %s", rows[i].name,
			       rows[i].metavar);
	return i;
}

static void imply(const struct option_row *rows, const struct option_row *row, void *config,
		  struct option_result *ret)
{
	const struct option_row *other;

	if (!row->implies)
		return;
	other = find_row(rows, row->implies);
	assert(other); /* a table that implies what it has not is a bug */
	*(const char **)member(other, config) = row->name;
	ret->seen |= UINT64_C(1) << (other - rows);
}

/* The words of a command line, and where its options end. */
struct words {
	int argc;
	char **argv;
	bool stops; /* at the first operand */
};

static int parse(const struct option_row *rows, const struct words *words, void *config,
		 struct option_result *ret, struct why *why)
{
	struct getopt_table table = {.n_rows = 0};
	int c, i, r;

	build_getopt(rows, words->stops, &table);
	*ret = (struct option_result){0};
	opterr = 0;
	optind = 0; /* glibc: start anew */
	while ((c = getopt_long(words->argc, words->argv, table.shorts, table.longs, NULL)) != -1) {
		i = take_option(rows, &table, c, words->argv[optind - 1], why);
		if (i < 0)
			return i;
		if (rows[i].once && (ret->seen >> i & 1))
			return why_set(why, -EINVAL, "--%s is given twice", rows[i].name);
		r = parse_value(&rows[i], optarg, config, why);
		if (r < 0)
			return r;
		ret->seen |= UINT64_C(1) << i;
		imply(rows, &rows[i], config, ret);
	}
	ret->first_operand = optind;
	return 0;
}

int option_parse(const struct option_row *rows, int argc, char **argv, void *config,
		 struct option_result *ret, struct why *why)
{
	struct words words = {.argc = argc, .argv = argv};

	return parse(rows, &words, config, ret, why);
}

int option_parse_leading(const struct option_row *rows, int argc, char **argv, void *config,
			 struct option_result *ret, struct why *why)
{
	struct words words = {.argc = argc, .argv = argv, .stops = true};

	return parse(rows, &words, config, ret, why);
}

int option_end_of_leading(const struct option_row *rows, int argc, char **argv)
{
	struct getopt_table table = {.n_rows = 0};

	build_getopt(rows, true, &table);
	opterr = 0;
	optind = 0;
	while (getopt_long(argc, argv, table.shorts, table.longs, NULL) != -1)
		;
	return optind;
}

bool option_given(const struct option_row *rows, const struct option_result *result,
		  const char *name)
{
	const struct option_row *row = find_row(rows, name);

	return row && (result->seen >> (row - rows) & 1);
}

void option_print_folded(FILE *out, const char *text, size_t indent, size_t column, size_t width)
{
	size_t start = column;

	while (*text) {
		size_t word = strcspn(text, " \n");
		size_t columns = text_columns_of(text, word);

		if (column > start && column + 1 + columns > width) {
			(void)fprintf(out, "\n%*s", (int)indent, "");
			column = start = indent;
		} else if (column > start) {
			(void)fputc(' ', out);
			column++;
		}
		(void)fwrite(text, 1, word, out);
		column += columns;
		text += word;
		while (*text == ' ')
			text++;
		if (*text == '\n') {
			(void)fprintf(out, "\n%*s", (int)indent, "");
			column = start = indent;
			text++;
		}
	}
	(void)fputc('\n', out);
}

static int heading(const struct option_row *row, char *ret_text, size_t size)
{
	char letter[8] = "    ";

	if (row->letter)
		(void)snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	return snprintf(ret_text, size, "  %s--%s%s%s", letter, row->name, row->metavar ? " " : "",
			row->metavar ? row->metavar : "");
}

void option_print_help(const struct option_row *rows, FILE *out, size_t width)
{
	const size_t indent = 26;
	char text[80];

	for (; rows->name; rows++) {
		size_t n = (size_t)heading(rows, text, sizeof(text));

		(void)fputs(text, out);
		if (n + 2 > indent)
			(void)fprintf(out, "\n%*s", (int)indent, "");
		else
			(void)fprintf(out, "%*s", (int)(indent - n), "");
		option_print_folded(out, rows->help, indent, indent, width);
	}
}

void option_print_scdoc(const struct option_row *rows, FILE *out)
{
	for (; rows->name; rows++) {
		if (rows->letter)
			(void)fprintf(out, "*-%c*, ", rows->letter);
		(void)fprintf(out, "*--%s*", rows->name);
		if (rows->metavar)
			(void)fprintf(out, " _%s_", rows->metavar);
		(void)fputs("\n\t", out);
		text_put_scdoc(out, rows->help);
		(void)fputs("\n\n", out);
	}
}

void option_print_words(const struct option_row *rows, FILE *out)
{
	for (; rows->name; rows++)
		(void)fprintf(out, " --%s", rows->name);
}
