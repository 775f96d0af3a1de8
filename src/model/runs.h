/* SPDX-License-Identifier: MIT */
/* The runs directory: one document a file, written by rename, found by name. */
#ifndef MODEL_RUNS_H
#define MODEL_RUNS_H

#include <stddef.h>

struct model_bench;
struct why;

/* $PAGETOLL_RUNS, else $XDG_STATE_HOME/pagetoll, else ~/.local/state/pagetoll. -ENOENT with a
 * sentence where none of the three is set. */
int model_runs_dir(char *ret_path, size_t size, struct why *why);

/* Saves under a name made of the time and the kind, and returns its path. The directory is made
 * where it is missing; a file is there whole or not at all. */
int model_runs_save(const struct model_bench *doc, char *ret_path, size_t size, struct why *why);

/* "@last", "@prev", a path, or the name of a file in the runs directory (".json" may be left out):
 * the path to open. */
int model_runs_resolve(const char *name, char *ret_path, size_t size, struct why *why);

/* The path of the k-th newest run, 0 the last. -ENOENT where there are not so many. */
int model_runs_recent(int k, char *ret_path, size_t size, struct why *why);

/* The names of the documents in a directory in the order of their names, which is the order of time for runs:
 * the last most of them. n_left: how many were left out. */
struct model_runs_list {
	char **names; /* owned */
	size_t n, n_left;
};
int model_runs_list(const char *dir, size_t most, struct model_runs_list *ret, struct why *why);
void model_runs_list_free(struct model_runs_list *list);

/* Opens and reads in one. "-" is standard input. The caller frees *ret_doc. */
int model_runs_load(const char *name, struct model_bench **ret_doc, struct why *why);

/* The same for documents of any kind; the caller drops it by model_document_free(). */
struct model_document;
int model_runs_load_any(const char *name, struct model_document *ret_doc, struct why *why);

#endif
