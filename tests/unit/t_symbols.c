/* SPDX-License-Identifier: MIT */
/* Addresses of this program, of libc and of copies of them, named; and files that nobody should open. */
#include "src/base/array.h"
#include "src/trace/symbols.h"
#include "tests/tap.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

static const char no_libdw[] =
	"needs pagetoll built with libdw and libiberty; tools/setup check installs them";

static struct trace_symbols *symbols;
static char dir[] = "/tmp/t_symbols.XXXXXX";

/* --- code whose addresses are looked up ---------------------------------------------------------------- */

/* Where the caller goes on, and its line. */
__attribute__((noinline)) static uintptr_t where(int *line, int n)
{
	*line = n;
	__asm__ volatile("");
	return (uintptr_t)__builtin_return_address(0);
}

static int line_plain, line_inner, line_middle, line_outer, line_cxx;

__attribute__((noinline)) static uintptr_t in_plain(void)
{
	uintptr_t at = where(&line_plain, __LINE__);

	__asm__ volatile("" : "+r"(at)); /* no tail call */
	return at;
}

static inline __attribute__((always_inline)) uintptr_t in_inner(void)
{
	uintptr_t at = where(&line_inner, __LINE__);

	__asm__ volatile("" : "+r"(at));
	return at;
}

static inline __attribute__((always_inline)) uintptr_t in_middle(void)
{
	line_middle = __LINE__ + 1;
	return in_inner();
}

__attribute__((noinline)) static uintptr_t in_outer(void)
{
	line_outer = __LINE__ + 1;
	return in_middle();
}

/* As a C++ compiler would name it. */
uintptr_t in_cxx(int unused) __asm__("_ZN3foo3barEi");
__attribute__((noinline)) uintptr_t in_cxx(int unused)
{
	uintptr_t at = where(&line_cxx, __LINE__);

	(void)unused;
	__asm__ volatile("" : "+r"(at));
	return at;
}

/* The last instruction is a call, so that its return address is behind the function. */
static jmp_buf come_back;
static uintptr_t last_return;

__attribute__((noinline, noreturn)) static void never_returns(void)
{
	last_return = (uintptr_t)__builtin_return_address(0);
	longjmp(come_back, 1);
}

__attribute__((noinline, noreturn)) static void ends_in_call(void)
{
	__asm__ volatile("");
	never_returns();
}

/* One function that sets up a frame, one that does not, and one whose label is in each. */
extern const char asm_framed_at[], asm_frameless_at[], asm_entry_at[];
#define FUNCTION(name) ".text\n.balign 16\n.type " name ", %function\n" name ":\n.cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " name ", .-" name "\n"
#define LABEL(name) ".globl " name "\n.hidden " name "\n" name ":\n"
#if defined(__x86_64__)
#define HAS_FRAMES 1
__asm__(FUNCTION("asm_framed") LABEL(
	"asm_entry_at") "push %rbp\n.cfi_def_cfa_offset 16\n"
			".cfi_offset 6, -16\nmov %rsp, %rbp\n.cfi_def_cfa_register 6\n" LABEL(
				"asm_framed_at") "nop\npop %rbp\n.cfi_def_cfa 7, 8\nret\n" END("asm_framed"));
__asm__(FUNCTION("asm_frameless") "sub $8, %rsp\n.cfi_def_cfa_offset 16\n" LABEL(
	"asm_frameless_at") "nop\nadd $8, %rsp\n.cfi_def_cfa_offset 8\nret\n" END("asm_frameless") ".skip 64\n");
#elif defined(__aarch64__)
#define HAS_FRAMES 1
/* as gcc does: the rules stay those of the stack pointer */
__asm__(FUNCTION("asm_framed") LABEL(
	"asm_entry_at") "stp x29, x30, [sp, -16]!\n"
			".cfi_def_cfa_offset 16\n.cfi_offset 29, -16\n.cfi_offset 30, -8\nmov x29, sp\n" LABEL(
				"asm_framed_at") "nop\nldp x29, x30, [sp], 16\n.cfi_restore 30\n.cfi_restore 29\n"
						 ".cfi_def_cfa_offset 0\nret\n" END("asm_framed"));
__asm__(FUNCTION("asm_frameless") "sub sp, sp, 16\n.cfi_def_cfa_offset 16\n" LABEL(
	"asm_frameless_at") "nop\nadd sp, sp, 16\n.cfi_def_cfa_offset 0\nret\n" END("asm_frameless") ".skip 64\n");
#else
#define HAS_FRAMES 0
#endif

/* --- where an address is ----------------------------------------------------------------------------- */

struct place {
	struct trace_module_key key;
	char path[1024];
	uint64_t offset; /* of start, in the file */
};

/* The mapping of an address in this process; wanted: or the first one of this name. */
static bool find_place(uintptr_t address, const char *wanted, struct place *ret)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[2048];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		int at = 0;

		if (sscanf(line,
			   "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %" SCNx32 ":%" SCNx32
			   " %" SCNu64 " %n",
			   &ret->key.start, &ret->key.end, &ret->offset, &ret->key.dev_major,
			   &ret->key.dev_minor, &ret->key.inode, &at) != 6)
			continue;
		line[strcspn(line, "\n")] = 0;
		(void)snprintf(ret->path, sizeof(ret->path), "%s", line + at);
		found = wanted ? strcmp(ret->path, wanted) == 0
			       : address >= ret->key.start && address < ret->key.end;
	}
	if (f)
		(void)fclose(f);
	ret->key.pid = getpid();
	ret->key.path = ret->path;
	return found;
}

/* The frames of an address in this process. */
static size_t resolve(uintptr_t address, bool behind_call, struct model_frame *ret, size_t max)
{
	struct place place;
	int module;

	memset(ret, 0x5a, max * sizeof(*ret));
	if (!find_place(address, NULL, &place))
		return 0;
	module = trace_symbols_module(symbols, &place.key);
	if (module < 0)
		t_note("trace_symbols_module: %s", strerror(-module));
	return trace_symbols_resolve(symbols, module, address - place.key.start + place.offset,
				     behind_call, ret, max);
}

static uint64_t file_offset(uintptr_t address)
{
	struct place place;

	return find_place(address, NULL, &place) ? address - place.key.start + place.offset : 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void is_here(const struct model_frame *frame, const char *function, int line,
		    const char *what)
{
	t_is_str(frame->function, function, "%s: the function", what);
	t_is_str(base_name(frame->file), "t_symbols.c", "%s: the file", what);
	t_is_u64(frame->line, (uint64_t)line, "%s: the line", what);
}

/* --- this program --------------------------------------------------------------------------------------- */

static void test_own(void)
{
	struct model_frame frames[8];
	uintptr_t at = in_plain();
	struct place place;
	size_t n = resolve(at, true, frames, 8);

	t_is_u64(n, 1, "one frame of a plain function");
	t_ok(find_place(at, NULL, &place), "its mapping");
	t_is_str(frames[0].module, place.path, "the module is the path of this program");
	t_is_u64(frames[0].module_offset, file_offset(at),
		 "the offset is the return address, not what was looked up");
	t_ok(!frames[0].inlined, "it is not inlined");
	if (TEST_HAS_SYMBOLS)
		is_here(&frames[0], "in_plain", line_plain, "a plain function");
	else
		t_skip(3, "%s", no_libdw);
}

static void test_inlined(void)
{
	struct model_frame frames[8];
	uintptr_t at = in_outer();
	size_t n = resolve(at, true, frames, 8);

	if (!TEST_HAS_SYMBOLS) {
		t_skip(18, "%s", no_libdw);
		return;
	}
	t_is_u64(n, 3, "two inlined functions are frames of their own");
	is_here(&frames[0], "in_inner", line_inner, "the innermost");
	is_here(&frames[1], "in_middle", line_middle, "that which it is inlined into");
	is_here(&frames[2], "in_outer", line_outer, "the outermost");
	t_ok(frames[0].inlined && frames[1].inlined && !frames[2].inlined, "only two are inlined");
	t_is_u64(frames[2].module_offset, file_offset(at), "all of them are at the same offset");
	n = resolve(at, true, frames, 2);
	t_is_u64(n, 2, "no more frames than there is room for");
	t_is_str(frames[1].function, "in_middle", "and it is the outer ones that are left out");
	n = resolve(at, true, frames, 8);
	t_is_u64(n, 3, "all of them again, from the cache");
	is_here(&frames[0], "in_inner", line_inner, "the innermost again");
}

static void test_names(void)
{
	struct model_frame frames[8];

	if (!TEST_HAS_SYMBOLS) {
		t_skip(5, "%s", no_libdw);
		return;
	}
	(void)resolve(in_cxx(1), true, frames, 8);
	is_here(&frames[0], "foo::bar(int)", line_cxx, "a name of C++");
	if (setjmp(come_back) == 0)
		ends_in_call();
	(void)resolve(last_return, true, frames, 8);
	t_is_str(frames[0].function, "ends_in_call", "a call is where the return address is not");
	(void)resolve((uintptr_t)in_plain, false, frames, 8);
	t_is_str(frames[0].function, "in_plain", "the first instruction of a function");
}

static void test_libc(void)
{
	uintptr_t at = (uintptr_t)dlsym(RTLD_DEFAULT, "qsort");
	struct model_frame frame;
	char *library = NULL;
	Dl_info info = {.dli_sname = NULL};

	t_ok(at && dladdr((void *)at, &info) && info.dli_sname, "qsort is in a library");
	t_is_u64(resolve(at, false, &frame, 1), 1, "and has a frame");
	library = info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
	t_is_str(frame.module, library, "in the same library");
	free(library);
	if (TEST_HAS_SYMBOLS)
		t_ok(dlsym(RTLD_DEFAULT, frame.function) == info.dli_saddr,
		     "of a name that has its address: %s", frame.function);
	else
		t_skip(1, "%s", no_libdw);
}

static void test_vdso(void)
{
	struct model_frame frame = {.function = ""};
	struct place place;
	bool named = false;
	int module;

	if (!find_place(0, "[vdso]", &place)) {
		t_skip(4, "needs a vdso");
		return;
	}
	module = trace_symbols_module(symbols, &place.key);
	t_ok(module >= 0, "the vdso is a module");
	t_is_i64(trace_symbols_module(symbols, &place.key), module, "the same one again");
	for (uint64_t at = 0; at < place.key.end - place.key.start && !named; at += 16) {
		(void)trace_symbols_resolve(symbols, module, at, false, &frame, 1);
		named = strstr(frame.function, "clock_gettime") != NULL;
	}
	t_is_str(frame.module, "[vdso]", "by its name");
	if (TEST_HAS_SYMBOLS)
		t_ok(named, "and has the clock in it");
	else
		t_skip(1, "%s", no_libdw);
}

static void test_unknown(void)
{
	static const int numbers[] = {-1, -ENOENT, 100000};
	struct model_frame frame;

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		memset(&frame, 0x5a, sizeof(frame));
		t_is_u64(trace_symbols_resolve(symbols, numbers[i], 77, true, &frame, 1), 1,
			 "module %d has one frame", numbers[i]);
		t_ok(!frame.function[0] && !frame.file[0] && !frame.module[0] && !frame.line &&
			     frame.module_offset == 77,
		     "with nothing but the offset");
	}
	t_is_u64(trace_symbols_resolve(symbols, 0, 77, true, &frame, 0), 0, "no room, no frame");
}

/* --- frame pointers ------------------------------------------------------------------------------------- */

static uint32_t sp_bytes; /* of the last answer */

static int has_frame(uintptr_t address)
{
	struct place place;

	if (!find_place(address, NULL, &place))
		return -1;
	return trace_symbols_has_frame(symbols, trace_symbols_module(symbols, &place.key),
				       address - place.key.start + place.offset, &sp_bytes);
}

static void test_frames(void)
{
	struct model_frame frame;

	t_ok(trace_symbols_has_frame(symbols, -1, 0, &sp_bytes) < 0,
	     "nothing is known of no module");
#if HAS_FRAMES
	if (!TEST_HAS_SYMBOLS) {
		t_ok(has_frame((uintptr_t)asm_framed_at) < 0, "without libdw it is not known");
		t_skip(5, "%s", no_libdw);
		return;
	}
	t_is_i64(has_frame((uintptr_t)asm_framed_at), 1, "a function that sets up a frame");
	t_is_u64(sp_bytes, 0, "what it is based on is not the stack pointer");
	t_is_i64(has_frame((uintptr_t)asm_frameless_at), 0, "one that does not");
	t_ok(sp_bytes >= sizeof(void *), "its caller is %u bytes above the stack pointer",
	     sp_bytes);
	t_is_i64(has_frame((uintptr_t)asm_entry_at), 0, "one that has not yet");
	t_is_u64(sp_bytes, sizeof(void *), "the return address is on top");
	t_is_i64(has_frame((uintptr_t)asm_framed_at), 1, "the same answer again");
	(void)resolve((uintptr_t)asm_frameless_at, false, &frame, 1);
	t_is_str(frame.function, "asm_frameless", "a function of assembly has its name");
	(void)resolve((uintptr_t)asm_frameless_at + 32, false, &frame, 1);
	t_is_str(frame.function, "", "what is behind its end has none");
#else
	t_skip(6, "needs the assembler of x86-64 or aarch64");
#endif
}

/* --- other files ------------------------------------------------------------------------------------------ */

static char *path_in_dir(const char *name)
{
	static char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* The first n_bytes of this program. */
static bool copy_self(const char *to, off_t n_bytes)
{
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	ssize_t n = 1;
	char block[16384];

	while (n_bytes > 0 && n > 0) {
		n = read(in, block,
			 n_bytes < (off_t)sizeof(block) ? (size_t)n_bytes : sizeof(block));
		if (n > 0 && write(out, block, (size_t)n) != n)
			n = -1;
		n_bytes -= n;
	}
	(void)close(in);
	(void)close(out);
	return n >= 0;
}

/* A file as if it were mapped, but it is not. */
static struct trace_module_key key_of(const char *path)
{
	struct stat st = {0};

	(void)lstat(path, &st);
	return (struct trace_module_key){.pid = getpid(),
					 .start = 16,
					 .end = 32,
					 .dev_major = major(st.st_dev),
					 .dev_minor = minor(st.st_dev),
					 .inode = st.st_ino,
					 .path = path};
}

static int open_module(const char *path)
{
	struct trace_module_key key = key_of(path);

	return trace_symbols_module(symbols, &key);
}

static bool run(const char *const *argv)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		(void)dup2(null, 1);
		(void)dup2(null, 2);
		(void)execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static void test_copies(void)
{
	const uint64_t at = file_offset(in_plain());
	char path[256], hostile[256];
	struct model_frame frame;

	(void)strcpy(path, path_in_dir("stripped"));
	(void)strcpy(hostile, path_in_dir("esc\033[31m\nnewline"));
	t_ok(copy_self(hostile, INT32_MAX), "a copy of a hostile name");
	(void)trace_symbols_resolve(symbols, open_module(hostile), at, true, &frame, 1);
	t_is_str(frame.module, hostile, "keeps it as it is");
	t_is_str(frame.function, TEST_HAS_SYMBOLS ? "in_plain" : "", "and has its functions");

	if (!RUN("strip", "-o", path, hostile)) {
		t_skip(3, "needs strip; apt-get install binutils");
		return;
	}
	(void)trace_symbols_resolve(symbols, open_module(path), at, true, &frame, 1);
	t_is_str(frame.module, path, "a stripped copy is a module");
	t_is_str(frame.function, "", "without functions");
	t_is_u64(frame.module_offset, at, "but with an offset");
}

/* Another copy of a file has another inode, so it is looked at anew. */
static bool copy_in_dir(const char *from, const char *to)
{
	char source[256];

	(void)strcpy(source, path_in_dir(from));
	return RUN("cp", source, path_in_dir(to));
}

static void ask_copy(const char *name, struct model_frame *ret)
{
	(void)trace_symbols_resolve(symbols, open_module(path_in_dir(name)),
				    file_offset(in_plain()), true, ret, 1);
}

/* linked and its debug file linked.debug; id_less: without a build-id, so that the checksum counts. */
static bool make_linked(bool id_less)
{
	char copy[256], link[300], debug[256];

	(void)strcpy(copy, path_in_dir("linked"));
	(void)strcpy(debug, path_in_dir("linked.debug"));
	(void)snprintf(link, sizeof(link), "--add-gnu-debuglink=%s", debug);
	(void)unlink(debug);
	return copy_self(copy, INT32_MAX) &&
	       (!id_less || RUN("objcopy", "--remove-section=.note.gnu.build-id", copy)) &&
	       RUN("objcopy", "--only-keep-debug", copy, debug) && RUN("strip", copy) &&
	       RUN("objcopy", link, copy);
}

/* The debug file of a stripped program, by the name that the program gives. */
static void test_debug_file(void)
{
	struct model_frame frame;

	if (!TEST_HAS_SYMBOLS) {
		t_skip(15, "%s", no_libdw);
		return;
	}
	if (!make_linked(false)) {
		t_skip(15, "needs objcopy; apt-get install binutils");
		return;
	}
	ask_copy("linked", &frame);
	is_here(&frame, "in_plain", line_plain, "by the debug file beside it");
	t_ok(copy_in_dir("linked", "linked_2") &&
		     RUN("objcopy", "--remove-section=.note.gnu.build-id",
			 path_in_dir("linked.debug")),
	     "a debug file that is of no build");
	ask_copy("linked_2", &frame);
	t_is_str(frame.function, "", "is not believed");

	t_ok(copy_in_dir("linked", "linked_3"), "another copy");
	(void)unlink(path_in_dir("linked.debug"));
	t_is_i64(mkfifo(path_in_dir("linked.debug"), 0600), 0, "whose debug file is a FIFO");
	ask_copy("linked_3", &frame);
	t_is_str(frame.function, "", "is answered without it");
	t_is_u64(frame.line, 0, "and does not wait");

	t_ok(make_linked(true) && copy_in_dir("linked", "linked_4"), "one without a build-id");
	ask_copy("linked_4", &frame);
	is_here(&frame, "in_plain", line_plain, "by the checksum");
	t_ok(copy_in_dir("linked", "linked_5"), "another copy");
	t_is_i64(truncate(path_in_dir("linked.debug"), 1 << 20), 0, "of a debug file that changed");
	ask_copy("linked_5", &frame);
	t_is_str(frame.function, "", "is not believed");
}

static void test_deleted(void)
{
	char path[256], link[128], expected[300];
	struct model_frame frame;
	struct place place;
	void *mapped;
	int fd, module;

	(void)strcpy(path, path_in_dir("deleted"));
	t_ok(copy_self(path, INT32_MAX), "a copy");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	mapped = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (mapped == MAP_FAILED) /* mounted noexec */
		mapped = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	(void)close(fd);
	(void)unlink(path);
	(void)close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC,
			 0600)); /* another file of its name */
	t_ok(mapped != MAP_FAILED && find_place((uintptr_t)mapped, NULL, &place), "is mapped");
	(void)snprintf(expected, sizeof(expected), "%s (deleted)", path);
	t_is_str(place.path, expected, "and has no name any more");

	(void)snprintf(link, sizeof(link), "/proc/self/map_files/%" PRIx64 "-%" PRIx64,
		       place.key.start, place.key.end);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	module = trace_symbols_module(symbols, &place.key);
	(void)munmap(mapped, 1);
	if (fd < 0) {
		t_ok(module < 0, "it cannot be opened by us either");
		t_skip(2, "needs root: /proc/PID/map_files cannot be read by others");
		return;
	}
	(void)close(fd);
	t_ok(module >= 0, "it can be opened all the same");
	(void)trace_symbols_resolve(symbols, module, file_offset(in_plain()), true, &frame, 1);
	t_is_str(frame.module, path, "by the name that it had");
	t_is_str(frame.function, TEST_HAS_SYMBOLS ? "in_plain" : "", "and has its functions");
}

/* What is no program, or half of one, or must not be opened at all. */
static void test_hostile(void)
{
	static const off_t lengths[] = {0, 3, 17, 64, 100, 5000, 100000};
	struct trace_module_key key;
	struct model_frame frame;
	struct statfs fs;
	char path[256];
	int module;

	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		(void)snprintf(path, sizeof(path), "%s/cut_%zu", dir, i);
		t_ok(copy_self(path, lengths[i]), "%d bytes of a program", (int)lengths[i]);
		module = open_module(path);
		t_is_u64(trace_symbols_resolve(symbols, module, file_offset(in_plain()), true,
					       &frame, 1),
			 1, "have a frame");
		t_is_str(frame.module, path, "of the file");
		t_ok(trace_symbols_has_frame(symbols, module, file_offset(in_plain()), &sp_bytes) <=
			     1,
		     "and an answer");
	}
	t_is_i64(mkfifo(path_in_dir("fifo"), 0600), 0, "a FIFO");
	t_is_i64(open_module(path_in_dir("fifo")), -EINVAL, "is not opened");
	t_is_i64(open_module("/dev/zero"), -EINVAL, "nor is a device");
	t_is_i64(open_module(dir), -EINVAL, "nor a directory");
	t_is_i64(open_module(path_in_dir("nothing")), -ENOENT, "what is not there has no module");
	key = key_of(path_in_dir("cut_5"));
	key.path = "/proc/self/exe";
	t_ok(trace_symbols_module(symbols, &key) >= 0, "a file that is known needs no path");
	key.inode += 1000000007;
	t_ok(trace_symbols_module(symbols, &key) < 0,
	     "a path that is another file is not believed");
	key = key_of(path_in_dir("cut_5"));
	key.dev_major += 1000;
	t_ok(statfs(dir, &fs) == 0, "the file system");
	if ((unsigned long)fs.f_type == BTRFS_SUPER_MAGIC ||
	    (unsigned long)fs.f_type == OVERLAYFS_SUPER_MAGIC)
		t_ok(trace_symbols_module(symbols, &key) >= 0,
		     "whose devices are not those of maps");
	else
		t_ok(trace_symbols_module(symbols, &key) < 0, "nor one of another device");
}

static void test_many(void)
{
	enum { MANY = 520 };
	struct rlimit old, limit;
	struct model_frame frame;
	int n_open = 0, r = 0;
	struct trace_symbols *kept = symbols;
	char path[256];

	(void)getrlimit(RLIMIT_NOFILE, &old);
	limit = old;
	limit.rlim_cur = old.rlim_max < 2048 ? old.rlim_max : 2048;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	t_is_i64(trace_symbols_new(&symbols), 0, "another set of symbols");
	for (int i = 0; i < MANY; i++) {
		(void)snprintf(path, sizeof(path), "%s/many_%d", dir, i);
		(void)close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
		r = open_module(path);
		n_open += r >= 0;
	}
	t_is_i64(n_open, 512, "takes so many files and no more");
	t_is_i64(r, -EMFILE, "and says so");
	(void)trace_symbols_resolve(symbols, 0, 1, false, &frame, 1);
	t_is_str(base_name(frame.module), "many_0", "the first one is still there");
	trace_symbols_free(symbols);
	symbols = kept;
	(void)setrlimit(RLIMIT_NOFILE, &old);
}

/* --- JIT maps ------------------------------------------------------------------------------------------------ */

static void write_map(const char *path, const char *mode, const char *text, size_t n_bytes)
{
	FILE *f = fopen(path, mode);

	t_ok(f && fwrite(text, 1, n_bytes, f) == n_bytes && fclose(f) == 0, "a map is written");
}

static void is_jit(uint64_t address, const char *function, const char *what)
{
	struct model_frame frame;
	size_t n;

	memset(&frame, 0x5a, sizeof(frame));
	n = trace_symbols_resolve_jit(symbols, getpid(), address, &frame);
	t_is_u64(n, *function ? 1 : 0, "%s: whether it is known", what);
	t_is_str(frame.function, function, "%s: the function", what);
	t_is_str(frame.module, *function ? "" : "[anon]", "%s: the module", what);
	t_ok(!frame.file[0] && !frame.line && !frame.module_offset && !frame.inlined,
	     "%s: nothing else", what);
}

static void test_jit(void)
{
	static const char first[] = "7f0000001000 40 plain\n"
				    "0x7f0000002000 0x10 with blanks /a.js:3 ~\n"
				    "7f0000003000 1000 large\n"
				    "7f0000003100 10 small, and newer\n"
				    "7f0000003200 10 again\n"
				    "7f0000003200 10 moved here\n"
				    "ffffffffffffff00 200 beyond the end\n"
				    "ffffffffffffff00 100 up to the end\n"
				    "7f0000005000 0 empty\n"
				    "-1 10 sign\n"
				    "7f0000006000 -1 sign\n"
				    "7f0000006000 10\n"
				    "7f0000006000 10 \n"
				    "7f0000006000\n\n  \n"
				    "zzzz 10 letters\n"
				    "7f00000060001122334455 10 too large\n"
				    "7f0000007000 10 with\033[31mcolour\n"
				    "7f0000008000 10 zero\0byte\n"
				    "7f0000009000 10 half a li";
	char path[64], other[256];

	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	(void)unlink(path);
	is_jit(0x7f0000001000, "", "without a map");
	write_map(path, "we", first, sizeof(first) - 1);
	is_jit(0x7f0000001000, "plain", "the first byte of a function");
	is_jit(0x7f000000103f, "plain", "its last one");
	is_jit(0x7f0000001040, "", "behind its last one");
	is_jit(0x7f0000000fff, "", "before its first one");
	is_jit(0x7f0000002008, "with blanks /a.js:3 ~", "with 0x");
	is_jit(0x7f0000003050, "large", "before one in it");
	is_jit(0x7f0000003108, "small, and newer", "one in another");
	is_jit(0x7f0000003300, "large", "behind one in it");
	is_jit(0x7f0000003208, "moved here", "where memory was used again");
	is_jit(UINT64_MAX, "up to the end", "the last address");
	is_jit(0x7f0000005000, "", "an empty function");
	is_jit(0x7f0000006000, "", "a line that is wrong");
	is_jit(0x7f0000007000, "with\033[31mcolour", "a name with a control character");
	is_jit(0x7f0000008000, "zero", "a name with a zero byte");
	is_jit(0x7f0000009000, "", "a line that is still being written");
	write_map(path, "ae", "ne\n7f000000a000 10 late\n", 24);
	is_jit(0x7f000000a000, "late", "a function made later");
	is_jit(0x7f0000009000, "half a line", "the line that has been written");

	(void)strcpy(other, path_in_dir("map"));
	write_map(other, "we", "7f000000b000 10 linked\n", 23);
	(void)unlink(path);
	t_is_i64(symlink(other, path), 0, "a link in place of the map");
	is_jit(0x7f000000b000, "", "a link is not followed");
	(void)unlink(path);
	t_is_i64(mkfifo(path, 0600), 0, "a FIFO in place of the map");
	is_jit(0x7f000000b000, "", "a FIFO is not opened");
	(void)unlink(path);
	is_jit(0x7f0000001000, "plain", "what was read stays when the map is gone");
	t_is_u64(trace_symbols_resolve_jit(symbols, 1 << 30, 0x1000, &(struct model_frame){0}), 0,
		 "a process that there is not");
}

int main(void)
{
	if (!mkdtemp(dir))
		t_skip_all("needs a directory in /tmp");
	t_is_i64(trace_symbols_new(&symbols), 0, "symbols");
	test_own();
	test_inlined();
	test_names();
	test_libc();
	test_vdso();
	test_unknown();
	test_frames();
	test_copies();
	test_debug_file();
	test_deleted();
	test_hostile();
	test_many();
	test_jit();
	trace_symbols_free(symbols);
	trace_symbols_free(NULL);
	(void)RUN("rm", "-rf", dir);
	return t_done();
}
