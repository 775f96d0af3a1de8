/* SPDX-License-Identifier: MIT */
/* A finding, as a document has it. */
#include "src/model/finding.h"

#include "src/base/json_write.h"
#include "src/model/bill.h"

#include <math.h>

const char *const model_severity_names[MODEL_N_SEVERITIES] = {
	[MODEL_SEVERITY_NOTE] = "note",
	[MODEL_SEVERITY_COSTS] = "costs",
	[MODEL_SEVERITY_FAILED] = "failed",
};

static void put_known(struct json_writer *w, const char *key, const char *text)
{
	json_put_string(w, key, *text ? text : NULL);
}

static void write_culprit(struct json_writer *w, const struct model_culprit *culprit)
{
	json_put_object_flat(w, "culprit");
	put_known(w, "function", culprit->function);
	put_known(w, "file", culprit->file);
	if (culprit->line)
		json_put_u64(w, "line", culprit->line);
	else
		json_put_null(w, "line");
	put_known(w, "mapping", culprit->mapping);
	json_put_end_object(w);
}

static void write_saving(struct json_writer *w, const struct model_finding *f)
{
	if (isnan(f->saving_lo_ns) || isnan(f->saving_hi_ns)) {
		json_put_null(w, "predicted_saving_ns");
		return;
	}
	json_put_array_flat(w, "predicted_saving_ns");
	json_put_double(w, NULL, round(f->saving_lo_ns));
	json_put_double(w, NULL, round(f->saving_hi_ns));
	json_put_end_array(w);
}

void model_finding_write(struct json_writer *w, const struct model_finding *f)
{
	json_put_object(w, NULL);
	json_put_string(w, "id", f->id);
	json_put_string(w, "severity", model_severity_names[f->severity]);
	json_put_double(w, "time_ns", round(f->time_ns));
	json_put_double(w, "share_of_wall", f->share_of_wall);
	write_culprit(w, &f->culprit);
	if (f->site == MODEL_NO_ROW)
		json_put_null(w, "site_row");
	else
		json_put_u64(w, "site_row", f->site);
	put_known(w, "evidence", f->evidence);
	put_known(w, "advice", f->advice);
	put_known(w, "remedy", f->remedy);
	write_saving(w, f);
	json_put_end_object(w);
}
