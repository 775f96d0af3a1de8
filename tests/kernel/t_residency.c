/* SPDX-License-Identifier: MIT */
/* Pages of a file are seen in the cache, dropped, and seen gone; on tmpfs they are seen to stay. */
#include "src/base/why.h"
#include "src/sys/file.h"
#include "src/sys/need.h"
#include "src/sys/page.h"
#include "src/sys/residency.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <unistd.h>

enum { N_PAGES = 512 };

static int make_file(const char *dir)
{
	size_t page = sys_page_bytes();
	char *buffer = calloc(1, page);
	struct why why;
	int fd = sys_open_nameless(dir, &why);

	for (int i = 0; i < N_PAGES && fd >= 0; i++)
		if (write(fd, buffer, page) != (ssize_t)page)
			break;
	free(buffer);
	return fd;
}

int main(void)
{
	const char *dir = getenv("PAGETOLL_TEST_DIR");
	uint64_t bytes = N_PAGES * sys_page_bytes();
	struct sys_env env = {.dir = dir ? dir : "/var/tmp"};
	struct sys_env shm = {.dir = "/dev/shm"};
	uint64_t n = 0;
	struct why why;
	int fd;

	if (need_cold_files.probe(&env, &why) > 0)
		t_skip_all("%s", why.text);
	t_plan(6);
	fd = make_file(env.dir);
	t_ok(sys_resident_pages(fd, bytes, &n, &why) == 0 && n == N_PAGES,
	     "written: all %llu resident", (unsigned long long)n);
	t_ok(sys_drop_file(fd, bytes, &n, &why) == 0 && n == 0, "dropped: %llu resident",
	     (unsigned long long)n);
	t_ok(sys_resident_pages(fd, bytes, &n, &why) == 0 && n == 0, "and stay so: %llu resident",
	     (unsigned long long)n);
	(void)close(fd);
	if (need_data_dir.probe(&shm, &why) > 0) {
		t_skip(3, "%s", why.text);
		return t_done();
	}
	fd = make_file(shm.dir);
	t_ok(sys_drop_file(fd, bytes, &n, &why) == 0 && n == N_PAGES, "tmpfs keeps all %llu",
	     (unsigned long long)n);
	t_ok(need_cold_files.probe(&shm, &why) == 1, "so the need is unmet there");
	t_contains(why.text, "choose a --dir", "and says what would help");
	(void)close(fd);
	return t_done();
}
