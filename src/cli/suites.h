/* SPDX-License-Identifier: MIT */
/* The suite files, compiled in. */
#ifndef CLI_SUITES_H
#define CLI_SUITES_H

/* Generated from suites/; the last row has no name. */
struct suite_row {
	const char *name;
	const char *text; /* JSON, see src/model/suite.h */
};

extern const struct suite_row suite_registry[];

#endif
