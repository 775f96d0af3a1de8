/* SPDX-License-Identifier: MIT */
/* Functions that JIT compilers made, as their perf-PID.map tells them. */
#include "src/base/array.h"
#include "src/base/text.h"
#include "src/sys/clock.h"
#include "src/sys/file.h"
#include "src/trace/symbols_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A map grows for as long as its process runs, and code moves: where it is too long its end counts. Most maps
 * have a few MiB. A large one is read for a twentieth of the time at most.
 */
enum {
	MAX_MAPS = 8,
	MAX_TEXT_BYTES = 16 << 20,
	MAX_FUNCTIONS = 1 << 18,
	MAX_STEPS = 1000,
	LARGE_BYTES = 1 << 20,
	READ_SHARE = 20,
};

struct function {
	uint64_t start, last; /* last: its last byte */
	uint64_t reach;       /* the largest last of this function and those before it */
	uint32_t line;        /* later lines are of newer code */
	uint32_t name;        /* in text */
};

struct map {
	pid_t pid; /* 0: free */
	bool has_owner;
	uid_t owner;
	struct stat read; /* as it was when it was read; st_ino 0: never */
	uint64_t not_before_ns, used;
	char *text;
	struct function *functions;
	size_t n_functions;
};

struct trace_jit {
	struct map maps[MAX_MAPS];
	uint64_t n_uses;
};

struct trace_jit *trace_jit_new(void)
{
	return calloc(1, sizeof(struct trace_jit));
}

static void drop_functions(struct map *map)
{
	free(map->text);
	free(map->functions);
	map->text = NULL;
	map->functions = NULL;
	map->n_functions = 0;
}

void trace_jit_free(struct trace_jit *jit)
{
	if (!jit)
		return;
	for (size_t i = 0; i < MAX_MAPS; i++)
		drop_functions(&jit->maps[i]);
	free(jit);
}

/* --- the text -------------------------------------------------------------------------------------- */

/* "0x" is optional. Moves *p behind the number. */
static bool parse_hex(const char **p, uint64_t *ret)
{
	const char *s = *p;
	char *end;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	if (!strchr("0123456789abcdefABCDEF", *s) || !*s) /* strtoull takes signs and blanks */
		return false;
	errno = 0;
	*ret = strtoull(s, &end, 16);
	*p = end;
	return errno == 0;
}

/* "START SIZE NAME", the numbers in hexadecimal. */
static bool parse_line(const char *line, const char *text, struct function *ret)
{
	const char *p = line;
	uint64_t size;

	if (!parse_hex(&p, &ret->start) || *p++ != ' ')
		return false;
	p += strspn(p, " ");
	if (!parse_hex(&p, &size) || *p++ != ' ')
		return false;
	p += strspn(p, " ");
	if (!*p || size == 0 || __builtin_add_overflow(ret->start, size - 1, &ret->last))
		return false;
	ret->name = (uint32_t)(p - text);
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct function *f = a, *g = b;

	if (f->start != g->start)
		return f->start < g->start ? -1 : 1;
	return f->line < g->line ? -1 : f->line > g->line;
}

/* Whole lines only: the last one may still be being written. 0 or -ENOMEM. */
static int parse_text(struct map *map, size_t n_bytes, bool skip_first)
{
	char *line = map->text, *end = map->text + n_bytes, *newline;

	for (uint32_t i = 0; line < end && map->n_functions < MAX_FUNCTIONS; line = newline + 1) {
		struct function *grown, function = {.line = i++};

		newline = memchr(line, '\n', (size_t)(end - line));
		if (!newline)
			break;
		*newline = 0;
		if ((skip_first && function.line == 0) || !parse_line(line, map->text, &function))
			continue;
		grown = array_grow(map->functions, map->n_functions, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		map->functions = grown;
		map->functions[map->n_functions++] = function;
	}
	if (map->n_functions)
		qsort(map->functions, map->n_functions, sizeof(*map->functions), by_start);
	for (size_t i = 0; i < map->n_functions; i++) {
		struct function *f = &map->functions[i];

		f->reach = i && f[-1].reach > f->last ? f[-1].reach : f->last;
	}
	return 0;
}

/* --- the file -------------------------------------------------------------------------------------- */

/* The number that a process has in its own namespace of processes, which names its map there. */
static pid_t own_pid(pid_t pid)
{
	char path[64], text[8192];
	const char *line, *last;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (sys_read_text(path, text, sizeof(text)) < 0)
		return pid;
	line = strstr(text, "\nNSpid:");
	if (!line)
		return pid;
	line += strlen("\nNSpid:");
	last = line + strcspn(line, "\n");
	while (last > line && last[-1] != '\t' && last[-1] != ' ')
		last--;
	return (pid_t)strtol(last, NULL, 10);
}

/* Everybody may write to /tmp: a map counts where root, we or the process's owner made it. */
static bool is_trusted(const struct map *map, const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid() ||
	       (map->has_owner && st->st_uid == map->owner);
}

static int open_map(struct map *map, struct stat *ret)
{
	char paths[2][96];
	struct stat process;
	int fd = -ENOENT;

	(void)snprintf(paths[0], sizeof(paths[0]), "/proc/%d", (int)map->pid);
	if (!map->has_owner && stat(paths[0], &process) == 0) {
		map->has_owner = true;
		map->owner = process.st_uid;
	}
	(void)snprintf(paths[0], sizeof(paths[0]), "/proc/%d/root/tmp/perf-%d.map", (int)map->pid,
		       (int)own_pid(map->pid));
	(void)snprintf(paths[1], sizeof(paths[1]), "/tmp/perf-%d.map", (int)map->pid);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		fd = trace_file_open(paths[i], O_NOFOLLOW, ret);
		if (fd >= 0 && is_trusted(map, ret))
			return fd;
		if (fd >= 0) {
			(void)close(fd);
			fd = -EPERM;
		}
	}
	return fd;
}

static size_t read_at(int fd, char *text, size_t n_bytes, off_t offset)
{
	size_t done = 0;

	while (done < n_bytes) {
		ssize_t n = pread(fd, text + done, n_bytes - done, offset + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* What the file says now takes the place of what it said. */
static void read_text(struct map *map, int fd, const struct stat *st)
{
	uint64_t begun_ns = sys_now_ns();
	bool is_cut = st->st_size > MAX_TEXT_BYTES;
	size_t n_bytes = is_cut ? MAX_TEXT_BYTES : (size_t)st->st_size;

	drop_functions(map);
	map->read = *st;
	map->text = malloc(n_bytes + 1);
	if (!map->text)
		return;
	n_bytes = read_at(fd, map->text, n_bytes, is_cut ? st->st_size - MAX_TEXT_BYTES : 0);
	map->text[n_bytes] = 0;
	if (parse_text(map, n_bytes, is_cut) < 0)
		drop_functions(map);
	map->not_before_ns = 0;
	if (n_bytes > LARGE_BYTES)
		map->not_before_ns = sys_now_ns() + READ_SHARE * (sys_now_ns() - begun_ns);
}

/* True where something new was read. */
static bool reread(struct map *map)
{
	struct stat st;
	bool changed;
	int fd;

	if (map->not_before_ns && sys_now_ns() < map->not_before_ns)
		return false;
	fd = open_map(map, &st);
	if (fd < 0)
		return false;
	changed = !is_same(&st, &map->read);
	if (changed)
		read_text(map, fd, &st);
	(void)close(fd);
	return changed;
}

/* --- looking up -------------------------------------------------------------------------------------- */

/* The map of a process; where there is no room, that takes the place of the one not asked for longest. */
static struct map *map_of(struct trace_jit *jit, pid_t pid)
{
	struct map *map = &jit->maps[0];

	for (size_t i = 0; i < MAX_MAPS; i++) {
		if (jit->maps[i].pid == pid) {
			map = &jit->maps[i];
			break;
		}
		if (jit->maps[i].used < map->used)
			map = &jit->maps[i];
	}
	if (map->pid != pid) {
		drop_functions(map);
		*map = (struct map){.pid = pid};
	}
	map->used = ++jit->n_uses;
	return map;
}

/* The newest function at the address: memory of dead code is used again. */
static const char *find_in(const struct map *map, uint64_t address)
{
	const struct function *newest = NULL;
	size_t lo = 0, hi = map->n_functions;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (map->functions[middle].start <= address)
			lo = middle + 1;
		else
			hi = middle;
	}
	for (size_t steps = 0; lo > 0 && steps < MAX_STEPS; steps++) {
		const struct function *f = &map->functions[--lo];

		if (f->reach < address)
			break;
		if (f->last >= address && (!newest || f->line > newest->line))
			newest = f;
	}
	return newest ? map->text + newest->name : NULL;
}

const char *trace_jit_find(struct trace_jit *jit, pid_t pid, uint64_t address)
{
	struct map *map = map_of(jit, pid);
	const char *name = find_in(map, address);

	if (!name && reread(map))
		name = find_in(map, address);
	return name;
}
