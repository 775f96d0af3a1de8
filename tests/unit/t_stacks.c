/* SPDX-License-Identifier: MIT */
/* Call chains kept once: the same code in two processes, code in no mapping, guesses, bounds. */
#include "src/base/array.h"
#include "src/trace/stacks.h"
#include "tests/tap.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

/* No kernel gives such numbers to processes, so that /proc has nothing to say of them. */
enum { PID = 5000000, OTHER = 6000000, DISK = 8 };
enum { LENGTH = 0x100000 };

static struct trace_spaces *spaces;
static struct trace_symbols *symbols;
static struct trace_stacks stacks;

static void end(void)
{
	trace_stacks_free(&stacks);
	trace_symbols_free(symbols);
	trace_spaces_free(spaces);
}

static void map(pid_t pid, uint64_t start, uint64_t offset, const char *name)
{
	struct trace_mmap_event e = {
		.pid = pid,
		.start = start,
		.length = LENGTH,
		.offset = offset,
		.dev_major = name[0] == '/' ? DISK : 0,
		.inode = name[0] == '/' ? 100 + (unsigned char)name[1] : 0,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
		.name = name,
	};

	trace_spaces_mmap(spaces, &e);
}

/* The same program and library at other addresses in each; a heap of PID's. */
static void begin(void)
{
	end();
	if (trace_spaces_new(&spaces) < 0 || trace_symbols_new(&symbols) < 0 ||
	    trace_stacks_init(&stacks, spaces, symbols) < 0)
		exit(EXIT_FAILURE);
	map(PID, 0x10000000, 0, "/nowhere/program");
	map(PID, 0x20000000, 0x1000, "/library");
	map(PID, 0x30000000, 0, "[heap]");
	map(OTHER, 0x50000000, 0, "/nowhere/program");
	map(OTHER, 0x60000000, 0x1000, "/library");
}

static uint32_t chain_of_two(pid_t pid, uint64_t a, uint64_t b)
{
	uint64_t chain[] = {a, b};

	return trace_stacks_of_chain(&stacks, pid, 0, chain, 2, 0);
}

static const struct trace_place *at(uint64_t ip, uint64_t sp, uint64_t bp)
{
	static struct trace_place place;

	place = (struct trace_place){ip, sp, bp};
	return &place;
}

static void test_same_in_two(void)
{
	uint32_t one, two;
	const struct trace_frame_ref *frames;

	begin();
	one = chain_of_two(PID, 0x20000004, 0x10000008);
	two = chain_of_two(OTHER, 0x60000004, 0x50000008);
	t_ok(one > TRACE_STACK_KERNEL && one == two, "the same code in two processes: one stack");
	frames = &stacks.frames[stacks.stacks[one].first];
	t_ok(stacks.stacks[one].n == 2 && frames[0].offset == 0x1004 && frames[1].offset == 8,
	     "offsets are in the files");
	t_is_str(trace_spaces_name(spaces, frames[0].name), "/library", "and the file is known");
	t_is_u64(chain_of_two(PID, 0x20000004, 0x10000008), one, "again: the same");
	t_ok(chain_of_two(PID, 0x20000004, 0x10000009) != one, "another caller: another");
	t_ok(chain_of_two(PID, 0x10000008, 0x20000004) != one, "another order: another");
	t_ok(trace_stacks_of_chain(&stacks, PID, 0, (uint64_t[]){0x20000004}, 1, 0) != one,
	     "less of it: another");
	t_is_u64(stacks.n_left_out, 0, "nothing was left out");
}

static void test_markers(void)
{
	uint64_t chain[] = {(uint64_t)PERF_CONTEXT_USER, 0x20000004, 0x10000008, 0, 1,
			    (uint64_t)PERF_CONTEXT_MAX};

	begin();
	t_is_u64(trace_stacks_of_chain(&stacks, PID, 0, chain, ARRAY_LEN(chain), 0),
		 chain_of_two(PID, 0x20000004, 0x10000008),
		 "markers and ends without a frame pointer are no frames");
	t_is_u64(trace_stacks_of_chain(&stacks, PID, 0, chain, 1, 0), TRACE_STACK_NONE,
		 "a marker alone is no stack");
	t_is_u64(trace_stacks_of_chain(&stacks, PID, 0, chain, 0, 0), TRACE_STACK_NONE,
		 "nor is nothing");
}

static void test_astray(void)
{
	begin();
	t_ok(trace_stacks_is_astray(&stacks, chain_of_two(PID, 0x999000000, 0x10000008)),
	     "code in no mapping");
	t_ok(!trace_stacks_is_astray(&stacks, chain_of_two(PID, 0x10000008, 0x999000000)),
	     "called from no mapping: not astray");
	t_ok(!trace_stacks_is_astray(&stacks, chain_of_two(PID, 0x30000010, 0x10000008)),
	     "code in memory without a file, as JIT compilers make it: not astray");
	t_ok(trace_stacks_is_astray(&stacks, TRACE_STACK_NONE), "nothing is astray");
	t_ok(chain_of_two(PID, 0x999000000, 0x10000008) !=
		     chain_of_two(OTHER, 0x999000000, 0x50000008),
	     "code in no file is each process's own");
}

static void test_exec(void)
{
	uint64_t ip = 0x10000008;
	uint32_t before, after;

	begin();
	before = trace_stacks_of_chain(&stacks, PID, 0, &ip, 1, 0);
	trace_stacks_learn(&stacks, PID, 0, PID, at(ip, 0x7000, 0x7010), before);
	trace_spaces_exec(spaces, PID);
	map(PID, 0x10000000, 0, "/second");
	after = trace_stacks_of_chain(&stacks, PID, 1, &ip, 1, 0);
	t_ok(before != after, "behind exec the same address is other code");
	t_is_u64(trace_stacks_guess(&stacks, PID, 1, PID, at(ip, 0x7000, 0x7010)), after,
		 "and what was learnt of it is no guess any more");
}

static void test_guess(void)
{
	uint64_t ip = 0x20000004;
	uint32_t alone, one, two;

	begin();
	alone = trace_stacks_of_chain(&stacks, PID, 0, &ip, 1, 0);
	one = chain_of_two(PID, ip, 0x10000008);
	two = chain_of_two(PID, ip, 0x10000100);
	t_is_u64(trace_stacks_guess(&stacks, PID, 0, PID, at(ip, 0x7000, 0x7010)), alone,
		 "nothing was learnt: the instruction is all that is known");
	trace_stacks_learn(&stacks, PID, 0, PID, at(ip, 0x7000, 0x7010), one);
	trace_stacks_learn(&stacks, PID, 0, PID, at(ip, 0x6000, 0x6010), two);
	t_is_u64(trace_stacks_guess(&stacks, PID, 0, PID, at(ip, 0x7000, 0x7010)), one,
		 "by the very place of the stack");
	t_is_u64(trace_stacks_guess(&stacks, PID, 0, PID, at(ip, 0x6000, 0x6010)), two,
		 "each its own");
	t_is_u64(trace_stacks_guess(&stacks, PID, 0, PID, at(ip, 0x5000, 0x5010)), two,
		 "another place: by the instruction, as it was last");
	t_is_u64(trace_stacks_guess(&stacks, PID, 0, PID + 1, at(ip, 0x7000, 0x7010)), two,
		 "another thread: the same");
	t_is_u64(trace_stacks_guess(&stacks, PID, 0, PID, at(ip + 4, 0x7000, 0x7010)),
		 trace_stacks_of_chain(&stacks, PID, 0, (uint64_t[]){ip + 4}, 1, 0),
		 "another instruction: what is known of it");
	t_ok(trace_stacks_guess(&stacks, OTHER, 0, PID, at(ip, 0x7000, 0x7010)) != one,
	     "another process: not by that");
}

static void test_bounds(void)
{
	enum { DEEP = 200, MANY = 70000 };
	uint64_t deep[DEEP];
	struct model_frame frames[MODEL_MAX_STACK];
	uint32_t stack, first;
	bool good = true;

	begin();
	for (size_t i = 0; i < DEEP; i++)
		deep[i] = 0x10000010 + 16 * i;
	stack = trace_stacks_of_chain(&stacks, PID, 0, deep, DEEP, 0);
	t_ok(stack > TRACE_STACK_KERNEL && stacks.stacks[stack].n == 64,
	     "of a deep chain the innermost 64");
	t_is_u64(trace_stacks_resolve(&stacks, stack, frames, MODEL_MAX_STACK), MODEL_MAX_STACK,
		 "for people at most as many as they asked for");
	first = chain_of_two(PID, 0x20000004, 0x10000008);
	for (uint64_t i = 0; i < MANY; i++) {
		uint32_t s = chain_of_two(PID, 0x10000000 + i, 0x20000000 + i);

		good = good && s < stacks.n_stacks && (s > TRACE_STACK_KERNEL || stacks.n_left_out);
	}
	t_ok(good, "each of many has a stack, or is left out");
	t_ok(stacks.n_stacks <= 1 << 15 && stacks.n_frames <= 1 << 18 &&
		     stacks.by_chain.n <= 1 << 16,
	     "tables are bounded");
	t_ok(stacks.n_left_out >= MANY - (1 << 15), "what did not fit is counted");
	t_is_u64(chain_of_two(PID, 0x20000004, 0x10000008), first,
		 "those that are there are found still");
	for (uint64_t i = 0; i < MANY; i++)
		trace_stacks_learn(&stacks, PID, 0, PID, at(0x10000000 + i, 0x7000, 0x7010), first);
	t_ok(stacks.by_place.n <= (1 << 16) + 2, "what is learnt is bounded, too");
}

/* Deep ones fill the frames before the stacks. */
static void test_bound_of_frames(void)
{
	enum { DEEP = 64, MANY = 5000 };
	uint64_t deep[DEEP];

	begin();
	for (uint64_t i = 0; i < MANY; i++) {
		for (size_t k = 0; k < DEEP; k++)
			deep[k] = 0x10000000 + 16 * k + i;
		(void)trace_stacks_of_chain(&stacks, PID, 0, deep, DEEP, 0);
	}
	t_ok(stacks.n_frames <= 1 << 18 && stacks.n_stacks < MANY, "frames are bounded");
	t_is_u64(stacks.n_left_out, MANY + 2 - stacks.n_stacks, "what did not fit is counted, too");
}

static void test_resolve(void)
{
	struct model_frame frames[4];
	uint32_t stack;

	begin();
	stack = chain_of_two(PID, 0x20000004, 0x10000008);
	t_is_u64(trace_stacks_resolve(&stacks, stack, frames, 4), 2, "two frames");
	t_ok(strcmp(frames[0].module, "/library") == 0 && frames[0].module_offset == 0x1004 &&
		     !frames[0].function[0],
	     "a file that is not there: its name and the offset in it");
	t_is_str(frames[1].module, "/nowhere/program", "the caller");
	t_is_u64(trace_stacks_resolve(&stacks, stack, frames, 1), 1,
		 "no more than there is room for");
	t_is_u64(trace_stacks_resolve(&stacks, TRACE_STACK_NONE, frames, 4), 0,
		 "nothing: no frame");
	t_is_u64(trace_stacks_resolve(&stacks, TRACE_STACK_KERNEL, frames, 4), 1,
		 "the kernel: one");
	t_is_str(frames[0].function, "[kernel]", "of that name");
	t_is_u64(trace_stacks_resolve(&stacks, TRACE_STACK_KERNEL, frames, 0), 0, "no room: none");
}

int main(void)
{
	test_same_in_two();
	test_markers();
	test_astray();
	test_exec();
	test_guess();
	test_bounds();
	test_bound_of_frames();
	test_resolve();
	end();
	return t_done();
}
