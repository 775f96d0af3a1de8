#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What pagetoll doctor says of huge pages: free memory, pools, and what THP means here.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

@test "doctor has a section on huge pages, between the machine and what can be measured" {
	for i in root nobody; do
		[ $i = root ] || be_nobody
		toll doctor
		ended 0
		silent
		tells '^this machine .* huge pages free memory .* what can be measured'
		prints '^  malloc +pages of '
		prints '^  MADV_HUGEPAGE +pages of '
		harmless "$out"
	done
}

@test "doctor --json: free blocks, free bytes and huge pages add up" {
	toll doctor --json
	ended 0
	json 'd["machine"] and d["needs"] and d["changed"] == []'
	json 'd["huge_pages"]["page_bytes"] == d["machine"]["page_bytes"]'
	if json 'd["huge_pages"]["fragmentation"] is None' 2>/dev/null; then
		json 'd["huge_pages"]["no_fragmentation"]'
		skip "needs /proc/buddyinfo: it cannot be read here"
	fi
	json 'all(z["free_bytes"] == sum(n << o for o, n in enumerate(z["free_blocks"])) * d["huge_pages"]["page_bytes"]
		for z in d["huge_pages"]["fragmentation"]["zones"])'
	json '(lambda f: f["zones_not_listed"] or sum(z["free_bytes"] for z in f["zones"]) == f["free_bytes"])(
		d["huge_pages"]["fragmentation"])'
	json '(lambda h, f: f["unusable_share"] is None or abs(f["huge_pages_at_once"] * h["huge_page_bytes"] - (1 - f["unusable_share"]) * f["free_bytes"])
		<= 1e-6 * f["free_bytes"])(d["huge_pages"], d["huge_pages"]["fragmentation"])'
}

@test "doctor --json: the settings are those of the machine, with their meaning" {
	toll doctor --json
	ended 0
	json 'd["huge_pages"]["thp"]["enabled"] == d["machine"].get("thp_enabled")'
	json 'd["huge_pages"]["thp"]["defrag"] == d["machine"].get("thp_defrag")'
	json 'd["huge_pages"]["thp"]["shmem_enabled"] == d["machine"].get("thp_shmem")'
	json 'all(type(m["may_stall"]) is bool and m["text"] for m in
		(d["huge_pages"]["thp"]["meaning"][k] for k in ("malloc", "madv_hugepage")))'
	json '([n["met"] for n in d["needs"] if n["name"] == "thp"] != [True] or
		d["huge_pages"]["thp"]["meaning"]["madv_hugepage"]["larger_pages"])'
}

# The pool of huge pages; leaves $pool, its folder, and $kib, the page size.
some_pool() {
	kib=$(sed -n 's/^Hugepagesize: *\([0-9]*\) kB/\1/p' /proc/meminfo)
	pool=/sys/kernel/mm/hugepages/hugepages-${kib:-no}kB
	[ -d "$pool" ] || skip "needs hugetlb: this kernel is built without it"
}

# Nobody else has changed that pool meanwhile.
has_still() { # PAGES
	[ "$(cat "$pool/nr_hugepages")" = "$1" ] || skip "needs the pool for itself: somebody else changes it"
}

@test "doctor tells an empty pool, with the line that fills it" {
	some_pool
	[ "$(cat "$pool/nr_hugepages")" = 0 ] ||
		skip "needs an empty pool: $pool/nr_hugepages is not 0; as root: echo 0 > $pool/nr_hugepages"
	toll doctor
	ended 0
	has_still 0
	tells "pool of [0-9.]+ .iB empty; to take .* as root: echo 16 > $pool/nr_hugepages"
}

@test "doctor tells the pages of a pool" {
	needs_root 'sets a pool of huge pages, and restores it'
	some_pool
	before=$(cat "$pool/nr_hugepages")
	restore+=("echo $before >$pool/nr_hugepages")
	echo $((before + 3)) 2>/dev/null >"$pool/nr_hugepages" ||
		skip "needs to write $pool/nr_hugepages: refused"
	now=$(cat "$pool/nr_hugepages")
	[ "$now" -gt 0 ] || skip "needs free memory for a huge page: none is to be had"
	toll doctor --json
	ended 0
	cp "$out" json
	toll doctor
	ended 0
	has_still "$now"
	json "[p['total'] for p in d['huge_pages']['pools'] if p['page_bytes'] == $kib * 1024] == [$now]" json
	json "[p['available'] <= $now for p in d['huge_pages']['pools'] if p['page_bytes'] == $kib * 1024] == [True]" json
	tells "pool of [0-9.]+ .iB $(printf '%d' "$now" | sed -e :a -e 's/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta') pages?, .* nothing else can use"
}

@test "an empty /sys: what it would tell is not known, and nothing is claimed of the kernel" {
	without /sys
	toll doctor
	ended 0
	tells 'huge_pages not known: /sys/kernel/mm is not there'
	tells 'pools not known: /sys/kernel/mm is not there malloc not known'
	tells 'whether there are any is not known, /sys/kernel/mm is not there; mount /sys'
	prints_not 'this kernel|built'
	toll doctor --json
	json 'd["huge_pages"]["thp"]["meaning"]["malloc"]["larger_pages"] is None'
	small anon_write chase_hugetlb
	ended 0
	tells 'THP not known .*mTHP not known; hugetlb not known.* on \?'
	prints_not 'no disk'
	prints_not 'this kernel|built'
	toll list
	ended 0
	prints_not 'this kernel|built'
}

@test "no /proc: what it would tell is not known, and trials say what they need" {
	without /proc
	toll doctor
	ended 0
	prints_not '^  memory_bytes|fragmented'
	tells 'broken transparent huge pages cannot see whether .*/proc/self/smaps: No such file .*is /proc mounted\?'
	toll doctor --json
	json '"memory_bytes" not in d["machine"]'
	small anon_write
	complains 3 'cannot start a trial: there is no /proc/self/exe to execute; mount /proc'
	tells 'memory \? memory pages of .* swap \?; overcommit \?'
	toll stat -v true
	ended 0
}
