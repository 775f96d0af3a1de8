/* SPDX-License-Identifier: MIT */
/* The data files of file scenarios: nameless, of a known pattern, in a known cache state. */
#include "src/bench/datafile.h"

#include "src/base/units.h"
#include "src/base/why.h"
#include "src/sys/file.h"
#include "src/sys/page.h"
#include "src/sys/residency.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

unsigned char bench_datafile_byte(uint64_t i_page)
{
	return (unsigned char)(1 + i_page % 251);
}

uint64_t bench_datafile_sum(uint64_t n_pages)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n_pages; i++)
		sum += bench_datafile_byte(i);
	return sum;
}

/* One page a write: larger writes would leave larger folios in the cache on some filesystems, and
 * with them other fault counts. */
static int write_pages(int fd, uint64_t bytes, const struct bench_stop *stop, struct why *why)
{
	uint64_t page_bytes = sys_page_bytes();
	unsigned char *page;
	int r = 0;

	page = malloc(page_bytes);
	if (!page)
		return why_set(why, -ENOMEM, "no memory for a page");
	/* real disks and filesystems may compress: leave them nothing to */
	for (uint64_t i = 0, state = 88172645463325252U; i < page_bytes; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		page[i] = (unsigned char)state;
	}
	for (uint64_t i = 0; i < bytes / page_bytes && r == 0; i++) {
		ssize_t n;

		page[0] = bench_datafile_byte(i);
		if (i % 1024 == 0 && stop && stop->asked(stop->data))
			r = why_set(why, -EINTR, "ended while writing data files");
		errno = ENOSPC; /* what a short write means */
		n = r < 0 ? 0 : pwrite(fd, page, page_bytes, (off_t)(i * page_bytes));
		if (r == 0 && n != (ssize_t)page_bytes)
			r = why_errno(why, -errno, "cannot write a data file of %s",
				      units_bytes(bytes).s);
	}
	free(page);
	if (r == 0 && fsync(fd) < 0)
		r = why_errno(why, -errno, "cannot write a data file of %s", units_bytes(bytes).s);
	return r;
}

int bench_datafile_create(const char *dir, uint64_t bytes, const struct bench_stop *stop,
			  struct why *why)
{
	struct why inner = {.text = ""};
	int fd, r;

	fd = sys_open_nameless(dir, why);
	if (fd < 0)
		return fd;
	r = write_pages(fd, bytes, stop, &inner);
	if (r < 0) {
		(void)close(fd);
		return why_set(why, r, "%s: %s", dir, inner.text);
	}
	return fd;
}

int bench_datafile_make_warm(int fd, uint64_t bytes, struct why *why)
{
	uint64_t n_pages = bytes / sys_page_bytes();
	uint64_t n_resident;
	int r;

	/* proactive reclaim takes idle pages from machines that have memory to spare */
	for (int attempt = 0; attempt < 4; attempt++) {
		r = sys_resident_pages(fd, bytes, &n_resident, why);
		if (r < 0 || n_resident == n_pages)
			return r;
		r = sys_drop_file(fd, bytes, &n_resident, why);
		if (r == 0)
			r = write_pages(fd, bytes, NULL, why);
		if (r < 0)
			return r;
	}
	return why_set(why, -ENOMEM, "the page cache does not keep a file of %s",
		       units_bytes(bytes).s);
}
