/* SPDX-License-Identifier: MIT */
/* The totals of PSI grow while tasks wait, and are unknown where they cannot be read. */
#include "src/base/why.h"
#include "src/sys/clock.h"
#include "src/sys/cpu.h"
#include "src/sys/pressure.h"
#include "tests/tap.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STALL_NS = 200000000 };

static void spin(int cpu)
{
	uint64_t end = sys_now_ns() + STALL_NS;
	struct why why;

	if (fork() != 0)
		return;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)sys_cpu_pin(cpu, &why);
	while (sys_now_ns() < end)
		;
	_exit(0);
}

/* Two tasks that want one CPU: at each moment one of them waits. */
static void stage_stall(void)
{
	int cpu = sys_cpu_default();

	spin(cpu);
	spin(cpu);
	while (wait(NULL) > 0)
		;
}

int main(void)
{
	struct sys_pressure_reading before, after, d;
	struct sys_pressure p;
	struct why why;

	if (sys_pressure_ask(&why) > 0)
		t_skip_all("%s", why.text);
	t_plan(4);
	sys_pressure_open(&p);
	sys_pressure_read(&p, &before);
	stage_stall();
	sys_pressure_read(&p, &after);
	d = sys_pressure_delta(&after, &before);
	t_ok(d.some_ns[SYS_PRESSURE_CPU] > 0, "a stall for a CPU is seen: %lld us",
	     (long long)d.some_ns[SYS_PRESSURE_CPU] / 1000);
	t_ok(d.some_ns[SYS_PRESSURE_MEMORY] >= 0 && d.some_ns[SYS_PRESSURE_IO] >= 0,
	     "the others are counted");
	sys_pressure_close(&p);
	sys_pressure_read(&p, &after);
	t_is_i64(after.some_ns[SYS_PRESSURE_CPU], SYS_PRESSURE_UNKNOWN, "closed: unknown");
	d = sys_pressure_delta(&after, &before);
	t_is_i64(d.some_ns[SYS_PRESSURE_CPU], SYS_PRESSURE_UNKNOWN, "and so is the difference");
	return t_done();
}
