/* SPDX-License-Identifier: MIT */
/* The filesystem and the disk under a directory. */
#include "src/sys/disk.h"

#include "src/base/text.h"
#include "src/sys/file.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* Looked up by mount id: device numbers are shared by bind mounts and subvolumes. */
static void probe_filesystem(const struct statx *sx, struct sys_disk *ret)
{
	unsigned long long id;
	char line[2 * PATH_MAX];
	FILE *f;

	if (!(sx->stx_mask & STATX_MNT_ID))
		return;
	f = fopen("/proc/self/mountinfo", "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		const char *type = strstr(line, " - ");

		if (type && sscanf(line, "%llu ", &id) == 1 && id == sx->stx_mnt_id &&
		    sscanf(type, " - %31s", ret->filesystem) == 1)
			break;
	}
	(void)fclose(f);
	text_make_harmless(ret->filesystem);
}

static bool probe_read_ahead(const char *path, struct sys_disk *ret)
{
	char target[PATH_MAX];
	uint64_t kib;

	if (sys_read_u64(path, &kib) < 0)
		return false;
	ret->read_ahead_bytes = kib * 1024;
	if (realpath(path, target) && strlen(target) < sizeof(ret->read_ahead_path))
		text_copy(ret->read_ahead_path, sizeof(ret->read_ahead_path), target);
	return true;
}

static void probe_device(const struct statx *sx, struct sys_disk *ret)
{
	char path[128], target[PATH_MAX];

	(void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", sx->stx_dev_major,
		       sx->stx_dev_minor);
	if (realpath(path, target))
		text_copy(ret->device, sizeof(ret->device), basename(target));
	(void)snprintf(path, sizeof(path), "/sys/class/bdi/%u:%u/read_ahead_kb", sx->stx_dev_major,
		       sx->stx_dev_minor);
	if (probe_read_ahead(path, ret))
		return;
	/* a partition shares the queue of its disk, one directory up */
	(void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/../queue/read_ahead_kb",
		       sx->stx_dev_major, sx->stx_dev_minor);
	(void)probe_read_ahead(path, ret);
}

void sys_disk_probe(const char *dir, struct sys_disk *ret)
{
	struct statvfs vfs;
	struct statx sx;

	*ret = (struct sys_disk){.free_bytes = UINT64_MAX};
	/* no blocks at all: ramfs and others that have no limit or do not tell */
	if (statvfs(dir, &vfs) == 0 && vfs.f_blocks > 0)
		ret->free_bytes = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	if (statx(AT_FDCWD, dir, 0, STATX_BASIC_STATS | STATX_MNT_ID, &sx) < 0)
		return;
	probe_filesystem(&sx, ret);
	probe_device(&sx, ret);
}
