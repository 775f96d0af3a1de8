/* SPDX-License-Identifier: MIT */
/* Reads the documents of one side: a file, or all files of a directory, each read and dropped. */
#include "src/model/side_read.h"

#include "src/base/text.h"
#include "src/base/why.h"
#include "src/model/document_read.h"
#include "src/model/prices.h"
#include "src/model/runs.h"
#include "src/sys/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_THREADS = 8 };

/* Runs looked at, however few of them are of this machine. */
enum { MOST_LOOKED_AT = 200 };

/* One file of a directory. 0 with the document, or with NULL where it is of another kind. */
static int read_bench(const char *path, struct model_bench **ret_doc, struct why *why)
{
	struct json_reader rd = {.name = path, .why = why};
	char kind[MODEL_MAX_KIND];
	struct stat st;
	json_t *root;
	FILE *in;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not be waited for */
	if (fd < 0)
		return why_errno(why, -errno, "%s", path);
	in = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	if (!in) {
		(void)close(fd);
		return why_set(why, -EINVAL, "%s: is no regular file", path);
	}
	root = model_document_parse(&rd, in, kind);
	(void)fclose(in);
	if (!root)
		return rd.r;
	*ret_doc = strcmp(kind, "bench") == 0 ? model_bench_from_json(&rd, root) : NULL;
	json_decref(root);
	return rd.r;
}

/* --- a directory, by several threads -------------------------------------------------------------- */

/* Documents are parsed side by side, and added in the order of their names, so that what is said of the first
 * one does not depend on luck. One document a thread is in memory. */
struct reading {
	const char *dir;
	const struct model_runs_list *list;
	struct model_side *side;
	struct model_side_files *files;
	pthread_mutex_t lock;
	pthread_cond_t turned;
	size_t next; /* to be parsed */
	size_t turn; /* to be added */
	int r;
};

static void take(struct reading *rd, const char *path, const struct model_bench *doc, int r,
		 const struct why *why)
{
	if (rd->r < 0)
		return;
	if (r == -ENOMEM || r == -EMFILE || r == -ENFILE) { /* of us, and not of that file */
		rd->r = r;
	} else if (r < 0) {
		if (rd->files->n_broken++ == 0)
			text_copy(rd->files->broken, sizeof(rd->files->broken), why->text);
	} else if (!doc) {
		rd->files->n_other++;
	} else {
		rd->r = model_side_add(rd->side, doc, path);
	}
}

static void *read_some(void *data)
{
	struct reading *rd = data;

	(void)pthread_mutex_lock(&rd->lock);
	while (rd->next < rd->list->n && rd->r == 0) {
		struct model_bench *doc = NULL;
		struct why why = {.text = ""};
		char path[PATH_MAX];
		size_t i = rd->next++;
		int r;

		(void)pthread_mutex_unlock(&rd->lock);
		if (snprintf(path, sizeof(path), "%s/%s", rd->dir, rd->list->names[i]) >=
		    (int)sizeof(path))
			r = why_set(&why, -ENAMETOOLONG, "a name in %s is too long", rd->dir);
		else
			r = read_bench(path, &doc, &why);
		(void)pthread_mutex_lock(&rd->lock);
		while (rd->turn != i)
			(void)pthread_cond_wait(&rd->turned, &rd->lock);
		take(rd, path, doc, r, &why);
		rd->turn++;
		(void)pthread_cond_broadcast(&rd->turned);
		(void)pthread_mutex_unlock(&rd->lock);
		model_bench_free(doc);
		(void)pthread_mutex_lock(&rd->lock);
	}
	(void)pthread_mutex_unlock(&rd->lock);
	return NULL;
}

/* Threads that could not be started are done without: this one is always there. */
static void read_all(struct reading *rd)
{
	pthread_t threads[MAX_THREADS];
	size_t n = 0, wanted;
	char list[256];
	int n_cpus = sys_cpu_allowed(list, sizeof(list));

	wanted = n_cpus > MAX_THREADS ? MAX_THREADS : n_cpus > 0 ? (size_t)n_cpus : 1;
	json_object_seed(0); /* or the first objects of two threads race for it */
	while (n + 1 < wanted && n + 1 < rd->list->n &&
	       pthread_create(&threads[n], NULL, read_some, rd) == 0)
		n++;
	(void)read_some(rd);
	while (n--)
		(void)pthread_join(threads[n], NULL);
}

static int why_two_sided(struct why *why, const char *name)
{
	return why_set(why, -EINVAL,
		       "%s is of a run with two sides (--ab), which compares them by itself: "
		       "'pagetoll show' prints it",
		       name);
}

static int load_directory(const char *dir, bool is_runs_dir, struct model_side *side,
			  struct model_side_files *files, struct why *why)
{
	struct reading rd = {.dir = dir, .side = side, .files = files};
	struct model_runs_list list;
	int r;

	r = model_runs_list(dir, MODEL_MAX_SIDE_DOCUMENTS, &list, why);
	if (r < 0)
		return r;
	files->n_left = list.n_left;
	rd.list = &list;
	(void)pthread_mutex_init(&rd.lock, NULL);
	(void)pthread_cond_init(&rd.turned, NULL);
	read_all(&rd);
	(void)pthread_cond_destroy(&rd.turned);
	(void)pthread_mutex_destroy(&rd.lock);
	model_runs_list_free(&list);
	if (rd.r < 0)
		return why_errno(why, rd.r, "cannot take in all of %s", dir);
	if (side->n_documents)
		return 0;
	if (files->n_broken)
		return why_set(why, -EBADMSG, "%s holds no bench document that can be read: %s",
			       dir, files->broken);
	if (side->n_two_sided)
		return why_two_sided(why, dir);
	if (is_runs_dir)
		return why_set(why, -ENOENT, "no run yet in %s; 'pagetoll bench' makes one", dir);
	return why_set(why, -ENOENT, "no document of 'pagetoll bench' in %s", dir);
}

/* --- operands ------------------------------------------------------------------------------------- */

static int load_document(const char *name, struct model_side *side, struct why *why)
{
	struct model_bench *doc;
	int r;

	r = model_runs_load(name, &doc, why);
	if (r < 0)
		return r;
	r = model_side_add(side, doc, name);
	model_bench_free(doc);
	if (r == 0 && side->n_two_sided)
		return why_two_sided(why, name);
	return r < 0 ? why_errno(why, r, "cannot take in %s", name) : 0;
}

int model_side_load(const char *operand, struct model_side *side,
		    struct model_side_files *ret_files, struct why *why)
{
	char path[PATH_MAX];
	struct stat st;
	int r;

	*ret_files = (struct model_side_files){0};
	if (operand && strcmp(operand, "-") == 0)
		return load_document(operand, side, why);
	r = operand ? model_runs_resolve(operand, path, sizeof(path), why)
		    : model_runs_dir(path, sizeof(path), why);
	if (r < 0)
		return r;
	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		return load_document(operand ? operand : path, side, why);
	if (!operand)
		text_make_harmless(text_copy(side->name, sizeof(side->name), path));
	return load_directory(path, !operand, side, ret_files, why);
}

static void add_known(struct model_side *known, const char *path, const struct model_side *like,
		      const struct model_side *a, const struct model_side *b)
{
	struct model_bench *doc = NULL;

	if (read_bench(path, &doc, NULL) < 0 || !doc)
		return; /* one that cannot be read is no reason to give up */
	if (model_machine_is_same(&like->machine, &doc->machine, NULL) &&
	    !model_side_holds(a, doc) && !model_side_holds(b, doc))
		(void)model_side_add(known, doc, path); /* without memory fewer are known */
	model_bench_free(doc);
}

struct model_side *model_side_load_known(const struct model_side *like, const struct model_side *a,
					 const struct model_side *b)
{
	char dir[PATH_MAX - NAME_MAX - 1], path[PATH_MAX];
	struct model_runs_list list;
	struct model_side *known;

	if (!like->same_machine || model_runs_dir(dir, sizeof(dir), NULL) < 0 ||
	    model_runs_list(dir, MOST_LOOKED_AT, &list, NULL) < 0)
		return NULL;
	known = model_side_new("earlier runs");
	if (known)
		known->by_params = true;
	for (size_t i = list.n; known && i && known->n_documents < MODEL_MOST_KNOWN_RUNS; i--) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, list.names[i - 1]);
		add_known(known, path, like, a, b);
	}
	model_runs_list_free(&list);
	if (known && known->n_documents)
		return known;
	model_side_free(known);
	return NULL;
}

int model_compare_loaded(struct model_compare *doc, const struct model_side *a,
			 const struct model_side *b, const char *pattern, struct why *why)
{
	struct model_compare_input input = {.a = a, .b = b, .pattern = pattern};
	struct model_side *known_a = NULL, *known_b = NULL;
	bool same = model_machine_is_same(&a->machine, &b->machine, NULL);
	int r;

	if (model_compare_wants_known(a, b)) {
		known_a = model_side_load_known(a, a, b);
		known_b = same ? NULL : model_side_load_known(b, a, b);
	}
	input.known_a = known_a;
	input.known_b = same ? known_a : known_b;
	r = model_compare_sides(doc, &input, why);
	model_side_free(known_a);
	model_side_free(known_b);
	return r;
}

void model_side_files_warn(struct model_compare *doc, const struct model_side_files *files,
			   const char *which)
{
	if (files->n_broken)
		model_warn(doc->warnings, &doc->n_warnings, "broken",
			   "%zu file%s of %s left out: %s%s", files->n_broken,
			   files->n_broken == 1 ? "" : "s", which, files->broken,
			   files->n_broken > 1 ? "; and more" : "");
	if (files->n_other)
		model_warn(doc->warnings, &doc->n_warnings, "other-kind",
			   "%zu document%s of %s left out: not of a bench", files->n_other,
			   files->n_other == 1 ? "" : "s", which);
	if (files->n_left)
		model_warn(doc->warnings, &doc->n_warnings, "older",
			   "%zu older documents of %s were not read", files->n_left, which);
}
