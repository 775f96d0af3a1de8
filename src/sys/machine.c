/* SPDX-License-Identifier: MIT */
/* What this machine is, as facts by name. */
#include "src/sys/machine.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/why.h"
#include "src/sys/cpu.h"
#include "src/sys/disk.h"
#include "src/sys/file.h"
#include "src/sys/hugetlb.h"
#include "src/sys/hypervisor.h"
#include "src/sys/memory.h"
#include "src/sys/page.h"
#include "src/sys/pmu.h"
#include "src/sys/thp.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static struct sys_fact *new_fact(struct sys_machine *m, const char *key)
{
	struct sys_fact *f;

	if (m->n_facts == SYS_MAX_FACTS)
		return NULL;
	f = &m->facts[m->n_facts++];
	*f = (struct sys_fact){.is_number = false};
	text_copy(f->key, sizeof(f->key), key);
	return f;
}

void sys_machine_add_text(struct sys_machine *m, const char *key, const char *text)
{
	struct sys_fact *f = *text ? new_fact(m, key) : NULL;

	if (!f)
		return;
	text_copy(f->text, sizeof(f->text), text);
	text_make_harmless(f->text);
}

void sys_machine_add_u64(struct sys_machine *m, const char *key, uint64_t number)
{
	struct sys_fact *f = new_fact(m, key);

	if (!f)
		return;
	f->is_number = true;
	f->number = number;
}

const struct sys_fact *sys_machine_fact(const struct sys_machine *m, const char *key)
{
	for (unsigned i = 0; i < m->n_facts; i++)
		if (strcmp(m->facts[i].key, key) == 0)
			return &m->facts[i];
	return NULL;
}

const char *sys_machine_text(const struct sys_machine *m, const char *key, const char *otherwise)
{
	const struct sys_fact *f = sys_machine_fact(m, key);

	return f && !f->is_number ? f->text : otherwise;
}

uint64_t sys_machine_u64(const struct sys_machine *m, const char *key, uint64_t otherwise)
{
	const struct sys_fact *f = sys_machine_fact(m, key);

	return f && f->is_number ? f->number : otherwise;
}

/* --- plain files: one row a fact ---------------------------------------------------------- */

struct file_row {
	const char *key, *path;
	bool is_number, bracketed;
};

#define THP "/sys/kernel/mm/transparent_hugepage/"
#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities/"

static const struct file_row file_rows[] = {
	{"boot_id", "/proc/sys/kernel/random/boot_id", false, false},
	{"clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource", false,
	 false},
	{"governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", false, false},
	{"meltdown", VULNERABILITIES "meltdown", false, false},
	{"spectre_v2", VULNERABILITIES "spectre_v2", false, false},
	{"retbleed", VULNERABILITIES "retbleed", false, false},
	{"srso", VULNERABILITIES "spec_rstack_overflow", false, false},
	{"thp_enabled", THP "enabled", false, true},
	{"thp_defrag", THP "defrag", false, true},
	{"thp_shmem", THP "shmem_enabled", false, true},
	{"fault_around_bytes", "/sys/kernel/debug/fault_around_bytes", true, false}, /* root's */
	{"swappiness", "/proc/sys/vm/swappiness", true, false},
	{"overcommit", "/proc/sys/vm/overcommit_memory", true, false},
	{"perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid", true, false},
	{"ksm", "/sys/kernel/mm/ksm/run", true, false},
	{"zswap", "/sys/module/zswap/parameters/enabled", false, false},
	{"numa_balancing", "/proc/sys/kernel/numa_balancing", true, false},
};

static void probe_files(struct sys_machine *m)
{
	char text[SYS_FACT_TEXT], word[SYS_FACT_TEXT];
	uint64_t value;

	for (size_t i = 0; i < ARRAY_LEN(file_rows); i++) {
		const struct file_row *row = &file_rows[i];

		if (row->is_number) {
			/* perf_event_paranoid may be -1: a text then */
			if (sys_read_u64(row->path, &value) == 0)
				sys_machine_add_u64(m, row->key, value);
			else if (sys_read_text(row->path, text, sizeof(text)) > 0)
				sys_machine_add_text(m, row->key, text);
			continue;
		}
		if (sys_read_text(row->path, text, sizeof(text)) <= 0)
			continue;
		sys_bracketed(text, word, sizeof(word));
		sys_machine_add_text(m, row->key, row->bracketed ? word : text);
	}
}

/* --- the processor -------------------------------------------------------------------------- */

static void probe_cpu(struct sys_machine *m)
{
	char line[1024], list[128];
	char *value;
	FILE *f;
	int n;

	f = fopen("/proc/cpuinfo", "re");
	while (f && fgets(line, sizeof(line), f)) {
		value = strchr(line, ':');
		if (!value || strncmp(line, "model name", 10) != 0)
			continue;
		sys_machine_add_text(m, "cpu", text_strip(value + 1));
		break;
	}
	if (f)
		(void)fclose(f);
	n = sys_cpu_allowed(list, sizeof(list));
	sys_machine_add_u64(m, "n_cpus", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	if (n > 0)
		sys_machine_add_text(m, "cpus_allowed", list);
}

static void probe_hypervisor(struct sys_machine *m)
{
	char name[64];

	sys_hypervisor(name, sizeof(name));
	sys_machine_add_text(m, "hypervisor", name);
}

/* What the hardware counts for us, or the sentence why it does not. */
static void probe_pmu(struct sys_machine *m)
{
	struct why why;

	sys_machine_add_text(m, "pmu", sys_pmu_ask(&why) == 0 ? "counted" : why.text);
}

/* --- memory ------------------------------------------------------------------------------------ */

/* "64kB always, 128kB madvise": the sizes between a page and a PMD that are not off. */
static void probe_mthp(struct sys_machine *m)
{
	char all[SYS_FACT_TEXT] = "";
	struct sys_thp thp;

	sys_thp_probe(&thp);
	if (thp.is_untold)
		sys_machine_add_text(m, "huge_pages", "not known: " SYS_UNTOLD);
	if (!*thp.enabled)
		return;
	for (size_t i = 0; i < thp.n_sizes; i++) {
		const struct sys_thp_size *s = &thp.sizes[i];

		if (s->page_bytes == thp.huge_page_bytes ||
		    strcmp(sys_thp_mode(&thp, s->page_bytes), "never") == 0)
			continue;
		if (strlen(all) + strlen(s->enabled) + 32 < sizeof(all))
			(void)snprintf(all + strlen(all), sizeof(all) - strlen(all),
				       "%s%" PRIu64 "kB %s", *all ? ", " : "", s->page_bytes / 1024,
				       s->enabled);
	}
	sys_machine_add_text(m, "mthp", *all ? all : "none");
}

/* "2048kB: 16 of 32 free", one a pool that has pages. */
static void probe_hugetlb(struct sys_machine *m)
{
	struct sys_hugetlb_pool pools[SYS_MAX_HUGETLB_POOLS];
	size_t n = sys_hugetlb_pools(pools);
	char all[SYS_FACT_TEXT] = "";

	for (size_t i = 0; i < n; i++)
		if (pools[i].total && strlen(all) + 64 < sizeof(all))
			(void)snprintf(all + strlen(all), sizeof(all) - strlen(all),
				       "%s%" PRIu64 "kB: %" PRIu64 " of %" PRIu64 " free",
				       *all ? ", " : "", pools[i].page_bytes / 1024,
				       pools[i].available, pools[i].total);
	if (n)
		sys_machine_add_text(m, "hugetlb", *all ? all : "none");
}

static void probe_memory(struct sys_machine *m)
{
	struct sys_memory memory;
	uint64_t kib;

	sys_memory_probe(&memory);
	sys_machine_add_u64(m, "page_bytes", sys_page_bytes());
	sys_machine_add_u64(m, "huge_page_bytes", sys_huge_page_bytes());
	if (memory.total_bytes)
		sys_machine_add_u64(m, "memory_bytes", memory.total_bytes);
	if (memory.available_bytes != UINT64_MAX) {
		sys_machine_add_u64(m, "memory_available_bytes", memory.available_bytes);
		sys_machine_add_text(m, "memory_limited_by", memory.limited_by);
	}
	if (memory.cgroup_limit_bytes != UINT64_MAX)
		sys_machine_add_u64(m, "cgroup_limit_bytes", memory.cgroup_limit_bytes);
	if (sys_read_key("/proc/meminfo", "SwapTotal", &kib) == 0)
		sys_machine_add_u64(m, "swap_bytes", kib * 1024);
}

static void probe_numa(struct sys_machine *m)
{
	uint64_t n = 0;
	struct dirent *e;
	unsigned node;
	DIR *dir;

	dir = opendir("/sys/devices/system/node");
	if (!dir)
		return;
	while ((e = readdir(dir)))
		n += sscanf(e->d_name, "node%u", &node) == 1;
	(void)closedir(dir);
	sys_machine_add_u64(m, "numa_nodes", n);
}

static void probe_dir(struct sys_machine *m, const char *dir)
{
	struct sys_disk disk;

	sys_machine_add_text(m, "dir", dir);
	sys_disk_probe(dir, &disk);
	sys_machine_add_text(m, "filesystem", disk.filesystem);
	sys_machine_add_text(m, "disk", disk.device);
	if (disk.read_ahead_bytes)
		sys_machine_add_u64(m, "read_ahead_bytes", disk.read_ahead_bytes);
}

void sys_machine_probe(struct sys_machine *ret, const char *dir)
{
	struct utsname u;

	*ret = (struct sys_machine){0};
	if (uname(&u) == 0) {
		sys_machine_add_text(ret, "kernel", u.release);
		sys_machine_add_text(ret, "architecture", u.machine);
	}
	probe_cpu(ret);
	probe_hypervisor(ret);
	probe_pmu(ret);
	probe_files(ret);
	probe_mthp(ret);
	probe_hugetlb(ret);
	probe_memory(ret);
	probe_numa(ret);
	if (dir)
		probe_dir(ret, dir);
}
