/* SPDX-License-Identifier: MIT */
/* A memory limit has both sides warmed alike, whichever of the two a trial is of. */
#include "src/base/array.h"
#include "src/base/text.h"
#include "src/settings/registry.h"
#include "tests/tap.h"

#include <unistd.h>

static char dir[] = "/tmp/t_settings.XXXXXX";

static const struct bench_setting *find(const char *name)
{
	for (const struct bench_setting_row *row = setting_registry; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row->setting;
	return NULL;
}

/* What a trial of that side may warm. Its group is a directory with a file where the kernel has one: its name
 * ends in "/", which is in every name of a group. */
static uint64_t most_warm_bytes(const char *value, const char *other)
{
	const struct bench_setting *setting = find("memory-limit");
	struct bench_trial trial = {.map = NULL};
	struct bench_arm arm = {.param = ""};

	text_copy(arm.value, sizeof(arm.value), value);
	text_copy(arm.other, sizeof(arm.other), other);
	(void)snprintf(arm.state, sizeof(arm.state), "%s/", dir);
	if (!setting || setting->in_trial(&trial, &arm) != 0) {
		t_note("%s", trial.why.text);
		return UINT64_MAX;
	}
	return trial.most_warm_bytes;
}

static void test_warmed_alike(void)
{
	static const struct {
		const char *a, *b;
		uint64_t expected_bytes;
	} cases[] = {
		{"32M", "none", 16 << 20},
		{"64M", "32M", 16 << 20},
		{"32M", "32M", 16 << 20},
		{"none", "none", 0}, /* no cap */
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		t_is_u64(most_warm_bytes(cases[i].a, cases[i].b), cases[i].expected_bytes,
			 "%s beside %s: half of the smaller limit is warmed", cases[i].a,
			 cases[i].b);
		t_is_u64(most_warm_bytes(cases[i].b, cases[i].a), cases[i].expected_bytes,
			 "and as much on the other side");
	}
}

int main(void)
{
	char procs[sizeof(dir) + 32];
	FILE *f;

	if (!mkdtemp(dir))
		t_skip_all("needs a directory in /tmp");
	(void)snprintf(procs, sizeof(procs), "%s/cgroup.procs", dir);
	f = fopen(procs, "we");
	t_ok(f && fclose(f) == 0, "a group is made up");
	test_warmed_alike();
	(void)unlink(procs);
	(void)rmdir(dir);
	return t_done();
}
