/* SPDX-License-Identifier: MIT */
/* The noise of a run in its document: written and read. */
#include "src/model/noise_doc.h"

#include "src/base/json_write.h"
#include "src/model/bench.h"
#include "src/model/json_read.h"

static void write_summary(struct json_writer *w, const struct model_noise_summary *s)
{
	json_put_object_flat(w, "noise_summary");
	json_put_double(w, "steal_share", s->steal_share);
	json_put_double(w, "psi_cpu_share", s->psi_cpu_share);
	json_put_double(w, "psi_memory_share", s->psi_memory_share);
	json_put_double(w, "psi_io_share", s->psi_io_share);
	json_put_double(w, "calibration_ns", s->calibration_ns);
	json_put_double(w, "calibration_spread", s->calibration_spread);
	json_put_double(w, "worst_block_excess", s->worst_block_excess);
	json_put_end_object(w);
}

void model_noise_write(struct json_writer *w, const struct model_bench *doc)
{
	write_summary(w, &doc->noise_summary);
	json_put_array(w, "noise");
	for (size_t i = 0; i < doc->n_noise; i++) {
		const struct model_noise *n = &doc->noise[i];

		json_put_object_flat(w, NULL);
		json_put_u64(w, "block", n->block);
		json_put_u64(w, "started_ns", n->started_ns);
		json_put_u64(w, "elapsed_ns", n->elapsed_ns);
		json_put_u64(w, "steal_ns", n->steal_ns);
		json_put_u64(w, "steal_all_ns", n->steal_all_ns);
		model_count_write(w, "psi_cpu_ns", n->psi_cpu_ns);
		model_count_write(w, "psi_memory_ns", n->psi_memory_ns);
		model_count_write(w, "psi_io_ns", n->psi_io_ns);
		model_count_write(w, "calibration_ns", n->calibration_ns);
		json_put_u64(w, "nivcsw", n->nivcsw);
		json_put_end_object(w);
	}
	json_put_end_array(w);
}

static void read_block(struct json_reader *rd, const json_t *object, struct model_noise *n)
{
	if (!json_is_object(object))
		json_read_fail(rd, "the noise of a block must be an object");
	json_get_u32(rd, object, "block", &n->block);
	json_get_u64(rd, object, "started_ns", &n->started_ns);
	json_get_u64(rd, object, "elapsed_ns", &n->elapsed_ns);
	json_get_u64(rd, object, "steal_ns", &n->steal_ns);
	json_get_u64(rd, object, "steal_all_ns", &n->steal_all_ns);
	json_get_i64(rd, object, "psi_cpu_ns", &n->psi_cpu_ns);
	json_get_i64(rd, object, "psi_memory_ns", &n->psi_memory_ns);
	json_get_i64(rd, object, "psi_io_ns", &n->psi_io_ns);
	if (n->psi_cpu_ns < MODEL_NOT_COUNTED || n->psi_memory_ns < MODEL_NOT_COUNTED ||
	    n->psi_io_ns < MODEL_NOT_COUNTED)
		json_read_fail(rd, "block %u: tasks waited for an impossible time", n->block);
}

void model_noise_read(struct json_reader *rd, const json_t *root, struct model_bench *doc)
{
	const json_t *array = json_get_array(rd, root, "noise");
	json_t *value;
	size_t i;

	json_array_foreach(array, i, value) {
		struct model_noise n = {
			.psi_cpu_ns = MODEL_NOT_COUNTED,
			.psi_memory_ns = MODEL_NOT_COUNTED,
			.psi_io_ns = MODEL_NOT_COUNTED,
		};

		read_block(rd, value, &n);
		if (i == MODEL_MAX_NOISE)
			json_read_fail(rd, "the noise of more blocks than any run keeps");
		if (i && n.block <= doc->noise[i - 1].block)
			json_read_fail(rd, "the noise of block %u is out of order", n.block);
		if (rd->r < 0)
			return;
		if (model_noise_add(doc, &n) < 0)
			json_read_fail(rd, "no memory for the noise of its blocks");
	}
}
