/* SPDX-License-Identifier: MIT */
/* What a command is: one file, one table; the list of them is generated. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "src/base/option.h"
#include "src/base/why.h"
#include "src/report/report.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What a command is called with: its configuration filled in by its option table. */
struct command_call {
	void *config;
	struct option_result options;
	int n_operands;
	char **operands;
};

struct command {
	const char *summary;  /* one line for the overview */
	const char *usage;    /* behind "pagetoll NAME" */
	const char *about;    /* paragraphs for --help and the manual; '\n' parts them */
	const char *examples; /* lines for --help and the manual */
	const struct option_row *options;
	size_t config_bytes;  /* size of the configuration; */
	const void *defaults; /* copied into it before parsing; NULL: zeroes */
	bool hidden;
	bool wraps; /* runs another command: its own options end at the first operand */
	/* The exit status of a command line that is wrong; NULL: EXIT_USAGE. */
	int (*usage_status)(int argc, char **argv);
	int (*main)(const struct command_call *call); /* the exit status */
};

/* The last row has no name. */
struct command_row {
	const char *name;
	const struct command *command;
};

extern const struct command_row command_registry[];

/* What our caller gave us and main() has changed: a command that runs another gives it on unchanged. */
struct cli_caller {
	unsigned closed_fds; /* bit fd: the standard descriptor was closed */
	struct sigaction xfsz;
};
extern struct cli_caller cli_caller;

#define COMMAND(name)                               \
	extern const struct command command_##name; \
	const struct command command_##name

const struct command *command_find(const char *name);

/* --- what commands share ------------------------------------------------------------------------ */

/* "pagetoll: <sentence>" on standard error. Returns status, so that it can be returned. */
int cli_fail(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The options of everything that ends in a document. Embedded in a command's configuration. */
struct cli_output {
	const char *format; /* name in report_registry */
	const char *path;   /* NULL: standard output */
	const char *color;  /* "auto", "always", "never" */
	bool verbose;
	bool quiet;     /* the answer alone */
	bool to_stderr; /* where there is no path: standard output is another command's */
	bool json;      /* --json was given; it sets format */
	/* of a bill's tables */
	uint64_t top;     /* rows of each; 0: ten */
	const char *sort; /* what they are sorted by, in cli_sort_names; NULL: time */
};

#define CLI_OUTPUT_DEFAULTS                       \
	{                                         \
		.format = "text", .color = "auto" \
	}

/* Rows for an option table whose configuration has a struct cli_output called output. */
extern const char *const cli_format_names[]; /* ends with NULL */
extern const char *const cli_color_names[];
extern const char *const cli_sort_names[];
#define CLI_OUTPUT_ROWS(config) \
	CLI_OUTPUT_ROWS_OF(config, cli_format_names, "text, json, csv or html (default text)")
/* The same of a command whose documents have other forms. */
#define CLI_OUTPUT_ROWS_OF(config, formats, formats_help)                        \
	{.name = "format",                                                       \
	 .type = OPTION_CHOICE,                                                  \
	 .offset = offsetof(config, output.format),                              \
	 .metavar = "FORMAT",                                                    \
	 .help = (formats_help),                                                 \
	 .choices = (formats)},                                                  \
		{.name = "json",                                                 \
		 .type = OPTION_FLAG,                                            \
		 .offset = offsetof(config, output.json),                        \
		 .help = "short for --format json",                              \
		 .implies = "format"},                                           \
		{.name = "output",                                               \
		 .letter = 'o',                                                  \
		 .type = OPTION_STRING,                                          \
		 .offset = offsetof(config, output.path),                        \
		 .metavar = "FILE",                                              \
		 .help = "write the report to FILE instead of standard output"}, \
		{.name = "color",                                                \
		 .type = OPTION_CHOICE,                                          \
		 .offset = offsetof(config, output.color),                       \
		 .metavar = "WHEN",                                              \
		 .help = "auto, always or never (default auto: on a terminal, "  \
			 "unless NO_COLOR is set)",                              \
		 .choices = cli_color_names},                                    \
	{                                                                        \
		.name = "verbose", .letter = 'v', .type = OPTION_FLAG,           \
		.offset = offsetof(config, output.verbose),                      \
		.help = "more detail in the text report"                         \
	}

/* Rows of commands whose documents may have a bill. */
#define CLI_BILL_ROWS(config)                                                                   \
	{.name = "top",                                                                         \
	 .type = OPTION_COUNT,                                                                  \
	 .offset = offsetof(config, output.top),                                                \
	 .min = 1,                                                                              \
	 .max = 1000000,                                                                        \
	 .metavar = "N",                                                                        \
	 .help = "rows of each table of a bill, in text (default 10)"},                         \
	{                                                                                       \
		.name = "sort", .type = OPTION_CHOICE, .offset = offsetof(config, output.sort), \
		.metavar = "BY",                                                                \
		.help = "what the tables of a bill are sorted by, in text: time, "              \
			"count, worst or mean (default time)",                                  \
		.choices = cli_sort_names                                                       \
	}

/* Looks whether the report will be writable, before long work. 0 or an exit status. */
int cli_output_check(const struct cli_output *output);

/* Looks that the report will not overwrite the document it is made from: DOC as model_runs_resolve() takes
 * it, or '-'. 0 or an exit status. */
int cli_output_spares(const struct cli_output *output, const char *doc);

/* Writes the report of a document. 0 or an exit status. */
int cli_output_bench(const struct cli_output *output, const struct model_bench *doc);
int cli_output_trace(const struct cli_output *output, const struct model_trace *doc);
int cli_output_compare(const struct cli_output *output, const struct model_compare *doc);

/* Where data files go: the directory given, which must be one; else /var/tmp where it takes files, else
 * the current directory. 0 or an exit status. */
int cli_choose_dir(const char *command, const char *given, const char **ret_dir);

/* Whether fd is a terminal that knows more than plain text. */
bool cli_terminal_is_able(int fd);

/* Columns of the terminal on fd; 0 where it is none. */
size_t cli_terminal_width(int fd);
size_t cli_terminal_height(int fd);
struct report_style cli_style(const struct cli_output *output, FILE *out);

/* What every document begins with: this version, and now in UTC as ISO 8601. */
enum { CLI_STAMP_BYTES = 32 };
void cli_stamp(char ret_version[CLI_STAMP_BYTES], char ret_started[CLI_STAMP_BYTES]);

/* Names and "did you mean" over several lists. */
struct cli_names {
	const char *names[1024];
	size_t n;
};
void cli_names_add(struct cli_names *list, const char *name);
const char *cli_names_nearest(struct cli_names *list, const char *word);

/* The help of one command. */
void cli_print_help(const char *name, const struct command *command, FILE *out, size_t width);

#endif
