#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The hardware events that staged_pmu puts up for other tests: they count, for everyone below it.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

# Runs COMMAND on stage; leaves $status, $out and $err.
staged() {
	[[ -x ${STAGED_PMU-} && -x ${PMU_USER-} ]] ||
		skip "needs the test helpers staged_pmu and pmu_user: they are built by meson"
	status=0
	timeout -k 5 60 "${prefix[@]}" "$STAGED_PMU" "$@" >"$out" 2>"$err" </dev/null 3>&- || status=$?
	[ "$status" != 77 ] || skip "needs seccomp notifications: this kernel or container refuses them"
}

# ... which works only where perf events do.
counts() {
	staged "$@"
	! grep -qE 'Permission denied|Operation not permitted|not implemented' "$err" ||
		skip "needs perf events: refused here"
	ended 0
	silent
}

@test "staged_pmu: cycles and instructions in a group; a dTLB miss for each page fault" {
	counts "$PMU_USER" group
}

@test "staged_pmu: several threads at once, each with its own counts" {
	counts "$PMU_USER" threads
}

@test "staged_pmu: events that children inherit" {
	counts "$PMU_USER" inherit
}

@test "staged_pmu: a thousand events, one after the other" {
	counts "$PMU_USER" many
}

@test "staged_pmu: what cannot be is refused" {
	counts "$PMU_USER" refused
}

@test "staged_pmu: grandchildren, and orphans as long as the command runs" {
	counts sh -c 'sh -c "\"\$0\" group; exit \$?" "$0"; exit $?' "$PMU_USER"
	counts sh -c '(setsid sh -c "sleep 0.2; \"\$0\" group >orphan 2>&1; echo \$? >>orphan" "$0" &)
		until [ -s orphan ]; do sleep 0.05; done; cat orphan' "$PMU_USER"
	prints '^0$'
}

@test "staged_pmu: the command's exit status, and its death by a signal" {
	staged sh -c 'exit 3'
	ended 3
	staged sh -c 'kill -SEGV $$'
	ended 139
	staged ./no-such-command
	ended 127
}

@test "staged_pmu: signals reach the command, SIGKILL too" {
	staged true
	for signal in HUP INT TERM USR1; do
		rm -f "$out" # or the last one's "ready" is taken for this one's
		setsid env --default-signal "$STAGED_PMU" sh -c \
			'trap "echo $0; exit 5" $0; echo ready; while :; do sleep 0.02; done' \
			$signal >"$out" 3>&- &
		pid=$!
		until_true 'grep -q ready "$out"'
		kill -$signal $pid
		await
		ended 5
		prints "^$signal\$"
	done
	setsid "$STAGED_PMU" sh -c 'echo $$; exec sleep 60' >shell 3>&- &
	pid=$!
	until_true '[ -s shell ]'
	kill -KILL $pid
	await
	until_true "is_gone $(cat shell)"
}

@test "staged_pmu: an ordinary user needs no privileges" {
	be_nobody
	[ $EUID = 0 ] || prefix=()
	[ ! -x "${STAGED_PMU-}" ] || { cp "$STAGED_PMU" staged_pmu && STAGED_PMU=$dir/staged_pmu; }
	[ ! -x "${PMU_USER-}" ] || { cp "$PMU_USER" pmu_user && PMU_USER=$dir/pmu_user; }
	counts "$PMU_USER" group
	counts sh -c '"$0" threads' "$PMU_USER"
}

@test "staged_pmu: pagetoll under it counts its traps as before" {
	staged true
	prefix=("$STAGED_PMU")
	small anon_write --json
	ended 0
	silent
	json 's[0]["verdict"] in ("valid", "noisy")'
}
