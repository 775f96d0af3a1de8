#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What --ab can set without changing the system: it takes effect, which the counts of faults show.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

# A few pairs of SCENARIO with --ab SETTING.
pairs() { # SCENARIO SETTING [OPTION]...
	toll bench "$1" --ab "$2" -s 4M -t 4 --json "${@:3}"
}

# Every round of side A, and of side B, took that many minor faults: an EXPRESSION of x, its scenario.
n="x['params']['n_pages']"
huge="x['params']['size_bytes'] // x['params']['huge_page_bytes']"
minors() { # A B
	json 'all(x["rounds"] for x in s)'
	json "all(r['minor'] == $1 for x in s[:1] for r in x['rounds'])"
	json "all(r['minor'] == $2 for x in s[1:] for r in x['rounds'])"
}

needs_thp() {
	toll doctor --json
	json 'all(n["met"] for n in d["needs"] if n["name"] == "thp")' >/dev/null 2>&1 ||
		skip "needs transparent huge pages: pagetoll doctor says why there are none"
}

@test "advice: a fault a huge page with MADV_HUGEPAGE, one a page with MADV_NOHUGEPAGE" {
	needs_thp
	pairs anon_write advice=huge,nohuge
	ended 0
	minors "$huge" "$n"
	json '[x["params"]["pages"] for x in s] == ["thp", "base"] and all(x["verdict"] != "invalid" for x in s)'
}

@test "advice=none: as the mode of the system has it" {
	needs_thp
	local other=huge alike=nohuge
	if grep -q '\[always\]' /sys/kernel/mm/transparent_hugepage/enabled; then other=nohuge alike=huge; fi
	pairs anon_write advice=none,$other
	ended 0
	if [[ $other == huge ]]; then minors "$n" "$huge"; else minors "$huge" "$n"; fi
	json 'all(x["verdict"] != "invalid" for x in s)'
	pairs anon_write advice=none,$alike
	refuses 2 "none and $alike give the same pages here"
}

@test "file-advice: without readahead each page of a cold file is waited for" {
	pairs file_cold file-advice=normal,random
	[[ $status != 3 ]] || skip 'needs a disk under /var/tmp: pagetoll doctor says why nothing is cold'
	ended 0
	json 'all(r["major"] < s[0]["params"]["n_pages"] / 4 for r in s[0]["rounds"])'
	json 'all(r["major"] == s[1]["params"]["n_pages"] for r in s[1]["rounds"])'
	pairs file_cold file-advice=sequential,random
	ended 0
	json 'all(r["major"] < s[0]["params"]["n_pages"] / 4 for r in s[0]["rounds"])'
}

@test "a scenario that is about one advice is not given another" {
	pairs file_cold_random file-advice=normal,random
	complains 3 'the setting file-advice changes nothing about it'
	pairs anon_read_zero advice=huge,nohuge
	complains 3 'the setting advice changes nothing about it'
}

@test "preload: a library that populates leaves no fault, and the ledger says so" {
	pairs anon_write "preload=none,$POPULATES"
	ended 4
	minors "$n" 0
	json '[x["verdict"] == "invalid" for x in s] == [False, True]'
}

@test "preload: what ld.so does not load is a failure, what cannot be read is refused" {
	echo 'no library' >text.so
	pairs anon_write "preload=none,$PWD/text.so"
	json 's[1]["status"] == "failed" and "was not loaded into the trial" in s[1]["reason"]'
	pairs anon_write preload=none,/nonexistent.so
	refuses 2 'cannot read /nonexistent.so'
	pairs anon_write preload=none,relative.so
	refuses 2 'neither none nor a path'
	mkdir 'a b'
	pairs anon_write "preload=none,$PWD/a b/text.so"
	refuses 2 'no path with a blank'
}

@test "env: a value on one side, and none on the other" {
	PAGETOLL_X=3 pairs anon_write env.PAGETOLL_X=,2
	ended 0
	json 'd["ab"]["setting"] == "env.PAGETOLL_X" and d["ab"]["a"] == ""'
	local long
	long=$(printf 'X%.0s' {1..200})
	pairs anon_write "env.$long=1,2"
	ended 0
	json "d['ab']['setting'] == 'env.$long'"
	pairs anon_write env=1,2
	refuses 2 'write env.VARIABLE=a,b'
	pairs anon_write 'env.A B=1,2'
	refuses 2 'no name of a variable'
}

@test "values that there are not, and the flag that is missing" {
	for i in advice=huge,some file-advice=random,none memory-limit=some,none thp=sometimes,never; do
		pairs anon_write "$i"
		refuses 2 "${i%%=*}"
	done
	for i in sysctl.vm.swappiness=10,60 thp=always,never readahead=128K,8M; do
		[[ -e /sys/kernel/mm/transparent_hugepage/enabled || $i != thp* ]] || continue
		toll bench file_cold --ab $i -s 1M -t 2
		[[ $status == 5 ]] || refuses 2 'whole system .*--system-changes'
	done
	toll bench anon_write --ab sysctl.vm.no_such=1,2 -s 1M --system-changes
	refuses 2 'there is no /proc/sys/vm/no_such'
	toll bench anon_write --ab sysctl.../etc/passwd=1,2 -s 1M --system-changes
	refuses 2 'leads out of where the setting belongs'
	toll bench anon_write --ab sysctl.vm.swappiness=,10 -s 1M --system-changes
	refuses 2 'a value is missing'
	toll bench anon_write --ab sysctl.vm=1,2 -s 1M --system-changes
	refuses 2 'is no setting'
}

@test "an ordinary user changes nothing, and is told what it takes" {
	be_nobody
	toll bench anon_write --ab sysctl.vm.swappiness=10,60 -s 1M -t 2 --system-changes
	refuses 5 'needs root; run it with sudo'
	pairs anon_write memory-limit=64M,none
	[[ $status == 5 ]] || refuses 2 'memory cgroup'
}

@test "what would change nothing is refused, or left out, with the reason" {
	toll bench anon_write --ab pages=base,base
	refuses 2 "both values are alike; '--ab same' compares nothing with nothing"
	toll bench anon_write --ab env.LD_PRELOAD=/nonexistent.so,
	refuses 2 'use --ab preload='
	toll bench anon_write --ab sysfs.transparent_hugepage/enabled=always,never --system-changes
	refuses 2 'would change nothing here; --ab thp=always,never does'
	if [[ -e /sys/kernel/mm/transparent_hugepage/enabled ]]; then
		toll bench anon_write --ab thp=madvise,never --system-changes
		refuses 2 'madvise and never give the same pages here'
	fi
	pairs file_warm file-advice=random,sequential
	complains 3 'the setting file-advice changes nothing about it'
}

@test "sysctls that clear each other are refused: one of them could not be put back" {
	local before
	before=$(cat /proc/sys/vm/overcommit_ratio)
	for i in vm.overcommit_kbytes vm.dirty_ratio vm/dirty_background_bytes; do
		toll bench anon_write --ab sysctl.$i=10,20 --system-changes
		refuses 2 'exclude each other: writing one clears the other'
	done
	[[ $(cat /proc/sys/vm/overcommit_ratio) == "$before" ]]
}
