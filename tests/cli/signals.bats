#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Interrupted at any moment: what was done is reported, and nothing is left behind.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

long=(bench file_warm file_cold anon_write -s 8M -t 200 -r 20)

# Where the run is: it holds signals back (or is over), data files, trials. Before it does a signal
# ends it as it ends any program: nothing was done that could be reported.
has_begun() {
	is_over || {
		[[ $(readlink "/proc/$pid/exe") == "$PAGETOLL" ]] &&
			grep -qs '^SigBlk:.*[2367abef]$' "/proc/$pid/status"
	}
}
has_file() { compgen -G "/proc/$pid/fd/*" >/dev/null && find "/proc/$pid/fd" -lname "$PWD/data/*" | grep -q .; }

# Nothing of the run is left but whole documents.
is_clean() {
	[ -z "$(all_of_them)" ] || { ps -fp "$(all_of_them | tr -cd '0-9\n' | paste -sd,)" && return 1; }
	[ -z "$(ls -A data)" ] || { ls -A data && return 1; }
	[ ! -d runs ] || [ -z "$(find runs -mindepth 1 ! -name '*-bench.json')" ]
	local file
	for file in runs/*.json; do
		[ ! -e "$file" ] || json 'd["kind"] == "bench"' "$file"
	done
}

@test "SIGINT, SIGTERM and SIGHUP in the midst of trials: a report, a document, 128+n" {
	mkdir data
	for signal in INT:130 TERM:143 HUP:129; do
		rm -rf runs
		start "${long[@]}" -d data
		until_true has_trial
		sleep 0.3
		kill -"${signal%:*}" "$pid"
		await
		ended "${signal#*:}"
		silent
		prints '^Interrupted: this is what was done until then\.'
		json 'd["interrupted"] is True and any(x["rounds"] for x in s)' "$(saved)"
		is_clean
	done
}

@test "SIGINT before anything was done: a report of nothing, 130" {
	mkdir data
	for phase in has_file has_trial; do
		start "${long[@]}" -d data
		until_true $phase
		kill -INT "$pid"
		await
		ended 130
		is_clean
	done
}

@test "SIGINT while data files are written: rows are skipped as interrupted" {
	mkdir data
	start bench file_warm file_cold -s 128M -d data --json
	until_true has_file
	kill -INT "$pid"
	await
	[[ $status == 130 ]] || show
	json 'd["interrupted"] is True and all(x["status"] == "skipped" and "interrupted before" in x["reason"] for x in s)'
	is_clean
}

@test "an interrupted run's JSON on standard output is whole" {
	mkdir data
	start "${long[@]}" -d data --json
	until_true has_trial
	sleep 0.2
	kill -TERM "$pid"
	await
	ended 143
	json 'd["interrupted"] is True'
}

@test "SIGINT to the whole group, as a terminal does, is no failure of the trial" {
	mkdir data
	for _ in 1 2 3 4 5; do
		start "${long[@]}" -d data --json --no-save
		until_true has_trial
		sleep 0.1
		kill -INT -- "-$pid"
		await
		ended 130
		json 'd["interrupted"] is True and all(x["status"] != "failed" for x in s)'
		json 'all(w["id"] != "trial-ended" for w in d["warnings"])'
	done
	is_clean
}

@test "SIGTERM twice, and to the group while the report is written" {
	mkdir data
	for pause in 0 0.005 0.02 0.1; do
		start "${long[@]}" -d data
		until_true has_trial
		kill -TERM -- "-$pid"
		sleep $pause
		kill -TERM -- "-$pid" 2>/dev/null || true
		await
		ended 143
	done
	is_clean
}

@test "SIGKILL at fifteen moments leaves no process, no file, no half document" {
	mkdir data
	for i in {1..15}; do
		start bench file_warm file_cold anon_write -s 2M -t 2 -r 1 -d data
		sleep "0.$(printf %03d $((i * 37 % 250)))"
		kill -KILL "$pid" 2>/dev/null || true
		await
		until_true is_clean
	done
}

@test "SIGTERM and SIGHUP at fifteen moments: what was done is never lost" {
	mkdir data
	for i in {1..15}; do
		rm -rf runs
		start bench file_warm file_cold anon_write -s 2M -t 2 -r 1 -d data
		until_true has_begun
		sleep "0.$(printf %03d $((i * 41 % 200)))"
		signals=(HUP TERM)
		kill -"${signals[i % 2]}" "$pid" 2>/dev/null || true
		await
		[[ $status == 0 || $status == 129 || $status == 143 ]] || show
		# while the report is written a signal may end it: then the document is kept already
		grep -q '^SCENARIO ' "$out" || saved
		is_clean
	done
}

@test "a trial that is killed is a failure with a reason, and the others go on" {
	start bench anon_write anon_refault -s 8M -t 3 -r 50 -b 2 --json
	until_true has_trial
	pkill -KILL -P "$pid" -f __trial
	await
	[[ $status == 0 || $status == 3 || $status == 5 ]] || show
	json 'any("SIGKILL" in str(x["reason"]) for x in s + [d["floor"]]) or any(w["id"] == "trial-ended" and "SIGKILL" in w["text"] for w in d["warnings"])'
	json 'any(x["rounds"] for x in s)'
}

@test "trials end with the run: killing it leaves none" {
	start bench anon_write -s 64M -t 10 -r 100
	until_true has_trial
	trial=$(pgrep -P "$pid" -f __trial)
	kill -KILL "$pid"
	await
	until_true "is_gone $trial"
}

@test "a stopped and continued run goes on" {
	start bench anon_write -s 4M -t 10 -r 3 --json
	until_true has_trial
	kill -STOP "$pid"
	sleep 0.2
	kill -CONT "$pid"
	await
	ended 0
	json 's[0]["ns_per_page"]["n"] == 10'
}

@test "a signal that the caller ignores is ignored: nohup, and the background of a script" {
	mkdir data
	for signal in HUP INT; do
		(
			trap '' $signal
			exec "$PAGETOLL" bench anon_write -s 4M -t 20 -r 5 -d data --json >"$out" 2>"$err" 3>&-
		) &
		pid=$!
		until_true has_trial
		kill -$signal "$pid"
		await
		ended 0
		json 'd["interrupted"] is False and s[0]["ns_per_page"]["n"] == 20'
	done
}

@test "SIGCHLD ignored or blocked by the caller: trials are waited for all the same" {
	"$PYTHON" -I -S -c '
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
os.execv(sys.argv[1], sys.argv[1:])' "$PAGETOLL" bench anon_write -s 1M -t 3 -r 2 --json >"$out" 2>"$err" 3>&-
	json 's[0]["ns_per_page"]["n"] == 3'
}

@test "signals blocked by the caller: trials are waited for all the same" {
	"$PYTHON" -I -S -c '
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM, signal.SIGUSR1])
os.execv(sys.argv[1], sys.argv[1:])' "$PAGETOLL" bench anon_write -s 1M -t 3 -r 2 --json >"$out" 2>"$err" 3>&-
	json 's[0]["ns_per_page"]["n"] == 3'
}

@test "children that the caller left behind do no harm" {
	status=0
	timeout 20 bash -c 'sleep 0.1 & sleep 0.3 & exec "$@"' - "$PAGETOLL" \
		bench anon_write -s 1M -t 10 -r 2 --json >"$out" 2>"$err" 3>&- || status=$?
	ended 0
	json 's[0]["ns_per_page"]["n"] == 10'
}

@test "a program that is removed or replaced while it runs goes on" {
	cp "$PAGETOLL" mine
	PAGETOLL=$dir/mine
	start bench anon_write file_warm -s 4M -t 8 -r 5 --json
	until_true has_trial
	rm mine
	echo 'echo replaced' >mine
	await
	ended 0
	json 'all(x["ns_per_page"]["n"] == 8 for x in s)'
}

@test "the command of a trial is not for people: by hand it ends at once" {
	word=$(strings -n 4 "$PAGETOLL" 2>/dev/null | grep -E '^__' | grep -i trial | head -n 1 || true)
	[ -n "$word" ] || word=__trial
	toll "$word"
	[[ $status == 2 ]] || show
}
