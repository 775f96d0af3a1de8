/* SPDX-License-Identifier: MIT */
/* Settings of the system that runs have changed: restored at each start, and told by doctor. */
#include "src/cli/changed.h"

#include "src/base/json_write.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/sys/journal.h"

#include <string.h>

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

void cli_changed_recover(const char *command)
{
	struct sys_journal_outcome o;
	struct why why = {.text = ""};
	int r = sys_journal_recover(SYS_JOURNAL_DIR, &o, &why);

	if (o.n_restored)
		(void)cli_fail(
			0, "restored %u setting%s that an earlier run (pid %d) left changed: %s",
			o.n_restored, plural(o.n_restored), (int)o.pid, o.restored);
	if (o.n_left || o.n_failed)
		(void)cli_fail(0, "an earlier run (pid %d) left settings changed; not restored: %s",
			       (int)o.pid, o.other);
	if (strcmp(command, "doctor") == 0)
		return;
	if (o.n_waiting)
		(void)cli_fail(
			0,
			"an earlier run (pid %d) left settings changed; the next start as root "
			"restores them: sudo pagetoll doctor",
			(int)o.pid);
	else if (r < 0)
		(void)cli_fail(0, "in %s: %s", SYS_JOURNAL_DIR, why.text);
}

/* --- doctor ----------------------------------------------------------------------------------------- */

struct printing {
	size_t width;
	unsigned n;
};

static void print_change(void *data, const struct sys_journal_change *c)
{
	struct printing *p = data;
	char text[1024] = "";

	p->n++;
	if (!c->entry)
		text_append(text, sizeof(text), "%s", c->problem);
	else if (c->entry->kind == SYS_JOURNAL_MKDIR)
		text_append(text, sizeof(text), "%s made", c->entry->path);
	else
		text_append(text, sizeof(text), "%s is %s, was %s", c->entry->path,
			    *c->now ? c->now : "?", c->entry->before);
	if (c->entry && c->is_alive)
		text_append(text, sizeof(text), ", by a run at work, pid %d", (int)c->pid);
	else if (c->entry)
		text_append(text, sizeof(text),
			    ", by a run that is dead, pid %d: the next start of pagetoll as root "
			    "%s",
			    (int)c->pid,
			    c->entry->kind == SYS_JOURNAL_MKDIR ? "removes it" : "restores it");
	text_make_harmless(text);
	(void)printf("  ");
	option_print_folded(stdout, text, 4, 2, p->width ? p->width : 100);
}

void cli_changed_print(size_t width)
{
	struct printing p = {.width = width};

	sys_journal_list(SYS_JOURNAL_DIR, print_change, &p);
	if (p.n == 0)
		(void)puts("  none");
}

static void put_change(void *data, const struct sys_journal_change *c)
{
	struct json_writer *w = data;

	json_put_object_flat(w, NULL);
	json_put_string(w, "path", c->entry ? c->entry->path : NULL);
	json_put_string(w, "before", c->entry ? c->entry->before : NULL);
	json_put_string(w, "ours", c->entry ? c->entry->ours : NULL);
	json_put_string(w, "now", c->entry ? c->now : NULL);
	if (c->entry)
		json_put_i64(w, "pid", c->pid);
	else
		json_put_null(w, "pid");
	json_put_bool(w, "running", c->is_alive);
	json_put_string(w, "problem", c->problem);
	json_put_end_object(w);
}

void cli_changed_put(struct json_writer *w)
{
	json_put_array(w, "changed");
	sys_journal_list(SYS_JOURNAL_DIR, put_change, w);
	json_put_end_array(w);
}
