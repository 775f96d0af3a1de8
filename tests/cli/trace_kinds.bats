#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pagetoll trace by perf: each kind of fault is named, and counted to the fault.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib
load faults

@test "memory: each kind is named, and counted to the fault" {
	needs_perf
	while read -ra words; do
		kind=${words[0]}
		faulted --timing all "${words[@]:1}"
		adds_up
		told "$n <= k['$kind'] < $n + 100 and c['untimed'] == 0"
	done <<-'EOF'
		anon-write anon-write 1500
		anon-zero-read zero-read 1500
		cow cow 1500
		wp-reuse wp-reuse 1500
		shmem shmem 1500
		stack stack 200
	EOF
}

@test "memory, as an ordinary user: each kind is counted to the fault" {
	be_nobody
	needs_perf
	cd open
	while read -ra words; do
		kind=${words[0]}
		faulted "${words[@]:1}"
		adds_up
		told "$n <= k['$kind'] + c['lost'] < $n + 100"
	done <<-'EOF'
		anon-write anon-write 1500
		cow cow 1500
		wp-reuse wp-reuse 1500
		shmem shmem 1500
	EOF
	# which of them were reads is seen by looking at some of the pages, and so by programs that live long enough
	faulted zero-read 20000
	adds_up
	told "$n <= k['anon-zero-read'] + k['anon-write'] + c['lost'] < $n + 100 and k['anon-zero-read'] >= $n // 2"
}

@test "faults that come fast are counted one by one, and have their kind" {
	needs_perf
	faulted zero-read 20000
	adds_up
	told "20000 <= k['anon-zero-read'] + k['anon-write'] + c['lost'] < 20100"
	faulted storm 1 2
	adds_up
	told "$n <= r['user_traps'] < $n + 200 and k['cow'] + c['lost'] >= $n // 2"
	json '[s["function"] for s in d["by_site"][:2]].count("touch_pages") == 1' doc
}

@test "files: cached, cold, and written where they are shared" {
	needs_perf
	make_file file
	faulted file-warm file
	adds_up
	told "$n <= k['file-minor'] < $n + 100 and k['file-major'] < 50"
	faulted shared-write file
	adds_up
	told "k['file-mkwrite'] == $n"
	json '[m["shared"] for m in d["by_mapping"] if m["mapping"].endswith("/file")] == [True]' doc
	faulted --timing all file-cold file
	adds_up
	# readahead and other readers can be first: then the fault was minor, and slept or did not
	told "$n <= k['file-major'] + k['file-minor'] < $n + 100 and k['file-major'] > 0"
}

@test "files written where pages are missing: the error code tells root, and others are told that it does not" {
	needs_perf
	make_file file
	faulted --timing all shared-missing file
	adds_up
	if json '"kinds" in [b["id"] for b in d["blind_spots"]]' doc; then
		told "k['file-minor'] >= $n and k['file-mkwrite'] == 0"
	else
		told "k['file-mkwrite'] == $n and k['file-minor'] < 200"
	fi
	faulted --timing all private-missing file
	adds_up
	told "$n <= k['cow'] < $n + 100 and k['file-minor'] < 200"
}

@test "a fault that signals break off is one fault, entered again" {
	needs_perf
	make_file file
	faulted --timing all timer-cold file
	adds_up
	told "$n <= k['file-major'] + k['file-minor'] < $n + 100"
	faulted --timing all segv-handler 300
	adds_up
	told "c['retried'] + c['unfinished'] >= 300 and r['user_traps'] >= 600"
	told "300 <= k['anon-write'] + k['unknown'] < 350"
}

@test "transparent huge pages: one fault each" {
	needs_perf
	faulted thp 4
	adds_up
	told "k['thp'] == $n == 4"
}

@test "userfaultfd: whoever waits for a handler" {
	needs_perf
	faulted uffd 4000
	adds_up
	told "k['uffd'] >= $n * 0.9 and $n <= k['uffd'] + k['anon-write'] < $n + 100"
}

@test "hugetlb pages" {
	needs_perf
	faulted hugetlb 2
	adds_up
	told "k['hugetlb'] == 2"
}

@test "what was swapped out" {
	needs_perf
	faulted swap 2000
	adds_up
	told "k['swap-in'] > 0"
}
