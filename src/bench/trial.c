/* SPDX-License-Identifier: MIT */
/* The process of a trial: prepare, warm, measure, verify, clean up, count traps; round after round. */
#include "src/bench/trial.h"

#include "src/base/text.h"
#include "src/bench/calibrate.h"
#include "src/bench/pages.h"
#include "src/bench/registry.h"
#include "src/bench/scenario.h"
#include "src/bench/setting.h"
#include "src/sys/clock.h"
#include "src/sys/code.h"
#include "src/sys/counters.h"
#include "src/sys/cpu.h"
#include "src/sys/file.h"
#include "src/sys/page.h"
#include "src/sys/pmu.h"
#include "src/sys/pressure.h"
#include "src/sys/residency.h"
#include "src/sys/smaps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	SLOW_TOUCH_NS =
		10000, /* the guest's own faults stay below, finding memory on the host does not */
	MAX_WARM_PASSES = 3,
	WARM_LATE_NS = 100 * 1000 * 1000,
	PREPARE_MARK = 0xa5,
};

/* A pass is clean when at most 0.5 % of its touches were slow. */
static bool too_slow(uint64_t n_slow, uint64_t n_pages)
{
	return 200 * n_slow > n_pages;
}

/* --- warming the host's memory --------------------------------------------------------------- */

static uint64_t touch_and_count_slow(char *start, size_t bytes, size_t stride)
{
	uint64_t n_slow = 0;
	uint64_t before = sys_now_ns();

	for (char *p = start; p < start + bytes; p += stride) {
		volatile char *byte = p;
		char kept = *byte;
		uint64_t now;

		*byte = kept; /* a write, that changes nothing */
		now = sys_now_ns();
		n_slow += now - before > SLOW_TOUCH_NS;
		before = now;
	}
	return n_slow;
}

/* Of free memory: all that the round will take, unless a limit is near. */
static size_t warmed_bytes(const struct bench_trial *t)
{
	return t->most_warm_bytes && t->most_warm_bytes < t->bytes ? t->most_warm_bytes : t->bytes;
}

/*
 * Takes as much from the free lists, or from the pool, as the round will, in pages of the same size, and gives
 * it back: what is freed last is handed out first. Huge pages come from lists of their own: warmed by small
 * ones, the first round of huge pages took ten times as long as the next.
 */
static int warm_free(const struct bench_scenario *s, struct bench_trial *t, uint64_t *ret_n_slow)
{
	bool pooled = bench_pages_are_pooled(t->pages);
	/* a pool may hold no page more than the round takes, and maps aligned anyway */
	size_t bytes = pooled ? bench_pages_whole_bytes(t) : t->bytes + t->unit_bytes;
	char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | bench_pages_map_flags(t), -1, 0);
	char *start;

	(void)s;
	if (map == MAP_FAILED)
		return why_errno(&t->why, -errno, "cannot map %zu bytes to warm memory", bytes);
	start = sys_align_up(map, t->unit_bytes);
	/* EINVAL without THP: nothing to refuse */
	if (!pooled)
		(void)madvise(map, bytes,
			      t->pages == BENCH_PAGES_THP ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	*ret_n_slow = touch_and_count_slow(start, warmed_bytes(t), t->page_bytes);
	return munmap(map, bytes) < 0 ? why_errno(&t->why, -errno, "munmap") : 0;
}

static int warm_mapping(const struct bench_scenario *s, struct bench_trial *t, uint64_t *ret_n_slow)
{
	(void)s;
	*ret_n_slow = touch_and_count_slow(t->map, t->bytes, t->page_bytes);
	return 0;
}

/* By read(2): through the mapping it would take the faults that are to be measured. */
static int warm_file(const struct bench_scenario *s, struct bench_trial *t, uint64_t *ret_n_slow)
{
	uint64_t before = sys_now_ns();
	char *page;

	(void)s;
	page = malloc(t->page_bytes);
	if (!page)
		return why_set(&t->why, -ENOMEM, "no memory for a page");
	*ret_n_slow = 0;
	for (size_t i = 0; i < t->n_pages; i++) {
		uint64_t now;

		if (pread(t->fd, page, t->page_bytes, (off_t)(i * t->page_bytes)) < 0) {
			free(page);
			return why_errno(&t->why, -errno, "cannot read the data file");
		}
		now = sys_now_ns();
		*ret_n_slow += now - before > SLOW_TOUCH_NS;
		before = now;
	}
	free(page);
	return 0;
}

static int warm(const struct bench_scenario *s, struct bench_trial *t, struct model_round *round)
{
	static int (*const passes[])(const struct bench_scenario *, struct bench_trial *,
				     uint64_t *) = {
		[BENCH_WARM_FREE] = warm_free,
		[BENCH_WARM_MAPPING] = warm_mapping,
		[BENCH_WARM_FILE] = warm_file,
	};
	uint64_t n_warmed =
		(s->warm == BENCH_WARM_FREE ? warmed_bytes(t) : t->bytes) / t->page_bytes;
	uint64_t n_slow = 0;

	for (int i = 0; i < MAX_WARM_PASSES; i++) {
		int r = passes[s->warm](s, t, &n_slow);

		if (r < 0)
			return r;
		if (!too_slow(n_slow, n_warmed))
			break;
	}
	round->warm_slow_touches = n_slow;
	if (too_slow(n_slow, n_warmed))
		round->marks |= MODEL_MARK_HOST_COLD;
	return 0;
}

/* --- proofs: were the pages touched, and are they of the size claimed? -------------------------- */

/* Zeroed as a whole: what was there before was not 0, see bench_map_anon_filled(). */
static bool is_zeroed(const struct bench_trial *t)
{
	for (const char *p = t->map; p < t->map + t->bytes; p += t->page_bytes)
		if (p[0] || p[t->page_bytes / 2] || p[t->page_bytes - 1])
			return false;
	return true;
}

static bool is_touched(const struct bench_scenario *s, const struct bench_trial *t)
{
	if (s->access == BENCH_READ || s->access == BENCH_CHASE)
		return t->sum == t->expected_sum;
	if (s->access == BENCH_FILL)
		return is_zeroed(t);
	for (const char *p = t->map; p < t->map + t->bytes; p += t->page_bytes)
		if (*(const unsigned char *)p != t->mark)
			return false;
	return true;
}

static bool is_page_size(const struct bench_trial *t, const struct sys_mapping *m)
{
	switch (t->pages) {
	case BENCH_PAGES_BASE:
		return m->huge_bytes == 0 && m->kernel_page_bytes == t->page_bytes;
	case BENCH_PAGES_THP: /* wherever one fits; what is left over is base pages */
		return m->huge_bytes == t->map_bytes / t->unit_bytes * t->unit_bytes;
	case BENCH_PAGES_HUGETLB:
	case BENCH_PAGES_GIGANTIC:
		return m->kernel_page_bytes == t->unit_bytes;
	case BENCH_PAGES_KERNEL:
		return true;
	}
	return false;
}

/* VmPTE of this process: page tables of all levels. */
static int64_t page_table_bytes(void)
{
	char status[8192];
	uint64_t kib;

	if (sys_read_text("/proc/self/status", status, sizeof(status)) < 0 ||
	    sys_find_u64(status, "VmPTE", &kib) < 0)
		return MODEL_NOT_COUNTED;
	return (int64_t)kib * 1024;
}

static int verify(const struct bench_scenario *s, struct bench_trial *t, struct model_round *round)
{
	struct sys_mapping m;
	int r;

	/* smaps first: looking at the bytes may fault in what the round should have */
	r = sys_smaps_range((uintptr_t)t->map, (uintptr_t)t->map + t->bytes, &m, &t->why);
	if (r < 0)
		return r;
	if (!is_page_size(t, &m))
		round->marks |= MODEL_MARK_PAGE_SIZE;
	if (!is_touched(s, t))
		round->marks |= MODEL_MARK_NOT_TOUCHED;
	if (s->file == BENCH_FILE_COLD && round->major == 0)
		round->marks |=
			MODEL_MARK_NOT_COLD; /* the first page at least must be waited for */
	return 0;
}

/* --- the timed section ---------------------------------------------------------------------------- */

/* One who sleeps for a disk also waits a little for the CPU at each wake-up: that is part of the
 * price. So only delays by preemption count, and large ones. */
static bool was_preempted(const struct sys_reading *d, uint64_t elapsed_ns)
{
	if (d->nivcsw > d->nvcsw)
		return 100 * d->run_delay_ns > elapsed_ns;
	return 10 * d->run_delay_ns > elapsed_ns;
}

/* Steal is told in ticks of USER_HZ: one may have been gathered over seconds. */
static bool was_stolen(uint64_t steal_ns, uint64_t elapsed_ns)
{
	uint64_t tick_ns = 1000000000U / (uint64_t)sysconf(_SC_CLK_TCK);

	return steal_ns >= 2 * tick_ns && 100 * steal_ns > elapsed_ns;
}

static void fill_round(struct model_round *round, const struct sys_reading *d, uint64_t elapsed_ns)
{
	uint64_t awake_ns = d->cpu_ns + d->run_delay_ns;
	double sampled_ns = (double)(d->user_ns + d->sys_ns);

	round->elapsed_ns = elapsed_ns;
	/* the CPU clock knows the sum, the tick's samples only the shares */
	round->sys_ns =
		sampled_ns > 0 ? (uint64_t)((double)d->cpu_ns * (double)d->sys_ns / sampled_ns) : 0;
	round->user_ns = d->cpu_ns - round->sys_ns;
	round->run_delay_ns = d->run_delay_ns;
	round->blocked_ns = elapsed_ns > awake_ns ? elapsed_ns - awake_ns : 0;
	round->minor = d->minor;
	round->major = d->major;
	round->nvcsw = d->nvcsw;
	round->nivcsw = d->nivcsw;
	if (was_preempted(d, elapsed_ns))
		round->marks |= MODEL_MARK_SWITCHED;
}

static int measure(const struct bench_scenario *s, struct bench_trial *t,
		   const struct sys_counters *c, const struct bench_shared *shared,
		   struct model_round *round)
{
	struct sys_reading before, after, delta;
	uint64_t start_ns, end_ns, steal_ns;
	int r;

	steal_ns = sys_cpu_steal_ns(shared->cpu);
	sys_counters_begin(c, &before);
	start_ns = sys_now_ns();
	r = s->measure(t);
	end_ns = sys_now_ns();
	sys_counters_end(c, &after);
	round->steal_ns = sys_cpu_steal_ns(shared->cpu) - steal_ns;
	round->started_ns = start_ns - shared->run_started_ns;
	delta = sys_counters_delta(&after, &before);
	fill_round(round, &delta, end_ns - start_ns);
	if (was_stolen(round->steal_ns, round->elapsed_ns))
		round->marks |= MODEL_MARK_STOLEN;
	if (s->file != BENCH_FILE_COLD && 100 * round->blocked_ns > round->elapsed_ns)
		round->marks |= MODEL_MARK_SLEPT;
	return r;
}

/* What a trial keeps open while it times. */
struct meters {
	struct sys_counters counters;
	struct sys_pressure pressure;
};

/* The timed section between two looks at the noise. The first pass of the calibration loop was before the
 * warm-up, so that what was warmed does not wait for it. */
static int measure_and_watch(const struct bench_scenario *s, struct bench_trial *t,
			     const struct meters *m, const struct bench_shared *shared,
			     struct model_round *round)
{
	struct sys_pressure_reading before, after, delta;
	int64_t calibration_ns;
	int r;

	sys_pressure_read(&m->pressure, &before);
	r = measure(s, t, &m->counters, shared, round);
	sys_pressure_read(&m->pressure, &after);
	calibration_ns = (int64_t)calibrate_ns(CALIBRATE_STEPS);
	delta = sys_pressure_delta(&after, &before);
	round->psi_cpu_ns = delta.some_ns[SYS_PRESSURE_CPU];
	round->psi_memory_ns = delta.some_ns[SYS_PRESSURE_MEMORY];
	round->psi_io_ns = delta.some_ns[SYS_PRESSURE_IO];
	if (calibration_ns > round->calibration_ns)
		round->calibration_ns = calibration_ns;
	return r;
}

static int clean_up(const struct bench_scenario *s, struct bench_trial *t, int r)
{
	int cleaned = s->cleanup ? s->cleanup(t) : 0;

	return r ? r : cleaned;
}

/* Pages of the data file in the cache; MODEL_NOT_COUNTED without one. */
static int count_resident(const struct bench_scenario *s, struct bench_trial *t, int64_t *ret_n)
{
	uint64_t n_resident;
	int r;

	if (s->file == BENCH_FILE_NONE)
		return 0;
	r = sys_resident_pages(t->fd, t->bytes, &n_resident, &t->why);
	if (r == 0)
		*ret_n = (int64_t)n_resident;
	return r;
}

static bool is_cached_file(const struct bench_scenario *s)
{
	return s->file == BENCH_FILE_WARM || s->file == BENCH_FILE_REREAD;
}

/* Somebody may have read the file since it was dropped, or dropped it since it was read: the last look is right before the clock. */
static int look_before(const struct bench_scenario *s, struct bench_trial *t,
		       struct model_round *round)
{
	int r = count_resident(s, t, &round->resident_before);

	if (s->file == BENCH_FILE_COLD && round->resident_before > 0)
		round->marks |= MODEL_MARK_NOT_COLD;
	if (is_cached_file(s) && round->resident_before < (int64_t)t->n_pages)
		round->marks |= MODEL_MARK_NOT_CACHED;
	return r;
}

static int look_after(const struct bench_scenario *s, struct bench_trial *t, int64_t tables_before,
		      struct model_round *round)
{
	int64_t tables = page_table_bytes();
	int r;

	/* fewer than before: what an earlier round left was freed meanwhile, and this one added none */
	if (tables != MODEL_NOT_COUNTED && tables_before != MODEL_NOT_COUNTED)
		round->page_table_bytes = tables > tables_before ? tables - tables_before : 0;
	r = count_resident(s, t, &round->resident_after);
	if (is_cached_file(s) && round->resident_after < (int64_t)t->n_pages)
		round->marks |= MODEL_MARK_NOT_CACHED;
	return r;
}

static int prepare(const struct bench_scenario *s, struct bench_trial *t)
{
	int r;

	t->mark = PREPARE_MARK; /* another one than the timed loop writes */
	r = s->prepare ? s->prepare(t) : 0;
	return r == 0 && t->prepared ? t->prepared(t, t->arm) : r;
}

/* The timed pass of a round. */
static int timed_pass(const struct bench_scenario *s, struct bench_trial *t, const struct meters *m,
		      const struct bench_shared *shared, struct model_round *round)
{
	int64_t tables_before = page_table_bytes();
	uint64_t warmed_ns;
	int r;

	r = prepare(s, t);
	round->calibration_ns = (int64_t)calibrate_ns(CALIBRATE_STEPS);
	if (r == 0)
		r = warm(s, t, round);
	if (r == 0)
		r = look_before(s, t, round);
	warmed_ns = sys_now_ns();
	t->sum = ~t->expected_sum; /* what an earlier round met proves nothing */
	t->mark = (unsigned char)(1 + round->round % 100);
	if (r == 0)
		r = measure_and_watch(s, t, m, shared, round);
	if (r == 0 && round->started_ns + shared->run_started_ns - warmed_ns > WARM_LATE_NS)
		round->marks |= MODEL_MARK_WARM_LATE;
	if (r == 0)
		r = verify(s, t, round);
	if (r == 0)
		r = look_after(s, t, tables_before, round);
	return clean_up(s, t, r);
}

/* The measured section with perf's page-fault events open. */
static int count_traps(const struct bench_scenario *s, struct bench_trial *t,
		       const struct sys_counters *c, struct model_round *round)
{
	struct sys_reading before, after, d;
	int r;

	sys_counters_begin(c, &before);
	r = s->measure(t);
	sys_counters_end(c, &after);
	d = sys_counters_delta(&after, &before);
	round->trap_user = (int64_t)d.trap_user;
	round->trap_kernel = c->fd_kernel < 0 ? MODEL_NOT_COUNTED : (int64_t)d.trap_kernel;
	round->counted_minor = d.minor;
	round->counted_major = d.major;
	return r;
}

/*
 * The same pass once more, untimed, to count its traps and what the PMU counts: with events open each
 * fault costs more than it does without, so one pass cannot tell both its price and its traps.
 * rusage's counts of this pass go with the traps: their difference is what was populated.
 */
static int counted_pass(const struct bench_scenario *s, struct bench_trial *t,
			struct model_round *round)
{
	int64_t counts[SYS_PMU_N];
	struct sys_counters c;
	struct sys_pmu pmu;
	int r;

	sys_counters_open(&c, true);
	r = c.fd_user >= 0 ? prepare(s, t) : 0;
	if (r == 0 && c.fd_user >= 0) {
		sys_pmu_open(&pmu);
		sys_pmu_begin(&pmu);
		r = count_traps(s, t, &c, round);
		sys_pmu_end(&pmu, counts);
		sys_pmu_close(&pmu);
		round->cycles = counts[SYS_PMU_CYCLES];
		round->instructions = counts[SYS_PMU_INSTRUCTIONS];
		round->dtlb_load_misses = counts[SYS_PMU_DTLB_LOAD_MISSES];
	}
	sys_counters_close(&c);
	return clean_up(s, t, r);
}

/* --- the process ---------------------------------------------------------------------------------- */

static void run_rounds(const struct bench_scenario *s, struct bench_trial *t,
		       struct bench_shared *shared)
{
	enum model_status status = MODEL_DONE;
	struct meters meters;

	sys_counters_open(&meters.counters, false);
	sys_pressure_open(&meters.pressure);
	for (uint32_t i = 0; i < shared->n_rounds; i++) {
		struct model_round round = model_round_uncounted;
		int r;

		round.trial = shared->trial;
		round.round = i;
		round.block = shared->block;
		if (i > 0 && sys_now_ns() > shared->until_ns)
			break;
		r = timed_pass(s, t, &meters, shared, &round);
		if (r == 0 && shared->count_traps)
			r = counted_pass(s, t, &round);
		if (r != 0) {
			status = r == BENCH_SKIP ? MODEL_SKIPPED : MODEL_FAILED;
			text_copy(shared->reason, sizeof(shared->reason), t->why.text);
			break;
		}
		shared->rounds[i] = round;
		atomic_store_explicit(&shared->n_done, i + 1, memory_order_release);
	}
	shared->status = status;
	atomic_store_explicit(&shared->ended, 1, memory_order_release);
	sys_pressure_close(&meters.pressure);
	sys_counters_close(&meters.counters);
}

/* The OOM killer should take the trial, not its neighbours. May be refused: then it is as it was. */
static void offer_to_oom_killer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, "1000", 4);
	(void)close(fd);
}

static struct bench_shared *map_shared(void)
{
	struct bench_shared *shared;

	/* populated: a fault on it inside a round would be counted as the scenario's */
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		      BENCH_TRIAL_FD_SHARED, 0);
	if (shared == MAP_FAILED || shared->magic != BENCH_TRIAL_MAGIC)
		return NULL;
	memset(shared->rounds, 0,
	       sizeof(shared->rounds)); /* populate maps shared files read-only */
	return shared;
}

static int apply_setting(const struct bench_setting_row *settings,
			 const struct bench_shared *shared, struct bench_trial *trial)
{
	const struct bench_setting_row *row;

	if (!shared->setting[0])
		return 0;
	row = bench_setting_find(settings, shared->setting);
	if (!row)
		return why_set(&trial->why, -EINVAL, "unknown setting");
	trial->arm = &shared->arm;
	trial->prepared = row->setting->prepared;
	return row->setting->in_trial ? row->setting->in_trial(trial, &shared->arm) : 0;
}

int bench_trial_main(const struct bench_registry_row *registry,
		     const struct bench_setting_row *settings)
{
	const struct bench_registry_row *row;
	struct bench_shared *shared;
	struct bench_trial trial;
	int r;

	shared = map_shared();
	if (!shared)
		return 2;
	(void)prctl(PR_SET_NAME, "pagetoll-trial"); /* exec of /proc/self/exe is called "exe" */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != shared->parent)
		return 2;
	offer_to_oom_killer();
	row = bench_registry_find(registry, shared->scenario);
	trial = (struct bench_trial){
		.n_pages = shared->n_pages,
		.page_bytes = sys_page_bytes(),
		.huge_bytes = sys_huge_page_bytes(),
		.fd = row && row->scenario->file != BENCH_FILE_NONE ? BENCH_TRIAL_FD_FILE : -1,
	};
	trial.bytes = trial.n_pages * trial.page_bytes;
	if (row) {
		trial.pages = shared->pages;
		trial.unit_bytes = bench_pages_bytes(trial.pages);
		trial.n_accesses = row->scenario->n_accesses;
	}
	r = sys_cpu_pin(shared->cpu, &trial.why);
	if (r == 0)
		r = sys_touch_code(&trial.why);
	if (r == 0)
		r = apply_setting(settings, shared, &trial);
	if (!row || r != 0) {
		shared->status = r == BENCH_SKIP ? MODEL_SKIPPED : MODEL_FAILED;
		text_copy(shared->reason, sizeof(shared->reason),
			  row ? trial.why.text : "unknown scenario");
		atomic_store_explicit(&shared->ended, 1, memory_order_release);
		return 0;
	}
	run_rounds(row->scenario, &trial, shared);
	return 0;
}
