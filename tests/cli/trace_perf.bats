#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pagetoll trace by perf: counters agree, whom it follows, and whom it can be attached to.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib
load faults

# --- counters ------------------------------------------------------------------------------------------------

# In the current folder, which must be writable.
as_perf_stat_all() {
	needs_perf
	needs_perf_stat
	as_perf_stat "$CASES/zero_then_write"
	as_perf_stat "$CASES/shared_write_notify" .
	as_perf_stat "$FAULTS" anon-write 3000
	as_perf_stat "$FAULTS" threads 3 500
}

@test "user traps are what perf stat counts" {
	as_perf_stat_all
}

@test "user traps are what perf stat counts, as an ordinary user" {
	be_nobody
	cd open
	as_perf_stat_all
}

@test "faults that system calls take: of the kernel where they are seen, else told apart from traps" {
	needs_perf
	faulted kernel-read 1000
	adds_up
	told "(r['kernel_traps'] is None and r['kernel_or_populated'] >= 1000) or r['kernel_traps'] >= 1000"
	if [[ $EUID == 0 ]]; then told "r['kernel_traps'] >= 1000 and k['anon-write'] >= 1000"; fi
	# fast ones, of which few are timed, are still told from the user's to the fault
	faulted kernel-read 60000
	adds_up
	told "(r['kernel_traps'] or r['kernel_or_populated']) // 100 == 600 and r['user_traps'] < 200"
	if [[ $EUID == 0 ]]; then
		told "k['anon-write'] >= 60000 and c['untimed'] > 10000"
		json 'd["by_site"][0]["function"] == "read_into" and d["by_site"][0]["count"] >= 59000' doc
	fi
	faulted populate 1000
	adds_up
	told "1000 <= r['kernel_or_populated'] < 1100 and r['user_traps'] < 200"
	faulted mlock 1000
	adds_up
	told "1000 <= r['kernel_or_populated'] < 1100"
	be_nobody
	needs_perf
	cd open
	faulted kernel-read 1000
	adds_up
	told "r['kernel_traps'] is None and 1000 <= r['kernel_or_populated'] < 1100"
	json '"kernel-mode" in [b["id"] for b in d["blind_spots"]]' doc
}

@test "each thread has a row of its own" {
	needs_perf
	faulted threads 5 400
	adds_up
	told "t['threads'] == 6 and t['processes'] == 1"
	json 'len([r for r in d["by_thread"] if r["tid"] != r["pid"] and 400 <= r["count"] < 450]) == 5' doc
	json 'sum(r["count"] for r in d["by_thread"]) == d["totals"]["count"]' doc
}

@test "children are followed, and share pages with nobody when they are alone" {
	needs_perf
	faulted forks 5 400
	adds_up
	told "t['processes'] == 6 and t['threads'] == 6 and 2000 <= k['anon-write'] < 2200"
	json 'len([r for r in d["by_thread"] if 400 <= r["count"] < 500]) == 5' doc
}

@test "a program that executes others: each is its own" {
	needs_perf
	faulted execs 5
	adds_up
	told "t['processes'] == 1 and t['execs'] == 6"
	# at the addresses of the first, where nothing is random
	[ -z "$(type -P setarch)" ] || prefix=(setarch -R)
	traced sh -c 'exec "$0" anon-write 1000' "$FAULTS"
	adds_up
	told "t['processes'] == 1 and t['execs'] == 2 and k['anon-write'] >= 1000"
	json 'd["by_site"][0]["function"] == "touch_pages" and d["by_site"][0]["module"].endswith("/faults")' doc
	json '{m["mapping"].split("/")[-1] for m in d["by_mapping"]} >= {"faults", "[anon]"}' doc
}

@test "--timing all times each" {
	needs_perf
	faulted --timing all anon-write 3000
	adds_up
	told "c['untimed'] == 0 or c['lost']"
	told "c['lost'] or c['unentered'] or t['n_timed'] == t['count']"
	json '"timed-few" not in [b["id"] for b in d["blind_spots"]]' doc
}

@test "a program that is killed, and one that does nothing" {
	needs_perf
	traced sh -c 'kill -KILL $$'
	ended 137
	adds_up
	told "t['count'] > 10 and t['processes'] == 1"
	for i in 1 2 3; do
		traced true
		ended 0
		adds_up
		told "t['count'] > 10 and t['processes'] == 1 and t['threads'] == 1"
	done
}

# --- attaching ---------------------------------------------------------------------------------------------------

@test "-p to a process of 50 threads: all of them are traced" {
	needs_perf
	in_background "$FAULTS" idle 30 50
	has_tasks 51
	toll trace -p "$pid_of" --duration 200ms --json -o doc
	ended 0
	told "t['threads'] == 51 and t['processes'] == 1"
	json 'd["pids"] == ['"$pid_of"'] and "no-children" not in [b["id"] for b in d["blind_spots"]]' doc
	in_background "$FAULTS" storm 30 3
	has_tasks 4
	toll trace -p "$pid_of" --duration 300ms --json -o doc
	ended 0
	told "t['threads'] == 4 and k['cow'] + k['anon-zero-read'] + k['anon-write'] > 100"
	json 'len([r for r in d["by_thread"] if r["count"] > 10]) == 3' doc
}

@test "-p with fewer descriptors than that takes: by thread, and what is blind then is said" {
	be_nobody
	needs_perf
	cd open
	in_background "$FAULTS" idle 30 50
	has_tasks 51
	prefix=("${prefix[@]}" sh -c 'ulimit -n 450; exec "$@"' sh)
	toll trace -p "$pid_of" --duration 200ms --json -o doc
	ended 0
	[ "$(nproc)" != 1 ] || skip 'needs more than one CPU: with one there are descriptors enough'
	json '"no-children" in [b["id"] for b in d["blind_spots"]]' doc
	told "t['threads'] == 51"
	# still fewer: switches are not followed, either
	prefix=("${prefix[@]}" sh -c 'ulimit -n 250; exec "$@"' sh)
	toll trace -p "$pid_of" --duration 200ms --json -o doc
	ended 0
	json '{"no-children", "no-switches"} <= {b["id"] for b in d["blind_spots"]}' doc
	told "t['threads'] == 51"
	prefix=("${prefix[@]}" sh -c 'ulimit -n 100; exec "$@"' sh)
	toll trace -p "$pid_of" --duration 200ms
	ended 125
	grep -q 'Too many open files; raise the limit, ulimit -n' "$err"
}

@test "an ordinary user who may lock no memory has what the system lends each" {
	be_nobody
	needs_perf
	cd open
	prefix=("${prefix[@]}" sh -c 'ulimit -l 0; exec "$@"' sh)
	faulted anon-write 1500
	adds_up
	told "$n <= k['anon-write'] < $n + 100"
}

@test "--tree: children that are there, and theirs" {
	needs_perf
	in_background sh -c '"$0" storm 30 1 & (sleep 0.01; "$0" storm 30 1) & wait' "$FAULTS"
	until_true '[ "$(pgrep -g "$pid_of" -x faults | wc -l)" = 2 ]'
	toll trace -p "$pid_of" --duration 500ms --json -o doc
	ended 0
	told "t['processes'] == 1 and t['count'] == 0"
	toll trace -p "$pid_of" --tree --duration 500ms --json -o doc
	ended 0
	told "t['processes'] >= 3 and t['count'] > 100"
	json 'len({r["pid"] for r in d["by_thread"] if r["count"] > 10}) == 2' doc
}

@test "a process of another user is refused, and so is a program with another user's rights" {
	be_nobody
	needs_perf
	cd open
	toll trace -p 1 --duration 100ms
	refuses 125 'trace: -p: process 1 belongs to user 0, and not to you; use sudo'
	needs_root 'makes a set-user-ID program'
	cp "$(type -P true)" asroot
	chmod 4755 asroot
	toll trace ./asroot
	refuses 125 'trace: \./asroot runs with another user.s rights \(set-user-ID\), and the kernel lets only root trace that; use sudo'
}
