#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Where data files are made: directories that are none, cannot be written, are full or are odd.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

# A directory that holds nothing, the way a run must leave it.
is_empty() { [ -z "$(ls -A "$1")" ]; }

# The file system of a directory can drop pages, as pagetoll itself finds out.
needs_disk() { # DIR
	toll doctor --dir "$1" --json
	json 'all(n["met"] for n in d["needs"] if n["name"] == "cold_files")' >/dev/null 2>&1 ||
		skip "needs a disk: the files in ${1} stay in the page cache"
}

# Mounts, and has it undone at the end.
mount_at() { # DIR MOUNT-ARGUMENTS...
	local at=$1
	shift
	needs_root 'mounts a file system'
	mkdir -p "$at"
	mount "$@" "$at" 2>/dev/null || skip "needs the right to mount: refused, as containers do"
	mounts=("$PWD/$at" "${mounts[@]}")
}

@test "a directory that is not there" {
	small file_warm -d nowhere
	refuses 2 '--dir nowhere: No such file or directory'
	small anon_write -d nowhere
	refuses 2 '--dir nowhere: No such file or directory'
}

@test "a file is no directory" {
	echo >file
	small file_warm -d file
	refuses 2 '--dir file: is no directory'
	small file_warm -d file/deeper
	refuses 2 '--dir file/deeper: Not a directory'
}

@test "a name longer than any path" {
	small file_warm -d "$(printf 'x%.0s' {1..5000})"
	refuses 2 '--dir xxx'
}

@test "a loop of links" {
	ln -s loop loop
	small file_warm -d loop
	refuses 2 '--dir loop: Too many levels of symbolic links'
}

@test "a directory that cannot be written: skipped with the reason, the rest runs" {
	be_nobody
	mkdir locked
	chmod 555 locked
	small file_warm -d locked
	complains 3 'nothing could run: file_warm: .*locked: Permission denied; choose another --dir'
	small file_warm anon_write -d locked --json
	ended 0
	json 's[0]["status"] == "skipped" and "Permission denied" in s[0]["reason"]'
	json 's[1]["status"] == "done"'
}

@test "a directory that cannot be entered" {
	be_nobody
	mkdir closed
	chmod 000 closed
	small file_warm -d closed
	complains 3 'Permission denied; choose another --dir'
	small file_warm -d closed/deeper
	refuses 2 '--dir closed/deeper: Permission denied'
	chmod 755 closed
}

@test "a read-only file system: skipped with the reason" {
	mount_at locked -t tmpfs -o ro none
	small file_warm -d locked --json
	complains 3 'locked: Read-only file system; choose another --dir'
	json 's[0]["status"] == "skipped"'
}

@test "a full file system: skipped with what is needed and what is free" {
	mount_at tiny -t tmpfs -o size=4M none
	toll bench file_warm -s 8M -t 1 -r 1 -d tiny
	complains 3 'needs 8 MiB for data files in tiny, where 4 MiB is free; give another --dir or a smaller --size'
	dd if=/dev/zero of=tiny/all bs=64k 2>/dev/null || true
	small file_warm -d tiny
	complains 3 'room for data files|for data files in tiny, where'
	rm tiny/all
	is_empty tiny
	small file_warm -d tiny
	ended 0
}

@test "a file system without a limit has room" {
	mount_at free -t ramfs none
	toll bench file_warm file_cold -s 1M -t 1 -r 1 -d free --json
	ended 0
	json 's[0]["status"] == "done" and s[1]["status"] == "skipped"'
	json '"in free (ramfs) 64 of 64 pages stayed" in s[1]["reason"]'
	is_empty free
}

@test "a file system that takes no writes: skipped, another --dir helps" {
	mount_at huge -t hugetlbfs none
	toll bench file_warm file_cold anon_write -s 1M -t 1 -r 1 -d huge --json
	ended 0
	json 'all(x["status"] == "skipped" and x["reason"] == "needs a directory for data files: cannot write in huge: Invalid argument; choose another --dir" for x in s[:2])'
	json 's[2]["status"] == "done"'
	is_empty huge
}

@test "a small ext4 in a file is a disk" {
	needs_root 'mounts a file system'
	needs mkfs.ext4 e2fsprogs
	truncate -s 32M image
	mkfs.ext4 -q -F image
	mount_at disk -o loop image
	toll bench file_cold file_warm -s 1M -t 1 -r 2 -d disk --json
	ended 0
	json 'd["machine"]["filesystem"] == "ext4" and all(x["status"] == "done" for x in s)'
	json 's[0]["faults_per_page"]["major"] > 0 and s[1]["faults_per_page"]["major"] == 0'
	toll bench file_cold -s 64M -t 1 -r 1 -d disk
	complains 3 'needs 64 MiB for data files in disk, where '
	[ "$(ls -A disk)" = lost+found ]
}

@test "a file system that fills up although it said it had room" {
	needs_root 'mounts a file system'
	needs mkfs.ext4 e2fsprogs
	mount_at roof -t tmpfs -o size=6M none
	truncate -s 32M roof/image
	mkfs.ext4 -q -F -m 0 roof/image
	mount_at disk -o loop roof/image
	toll bench file_cold anon_write -s 8M -t 1 -r 1 -d disk --json
	ended 0
	json 's[0]["status"] in ("skipped", "failed") and s[0]["reason"] and s[1]["status"] == "done"'
	json '"disk: cannot write a data file of 8 MiB" in s[0]["reason"]'
}

@test "in memory nothing can be cold: skipped with the reason, warm files run" {
	[[ $(stat -f -c %T /dev/shm) == tmpfs && -w /dev/shm ]] || skip "needs tmpfs at /dev/shm: it is none"
	small file_cold file_cold_random file_warm -d /dev/shm --json
	ended 0
	json 'all(x["status"] == "skipped" and "64 of 64 pages stayed" in x["reason"] and "--dir on a disk" in x["reason"] for x in s[:2])'
	json 's[2]["status"] == "done" and s[2]["verdict"] in ("valid", "noisy")'
	small file_cold -d /dev/shm
	complains 3 'nothing could run: file_cold: needs files that can leave the page cache'
}

@test "an overlay over a disk is a disk" {
	needs_root 'mounts an overlay'
	base=$(mktemp -d /var/tmp/pagetoll-cli.XXXXXX)
	restore+=("rm -rf '$base'")
	needs_disk "$base"
	mkdir "$base"/{lower,upper,work,top}
	mount -t overlay overlay -o "lowerdir=$base/lower,upperdir=$base/upper,workdir=$base/work" "$base/top" \
		2>/dev/null || skip "needs an overlay file system over /var/tmp: mounting it is refused"
	restore=("umount -l '$base/top'" "${restore[@]}")
	small file_cold file_warm -d "$base/top" --json
	ended 0
	json 'd["machine"]["filesystem"] == "overlay" and all(x["status"] == "done" for x in s)'
	json 's[0]["faults_per_page"]["major"] > 0'
	is_empty "$base/top"
}

@test "a relative directory, the current one, and one with a slash at its end" {
	mkdir data
	for there in data ./data/ . data/..; do
		small file_warm -d "$there" --json
		ended 0
		json 's[0]["status"] == "done"'
	done
	is_empty data
}

@test "names with blanks, quotes, commas, newlines and escape sequences do no harm" {
	for name in 'a b' "it's" 'say "hi"' 'a,b' '=1+1' $'new\nline' $'\e[31mred\e]0;title\a' $'\xff\xfe' '$(touch evil)' '%s%n' '<script>x<' '"><img src=x>'; do
		mkdir -- "./$name"
		for form in text csv html json; do
			toll bench file_warm -s 1M -t 1 -r 1 -d "./$name" --format $form
			ended 0
			silent
			harmless "$out"
			[ $form != html ] || not grep -qE '<(script|img)' "$out"
		done
		json 's[0]["status"] == "done"'
		is_empty "./$name"
	done
	[ ! -e evil ]
	[ "$(tail -n +3 "$out" | wc -l)" -gt 3 ]
}

@test "such names in a reason: still one sentence, one csv line, one JSON document" {
	mount_at $'ro\e[31m\n"x",y' -t tmpfs -o ro none
	there=$'ro\e[31m\n"x",y'
	small file_warm -d "$there"
	complains 3 'Read-only file system'
	harmless "$err"
	harmless "$out"
	small file_warm -d "$there" --json
	json 's[0]["status"] == "skipped" and "Read-only" in s[0]["reason"]'
	small file_warm -d "$there" --format csv
	harmless "$out"
	"$PYTHON" -I -S -c '
import csv
rows = list(csv.reader(open("out", newline="")))
assert len(rows) == 2 and len(rows[0]) == len(rows[1]), rows'
	toll bench file_warm -d $'no\e[31m\nwhere'
	refuses 2 'No such file or directory'
	harmless "$err"
}

@test "data files are nameless all the time" {
	mkdir data
	start bench file_warm file_cold -s 8M -t 20 -r 5 -b 2 -d data --no-save
	for _ in {1..40}; do
		[ -z "$(find data -name '[^.]*' -mindepth 1)" ]
		[ -d "/proc/$pid" ] || break
		sleep 0.05
	done
	await
	ended 0
	is_empty data
}

@test "a directory removed while it is in use does not end the run" {
	mkdir data
	start bench file_warm -s 1M -t 3 -r 3 -d data --no-save --json
	until_true "rmdir data 2>/dev/null"
	await
	[[ $status == 0 || $status == 2 || $status == 3 ]] || show
}

@test "two runs at once do not disturb each other's files" {
	mkdir data
	"$PAGETOLL" bench file_warm anon_write -s 2M -t 5 -r 2 -d data --json >one 2>"$err" 3>&- &
	toll bench file_warm anon_write -s 2M -t 5 -r 2 -d data --json
	ended 0
	wait $!
	json 'all(x["status"] == "done" for x in s)' one
	json 'all(x["status"] == "done" for x in s)'
	is_empty data
	[ "$(find runs -name '*.json' | wc -l)" = 2 ]
}
