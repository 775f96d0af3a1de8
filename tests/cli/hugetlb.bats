#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Pools of huge pages: empty, filled, and too small.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

POOLS=/sys/kernel/mm/hugepages

# Sets a pool to N pages more than are in use, and has it undone at the end.
fill_pool() { # KIB N
	local pool=$POOLS/hugepages-$1kB/nr_hugepages before want
	needs_root 'fills a pool of huge pages, and empties it again'
	[ -e "$pool" ] || skip "needs hugetlb pages of $1 kB: this kernel or CPU has none"
	before=$(<"$pool") want=$((before + $2))
	restore+=("echo $before >$pool")
	echo "$want" 2>/dev/null >"$pool" || skip "needs to write $pool: refused"
	[ "$(<"$pool")" = "$want" ] || skip "needs $2 free pages of $1 kB: memory is too fragmented"
}

# The size of a huge page here, in KiB.
huge_kib() { echo $(($(cat /sys/kernel/mm/transparent_hugepage/hpage_pmd_size) / 1024)); }

@test "an empty pool: the row is left out with the line that would fill it" {
	[ -e /sys/kernel/mm/transparent_hugepage/hpage_pmd_size ] || skip "needs huge pages: this kernel has none"
	kib=$(huge_kib)
	[ "$(<$POOLS/hugepages-"$kib"kB/nr_hugepages)" = 0 ] || skip "needs an empty pool: this one is filled"
	toll bench chase_hugetlb -s $((4 * kib))k -t 1 -r 1
	ended 3
	tells "skipped chase_hugetlb: needs 4 hugetlb pages of .*: the pool has 0 of 0 free; as root: echo 4 > $POOLS/hugepages-${kib}kB/nr_hugepages"
}

@test "the line that is printed is the line that helps" {
	[ -e /sys/kernel/mm/transparent_hugepage/hpage_pmd_size ] || skip "needs huge pages: this kernel has none"
	kib=$(huge_kib)
	fill_pool "$kib" 1
	toll bench chase_hugetlb -s $((4 * kib))k -t 1 -r 1 --json
	[ "$status" = 3 ] || skip "needs a small pool: this one has pages enough"
	line=$("$PYTHON" -I -S -c 'import json; print(json.load(open("out"))["scenarios"][0]["reason"].split("as root: ")[1])')
	[[ $line == "echo "*" > $POOLS/hugepages-${kib}kB/nr_hugepages" ]]
	eval "$line"
	toll bench chase_hugetlb -s $((4 * kib))k -t 2 -r 2 --json
	ended 0
	json 's[0]["verdict"] in ("valid", "noisy") and s[0]["params"]["pages"] == "hugetlb"'
}

@test "chases in every kind of page: no fault, the same work, and small page tables in pools" {
	[ -e /sys/kernel/mm/transparent_hugepage/hpage_pmd_size ] || skip "needs huge pages: this kernel has none"
	kib=$(huge_kib)
	fill_pool "$kib" 16
	toll bench chase_base chase_thp chase_hugetlb -s $((8 * kib))k -t 2 -r 2 --json
	ended 0
	json 'all(x["verdict"] in ("valid", "noisy") for x in s)'
	json 'all(r["minor"] == r["major"] == 0 for x in s for r in x["rounds"])'
	json 'all(x["ns_per_access"]["median"] > 0 and x["ns_per_page"] is None for x in s)'
	json 'len({x["params"]["accesses"] for x in s}) == 1'
	json 's[2]["page_table_bytes"] < s[0]["page_table_bytes"] / 2'
	# nothing is kept of the pool
	[ "$(<$POOLS/hugepages-"$kib"kB/resv_hugepages)" = 0 ]
}

@test "a working set smaller than its page lies within one" {
	gigantic=$(find $POOLS -name 'hugepages-*kB' | sed 's/.*-\([0-9]*\)kB/\1/' | sort -n | tail -n 1)
	kib=$(huge_kib)
	[ "$gigantic" -gt "$kib" ] || skip "needs gigantic pages: this kernel or CPU has none"
	fill_pool "$gigantic" 1
	toll bench chase_gigantic -s 1M -t 1 -r 2 --json
	ended 0
	json "s[0]['params']['size_bytes'] == 1 << 20 and s[0]['params']['huge_page_bytes'] == $gigantic << 10"
}

@test "pages are free, and the address space is too small for them" {
	kib=$(huge_kib 2>/dev/null) || skip "needs huge pages: this kernel has none"
	fill_pool "$kib" 16
	prefix=(bash -c "ulimit -v $((15 * kib)) && exec \"\$@\"" limited)
	toll bench chase_hugetlb -s $((16 * kib))k -t 1 -r 1
	complains 3 "address space for pages of $kib kB; raise its limit, ulimit -v$"
}

# Has this test's commands run in a cgroup that may reserve BYTES of huge pages of KIB.
in_hugetlb_cgroup() { # KIB BYTES
	local root=$dir/cgroup group name=$(($1 / 1024))MB
	needs_root 'makes a hugetlb cgroup'
	mkdir "$root"
	if grep -qsw hugetlb /sys/fs/cgroup/cgroup.subtree_control; then
		root=/sys/fs/cgroup
	elif [[ -d /sys/fs/cgroup/hugetlb ]]; then
		root=/sys/fs/cgroup/hugetlb
	elif mount -t cgroup -o hugetlb none "$root" 2>/dev/null; then
		mounts+=("$root")
	else
		skip 'needs a hugetlb cgroup: no hugetlb controller at /sys/fs/cgroup'
	fi
	group=$root/pagetoll-cli.$$
	mkdir "$group" 2>/dev/null || skip "needs a hugetlb cgroup: cannot make $group"
	restore+=("rmdir '$group'")
	echo "$2" 2>/dev/null >"$(compgen -G "$group/hugetlb.$name.rsvd.limit_in_bytes" || echo "$group/hugetlb.$name.rsvd.max")" ||
		skip "needs a hugetlb cgroup: cannot limit pages of $name"
	prefix=(bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group")
}

@test "pages are free, and a cgroup keeps them back" {
	kib=$(huge_kib 2>/dev/null) || skip "needs huge pages: this kernel has none"
	fill_pool "$kib" 8
	in_hugetlb_cgroup "$kib" $((2 * kib * 1024))
	toll bench chase_hugetlb -s $((4 * kib))k -t 1 -r 1
	complains 3 "the pool has [0-9]+ free pages of $kib kB, but this process cannot have 4: raise the limit of its hugetlb cgroup"
	toll bench chase_hugetlb -s $((2 * kib))k -t 1 -r 1
	ended 0
}
