/* SPDX-License-Identifier: MIT */
/* Free memory by the size of its pieces, as the buddy allocator tells it in /proc/buddyinfo. */
#ifndef SYS_BUDDY_H
#define SYS_BUDDY_H

#include <stddef.h>
#include <stdint.h>

struct why;

/* Orders there is room for (kernels have 11 to 17), and zones that are listed one by one. */
enum { SYS_MAX_ORDERS = 32, SYS_MAX_BUDDY_ZONES = 64 };

struct sys_buddy_zone {
	unsigned node;
	char name[16];                     /* "DMA32", "Normal" ...; harmless */
	uint64_t n_blocks[SYS_MAX_ORDERS]; /* free blocks of 2^order pages each */
};

struct sys_buddy {
	size_t n_orders; /* that this kernel has; its largest block has 2^(n_orders - 1) pages */
	size_t n_zones;  /* of which the first SYS_MAX_BUDDY_ZONES are listed */
	size_t n_odd;    /* lines that were not understood, and are counted nowhere */
	struct sys_buddy_zone zones[SYS_MAX_BUDDY_ZONES];
	struct sys_buddy_zone all; /* the sum over all zones, unlisted ones, too */
};

struct sys_fragmentation {
	uint64_t free_bytes;
	uint64_t n_huge;       /* huge pages that the free blocks hold, without compaction */
	double unusable_share; /* of free memory, in blocks too small for a huge page; NaN where
				* nothing is free or there are no huge pages */
};

/* Reads the text of /proc/buddyinfo. -EINVAL where no line of it is one of a zone. */
int sys_buddy_parse(const char *text, struct sys_buddy *ret, struct why *why);

/* The same of this machine; -E2BIG where the file is larger than any sensible one. */
int sys_buddy_read(struct sys_buddy *ret, struct why *why);

/* What the free blocks of a zone, or of all, are good for. huge_bytes 0: there are no huge pages. */
struct sys_fragmentation sys_buddy_fragmentation(const struct sys_buddy_zone *zone,
						 uint64_t page_bytes, uint64_t huge_bytes);

#endif
