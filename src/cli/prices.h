/* SPDX-License-Identifier: MIT */
/* Prices for an estimate: from a document that was named, from saved runs, or measured now. */
#ifndef CLI_PRICES_H
#define CLI_PRICES_H

#include "src/model/trace.h"

struct why;

/* Takes all prices of the named document (as for show). -EINVAL or -ENOENT: there is none of that name;
 * other errors: it cannot be read. A document of another machine is taken with a warning. */
int cli_prices_of(const char *name, struct model_trace *doc, struct why *why);

/* Takes what is still missing from the newest saved runs that were made on this machine. */
void cli_prices_saved(struct model_trace *doc);

/* Measures what this document's counts need and is still missing, in under a second. A signal that ends a
 * run ends this, too. Why something is still missing goes to doc->prices.reason. */
void cli_prices_measure(struct model_trace *doc, const char *dir);

#endif
