/* SPDX-License-Identifier: MIT */
/* What /proc/PID says of an address space: its mappings, where its heap begins, what is mounted. */
#include "src/trace/spaces_read.h"

#include "src/base/text.h"
#include "src/sys/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A process that does exec all the time is given up. */
enum { MAX_TRIES = 4 };

int trace_lines_open(struct trace_lines *lines, const char *path)
{
	lines->from = lines->to = 0;
	lines->cut = false;
	lines->fd = open(path, O_RDONLY | O_CLOEXEC);
	return lines->fd < 0 ? -errno : 0;
}

void trace_lines_close(struct trace_lines *lines)
{
	(void)close(lines->fd);
}

/* More text behind what is there. 1; 0 at the end, -errno. */
static int read_more(struct trace_lines *lines)
{
	ssize_t got;

	memmove(lines->text, lines->text + lines->from, lines->to - lines->from);
	lines->to -= lines->from;
	lines->from = 0;
	do
		got = read(lines->fd, lines->text + lines->to, sizeof(lines->text) - 1 - lines->to);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	lines->to += (size_t)got;
	return got > 0;
}

/* A line in the buffer; or, not whole, the beginning of one that fills it. NULL: neither. */
static char *take_line(struct trace_lines *lines, bool *ret_whole)
{
	char *line = lines->text + lines->from;
	char *end = memchr(line, '\n', lines->to - lines->from);

	if (!end && lines->to - lines->from < sizeof(lines->text) - 1)
		return NULL;
	*ret_whole = end;
	if (!end)
		end = lines->text + lines->to;
	lines->from = *ret_whole ? (size_t)(end + 1 - lines->text) : lines->to;
	*end = 0;
	return line;
}

int trace_lines_next(struct trace_lines *lines, char **ret_line)
{
	for (;;) {
		bool is_rest = lines->cut, whole;
		char *line = take_line(lines, &whole);
		int r;

		if (!line) {
			r = read_more(lines);
			if (r <= 0)
				return r; /* what has no newline is half a line */
			continue;
		}
		lines->cut = !whole;
		if (!is_rest) {
			*ret_line = line;
			return 1;
		}
	}
}

/* A number and the character behind it. */
static bool take_number(char **at, int base, char behind, uint64_t *ret)
{
	char *end;

	if (!isxdigit((unsigned char)**at))
		return false;
	errno = 0;
	*ret = strtoull(*at, &end, base);
	if (errno || *end != behind)
		return false;
	*at = end + 1;
	return true;
}

/* The kernel writes a newline in a name as \012, and nothing else so: a name that has the four characters itself cannot
 * be told from it. */
static void decode_newlines(char *name)
{
	char *out = name;

	while (*name) {
		if (strncmp(name, "\\012", 4) == 0) {
			*out++ = '\n';
			name += 4;
		} else {
			*out++ = *name++;
		}
	}
	*out = 0;
}

bool trace_maps_line(char *line, struct trace_mmap_event *ret)
{
	struct trace_mmap_event e = {.name = ""};
	uint64_t end, dev_major, dev_minor;
	char *perms;

	if (!take_number(&line, 16, '-', &e.start) || !take_number(&line, 16, ' ', &end) ||
	    end <= e.start)
		return false;
	perms = line;
	if (strnlen(perms, 5) < 5 || perms[4] != ' ')
		return false;
	line += 5;
	if (!take_number(&line, 16, ' ', &e.offset) || !take_number(&line, 16, ':', &dev_major) ||
	    !take_number(&line, 16, ' ', &dev_minor))
		return false;
	/* a space follows the inode, name or not */
	if (!take_number(&line, 10, ' ', &e.inode))
		return false;
	e.length = end - e.start;
	e.dev_major = (uint32_t)dev_major;
	e.dev_minor = (uint32_t)dev_minor;
	e.prot = (perms[0] == 'r' ? PROT_READ : 0U) | (perms[1] == 'w' ? PROT_WRITE : 0U) |
		 (perms[2] == 'x' ? PROT_EXEC : 0U);
	e.flags = perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	line += strspn(line, " ");
	decode_newlines(line);
	e.name = line;
	*ret = e;
	return true;
}

/* Whether the memory that was opened is still there: after exit or exec there is nothing to read in it. */
static bool still_there(const struct trace_lines *lines)
{
	char byte;

	return pread(lines->fd, &byte, 1, 0) == 1;
}

/* The maps of one thread. 0; -ESRCH where there are none, -EAGAIN where it ended or did exec meanwhile, other
 * negative errno. */
static int read_one(struct trace_lines *lines, const char *path,
		    const struct trace_maps_reader *reader)
{
	struct trace_mmap_event event;
	uint64_t last_end = 0;
	bool any = false;
	char *line;
	int r;

	r = trace_lines_open(lines, path);
	if (r < 0)
		return r;
	reader->begin(reader->data);
	while ((r = trace_lines_next(lines, &line)) > 0) {
		any = true;
		/* mappings may grow between two reads of the kernel, and then begin before the end
		 * of the last one */
		if (!trace_maps_line(line, &event) || event.start + event.length <= last_end)
			continue;
		if (event.start < last_end) {
			event.offset += event.inode ? last_end - event.start : 0;
			event.length -= last_end - event.start;
			event.start = last_end;
		}
		last_end = event.start + event.length;
		reader->take(reader->data, &event);
	}
	if (r == 0 && !any)
		r = -ESRCH;
	if (r == 0 && !still_there(lines))
		r = -EAGAIN;
	trace_lines_close(lines);
	return r;
}

/* A first thread that has ended while others run has no memory to show; theirs is the same. */
static int read_other_thread(struct trace_lines *lines, pid_t pid,
			     const struct trace_maps_reader *reader)
{
	char path[64 + sizeof(((struct dirent *)NULL)->d_name)];
	const struct dirent *entry;
	int r = -ESRCH, n = 0;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (r == -ESRCH && n < MAX_TRIES && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]) || atoi(entry->d_name) == pid)
			continue;
		n++;
		(void)snprintf(path, sizeof(path), "/proc/%d/task/%s/maps", (int)pid,
			       entry->d_name);
		r = read_one(lines, path, reader);
		if (r == -ENOENT || r == -EAGAIN)
			r = -ESRCH;
	}
	(void)closedir(dir);
	return r;
}

int trace_maps_read(struct trace_lines *lines, pid_t pid, const struct trace_maps_reader *reader)
{
	char path[64];
	int r = -EAGAIN;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	for (int i = 0; r == -EAGAIN && i < MAX_TRIES; i++)
		r = read_one(lines, path, reader);
	if (r == -ESRCH)
		r = read_other_thread(lines, pid, reader);
	return r == -ENOENT ? -ESRCH : r;
}

uint64_t trace_heap_start(pid_t pid)
{
	enum {
		FIELD = 47,
		FIRST_BEHIND_NAME = 3
	}; /* start_brk, proc(5); 0 where we may not know */
	char text[2048], path[64];
	const char *at;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (sys_read_text(path, text, sizeof(text)) < 0)
		return 0;
	at = strrchr(text, ')'); /* the name may have any character in it */
	for (int i = FIRST_BEHIND_NAME; at && i <= FIELD; i++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

/* "36 35 98:0 /root /point options [optional ...] - type source options" */
static const char *type_of_mount(const char *line, uint32_t dev_major, uint32_t dev_minor)
{
	unsigned got_major, got_minor;
	const char *dash = strstr(line, " - ");

	if (!dash || sscanf(line, "%*d %*d %u:%u ", &got_major, &got_minor) != 2)
		return NULL;
	return got_major == dev_major && got_minor == dev_minor ? dash + 3 : NULL;
}

int trace_filesystem(struct trace_lines *lines, pid_t pid, uint32_t dev_major, uint32_t dev_minor,
		     char *ret_type, size_t size)
{
	const char *type = NULL;
	char path[64], *line;
	int r;

	(void)snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)pid);
	r = trace_lines_open(lines, path);
	if (r < 0)
		return r;
	while (!type && (r = trace_lines_next(lines, &line)) > 0)
		type = type_of_mount(line, dev_major, dev_minor);
	if (type) {
		text_copy(ret_type, size, type);
		ret_type[strcspn(ret_type, " ")] = 0;
	}
	trace_lines_close(lines);
	return type ? 0 : r < 0 ? r : -ENOENT;
}
