/* SPDX-License-Identifier: MIT */
/* Call chains kept once each, by module and offset, so that they are the same in all processes. */
#ifndef TRACE_STACKS_H
#define TRACE_STACKS_H

#include "src/base/map.h"
#include "src/trace/spaces.h"
#include "src/trace/symbols.h"

struct trace_frame_ref {
	uint64_t offset; /* in the module's file; an address where there is none */
	int32_t module;  /* trace_symbols_module(); negative: none */
	uint32_t name;   /* trace_spaces_name() of the mapping; 0: not known */
	int32_t pid;     /* of code in no file */
};

/* Stacks that are always there: what is not known, or did not fit; the kernel itself, as when exec makes a program. */
enum { TRACE_STACK_NONE, TRACE_STACK_KERNEL };

struct trace_stack {
	uint32_t first, n; /* in frames */
};

/* Where a thread was: its instruction, stack pointer and frame pointer. */
struct trace_place {
	uint64_t ip, sp, bp;
};

struct trace_stacks {
	struct trace_spaces *spaces;
	struct trace_symbols *symbols;
	struct trace_frame_ref *frames;
	size_t n_frames, frames_room;
	struct trace_stack *stacks;
	size_t n_stacks;
	struct map by_frames; /* hash of frames -> stack */
	struct map by_chain;  /* hash of pid and raw chain -> stack */
	struct map
		by_place; /* hash of process, exec, thread, instruction, stack and frame pointer -> stack */
	uint64_t n_left_out;
};

int trace_stacks_init(struct trace_stacks *stacks, struct trace_spaces *spaces,
		      struct trace_symbols *symbols);
void trace_stacks_free(struct trace_stacks *stacks);

/*
 * A raw chain, markers and all, innermost first; epoch: how often the process has called exec. caller: of the
 * innermost function, where the chain lacks it; 0: it does not, or it is not known.
 */
uint32_t trace_stacks_of_chain(struct trace_stacks *stacks, int32_t pid, uint32_t epoch,
			       const uint64_t *chain, size_t n, uint64_t caller);

/*
 * A chain that was walked by frame pointers lacks the caller of an innermost function that has no frame. The return
 * address, found at the top of the stack by the rules for unwinding that function; 0: it has a frame, or is not known.
 */
uint64_t trace_stacks_caller(struct trace_stacks *stacks, int32_t pid, const uint64_t *chain,
			     size_t n, const unsigned char *stack, size_t stack_bytes);

/* Keeps which chain an instruction had at this place of the stack, and finds it for a fault whose chain was not
 * walked: first by the very place, then by instruction alone; else the instruction is all that is known. */
void trace_stacks_learn(struct trace_stacks *stacks, int32_t pid, uint32_t epoch, int32_t tid,
			const struct trace_place *at, uint32_t stack);
uint32_t trace_stacks_guess(struct trace_stacks *stacks, int32_t pid, uint32_t epoch, int32_t tid,
			    const struct trace_place *at);

/* Whether its innermost frame is in no mapping: of the program before exec, mostly. */
bool trace_stacks_is_astray(const struct trace_stacks *stacks, uint32_t stack);

/* Frames of a stack for people, innermost first: at most max. */
size_t trace_stacks_resolve(const struct trace_stacks *stacks, uint32_t stack,
			    struct model_frame *ret, size_t max);

#endif
