/* SPDX-License-Identifier: MIT */
/*
 * A process with a mapping of each kind that `pagetoll inspect` tells apart: mappings FILE [prctl]. Prints "NAME ADDRESS"
 * for each, with "-" for what cannot be had here, then READY, and sleeps until it is ended.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t page, huge;

static void say(const char *name, const char *at)
{
	if (at)
		(void)printf("%s 0x%llx\n", name, (unsigned long long)(uintptr_t)at);
	else
		(void)printf("%s -\n", name);
}

static void touch(char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += page)
		((volatile char *)at)[i] = 1;
}

/* A mapping with whole huge pages in it, or that many bytes from there on, and nothing mergeable at its ends. */
static char *map(size_t bytes, size_t shift)
{
	size_t room = bytes + 4 * huge;
	char *at = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	at += (huge - (uintptr_t)at % huge) % huge + huge + shift;
	if (mprotect(at, bytes, PROT_READ | PROT_WRITE) < 0)
		exit(1);
	return at;
}

static char *of_fd(int fd, size_t bytes, int flags)
{
	char *at = fd < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void make_anonymous(void)
{
	char *at = map(4 * huge, 0);

	say("unasked", at);
	touch(at, 4 * huge);
	at = map(huge / 2, 0);
	say("small", at);
	touch(at, huge / 2);
	at = map(huge + huge / 2, page);
	say("unaligned", at);
	touch(at, huge);
	at = map(4 * huge, 0);
	(void)madvise(at, 4 * huge, MADV_NOHUGEPAGE);
	say("refused", at);
	touch(at, 4 * huge);
	at = map(4 * huge, 0);
	(void)madvise(at, 4 * huge, MADV_HUGEPAGE);
	say("untouched", at);
	at = map(4 * huge, 0);
	(void)madvise(at, 4 * huge, MADV_HUGEPAGE);
	say("huge", at);
	touch(at, 4 * huge);
}

/* Touched before huge pages are asked for: all of it, or all but the first. */
static void make_late(void)
{
	char *at = map(8 * huge, 0);

	touch(at, 8 * huge);
	(void)madvise(at, 8 * huge, MADV_HUGEPAGE);
	say("came_small", at);
	at = map(8 * huge, 0);
	touch(at + huge, 7 * huge);
	(void)madvise(at, 8 * huge, MADV_HUGEPAGE);
	touch(at, huge);
	say("partly", at);
}

static void make_uffd(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	struct uffdio_api api = {.api = UFFD_API};
	char *at = map(4 * huge, 0);
	struct uffdio_register r = {.range = {(uintptr_t)at, 4 * huge},
				    .mode = UFFDIO_REGISTER_MODE_MISSING};

	(void)madvise(at, 4 * huge, MADV_HUGEPAGE);
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &r) < 0)
		at = NULL;
	say("uffd", at);
}

static void make_files(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char *at = NULL;

	if (fd >= 0 && ftruncate(fd, (off_t)(4 * huge)) == 0)
		at = of_fd(fd, 4 * huge, MAP_SHARED);
	if (at)
		touch(at, 4 * huge);
	say("file", at);
	fd = memfd_create("a\033[31mb", MFD_CLOEXEC);
	at = fd >= 0 && ftruncate(fd, (off_t)(4 * huge)) == 0 ? of_fd(fd, 4 * huge, MAP_SHARED)
							      : NULL;
	say("shmem", at);
	at = mmap(NULL, huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1,
		  0);
	say("hugetlb", at == MAP_FAILED ? NULL : at);
}

int main(int argc, char **argv)
{
	unsigned long long bytes = 2 << 20;
	FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "re");

	if (f && fscanf(f, "%llu", &bytes) != 1)
		bytes = 2 << 20;
	huge = (size_t)bytes;
	page = (size_t)sysconf(_SC_PAGESIZE);
	if (argc < 2)
		return 2;
	if (argc > 2 && strcmp(argv[2], "prctl") == 0)
		(void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	make_anonymous();
	make_late();
	make_uffd();
	make_files(argv[1]);
	if (argc > 2 && strcmp(argv[2], "lock") == 0)
		(void)mlock(map(huge, 0), 15 * huge / 16);
	(void)puts("READY");
	(void)fflush(stdout);
	(void)pause();
	return 0;
}
