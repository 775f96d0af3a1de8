/* SPDX-License-Identifier: MIT */
/* Reads the documents of one side: a file, or all files of a directory, each read and dropped. */
#ifndef MODEL_SIDE_READ_H
#define MODEL_SIDE_READ_H

#include "src/model/side.h"

struct why;

/* What a directory held besides bench documents. */
struct model_side_files {
	size_t n_other;   /* documents of other kinds */
	size_t n_broken;  /* that could not be read; */
	size_t n_left;    /* older ones, beyond MODEL_MAX_SIDE_DOCUMENTS */
	char broken[256]; /* what is wrong with the first */
};

/*
 * operand is a document as model_runs_load() takes it, or a directory; NULL is the runs directory. What cannot
 * be read in a directory is counted and passed over; -ENOENT where it holds no bench document.
 */
int model_side_load(const char *operand, struct model_side *side,
		    struct model_side_files *ret_files, struct why *why);

/* The newest runs in the runs directory of the machine of like, but for those that a or b hold. NULL: there
 * are none, or like is of several machines. */
struct model_side *model_side_load_known(const struct model_side *like, const struct model_side *a,
					 const struct model_side *b);

/* Compares two sides, with the earlier runs of their machines where those can make a difference. */
int model_compare_loaded(struct model_compare *doc, const struct model_side *a,
			 const struct model_side *b, const char *pattern, struct why *why);

/* Warns of what a directory held besides documents that were taken. which: "A", "B" or "the directory". */
void model_side_files_warn(struct model_compare *doc, const struct model_side_files *files,
			   const char *which);

#endif
