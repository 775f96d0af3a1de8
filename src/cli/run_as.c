/* SPDX-License-Identifier: MIT */
/* Under sudo a command is run as the user who asked for it. */
#include "src/cli/run_as.h"

#include "src/base/units.h"
#include "src/cli/exit.h"

#include <stdlib.h>
#include <unistd.h>

/* The number in a variable; -1: it is not set. 0 or an exit status. The largest number means nobody. */
static int read_id(const struct cli_run *run, const char *variable, int64_t *ret_id)
{
	const char *text = getenv(variable);
	uint64_t id;

	*ret_id = -1;
	if (!text)
		return 0;
	if (units_parse_u64(text, &id, NULL) < 0 || id >= UINT32_MAX)
		return cli_fail(
			EXIT_OWN_FAILURE,
			"%s: %s is '%s', and CMD must not run as root by accident; unset it, or "
			"give --as-root",
			run->command, variable, text);
	*ret_id = (int64_t)id;
	return 0;
}

int cli_run_as_caller(struct cli_run *run, bool as_root)
{
	int r;

	run->run_as_uid = -1;
	run->run_as_gid = -1;
	run->run_as_name = NULL;
	if (as_root || geteuid() != 0)
		return 0;
	r = read_id(run, "SUDO_UID", &run->run_as_uid);
	if (r != 0 || run->run_as_uid <= 0) {
		run->run_as_uid = -1;
		return r;
	}
	run->run_as_name = getenv("SUDO_USER");
	return read_id(run, "SUDO_GID", &run->run_as_gid);
}
