/* SPDX-License-Identifier: MIT */
/* Exit statuses: part of the interface, never renumbered. */
#ifndef CLI_EXIT_H
#define CLI_EXIT_H

enum {
	EXIT_OK = 0,
	EXIT_SLOWER = 1,        /* compare: a row is slower, where that was asked for */
	EXIT_LATE = 1,          /* trace: a fault took longer than --deadline */
	EXIT_USAGE = 2,         /* the command line is wrong */
	EXIT_NOTHING_RAN = 3,   /* bench: nothing could run */
	EXIT_INVALID = 4,       /* bench: a ledger is invalid */
	EXIT_SYSTEM = 5,        /* the system refused something */
	EXIT_CANNOT_TELL = 125, /* compare --bisect: neither good nor bad, skip it */
	EXIT_OWN_FAILURE = 125, /* commands that run another, as env(1): pagetoll itself failed; */
	EXIT_NO_EXEC = 126,     /* it was found, but cannot be executed; */
	EXIT_NOT_FOUND = 127,   /* it was not found */
	EXIT_BY_SIGNAL =
		128, /* plus the signal that interrupted a run, or that the command died of */
};

#endif
