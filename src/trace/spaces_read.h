/* SPDX-License-Identifier: MIT */
/* What /proc/PID says of an address space: its mappings, where its heap begins, what is mounted. */
#ifndef TRACE_SPACES_READ_H
#define TRACE_SPACES_READ_H

#include "src/trace/spaces.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Lines of a file, whatever their length, in memory of one size. */
struct trace_lines {
	int fd;
	size_t from, to; /* text that was read and not handed out */
	bool cut;        /* the rest of a line is still to be skipped */
	char text[32768];
};

/* Opens path. 0 or negative errno. */
int trace_lines_open(struct trace_lines *lines, const char *path);

/* The next line without its newline, to be changed at will until the next call; of a line longer than the buffer its
 * beginning. 1; 0 at the end, -errno. */
int trace_lines_next(struct trace_lines *lines, char **ret_line);

void trace_lines_close(struct trace_lines *lines);

/* A line of /proc/PID/maps as an MMAP2 record would say it, name and all; the name lies in line. False: it is
 * none. */
bool trace_maps_line(char *line, struct trace_mmap_event *ret);

/*
 * Hands out the mappings of a process in ascending order, without overlaps. begin is called before the first of
 * them, and again where the process did exec meanwhile and all begins anew. 0; -ESRCH where it is gone or has no
 * memory; -EACCES where it is another's; other negative errno.
 */
struct trace_maps_reader {
	void (*begin)(void *data);
	void (*take)(void *data, const struct trace_mmap_event *event);
	void *data;
};
int trace_maps_read(struct trace_lines *lines, pid_t pid, const struct trace_maps_reader *reader);

/* Where brk memory begins. 0: not known, or not for us. */
uint64_t trace_heap_start(pid_t pid);

/* The type of the filesystem with a device number, as /proc/PID/mountinfo has it. No path is walked, since that could
 * wait for a server that is gone. 0, -ENOENT where it is not mounted, other negative errno. */
int trace_filesystem(struct trace_lines *lines, pid_t pid, uint32_t dev_major, uint32_t dev_minor,
		     char *ret_type, size_t size);

#endif
