/* SPDX-License-Identifier: MIT */
/* What commands share: failing, styles, writing a report. */
#include "src/base/array.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/exit.h"
#include "src/model/runs.h"

#include <errno.h>
#include <langinfo.h>
#include <libgen.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *const cli_format_names[] = {"text", "json", "csv", "html", NULL};
const char *const cli_color_names[] = {"auto", "always", "never", NULL};

static const struct {
	const char *name;
	enum report_sort sort;
} sorts[] = {
	{"time", REPORT_SORT_TIME},
	{"count", REPORT_SORT_COUNT},
	{"worst", REPORT_SORT_WORST},
	{"mean", REPORT_SORT_MEAN},
};
const char *const cli_sort_names[] = {"time", "count", "worst", "mean", NULL};

int cli_fail(int status, const char *fmt, ...)
{
	struct why why;
	char text[sizeof(why.text)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_make_harmless(text);
	(void)fflush(stdout);
	(void)fprintf(stderr, "pagetoll: %s\n", text);
	return status;
}

const struct command *command_find(const char *name)
{
	for (const struct command_row *row = command_registry; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row->command;
	return NULL;
}

void cli_stamp(char ret_version[CLI_STAMP_BYTES], char ret_started[CLI_STAMP_BYTES])
{
	time_t now = time(NULL);
	struct tm tm;

	text_copy(ret_version, CLI_STAMP_BYTES, PAGETOLL_VERSION);
	(void)gmtime_r(&now, &tm);
	(void)strftime(ret_started, CLI_STAMP_BYTES, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void cli_names_add(struct cli_names *list, const char *name)
{
	/* what has no name is nothing to suggest */
	if (*name && list->n + 1 < ARRAY_LEN(list->names))
		list->names[list->n++] = name;
	list->names[list->n] = NULL;
}

const char *cli_names_nearest(struct cli_names *list, const char *word)
{
	return text_nearest(word, list->names);
}

static bool is_usable_dir(const char *dir)
{
	struct stat st;

	return stat(dir, &st) == 0 && S_ISDIR(st.st_mode) && access(dir, W_OK | X_OK) == 0;
}

int cli_choose_dir(const char *command, const char *given, const char **ret_dir)
{
	struct stat st;

	*ret_dir = given;
	if (!given) {
		*ret_dir = is_usable_dir("/var/tmp") ? "/var/tmp" : ".";
		return 0;
	}
	if (stat(given, &st) < 0)
		return cli_fail(EXIT_USAGE, "%s: --dir %s: %s", command, given, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return cli_fail(EXIT_USAGE, "%s: --dir %s: is no directory", command, given);
	return 0;
}

bool cli_terminal_is_able(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

size_t cli_terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long n;

	if (!isatty(fd))
		return 0;
	n = columns ? strtol(columns, NULL, 10) : 0;
	if (n >= 20 && n < 10000)
		return (size_t)n;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 80;
}

size_t cli_terminal_height(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

static bool wants_color(const char *when, int fd)
{
	const char *no_color = getenv("NO_COLOR");

	if (strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	return cli_terminal_is_able(fd) && !(no_color && *no_color);
}

static bool shows_unicode(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool shows = locale && strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;

	if (locale)
		freelocale(locale);
	return shows;
}

static enum report_sort sort_of(const struct cli_output *output)
{
	for (size_t i = 0; output->sort && i < ARRAY_LEN(sorts); i++)
		if (strcmp(sorts[i].name, output->sort) == 0)
			return sorts[i].sort;
	return REPORT_SORT_TIME;
}

struct report_style cli_style(const struct cli_output *output, FILE *out)
{
	return (struct report_style){
		.color = wants_color(output->color, fileno(out)),
		.verbose = output->verbose,
		.brief = output->quiet,
		.unicode = shows_unicode(),
		.width = cli_terminal_width(fileno(out)),
		.top = (size_t)output->top,
		.sort = sort_of(output),
	};
}

static bool to_stdout(const struct cli_output *output)
{
	return !output->path || strcmp(output->path, "-") == 0;
}

int cli_output_check(const struct cli_output *output)
{
	char dir[PATH_MAX];
	struct stat st;

	if (to_stdout(output))
		return 0;
	if (stat(output->path, &st) == 0 && S_ISDIR(st.st_mode))
		return cli_fail(EXIT_USAGE, "-o %s: is a directory; name a file", output->path);
	if (access(output->path, W_OK) == 0)
		return 0;
	if (errno == ENOENT) {
		text_copy(dir, sizeof(dir), output->path);
		if (access(dirname(dir), W_OK) == 0)
			return 0;
	}
	return cli_fail(EXIT_SYSTEM, "-o %s: %s%s", output->path, strerror(errno),
			why_limit(-errno));
}

int cli_output_spares(const struct cli_output *output, const char *doc)
{
	struct stat in, out;
	char path[PATH_MAX];
	int r;

	if (to_stdout(output))
		return 0;
	if (strcmp(doc, "-") == 0)
		r = fstat(STDIN_FILENO, &in);
	else if (model_runs_resolve(doc, path, sizeof(path), NULL) == 0)
		r = stat(path, &in);
	else
		return 0; /* who reads it will say what is wrong */
	if (r < 0 || stat(output->path, &out) < 0 || !S_ISREG(in.st_mode) ||
	    in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return 0;
	return cli_fail(EXIT_USAGE,
			"-o %s: is the document that is read, and would be lost; name another file",
			output->path);
}

/* A document of one kind with the writer of a format for it. */
struct job {
	const struct cli_output *output;
	const struct model_bench *bench;
	const struct model_trace *trace;
	const struct model_compare *compare;
};

static void write_report(const struct job *job, FILE *place, FILE *out)
{
	const struct report_format *format = report_find(job->output->format);
	struct report_style style = cli_style(job->output, place);

	if (job->bench)
		format->bench(job->bench, out, &style);
	else if (job->compare)
		format->compare(job->compare, out, &style);
	else if (job->trace && job->trace->bill)
		format->bill(job->trace, out, &style);
	else if (job->trace)
		format->trace(job->trace, out, &style);
}

/* In one piece: standard error has no buffer, and others write to it, too. */
static int write_to_stderr(const struct job *job)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool failed;

	if (!out)
		return EXIT_SYSTEM;
	write_report(job, stderr, out);
	failed = fclose(out) != 0 || fwrite(text, 1, size, stderr) != size || fflush(stderr) != 0;
	free(text);
	return failed ? EXIT_SYSTEM : 0; /* nobody is left to be told why */
}

static int write_to_file(const struct job *job)
{
	const char *path = job->output->path;
	bool failed;
	FILE *out;

	out = fopen(path, "we");
	if (!out)
		return cli_fail(EXIT_SYSTEM, "-o %s: %s%s", path, strerror(errno),
				why_limit(-errno));
	write_report(job, out, out);
	failed = fflush(out) != 0 || ferror(out);
	if (fclose(out) != 0 || failed)
		return cli_fail(EXIT_SYSTEM, "-o %s: %s%s", path, strerror(errno),
				why_limit(-errno));
	return 0;
}

static int write_job(const struct job *job)
{
	if (job->output->path && strcmp(job->output->path, "-") != 0)
		return write_to_file(job);
	if (job->output->to_stderr)
		return write_to_stderr(job);
	write_report(job, stdout, stdout);
	return 0; /* main() sees whether it was written */
}

/* Formats that have a form, with commas. */
static void list_forms(bool (*has_form)(const struct report_format *format), char *ret, size_t size)
{
	*ret = 0;
	for (const struct report_row *row = report_registry; row->name; row++)
		if (has_form(row->format))
			text_append(ret, size, "%s%s", *ret ? ", " : "", row->name);
}

/* Writes a report, or says which formats have one. */
static int write_form(const struct job *job, const char *of,
		      bool (*has_form)(const struct report_format *format))
{
	char forms[128];

	if (has_form(report_find(job->output->format)))
		return write_job(job);
	list_forms(has_form, forms, sizeof(forms));
	return cli_fail(EXIT_USAGE, "--format %s: has no form for %s; there are %s",
			job->output->format, of, forms);
}

static bool has_bench(const struct report_format *format)
{
	return format->bench;
}

static bool has_trace(const struct report_format *format)
{
	return format->trace;
}

static bool has_bill(const struct report_format *format)
{
	return format->bill;
}

static bool has_compare(const struct report_format *format)
{
	return format->compare;
}

int cli_output_bench(const struct cli_output *output, const struct model_bench *doc)
{
	struct job job = {.output = output, .bench = doc};

	return write_form(&job, "prices", has_bench);
}

int cli_output_trace(const struct cli_output *output, const struct model_trace *doc)
{
	struct job job = {.output = output, .trace = doc};

	return doc->bill ? write_form(&job, "a fault bill", has_bill)
			 : write_form(&job, "a command's faults by counters alone", has_trace);
}

int cli_output_compare(const struct cli_output *output, const struct model_compare *doc)
{
	struct job job = {.output = output, .compare = doc};

	return write_form(&job, "a comparison", has_compare);
}

static void print_paragraphs(const char *text, FILE *out, size_t width)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char paragraph[2048];

		(void)snprintf(paragraph, sizeof(paragraph), "%.*s", (int)n, text);
		option_print_folded(out, paragraph, 0, 0, width);
		text += n;
		if (*text == '\n') {
			(void)fputc('\n', out);
			text++;
		}
	}
}

void cli_print_help(const char *name, const struct command *command, FILE *out, size_t width)
{
	if (width == 0 || width > 100)
		width = width ? 100 : 80;
	(void)fprintf(out, "usage: pagetoll %s %s\n\n", name, command->usage);
	print_paragraphs(command->about, out, width);
	if (command->options && command->options[0].name) {
		(void)fputs("\noptions:\n", out);
		option_print_help(command->options, out, width);
	}
	if (command->examples)
		(void)fprintf(out, "\nexamples:\n%s", command->examples);
}
