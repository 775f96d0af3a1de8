/* SPDX-License-Identifier: MIT */
/* How much memory this process can take without being killed for it. */
#ifndef SYS_MEMORY_H
#define SYS_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sys_memory {
	uint64_t available_bytes;    /* the least of the limits below; UINT64_MAX: unknown */
	char limited_by[96];         /* what sets it: "MemAvailable", "cgroup limit 512 MiB" ... */
	bool counts_mappings;        /* that limit is on what is mapped, touched or not */
	uint64_t total_bytes;        /* MemTotal */
	uint64_t cgroup_limit_bytes; /* UINT64_MAX: none */
};

/*
 * Takes the least of MemAvailable, the room below the memory limit of this process's cgroup and of
 * its ancestors (v1 and v2; file cache counts as room), RLIMIT_AS and RLIMIT_DATA. Reads files,
 * so not for timed code.
 */
void sys_memory_probe(struct sys_memory *ret);

/* Bytes that a process may lock: RLIMIT_MEMLOCK; -1: none, not known, or it has CAP_IPC_LOCK, which no limit binds. */
int64_t sys_memory_lock_limit(pid_t pid);

#endif
