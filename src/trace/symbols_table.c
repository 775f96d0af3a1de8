/* SPDX-License-Identifier: MIT */
/* The functions of a module's symbol table, by address: libdwfl's own search walks all of them each time. */
#include "src/trace/symbols_table.h"

#include "src/base/array.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BACK = 8 }; /* symbols looked at before the nearest: they may lie in each other */

struct symbol {
	GElf_Addr start, end;
	const char *name;
	unsigned rank; /* the higher, the better a name where there are several */
	bool has_size;
};

struct trace_table {
	struct symbol *symbols;
	size_t n;
};

/* "read" is what people know, and not "__read" or "__GI___libc_read". */
static unsigned rank_of(const GElf_Sym *sym, const char *name)
{
	enum { WEAK = 1, UNDERSCORE = 2, MOST_UNDERSCORES = 7, LOCAL = 16 };
	size_t n_underscores = strspn(name, "_");
	unsigned rank = LOCAL + UNDERSCORE * MOST_UNDERSCORES + WEAK;

	if (n_underscores > MOST_UNDERSCORES)
		n_underscores = MOST_UNDERSCORES;
	rank -= UNDERSCORE * (unsigned)n_underscores;
	if (GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		rank -= LOCAL;
	if (GELF_ST_BIND(sym->st_info) == STB_WEAK)
		rank -= WEAK;
	return rank;
}

/* The end of the code section that a symbol is in; 0: it is in none. */
static GElf_Addr section_end(Elf *elf, GElf_Word index, Dwarf_Addr bias)
{
	Elf_Scn *section = elf ? elf_getscn(elf, index) : NULL;
	GElf_Shdr shdr;

	if (!section || !gelf_getshdr(section, &shdr) || !(shdr.sh_flags & SHF_EXECINSTR))
		return 0;
	return shdr.sh_addr + shdr.sh_size + bias;
}

/* False: it is none of a function. */
static bool read_symbol(Dwfl_Module *module, int i, struct symbol *ret)
{
	GElf_Sym sym;
	GElf_Addr address;
	GElf_Word section;
	Elf *elf;
	Dwarf_Addr bias;
	const char *name =
		dwfl_module_getsym_info(module, i, &sym, &address, &section, &elf, &bias);
	int type = name ? GELF_ST_TYPE(sym.st_info) : STT_SECTION;

	/* Assembly has symbols without a type; '$' and ".L" only mark places. */
	if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
	    sym.st_shndx == SHN_UNDEF || !*name || name[0] == '$' || strncmp(name, ".L", 2) == 0)
		return false;
	*ret = (struct symbol){address, address + sym.st_size, name, rank_of(&sym, name),
			       sym.st_size > 0};
	/* one without a size ends where the next begins, or its section ends */
	if (type == STT_NOTYPE || !ret->has_size) {
		GElf_Addr end = section_end(elf, section, bias);

		if (!ret->has_size)
			ret->end = end;
		if (!end)
			return false;
	}
	return ret->start < ret->end;
}

/* Of those with the same start the longest comes first, and the best name last. */
static int by_start(const void *a, const void *b)
{
	const struct symbol *s = a, *t = b;

	if (s->start != t->start)
		return s->start < t->start ? -1 : 1;
	if (s->has_size != t->has_size)
		return s->has_size ? 1 : -1;
	if (s->end != t->end)
		return s->end > t->end ? -1 : 1;
	if (s->rank != t->rank)
		return s->rank < t->rank ? -1 : 1;
	return strcmp(s->name, t->name);
}

/* Sorts, and keeps one name of each stretch. One without a size in a function is a label there, not another. */
static void tidy(struct trace_table *table)
{
	struct symbol *s = table->symbols;
	GElf_Addr reach = 0; /* the end of the functions before */
	size_t n = 0;

	if (table->n)
		qsort(s, table->n, sizeof(*s), by_start);
	for (size_t i = 0; i < table->n; i++) {
		const struct symbol *next = i + 1 < table->n ? &s[i + 1] : NULL;
		bool is_same_start = next && next->start == s[i].start;

		if (is_same_start && (!s[i].has_size || next->end == s[i].end))
			continue;
		if (!s[i].has_size && s[i].start < reach)
			continue;
		if (!s[i].has_size && next && next->start < s[i].end)
			s[i].end = next->start;
		if (s[i].has_size && s[i].end > reach)
			reach = s[i].end;
		s[n++] = s[i];
	}
	table->n = n;
}

struct trace_table *trace_table_new(Dwfl_Module *module)
{
	struct trace_table *table = calloc(1, sizeof(*table));
	int n = table ? dwfl_module_getsymtab(module) : 0;

	for (int i = 0; i < n; i++) {
		struct symbol *grown, symbol;

		if (!read_symbol(module, i, &symbol))
			continue;
		grown = array_grow(table->symbols, table->n, sizeof(*grown));
		if (!grown) {
			trace_table_free(table);
			return NULL;
		}
		table->symbols = grown;
		table->symbols[table->n++] = symbol;
	}
	if (table)
		tidy(table);
	return table;
}

void trace_table_free(struct trace_table *table)
{
	if (!table)
		return;
	free(table->symbols);
	free(table);
}

const char *trace_table_find(const struct trace_table *table, GElf_Addr address)
{
	size_t lo = 0, hi = table->n;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (table->symbols[middle].start <= address)
			lo = middle + 1;
		else
			hi = middle;
	}
	for (size_t steps = 0; lo > 0 && steps < MAX_BACK; steps++)
		if (table->symbols[--lo].end > address)
			return table->symbols[lo].name;
	return NULL;
}
