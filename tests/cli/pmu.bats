#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Cycles, instructions and TLB misses: where there is a PMU, where there is none, and where it is hidden.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

# From here on there is a PMU: cycles are nanoseconds on the CPU, dTLB misses are page faults.
stage_pmu() {
	[ -x "${STAGED_PMU-}" ] || skip "needs the test helper staged_pmu: it is built by meson"
	prefix=("$STAGED_PMU")
	toll doctor --json
	[ "$status" != 77 ] || skip "needs seccomp notifications: this kernel or container refuses them"
	json '[n["met"] for n in d["needs"] if n["name"] == "user_traps"] == [True]' >/dev/null 2>&1 ||
		skip "needs perf events: refused here"
}

@test "with a PMU: each round has its counts, and the document what follows" {
	stage_pmu
	toll bench anon_write anon_prefaulted -s 2M -t 2 -r 2 --json
	ended 0
	json 'd["machine"]["pmu"] == "counted"'
	json 'all(r["cycles"] > 0 and r["instructions"] > 0 for x in s for r in x["rounds"])'
	# a page fault each, where the pages were not there; the few beside them are of no page of ours
	json 'all(0 <= r["dtlb_load_misses"] - x["params"]["n_pages"] * (x["name"] == "anon_write") < 5 for x in s for r in x["rounds"])'
	json 'all(0 < x["pmu"]["instructions_per_cycle"] and 0 < x["pmu"]["cycles_per_page"] for x in s)'
	json '0.99 < s[0]["pmu"]["dtlb_load_misses_per_page"] < 1.01'
	json 'all(x["pmu"]["dtlb_load_misses_per_access"] is None for x in s)'
	toll show -v
	tells 'detail anon_write: .*; [0-9]+ cycles a page, [0-9]+ instructions, IPC [0-9.]+; 1.000 dTLB load misses a page'
	prints_not 'not counted'
}

@test "with a PMU: chases show their TLB misses by the access" {
	stage_pmu
	toll bench chase_base -s 1M -t 2 -r 2 --json
	ended 0
	json 's[0]["pmu"]["dtlb_load_misses_per_access"] is not None and s[0]["pmu"]["cycles_per_access"] > 0'
	json 's[0]["pmu"]["cycles_per_page"] is None'
	toll show
	prints '^dTLB MISSES/ACCESS +chase_base'
}

@test "without a PMU: said once, null in the document, and nothing is 0" {
	toll doctor --json
	json '[n["met"] for n in d["needs"] if n["name"] == "pmu"] == [False]' >/dev/null 2>&1 ||
		skip "needs a machine without a PMU: this one has one"
	small anon_write chase_base --json
	ended 0
	json 'd["machine"]["pmu"].startswith("not counted: ")'
	json 'all(r[k] is None for x in s for r in x["rounds"] for k in ("cycles", "instructions", "dtlb_load_misses"))'
	json 'all(v is None for x in s for v in x["pmu"].values())'
	toll show -v
	tells 'Cycles, instructions, IPC: not counted: '
	tells 'dTLB load misses: not counted: '
	toll bench pagesize -s 1M -t 1 -r 1
	ended 0
	toll doctor
	tells 'no counting cycles, instructions and TLB misses by the PMU not counted: '
}

@test "a PMU that the kernel hides from an ordinary user" {
	needs_root 'becomes an ordinary user'
	stage_pmu
	be_nobody
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 1 ] || skip "needs perf_event_paranoid above 1"
	cp "$STAGED_PMU" staged && chmod 755 staged
	prefix=(setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all "$dir/staged")
	toll bench anon_write -s 1M -t 1 -r 1 --json
	ended 0
	json '"perf_event_paranoid hides the kernel" in d["machine"]["pmu"] and s[0]["rounds"][0]["cycles"] is None'
}
