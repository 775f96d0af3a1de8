/* SPDX-License-Identifier: MIT */
/* Option tables: one row feeds the parser, its bounds, --help, the manual and the completion. */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct why;

enum option_type {
	OPTION_FLAG,     /* bool */
	OPTION_BYTES,    /* uint64_t, with units */
	OPTION_DURATION, /* uint64_t, nanoseconds */
	OPTION_SHARE,    /* double */
	OPTION_COUNT,    /* uint64_t */
	OPTION_STRING,   /* const char *, into argv */
	OPTION_CHOICE,   /* const char *, one of .choices */
};

struct option_row {
	const char *name; /* without dashes */
	char letter;      /* 0: none */
	bool once;        /* given twice it is wrong: the last one does not count alone */
	enum option_type type;
	size_t offset;       /* of the member in the command's configuration */
	const char *metavar; /* NULL for flags */
	const char *help;    /* one line; the default in it where there is one */
	const char *const *choices;
	double min, max;     /* inclusive, in the member's unit; max 0: unbounded */
	const char *implies; /* FLAG only: short for --<implies>, a CHOICE, with this row's name */
};

#define OPTION_END           \
	{                    \
		.name = NULL \
	}

/* Bit i is set in seen when rows[i] was given; tables are shorter than 64 rows. */
struct option_result {
	uint64_t seen;
	int first_operand; /* index in argv, after permutation */
};

/*
 * Parses argv[1..] into config. Returns 0, or -EINVAL with a sentence that names the option and
 * what it takes. Operands are permuted to the end; "--" ends the options.
 */
int option_parse(const struct option_row *rows, int argc, char **argv, void *config,
		 struct option_result *ret, struct why *why);

/*
 * The same for a command that runs another: options end at the first operand, which begins a command
 * line of its own, and nothing is permuted.
 */
int option_parse_leading(const struct option_row *rows, int argc, char **argv, void *config,
			 struct option_result *ret, struct why *why);

/* Where that first operand is, whether the options in front of it are right or wrong; argc: nowhere. */
int option_end_of_leading(const struct option_row *rows, int argc, char **argv);

bool option_given(const struct option_row *rows, const struct option_result *result,
		  const char *name);

/* The OPTIONS part of --help: two columns, folded at width. */
void option_print_help(const struct option_row *rows, FILE *out, size_t width);

/* The same rows for scdoc, and as words for a shell's completion. */
void option_print_scdoc(const struct option_row *rows, FILE *out);
void option_print_words(const struct option_row *rows, FILE *out);

/* Prints text folded at width, every line after the first indented by indent columns. */
void option_print_folded(FILE *out, const char *text, size_t indent, size_t column, size_t width);

#endif
