/* SPDX-License-Identifier: MIT */
/* What this machine has for larger pages, in plain words and as JSON. */
#ifndef REPORT_HUGE_PAGES_H
#define REPORT_HUGE_PAGES_H

#include "src/sys/huge_pages.h"

#include <stddef.h>
#include <stdio.h>

struct json_writer;

enum { REPORT_SENTENCE = 640 };

/* Free memory by the pieces it is in, whether that is fragmented, and then what helps. */
void report_free_memory(const struct sys_huge_pages *h, char ret_text[REPORT_SENTENCE]);

/* One pool; an empty one with the line that fills it. */
void report_pool(const struct sys_huge_pages *h, const struct sys_hugetlb_pool *pool,
		 char ret_text[REPORT_SENTENCE]);

/* A warning where pools hold more than half of memory; else "". */
void report_pools_warning(const struct sys_huge_pages *h, char ret_text[REPORT_SENTENCE]);

/* The section for people, folded at width (0: 100 columns). */
void report_huge_pages(const struct sys_huge_pages *h, FILE *out, size_t width);

/* The object "huge_pages". */
void report_huge_pages_json(const struct sys_huge_pages *h, struct json_writer *w);

#endif
