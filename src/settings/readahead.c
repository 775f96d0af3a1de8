/* SPDX-License-Identifier: MIT */
/* How far the kernel reads ahead on the disk under --dir: its read_ahead_kb. */
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/bench/setting.h"
#include "src/sys/disk.h"
#include "src/sys/page.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

static bool readahead_concerns(const struct bench_scenario *scenario)
{
	/* not where each page is read by itself, or none is */
	return scenario->file == BENCH_FILE_COLD && scenario->kernel_decides;
}

/* In whole pages, as the kernel keeps it: else it would read back as another number. */
static int parse(const struct bench_arm *arm, char *ret_kib, size_t size, struct why *why)
{
	uint64_t bytes = 0;
	int r = units_parse_bytes(arm->value, &bytes, why);

	if (r < 0)
		return -EINVAL;
	if (bytes % sys_page_bytes() || bytes % 1024)
		return why_set(why, -EINVAL, "'%s' is no whole number of pages of %s", arm->value,
			       units_bytes(sys_page_bytes()).s);
	(void)snprintf(ret_kib, size, "%" PRIu64, bytes / 1024);
	return 0;
}

static int find_disk(const struct bench_arm *arm, struct sys_disk *ret, struct why *why)
{
	sys_disk_probe(arm->dir, ret);
	if (ret->read_ahead_path[0])
		return 0;
	return why_set(why, -ENODEV,
		       "there is no disk with a readahead under %s; choose a --dir on one",
		       arm->dir);
}

static int readahead_check(const struct bench_arm *arm, struct why *why)
{
	struct sys_disk disk;
	char kib[32];
	int r = parse(arm, kib, sizeof(kib), why);

	return r < 0 ? r : find_disk(arm, &disk, why);
}

static int readahead_open(struct bench_arm *arm, struct why *why)
{
	struct sys_disk disk;
	char kib[32];
	int r = parse(arm, kib, sizeof(kib), why);

	if (r == 0)
		r = find_disk(arm, &disk, why);
	return r < 0 ? r : bench_knob_open(arm, disk.read_ahead_path, kib, why);
}

static int readahead_enter(struct bench_arm *arm, struct why *why)
{
	char kib[32];
	int r = parse(arm, kib, sizeof(kib), why);

	return r < 0 ? r : bench_knob_set(arm, kib, why);
}

/* A file keeps the readahead it was opened with; this advice takes over that of the disk. */
static int readahead_in_trial(struct bench_trial *trial, const struct bench_arm *arm)
{
	int r = posix_fadvise(trial->fd, 0, 0, POSIX_FADV_NORMAL);

	(void)arm;
	return r ? why_errno(&trial->why, -r, "posix_fadvise") : 0;
}

SETTING(readahead) = {
	.title = "readahead of the disk under --dir: its read_ahead_kb",
	.values = "sizes: 128K",
	.changes_system = true,
	.concerns = readahead_concerns,
	.check = readahead_check,
	.open = readahead_open,
	.close = bench_knob_close,
	.enter = readahead_enter,
	.in_trial = readahead_in_trial,
};
