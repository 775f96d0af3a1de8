/* SPDX-License-Identifier: MIT */
/* What a scenario or command needs of the system, asked of the system itself. */
#include "src/sys/need.h"

#include "src/base/why.h"
#include "src/sys/counters.h"
#include "src/sys/disk.h"
#include "src/sys/file.h"
#include "src/sys/hugetlb.h"
#include "src/sys/hypervisor.h"
#include "src/sys/page.h"
#include "src/sys/pmu.h"
#include "src/sys/pressure.h"
#include "src/sys/residency.h"
#include "src/sys/smaps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* --- pages ---------------------------------------------------------------------------------- */

static int probe_base_pages(const struct sys_env *env, struct why *why)
{
	uint64_t page = sys_page_bytes();
	void *map;
	int r = 0;

	(void)env;
	map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return why_errno(why, -errno, "cannot map a page");
	/* EINVAL: a kernel built without THP, which has base pages only */
	if (madvise(map, page, MADV_NOHUGEPAGE) < 0 && errno != EINVAL)
		r = why_set(why, 1, "needs base pages: MADV_NOHUGEPAGE is refused here");
	(void)munmap(map, page);
	return r;
}

/* What the settings say, for the sentence; whether it works is tried. */
static int why_no_thp(struct why *why)
{
	char text[128], mode[32];

	if (!sys_huge_pages_are_told())
		return why_set(
			why, 1,
			"needs transparent huge pages: MADV_HUGEPAGE brought none, and why is "
			"not known, " SYS_UNTOLD "; mount /sys");
	if (sys_read_text("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof(text)) < 0)
		return why_set(why, 1,
			       "needs transparent huge pages: this kernel is built without them");
	sys_bracketed(text, mode, sizeof(mode));
	if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) > 0)
		return why_set(
			why, 1,
			"needs transparent huge pages: this process started with them disabled "
			"by prctl(PR_SET_THP_DISABLE); start it from another parent");
	if (strcmp(mode, "never") == 0)
		return why_set(
			why, 1,
			"needs transparent huge pages: they are set to 'never'; as root: echo "
			"madvise > /sys/kernel/mm/transparent_hugepage/enabled");
	return why_set(
		why, 1,
		"needs transparent huge pages: MADV_HUGEPAGE brought none, though they are set "
		"to '%s'; memory is fragmented, or the size is off under "
		"/sys/kernel/mm/transparent_hugepage/hugepages-*",
		mode);
}

static int probe_thp(const struct sys_env *env, struct why *why)
{
	uint64_t huge = sys_huge_page_bytes();
	struct sys_mapping m = {.huge_bytes = 0};
	struct why inner;
	char *map, *at;
	int r = 0;

	(void)env;
	if (!huge)
		return why_no_thp(why);
	map = mmap(NULL, 2 * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return why_errno(why, -errno, "cannot map two huge pages");
	at = sys_align_up(map, huge);
	if (madvise(at, huge, MADV_HUGEPAGE) == 0) {
		*(volatile char *)at = 1;
		r = sys_smaps_range((uintptr_t)at, (uintptr_t)at + huge, &m, &inner);
	}
	(void)munmap(map, 2 * huge);
	if (r < 0)
		return why_set(why, r,
			       "cannot see whether MADV_HUGEPAGE brings transparent huge pages: "
			       "%s; is /proc mounted?",
			       inner.text);
	return m.huge_bytes == huge ? 0 : why_no_thp(why);
}

/* One page of the pool at the least; for a whole working set the plan asks again. */
static int probe_hugetlb(const struct sys_env *env, struct why *why)
{
	(void)env;
	return sys_hugetlb_ask(sys_huge_page_bytes(), 1, why);
}

static int probe_gigantic(const struct sys_env *env, struct why *why)
{
	(void)env;
	return sys_hugetlb_ask(sys_gigantic_page_bytes(), 1, why);
}

/* --- files ---------------------------------------------------------------------------------- */

enum { PROBE_PAGES = 64 };

static int write_probe_file(int fd, const char *dir, uint64_t page_bytes, struct why *why)
{
	ssize_t written = 0;
	char *page;

	page = calloc(1, page_bytes);
	if (!page)
		return why_set(why, -ENOMEM, "no memory for a page");
	errno = ENOSPC; /* what a short write means */
	for (int i = 0; i < PROBE_PAGES; i++) {
		written = write(fd, page, page_bytes);
		if (written != (ssize_t)page_bytes)
			break;
	}
	free(page);
	if (written == (ssize_t)page_bytes)
		return 0;
	if (errno == ENOSPC || errno == EDQUOT)
		return why_set(why, 1,
			       "needs room for data files: %s is full; choose another --dir", dir);
	if (errno == EFBIG)
		return why_set(why, 1, "needs data files of %d pages at the least: %s: %s%s",
			       PROBE_PAGES, dir, strerror(errno), why_limit(-EFBIG));
	if (errno == EIO)
		return why_errno(why, -errno, "cannot write in %s", dir);
	/* hugetlbfs knows no write(2), and others have their reasons */
	return why_set(why, 1,
		       "needs a directory for data files: cannot write in %s: %s; choose another "
		       "--dir",
		       dir, strerror(errno));
}

static int probe_data_dir(const struct sys_env *env, struct why *why)
{
	struct why inner = {.text = ""};
	int fd, r;

	fd = sys_open_nameless(env->dir, &inner);
	if (fd < 0)
		return why_set(why, 1, "needs a directory for data files: %s; choose another --dir",
			       inner.text);
	r = write_probe_file(fd, env->dir, sys_page_bytes(), why);
	(void)close(fd);
	return r;
}

/* Tried, not told from the filesystem's name: overlay over a disk can be cold, tmpfs cannot. */
static int probe_cold_files(const struct sys_env *env, struct why *why)
{
	uint64_t bytes = PROBE_PAGES * sys_page_bytes();
	uint64_t n_resident = 0;
	struct sys_disk disk;
	int fd, r;

	r = probe_data_dir(env, why);
	if (r != 0)
		return r;
	fd = sys_open_nameless(env->dir, why);
	if (fd < 0)
		return fd;
	r = write_probe_file(fd, env->dir, sys_page_bytes(), why);
	if (r == 0)
		r = sys_drop_file(fd, bytes, &n_resident, why);
	(void)close(fd);
	if (r != 0 || n_resident == 0)
		return r;
	sys_disk_probe(env->dir, &disk);
	return why_set(
		why, 1,
		"needs files that can leave the page cache: in %s (%s) %" PRIu64
		" of %d pages stayed after fsync and POSIX_FADV_DONTNEED; choose a --dir on a disk",
		env->dir, disk.filesystem[0] ? disk.filesystem : "unknown filesystem", n_resident,
		PROBE_PAGES);
}

/* --- counters ------------------------------------------------------------------------------- */

static int probe_traps(bool kernel, struct why *why)
{
	const char *mode = kernel ? "kernel" : "user";
	struct sys_counters c;
	uint64_t paranoid = 0;
	int e;

	sys_counters_open(&c, true);
	e = kernel ? c.errno_kernel : c.errno_user;
	sys_counters_close(&c);
	if (e == 0)
		return 0;
	if (e == EMFILE)
		return why_errno(why, -e, "cannot count %s-mode traps", mode);
	if (sys_read_u64("/proc/sys/kernel/perf_event_paranoid", &paranoid) == 0 &&
	    paranoid > (kernel ? 1 : 2))
		return why_set(why, 1,
			       "cannot count %s-mode traps: perf_event_paranoid is %" PRIu64
			       "; as root: sysctl kernel.perf_event_paranoid=%d",
			       mode, paranoid, kernel ? 1 : 2);
	return why_set(why, 1,
		       "cannot count %s-mode traps: perf_event_open is refused (%s); a seccomp "
		       "filter or a kernel without perf events does that",
		       mode, strerror(e));
}

static int probe_user_traps(const struct sys_env *env, struct why *why)
{
	(void)env;
	return probe_traps(false, why);
}

static int probe_kernel_traps(const struct sys_env *env, struct why *why)
{
	(void)env;
	return probe_traps(true, why);
}

static int probe_pmu(const struct sys_env *env, struct why *why)
{
	(void)env;
	return sys_pmu_ask(why);
}

static int probe_pressure(const struct sys_env *env, struct why *why)
{
	(void)env;
	return sys_pressure_ask(why);
}

/* A hypervisor that tells of no steal looks like one without other guests. */
static int probe_steal(const struct sys_env *env, struct why *why)
{
	uint64_t user, stolen;
	char name[32];
	FILE *f;
	int n;

	(void)env;
	f = fopen("/proc/stat", "re");
	if (!f)
		return why_set(why, 1, "cannot read /proc/stat (%s); mount /proc", strerror(errno));
	n = fscanf(f, "cpu %" SCNu64 " %*u %*u %*u %*u %*u %*u %" SCNu64, &user, &stolen);
	(void)fclose(f);
	if (n != 2)
		return why_set(why, 1, "/proc/stat does not tell stolen time");
	sys_hypervisor(name, sizeof(name));
	if (stolen == 0 && sys_hypervisor_is_one(name))
		return why_set(why, 1,
			       "no time was stolen since boot: %s may not tell; then only the "
			       "calibration loop sees other guests",
			       name);
	return 0;
}

int sys_ask(struct sys_answers *a, const struct sys_need *need, const struct sys_env *env,
	    struct why *why)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->need[i] == need)
			return why_copy(why, a->r[i], &a->why[i]);
	if (a->n == SYS_MAX_ANSWERS)
		return need->probe(env, why);
	a->need[a->n] = need;
	a->why[a->n].text[0] = 0;
	a->r[a->n] = need->probe(env, &a->why[a->n]);
	a->n++;
	return why_copy(why, a->r[a->n - 1], &a->why[a->n - 1]);
}

const struct sys_need need_base_pages = {
	.name = "base_pages",
	.title = "base pages on request (MADV_NOHUGEPAGE)",
	.probe = probe_base_pages,
};

const struct sys_need need_thp = {
	.name = "thp",
	.title = "transparent huge pages",
	.probe = probe_thp,
};

const struct sys_need need_hugetlb = {
	.name = "hugetlb",
	.title = "huge pages set aside in a pool (hugetlb)",
	.probe = probe_hugetlb,
};

const struct sys_need need_gigantic = {
	.name = "gigantic",
	.title = "gigantic pages set aside in a pool (hugetlb)",
	.probe = probe_gigantic,
};

const struct sys_need need_data_dir = {
	.name = "data_dir",
	.title = "a directory for data files",
	.probe = probe_data_dir,
};

const struct sys_need need_cold_files = {
	.name = "cold_files",
	.title = "files that can be dropped from the page cache",
	.probe = probe_cold_files,
};

const struct sys_need need_user_traps = {
	.name = "user_traps",
	.title = "counting user-mode traps by perf events",
	.probe = probe_user_traps,
};

const struct sys_need need_kernel_traps = {
	.name = "kernel_traps",
	.title = "counting kernel-mode traps by perf events",
	.probe = probe_kernel_traps,
};

const struct sys_need need_pmu = {
	.name = "pmu",
	.title = "counting cycles, instructions and TLB misses by the PMU",
	.probe = probe_pmu,
};

const struct sys_need need_pressure = {
	.name = "pressure",
	.title = "who waits for CPUs, memory and disks (PSI)",
	.probe = probe_pressure,
};

const struct sys_need need_steal = {
	.name = "steal",
	.title = "time that the hypervisor takes (steal)",
	.probe = probe_steal,
};

const struct sys_need *const sys_needs[] = {
	&need_base_pages, &need_thp,        &need_hugetlb,    &need_gigantic,
	&need_data_dir,   &need_cold_files, &need_user_traps, &need_kernel_traps,
	&need_pmu,        &need_pressure,   &need_steal,      NULL,
};

_Static_assert(sizeof(sys_needs) / sizeof(sys_needs[0]) - 1 <= SYS_MAX_ANSWERS,
	       "an answer for each need");
