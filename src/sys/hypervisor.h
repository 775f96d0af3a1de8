/* SPDX-License-Identifier: MIT */
/* Whether this is a virtual machine, and whose. */
#ifndef SYS_HYPERVISOR_H
#define SYS_HYPERVISOR_H

#include <stddef.h>

/* "KVM", "Xen" ...; "none" on bare hardware; "" where it cannot be told. */
void sys_hypervisor(char *ret_name, size_t size);

#endif
