#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Counting traps by perf events: where it is refused, and whether the counts agree.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

# The counter NEED of pagetoll doctor can be opened here: user_traps or kernel_traps.
can_count() {
	local reason
	toll doctor --json
	reason=$("$PYTHON" -I -S -c '
import json, sys
print([n["reason"] for n in json.load(open("out"))["needs"] if n["name"] == sys.argv[1]][0] or "")' "$1")
	[ -z "$reason" ] || skip "needs perf events: $reason"
}

# From here on perf_event_open fails with ERRNO.
refuse_perf() { # ERRNO
	[ -x "${NO_PERF-}" ] || skip "needs the test helper no_perf: it is built by meson"
	prefix=("$NO_PERF" "$1")
	toll --version
	[ "$status" != 77 ] || skip "needs seccomp filters: this kernel or container refuses them"
}

@test "perf_event_open refused (EPERM, EACCES, ENOSYS): a warning, and prices all the same" {
	for errno in 1 13 38; do
		refuse_perf $errno
		small anon_write anon_populate file_warm --json
		ended 0
		silent
		json 'all(x["verdict"] in ("valid", "noisy") for x in s)'
		json 'all(r["trap"] is None and r["populated"] is None for x in s for r in x["rounds"])'
		json 'all(x["faults_per_page"]["trap"] is None and x["faults_per_page"]["populated"] is None for x in s)'
		json 's[0]["faults_per_page"]["minor"] >= 1 and s[0]["ns_per_fault"]["median"] > 0'
		json '[w["id"] for w in d["warnings"]] == ["no-traps"]'
	done
}

@test "perf_event_open refused: the text says why, and what then counts" {
	refuse_perf 1
	small anon_write
	ended 0
	tells 'warning cannot count user-mode traps: .*rusage alone counts'
	toll doctor
	ended 0
	tells 'no counting user-mode traps by perf events cannot count user-mode traps: '
	toll list
	ended 0
}

@test "a document without traps is shown again as it was" {
	refuse_perf 38
	small anon_write anon_populate --json
	cp "$out" first
	prefix=()
	toll show --json
	ended 0
	cmp first "$out"
}

@test "perf_event_paranoid 4: an ordinary user is told the line that helps" {
	needs_root 'writes kernel.perf_event_paranoid, and restores it'
	knob=/proc/sys/kernel/perf_event_paranoid
	before=$(cat $knob)
	restore+=("echo $before >$knob")
	echo 4 2>/dev/null >$knob || skip "needs to write $knob: refused"
	be_nobody
	small anon_write --json
	ended 0
	if json 's[0]["rounds"][0]["trap_user"] is not None' >/dev/null 2>&1; then
		skip "needs a kernel that knows perf_event_paranoid 4 or 3: this one counts all the same"
	fi
	json 's[0]["verdict"] in ("valid", "noisy") and s[0]["rounds"][0]["trap"] is None'
	json 'any("perf_event_paranoid is 4; as root: sysctl kernel.perf_event_paranoid=2" in w["text"] for w in d["warnings"])'
}

@test "perf_event_paranoid 2: an ordinary user counts user-mode traps" {
	needs_root 'writes kernel.perf_event_paranoid, and restores it'
	can_count user_traps
	knob=/proc/sys/kernel/perf_event_paranoid
	before=$(cat $knob)
	restore+=("echo $before >$knob")
	echo 2 2>/dev/null >$knob || skip "needs to write $knob: refused"
	be_nobody
	small anon_write --json
	ended 0
	json 's[0]["verdict"] in ("valid", "noisy")'
	json 's[0]["rounds"][0]["trap_user"] >= s[0]["params"]["n_pages"]'
	json 's[0]["rounds"][0]["trap_kernel"] is None'
	json '[w["id"] for w in d["warnings"]] == ["no-kernel-traps"]'
}

@test "traps and rusage agree where each fault is a trap" {
	can_count kernel_traps
	toll bench anon_write anon_refault file_warm -s 2M -t 3 -r 3 --json
	ended 0
	json 'all(r["trap"] == r["minor"] + r["major"] and r["populated"] == 0 for x in s for r in x["rounds"])'
}

@test "populated pages are counted by rusage and are no traps" {
	can_count kernel_traps
	toll bench anon_populate -s 2M -t 2 -r 2 --json
	ended 0
	json 'all(r["minor"] >= s[0]["params"]["n_pages"] and r["populated"] >= 0.99 * r["minor"] for r in s[0]["rounds"])'
	json 's[0]["ns_per_fault"] is None and s[0]["no_ns_per_fault"]'
}

@test "a round touches nothing but its pages: no fault of pagetoll's own is counted" {
	toll bench anon_write anon_refault anon_prefaulted memset_mapped -s 256k -t 40 -r 1 --json
	ended 0
	json 'all(r["minor"] == x["params"]["n_pages"] for x in s[:2] for r in x["rounds"])'
	json 'all(r["minor"] + r["major"] == 0 for x in s[2:] for r in x["rounds"])'
}

@test "a huge page is one fault, forty times out of forty" {
	toll doctor --json
	json '[n["met"] for n in d["needs"] if n["name"] == "thp"] == [True]' >/dev/null 2>&1 ||
		skip "needs transparent huge pages: pagetoll doctor says why there are none"
	toll bench anon_thp -s 2M -t 40 -r 1 --json
	ended 0
	json 'all(r["minor"] == 1 for r in s[0]["rounds"])'
}
