/* SPDX-License-Identifier: MIT */
/* Free memory by the size of its pieces, as the buddy allocator tells it in /proc/buddyinfo. */
#include "src/sys/buddy.h"

#include "src/base/text.h"
#include "src/base/why.h"
#include "src/sys/file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUDDYINFO "/proc/buddyinfo"

enum { LINE = 1024, FILE_BYTES = 1 << 18 };

/* More than any machine has, and few enough that bytes and sums of them fit 64 bits. */
static const uint64_t max_pages = UINT64_C(1) << 44;

static uint64_t count_pages(const struct sys_buddy_zone *zone)
{
	uint64_t n = 0;

	for (unsigned order = 0; order < SYS_MAX_ORDERS; order++)
		n += zone->n_blocks[order] << order;
	return n;
}

/* "1 0 2 ...": blocks by order. How many orders; 0 where it is anything else, or too many pages. */
static size_t parse_blocks(const char *text, struct sys_buddy_zone *zone)
{
	uint64_t n_pages = 0;
	size_t order = 0;
	char *end;

	for (text += strspn(text, " \t"); *text; text += strspn(text, " \t"), order++) {
		if (order == SYS_MAX_ORDERS || !isdigit((unsigned char)*text))
			return 0;
		zone->n_blocks[order] = strtoull(text, &end, 10); /* too large: all ones */
		if (zone->n_blocks[order] > max_pages >> order)
			return 0;
		n_pages += zone->n_blocks[order] << order;
		if (n_pages > max_pages)
			return 0;
		text = end;
	}
	return order;
}

/* "Node 0, zone   Normal   1 0 2 ...": orders, or 0 where it is no such line. */
static size_t parse_line(const char *line, struct sys_buddy_zone *ret)
{
	char node[10];
	int at = 0;

	*ret = (struct sys_buddy_zone){.node = 0};
	if (sscanf(line, "Node %9[0-9], zone %15s%n", node, ret->name, &at) != 2 || at == 0)
		return 0;
	ret->node = (unsigned)strtoul(node, NULL, 10);
	text_make_harmless(ret->name);
	return parse_blocks(line + at, ret);
}

/* False where the zone has other orders than those before, as a line that was cut off. */
static bool add_zone(struct sys_buddy *buddy, const struct sys_buddy_zone *zone, size_t n_orders)
{
	if (n_orders == 0 || (buddy->n_orders && n_orders != buddy->n_orders) ||
	    count_pages(&buddy->all) + count_pages(zone) > max_pages)
		return false;
	buddy->n_orders = n_orders;
	if (buddy->n_zones < SYS_MAX_BUDDY_ZONES)
		buddy->zones[buddy->n_zones] = *zone;
	buddy->n_zones++;
	for (size_t order = 0; order < n_orders; order++)
		buddy->all.n_blocks[order] += zone->n_blocks[order];
	return true;
}

int sys_buddy_parse(const char *text, struct sys_buddy *ret, struct why *why)
{
	struct sys_buddy_zone zone;
	char line[LINE];

	memset(ret, 0, sizeof(*ret));
	while (*text) {
		size_t n = strcspn(text, "\n");

		(void)snprintf(line, sizeof(line), "%.*s", n < sizeof(line) ? (int)n : 0, text);
		if (n && !add_zone(ret, &zone, parse_line(line, &zone)))
			ret->n_odd++;
		text += n + (text[n] == '\n');
	}
	if (ret->n_zones == 0)
		return why_set(why, -EINVAL, BUDDYINFO " has no line of a zone");
	return 0;
}

int sys_buddy_read(struct sys_buddy *ret, struct why *why)
{
	char *text;
	long n;
	int r;

	text = malloc(FILE_BYTES);
	if (!text)
		return why_set(why, -ENOMEM, "no memory to read " BUDDYINFO);
	n = sys_read_text(BUDDYINFO, text, FILE_BYTES);
	if (n < 0)
		r = why_errno(why, (int)n, "cannot read " BUDDYINFO);
	else if (n >= FILE_BYTES - 2)
		r = why_set(why, -E2BIG, BUDDYINFO " is larger than %d bytes", FILE_BYTES);
	else
		r = sys_buddy_parse(text, ret, why);
	free(text);
	return r;
}

struct sys_fragmentation sys_buddy_fragmentation(const struct sys_buddy_zone *zone,
						 uint64_t page_bytes, uint64_t huge_bytes)
{
	struct sys_fragmentation f = {.unusable_share = NAN};
	const uint64_t n_free = count_pages(zone);
	const uint64_t n_pages = huge_bytes / page_bytes; /* of a huge page */
	uint64_t n_usable = 0;

	f.free_bytes = n_free * page_bytes;
	if (n_pages == 0)
		return f;
	for (unsigned order = 0; order < SYS_MAX_ORDERS; order++)
		if (UINT64_C(1) << order >= n_pages)
			n_usable += zone->n_blocks[order] << order;
	f.n_huge = n_usable / n_pages;
	if (n_free)
		f.unusable_share = (double)(n_free - n_usable) / (double)n_free;
	return f;
}
