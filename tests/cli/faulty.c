/* SPDX-License-Identifier: MIT */
/* Programs for pagetoll stat: each takes the faults that its first argument says, and no others to speak of. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned char *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	return p;
}

/* Writes to each page of MIB memory, PASSES times. Base pages, so that the faults can be counted. */
static int touch(size_t bytes, int passes)
{
	volatile unsigned char *memory = map(bytes);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)madvise((void *)(uintptr_t)memory, bytes, MADV_NOHUGEPAGE);
	for (int pass = 1; pass <= passes; pass++)
		for (size_t i = 0; i < bytes; i += page)
			memory[i] = (unsigned char)pass;
	return 0;
}

/* The same in huge pages. */
static int huge(size_t bytes)
{
	volatile unsigned char *memory = map(bytes);

	(void)madvise((void *)(uintptr_t)memory, bytes, MADV_HUGEPAGE);
	memset((void *)(uintptr_t)memory, 1, bytes);
	return 0;
}

/* Maps, writes and unmaps the same memory again and again. */
static int churn(size_t bytes, int times)
{
	while (times-- > 0) {
		volatile unsigned char *memory = map(bytes);

		(void)madvise((void *)(uintptr_t)memory, bytes, MADV_NOHUGEPAGE);
		memset((void *)(uintptr_t)memory, 1, bytes);
		(void)munmap((void *)(uintptr_t)memory, bytes);
	}
	return 0;
}

/* Computes for MS milliseconds. */
static int compute(int ms)
{
	volatile unsigned sum = 0;

	while (clock() < (clock_t)ms * (CLOCKS_PER_SEC / 1000))
		for (unsigned i = 0; i < 100000; i++)
			sum += i;
	return 0;
}

/* Drops FILE from the page cache and reads a byte of each page, without readahead. 77: it stays. */
static int cold(const char *path)
{
	int fd = open(path, O_RDWR);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *pages, vec;
	volatile unsigned sum = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || fsync(fd) < 0)
		return 1;
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	pages = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (pages == MAP_FAILED || madvise(pages, (size_t)st.st_size, MADV_RANDOM) < 0)
		return 1;
	if (mincore(pages, page, &vec) < 0 || vec & 1)
		return 77;
	for (off_t i = 0; i < st.st_size; i += (off_t)page)
		sum += pages[i];
	return 0;
}

/* N children, one after the other, each of which touches a MiB. */
static int children(int n)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(touch(1 << 20, 1));
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const char *first = argc > 2 ? argv[2] : "0";
	int n = atoi(first), times = argc > 3 ? atoi(argv[3]) : 1;
	size_t bytes = (size_t)n << 20;

	if (strcmp(what, "touch") == 0)
		return touch(bytes, times);
	if (strcmp(what, "huge") == 0)
		return huge(bytes);
	if (strcmp(what, "churn") == 0)
		return churn(bytes, times);
	if (strcmp(what, "compute") == 0)
		return compute(n);
	if (strcmp(what, "cold") == 0)
		return cold(first);
	if (strcmp(what, "children") == 0)
		return children(n);
	return 2;
}
