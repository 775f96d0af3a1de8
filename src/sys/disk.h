/* SPDX-License-Identifier: MIT */
/* The filesystem and the disk under a directory. */
#ifndef SYS_DISK_H
#define SYS_DISK_H

#include <stdint.h>

struct sys_disk {
	char filesystem[32];       /* type as /proc/self/mountinfo names it; "" unknown */
	char device[64];           /* "vda", "nvme0n1p2"; "" where there is none (tmpfs, nfs) */
	uint64_t read_ahead_bytes; /* of the backing device; 0 unknown */
	char read_ahead_path[128]; /* of the file in /sys that sets it, without links; "" unknown */
	uint64_t free_bytes;       /* for this user; UINT64_MAX: not known, or no limit */
};

/* Fills in what can be found out; never fails. */
void sys_disk_probe(const char *dir, struct sys_disk *ret);

#endif
