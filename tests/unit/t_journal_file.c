/* SPDX-License-Identifier: MIT */
/* A journal's text is read back as written; what is damaged, newer or out of place is refused whole. */
#include "src/base/array.h"
#include "src/base/why.h"
#include "src/sys/journal_file.h"
#include "tests/tap.h"

#include <errno.h>

#define HEAD "pagetoll-journal 1\nboot\tb-o-o-t\nowner\t77\t1234\n"
#define ENTRY "write\tchanged\t/proc/sys/vm/swappiness\t60\t10\n"
#define GOOD HEAD ENTRY "end\n"

static struct sys_journal_file file;

static int parse(const char *text, struct why *why)
{
	char copy[2000];

	(void)snprintf(copy, sizeof(copy), "%s", text);
	return sys_journal_parse(copy, &file, why);
}

static void test_round_trip(void)
{
	static struct sys_journal_file written = {
		.boot_id = "b-o-o-t",
		.pid = 77,
		.start_ticks = 1234,
		.n_entries = 2,
		.entries = {{SYS_JOURNAL_WRITE, true, "/sys/kernel/mm/x y", "a b", "c"},
			    {SYS_JOURNAL_MKDIR, false, "/sys/fs/cgroup/memory/pagetoll-1", "", ""}},
	};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct why why = {.text = ""};

	if (!f)
		return;
	sys_journal_print(&written, f);
	(void)fclose(f);
	t_ok(sys_journal_parse(text, &file, &why) == 0, "what is written can be read: %s",
	     why.text);
	t_ok(memcmp(&file, &written, sizeof(file)) == 0, "and is the same");
	free(text);
}

static void test_refused(void)
{
	static const struct {
		const char *what, *text, *says;
		int r;
	} cases[] = {
		{"nothing", "", "is damaged", -EBADMSG},
		{"another file", "root:x:0\n", "is damaged", -EBADMSG},
		{"a newer version", "pagetoll-journal 2\n" ENTRY "end\n", "another version",
		 -EPROTONOSUPPORT},
		{"no owner", "pagetoll-journal 1\nboot\tb\n" ENTRY "end\n", "whose", -EBADMSG},
		{"process 0", "pagetoll-journal 1\nboot\tb\nowner\t0\t1\nend\n", "whose", -EBADMSG},
		{"a negative process", "pagetoll-journal 1\nboot\tb\nowner\t-1\t1\nend\n", "whose",
		 -EBADMSG},
		{"no end", HEAD ENTRY, "unknown kind|five|cut", -EBADMSG},
		{"an entry cut off", HEAD "write\tchanged\t/proc/sys/vm/swap", "five", -EBADMSG},
		{"an end cut off", HEAD ENTRY "en", "five", -EBADMSG},
		{"an end without newline", HEAD ENTRY "end", "end", -EBADMSG},
		{"more behind the end", GOOD ENTRY, "behind its end", -EBADMSG},
		{"an unknown kind", HEAD "exec\tchanged\t/proc/sys/x\ta\tb\nend\n", "unknown kind",
		 -EBADMSG},
		{"an unknown state", HEAD "write\tmaybe\t/proc/sys/x\ta\tb\nend\n", "unknown kind",
		 -EBADMSG},
		{"a place outside", HEAD "write\tchanged\t/etc/shadow\ta\tb\nend\n", "no setting",
		 -EPERM},
		{"outside after a good one", HEAD ENTRY "write\tchanged\t/etc/x\ta\tb\nend\n",
		 "no setting", -EPERM},
		{"a relative path", HEAD "write\tchanged\tproc/sys/x\ta\tb\nend\n", "no setting",
		 -EPERM},
		{"a way out", HEAD "write\tchanged\t/proc/sys/../../etc/x\ta\tb\nend\n",
		 "no setting", -EPERM},
		{"a way out at the end", HEAD "write\tchanged\t/sys/kernel/..\ta\tb\nend\n",
		 "no setting", -EPERM},
		{"an empty part", HEAD "write\tchanged\t/sys//kernel\ta\tb\nend\n", "no setting",
		 -EPERM},
		{"only a place", HEAD "write\tchanged\t/sys/\ta\tb\nend\n", "no setting", -EPERM},
		{"a look-alike", HEAD "write\tchanged\t/sysx/kernel\ta\tb\nend\n", "no setting",
		 -EPERM},
		{"another's directory", HEAD "mkdir\tchanged\t/sys/fs/cgroup/a/b\t\t\nend\n",
		 "not named", -EPERM},
		{"a directory elsewhere", HEAD "mkdir\tchanged\t/sys/kernel/pagetoll-1\t\t\nend\n",
		 "no setting", -EPERM},
		{"a file of a cgroup",
		 HEAD "write\tchanged\t/sys/fs/cgroup/pagetoll-x\t1\t2\nend\n", "no setting",
		 -EPERM},
		{"a control character", HEAD "write\tchanged\t/proc/sys/x\t\x1b[2J\tb\nend\n",
		 "printable", -EINVAL},
		{"no value of ours", HEAD "write\tchanged\t/proc/sys/x\ta\t\nend\n", "missing",
		 -EINVAL},
	};
	struct why why;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int r = parse(cases[i].text, &why);

		t_ok(r == cases[i].r && file.n_entries == 0, "%s is refused (%d): %s",
		     cases[i].what, r, why.text);
		if (!strchr(cases[i].says, '|'))
			t_contains(why.text, cases[i].says, "and it is said why");
	}
	t_ok(parse(GOOD, &why) == 0 && file.n_entries == 1, "the same without a fault is taken");
}

/* However it is cut, no part of a journal is taken for a whole one. */
static void test_cuts(void)
{
	char text[] = GOOD;
	size_t n_taken = 0;
	struct why why;

	for (size_t n = sizeof(text) - 2; n > 0; n--) {
		text[n] = 0;
		n_taken += parse(text, &why) == 0;
	}
	t_is_u64(n_taken, 0, "no beginning of a journal is taken");
}

static void test_too_much(void)
{
	size_t size = 1 << 17;
	char *text = malloc(size);
	struct why why;

	if (!text)
		return;
	(void)snprintf(text, size, "%s", HEAD);
	for (int i = 0; i <= SYS_JOURNAL_MAX_ENTRIES; i++)
		strcat(text, ENTRY); /* NOLINT: far from the size */
	strcat(text, "end\n");
	t_is_i64(sys_journal_parse(text, &file, &why), -EBADMSG, "too many entries are refused");
	(void)snprintf(text, size, HEAD "write\tchanged\t/sys/%0*d\ta\tb\nend\n", SYS_JOURNAL_PATH,
		       0);
	t_is_i64(sys_journal_parse(text, &file, &why), -EBADMSG, "a path too long is refused");
	(void)snprintf(text, size, HEAD "write\tchanged\t/sys/a\t%0*d\tb\nend\n", SYS_JOURNAL_VALUE,
		       0);
	t_is_i64(sys_journal_parse(text, &file, &why), -EBADMSG, "a value too long is refused");
	free(text);
}

int main(void)
{
	test_round_trip();
	test_refused();
	test_cuts();
	test_too_much();
	return t_done();
}
