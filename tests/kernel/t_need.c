/* SPDX-License-Identifier: MIT */
/* Needs answer for the directory they are given, with a reason where they are unmet. */
#include "src/base/why.h"
#include "src/sys/need.h"
#include "src/sys/page.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(void)
{
	struct sys_env missing = {.dir = "/nonexistent/pagetoll"};
	struct sys_env tmp = {.dir = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"};
	char template[] = "/tmp/pagetoll-need-XXXXXX";
	struct why why;
	size_t n = 0, n_titled = 0;

	for (; sys_needs[n]; n++)
		n_titled += sys_needs[n]->name && sys_needs[n]->title && sys_needs[n]->probe;
	t_plan(9);
	t_ok(n >= 6 && n_titled == n, "%zu needs, all with name, title and probe", n);
	t_ok(need_base_pages.probe(&tmp, &why) == 0, "base pages can be had everywhere");
	t_ok(need_data_dir.probe(&tmp, &why) == 0, "%s takes data files", tmp.dir);
	t_ok(need_data_dir.probe(&missing, &why) == 1, "a missing directory does not");
	t_contains(why.text, "/nonexistent/pagetoll", "and is named");
	t_ok(need_cold_files.probe(&missing, &why) == 1, "nor cold files");
	if (mkdtemp(template)) {
		struct sys_env own = {.dir = template};

		(void)need_cold_files.probe(&own, &why);
		t_ok(rmdir(template) == 0, "probing leaves nothing behind");
	} else {
		t_skip(1, "needs /tmp to be writable");
	}
	(void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	t_ok(need_thp.probe(&tmp, &why) == 1, "THP forbidden by prctl is seen");
	if (sys_huge_page_bytes())
		t_contains(why.text, "PR_SET_THP_DISABLE", "and said");
	else
		t_skip(1, "this kernel has no huge pages");
	return t_done();
}
