/* SPDX-License-Identifier: MIT */
/* What an ELF file and its debug information say of the code in it, read by libdw. */
#include "src/base/array.h"
#include "src/trace/symbols_debug.h"
#include "src/trace/symbols_name.h"
#include "src/trace/symbols_parts.h"
#include "src/trace/symbols_scopes.h"
#include "src/trace/symbols_table.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct trace_elf {
	int fd; /* -1: libdwfl has it */
	char *path;
	bool opened, looked_for_debug, looked_for_table;
	Dwfl *dwfl; /* a session of its own: no module is in the way of another */
	Dwfl_Module *module;
	struct trace_debug debug;
	struct trace_scopes *scopes;
	GElf_Addr scopes_bias;
	struct trace_table *table;
};

/* --- opening ------------------------------------------------------------------------------------------- */

struct trace_elf *trace_elf_new(int fd, const char *path)
{
	struct trace_elf *elf = calloc(1, sizeof(*elf));

	if (elf)
		elf->path = strdup(path);
	if (!elf || !elf->path) {
		(void)close(fd);
		free(elf);
		return NULL;
	}
	elf->fd = fd;
	return elf;
}

void trace_elf_free(struct trace_elf *elf)
{
	if (!elf)
		return;
	trace_scopes_free(elf->scopes);
	trace_table_free(elf->table);
	if (elf->dwfl)
		dwfl_end(elf->dwfl);
	if (elf->fd >= 0)
		(void)close(elf->fd);
	free(elf->path);
	free(elf);
}

/* libdwfl asks only of modules whose file it was not given. */
static int find_no_elf(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		       char **file_name, Elf **elf)
{
	(void)mod, (void)userdata, (void)name, (void)base, (void)file_name, (void)elf;
	return -1;
}

/* The module, at its own addresses; NULL: it is no ELF file, or a broken one. */
static Dwfl_Module *module_of(struct trace_elf *elf)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_no_elf,
		.find_debuginfo = trace_debug_find,
	};
	void **userdata;

	if (elf->opened)
		return elf->module;
	elf->opened = true;
	(void)elf_version(EV_CURRENT);
	elf->dwfl = dwfl_begin(&callbacks);
	if (!elf->dwfl)
		return NULL;
	dwfl_report_begin(elf->dwfl);
	elf->module = dwfl_report_elf(elf->dwfl, elf->path, elf->path, elf->fd, 0, true);
	if (elf->module) {
		elf->fd = -1;
		(void)dwfl_module_info(elf->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
		*userdata = &elf->debug;
	}
	if (dwfl_report_end(elf->dwfl, NULL, NULL) != 0)
		elf->module = NULL;
	return elf->module;
}

/* NULL: there is no debug information. */
static struct trace_scopes *scopes_of(struct trace_elf *elf)
{
	const char *name;
	const void *id;
	Dwarf *dw;

	if (elf->looked_for_debug)
		return elf->scopes;
	elf->looked_for_debug = true;
	dw = dwfl_module_getdwarf(elf->module, &elf->scopes_bias);
	if (!dw)
		return NULL;
	/* libdw would look for the other file itself, and open whatever has its name */
	if (dwelf_dwarf_gnu_debugaltlink(dw, &name, &id) != 0 && !elf->debug.found_alt)
		return NULL;
	elf->scopes = trace_scopes_new(dw);
	return elf->scopes;
}

/* --- addresses ----------------------------------------------------------------------------------------- */

/* The address in the module of an offset in its file: what is executable comes before what is not. */
static bool address_of(struct trace_elf *elf, uint64_t file_offset, GElf_Addr *ret)
{
	GElf_Addr bias;
	Elf *file = module_of(elf) ? dwfl_module_getelf(elf->module, &bias) : NULL;
	bool found = false, executable = false;
	size_t n = 0;
	GElf_Phdr p;

	if (!file || elf_getphdrnum(file, &n) != 0)
		return false;
	for (size_t i = 0; i < n && i < INT_MAX && !executable; i++) {
		if (!gelf_getphdr(file, (int)i, &p) || p.p_type != PT_LOAD ||
		    file_offset < p.p_offset || file_offset - p.p_offset >= p.p_filesz)
			continue;
		executable = (p.p_flags & PF_X) != 0;
		if (!found || executable)
			*ret = file_offset - p.p_offset + p.p_vaddr + bias;
		found = true;
	}
	return found;
}

/* --- frames -------------------------------------------------------------------------------------------- */

/* The function of the symbol table: the innermost that is not inlined. */
static void name_by_symbol(struct trace_elf *elf, GElf_Addr address, struct model_frame *frame)
{
	const char *name;

	if (!elf->looked_for_table) {
		elf->looked_for_table = true;
		elf->table = trace_table_new(elf->module);
	}
	name = elf->table ? trace_table_find(elf->table, address) : NULL;
	if (name)
		trace_name_function(name, frame->function, sizeof(frame->function));
}

size_t trace_elf_frames(struct trace_elf *elf, uint64_t file_offset, struct model_frame *ret,
			size_t max)
{
	struct trace_scopes *scopes;
	GElf_Addr address;
	size_t n = 0;

	if (max == 0 || !address_of(elf, file_offset, &address))
		return 0;
	scopes = scopes_of(elf);
	if (scopes)
		n = trace_scopes_frames(scopes, address - elf->scopes_bias, ret, max);
	if (n == 0) {
		memset(&ret[0], 0, sizeof(ret[0]));
		n = 1;
	}
	/* It knows ".cold" and ".part.0", which debug information does not. */
	name_by_symbol(elf, address, &ret[n - 1]);
	return n;
}

/* --- frame pointers ---------------------------------------------------------------------------------- */

/* DWARF's numbers of two registers. */
static const struct machine {
	int machine;
	unsigned frame_pointer, stack_pointer;
	bool is_saved; /* a frame is where the pointer is saved: the rules stay those of the stack pointer */
} machines[] = {
	{EM_X86_64, 6, 7, false},
	{EM_386, 5, 4, false},
	{EM_AARCH64, 29, 31, true},
	{EM_RISCV, 8, 2, false},
};

static const struct machine *machine_of(struct trace_elf *elf)
{
	GElf_Addr bias;
	Elf *file = dwfl_module_getelf(elf->module, &bias);
	GElf_Ehdr ehdr;

	if (!file || !gelf_getehdr(file, &ehdr))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(machines); i++)
		if (machines[i].machine == ehdr.e_machine)
			return &machines[i];
	return NULL;
}

static Dwarf_Frame *rules_in(Dwarf_CFI *cfi, GElf_Addr address)
{
	Dwarf_Frame *frame;

	return cfi && dwarf_cfi_addrframe(cfi, address, &frame) == 0 ? frame : NULL;
}

/* The rules for an address, to be freed; NULL: there are none. */
static Dwarf_Frame *rules_at(struct trace_elf *elf, GElf_Addr address)
{
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(elf->module, &bias);
	Dwarf_Frame *frame = rules_in(cfi, address - bias);

	if (frame)
		return frame;
	cfi = dwfl_module_dwarf_cfi(elf->module, &bias);
	return rules_in(cfi, address - bias);
}

/* The register on which the CFA is based, or negative errno. */
static int base_register(Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(frame, &ops, &n) != 0 || n == 0)
		return -ENODATA;
	if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
		return ops[0].atom - DW_OP_breg0;
	if (ops[0].atom == DW_OP_bregx && ops[0].number <= INT_MAX)
		return (int)ops[0].number;
	return -ENODATA;
}

/* How far the CFA is from the register it is based on, where that is all there is to it; else 0. */
static uint32_t base_distance(Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t n;
	Dwarf_Word distance;

	if (dwarf_frame_cfa(frame, &ops, &n) != 0 || n != 1)
		return 0;
	distance = ops[0].atom == DW_OP_bregx ? ops[0].number2 : ops[0].number;
	return distance < UINT32_MAX ? (uint32_t)distance : 0;
}

/* Whether the caller's value of a register lies in memory. */
static bool is_saved(Dwarf_Frame *frame, unsigned number)
{
	Dwarf_Op space[3], *ops;
	size_t n;

	return dwarf_frame_register(frame, (int)number, space, &ops, &n) == 0 && n > 0;
}

int trace_elf_has_frame(struct trace_elf *elf, uint64_t file_offset, uint32_t *ret_sp_bytes)
{
	const struct machine *machine;
	Dwarf_Frame *frame;
	GElf_Addr address;
	int base, r = -ENODATA;

	*ret_sp_bytes = 0;
	if (!address_of(elf, file_offset, &address))
		return -ENODATA;
	machine = machine_of(elf);
	frame = machine ? rules_at(elf, address) : NULL;
	if (!frame)
		return -ENODATA;
	base = base_register(frame);
	if (base == (int)machine->frame_pointer)
		r = 1;
	else if (base == (int)machine->stack_pointer)
		r = machine->is_saved && is_saved(frame, machine->frame_pointer);
	if (r == 0)
		*ret_sp_bytes = base_distance(frame);
	free(frame);
	return r;
}
