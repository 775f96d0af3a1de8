/* SPDX-License-Identifier: MIT */
/* One sentence of context beside an error number. */
#include "src/base/why.h"

#include "src/base/array.h"
#include "src/base/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

__attribute__((format(printf, 2, 0))) static void keep(struct why *why, const char *fmt, va_list ap)
{
	(void)vsnprintf(why->text, sizeof(why->text), fmt, ap);
	text_make_harmless(why->text);
}

int why_set(struct why *why, int r, const char *fmt, ...)
{
	va_list ap;

	if (!why)
		return r;
	va_start(ap, fmt);
	keep(why, fmt, ap);
	va_end(ap);
	return r;
}

static bool is_limited(__rlimit_resource_t resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

const char *why_limit(int r)
{
	static const struct {
		int error;
		__rlimit_resource_t resource;
		const char *helps;
	} limits[] = {
		{EMFILE, RLIMIT_NOFILE, "; raise the limit, ulimit -n"},
		{EFBIG, RLIMIT_FSIZE, "; raise the limit, ulimit -f"},
	};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		if (r == -limits[i].error && is_limited(limits[i].resource))
			return limits[i].helps;
	return "";
}

int why_no_process(struct why *why, int r, const char *name)
{
	return why_set(why, r, "cannot start %s: %s%s", name, strerror(-r),
		       r == -EAGAIN ? "; raise the limit on processes: ulimit -u, or pids.max of "
				      "the cgroup"
				    : why_limit(r));
}

int why_errno(struct why *why, int r, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	if (!why)
		return r;
	va_start(ap, fmt);
	keep(why, fmt, ap);
	va_end(ap);
	n = strlen(why->text);
	(void)snprintf(why->text + n, sizeof(why->text) - n, ": %s%s", strerror(-r), why_limit(r));
	return r;
}

int why_copy(struct why *why, int r, const struct why *from)
{
	if (why)
		*why = *from;
	return r;
}
