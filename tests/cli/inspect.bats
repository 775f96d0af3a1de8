#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pagetoll inspect: mappings of a process that has one of each kind, and why none of them has huge pages.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154

load lib

# A process with one mapping of each kind, $of; where each is stands in made.
makes_mappings() { # [WHAT]
	[ -x "${MAPPINGS-}" ] || skip "needs the test helper mappings: it is built by meson"
	"${prefix[@]}" "$MAPPINGS" "$PWD/file" "$@" >made 2>&1 </dev/null 3>&- &
	of=$!
	restore+=("kill -KILL $of 2>/dev/null || true")
	until_true 'grep -q READY made'
}

# The mapping NAME of made, as m, makes EXPRESSION true.
mapping() { # NAME EXPRESSION
	local at
	at=$(sed -n "s/^$1 //p" made)
	[ "$at" != - ] || skip "needs a mapping of kind $1: it cannot be had here"
	json "[$2 for m in d['mappings'] if int(m['start'], 16) <= $at < int(m['end'], 16)] == [True]" ||
		{ json "print([m for m in d['mappings'] if int(m['start'], 16) <= $at < int(m['end'], 16)])" || true; return 1; }
}

thp() { sed 's/.*\[\(.*\)\].*/\1/' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null; }

needs_thp_by_madvise() {
	[ "$(thp)" = madvise ] || skip "needs transparent huge pages by madvise: they are $(thp)"
}

@test "each reason for which a mapping has no huge pages" {
	needs_thp_by_madvise
	makes_mappings
	toll inspect "$of" --json
	ended 0
	for pair in unasked:'not asked' small:'too small' unaligned:unaligned refused:MADV_NOHUGEPAGE untouched:untouched \
		came_small:'came small' partly:partly file:file; do
		mapping "${pair%%:*}" "m['why_no_huge_page'] == '${pair#*:}'"
	done
	mapping huge "m['why_no_huge_page'] is None and m['pages']['huge_bytes'] == m['rss'] > 0 and m['thp_eligible']"
	mapping refused "'nh' in m['flags'] and m['rss'] == m['size'] and m['pages']['huge_bytes'] == 0"
	mapping came_small "'hg' in m['flags'] and m['dirty'] == m['rss']"
	json "[f['id'] for f in d['findings']] == ['thp-eligible-not-used']"
}

@test "shared memory, userfaultfd, and a pool of huge pages" {
	needs_thp_by_madvise
	makes_mappings
	toll inspect "$of" --json
	ended 0
	[ "$(sed 's/.*\[\(.*\)\].*/\1/' /sys/kernel/mm/transparent_hugepage/shmem_enabled)" != never ] ||
		mapping shmem "m['why_no_huge_page'] == 'shmem off' and m['name'].startswith('/memfd:a?[31mb')"
	mapping uffd "m['why_no_huge_page'] == 'userfaultfd' and 'um' in m['flags']"
	mapping hugetlb "m['why_no_huge_page'] is None and 'ht' in m['flags']"
}

@test "a process that has turned them off" {
	needs_thp_by_madvise
	makes_mappings prctl
	toll inspect "$of" --json
	ended 0
	json "d['process']['thp_disabled']"
	mapping unasked "m['why_no_huge_page'] == 'prctl'"
	mapping untouched "m['why_no_huge_page'] == 'prctl'"
	mapping refused "m['why_no_huge_page'] == 'prctl'"
	toll inspect "$of"
	grep -q 'off by prctl' "$out"
}

@test "a process that has locked all that it may" {
	needs prlimit util-linux
	be_nobody
	cd open
	prefix=("${prefix[@]}" prlimit --memlock=$((2 << 20)))
	makes_mappings lock
	toll inspect "$of" --json
	ended 0
	json "d['process']['memlock_limit_bytes'] == 2 << 20 and [f['id'] for f in d['findings']][0] == 'memlock-limit'"
}

@test "sums agree with what the kernel says of the whole process" {
	makes_mappings
	toll inspect "$of" --json
	ended 0
	local rss
	rss=$(sed -n 's/^Rss: *\([0-9]*\) kB/\1/p' "/proc/$of/smaps_rollup")
	json "abs(sum(m['rss'] for m in d['mappings']) - $rss * 1024) < 65536 and d['pid'] == $of"
	json "len(d['mappings']) == $(wc -l <"/proc/$of/maps") and d['mappings_left_out'] == 0"
	json "d['process']['minor_faults'] > 1000 and d['process']['comm'] == 'mappings'"
}

@test "text: names harmless, one row a name, each on demand" {
	makes_mappings
	toll inspect "$of" --top 100
	ended 0
	[ "$(grep -c $'\033' "$out")" = 0 ]
	grep -q '^process  *[0-9]* .*mappings' "$out"
	local joined each
	joined=$(wc -l <"$out")
	toll inspect "$of" --top 1000 --each
	each=$(wc -l <"$out")
	[ "$each" -gt "$joined" ]
	toll inspect "$of" --top 1
	grep -q 'more; --top N' "$out"
	toll inspect "$of" -o report
	ended 0
	[ ! -s "$out" ]
	grep -q MAPPING report
}

@test "what cannot be inspected, and why" {
	toll inspect
	refuses 2 "inspect: names one process"
	toll inspect abc
	refuses 2 "inspect: 'abc' is no process"
	toll inspect 0
	refuses 2 "inspect: '0' is no process"
	toll inspect 4194305
	refuses 2 "inspect: there is no process 4194305"
	toll inspect "$(pgrep -x kthreadd || echo 2)"
	refuses 2 "inspect: process [0-9]* has no memory"
	makes_mappings
	be_nobody
	[ "${#prefix[@]}" -gt 0 ] || skip "needs a user other than root"
	toll inspect "$of"
	refuses 5 "inspect: process $of is somebody else's"
}
