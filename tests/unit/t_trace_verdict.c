/* SPDX-License-Identifier: MIT */
/* Verdicts on a command's faults: each where it belongs, near misses, and evidence that contradicts. */
#include "tests/tap.h"
#include "tests/unit/made_up_trace.h"

#include <signal.h>

static struct model_trace *doc;
static int64_t *f; /* its figures */

static void begin(uint64_t n_minor, uint64_t n_major)
{
	model_trace_free(doc);
	doc = made_up_trace();
	f = doc->evidence.figures;
	made_up_faults(doc, n_minor, n_major);
}

/* 5,000 major faults in two seconds, half of which was sleep. */
static void begin_majors(void)
{
	begin(1000, 5000);
	doc->wall_ns = 2000 * MADE_UP_MS;
	f[MODEL_DISK_READ] = f[MODEL_IO_READ] = 5000 * 8192;
}

static void verdict_is(enum model_trace_verdict_id id, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void verdict_is(enum model_trace_verdict_id id, const char *fmt, ...)
{
	char name[200];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	model_trace_derive(doc);
	if (!t_is_str(model_trace_verdict_names[doc->verdict.id], model_trace_verdict_names[id],
		      "%s", name))
		t_note("%s", doc->verdict.text);
}

static void says(const char *part)
{
	t_contains(doc->verdict.text, part, "it says: %s", part);
}

static void says_not(const char *part)
{
	t_ok(!strstr(doc->verdict.text, part), "it does not say: %s", part);
}

static void test_not_the_problem(void)
{
	begin(24000, 0);
	verdict_is(MODEL_FAULTS_NOT_THE_PROBLEM, "4.8 %% of the time");
	says("faults are not the problem: 24,000 minor faults and no major faults took about 48 ms "
	     "[21.6 ms, 106 ms], 4.8 % of its time (11 % at the very most)");
	t_contains(doc->verdict.advice, "on the CPU", "the advice is to look at what computes");
	doc->wall_ns = 60000 * MADE_UP_MS;
	verdict_is(MODEL_FAULTS_NOT_THE_PROBLEM, "4.8 %% of a second in a minute");
	t_contains(doc->verdict.advice, "slept", "the advice is to look at what it waits for");
	f[MODEL_RUN_DELAY] = 59000 * (int64_t)MADE_UP_MS;
	verdict_is(MODEL_FAULTS_NOT_THE_PROBLEM, "the same on a busy machine");
	t_contains(doc->verdict.advice, "on the CPU", "waiting for a CPU is no sleep");
	begin(26000, 0);
	verdict_is(MODEL_FIRST_TOUCH, "5.2 %% of the time");
	begin(3000, 0);
	verdict_is(MODEL_FAULTS_NOT_THE_PROBLEM, "0.6 %%");
	says_not("at the very most");
	begin(3000, 0);
	memset(&doc->prices, 0, sizeof(doc->prices));
	doc->sys_ns = 8 * MADE_UP_MS;
	verdict_is(MODEL_FAULTS_NOT_THE_PROBLEM, "no price, but hardly any system time either");
	says("8 ms at the very most, 1.0 % of its time");
	begin(3000, 0);
	f[MODEL_GROUP_REFAULTS_ANON] = 500;
	verdict_is(MODEL_FAULTS_NOT_THE_PROBLEM, "a shortage that cost nothing");
	says("yet memory was short: 500 pages of its memory cgroup came back from swap");
}

static void test_process_start(void)
{
	begin(200, 0);
	doc->user_ns = MADE_UP_MS;
	doc->sys_ns = MADE_UP_MS;
	doc->wall_ns = 3 * MADE_UP_MS;
	doc->evidence.n_samples = 0;
	verdict_is(MODEL_PROCESS_START, "200 faults in 2 ms");
	says("process start: 200 minor faults and no major faults in 2 ms on the CPU");
	made_up_faults(doc, 1000, 0);
	verdict_is(MODEL_PROCESS_START, "1,000 faults");
	made_up_faults(doc, 1001, 0);
	verdict_is(MODEL_FIRST_TOUCH, "1,001 faults are more than a start");
	made_up_faults(doc, 1000, 0);
	doc->user_ns = 20 * MADE_UP_MS;
	doc->sys_ns = 10 * MADE_UP_MS;
	verdict_is(MODEL_PROCESS_START, "30 ms");
	doc->user_ns++;
	verdict_is(MODEL_FIRST_TOUCH, "and a nanosecond");
	begin(200, 0);
	doc->user_ns = 10 * MADE_UP_MS;
	doc->sys_ns = 0;
	verdict_is(MODEL_FAULTS_NOT_THE_PROBLEM, "where they are 4 %% of it, nobody asks");
	begin(200, 20);
	doc->user_ns = doc->sys_ns = MADE_UP_MS;
	doc->wall_ns = 10 * MADE_UP_MS;
	f[MODEL_DISK_READ] = 20 * 8192;
	verdict_is(MODEL_COLD_FILE, "a start that waits for its own program");
}

static void test_first_touch(void)
{
	begin(50000, 0);
	verdict_is(MODEL_FIRST_TOUCH, "10 %% of the time");
	says("first-touch cost: fine; 50,000 minor faults took about 100 ms [45 ms, 200 ms], 10 % of its "
	     "time, and none waited for a disk");
	t_is_str(doc->verdict.advice, "", "nothing to do");
	begin(100000, 0);
	doc->user_ns = 500 * MADE_UP_MS;
	doc->sys_ns = 500 * MADE_UP_MS;
	verdict_is(MODEL_FIRST_TOUCH, "20 %% of the time");
	t_contains(doc->verdict.advice, "MADV_HUGEPAGE", "how it could be made smaller");
	begin(50000, 20);
	verdict_is(MODEL_FIRST_TOUCH, "a few major faults beside them");
	says("; 20 major faults with them");
	says_not("none waited");
	begin(40000, 0);
	f[MODEL_HUGE_FAULTS] = f[MODEL_SMAPS_ANON_HUGE] = 160 * MADE_UP_MIB;
	f[MODEL_MAX_RESIDENT] = f[MODEL_SMAPS_RSS] = 400 * MADE_UP_MIB;
	verdict_is(MODEL_FIRST_TOUCH, "with huge pages");
	says("40,000 minor faults, 40 of them of a huge page, took");
}

static void test_repeated_touch(void)
{
	begin(40000, 0);
	f[MODEL_MAX_RESIDENT] = 100 * MADE_UP_MIB;
	verdict_is(MODEL_REPEATED_TOUCH, "faults for 312 MiB, 100 MiB resident");
	says("3 times the memory that was ever resident (100 MiB)");
	t_contains(doc->verdict.advice, "M_TRIM_THRESHOLD", "what keeps it");
	f[MODEL_MAX_RESIDENT] = 105 * MADE_UP_MIB;
	verdict_is(MODEL_FIRST_TOUCH, "105 MiB: less than three times");
	f[MODEL_MAX_RESIDENT] = 10 * MADE_UP_MIB;
	f[MODEL_OWN_MINOR] = 30000;
	verdict_is(MODEL_FIRST_TOUCH,
		   "a quarter of the faults are of descendants: many are first touches");
	f[MODEL_OWN_MINOR] = MODEL_NOT_COUNTED;
	verdict_is(MODEL_FIRST_TOUCH, "nobody knows whose they are");
	f[MODEL_OWN_MINOR] = 40000;
	f[MODEL_MAX_RESIDENT] = MODEL_NOT_COUNTED;
	verdict_is(MODEL_FIRST_TOUCH, "nobody knows what was resident");
	begin(4000, 0);
	doc->user_ns = 30 * MADE_UP_MS;
	doc->sys_ns = 30 * MADE_UP_MS;
	f[MODEL_MAX_RESIDENT] = MADE_UP_MIB;
	verdict_is(MODEL_FIRST_TOUCH, "31 MiB in all: too little to matter");
}

static void test_cold_file(void)
{
	begin_majors();
	verdict_is(MODEL_COLD_FILE, "major faults that read data, and no sign of a shortage");
	says("cold file: 5,000 major faults took about 500 ms [4.5 ms, 550 ms], 34 % of its time; 39.1 MiB "
	     "were read from disk");
	says("\"many major faults: short of RAM\" would be wrong");
	says_not("swapped meanwhile");
	f[MODEL_GROUP_LIMIT_HITS] = 900;
	verdict_is(MODEL_COLD_FILE, "a limit that was hit, but no page came back");
	says("hit a limit");
	begin_majors();
	f[MODEL_GROUP_REFAULTS_FILE] = f[MODEL_REFAULTS_FILE] = 4000;
	verdict_is(MODEL_COLD_FILE, "pages read again that nothing pressed out");
	begin_majors();
	f[MODEL_VM_SWAP] = 31 * 8192;
	verdict_is(MODEL_COLD_FILE, "a few pages in swap, none came back");
	begin_majors();
	f[MODEL_DISK_READ] = 0;
	verdict_is(MODEL_CANNOT_TELL, "major faults, but nothing was read from a disk");
	says("nothing was read from a local disk");
	t_contains(doc->verdict.advice, "network", "what it could be");
	f[MODEL_DISK_READ] = MODEL_NOT_COUNTED;
	verdict_is(MODEL_COLD_FILE, "where nobody counts what was read");
	begin(500, 1);
	doc->user_ns = doc->sys_ns = 50 * MADE_UP_MS;
	doc->wall_ns = 300 * MADE_UP_MS;
	f[MODEL_DISK_READ] = f[MODEL_IO_READ] = f[MODEL_RSS_FILE] = 128 * MADE_UP_MIB;
	verdict_is(MODEL_COLD_FILE, "one major fault, and readahead behind it");
	says("waiting for mapped data that readahead brought took about 82");
	says("with 1 major fault only; 128 MiB were read from disk");
}

static void test_short_of_ram(void)
{
	begin_majors();
	f[MODEL_GROUP_REFAULTS_ANON] = 500;
	verdict_is(MODEL_SHORT_OF_RAM, "a tenth as many pages back from swap in its group");
	says("short of RAM: must be fixed; 500 pages of its memory cgroup came back from swap, and faults, "
	     "5,000 of them major, took about 502 ms [5.4 ms, 554 ms], 35 % of its time");
	f[MODEL_GROUP_REFAULTS_ANON] = 499;
	verdict_is(MODEL_COLD_FILE, "one page less");
	f[MODEL_GROUP_REFAULTS_ANON] = MODEL_NOT_COUNTED;
	f[MODEL_VM_SWAP] = MODEL_NOT_COUNTED;
	f[MODEL_REFAULTS_ANON] = 2500;
	verdict_is(MODEL_SHORT_OF_RAM, "half as many on the whole system");
	says("2,500 pages of this machine's processes came back from swap");
	f[MODEL_REFAULTS_ANON] = 2499;
	verdict_is(MODEL_COLD_FILE, "one page less");
	f[MODEL_REFAULTS_ANON] = MODEL_NOT_COUNTED;
	f[MODEL_SWAP_INS] = 2500;
	verdict_is(MODEL_SHORT_OF_RAM, "swap-ins, where nobody counts refaults");
	f[MODEL_SWAP_INS] = MODEL_NOT_COUNTED;
	verdict_is(MODEL_COLD_FILE, "where nobody counts anything");
	f[MODEL_SMAPS_SWAP] = 64 * MADE_UP_MIB;
	verdict_is(MODEL_SHORT_OF_RAM, "but it was seen in swap");
	says("up to 64 MiB of it were in swap");
	begin_majors();
	f[MODEL_VM_SWAP] = 64 * MADE_UP_MIB;
	verdict_is(MODEL_COLD_FILE, "in swap, and nothing came back: that cost nothing");
}

static void test_thrashing(void)
{
	begin_majors();
	f[MODEL_GROUP_REFAULTS_FILE] = 500;
	f[MODEL_GROUP_LIMIT_HITS] = 1;
	verdict_is(MODEL_SHORT_OF_RAM, "file pages pressed out by a limit and read again");
	says("500 pages of its memory cgroup were pressed out of the file cache and read again, a memory "
	     "cgroup's limit was hit once");
	f[MODEL_GROUP_REFAULTS_FILE] = 499;
	verdict_is(MODEL_COLD_FILE, "one page less");
	f[MODEL_REFAULTS_FILE] = 5000;
	verdict_is(MODEL_COLD_FILE, "others' pages beside a group that counts its own");
	f[MODEL_GROUP_REFAULTS_FILE] = MODEL_NOT_COUNTED;
	verdict_is(MODEL_SHORT_OF_RAM, "everybody's, where no group counts");
	f[MODEL_GROUP_LIMIT_HITS] = 0;
	verdict_is(MODEL_COLD_FILE, "no limit, and memory to spare");
	f[MODEL_LEAST_AVAILABLE] = 400 * MADE_UP_MIB;
	verdict_is(MODEL_SHORT_OF_RAM, "400 MiB of 8 GiB available");
	f[MODEL_LEAST_AVAILABLE] = 420 * MADE_UP_MIB;
	verdict_is(MODEL_COLD_FILE, "420 MiB");
	f[MODEL_LEAST_AVAILABLE] = MODEL_NOT_COUNTED;
	verdict_is(MODEL_COLD_FILE, "nobody knows");
}

static void test_contradictions(void)
{
	begin_majors();
	f[MODEL_SWAP_INS] = f[MODEL_REFAULTS_ANON] = 100000;
	verdict_is(MODEL_COLD_FILE, "the machine swaps, its group does not");
	says("others on this machine swapped meanwhile");
	f[MODEL_VM_SWAP] = 64 * MADE_UP_MIB;
	verdict_is(MODEL_SHORT_OF_RAM, "but it was seen in swap: it is in another group by now");
	f[MODEL_VM_SWAP] = 0;
	f[MODEL_GROUP_REFAULTS_ANON] = MODEL_NOT_COUNTED;
	verdict_is(MODEL_COLD_FILE, "no group that counts, and ten samples saw none of it in swap");
	doc->evidence.n_samples = 2;
	verdict_is(MODEL_SHORT_OF_RAM, "two samples prove nothing");
	doc->evidence.n_samples = 10;
	f[MODEL_OWN_MAJOR] = 100;
	verdict_is(MODEL_SHORT_OF_RAM, "nor do samples of a process whose descendants fault");
	begin(90000, 400);
	f[MODEL_GROUP_REFAULTS_ANON] = 400;
	f[MODEL_DISK_READ] = 400 * 8192;
	verdict_is(MODEL_FIRST_TOUCH, "a shortage, but minor faults take the time");
	f[MODEL_GROUP_REFAULTS_ANON] = 40000;
	verdict_is(MODEL_FIRST_TOUCH, "nor where readahead brought back fewer pages than half");
	f[MODEL_GROUP_REFAULTS_ANON] = 46000;
	verdict_is(MODEL_SHORT_OF_RAM, "but where minor faults are of pages that came back, too");
	begin_majors();
	f[MODEL_GROUP_REFAULTS_ANON] = 5000;
	doc->n_minor = 200;
	doc->user_ns = doc->sys_ns = MADE_UP_MS;
	verdict_is(MODEL_SHORT_OF_RAM, "a short run is no process start when it swaps");
}

static void test_killed(void)
{
	begin(1000, 0);
	doc->signal = SIGKILL;
	doc->exit_status = 128 + SIGKILL;
	verdict_is(MODEL_FAULTS_NOT_THE_PROBLEM, "killed by somebody");
	f[MODEL_GROUP_OOM_KILLS] = 1;
	verdict_is(MODEL_SHORT_OF_RAM, "killed while the OOM killer was at work in its group");
	says("it was killed while the OOM killer was at work, and faults, none of them major");
	f[MODEL_GROUP_OOM_KILLS] = MODEL_NOT_COUNTED;
	f[MODEL_OOM_KILLS] = 1;
	verdict_is(MODEL_SHORT_OF_RAM, "or anywhere");
	doc->signal = 0;
	verdict_is(MODEL_SHORT_OF_RAM, "or a shell says that its child was killed so");
	doc->exit_status = 1;
	verdict_is(MODEL_FAULTS_NOT_THE_PROBLEM, "somebody else was killed");
	doc->signal = SIGTERM;
	doc->exit_status = 128 + SIGTERM;
	verdict_is(MODEL_FAULTS_NOT_THE_PROBLEM, "no OOM killer sends SIGTERM");
	doc->exit_status = 128 + SIGKILL;
	memset(&doc->prices, 0, sizeof(doc->prices));
	verdict_is(MODEL_SHORT_OF_RAM, "without a price, too");
	says("short of RAM: must be fixed; it was killed while the OOM killer was at work, no major faults "
	     "and 1,000 minor faults");
}

static void test_cannot_tell(void)
{
	begin(90000, 0);
	memset(&doc->prices, 0, sizeof(doc->prices));
	text_copy(doc->prices.reason, sizeof(doc->prices.reason), "anon_write: no memory");
	verdict_is(MODEL_CANNOT_TELL, "no price");
	says("cannot tell: 90,000 minor faults and no major faults, and what one costs here is not known: "
	     "anon_write: no memory");
	begin_majors();
	doc->prices.rows[MODEL_PRICE_DISK_WAIT].ns = 0;
	verdict_is(MODEL_CANNOT_TELL, "no price of the disk");
}

int main(void)
{
	test_not_the_problem();
	test_process_start();
	test_first_touch();
	test_repeated_touch();
	test_cold_file();
	test_short_of_ram();
	test_thrashing();
	test_contradictions();
	test_killed();
	test_cannot_tell();
	model_trace_free(doc);
	return t_done();
}
