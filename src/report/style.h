/* SPDX-License-Identifier: MIT */
/* The style of the HTML page: made by tools/gen-style of html.css. */
#ifndef REPORT_STYLE_H
#define REPORT_STYLE_H

extern const char *const report_style_lines[]; /* ends with NULL */

/* "sha256-...": of all lines together, so that the page's policy lets no other style in. */
extern const char report_style_hash[];

#endif
