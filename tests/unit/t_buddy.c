/* SPDX-License-Identifier: MIT */
/* Texts of /proc/buddyinfo, true ones and odd ones: blocks are counted, what is odd is left out. */
#include "src/base/array.h"
#include "src/base/why.h"
#include "src/sys/buddy.h"
#include "tests/tap.h"

#include <errno.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

static struct sys_buddy buddy;
static struct why why;

static int parse(const char *text)
{
	why.text[0] = 0;
	return sys_buddy_parse(text, &buddy, &why);
}

/* With pages of 4 KiB and huge pages of 2 MiB. */
static struct sys_fragmentation usual(const struct sys_buddy_zone *zone)
{
	return sys_buddy_fragmentation(zone, 4 * KIB, 2 * MIB);
}

static void test_usual(void)
{
	struct sys_fragmentation f;

	t_is_i64(
		parse("Node 0, zone      DMA      0      0      0      0      0      0      0      "
		      "0      1      1      3 \n"
		      "Node 0, zone   Normal    100      0      0      0      0      0      0      "
		      "0      0      2      4 \n"),
		0, "two zones");
	t_is_u64(buddy.n_zones, 2, "are two");
	t_is_u64(buddy.n_orders, 11, "of eleven orders");
	t_is_u64(buddy.n_odd, 0, "and nothing is odd");
	t_is_str(buddy.zones[0].name, "DMA", "the first");
	t_is_str(buddy.zones[1].name, "Normal", "the second");
	t_is_u64(buddy.zones[1].n_blocks[10], 4, "blocks of the largest order");
	f = usual(&buddy.zones[0]);
	t_is_u64(f.free_bytes, 1 * MIB + 2 * MIB + 12 * MIB, "free bytes: each order by its size");
	t_is_u64(f.n_huge, 7, "huge pages: one of order 9, two in each of order 10");
	t_is_double(f.unusable_share, 1.0 / 15, 1e-12, "the block of order 8 is too small");
	f = usual(&buddy.all);
	t_is_u64(f.free_bytes, 15 * MIB + 400 * KIB + 20 * MIB, "the sum");
	t_is_u64(f.n_huge, 17, "of huge pages, too");
	f = usual(&buddy.zones[1]);
	t_is_double(f.unusable_share, 400.0 / (400 + 20 * 1024), 1e-12, "100 single pages");
}

static void test_nodes(void)
{
	t_is_i64(parse("Node 0, zone   Normal 1 0 1\nNode 1, zone   Normal 3 0 0\n"
		       "Node 12, zone  Movable 0 5 0"),
		 0, "three nodes, no newline at the end");
	t_is_u64(buddy.n_zones, 3, "all of them");
	t_is_u64(buddy.zones[2].node, 12, "a node of two digits");
	t_is_str(buddy.zones[2].name, "Movable", "its zone");
	t_is_u64(buddy.all.n_blocks[0], 4, "singles");
	t_is_u64(buddy.all.n_blocks[1], 5, "pairs");
	t_is_u64(buddy.all.n_blocks[2], 1, "fours");
}

/* arm64 with pages of 64 KiB has 14 orders, and huge pages of 512 MiB: its largest block. */
static void test_other_sizes(void)
{
	struct sys_fragmentation f;

	t_is_i64(parse("Node 0, zone Normal 8 0 0 0 0 0 0 0 0 0 0 0 0 3"), 0, "fourteen orders");
	t_is_u64(buddy.n_orders, 14, "are taken");
	f = sys_buddy_fragmentation(&buddy.all, 64 * KIB, 512 * MIB);
	t_is_u64(f.n_huge, 3, "three huge pages of 512 MiB");
	t_is_u64(f.free_bytes, 3 * 512 * MIB + 512 * KIB, "free bytes by the page size");
	f = sys_buddy_fragmentation(&buddy.all, 64 * KIB, 1024 * MIB);
	t_is_u64(f.n_huge, 0, "none that is larger than any block");
	t_is_double(f.unusable_share, 1, 0, "all of free memory is too small for it");
	f = sys_buddy_fragmentation(&buddy.all, 64 * KIB, 0);
	t_is_u64(f.n_huge, 0, "no huge pages in this kernel");
	t_is_double(f.unusable_share, NAN, 0, "nothing to be unusable for");
	t_is_i64(parse("Node 0, zone Normal 0 0 0 0"), 0, "nothing free");
	f = usual(&buddy.all);
	t_is_u64(f.free_bytes, 0, "is nothing");
	t_is_double(f.unusable_share, NAN, 0, "and no share");
}

/* One good line and one other: the other counts for nothing. */
static void is_odd(const char *line, const char *name)
{
	char text[4096];

	(void)snprintf(text, sizeof(text), "Node 0, zone Normal 1 2 3\n%s\n", line);
	t_ok(parse(text) == 0 && buddy.n_zones == 1 && buddy.n_odd == 1 &&
		     buddy.all.n_blocks[0] == 1 && buddy.all.n_blocks[2] == 3,
	     "odd: %s", name);
	t_ok(parse(line) == -EINVAL && why.text[0], "alone, too, with a sentence");
}

static void test_odd(void)
{
	char line[3000] = "Node 0, zone Normal";

	is_odd("Node 0, zone Normal 1 2 -3", "a negative number");
	is_odd("Node 0, zone Normal 1 2 0x3", "another base");
	is_odd("Node 0, zone Normal 1 2 3.5", "a fraction");
	is_odd("Node 0, zone Normal 1 2 99999999999999999999999999", "more than 64 bits");
	is_odd("Node 0, zone Normal 17592186044417 0 0", "more pages than any machine has");
	is_odd("Node 0, zone Normal 0 0 9223372036854775807", "a sum of pages beyond 64 bits");
	is_odd("Node 0, zone Normal", "no orders");
	is_odd("Node 0, zone", "no name");
	is_odd("Node -1, zone Normal 1 2 3", "a negative node");
	is_odd("Node 12345678901, zone Normal 1 2 3", "a node of eleven digits");
	is_odd("Knoten 0, Zone Normal 1 2 3", "other words");
	is_odd("Node 0, zone AVeryLongNameOfAZone 1 2 3", "a name that does not fit");
	is_odd("\033[2J\007", "bytes for a terminal");
	for (int i = 0; i < 33; i++)
		(void)snprintf(line + strlen(line), sizeof(line) - strlen(line), " 0");
	is_odd(line, "33 orders");
	(void)snprintf(line, sizeof(line), "Node 0, zone Normal 1 2 3 %2000s", "x");
	is_odd(line, "a long line that is good as far as it would be read");
}

static void test_cut(void)
{
	t_is_i64(parse("Node 0, zone Normal 1 2 3\nNode 1, zone Normal 1 2"), 0, "cut off");
	t_is_u64(buddy.n_zones, 1, "the cut line is no zone");
	t_is_u64(buddy.n_odd, 1, "but odd");
	t_is_i64(parse("\n\nNode 0, zone Normal 1 2 3\n\n"), 0, "empty lines");
	t_is_u64(buddy.n_odd, 0, "are not odd");
	t_is_i64(parse(""), -EINVAL, "nothing at all");
	t_contains(why.text, "/proc/buddyinfo", "and that is said");
	t_is_i64(parse("Node 0, zone \033[31m\xff 1 2"), 0, "a hostile name");
	t_is_str(buddy.zones[0].name, "?[31m?", "is harmless");
}

static void test_many(void)
{
	static char text[200 * 64];
	size_t used = 0;
	unsigned n = 0;

	for (; n < 200; n++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "Node %u, zone Normal 1 1\n", n);
	t_is_i64(parse(text), 0, "200 nodes");
	t_is_u64(buddy.n_zones, 200, "are counted");
	t_is_u64(buddy.zones[SYS_MAX_BUDDY_ZONES - 1].node, SYS_MAX_BUDDY_ZONES - 1, "some listed");
	t_is_u64(buddy.all.n_blocks[1], 200, "all in the sum");
	used = 0;
	for (n = 0; n < 20; n++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "Node %u, zone Normal 8796093022208\n", n);
	t_is_i64(parse(text), 0, "20 times 2^43 pages");
	t_is_u64(buddy.n_zones, 2, "of which two are believed");
	t_is_u64(buddy.n_odd, 18, "and the others not");
	t_is_u64(usual(&buddy.all).free_bytes, UINT64_C(1) << 56, "so that no sum overflows");
}

int main(void)
{
	test_usual();
	test_nodes();
	test_other_sizes();
	test_odd();
	test_cut();
	test_many();
	return t_done();
}
