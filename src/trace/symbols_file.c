/* SPDX-License-Identifier: MIT */
/* Opening the file that a process has mapped, and no other. */
#include "src/base/array.h"
#include "src/trace/symbols_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef BTRFS_SUPER_MAGIC
#define BTRFS_SUPER_MAGIC 0x9123683E
#endif
#ifndef OVERLAYFS_SUPER_MAGIC
#define OVERLAYFS_SUPER_MAGIC 0x794c7630
#endif

static const char deleted[] = " (deleted)";

/* Opens what an O_PATH descriptor stands for, and closes that. */
static int open_for_reading(int path_fd)
{
	char link[64];
	int fd;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	(void)close(path_fd);
	return fd;
}

/* An O_PATH descriptor of a regular file: it can be looked at before anything is opened. */
static int look_at(const char *path, int flags, struct stat *ret)
{
	int r = -EINVAL, fd = open(path, O_PATH | O_CLOEXEC | flags);

	if (fd < 0)
		return -errno;
	if (fstat(fd, ret) < 0)
		r = -errno;
	else if (S_ISREG(ret->st_mode))
		return fd;
	(void)close(fd);
	return r;
}

int trace_file_open(const char *path, int flags, struct stat *ret)
{
	int fd = look_at(path, flags, ret);

	return fd < 0 ? fd : open_for_reading(fd);
}

/* Whether stat(2) names another device than /proc/PID/maps does: that of a subvolume, or of a layer. */
static bool disguises_device(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && ((unsigned long)fs.f_type == BTRFS_SUPER_MAGIC ||
					 (unsigned long)fs.f_type == OVERLAYFS_SUPER_MAGIC);
}

enum candidate { BY_PATH, BY_ROOT, BY_MAPPING, N_CANDIDATES };

static char *candidate_path(enum candidate candidate, const struct trace_module_key *key)
{
	char *path = NULL;
	int r = -1;

	if (candidate == BY_PATH)
		r = asprintf(&path, "%s", key->path);
	else if (candidate == BY_ROOT)
		r = asprintf(&path, "/proc/%d/root%s", (int)key->pid, key->path);
	else
		r = asprintf(&path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)key->pid,
			     key->start, key->end);
	return r < 0 ? NULL : path;
}

/* fd, or negative errno; -ESTALE: that path is another file by now. */
static int open_candidate(enum candidate candidate, const char *path,
			  const struct trace_module_key *key)
{
	struct stat st = {.st_ino = 0};
	int fd = look_at(path, 0, &st);

	if (fd < 0)
		return fd;
	/* A link of the kernel's own cannot lead elsewhere, but to what is mapped there by now. */
	if (st.st_ino == key->inode &&
	    (candidate == BY_MAPPING || st.st_dev == makedev(key->dev_major, key->dev_minor) ||
	     disguises_device(fd)))
		return open_for_reading(fd);
	(void)close(fd);
	return -ESTALE;
}

static bool ends_in_deleted(const char *path)
{
	size_t n = strlen(path);

	return n >= sizeof(deleted) && strcmp(path + n + 1 - sizeof(deleted), deleted) == 0;
}

int trace_file_open_mapped(const struct trace_module_key *key, char **ret_path, bool *ret_deleted)
{
	int r = -ENOENT;

	if (!key->inode)
		return r;
	for (enum candidate i = BY_PATH; i < N_CANDIDATES; i++) {
		char *path = NULL;
		int fd;

		if (i != BY_MAPPING && key->path[0] != '/')
			continue;
		path = candidate_path(i, key);
		if (!path)
			return -ENOMEM;
		fd = open_candidate(i, path, key);
		if (fd >= 0) {
			*ret_path = path;
			*ret_deleted = i == BY_MAPPING && ends_in_deleted(key->path);
			return fd;
		}
		free(path);
		if (r == -ENOENT) /* the others say more */
			r = fd;
	}
	return r;
}

/* All of an ELF image in memory: its section headers come last in a vdso. */
static size_t image_bytes(const ElfW(Ehdr) * ehdr)
{
	if (memcmp(ehdr->e_ident, ELFMAG, SELFMAG) != 0)
		return 0;
	return (size_t)ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;
}

int trace_file_open_vdso(void)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives the address as a number */
	const ElfW(Ehdr) *ehdr = (const ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);
	size_t n_bytes = ehdr ? image_bytes(ehdr) : 0, done = 0;
	int fd;

	if (n_bytes == 0)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (done < n_bytes) {
		ssize_t n = write(fd, (const char *)ehdr + done, n_bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int r = n < 0 ? -errno : -EIO;

			(void)close(fd);
			return r;
		}
		done += (size_t)n;
	}
	return fd;
}
