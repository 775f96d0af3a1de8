/* SPDX-License-Identifier: MIT */
/* Runs a command to which perf_event_open is refused, as in containers: no_perf ERRNO COMMAND... */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SKIPPED = 77 }; /* what the tests take for "cannot be done here" */

int main(int argc, char **argv)
{
	unsigned error = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (error == 0) {
		(void)fputs("usage: no_perf ERRNO COMMAND...\n", stderr);
		return 2;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		perror("no_perf: cannot install a seccomp filter");
		return SKIPPED;
	}
	(void)execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
