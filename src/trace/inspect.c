/* SPDX-License-Identifier: MIT */
/* A running process as it is now, out of /proc. */
#include "src/trace/inspect.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/why.h"
#include "src/sys/file.h"
#include "src/sys/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

enum { KIB = 1024, LINE = 8192, FILE_TEXT = 1 << 14 };

/* Reads /proc/PID/NAME. Length, or negative errno. */
static long read_file(pid_t pid, const char *name, char *ret_text, size_t size)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return sys_read_text(path, ret_text, size);
}

/* --- figures --------------------------------------------------------------------------------------------------- */

static const struct {
	const char *key;
	size_t offset;
	int64_t factor;
} status_rows[] = {
	{"Threads", offsetof(struct model_process, n_threads), 1},
	{"VmRSS", offsetof(struct model_process, rss_bytes), KIB},
	{"VmHWM", offsetof(struct model_process, most_rss_bytes), KIB},
	{"VmSwap", offsetof(struct model_process, swap_bytes), KIB},
	{"VmLck", offsetof(struct model_process, locked_bytes), KIB},
	{"VmPTE", offsetof(struct model_process, page_table_bytes), KIB},
};

static void read_status(struct model_process *p, const char *text)
{
	uint64_t value;

	for (size_t i = 0; i < ARRAY_LEN(status_rows); i++)
		if (sys_find_u64(text, status_rows[i].key, &value) == 0)
			*(int64_t *)((char *)p + status_rows[i].offset) =
				(int64_t)value * status_rows[i].factor;
	p->thp_disabled = sys_find_u64(text, "THP_enabled", &value) == 0 && value == 0;
}

/* The name is in parentheses and can hold anything; faults are fields 10 and 12. */
static void read_faults(struct model_process *p)
{
	char text[1024];
	const char *rest;

	if (read_file(p->pid, "stat", text, sizeof(text)) <= 0)
		return;
	rest = strrchr(text, ')');
	if (rest)
		(void)sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %" SCNd64 " %*u %" SCNd64,
			     &p->n_minor, &p->n_major);
}

/* Words end with a zero each. */
static void read_command(struct model_process *p)
{
	long n = read_file(p->pid, "cmdline", p->command, sizeof(p->command));

	for (long i = 0; i + 1 < n; i++)
		if (p->command[i] == 0)
			p->command[i] = ' ';
	text_make_harmless(p->command);
	if (read_file(p->pid, "comm", p->comm, sizeof(p->comm)) > 0)
		text_make_harmless(p->comm);
}

static int64_t limit(pid_t pid, int resource)
{
	struct rlimit r;

	if (prlimit(pid, resource, NULL, &r) < 0 || r.rlim_cur == RLIM_INFINITY ||
	    r.rlim_cur > INT64_MAX)
		return -1;
	return (int64_t)r.rlim_cur;
}

static void read_figures(struct model_process *p)
{
	char text[FILE_TEXT];
	uint64_t value;

	if (read_file(p->pid, "status", text, sizeof(text)) > 0)
		read_status(p, text);
	if (read_file(p->pid, "io", text, sizeof(text)) > 0 &&
	    sys_find_u64(text, "read_bytes", &value) == 0)
		p->read_bytes = (int64_t)value;
	read_command(p);
	read_faults(p);
	p->memlock_limit_bytes = sys_memory_lock_limit(p->pid);
	p->stack_limit_bytes = limit(p->pid, RLIMIT_STACK);
}

/* --- nodes --------------------------------------------------------------------------------------------------------- */

/* " N0=12 N1=3": the node with the most pages. */
static void find_node(const char *line, char *ret, size_t size)
{
	unsigned long long most = 0, pages;
	unsigned node;

	for (const char *at = strstr(line, " N"); at; at = strstr(at + 1, " N"))
		if (sscanf(at, " N%u=%llu", &node, &pages) == 2 && pages > most) {
			most = pages;
			(void)snprintf(ret, size, "%u", node);
		}
}

/* Both files list mappings in the order of addresses. */
static void read_nodes(struct model_inspect *doc)
{
	char path[64], line[LINE];
	uint64_t start;
	size_t i = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/numa_maps", (int)doc->process.pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 " ", &start) != 1)
			continue;
		while (i < doc->n_rows && doc->rows[i].mapping.start < start)
			i++;
		if (i < doc->n_rows && doc->rows[i].mapping.start == start)
			find_node(line, doc->rows[i].node, sizeof(doc->rows[i].node));
	}
	(void)fclose(f);
}

/* --- all of it ----------------------------------------------------------------------------------------------------- */

static void take_mapping(void *data, const struct sys_mapping *m)
{
	model_inspect_add(data, m);
}

int trace_inspect(pid_t pid, struct model_inspect *doc, struct why *why)
{
	int r;

	doc->process.pid = pid;
	if (kill(pid, 0) < 0 && errno == ESRCH)
		return why_set(why, -ESRCH, "there is no process %d", (int)pid);
	r = sys_smaps_walk(pid, take_mapping, doc, why);
	if (r == -EACCES || r == -EPERM)
		return why_set(why, -EACCES,
			       "process %d is somebody else's: inspect it as its user, or by sudo",
			       (int)pid);
	if (r == -ENOENT)
		return why_set(why, r,
			       "process %d has no memory: it is a kernel thread, or has ended",
			       (int)pid);
	if (r < 0)
		return r;
	read_figures(&doc->process);
	read_nodes(doc);
	return 0;
}
