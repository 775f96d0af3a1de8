/* SPDX-License-Identifier: MIT */
/* What is known of the code in ELF files where pagetoll was built without libdw: nothing. */
#include "src/trace/symbols_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct trace_elf {
	int fd; /* while it is open no other file gets its inode number */
};

struct trace_elf *trace_elf_new(int fd, const char *path)
{
	struct trace_elf *elf = malloc(sizeof(*elf));

	(void)path;
	if (elf)
		elf->fd = fd;
	else
		(void)close(fd);
	return elf;
}

void trace_elf_free(struct trace_elf *elf)
{
	if (!elf)
		return;
	(void)close(elf->fd);
	free(elf);
}

size_t trace_elf_frames(struct trace_elf *elf, uint64_t file_offset, struct model_frame *ret,
			size_t max)
{
	(void)elf, (void)file_offset, (void)ret, (void)max;
	return 0;
}

int trace_elf_has_frame(struct trace_elf *elf, uint64_t file_offset, uint32_t *ret_sp_bytes)
{
	(void)elf, (void)file_offset;
	*ret_sp_bytes = 0;
	return -ENODATA;
}
