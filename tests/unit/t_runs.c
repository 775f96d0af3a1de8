/* SPDX-License-Identifier: MIT */
/* The runs directory: what is saved is found again, nothing is lost, and nothing is left behind. */
#include "src/base/why.h"
#include "src/model/runs.h"
#include "tests/tap.h"
#include "tests/unit/made_up.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char top[PATH_MAX / 4]; /* a directory of our own */
static char runs[PATH_MAX / 2];
static char path[PATH_MAX];
static struct model_bench *doc;
static struct why why;

static const char *in_top(const char *name)
{
	static char text[PATH_MAX];

	(void)snprintf(text, sizeof(text), "%s/%s", top, name);
	return text;
}

static void set_runs(const char *name)
{
	(void)snprintf(runs, sizeof(runs), "%s/%s", top, name);
	(void)setenv("PAGETOLL_RUNS", runs, 1);
}

static int count_files(bool hidden)
{
	DIR *dir = opendir(runs);
	const struct dirent *e;
	int n = 0;

	while (dir && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			n += (e->d_name[0] == '.') == hidden;
	if (dir)
		(void)closedir(dir);
	return n;
}

static void copy_file(const char *from, const char *to)
{
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	int c;

	while (in && out && (c = getc(in)) != EOF)
		(void)putc(c, out);
	if (in)
		(void)fclose(in);
	if (out)
		(void)fclose(out);
}

static void test_dir(void)
{
	char small[8];

	(void)setenv("PAGETOLL_RUNS", "/a/b", 1);
	(void)setenv("XDG_STATE_HOME", "/state", 1);
	(void)setenv("HOME", "/home/me", 1);
	t_ok(model_runs_dir(path, sizeof(path), &why) == 0 && strcmp(path, "/a/b") == 0,
	     "PAGETOLL_RUNS comes first");
	(void)setenv("PAGETOLL_RUNS", "", 1);
	t_ok(model_runs_dir(path, sizeof(path), &why) == 0 && strcmp(path, "/state/pagetoll") == 0,
	     "XDG_STATE_HOME where it is empty");
	(void)unsetenv("PAGETOLL_RUNS");
	(void)unsetenv("XDG_STATE_HOME");
	t_ok(model_runs_dir(path, sizeof(path), &why) == 0 &&
		     strcmp(path, "/home/me/.local/state/pagetoll") == 0,
	     "HOME else");
	t_is_i64(model_runs_dir(small, sizeof(small), &why), -ENAMETOOLONG, "a name too long");
	(void)unsetenv("HOME");
	t_is_i64(model_runs_dir(path, sizeof(path), &why), -ENOENT, "none of them");
	t_contains(why.text, "set PAGETOLL_RUNS", "says what would help");
	t_is_i64(model_runs_save(doc, path, sizeof(path), &why), -ENOENT,
		 "nothing can be saved then");
	t_is_i64(model_runs_resolve("@last", path, sizeof(path), &why), -ENOENT, "nor found");
	t_ok(model_runs_resolve("/", path, sizeof(path), &why) == 0, "except by a path");
}

static void test_empty(void)
{
	set_runs("missing");
	t_is_i64(model_runs_resolve("@last", path, sizeof(path), &why), -ENOENT,
		 "no directory yet: no last run");
	t_contains(why.text, "no run yet in ", "said so");
	t_ok(access(runs, F_OK) != 0, "looking makes no directory");
	set_runs("empty");
	(void)mkdir(runs, 0700);
	t_is_i64(model_runs_resolve("@last", path, sizeof(path), &why), -ENOENT, "no run yet");
	t_is_i64(model_runs_resolve("@prev", path, sizeof(path), &why), -ENOENT,
		 "nor the one before");
}

static void test_save(void)
{
	char first[PATH_MAX], second[PATH_MAX], name[NAME_MAX];
	struct model_bench *again = NULL;
	struct stat st;

	set_runs("deep/er/runs/");
	t_is_i64(model_runs_save(doc, first, sizeof(first), &why), 0,
		 "saved, and directories made: %s", why.text);
	t_ok(strncmp(first, runs, strlen(runs)) == 0 && strstr(first, "Z-bench.json"),
	     "under a name of time and kind");
	t_ok(stat(first, &st) == 0 && st.st_size > 100 && (st.st_mode & 0111) == 0, "a file");
	t_ok(model_runs_resolve("@last", path, sizeof(path), &why) == 0 &&
		     strstr(path, strrchr(first, '/')),
	     "@last is the one");
	(void)close(open(in_top("deep/er/runs/.hidden.json"), O_CREAT | O_WRONLY, 0600));
	t_is_i64(model_runs_resolve("@prev", path, sizeof(path), &why), -ENOENT,
		 "there is no @prev");
	t_contains(why.text, "only one run yet", "said so");
	text_copy(doc->started, sizeof(doc->started), "second");
	t_is_i64(model_runs_save(doc, second, sizeof(second), &why), 0, "saved again");
	t_ok(strcmp(second, first) > 0, "names sort by time");
	t_ok(model_runs_load("@last", &again, &why) == 0 && strcmp(again->started, "second") == 0,
	     "@last is the second now");
	model_bench_free(again);
	again = NULL;
	t_ok(model_runs_load("@prev", &again, &why) == 0 && strcmp(again->started, "first") == 0,
	     "@prev the first");
	model_bench_free(again);
	again = NULL;
	text_copy(name, sizeof(name), strrchr(first, '/') + 1);
	t_ok(model_runs_load(name, &again, &why) == 0 && strcmp(again->started, "first") == 0,
	     "by its name: %s", name);
	model_bench_free(again);
	again = NULL;
	name[strlen(name) - strlen(".json")] = 0;
	t_ok(model_runs_load(name, &again, &why) == 0 && strcmp(again->started, "first") == 0,
	     "without .json");
	model_bench_free(again);
	again = NULL;
	t_ok(model_runs_load(second, &again, &why) == 0 && strcmp(again->started, "second") == 0,
	     "by its path");
	model_bench_free(again);
	copy_file(first, in_top("elsewhere.doc"));
	again = NULL;
	t_ok(model_runs_load(in_top("elsewhere.doc"), &again, &why) == 0 && again->n_scenarios == 1,
	     "anywhere else, too");
	model_bench_free(again);
	(void)close(open(in_top("deep/er/runs/zzz.txt"), O_CREAT | O_WRONLY, 0600));
	t_ok(model_runs_resolve("@last", path, sizeof(path), &why) == 0 &&
		     strstr(path, strrchr(second, '/')),
	     "hidden and other files are no runs");
}

static void test_wrong_names(void)
{
	struct model_bench *none = NULL;
	char longest[PATH_MAX + 10];

	set_runs("deep/er/runs");
	t_is_i64(model_runs_load("@next", &none, &why), -EINVAL, "@next");
	t_contains(why.text, "'@next': there are @last and @prev", "says what there is");
	t_is_i64(model_runs_load("no-such", &none, &why), -ENOENT, "no such document");
	t_contains(why.text, "no document 'no-such', neither as a file nor in ",
		   "says where it was looked for");
	t_is_i64(model_runs_load("a\033b", &none, &why), -ENOENT, "a hostile name");
	t_contains(why.text, "'a?b'", "is shown harmless");
	t_is_i64(model_runs_load(runs, &none, &why), -EISDIR, "a directory");
	t_contains(why.text, "is a directory; name one document in it", "says what to do");
	t_is_i64(model_runs_load("", &none, &why), -ENOENT, "no name");
	t_is_i64(model_runs_load(in_top("deep/er/runs/zzz.txt"), &none, &why), -EBADMSG,
		 "an empty file");
	t_contains(why.text, "zzz.txt: is empty", "is named");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	t_is_i64(model_runs_load(longest, &none, &why), -ENAMETOOLONG,
		 "a name longer than any path");
	t_ok(none == NULL, "nothing was returned");
}

static void test_many(void)
{
	int n_saved = 0, status;
	bool whole = true;
	struct dirent **entries;
	int n;

	set_runs("many");
	for (int i = 0; i < 20; i++)
		n_saved += model_runs_save(doc, path, sizeof(path), &why) == 0;
	t_is_i64(n_saved, 20, "20 saves one after the other");
	t_is_i64(count_files(false), 20, "keep 20 files, within a millisecond or not");
	(void)fflush(stdout);
	for (int child = 0; child < 4; child++) {
		if (fork() != 0)
			continue;
		for (int i = 0; i < 5; i++)
			if (model_runs_save(doc, path, sizeof(path), &why) < 0)
				_exit(1);
		_exit(0);
	}
	while (wait(&status) > 0)
		whole = whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	t_ok(whole, "4 processes save 5 times each at once");
	t_is_i64(count_files(false), 40, "and keep 20 more");
	t_is_i64(count_files(true), 0, "no temporary file is left");
	n = scandir(runs, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		struct model_bench *again = NULL;

		if (entries[i]->d_name[0] != '.')
			whole = model_runs_load(entries[i]->d_name, &again, &why) == 0 && whole;
		model_bench_free(again);
		free(entries[i]);
	}
	free(entries);
	t_ok(whole, "each is whole");
}

static void test_refused(void)
{
	copy_file("/dev/null", in_top("file"));
	set_runs("file");
	t_ok(model_runs_save(doc, path, sizeof(path), &why) < 0,
	     "a file where the directory should be");
	t_contains(why.text, runs, "is named");
	set_runs("file/below");
	t_is_i64(model_runs_save(doc, path, sizeof(path), &why), -ENOTDIR,
		 "a directory below a file");
	t_contains(why.text, "cannot make ", "says so");
	(void)setenv("PAGETOLL_RUNS", "/proc/self", 1);
	t_ok(model_runs_save(doc, path, sizeof(path), &why) < 0,
	     "a directory where nobody can write");
	t_contains(why.text, "cannot write in /proc/self: ", "says so");
	set_runs("readonly");
	(void)mkdir(runs, 0555);
	if (geteuid() == 0) /* to root nothing is read-only */
		(void)chown(runs, 1, 1);
	if (geteuid() == 0 && (chmod(top, 0755) < 0 || seteuid(65534) < 0)) {
		t_skip(3,
		       "needs an ordinary user: root cannot become one here; run the test as one");
		return;
	}
	t_is_i64(model_runs_save(doc, path, sizeof(path), &why), -EACCES, "a read-only directory");
	t_contains(why.text, "Permission denied", "says why");
	(void)seteuid(getuid());
	t_ok(count_files(true) == 0 && count_files(false) == 0, "nothing is left in it");
}

/* A document that cannot be written whole is not there at all. */
static void test_full(void)
{
	struct rlimit limit = {.rlim_cur = 100, .rlim_max = RLIM_INFINITY};
	struct rlimit before;
	int r;

	set_runs("full");
	(void)getrlimit(RLIMIT_FSIZE, &before);
	limit.rlim_max = before.rlim_max;
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)setrlimit(RLIMIT_FSIZE, &limit);
	r = model_runs_save(doc, path, sizeof(path), &why);
	(void)setrlimit(RLIMIT_FSIZE, &before);
	t_is_i64(r, -EFBIG, "files may have 100 bytes: not saved");
	t_contains(why.text, "cannot write the document: ", "says so");
	t_ok(count_files(true) == 0 && count_files(false) == 0,
	     "and nothing is left, neither half nor hidden");
}

static int remove_one(const char *name, const struct stat *st, int flag, struct FTW *at)
{
	(void)st, (void)flag, (void)at;
	return remove(name);
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");

	(void)snprintf(top, sizeof(top), "%s/pagetoll-runs-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(top))
		t_skip_all(
			"needs a directory for temporary files: cannot write in %s; set TMPDIR to one",
			top);
	doc = model_bench_new();
	made_up_trials(made_up_scenario(doc, "made_up"), 2, 100, 1);
	model_bench_derive(doc);
	text_copy(doc->started, sizeof(doc->started), "first");
	test_dir();
	test_empty();
	test_save();
	test_wrong_names();
	test_many();
	test_refused();
	test_full();
	model_bench_free(doc);
	t_ok(nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0, "all is removed");
	return t_done();
}
