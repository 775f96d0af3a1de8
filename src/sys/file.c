/* SPDX-License-Identifier: MIT */
/* Small kernel files read whole: /proc and /sys. */
#include "src/sys/file.h"

#include "src/base/text.h"
#include "src/base/why.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

long sys_read_text(const char *path, char *ret_text, size_t size)
{
	size_t n = 0;
	ssize_t got;
	int fd, r = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (n < size - 1) {
		got = read(fd, ret_text + n, size - 1 - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			r = -errno;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	(void)close(fd);
	if (r < 0)
		return r;
	if (n > 0 && ret_text[n - 1] == '\n')
		n--;
	ret_text[n] = 0;
	return (long)n;
}

int sys_read_u64(const char *path, uint64_t *ret_value)
{
	char text[64] = "";
	long n = sys_read_text(path, text, sizeof(text));

	if (n < 0)
		return (int)n;
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	*ret_value = strtoull(text, NULL, 10);
	return 0;
}

int sys_find_u64(const char *text, const char *key, uint64_t *ret_value)
{
	size_t n = strlen(key);

	while (text) {
		if (strncmp(text, key, n) == 0 && !isalnum((unsigned char)text[n]) &&
		    text[n] != '_') {
			text += n + strspn(text + n, ": \t");
			if (!isdigit((unsigned char)*text))
				return -ENOENT;
			*ret_value = strtoull(text, NULL, 10);
			return 0;
		}
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return -ENOENT;
}

int sys_read_key(const char *path, const char *key, uint64_t *ret_value)
{
	char *line = NULL;
	size_t size = 0;
	int r = -ENOENT;
	FILE *f;

	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (r < 0 && getline(&line, &size, f) >= 0)
		r = sys_find_u64(line, key, ret_value);
	free(line);
	(void)fclose(f);
	return r;
}

void sys_bracketed(const char *text, char *ret_word, size_t size)
{
	const char *open = strchr(text, '[');
	size_t n;

	text_copy(ret_word, size, open ? open + 1 : text);
	n = strcspn(ret_word, "]");
	if (open)
		ret_word[n] = 0;
}

int sys_open_nameless(const char *dir, struct why *why)
{
	char path[PATH_MAX];
	int fd, saved;

	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)
		return why_errno(why, -errno, "cannot write in %s", dir);
	if (snprintf(path, sizeof(path), "%s/.pagetoll-XXXXXX", dir) >= (int)sizeof(path))
		return why_set(why, -ENAMETOOLONG, "the directory's name is too long: %s", dir);
	fd = mkostemp(path, O_CLOEXEC);
	saved = errno;
	if (fd < 0)
		return why_errno(why, -saved, "cannot write in %s", dir);
	(void)unlink(path);
	return fd;
}
