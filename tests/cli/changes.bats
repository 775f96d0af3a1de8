#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What --ab changes for the whole system: it takes effect, and is put back whatever ends the run.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

thp=/sys/kernel/mm/transparent_hugepage/enabled
swappiness=/proc/sys/vm/swappiness

# The word in brackets, else all of it.
value() { # FILE
	local text
	text=$(cat "$1")
	[[ $text == *\[* ]] && text=${text#*\[} && text=${text%%\]*}
	echo "$text"
}

# Keeps what FILE is set to now in $before, for the test and for its end. pagetoll has a /run of its own.
may_change() { # FILE
	needs_root "changes $1, and restores it"
	alone_with "$1"
	before=$(value "$1")
	restore+=("echo $before >$1")
	{ echo "$before" >"$1"; } 2>/dev/null || skip "needs to write $1: refused"
	private_run
}

# Nothing is changed, and nothing says that it was.
is_restored() { # FILE
	[ "$(value "$1")" = "$before" ] || { echo "$1: $(value "$1"), was $before" && return 1; }
	not compgen -G 'run/pagetoll/*.journal'
}

# No cgroup of a run that has ended; another test's may be at work.
no_group_is_left() {
	local group owner
	while read -r group; do
		owner=${group##*/pagetoll-}
		kill -0 "${owner%-*}" 2>/dev/null || { echo "left: $group" && return 1; }
	done < <(find /sys/fs/cgroup -maxdepth 8 -type d -name 'pagetoll-[0-9]*-[01]' 2>/dev/null)
}

has_changed() { [ "$(value "$file")" != "$before" ]; }

@test "thp: memory without advice is in huge pages on one side alone" {
	toll doctor --json
	json 'all(n["met"] for n in d["needs"] if n["name"] == "thp")' >/dev/null 2>&1 ||
		skip "needs transparent huge pages: pagetoll doctor says why there are none"
	may_change $thp
	toll bench anon_write --ab thp=always,never -s 4M -t 6 --system-changes --json
	ended 0
	silent
	json '[x["params"]["pages"] for x in s] == ["thp", "base"] and all(x["verdict"] != "invalid" for x in s)'
	json 'all(r["minor"] * s[0]["params"]["huge_page_bytes"] == s[0]["params"]["size_bytes"] for r in s[0]["rounds"])'
	json 'all(r["minor"] == s[1]["params"]["n_pages"] for r in s[1]["rounds"])'
	is_restored $thp
}

@test "readahead: of one page, each page of a cold file is waited for" {
	disk=$(stat -c %Hd:%Ld /var/tmp)
	file=/sys/class/bdi/$disk/read_ahead_kb
	[ -e "$file" ] || file=/sys/dev/block/$disk/../queue/read_ahead_kb
	[ -e "$file" ] || skip 'needs a disk under /var/tmp: it has no read_ahead_kb'
	may_change "$file"
	toll bench file_cold --ab readahead=0,4M -d /var/tmp -s 2M -t 4 --system-changes --json
	[[ $status != 3 ]] || skip 'needs a disk under /var/tmp: pagetoll doctor says why nothing is cold'
	ended 0
	json 'all(r["major"] == s[0]["params"]["n_pages"] for r in s[0]["rounds"])'
	json 'all(r["major"] < s[1]["params"]["n_pages"] / 4 for r in s[1]["rounds"])'
	is_restored "$file"
	toll bench file_cold --ab readahead=100,4M --system-changes
	refuses 2 'no whole number of pages'
	for i in file_warm file_cold_random; do # nothing is read ahead there
		toll bench $i --ab readahead=0,4M -d /var/tmp -s 1M --system-changes
		complains 3 'the setting readahead changes nothing about it'
	done
}

@test "debugfs: where it is not mounted, or has no such file, is said" {
	needs_root 'mounts debugfs, or takes it out of sight'
	[ -d /sys/kernel/debug ] || skip 'needs /sys/kernel/debug: this kernel has no debugfs'
	private_run
	prefix=(unshare -m sh -c 'mount --bind "$0" /run && mount -t tmpfs none /sys/kernel/debug && exec "$@"' "$dir/run")
	toll bench file_warm --ab debugfs.fault_around_bytes=1,2 -s 1M --system-changes
	refuses 2 'needs debugfs: it is not mounted on /sys/kernel/debug; as root: mount -t debugfs'
	prefix=(unshare -m sh -c 'mount --bind "$0" /run && mount -t debugfs none /sys/kernel/debug && exec "$@"' "$dir/run")
	"${prefix[@]}" true 2>/dev/null || skip 'needs to mount debugfs: refused'
	toll bench file_warm --ab debugfs.no_such=1,2 -s 1M --system-changes
	refuses 2 'there is no /sys/kernel/debug/no_such here'
}

@test "debugfs.fault_around_bytes: of one page, each page of a cached file is a fault" {
	needs_root 'mounts debugfs, and changes a setting in it'
	private_run
	prefix=(unshare -m sh -c 'mount --bind "$0" /run && mount -t debugfs none /sys/kernel/debug && exec "$@"' "$dir/run")
	"${prefix[@]}" grep -q . /sys/kernel/debug/fault_around_bytes 2>/dev/null ||
		skip 'needs to write /sys/kernel/debug/fault_around_bytes: not there, or refused'
	before=$("${prefix[@]}" cat /sys/kernel/debug/fault_around_bytes)
	page=$(getconf PAGESIZE)
	toll bench file_warm --ab "debugfs.fault_around_bytes=$page,$((16 * page))" -s 2M -t 4 --system-changes --json
	[[ $status != 3 ]] || skip 'needs a data directory: pagetoll doctor says why there is none'
	ended 0
	json 'all(r["minor"] == s[0]["params"]["n_pages"] for r in s[0]["rounds"])'
	json 'all(r["minor"] < s[1]["params"]["n_pages"] / 4 for r in s[1]["rounds"])'
	[ "$("${prefix[@]}" cat /sys/kernel/debug/fault_around_bytes)" = "$before" ]
	# what the kernel rounds has not taken effect: undone, and nothing is run
	toll bench file_warm --ab "debugfs.fault_around_bytes=$((page + 1)),$page" -s 2M -t 4 --system-changes
	refuses 5 'took no effect: .* was written, and it reads'
	[ "$("${prefix[@]}" cat /sys/kernel/debug/fault_around_bytes)" = "$before" ]
}

@test "memory-limit: a file above the limit is not kept, and the cgroup is gone" {
	needs_root 'makes a memory cgroup'
	private_run
	toll bench file_cold --ab memory-limit=32M,none -d /var/tmp -s 64M -t 3 --json
	not grep -q 'memory cgroup to make one in\|cannot make' "$err" ||
		skip "needs a memory cgroup: $(cat "$err")"
	[[ $status != 3 ]] || skip 'needs a disk under /var/tmp: pagetoll doctor says why nothing is cold'
	ended 0
	json 'all(r["resident_after"] * s[0]["params"]["page_bytes"] <= 32 << 20 for r in s[0]["rounds"])'
	json 'all(r["resident_after"] == s[1]["params"]["n_pages"] for r in s[1]["rounds"])'
	not compgen -G 'run/pagetoll/*.journal'
	no_group_is_left
}

@test "sysctl and sysfs: both values are there in turn, and doctor says whose they are" {
	may_change $swappiness
	start bench anon_write --ab sysctl.vm.swappiness=31,32 -s 1M -t 10000 -b 30 --system-changes
	seen=' '
	has_seen_both() {
		seen+="$(value $swappiness) "
		[[ $seen == *' 31 '* && $seen == *' 32 '* ]]
	}
	until_true has_seen_both
	run=$pid
	pid=0 toll doctor
	tells "settings changed by pagetoll $swappiness is 3[12], was $before, by a run at work, pid $run"
	kill -INT "$run"
	pid=$run await
	ended 130
	is_restored $swappiness
}

@test "a value that does not take: nothing is run, nothing is left" {
	may_change $swappiness
	for i in 31,9999 9999,31 031,31; do
		toll bench anon_write --ab sysctl.vm.swappiness=$i -s 1M -t 4 --system-changes
		refuses 5 "$swappiness"
		is_restored $swappiness
	done
}

@test "one run at a time: the second is refused, and says whose turn it is" {
	may_change $swappiness
	file=$swappiness
	start bench anon_write --ab sysctl.vm.swappiness=31,32 -s 1M -t 10000 -b 30 --system-changes
	until_true has_changed
	run=$pid
	pid=0 toll bench anon_write --ab sysctl.vm.swappiness=33,34 -s 1M -t 4 --system-changes
	refuses 5 "another run of pagetoll \(pid $run\)"
	kill -TERM "$run"
	pid=$run await
	ended 143
	is_restored $swappiness
}

@test "somebody else changes it meanwhile: the run says so, and leaves it" {
	may_change $swappiness
	file=$swappiness
	start bench anon_write --ab sysctl.vm.swappiness=31,32 -s 1M -t 10000 -b 20 --system-changes --json
	until_true has_changed
	sleep 0.2
	echo 35 >$swappiness
	await
	json 'any("somebody else" in w["text"] for w in d["warnings"])'
	json 'not any("budget" in w["id"] for w in d["warnings"])'
	[ "$(value $swappiness)" = 35 ]
	not compgen -G 'run/pagetoll/*.journal'
}

@test "SIGKILL at twelve moments, or PAGETOLL_KILLS: the next start restores, and no cgroup is left" {
	may_change $swappiness
	restored=
	for ((i = 0; i < ${PAGETOLL_KILLS:-12}; i++)); do
		start bench anon_write --ab sysctl.vm.swappiness=31,32 -s 1M -t 10000 -b 30 --system-changes
		sleep "0.$(printf %03d $((i * 37 % 350)))"
		kill -KILL "$pid"
		await
		toll --version
		ended 0
		[ ! -s "$err" ] || restored+=x
		is_restored $swappiness
	done
	[ ${#restored} -gt 3 ] # or nothing was put to the test
	for i in 1 2 3; do
		start bench anon_write --ab memory-limit=64M,none -s 1M -t 10000 -b 30
		until_true has_trial || break
		kill -KILL "$pid"
		await
		toll --version
		no_group_is_left
	done
}
