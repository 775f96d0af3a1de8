/* SPDX-License-Identifier: MIT */
/* What a terminal shows while something runs: the price list while it grows, or a line. */
#include "src/cli/live.h"

#include "src/base/text.h"
#include "src/cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_BETWEEN_NS = 100 * 1000 * 1000 };
enum { LEAST_WIDTH = 20 };

void cli_live_init(struct cli_live *live)
{
	*live = (struct cli_live){.active = cli_terminal_is_able(STDERR_FILENO)};
}

void cli_live_clear(struct cli_live *live)
{
	if (!live->active || live->n_lines == 0)
		return;
	(void)fprintf(stderr, "\033[%zuA\r\033[J", live->n_lines);
	(void)fflush(stderr);
	live->n_lines = 0;
}

/* At most height lines of text, each cut at the width: a line that wraps would break the count. */
static size_t put_lines(const char *text, size_t height, size_t width)
{
	size_t n = 0;

	while (*text && n < height) {
		size_t length = strcspn(text, "\n");
		size_t shown = length < width ? length : width - 1;

		while (shown < length && ((unsigned char)text[shown] & 0xc0) == 0x80)
			shown--; /* not in the middle of a character */
		(void)fprintf(stderr, "%.*s\n", (int)shown, text);
		text += length + (text[length] == '\n');
		n++;
	}
	return n;
}

void cli_live_draw(void *data, const struct model_bench *doc, const struct bench_now *now)
{
	struct cli_live *live = data;
	struct report_style style = {.width = cli_terminal_width(STDERR_FILENO)};
	size_t height = cli_terminal_height(STDERR_FILENO);
	char *text = NULL;
	size_t size = 0;
	char doing[160];
	FILE *out;

	/* trials of pairs end dozens of times a second: nobody reads that, and it flickers */
	if (!live->active || style.width < LEAST_WIDTH || height < 4 ||
	    (doc->ab.setting[0] && live->n_lines &&
	     now->elapsed_ns - live->drawn_ns < LEAST_BETWEEN_NS))
		return;
	out = open_memstream(&text, &size);
	if (!out)
		return;
	text_make_harmless(text_copy(doing, sizeof(doing), now->doing));
	(void)fprintf(out, "%.0f s of at most %.0f s: %s\n", (double)now->elapsed_ns / 1e9,
		      (double)now->budget_ns / 1e9, doing);
	report_bench_table(doc, out, &style, true);
	if (fclose(out) == 0) {
		cli_live_clear(live);
		live->n_lines = put_lines(text, height - 1, style.width);
		live->drawn_ns = now->elapsed_ns;
		(void)fflush(stderr);
	}
	free(text);
}

void cli_live_line(struct cli_live *live, const char *text)
{
	size_t width = cli_terminal_width(STDERR_FILENO);

	if (!live->active || width < LEAST_WIDTH)
		return;
	cli_live_clear(live);
	live->n_lines = put_lines(text, 1, width);
	(void)fflush(stderr);
}
