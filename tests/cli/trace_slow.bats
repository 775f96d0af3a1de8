#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pagetoll trace by perf, what takes longer: all programs whose faults have a fixed number; records that are lost.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib
load faults

as_perf_stat_all() {
	needs_perf
	needs_perf_stat
	for name in first_touch malloc_churn cpu_bound thp_slow_growth; do
		as_perf_stat "$CASES/$name"
	done
}

@test "user traps of more programs are what perf stat counts" {
	as_perf_stat_all
}

@test "user traps of more programs are what perf stat counts, as an ordinary user" {
	be_nobody
	cd open
	as_perf_stat_all
}

@test "while pagetoll cannot read records are lost, and each of them is counted" {
	needs_perf
	start trace --source perf --json -o doc "$FAULTS" storm 4 2
	until_true 'pgrep -P "$pid" -x faults >/dev/null'
	sleep 0.5
	kill -STOP "$pid"
	sleep 2.5
	kill -CONT "$pid"
	await
	ended 0
	n=$(sed -n 's/^faults=\([0-9]*\).*/\1/p' "$out")
	adds_up
	told "t['lost'] > 0 and t['lost'] == c['lost']"
	told "$n <= r['user_traps'] < $n + 300"
}
