#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Noise: measured, kept in the document, and said with what would help.
# $status, $out and $err come from lib.bash.
# shellcheck disable=SC2016,SC2154

load lib

# The CPU that trials run on.
last_cpu() { taskset -cp $$ | sed 's/.*[^0-9]//'; }

# A task that wants all of one CPU, until the test ends.
hog() { # CPU
	taskset -c "$1" sh -c 'while :; do :; done' 3>&- &
	restore+=("kill $!")
}

@test "a run beside a hog on its CPU is noisy, says who and what would help" {
	needs taskset util-linux
	hog "$(last_cpu)"
	toll bench anon_write -s 32M -t 3 -r 3 --no-save
	ended 0
	tells '^.* noise: steal [0-9.]+( % of the time)?, CPU pressure [^,]*, memory pressure [^,]*, I/O pressure [^,]*, calibration \+-[0-9.]+ % \(worst block [+-][0-9.]+ %\)'
	tells 'anon_write: [0-9] of 9 rounds had to wait for the CPU, [0-9.]+ % of their time: other tasks had it \(stop them, or choose another --cpu\)'
	toll bench anon_write -s 32M -t 3 -r 3 --no-save --json
	ended 0
	json 's[0]["verdict"] == "noisy"'
	json 'sum("switched" in r["marks"] for r in s[0]["rounds"]) > 1'
	json 'sum(n["nivcsw"] for n in d["noise"]) > 0'
}

@test "the document has the noise of each round and each block, and their sum" {
	toll bench anon_write memset_mapped -s 1M -t 3 -r 2 --json --no-save
	ended 0
	json 'len(d["noise"]) == 3 and [n["block"] for n in d["noise"]] == [0, 1, 2]'
	json 'all(n["elapsed_ns"] > 0 and n["calibration_ns"] > 0 for n in d["noise"])'
	json 'all(a["started_ns"] + a["elapsed_ns"] == b["started_ns"] for a, b in zip(d["noise"], d["noise"][1:]))'
	json 'all(r["calibration_ns"] > 0 for x in s for r in x["rounds"])'
	json 'd["noise_summary"]["steal_share"] >= 0 and d["noise_summary"]["calibration_ns"] > 0'
	toll doctor --json
	json '[n["met"] for n in d["needs"] if n["name"] == "pressure"] == [True]' 2>/dev/null ||
		skip 'cannot read /proc/pressure: see pagetoll doctor'
	small anon_write --json --no-save
	json 'all(r[k] >= 0 for r in s[0]["rounds"] for k in ("psi_cpu_ns", "psi_memory_ns", "psi_io_ns"))'
	json 'all(0 <= d["noise_summary"][k] <= 1.01 for k in ("psi_cpu_share", "psi_memory_share", "psi_io_share"))'
}

@test "with -v the noise is told always, of an older document never" {
	small anon_write -v
	ended 0
	tells 'noise: steal '
	toll show -v "$HERE/../golden/docs/schema1-troubled.json"
	ended 0
	prints_not '^noise'
}

@test "without pressure stall information it is not told, and doctor says why" {
	without /proc/pressure
	small anon_write --json --no-save
	ended 0
	json 's[0]["rounds"][0]["psi_cpu_ns"] is None and d["noise"][0]["psi_io_ns"] is None'
	json 'd["noise_summary"]["psi_memory_share"] is None and d["noise_summary"]["calibration_ns"] > 0'
	small anon_write -v --no-save
	tells 'CPU pressure not told, memory pressure not told, I/O pressure not told'
	toll doctor
	tells 'no who waits for CPUs, memory and disks \(PSI\) cannot read /proc/pressure/cpu'
}

@test "doctor says whether pressure and steal can be read" {
	toll doctor
	ended 0
	prints '^  (yes|no) +who waits for CPUs, memory and disks \(PSI\)$'
	prints '^  (yes|no) +time that the hypervisor takes \(steal\)$'
}
