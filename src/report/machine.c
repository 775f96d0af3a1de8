/* SPDX-License-Identifier: MIT */
/* The machine in three lines. */
#include "src/report/report.h"

#include "src/base/option.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/sys/hypervisor.h"

#include <inttypes.h>
#include <string.h>

enum { INDENT = 9, LINE = 512 };

static void print(FILE *out, const char *head, const char *text, size_t width)
{
	(void)fprintf(out, "%-*s", INDENT, head);
	option_print_folded(out, text, INDENT, INDENT, width ? width : 100);
}

static const char *hypervisor(const struct sys_machine *m, char *ret, size_t size)
{
	const char *name = sys_machine_text(m, "hypervisor", "");

	if (!sys_hypervisor_is_one(name))
		return "";
	(void)snprintf(ret, size, ", in a VM (%s)", name);
	return ret;
}

/* A number of bytes; "?" where there is no such fact, and nothing, where that is given, for 0. */
static struct units_text amount(const struct sys_machine *m, const char *key, const char *nothing)
{
	const struct sys_fact *f = sys_machine_fact(m, key);
	struct units_text t = {.s = "?"};

	if (f && f->is_number && (f->number || !nothing))
		return units_bytes(f->number);
	if (f && f->is_number)
		text_copy(t.s, sizeof(t.s), nothing);
	return t;
}

static struct units_text overcommit(const struct sys_machine *m)
{
	const struct sys_fact *f = sys_machine_fact(m, "overcommit");
	struct units_text t = {.s = "?"};

	if (f && f->is_number)
		(void)snprintf(t.s, sizeof(t.s), "%" PRIu64, f->number);
	return t;
}

void report_machine(const struct sys_machine *m, FILE *out, size_t width)
{
	uint64_t read_ahead = sys_machine_u64(m, "read_ahead_bytes", 0);
	uint64_t huge = sys_machine_u64(m, "huge_page_bytes", 0);
	/* what no fact tells is none, save where nothing could be told */
	bool untold = sys_machine_fact(m, "huge_pages") != NULL;
	const char *none = untold ? "not known" : "none";
	char line[LINE], vm[128], ahead[64] = "", size[48] = "";

	(void)snprintf(line, sizeof(line), "%s, %llu CPUs%s; kernel %s %s; memory %s",
		       sys_machine_text(m, "cpu",
					sys_machine_text(m, "architecture", "unknown CPU")),
		       (unsigned long long)sys_machine_u64(m, "n_cpus", 0),
		       hypervisor(m, vm, sizeof(vm)), sys_machine_text(m, "kernel", "?"),
		       sys_machine_text(m, "architecture", ""), amount(m, "memory_bytes", NULL).s);
	print(out, "machine", line, width);
	if (huge)
		(void)snprintf(size, sizeof(size), " (%s)", units_bytes(huge).s);
	(void)snprintf(line, sizeof(line),
		       "pages of %s; THP %s%s, mTHP %s; hugetlb %s; swap %s; overcommit %s",
		       amount(m, "page_bytes", NULL).s,
		       sys_machine_text(m, "thp_enabled", untold ? none : "not built in"), size,
		       sys_machine_text(m, "mthp", none), sys_machine_text(m, "hugetlb", none),
		       amount(m, "swap_bytes", "none").s, overcommit(m).s);
	print(out, "memory", line, width);
	if (read_ahead)
		(void)snprintf(ahead, sizeof(ahead), ", read_ahead_kb %llu",
			       (unsigned long long)(read_ahead / 1024));
	(void)snprintf(line, sizeof(line), "%s: %s on %s%s", sys_machine_text(m, "dir", "?"),
		       sys_machine_text(m, "filesystem", "?"),
		       sys_machine_text(m, "disk", untold ? "?" : "no disk"), ahead);
	print(out, "files", line, width);
}
