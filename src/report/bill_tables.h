/* SPDX-License-Identifier: MIT */
/* The tables of a bill, and how its rows are named in them; for src/report alone. */
#ifndef REPORT_BILL_TABLES_H
#define REPORT_BILL_TABLES_H

#include "src/report/report.h"

/* All that have rows: kinds, mappings, sites, threads, phases, the longest faults. */
void bill_tables(const struct model_trace *doc, FILE *out, const struct report_style *style);

enum { BILL_NAME = 512 };

/* Names of what a fault was in, "" where that is not known; each in BILL_NAME bytes. */
void bill_thread_name(const struct model_bill *bill, uint32_t thread, char *ret);
void bill_fault_mapping(const struct model_bill *bill, const struct model_fault_row *f, char *ret);
void bill_fault_site(const struct model_bill *bill, const struct model_fault_row *f, char *ret);

#endif
