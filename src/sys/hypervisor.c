/* SPDX-License-Identifier: MIT */
/* Whether this is a virtual machine, and whose. */
#include "src/sys/hypervisor.h"

#include "src/base/array.h"
#include "src/base/text.h"
#include "src/sys/file.h"

#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#if defined(__x86_64__)
/* Signatures of CPUID leaf 0x40000000 and the names people use. */
static const char *const hypervisors[][2] = {
	{"KVMKVMKVM", "KVM"},     {"Microsoft Hv", "Hyper-V"},  {"VMwareVMware", "VMware"},
	{"XenVMMXenVMM", "Xen"},  {"TCGTCGTCGTCG", "QEMU TCG"}, {"bhyve bhyve ", "bhyve"},
	{"ACRNACRNACRN", "ACRN"},
};
#endif

/* CPUID leaf 0x40000000 names the hypervisor, where bit 31 of leaf 1 says that there is one. */
void sys_hypervisor(char *ret_name, size_t size)
{
	char text[64];

	*ret_name = 0;
#if defined(__x86_64__)
	unsigned a, b, c, d;
	unsigned name[4] = {0};

	if (__get_cpuid(1, &a, &b, &c, &d)) {
		if (!(c >> 31)) {
			text_copy(ret_name, size, "none");
			return;
		}
		__cpuid(0x40000000, a, name[0], name[1], name[2]);
		(void)snprintf(text, sizeof(text), "%.12s", (const char *)name);
		for (size_t i = 0; i < ARRAY_LEN(hypervisors); i++)
			if (strcmp(text, hypervisors[i][0]) == 0)
				text_copy(text, sizeof(text), hypervisors[i][1]);
		text_copy(ret_name, size, text_strip(text));
		return;
	}
#endif
	/* elsewhere only makers of nothing but VMs tell: others build machines, too */
	if (sys_read_text("/sys/hypervisor/type", text, sizeof(text)) > 0 ||
	    (sys_read_text("/sys/class/dmi/id/sys_vendor", text, sizeof(text)) > 0 &&
	     strcmp(text, "QEMU") == 0))
		text_copy(ret_name, size, text);
}

bool sys_hypervisor_is_one(const char *name)
{
	return *name && strcmp(name, "none") != 0;
}
