/* SPDX-License-Identifier: MIT */
/* What is known of the code in ELF files where pagetoll was built without libdw: nothing. */
#include "src/trace/symbols_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct trace_elf {
	char unused;
};

struct trace_elf *trace_elf_new(int fd, const char *path)
{
	(void)path;
	(void)close(fd);
	return calloc(1, sizeof(struct trace_elf));
}

void trace_elf_free(struct trace_elf *elf)
{
	free(elf);
}

size_t trace_elf_frames(struct trace_elf *elf, uint64_t file_offset, struct model_frame *ret,
			size_t max)
{
	(void)elf, (void)file_offset, (void)ret, (void)max;
	return 0;
}

int trace_elf_has_frame(struct trace_elf *elf, uint64_t file_offset)
{
	(void)elf, (void)file_offset;
	return -ENODATA;
}
