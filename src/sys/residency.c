/* SPDX-License-Identifier: MIT */
/* Which pages of a file are in the page cache, and dropping them. */
#include "src/sys/residency.h"

#include "src/base/why.h"
#include "src/sys/page.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHUNK_PAGES = 8192 };

static uint64_t count_chunk(void *map, uint64_t n_pages, uint64_t page_bytes, int *ret_r)
{
	unsigned char vec[CHUNK_PAGES];
	uint64_t n_resident = 0;

	*ret_r = mincore(map, n_pages * page_bytes, vec) < 0 ? -errno : 0;
	if (*ret_r < 0)
		return 0;
	for (uint64_t i = 0; i < n_pages; i++)
		n_resident += vec[i] & 1;
	return n_resident;
}

int sys_resident_pages(int fd, uint64_t bytes, uint64_t *ret_n_pages, struct why *why)
{
	uint64_t page_bytes = sys_page_bytes();
	uint64_t n_pages = bytes / page_bytes;
	uint64_t n_resident = 0;
	char *map;
	int r = 0;

	map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return why_errno(why, -errno, "cannot map the file to look at its cached pages");
	for (uint64_t at = 0; at < n_pages && r == 0; at += CHUNK_PAGES) {
		uint64_t n = n_pages - at < CHUNK_PAGES ? n_pages - at : CHUNK_PAGES;

		n_resident += count_chunk(map + at * page_bytes, n, page_bytes, &r);
	}
	(void)munmap(map, bytes);
	if (r < 0)
		return why_errno(why, r, "mincore");
	*ret_n_pages = n_resident;
	return 0;
}

int sys_drop_file(int fd, uint64_t bytes, uint64_t *ret_n_resident, struct why *why)
{
	int r;

	for (int attempt = 0; attempt < 4; attempt++) {
		if (attempt > 0)
			(void)usleep(20000);
		if (fsync(fd) < 0)
			return why_errno(why, -errno, "fsync");
		r = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		if (r != 0)
			return why_errno(why, -r, "POSIX_FADV_DONTNEED");
		r = sys_resident_pages(fd, bytes, ret_n_resident, why);
		if (r < 0 || *ret_n_resident == 0)
			return r;
	}
	return 0;
}
