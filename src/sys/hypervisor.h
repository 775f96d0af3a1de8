/* SPDX-License-Identifier: MIT */
/* Whether this is a virtual machine, and whose. */
#ifndef SYS_HYPERVISOR_H
#define SYS_HYPERVISOR_H

#include <stdbool.h>
#include <stddef.h>

/* "KVM", "Xen" ...; "none" on bare hardware; "" where it cannot be told. */
void sys_hypervisor(char *ret_name, size_t size);

/* Whether such a name is that of one. */
bool sys_hypervisor_is_one(const char *name);

#endif
