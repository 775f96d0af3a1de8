/* SPDX-License-Identifier: MIT */
/* The inspect document in memory and as JSON. */
#include "src/model/inspect.h"

#include "src/base/array.h"
#include "src/base/json_write.h"
#include "src/base/text.h"
#include "src/model/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct model_no_huge_row model_no_huge_rows[MODEL_N_HUGE] = {
	[MODEL_HUGE_HUGETLB] = {"hugetlb", "it has huge pages of a pool"},
	[MODEL_HUGE_ALL] = {"huge", "most of it is in huge pages"},
	[MODEL_HUGE_SPECIAL] = {"special",
				"it is of a device or of the kernel, which map it as they like"},
	[MODEL_HUGE_SMALL] = {"too small", "it is smaller than a huge page: map more at once"},
	[MODEL_HUGE_UNALIGNED] =
		{"unaligned",
		 "no whole huge page fits between its ends: map more, or at an address that is a "
		 "multiple of a huge page"},
	[MODEL_HUGE_PRCTL] =
		{"prctl",
		 "PR_SET_THP_DISABLE is set for the process, by itself or by who started it"},
	[MODEL_HUGE_REFUSED] = {"MADV_NOHUGEPAGE",
				"the program said MADV_NOHUGEPAGE: MADV_HUGEPAGE takes that back"},
	[MODEL_HUGE_FILE] =
		{"file",
		 "it is of a file on disk: only code that is not written to, in kernels with "
		 "CONFIG_READ_ONLY_THP_FOR_FS, can be made huge, by khugepaged or MADV_COLLAPSE; large folios of the "
		 "filesystem are not seen here"},
	[MODEL_HUGE_SHMEM] =
		{"shmem off",
		 "shared memory has huge pages as /sys/kernel/mm/transparent_hugepage/shmem_enabled says, or "
		 "tmpfs by its mount option huge="},
	[MODEL_HUGE_NEVER] =
		{"never",
		 "huge pages are off: /sys/kernel/mm/transparent_hugepage/enabled is never"},
	[MODEL_HUGE_UNASKED] =
		{"not asked",
		 "huge pages come where they are asked for (enabled is madvise): MADV_HUGEPAGE on the range, "
		 "before it is touched"},
	[MODEL_HUGE_UFFD] = {"userfaultfd", "userfaultfd handles its pages one by one"},
	[MODEL_HUGE_UNTOUCHED] = {"untouched",
				  "it may have huge pages, and nothing of it is there yet"},
	[MODEL_HUGE_PARTLY] =
		{"partly",
		 "part of it is in huge pages; MADV_COLLAPSE makes the rest huge where it is whole"},
	[MODEL_HUGE_CAME_SMALL] =
		{"came small",
		 "it may have huge pages, and its pages came before it was asked, or while it grew in small "
		 "steps, or none was free: MADV_COLLAPSE (Linux 6.1), or wait for khugepaged"},
	[MODEL_HUGE_OTHER] =
		{"not eligible",
		 "the kernel says that it may have none (THPeligible 0), for a reason not known here"},
};

struct model_inspect *model_inspect_new(void)
{
	struct model_inspect *doc = calloc(1, sizeof(*doc));

	if (!doc)
		return NULL;
	doc->process = (struct model_process){
		.rss_bytes = -1,
		.most_rss_bytes = -1,
		.swap_bytes = -1,
		.locked_bytes = -1,
		.page_table_bytes = -1,
		.memlock_limit_bytes = -1,
		.stack_limit_bytes = -1,
		.n_threads = -1,
		.n_minor = -1,
		.n_major = -1,
		.read_bytes = -1,
	};
	return doc;
}

void model_inspect_free(struct model_inspect *doc)
{
	if (!doc)
		return;
	free(doc->rows);
	free(doc);
}

void model_inspect_add(struct model_inspect *doc, const struct sys_mapping *mapping)
{
	struct model_inspect_row *grown =
		doc->n_rows < MODEL_MAX_INSPECTED
			? array_grow(doc->rows, doc->n_rows, sizeof(*doc->rows))
			: NULL;

	if (!grown) {
		doc->n_left_out++;
		return;
	}
	doc->rows = grown;
	doc->rows[doc->n_rows++] = (struct model_inspect_row){.mapping = *mapping};
}

/* --- JSON ---------------------------------------------------------------------------------------------------- */

static void put_known(struct json_writer *w, const char *key, int64_t value)
{
	if (value < 0)
		json_put_null(w, key);
	else
		json_put_i64(w, key, value);
}

static void write_process(struct json_writer *w, const struct model_process *p)
{
	json_put_object(w, "process");
	json_put_string(w, "comm", p->comm);
	json_put_string(w, "command", p->command);
	put_known(w, "threads", p->n_threads);
	put_known(w, "rss_bytes", p->rss_bytes);
	put_known(w, "most_rss_bytes", p->most_rss_bytes);
	put_known(w, "swap_bytes", p->swap_bytes);
	put_known(w, "locked_bytes", p->locked_bytes);
	put_known(w, "page_table_bytes", p->page_table_bytes);
	put_known(w, "memlock_limit_bytes", p->memlock_limit_bytes);
	put_known(w, "stack_limit_bytes", p->stack_limit_bytes);
	put_known(w, "minor_faults", p->n_minor);
	put_known(w, "major_faults", p->n_major);
	put_known(w, "read_bytes", p->read_bytes);
	json_put_bool(w, "thp_disabled", p->thp_disabled);
	json_put_end_object(w);
}

static void write_flags(struct json_writer *w, const char *flags)
{
	json_put_array_flat(w, "flags");
	for (; *flags; flags++)
		if (flags[0] == ' ' && flags[1] > ' ' && flags[2] > ' ')
			json_put_string(w, NULL, (char[3]){flags[1], flags[2], 0});
	json_put_end_array(w);
}

static void write_row(struct json_writer *w, const struct model_inspect_row *row)
{
	const struct sys_mapping *m = &row->mapping;
	char at[32], name[SYS_MAPPING_NAME];

	json_put_object_flat(w, NULL);
	(void)snprintf(at, sizeof(at), "0x%" PRIx64, m->start);
	json_put_string(w, "start", at);
	(void)snprintf(at, sizeof(at), "0x%" PRIx64, m->end);
	json_put_string(w, "end", at);
	text_copy(name, sizeof(name), m->name);
	text_make_harmless(name);
	json_put_string(w, "name", name);
	json_put_string(w, "perms", m->perms);
	json_put_u64(w, "size", m->end - m->start);
	json_put_u64(w, "rss", m->rss_bytes);
	json_put_object_flat(w, "pages");
	json_put_u64(w, "page_bytes", m->kernel_page_bytes);
	json_put_u64(w, "small_bytes",
		     m->rss_bytes > m->huge_bytes ? m->rss_bytes - m->huge_bytes : 0);
	json_put_u64(w, "huge_bytes", m->huge_bytes);
	json_put_end_object(w);
	write_flags(w, m->flags);
	json_put_u64(w, "locked", m->locked_bytes);
	json_put_u64(w, "swapped", m->swap_bytes);
	json_put_u64(w, "dirty", m->dirty_bytes);
	json_put_string(w, "node", row->node[0] ? row->node : NULL);
	json_put_bool(w, "thp_eligible", m->thp_eligible);
	json_put_string(w, "why_no_huge_page",
			row->why == MODEL_HUGE_ALL || row->why == MODEL_HUGE_HUGETLB
				? NULL
				: model_no_huge_rows[row->why].word);
	json_put_end_object(w);
}

void model_inspect_write(const struct model_inspect *doc, FILE *out)
{
	struct json_writer w;

	json_put_start(&w, out);
	json_put_object(&w, NULL);
	json_put_u64(&w, "schema", MODEL_SCHEMA);
	json_put_string(&w, "kind", "inspect");
	json_put_object_flat(&w, "tool");
	json_put_string(&w, "name", "pagetoll");
	json_put_string(&w, "version", doc->tool_version);
	json_put_end_object(&w);
	json_put_string(&w, "started", doc->started);
	json_put_i64(&w, "pid", doc->process.pid);
	write_process(&w, &doc->process);
	json_put_array(&w, "mappings");
	for (size_t i = 0; i < doc->n_rows; i++)
		write_row(&w, &doc->rows[i]);
	json_put_end_array(&w);
	json_put_u64(&w, "mappings_left_out", doc->n_left_out);
	json_put_array(&w, "findings");
	for (size_t i = 0; i < doc->n_findings; i++)
		model_finding_write(&w, &doc->findings[i]);
	json_put_end_array(&w);
	model_machine_write(&w, &doc->machine);
	json_put_end_object(&w);
	json_put_finish(&w);
}
