/* SPDX-License-Identifier: MIT */
/* Under sudo a command is run as the user who asked for it. */
#ifndef CLI_RUN_AS_H
#define CLI_RUN_AS_H

#include "src/cli/counted.h"

/* Fills in whom run's command is to be run as: SUDO_UID, SUDO_GID and SUDO_USER where we are root by sudo and
 * as_root is not asked for, else nobody else. 0 or an exit status: what sudo says must make sense, since the
 * command must not be root by accident. */
int cli_run_as_caller(struct cli_run *run, bool as_root);

#endif
