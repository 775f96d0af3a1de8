#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Little memory: sizes are cut or refused, and nobody is killed for them.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

# How often the kernel killed in the group.
kills() {
	sed -nE 's/^oom_kill ([0-9]+)/\1/p' "${groups[0]}"/memory.{oom_control,events} 2>/dev/null || true
}

@test "a memory cgroup: default sizes are cut, with a warning" {
	in_cgroup 256M
	toll bench five_configs -t 1 -r 1 --json
	ended 0
	json 'all(x["status"] == "done" for x in s)'
	json 'len({x["params"]["size_bytes"] for x in s + [d["floor"]]}) == 1'
	json '4 << 20 <= s[0]["params"]["size_bytes"] < 200 << 20'
	json 'any(w["id"] == "size-cut" and "sizes cut from 200 MiB to " in w["text"] and "memory cgroup limit 256 MiB" in w["text"] for w in d["warnings"])'
	json 'd["machine"]["memory_limited_by"] == "memory cgroup limit 256 MiB"'
	[ "$(kills)" = 0 ]
}

@test "a memory cgroup: a size that was asked for is refused, never cut" {
	in_cgroup 128M
	toll bench anon_write file_warm -s 2G --json
	complains 3 'anon_write: a size of 2 GiB does not fit: memory cgroup limit 128 MiB leaves .* for it; give a smaller --size'
	json 'all(x["status"] == "skipped" for x in s)'
	toll bench anon_write -s 127M -t 1 -r 1
	complains 3 'does not fit'
	[ "$(kills)" = 0 ]
}

@test "a memory cgroup: what is said to fit does fit" {
	in_cgroup 96M
	toll bench anon_write -s 1G
	most=$(sed -nE 's/.* leaves ([0-9.]+) MiB.*/\1/p' "$err")
	[ -n "$most" ]
	for name in anon_write anon_populate; do
		toll bench $name -s "${most%.*}M" -t 1 -r 1 --json
		ended 0
		json 's[0]["status"] == "done"'
	done
	[ "$(kills)" = 0 ]
}

@test "a memory cgroup too small for anything: refused, not killed" {
	in_cgroup 16M
	toll bench anon_write -t 1 -r 1
	[[ $status == 3 ]] || show
	complains 3 'does not fit: memory cgroup limit 16 MiB leaves'
	[ "$(kills)" = 0 ]
}

@test "ulimit -v: default sizes are cut, with a warning" {
	prefix=(bash -c 'ulimit -v 524288 && exec "$@"' limited)
	toll bench five_configs -t 1 -r 1 --json
	ended 0
	json 'all(x["status"] == "done" for x in s)'
	json 'd["machine"]["memory_limited_by"] == "address space limit (ulimit -v) 512 MiB"'
	json 's[0]["params"]["size_bytes"] <= 512 << 20'
	prefix=(bash -c 'ulimit -v 131072 && exec "$@"' limited)
	toll bench five_configs -t 1 -r 1 --json
	ended 0
	json 'all(x["status"] == "done" and x["params"]["size_bytes"] < 128 << 20 for x in s)'
	json 'any(w["id"] == "size-cut" and "ulimit -v" in w["text"] for w in d["warnings"])'
}

@test "ulimit -v: a size that was asked for is refused" {
	prefix=(bash -c 'ulimit -v 524288 && exec "$@"' limited)
	toll bench five_configs -s 2G
	complains 3 'a size of 2 GiB does not fit: address space limit \(ulimit -v\) 512 MiB leaves '
}

@test "ulimit -d: a size that was asked for is refused" {
	prefix=(bash -c 'ulimit -d 65536 && exec "$@"' limited)
	toll bench anon_write -s 1G
	complains 3 'does not fit: data size limit \(ulimit -d\) 64 MiB leaves '
	toll bench anon_write -s 8M -t 1 -r 1
	ended 0
}

@test "ulimit -v: what is said to fit does fit, whatever is mapped or filled" {
	prefix=(bash -c 'ulimit -v 131072 && exec "$@"' limited)
	for name in anon_write anon_populate anon_thp file_warm file_cold memset_mapped; do
		toll bench $name -s 1G
		most=$(sed -nE 's/.* leaves ([0-9.]+) MiB.*/\1/p' "$err")
		[ -n "$most" ] || continue # skipped for another reason
		toll bench $name -s "${most%.*}M" -t 1 -r 1 --json
		ended 0
		json 's[0]["status"] == "done"'
	done
}

@test "an address space too small even to start ends with one sentence" {
	prefix=(bash -c 'ulimit -v 16384 && exec "$@"' limited)
	toll bench anon_write -t 1 -r 1
	[[ $status == 3 || $status == 5 ]] || show
	grep -q '^pagetoll: ' "$err"
}

@test "few descriptors: refused with what helps, or run" {
	needs prlimit util-linux
	for limit in 4 5 6 7 8 9 20; do
		prefix=(prlimit "--nofile=$limit")
		toll bench file_warm anon_write -s 1M -t 1 -r 1 --no-save --json
		case $status in
		0) json 'all(x["status"] == "done" or x["reason"].endswith("Too many open files; raise the limit, ulimit -n") for x in s)' ;;
		3) complains 3 'Too many open files; raise the limit, ulimit -n$' ;;
		*) refuses 5 'Too many open files; raise the limit, ulimit -n$' ;;
		esac
	done
	ended 0
}

@test "small files: refused with what helps, or run" {
	prefix=(bash -c 'ulimit -f 300 && exec "$@"' limited)
	toll bench file_warm anon_write -s 1M -t 1 -r 1 --no-save --json
	ended 0
	json 's[0]["status"] == "skipped" and s[0]["reason"].endswith("File too large; raise the limit, ulimit -f")'
	json 's[1]["status"] == "done"'
	prefix=(bash -c 'ulimit -f 8 && exec "$@"' limited)
	toll bench file_warm anon_write -s 1M -t 1 -r 1 --no-save
	[[ $status == 3 ]] || refuses 5 'File too large; raise the limit, ulimit -f$'
	prefix=(bash -c 'ulimit -f 1 && exec "$@"' limited)
	toll doctor
	complains 5 'standard output: File too large; raise the limit, ulimit -f$'
	toll bench --help
	complains 5 'standard output: File too large; raise the limit, ulimit -f$'
}

@test "a lock limit of nothing changes nothing" {
	prefix=(bash -c 'ulimit -l 0 && exec "$@"' limited)
	small five_configs --json
	ended 0
	json 'all(x["status"] == "done" for x in s)'
}

@test "no processes left to start: one sentence" {
	be_nobody
	needs prlimit util-linux
	# a user of its own: processes of all of a user's tests count together
	prefix=("${prefix[@]/=65534/=65533}")
	prefix=(prlimit --nproc=1 "${prefix[@]}")
	chmod 777 open "$dir"
	small anon_write
	[[ $status == 0 ]] || complains 3 'cannot start a trial: (Resource temporarily unavailable; raise the limit on processes: ulimit -u, or pids.max of the cgroup|Operation not permitted)$'
	toll stat true
	[[ $status == 0 ]] || complains 125 'cannot start true: Resource temporarily unavailable; raise the limit on processes: ulimit -u'
}

@test "a stack of 64 KiB is enough for every command" {
	prefix=(env -i PATH=/usr/bin:/bin PAGETOLL_RUNS="$PAGETOLL_RUNS" bash -c 'ulimit -s 64 && exec "$@"' -)
	small chase_base file_warm
	[[ $status == 0 || $status == 4 ]] || show
	small --json --no-save
	[[ $status == 0 || $status == 4 ]] || show
	toll bench nonsense
	refuses 2 "no scenario or suite"
	toll nonsense
	refuses 2 "unknown command"
	for arguments in doctor 'doctor --json' list 'list --json' 'show -v' 'show --json' 'show --format csv' \
		'show --format html' 'stat true' 'stat -p @last -v true' 'help bench' --help; do
		# shellcheck disable=SC2086
		toll $arguments
		ended 0
	done
}
