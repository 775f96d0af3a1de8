/* SPDX-License-Identifier: MIT */
/* Option tables: what is given arrives, what is wrong is named, and help folds. */
#include "src/base/array.h"
#include "src/base/option.h"
#include "src/base/why.h"
#include "tests/tap.h"

#include <errno.h>

struct config {
	bool quiet, verbose, json;
	uint64_t size_bytes, budget_ns, n_rounds, seed;
	double precision;
	const char *path, *format;
};

static const char *const formats[] = {"text", "json", "csv", NULL};

static const struct option_row rows[] = {
	{.name = "size",
	 .letter = 's',
	 .type = OPTION_BYTES,
	 .offset = offsetof(struct config, size_bytes),
	 .metavar = "SIZE",
	 .help = "memory touched",
	 .min = 4096},
	{.name = "budget",
	 .letter = 'b',
	 .type = OPTION_DURATION,
	 .offset = offsetof(struct config, budget_ns),
	 .metavar = "TIME",
	 .help = "end after TIME",
	 .min = 1e6},
	{.name = "rounds",
	 .letter = 'r',
	 .type = OPTION_COUNT,
	 .offset = offsetof(struct config, n_rounds),
	 .metavar = "N",
	 .help = "passes",
	 .min = 2,
	 .max = 100},
	{.name = "seed",
	 .type = OPTION_COUNT,
	 .offset = offsetof(struct config, seed),
	 .metavar = "N",
	 .help = "seed"},
	{.name = "precision",
	 .letter = 'p',
	 .type = OPTION_SHARE,
	 .offset = offsetof(struct config, precision),
	 .metavar = "SHARE",
	 .help = "half of each interval is at most SHARE of its price, or the budget ends; see the manual",
	 .min = 0.01,
	 .max = 0.5},
	{.name = "output",
	 .letter = 'o',
	 .type = OPTION_STRING,
	 .offset = offsetof(struct config, path),
	 .metavar = "FILE",
	 .help = "a file_name* with \\ and #"},
	{.name = "format",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct config, format),
	 .metavar = "FORMAT",
	 .help = "text, json or csv",
	 .choices = formats},
	{.name = "json",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct config, json),
	 .help = "short",
	 .implies = "format"},
	{.name = "quiet",
	 .letter = 'q',
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct config, quiet),
	 .help = "say nothing"},
	{.name = "verbose",
	 .letter = 'v',
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct config, verbose),
	 .help = "say more"},
	{.name = "an-option-with-a-long-name",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct config, verbose),
	 .help = "its help begins on a line of its own"},
	OPTION_END,
};

static struct config config;
static struct option_result result;
static struct why why;
static char words[512];
static char *argv[32];

/* Words of a command line, parted by one blank; '~' stands for an empty word. */
static int split(const char *line)
{
	int argc = 0;

	config = (struct config){.format = "text", .n_rounds = 5};
	why.text[0] = 0;
	(void)snprintf(words, sizeof(words), "program%s%s", *line ? " " : "", line);
	for (char *word = words, *end; word && argc < 31; word = end) {
		end = strchr(word, ' ');
		if (end)
			*end++ = 0;
		if (*word == '~')
			*word = 0;
		argv[argc++] = word;
	}
	argv[argc] = NULL;
	return argc;
}

static int parse(const char *line)
{
	int argc = split(line);

	return option_parse(rows, argc, argv, &config, &result, &why);
}

/* The command line of a command that runs another. */
static int parse_leading(const char *line)
{
	int argc = split(line);

	return option_parse_leading(rows, argc, argv, &config, &result, &why);
}

static void rejects(const char *line, const char *sentence)
{
	int r = parse(line);

	t_ok(r == -EINVAL && strcmp(why.text, sentence) == 0, "rejected: %s", line);
	if (r != -EINVAL || strcmp(why.text, sentence) != 0)
		t_note("got      %d '%s'\nexpected '%s'", r, why.text, sentence);
}

static void test_values(void)
{
	t_is_i64(parse(""), 0, "nothing given");
	t_ok(result.seen == 0 && result.first_operand == 1 && config.n_rounds == 5,
	     "defaults stay");
	t_is_i64(parse("-s 64M -b 2s -r 7 -p 3% -o out --seed 9 -q --format csv"), 0,
		 "one of each");
	t_is_u64(config.size_bytes, 64 << 20, "size");
	t_is_u64(config.budget_ns, 2000000000, "duration");
	t_is_u64(config.n_rounds, 7, "count");
	t_is_u64(config.seed, 9, "count without bounds");
	t_is_double(config.precision, 0.03, 1e-12, "share");
	t_is_str(config.path, "out", "string");
	t_is_str(config.format, "csv", "choice");
	t_ok(config.quiet && !config.verbose, "flag given, and flag not given");
	t_ok(option_given(rows, &result, "seed") && option_given(rows, &result, "size"),
	     "what was given is seen");
	t_ok(!option_given(rows, &result, "verbose") && !option_given(rows, &result, "novel"),
	     "the rest is not");
	t_is_i64(parse("--size=1G --rounds=3 --output=x=y"), 0, "long options with =");
	t_ok(config.size_bytes == 1 << 30 && config.n_rounds == 3, "have their values");
	t_is_str(config.path, "x=y", "a value may hold a =");
	t_is_i64(parse("-oout -r3 -qv"), 0, "glued values and flags");
	t_ok(config.path && strcmp(config.path, "out") == 0 && config.n_rounds == 3 &&
		     config.quiet && config.verbose,
	     "have theirs");
	t_is_i64(parse("-qoout"), 0, "a flag with an option and its value behind it");
	t_is_str(config.path, "out", "has its value");
	t_is_i64(parse("-r 3 -r 4"), 0, "given twice");
	t_is_u64(config.n_rounds, 4, "the last one counts");
	t_is_i64(parse("--prec 5%"), 0, "a name cut short");
	t_is_double(config.precision, 0.05, 1e-12, "is the option it begins");
	t_is_i64(parse("-o -v"), 0, "a value that looks like an option");
	t_is_str(config.path, "-v", "is a value");
	t_ok(!config.verbose, "and no option");
}

static void test_operands(void)
{
	t_is_i64(parse("anon -r 3 file -q"), 0, "operands between options");
	t_is_i64(result.first_operand, 4, "go to the end");
	t_ok(strcmp(argv[4], "anon") == 0 && strcmp(argv[5], "file") == 0, "in their order");
	t_ok(config.n_rounds == 3 && config.quiet, "options behind them count");
	t_is_i64(parse("-q -- -r 3"), 0, "behind --");
	t_is_str(argv[result.first_operand], "-r", "all is operand");
	t_is_u64(config.n_rounds, 5, "and no option");
	t_is_i64(parse("- ~"), 0, "a single dash and an empty word");
	t_ok(strcmp(argv[result.first_operand], "-") == 0 && argv[result.first_operand + 1][0] == 0,
	     "are operands");
}

/* The first operand as parse_leading() left it. */
static const char *first_operand(void)
{
	return argv[result.first_operand];
}

static void test_leading(void)
{
	t_is_i64(parse_leading("-r 3 ls --json -q -o out"), 0, "options of another command");
	t_is_str(first_operand(), "ls", "begin with its name");
	t_ok(strcmp(argv[result.first_operand + 1], "--json") == 0 &&
		     strcmp(argv[result.first_operand + 4], "out") == 0,
	     "stay behind it, in their order");
	t_ok(config.n_rounds == 3 && !config.quiet && !config.json && !config.path,
	     "and are none of ours");
	t_ok(!option_given(rows, &result, "quiet"), "nor seen");
	t_is_i64(parse_leading("ls --novel -x --rounds"), 0, "what we do not know");
	t_is_i64(result.first_operand, 1, "is not looked at behind the first word");
	t_is_i64(parse_leading("-q -- --json ls"), 0, "behind --");
	t_is_str(first_operand(), "--json", "even that is a command");
	t_ok(config.quiet && !config.json, "and no option");
	t_is_i64(parse_leading("-o ls -q"), 0, "a value is no operand");
	t_ok(config.path && strcmp(config.path, "ls") == 0 && config.quiet,
	     "options go on behind it");
	t_is_i64(parse_leading("-q ls -- -q"), 0, "-- behind the command");
	t_is_str(argv[result.first_operand + 1], "--", "is the command's");
	t_is_i64(parse_leading("- -q"), 0, "a single dash");
	t_ok(strcmp(first_operand(), "-") == 0 && !config.quiet, "is an operand");
	t_is_i64(parse_leading("~ -q"), 0, "an empty word");
	t_ok(first_operand()[0] == 0 && !config.quiet, "is one, too");
	t_is_i64(parse_leading("-q"), 0, "options alone");
	t_ok(first_operand() == NULL, "name no command");
	t_is_i64(parse_leading("--rouds 3 ls"), -EINVAL, "what is wrong before it");
	t_is_str(why.text, "unknown option '--rouds'; did you mean '--rounds'?", "is told as ever");
	t_is_i64(parse("ls -q"), 0, "other commands");
	t_ok(config.quiet, "still take options behind operands");
}

static void ends_at(const char *line, int index)
{
	int argc = split(line);

	t_is_i64(option_end_of_leading(rows, argc, argv), index, "where options end: %s", line);
}

static void test_end_of_leading(void)
{
	ends_at("", 1);
	ends_at("-q ls -r", 2);
	ends_at("-r 3 ls", 3);
	ends_at("-r3 --format=csv ls --help", 3);
	ends_at("--bogus -x --help ls -h", 4);
	ends_at("-q -- ls", 3);
	ends_at("-r", 2);
	ends_at("-r -- ls", 3);
}

static void test_implies(void)
{
	t_is_i64(parse("--json"), 0, "--json");
	t_is_str(config.format, "json", "is short for --format json");
	t_ok(option_given(rows, &result, "format"), "which counts as given");
	t_ok(parse("--format csv --json") == 0 && strcmp(config.format, "json") == 0,
	     "the later one counts");
	t_ok(parse("--json --format csv") == 0 && strcmp(config.format, "csv") == 0,
	     "in both orders");
}

static void test_bounds(void)
{
	t_ok(parse("-r 2") == 0 && parse("-r 100") == 0, "bounds are inside");
	rejects("-r 1", "--rounds 1: must be 2 at the least");
	rejects("-r 101", "--rounds 101: must be 100 at the most");
	rejects("--rounds 99999999999999999999", "--rounds: '99999999999999999999' is too large");
	t_ok(parse("-s 4096") == 0, "the least size");
	rejects("-s 4095", "--size 4095: must be 4 KiB at the least");
	rejects("-b 999us", "--budget 999us: must be 1 ms at the least");
	t_ok(parse("-p 1%") == 0 && parse("-p 0.5") == 0, "shares at their bounds");
	rejects("-p 0.9%", "--precision 0.9%: must be 0.01 at the least");
	rejects("-p 51%", "--precision 51%: must be 0.5 at the most");
	t_ok(parse("--seed 0") == 0 && parse("--seed 18446744073709551615") == 0, "no bounds");
}

static void test_wrong(void)
{
	rejects("--novel", "unknown option '--novel'; --help lists them");
	rejects("--rouds 3", "unknown option '--rouds'; did you mean '--rounds'?");
	rejects("--rouds=3", "unknown option '--rouds'; did you mean '--rounds'?");
	rejects("file --vebrose", "unknown option '--vebrose'; did you mean '--verbose'?");
	rejects("-x", "unknown option '-x'; --help lists them");
	rejects("-qx", "unknown option '-x'; --help lists them");
	rejects("-:", "unknown option '-:'; --help lists them");
	rejects("--\033[2J", "unknown option '--?[2J'; --help lists them");
	rejects("-\033", "unknown option '-?'; --help lists them");
	rejects("-\xc3\xa9", "unknown option '-?'; --help lists them");
	rejects("-r", "--rounds needs a value: N");
	rejects("--output", "--output needs a value: FILE");
	rejects("-o ~", "--output: is empty; it takes FILE");
	rejects("--output=", "--output: is empty; it takes FILE");
	rejects("--rounds=", "--rounds: '' is not a whole number");
	rejects("-r -5", "--rounds: '-5' is not a whole number");
	rejects("-r 5x", "--rounds: '5x' is not a whole number");
	rejects("-s 5x", "--size: '5x' is not a size; write 64M, 1.5GiB or 100p (pages)");
	rejects("-b soon", "--budget: 'soon' is not a duration; write 50us, 10ms, 2s or 1.5m");
	rejects("-p some", "--precision: 'some' is not a share; write 2% or 0.02");
	rejects("-p 3", "--precision: '3' is more than 100 %; write 2% or 0.02");
	rejects("--quiet=yes", "--quiet takes no value");
	rejects("--format xml", "--format xml: it takes one of text, json, csv");
	rejects("--format jsn",
		"--format jsn: did you mean 'json'? It takes one of text, json, csv");
	t_is_i64(parse("--s 1M"), -EINVAL, "a beginning of two names");
	t_contains(why.text, "unknown option '--s'", "is unknown");
	t_is_i64(parse("-q"), 0, "after an error parsing starts anew");
}

static char *print_with(void (*print)(const struct option_row *, FILE *))
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	print(rows, out);
	(void)fclose(out);
	return text;
}

static void help80(const struct option_row *r, FILE *out)
{
	option_print_help(r, out, 60);
}

static void test_help(void)
{
	char *help = print_with(help80);
	char *scdoc = print_with(option_print_scdoc);
	char *list = print_with(option_print_words);
	size_t longest = 0, blank = 0;

	for (const char *line = help; *line; line += strcspn(line, "\n") + 1) {
		size_t n = strcspn(line, "\n");

		longest = n > longest ? n : longest;
		blank += n == 0 || line[n - 1] == ' ';
	}
	t_contains(help, "  -r, --rounds N          passes\n", "letter, name, value and help");
	t_contains(help, "      --json              short\n", "a flag without a letter");
	t_contains(help,
		   "  -p, --precision SHARE   half of each interval is at most\n"
		   "                          SHARE of its price, or the budget\n"
		   "                          ends; see the manual\n",
		   "help is folded under itself");
	t_contains(help,
		   "      --an-option-with-a-long-name\n"
		   "                          its help begins on a line of its\n",
		   "a long name has its own line");
	t_ok(longest <= 60, "no line is wider than 60: %zu", longest);
	t_is_u64(blank, 0, "no line ends in blanks");
	t_contains(scdoc, "*-o*, *--output* _FILE_\n\ta file\\_name\\* with \\\\ and \\#\n",
		   "scdoc's marks are escaped");
	t_is_str(
		list,
		" --size --budget --rounds --seed --precision --output --format --json --quiet --verbose "
		"--an-option-with-a-long-name",
		"words for a shell");
	free(help);
	free(scdoc);
	free(list);
}

static void folds(const char *in, size_t indent, size_t column, size_t width, const char *expected)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	option_print_folded(out, in, indent, column, width);
	(void)fclose(out);
	t_is_str(text, expected, "folded at %zu: '%s'", width, in);
	free(text);
}

static void test_folded(void)
{
	folds("", 0, 0, 10, "\n");
	folds("one two", 0, 0, 10, "one two\n");
	folds("one two", 0, 0, 7, "one two\n");
	folds("one two", 0, 0, 6, "one\ntwo\n");
	folds("one two three", 2, 2, 9, "one two\n  three\n");
	folds("one two", 0, 4, 9, "one\ntwo\n");
	folds("unbreakable-and-long word", 0, 0, 8, "unbreakable-and-long\nword\n");
	folds("one\ntwo three", 2, 2, 80, "one\n  two three\n");
	folds("one   two", 0, 0, 80, "one two\n");
	folds("\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xb6\xc3\xb6\xc3\xb6", 0, 0, 7,
	      "\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xb6\xc3\xb6\xc3\xb6\n");
}

int main(void)
{
	test_values();
	test_operands();
	test_leading();
	test_end_of_leading();
	test_implies();
	test_bounds();
	test_wrong();
	test_help();
	test_folded();
	return t_done();
}
