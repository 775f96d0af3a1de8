/* SPDX-License-Identifier: MIT */
/*
 * Settings changed behind the journal are restored whatever happens: killed at every system call, and at
 * random moments (t_journal N: that many); and nothing but what a run of ours has changed ever is.
 */
#include "src/base/array.h"
#include "src/base/why.h"
#include "src/sys/file.h"
#include "src/sys/journal.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SWAPPINESS "/proc/sys/vm/swappiness"
#define SCAN_SLEEP "/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs"
#define DEFRAG "/sys/kernel/mm/transparent_hugepage/defrag" /* a word in brackets */

/* Each with two values that are not its usual one. */
static struct setting {
	const char *path, *a, *b;
	char before[64];
} settings[] = {
	{SWAPPINESS, "11", "12", ""},
	{SCAN_SLEEP, "10011", "10012", ""},
	{DEFRAG, "defer+madvise", "defer", ""},
};

static char dir[PATH_MAX]; /* the journals' */

static void now(const char *path, char *ret, size_t size)
{
	char text[128] = "";

	(void)sys_read_text(path, text, sizeof(text));
	sys_bracketed(text, ret, size);
}

/* As somebody else would. */
static void put(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	(void)!write(fd, value, strlen(value));
	(void)close(fd);
}

static bool all_as_before(void)
{
	char value[64];
	bool good = true;

	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		now(settings[i].path, value, sizeof(value));
		if (strcmp(value, settings[i].before) != 0)
			t_note("%s is %s, was %s", settings[i].path, value, settings[i].before);
		good = good && strcmp(value, settings[i].before) == 0;
	}
	return good;
}

static void count_change(void *data, const struct sys_journal_change *change)
{
	(void)change;
	++*(unsigned *)data;
}

static unsigned n_listed(void)
{
	unsigned n = 0;

	sys_journal_list(dir, count_change, &n);
	return n;
}

static const char *in_dir(const char *name)
{
	static char path[PATH_MAX + 64];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* --- killed -------------------------------------------------------------------------------------- */

static int set_all(struct sys_journal *j, bool b, struct why *why)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_LEN(settings) && r == 0; i++)
		r = sys_journal_set(j, settings[i].path, b ? settings[i].b : settings[i].a, why);
	return r;
}

/* One run: every setting to one value, then to another. */
static int run_once(void)
{
	struct sys_journal_outcome outcome;
	struct sys_journal *j;
	struct why why;

	return sys_journal_open(dir, &j, &why) < 0 || set_all(j, false, &why) < 0 ||
	       set_all(j, true, &why) < 0 || sys_journal_close(j, &outcome, &why) < 0;
}

static int run_on(void)
{
	while (run_once() == 0)
		;
	return 1;
}

/* Leaves everything changed, as a killed run does. */
static int run_and_leave(void)
{
	struct sys_journal *j;
	struct why why;

	return sys_journal_open(dir, &j, &why) < 0 || set_all(j, false, &why) < 0;
}

static int recover_once(void)
{
	struct sys_journal_outcome outcome;

	return sys_journal_recover(dir, &outcome, NULL) < 0;
}

/* What a later start makes of it. Whether nothing is left. */
static bool recovers(unsigned *n_restored)
{
	struct sys_journal_outcome outcome;
	struct why why = {.text = ""};
	int r = sys_journal_recover(dir, &outcome, &why);

	*n_restored += outcome.n_restored;
	if (r < 0 || outcome.n_left || outcome.n_failed)
		t_note("%s; %s", why.text, outcome.other);
	return r == 0 && outcome.n_left == 0 && outcome.n_failed == 0 && all_as_before() &&
	       n_listed() == 0;
}

static int in_child(int (*work)(void))
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0)
		_exit(work());
	(void)waitpid(pid, &status, 0);
	return status;
}

enum traced { TRACED_KILLED, TRACED_ENDED, TRACED_BROKEN };

/* Does the work in a process that is killed as it is about to make its n-th system call. */
static enum traced kill_at(int (*work)(void), unsigned n)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(99);
		(void)raise(SIGSTOP);
		_exit(work());
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return TRACED_BROKEN;
	for (unsigned i = 0; i < 2 * n - 1; i++) { /* it stops when it enters and when it leaves */
		if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) < 0 || waitpid(pid, &status, 0) != pid)
			return TRACED_BROKEN;
		if (!WIFSTOPPED(status))
			return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? TRACED_ENDED
									     : TRACED_BROKEN;
	}
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
	return TRACED_KILLED;
}

static void test_every_call(const char *what, int (*before)(void), int (*work)(void))
{
	enum traced end = TRACED_KILLED;
	unsigned n = 0, n_bad = 0, n_restored = 0;

	while (end == TRACED_KILLED) {
		if (before)
			(void)in_child(before);
		end = kill_at(work, ++n);
		n_bad += !recovers(&n_restored);
	}
	t_ok(end == TRACED_ENDED && n > 20, "%s can be killed at each of %u system calls", what,
	     n - 1);
	t_ok(n_bad == 0, "and no setting is left after any of them (%u times one was)", n_bad);
	t_ok(n_restored > n / 4, "of which a later start restored some: %u", n_restored);
}

static void test_random_moments(unsigned n)
{
	unsigned seed = 1, n_bad = 0, n_restored = 0;

	for (unsigned i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(run_on());
		(void)usleep((useconds_t)rand_r(&seed) % 20000);
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
		n_bad += !recovers(&n_restored);
	}
	t_ok(n_bad == 0, "%u times killed at a random moment: settings left %u times", n, n_bad);
	t_ok(n_restored > 0, "and %u had to be restored", n_restored);
}

/* --- a run --------------------------------------------------------------------------------------- */

static struct sys_journal *must_open(void)
{
	struct sys_journal *j = NULL;
	struct why why = {.text = ""};

	if (sys_journal_open(dir, &j, &why) < 0)
		t_note("%s", why.text);
	return j;
}

static void test_run(void)
{
	struct sys_journal_outcome outcome;
	struct sys_journal *j = must_open();
	struct why why = {.text = ""};
	char value[64];

	t_ok(j && set_all(j, false, &why) == 0 && set_all(j, true, &why) == 0,
	     "settings change: %s", why.text);
	if (!j)
		return;
	now(DEFRAG, value, sizeof(value));
	t_is_str(value, "defer", "to what was asked for");
	t_is_u64(n_listed(), ARRAY_LEN(settings), "and are listed while they are");
	t_ok(sys_journal_close(j, &outcome, &why) == 0 && outcome.n_restored == ARRAY_LEN(settings),
	     "the end restores them: %u, %s", outcome.n_restored, outcome.restored);
	t_contains(outcome.restored, DEFRAG, "and names them");
	t_ok(all_as_before() && n_listed() == 0, "nothing is left");
}

static void test_does_not_take(void)
{
	static const struct {
		const char *path, *value, *says;
	} cases[] = {
		{SWAPPINESS, "9999", "cannot write '9999' to " SWAPPINESS ": Invalid argument"},
		{SWAPPINESS, "011", "took no effect: '011' was written, and it reads '9'"},
		{DEFRAG, "sometimes", "cannot write"},
		{"/proc/sys/vm/nonsense", "1", "No such file"},
		{"/proc/sys/kernel/cap_last_cap", "1", "cannot"},
		{"/etc/pagetoll-nonsense", "1", "no setting that pagetoll may change"},
		{"/proc/sys/vm/../vm/swappiness", "1", "no setting that pagetoll may change"},
	};
	struct sys_journal_outcome outcome;
	struct sys_journal *j = must_open();
	struct why why;

	for (size_t i = 0; i < ARRAY_LEN(cases) && j; i++) {
		why.text[0] = 0;
		t_ok(sys_journal_set(j, cases[i].path, cases[i].value, &why) < 0 && all_as_before(),
		     "'%s' in %s is an error and undone", cases[i].value, cases[i].path);
		t_contains(why.text, cases[i].says, "with a sentence");
	}
	t_ok(sys_journal_close(j, &outcome, &why) == 0 && outcome.n_restored == 0,
	     "there is nothing to restore");
}

static void test_somebody_else(void)
{
	struct sys_journal_outcome outcome;
	struct sys_journal *j = must_open();
	struct why why = {.text = ""};
	char value[64];

	if (!j || set_all(j, false, &why) < 0) {
		t_ok(false, "settings change: %s", why.text);
		return;
	}
	put(SWAPPINESS, "33");
	t_is_i64(sys_journal_set(j, SWAPPINESS, "12", &why), -EBUSY, "the next change is refused");
	t_contains(why.text, "somebody else", "and says why");
	t_is_u64(sys_journal_close(j, &outcome, &why) == 0 ? outcome.n_left : 99, 1,
		 "the end leaves what somebody else has set");
	t_contains(outcome.other, "33", "and says so");
	now(SWAPPINESS, value, sizeof(value));
	t_is_str(value, "33", "so it stays");
	put(SWAPPINESS, settings[0].before);
	t_ok(all_as_before() && n_listed() == 0, "the others are restored");

	t_is_i64(in_child(run_and_leave), 0, "the same of a run that is killed");
	put(SWAPPINESS, "33");
	t_ok(sys_journal_recover(dir, &outcome, &why) == 0 && outcome.n_left == 1 &&
		     outcome.n_restored == ARRAY_LEN(settings) - 1,
	     "a later start leaves it, too: %s", outcome.other);
	now(SWAPPINESS, value, sizeof(value));
	t_is_str(value, "33", "so it stays");
	put(SWAPPINESS, settings[0].before);
	t_ok(all_as_before() && n_listed() == 0, "the others are restored");
}

static void test_one_at_a_time(void)
{
	struct sys_journal_outcome outcome;
	struct sys_journal *j = must_open(), *second = NULL;
	struct why why = {.text = ""};
	char pid[32];
	int r;

	(void)snprintf(pid, sizeof(pid), "(pid %d)", (int)getpid());
	if (!j || set_all(j, false, &why) < 0) {
		t_ok(false, "settings change: %s", why.text);
		return;
	}
	t_is_i64(sys_journal_open(dir, &second, &why), -EBUSY, "a second run is refused");
	t_contains(why.text, pid, "with the pid of the first");
	r = sys_journal_recover(dir, &outcome, &why);
	t_ok(r == 0 && outcome.n_restored == 0, "another start leaves a live run's settings alone");
	t_ok(unlink(in_dir("lock")) == 0 && sys_journal_recover(dir, &outcome, &why) == 0 &&
		     outcome.n_restored == 0,
	     "even where somebody has removed the lock");
	t_ok(sys_journal_close(j, &outcome, &why) == 0 && outcome.n_restored > 0 && all_as_before(),
	     "the run restores them itself");
}

static const char *find_cgroup(void)
{
	static char path[128];
	const char *root = access("/sys/fs/cgroup/memory", F_OK) == 0 ? "/sys/fs/cgroup/memory"
								      : "/sys/fs/cgroup";

	(void)snprintf(path, sizeof(path), "%s/pagetoll-t_journal-%d", root, (int)getpid());
	if (mkdir(path, 0755) < 0)
		return NULL;
	(void)rmdir(path);
	return path;
}

static void test_directory(void)
{
	const char *group = find_cgroup();
	struct sys_journal_outcome outcome;
	struct sys_journal *j;
	struct why why = {.text = ""};

	if (!group) {
		t_skip(4, "needs to make a cgroup: refused, or no hierarchy in /sys/fs/cgroup");
		return;
	}
	j = must_open();
	t_ok(j && sys_journal_mkdir(j, group, &why) == 0 && access(group, F_OK) == 0,
	     "a cgroup is made: %s", why.text);
	t_is_u64(n_listed(), 1, "and listed");
	t_ok(j && sys_journal_mkdir(j, "/tmp/pagetoll-x", &why) < 0, "but none elsewhere: %s",
	     why.text);
	t_ok(sys_journal_close(j, &outcome, &why) == 0 && access(group, F_OK) < 0,
	     "and gone at the end: %s", why.text);
}

/* --- values that are more than a word ------------------------------------------------------------- */

#define DOMAIN "/proc/sys/kernel/domainname" /* any text; each UTS namespace has its own */
#define PORTS \
	"/proc/sys/net/ipv4/ip_local_port_range" /* two numbers and a tab; each net has its own */

static const struct line {
	const char *path, *before, *during;
} lines[] = {
	{DOMAIN, " a  [b]  c ", "x"},     /* /proc/sys has no lists of choices: brackets are text */
	{DOMAIN, "a  [b] c", "a [b]  c"}, /* alike but for the blanks, and yet to be put back */
	{DOMAIN, "x", "y [z]"},
	{PORTS, "20000\t30000", "20001  30001"},
};
static const struct line *line;

static bool is_line(const char *path, const char *expected)
{
	char text[128] = "";

	(void)sys_read_text(path, text, sizeof(text));
	text[strcspn(text, "\n")] = 0;
	if (strcmp(text, expected) != 0)
		t_note("%s is '%s', not '%s'", path, text, expected);
	return strcmp(text, expected) == 0;
}

/* Leaves it changed, as a killed run does. */
static int leave_line(void)
{
	struct sys_journal *j;
	struct why why;

	return sys_journal_open(dir, &j, &why) < 0 ||
	       sys_journal_set(j, line->path, line->during, &why) < 0 ||
	       is_line(line->path, line->before);
}

static int run_line(void)
{
	struct sys_journal_outcome outcome;
	struct sys_journal *j;
	struct why why;

	return sys_journal_open(dir, &j, &why) < 0 ||
	       sys_journal_set(j, line->path, line->during, &why) < 0 ||
	       sys_journal_close(j, &outcome, &why) < 0;
}

enum { LINE_GOOD, LINE_BAD, LINE_NO_NAMESPACE };

static int change_line(void)
{
	if (unshare(CLONE_NEWUTS | CLONE_NEWNET) < 0)
		return LINE_NO_NAMESPACE;
	put(line->path, line->before);
	if (run_line() != 0 || !is_line(line->path, line->before))
		return LINE_BAD;
	if (in_child(leave_line) != 0 || recover_once() != 0)
		return LINE_BAD;
	return is_line(line->path, line->before) ? LINE_GOOD : LINE_BAD;
}

/* A tab in a text cannot be kept: better no change than another value put back. */
static int change_tabbed(void)
{
	struct sys_journal_outcome outcome;
	struct sys_journal *j;
	struct why why;
	int r;

	if (unshare(CLONE_NEWUTS) < 0)
		return LINE_NO_NAMESPACE;
	put(DOMAIN, "a\tb");
	if (sys_journal_open(dir, &j, &why) < 0)
		return LINE_BAD;
	r = sys_journal_set(j, DOMAIN, "x", &why);
	(void)sys_journal_close(j, &outcome, NULL);
	return r == -EINVAL && is_line(DOMAIN, "a\tb") ? LINE_GOOD : LINE_BAD;
}

static void line_ok(int (*work)(void), const char *what)
{
	int status = in_child(work);

	if (WIFEXITED(status) && WEXITSTATUS(status) == LINE_NO_NAMESPACE)
		t_skip(1, "needs namespaces of its own for %s: refused", what);
	else
		t_is_i64(status, LINE_GOOD, "'%s'", what);
}

static void test_lines(void)
{
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		line = &lines[i];
		line_ok(change_line, lines[i].before);
	}
	line_ok(change_tabbed, "a text with a tab");
}

/* --- journals that are none of ours -------------------------------------------------------------- */

static char boot_id[64];

struct forged {
	const char *what;
	const char *head, *boot, *path, *end; /* NULL: as in a real one */
	int pid;
	uid_t uid;
	mode_t mode;
	bool is_link, is_believed;
};

static void forge(const struct forged *c, const char *name)
{
	FILE *f = fopen(in_dir(c->is_link ? "elsewhere" : name), "we");

	if (!f)
		return;
	(void)fprintf(f, "%s\nboot\t%s\nowner\t%d\t1\nwrite\tchanged\t%s\t77\t%s\n%s",
		      c->head ? c->head : "pagetoll-journal 1", c->boot ? c->boot : boot_id, c->pid,
		      c->path ? c->path : SWAPPINESS, settings[0].before,
		      c->end ? c->end : "end\n");
	(void)fchmod(fileno(f), c->mode ? c->mode : 0644);
	(void)!fchown(fileno(f), c->uid, 0);
	(void)fclose(f);
	if (c->is_link)
		(void)!symlink("elsewhere", in_dir(name));
}

/* Each says that swappiness was 77 and is ours. */
static void test_forged(void)
{
	const struct forged cases[] = {
		{.what = "root's own, of a dead run", .pid = INT_MAX, .is_believed = true},
		{.what = "its pid used again", .pid = getpid(), .is_believed = true},
		{.what = "another user's", .pid = INT_MAX, .uid = 65534},
		{.what = "writable by a group", .pid = INT_MAX, .mode = 0664},
		{.what = "writable by all", .pid = INT_MAX, .mode = 0646},
		{.what = "a link", .pid = INT_MAX, .is_link = true},
		{.what = "a newer version's", .pid = INT_MAX, .head = "pagetoll-journal 2"},
		{.what = "cut off", .pid = INT_MAX, .end = ""},
		{.what = "cut off in its end", .pid = INT_MAX, .end = "en"},
		{.what = "with a second entry outside",
		 .pid = INT_MAX,
		 .end = "write\tchanged\t/etc/passwd\ta\tb\nend\n"},
		{.what = "another boot's", .pid = INT_MAX, .boot = "other"},
		{.what = "a path with a way out",
		 .pid = INT_MAX,
		 .path = "/proc/sys/vm/../vm/swappiness"},
	};
	struct sys_journal_outcome outcome;
	char value[64];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct why why = {.text = ""};

		forge(&cases[i], "forged.journal");
		(void)sys_journal_recover(dir, &outcome, &why);
		now(SWAPPINESS, value, sizeof(value));
		t_is_str(value, cases[i].is_believed ? "77" : settings[0].before, "%s: %s",
			 cases[i].what, why.text);
		put(SWAPPINESS, settings[0].before);
		(void)unlink(in_dir("forged.journal"));
	}
}

static void test_untrusted_dir(void)
{
	const struct forged real = {.pid = INT_MAX};
	struct sys_journal_outcome outcome;
	struct sys_journal *j = NULL;
	struct why why = {.text = ""};

	forge(&real, "forged.journal");
	(void)chmod(dir, 0777);
	t_is_i64(sys_journal_recover(dir, &outcome, &why), -EPERM,
		 "a directory that others can write to is not believed");
	t_contains(why.text, "not root's alone", "and it is said why");
	t_is_i64(sys_journal_open(dir, &j, &why), -EPERM, "nor used");
	(void)chmod(dir, 0755);
	(void)!chown(dir, 65534, 0);
	t_is_i64(sys_journal_recover(dir, &outcome, &why), -EPERM, "nor another user's");
	(void)!chown(dir, 0, 0);
	t_ok(all_as_before(), "nothing was changed");
	(void)unlink(in_dir("forged.journal"));
}

/* A journal that cannot be restored is not forgotten, and keeps new runs away. */
static void test_kept(void)
{
	const struct forged odd = {.pid = INT_MAX, .head = "pagetoll-journal 2"};
	struct sys_journal *j = NULL;
	struct why why = {.text = ""};

	forge(&odd, "forged.journal");
	t_is_i64(sys_journal_open(dir, &j, &why), -EPROTONOSUPPORT,
		 "no run begins beside a journal that cannot be read");
	t_contains(why.text, "another version", "and it is said why");
	t_is_u64(n_listed(), 1, "which is listed");
	(void)unlink(in_dir("forged.journal"));
}

/* --- the rest ------------------------------------------------------------------------------------ */

static void prepare(void)
{
	const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	if (geteuid() != 0)
		t_skip_all("needs root: changes settings of the system, and restores them");
	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		int fd = open(settings[i].path, O_RDWR | O_CLOEXEC);

		if (fd < 0)
			t_skip_all("needs to write %s: %s", settings[i].path, strerror(errno));
		/* the same test run elsewhere at the same time; held until the end */
		if (i == 0 && flock(fd, LOCK_EX) < 0)
			t_skip_all("needs %s for itself: %s", settings[i].path, strerror(errno));
		now(settings[i].path, settings[i].before, sizeof(settings[i].before));
	}
	(void)sys_read_text("/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id));
	(void)snprintf(dir, sizeof(dir), "%s/t_journal.XXXXXX", place);
	if (!mkdtemp(dir))
		t_skip_all("needs a directory in %s: %s", place, strerror(errno));
}

static void clean_up(void)
{
	for (size_t i = 0; i < ARRAY_LEN(settings); i++)
		put(settings[i].path, settings[i].before);
	(void)unlink(in_dir("lock"));
	(void)unlink(in_dir("new"));
	(void)unlink(in_dir("elsewhere"));
	t_ok(rmdir(dir) == 0, "no file is left in the journals' directory");
}

int main(int argc, char **argv)
{
	prepare();
	if (argc > 1) {
		test_random_moments((unsigned)atoi(argv[1]));
	} else {
		test_run();
		test_does_not_take();
		test_somebody_else();
		test_one_at_a_time();
		test_directory();
		test_lines();
		test_forged();
		test_untrusted_dir();
		test_kept();
		test_every_call("a run", NULL, run_once);
		test_every_call("a later start", run_and_leave, recover_once);
		test_random_moments(20);
	}
	clean_up();
	return t_done();
}
