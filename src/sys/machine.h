/* SPDX-License-Identifier: MIT */
/* What this machine is, as facts by name: the part of a document that says where it was made. */
#ifndef SYS_MACHINE_H
#define SYS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum { SYS_MAX_FACTS = 64, SYS_FACT_TEXT = 192 };

/* A number (bytes, counts) or a text. What could not be found out is no fact at all. */
struct sys_fact {
	char key[32];
	bool is_number;
	uint64_t number;
	char text[SYS_FACT_TEXT];
};

struct sys_machine {
	unsigned n_facts;
	struct sys_fact facts[SYS_MAX_FACTS];
};

/* Looks at this machine, and at the filesystem and disk under dir (NULL: not). */
void sys_machine_probe(struct sys_machine *ret, const char *dir);

/* The fact of that name, or NULL. */
const struct sys_fact *sys_machine_fact(const struct sys_machine *m, const char *key);
const char *sys_machine_text(const struct sys_machine *m, const char *key, const char *otherwise);
uint64_t sys_machine_u64(const struct sys_machine *m, const char *key, uint64_t otherwise);

/* Adds a fact; one too many is dropped. Text is made harmless. */
void sys_machine_add_text(struct sys_machine *m, const char *key, const char *text);
void sys_machine_add_u64(struct sys_machine *m, const char *key, uint64_t number);

#endif
