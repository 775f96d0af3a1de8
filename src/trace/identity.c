/* SPDX-License-Identifier: MIT */
/* The user that a command is run as, where we are root for somebody else. */
#include "src/trace/identity.h"

#include "src/base/array.h"
#include "src/base/why.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FIRST_GROUPS = 64, MOST_GROUPS = 65536 }; /* the kernel's NGROUPS_MAX */

/* What of the environment names the user, in the order of the values of fill_environment(). */
static const char *const variables[] = {"HOME", "USER", "LOGNAME"};

/* All groups of a name; the list grows until it holds them. */
static int find_groups(const char *name, struct trace_identity *who, struct why *why)
{
	for (int room = FIRST_GROUPS; room <= MOST_GROUPS; room *= 2) {
		gid_t *groups = calloc((size_t)room, sizeof(*groups));
		int n = room;

		if (!groups)
			return why_set(why, -ENOMEM, "no memory for the groups of %s", name);
		if (getgrouplist(name, who->gid, groups, &n) >= 0) {
			who->groups = groups;
			who->n_groups = (size_t)n;
			return 0;
		}
		free(groups);
	}
	return why_set(why, -E2BIG, "%s is in more groups than a process can have", name);
}

/* Of a user who is in no database the group is all there is. */
static int only_group(struct trace_identity *who, struct why *why)
{
	who->groups = calloc(1, sizeof(*who->groups));
	if (!who->groups)
		return why_set(why, -ENOMEM, "no memory for the groups of user %u", who->uid);
	who->groups[0] = who->gid;
	who->n_groups = 1;
	return 0;
}

static bool names_user(const char *entry)
{
	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		size_t n = strlen(variables[i]);

		if (strncmp(entry, variables[i], n) == 0 && entry[n] == '=')
			return true;
	}
	return false;
}

/* Ours, but for what names us. */
static int fill_environment(struct trace_identity *who, const char *const *values, struct why *why)
{
	size_t n = 0, n_kept = 0, used = 0, size = 0;

	while (environ[n])
		n++;
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		size += values[i] ? strlen(variables[i]) + strlen(values[i]) + sizeof("=") : 0;
	who->environment = calloc(n + ARRAY_LEN(variables) + 1, sizeof(*who->environment));
	who->texts = calloc(size + 1, 1);
	if (!who->environment || !who->texts)
		return why_set(why, -ENOMEM, "no memory for the command's environment");
	for (size_t i = 0; i < n; i++)
		if (!names_user(environ[i]))
			who->environment[n_kept++] = environ[i];
	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		if (!values[i])
			continue;
		who->environment[n_kept++] = who->texts + used;
		used += (size_t)snprintf(who->texts + used, size + 1 - used, "%s=%s", variables[i],
					 values[i]) +
			1;
	}
	return 0;
}

/* Several names can have one number: the one that was given is believed where it has it. Nothing else runs yet
 * that could ask the same. */
static const struct passwd *find_user(const struct trace_caller *caller, uid_t uid)
{
	/* cppcheck-suppress getpwnamCalled */
	const struct passwd *user = caller->run_as_name ? getpwnam(caller->run_as_name) : NULL;

	/* cppcheck-suppress getpwuidCalled */
	return user && user->pw_uid == uid ? user : getpwuid(uid);
}

int trace_identity_find(const struct trace_caller *caller, struct trace_identity *ret,
			struct why *why)
{
	struct trace_identity who = {.changes = caller->run_as_uid >= 0};
	const struct passwd *user;
	int r;

	*ret = (struct trace_identity){.changes = false};
	if (!who.changes)
		return 0;
	who.uid = (uid_t)caller->run_as_uid;
	user = find_user(caller, who.uid);
	if (caller->run_as_gid < 0 && !user)
		return why_set(why, -ENOENT, "user %u is not known here, and no group is given",
			       who.uid);
	who.gid = caller->run_as_gid < 0 ? user->pw_gid : (gid_t)caller->run_as_gid;
	r = user ? find_groups(user->pw_name, &who, why) : only_group(&who, why);
	if (r == 0)
		/* without a home it must not be root's */
		r = fill_environment(&who,
				     user ? (const char *const[]){user->pw_dir, user->pw_name,
								  user->pw_name}
					  : (const char *const[]){"/", NULL, NULL},
				     why);
	if (r < 0)
		trace_identity_free(&who);
	else
		*ret = who;
	return r;
}

void trace_identity_free(struct trace_identity *who)
{
	free(who->environment);
	free(who->texts);
	free(who->groups);
	*who = (struct trace_identity){.changes = false};
}

/* The calls themselves: those of libc signal all threads of the process that they take themselves for. */
int trace_identity_become(const struct trace_identity *who)
{
	if (!who->changes)
		return 0;
	if (syscall(SYS_setgroups, who->n_groups, who->groups) < 0 ||
	    syscall(SYS_setresgid, who->gid, who->gid, who->gid) < 0 ||
	    syscall(SYS_setresuid, who->uid, who->uid, who->uid) < 0)
		return -errno;
	return 0;
}
