/* SPDX-License-Identifier: MIT */
/* A library to preload: memory that is mapped to be written is populated at once, so that no fault is left. */
#undef _FILE_OFFSET_BITS /* both names of mmap are defined here */
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *mmap64(void *address, size_t bytes, int prot, int flags, int fd, off64_t offset)
{
	if ((flags & MAP_ANONYMOUS) && (flags & MAP_PRIVATE) && (prot & PROT_WRITE))
		flags |= MAP_POPULATE;
	return (void *)syscall(SYS_mmap, address, bytes, prot, flags, fd, offset);
}

void *mmap(void *address, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	return mmap64(address, bytes, prot, flags, fd, offset);
}
