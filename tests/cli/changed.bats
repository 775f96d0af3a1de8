#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a killed run has left changed: the next start as root restores it, doctor shows it until then.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

# A setting that nobody minds for a moment.
setting=/sys/kernel/mm/transparent_hugepage/khugepaged/alloc_sleep_millisecs
other=/sys/kernel/mm/transparent_hugepage/khugepaged/pages_to_scan

# From here on pagetoll sees a /run of its own, run/, in which a dead run has left $setting at 61234.
a_run_has_died() {
	needs_root "changes $setting, and restores it"
	[ -w $setting ] || skip "needs to write $setting: refused"
	before=$(cat $setting)
	restore+=("echo $before >$setting")
	echo 61234 >$setting || skip "needs to write $setting: refused"
	mkdir -p run/pagetoll
	prefix=()
	private_run
	journal "write\tchanged\t$setting\t$before\t61234"
}

# The journal of a dead run with these ENTRIES.
journal() { # ENTRY...
	{
		printf 'pagetoll-journal 1\nboot\t%s\nowner\t2147483647\t1\n' "$(cat /proc/sys/kernel/random/boot_id)"
		printf '%b\n' "$@" end
	} >run/pagetoll/2147483647-1.journal
}

@test "any command as root restores, says so in one line, and the journal is gone" {
	for i in --version list 'list --json' doctor 'stat true'; do
		a_run_has_died
		# shellcheck disable=SC2086
		toll $i
		ended 0
		[ "$(grep -c '^pagetoll: restored' "$err")" = 1 ] || show
		grep -qF "restored 1 setting that an earlier run (pid 2147483647) left changed: $setting = $before" "$err"
		[ "$(cat $setting)" = "$before" ]
		! compgen -G 'run/pagetoll/*.journal'
		toll --version
		silent
	done
}

@test "what somebody else has set since is left, and that is said" {
	a_run_has_died
	echo 61235 >$setting
	toll --version
	ended 0
	grep -qE "^pagetoll: .*\(pid 2147483647\) left settings changed; not restored: $setting is '61235', which is not ours" "$err"
	[ "$(cat $setting)" = 61235 ]
	toll --version
	silent
}

@test "without root: one line of warning, and doctor shows what, whose, and what restores it" {
	a_run_has_died
	before_all=("${prefix[@]}")
	be_nobody
	prefix=("${before_all[@]}" "${prefix[@]}")
	toll --version
	complains 0 'earlier run \(pid 2147483647\) left settings changed; the next start as root restores them: sudo pagetoll doctor'
	toll doctor
	ended 0
	silent
	tells "settings changed by pagetoll $setting is 61234, was $before, by a run that is dead, pid 2147483647: the next start of pagetoll as root restores it"
	toll doctor --json
	json "d['changed'] == [{'path': '$setting', 'before': '$before', 'ours': '61234', 'now': '61234', 'pid': 2147483647, 'running': False, 'problem': None}]"
	[ "$(cat $setting)" = 61234 ]
}

@test "doctor has nothing to show where nothing is changed" {
	a_run_has_died
	rm run/pagetoll/*
	toll doctor
	silent
	tells 'settings changed by pagetoll none'
	rmdir run/pagetoll
	toll doctor --json
	silent
	json 'd["changed"] == []'
}

@test "a journal that is not to be believed changes nothing, and is told of" {
	a_run_has_died
	echo safe >victim
	journal "write\tchanged\t$setting\t$before\t61234" "write\tchanged\t$dir/victim\thit\tsafe"
	toll --version
	complains 0 "in /run/pagetoll: the journal 2147483647-1.journal .*$dir/victim is no setting"
	toll doctor
	silent
	tells 'settings changed by pagetoll the journal 2147483647-1.journal'
	journal "write\tchanged\t$setting\t$before\t61234"
	chown 65534 run/pagetoll/*.journal
	toll --version
	complains 0 'not root.s alone'
	chown 0 run/pagetoll/*.journal
	chmod 777 run/pagetoll
	toll --version
	complains 0 'not root.s alone'
	journal "write\tchanged\t$setting\t\\033[31m\t61234"
	chmod 755 run/pagetoll
	toll --version
	complains 0 'no line of printable text'
	harmless "$err"
	[ "$(cat victim)" = safe ]
	[ "$(cat $setting)" = 61234 ]
}

@test "killed while restoring, the next start goes on" {
	a_run_has_died
	[ -w $other ] || skip "needs to write $other: refused"
	second=$(cat $other)
	restore+=("echo $second >$other")
	for i in 0 1 2 3 4 5 6 7; do
		echo 61234 >$setting
		echo 4711 >$other
		journal "write\tchanged\t$setting\t$before\t61234" "write\tchanged\t$other\t$second\t4711"
		start list
		sleep "0.00$i"
		kill -KILL "$pid" 2>/dev/null || true
		await
		toll --version
		[ "$(cat $setting) $(cat $other)" = "$before $second" ] || show
	done
}
