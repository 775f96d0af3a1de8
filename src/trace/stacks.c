/* SPDX-License-Identifier: MIT */
/* Call chains kept once each, by module and offset, so that they are the same in all processes. */
#include "src/trace/stacks.h"

#include "src/base/array.h"
#include "src/base/text.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

enum { MOST_STACKS = 1 << 15, MOST_FRAMES = 1 << 18, MOST_CHAINS = 1 << 16, MOST_DEPTH = 64 };

int trace_stacks_init(struct trace_stacks *s, struct trace_spaces *spaces,
		      struct trace_symbols *symbols)
{
	*s = (struct trace_stacks){.spaces = spaces, .symbols = symbols};
	s->stacks = reallocarray(NULL, 2, sizeof(*s->stacks));
	if (!s->stacks)
		return -ENOMEM;
	s->stacks[TRACE_STACK_NONE] = s->stacks[TRACE_STACK_KERNEL] = (struct trace_stack){0, 0};
	s->n_stacks = 2;
	return 0;
}

void trace_stacks_free(struct trace_stacks *s)
{
	free(s->frames);
	free(s->stacks);
	map_free(&s->by_frames);
	map_free(&s->by_chain);
	map_free(&s->by_place);
	*s = (struct trace_stacks){.n_stacks = 0};
}

/* --- frames ------------------------------------------------------------------------------------------------ */

static int module_of(struct trace_stacks *s, int32_t pid, struct trace_mapping *m)
{
	if (m->module == TRACE_MODULE_UNKNOWN)
		m->module =
			trace_symbols_module(s->symbols,
					     &(struct trace_module_key){
						     .pid = pid,
						     .start = m->start,
						     .end = m->end,
						     .dev_major = m->dev_major,
						     .dev_minor = m->dev_minor,
						     .inode = m->inode,
						     .path = trace_spaces_name(s->spaces, m->name),
					     });
	return m->module;
}

static struct trace_frame_ref frame_of(struct trace_stacks *s, int32_t pid, uint64_t address)
{
	struct trace_mapping *m = trace_spaces_find(s->spaces, pid, address, true);

	if (!m)
		return (struct trace_frame_ref){.offset = address, .module = -ENOENT, .pid = pid};
	if (m->backing != TRACE_FILE && m->backing != TRACE_SPECIAL)
		return (struct trace_frame_ref){
			.offset = address, .module = -ENOENT, .name = m->name, .pid = pid};
	return (struct trace_frame_ref){.offset = address - m->start + m->offset,
					.module = module_of(s, pid, m),
					.name = m->name};
}

static bool are_same(const struct trace_stacks *s, const struct trace_stack *stack,
		     const struct trace_frame_ref *frames, size_t n)
{
	if (stack->n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct trace_frame_ref *a = &s->frames[stack->first + i], *b = &frames[i];

		if (a->offset != b->offset || a->module != b->module || a->name != b->name ||
		    a->pid != b->pid)
			return false;
	}
	return true;
}

static bool make_room(struct trace_stacks *s, size_t n)
{
	size_t room = s->frames_room ? s->frames_room : 1024;
	struct trace_frame_ref *frames;
	struct trace_stack *stacks;

	if (s->n_stacks >= MOST_STACKS || s->n_frames + n > MOST_FRAMES)
		return false;
	stacks = array_grow(s->stacks, s->n_stacks, sizeof(*stacks));
	if (!stacks)
		return false;
	s->stacks = stacks;
	while (room < s->n_frames + n)
		room *= 2;
	if (room == s->frames_room)
		return true;
	frames = reallocarray(s->frames, room, sizeof(*frames));
	if (!frames)
		return false;
	s->frames = frames;
	s->frames_room = room;
	return true;
}

static uint32_t keep(struct trace_stacks *s, const struct trace_frame_ref *frames, size_t n)
{
	uint64_t hash = n;
	uint32_t stack;

	for (size_t i = 0; i < n; i++)
		hash = map_mix_in(map_mix_in(hash, frames[i].offset),
				  (uint64_t)(uint32_t)frames[i].module << 32 |
					  (frames[i].name ^ (uint32_t)frames[i].pid));
	stack = map_get(&s->by_frames, hash);
	if (stack != MAP_NONE && are_same(s, &s->stacks[stack], frames, n))
		return stack;
	if (stack != MAP_NONE || !make_room(s, n)) {
		s->n_left_out++;
		return 0;
	}
	memcpy(s->frames + s->n_frames, frames, n * sizeof(*frames));
	s->stacks[s->n_stacks] = (struct trace_stack){(uint32_t)s->n_frames, (uint32_t)n};
	if (map_put(&s->by_frames, hash, (uint32_t)s->n_stacks) < 0)
		return 0;
	s->n_frames += n;
	return (uint32_t)s->n_stacks++;
}

/* --- chains --------------------------------------------------------------------------------------------------- */

static bool is_marker(uint64_t entry)
{
	return entry >= (uint64_t)PERF_CONTEXT_MAX; /* the markers are the highest numbers */
}

/* A process is another program behind each exec. */
static uint64_t program_of(int32_t pid, uint32_t epoch)
{
	return (uint64_t)epoch << 32 | (uint32_t)pid;
}

/* The innermost instruction of a raw chain; 0: there is none. */
static uint64_t innermost(const uint64_t *chain, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_marker(chain[i]))
			return chain[i];
	return 0;
}

uint64_t trace_stacks_caller(struct trace_stacks *s, int32_t pid, const uint64_t *chain, size_t n,
			     const unsigned char *stack, size_t stack_bytes)
{
#if defined(__x86_64__)
	uint64_t ip = innermost(chain, n), caller;
	struct trace_frame_ref frame = frame_of(s, pid, ip);
	uint32_t sp_bytes;

	if (frame.module < 0 ||
	    trace_symbols_has_frame(s->symbols, frame.module, frame.offset, &sp_bytes) != 0 ||
	    sp_bytes < sizeof(caller) || sp_bytes > stack_bytes)
		return 0;
	memcpy(&caller, stack + sp_bytes - sizeof(caller), sizeof(caller));
	return caller;
#else /* the return address is in a register, and the kernel's chain begins with it */
	(void)s, (void)pid, (void)chain, (void)n, (void)stack, (void)stack_bytes;
	return 0;
#endif
}

/* Behind the innermost frame comes its caller, where that is code and not there already. */
static size_t take_frames(struct trace_stacks *s, int32_t pid, const uint64_t *chain, size_t n,
			  uint64_t caller, struct trace_frame_ref ret[MOST_DEPTH])
{
	size_t n_frames = 0;

	for (size_t i = 0; i < n && n_frames < MOST_DEPTH; i++) {
		/* an end without frame pointers is no caller */
		if (is_marker(chain[i]) || chain[i] <= 1)
			continue;
		if (n_frames == 1 && caller && caller != chain[i])
			ret[n_frames++] = frame_of(s, pid, caller);
		if (n_frames < MOST_DEPTH)
			ret[n_frames++] = frame_of(s, pid, chain[i]);
	}
	if (n_frames == 1 && caller)
		ret[n_frames++] = frame_of(s, pid, caller);
	return n_frames;
}

uint32_t trace_stacks_of_chain(struct trace_stacks *s, int32_t pid, uint32_t epoch,
			       const uint64_t *chain, size_t n, uint64_t caller)
{
	struct trace_frame_ref frames[MOST_DEPTH];
	uint64_t hash = map_mix_in(program_of(pid, epoch), caller);
	size_t n_frames;
	uint32_t stack;

	for (size_t i = 0; i < n; i++)
		hash = map_mix_in(hash, chain[i]);
	stack = map_get(&s->by_chain, hash);
	if (stack != MAP_NONE)
		return stack;
	n_frames = take_frames(s, pid, chain, n, caller, frames);
	stack = n_frames ? keep(s, frames, n_frames) : TRACE_STACK_NONE;
	if (s->by_chain.n < MOST_CHAINS)
		(void)map_put(&s->by_chain, hash, stack); /* no memory: it is made again */
	else
		map_free(&s->by_chain); /* what is in use comes back */
	return stack;
}

static uint64_t place_of(uint64_t program, int32_t tid, uint64_t ip, uint64_t sp, uint64_t bp)
{
	uint64_t hash = map_mix_in(map_mix_in(program, (uint32_t)tid), ip);

	return map_mix_in(map_mix_in(hash, sp), bp);
}

void trace_stacks_learn(struct trace_stacks *s, int32_t pid, uint32_t epoch, int32_t tid,
			const struct trace_place *at, uint32_t stack)
{
	uint64_t program = program_of(pid, epoch);

	if (s->by_place.n >= MOST_CHAINS)
		map_free(&s->by_place);
	(void)map_put(&s->by_place, place_of(program, tid, at->ip, at->sp, at->bp), stack);
	(void)map_put(&s->by_place, place_of(program, 0, at->ip, 0, 0), stack);
}

uint32_t trace_stacks_guess(struct trace_stacks *s, int32_t pid, uint32_t epoch, int32_t tid,
			    const struct trace_place *at)
{
	uint64_t program = program_of(pid, epoch);
	uint32_t stack = map_get(&s->by_place, place_of(program, tid, at->ip, at->sp, at->bp));

	if (stack == MAP_NONE)
		stack = map_get(&s->by_place, place_of(program, 0, at->ip, 0, 0));
	return stack != MAP_NONE ? stack : trace_stacks_of_chain(s, pid, epoch, &at->ip, 1, 0);
}

bool trace_stacks_is_astray(const struct trace_stacks *s, uint32_t stack)
{
	const struct trace_stack *st = &s->stacks[stack];

	return st->n == 0 || (s->frames[st->first].module < 0 && s->frames[st->first].name == 0);
}

/* --- for people ------------------------------------------------------------------------------------------------ */

static size_t resolve(const struct trace_stacks *s, const struct trace_frame_ref *ref,
		      bool behind_call, struct model_frame *ret, size_t max)
{
	size_t n;

	if (ref->module >= 0)
		return trace_symbols_resolve(s->symbols, ref->module, ref->offset, behind_call, ret,
					     max);
	*ret = (struct model_frame){.module_offset = ref->offset};
	n = ref->pid ? trace_symbols_resolve_jit(s->symbols, ref->pid, ref->offset, ret) : 0;
	if (n == 0 && ref->name) /* else it is nowhere that we know */
		text_copy(ret->module, sizeof(ret->module),
			  trace_spaces_name(s->spaces, ref->name));
	return 1;
}

size_t trace_stacks_resolve(const struct trace_stacks *s, uint32_t stack, struct model_frame *ret,
			    size_t max)
{
	const struct trace_stack *st = &s->stacks[stack];
	size_t n = 0;

	if (stack == TRACE_STACK_KERNEL && max > 0) {
		*ret = (struct model_frame){.function = "[kernel]"};
		return 1;
	}
	for (size_t i = 0; i < st->n && n < max; i++)
		n += resolve(s, &s->frames[st->first + i], i > 0, ret + n, max - n);
	return n;
}
