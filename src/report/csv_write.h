/* SPDX-License-Identifier: MIT */
/* Cells of comma-separated values. */
#ifndef REPORT_CSV_WRITE_H
#define REPORT_CSV_WRITE_H

#include <stdio.h>

/* Quoted where it must be, and no formula whatever it begins with. */
void csv_put_text(FILE *out, const char *text);

/* Empty where it is not defined. */
void csv_put_double(FILE *out, double value);

#endif
