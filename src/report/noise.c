/* SPDX-License-Identifier: MIT */
/* The noise of a run in one line. */
#include "src/report/report.h"

#include "src/base/option.h"
#include "src/base/text.h"
#include "src/base/units.h"

#include <math.h>

/* "0" where there was none, and "not told" where nothing tells. */
static struct units_text share_of(double share)
{
	if (isnan(share))
		return (struct units_text){"not told"};
	return share > 0 ? units_share(share) : (struct units_text){"0"};
}

static void add_calibration(char *text, size_t size, const struct model_noise_summary *sum)
{
	if (isnan(sum->calibration_ns))
		return;
	text_append(text, size, ", calibration +-%.1f %%", 100 * sum->calibration_spread);
	if (!isnan(sum->worst_block_excess))
		text_append(text, size, " (worst block %+.1f %%)", 100 * sum->worst_block_excess);
}

void report_noise(const struct model_bench *doc, FILE *out, const struct report_style *style)
{
	const struct model_noise_summary *sum = &doc->noise_summary;
	char text[256] = "";

	if (isnan(sum->steal_share) && isnan(sum->calibration_ns))
		return; /* an older version's document, or nothing was run */
	if (!style->verbose && !model_noise_is_seen(doc))
		return;
	(void)snprintf(text, sizeof(text),
		       "noise: steal %s%s, CPU pressure %s, memory pressure %s, I/O pressure %s",
		       share_of(sum->steal_share).s, sum->steal_share > 0 ? " of the time" : "",
		       share_of(sum->psi_cpu_share).s, share_of(sum->psi_memory_share).s,
		       share_of(sum->psi_io_share).s);
	add_calibration(text, sizeof(text), sum);
	option_print_folded(out, text, 0, 0, style->width ? style->width : 100);
}
