#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Where reports go, in which form, and what a place that cannot take them costs.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

@test "the document has the fields that others rely on" {
	small five_configs --json
	ended 0
	silent
	json 'd["schema"] == 1 and d["kind"] == "bench" and d["tool"]["name"] == "pagetoll"'
	json '{"version"} <= d["tool"].keys() and d["started"].endswith("Z") and d["interrupted"] is False'
	json '{"machine", "options", "floor", "waterfall", "relations", "scenarios", "warnings"} <= d.keys()'
	json 'all({"text", "holds", "figure", "cause"} <= r.keys() for r in d["relations"])'
	json 'all({"name", "title", "params", "status", "reason", "verdict", "warnings", "ledger", "faults_per_page", "pages_per_fault", "ns_per_page", "ns_per_fault", "times", "latency", "rounds"} <= x.keys() for x in s + [d["floor"]])'
	json 'all({"n_pages", "page_bytes", "threads"} <= x["params"].keys() for x in s)'
	json 'all({"minor_per_page", "major_per_page", "kernel_decides"} <= x["ledger"].keys() for x in s)'
	json 'all(len(x["ledger"]["minor_per_page"]) == 2 for x in s)'
	json 'all({"minor", "major", "trap", "populated"} == x["faults_per_page"].keys() for x in s)'
	json 'all({"median", "ci", "min", "mad", "n"} <= x["ns_per_page"].keys() for x in s)'
	json 'all({"user", "sys", "blocked"} <= x["times"].keys() for x in s)'
	json 'all({"id", "text"} == w.keys() for x in s for w in x["warnings"])'
	json 'all({"trial", "round", "block", "started_ns", "elapsed_ns", "user_ns", "sys_ns", "blocked_ns", "minor", "major", "trap", "populated", "nivcsw", "steal_ns", "marks"} <= r.keys() for x in s for r in x["rounds"])'
}

@test "an undefined price is null, with its reason, never 0" {
	small anon_prefaulted --json
	json 's[0]["ns_per_fault"] is None and s[0]["no_ns_per_fault"] and s[0]["ns_per_page"]["median"] > 0'
	json 's[0]["ns_per_page"]["n"] == 1 and s[0]["ns_per_page"]["ci"] is None'
}

@test "summaries follow from the rounds" {
	toll bench anon_write -s 1M -t 5 -r 3 --json
	ended 0
	json 's[0]["first_round_left_out"] or abs(s[0]["ns_per_page"]["median"] - sorted(sorted(r["elapsed_ns"] / s[0]["params"]["n_pages"] for r in s[0]["rounds"] if r["trial"] == t)[1] for t in range(5))[2]) < 1e-3'
	json 's[0]["faults_per_page"]["minor"] >= 1 and s[0]["ledger"]["minor_per_page"][0] == 1'
}

@test "--json is --format json, and is one document" {
	small anon_write --json
	json 'd["kind"] == "bench"'
	small anon_write --format json
	json 'd["kind"] == "bench"'
}

@test "csv: one line a scenario, every line with the columns of the first" {
	small five_configs anon_populate --format csv
	ended 0
	silent
	"$PYTHON" -I -S -c '
import csv
rows = list(csv.reader(open("out", newline="")))
assert len(rows) == 7, rows
assert {len(row) for row in rows} == {len(rows[0])}, rows
assert rows[0][:2] == ["scenario", "article"] and "ns_per_page" in rows[0]
at = rows[0].index("ns_per_page")
assert all(float(row[at]) > 0 for row in rows[1:])'
	not grep -qE '(^|,)"?-?(nan|inf)' "$out"
}

@test "csv: the columns do not depend on what ran" {
	small anon_write --format csv
	head -n 1 "$out" >columns
	toll bench file_warm -s 1000T --format csv
	ended 3
	head -n 1 "$out" | cmp - columns
	[ "$(wc -l <"$out")" = 2 ]
	toll show --format csv
	head -n 1 "$out" | cmp - columns
}

@test "text: figures first, then the machine" {
	small anon_write
	ended 0
	silent
	prints '^SCENARIO +MIN/PAGE +MAJ/PAGE +NS/FAULT +NS/PAGE'
	prints '^anon_write +1\.[0-9]+ +0 +'
	prints '^machine  '
	[ "$(awk '{ if (length > n) n = length } END { print n }' "$out")" -le 110 ]
}

@test "-v adds detail" {
	small anon_write -v
	ended 0
	tells 'detail anon_write: .* 1 MiB, 1 rounds in 1 trials'
}

@test "shares of time are at most the whole" {
	toll bench anon_write anon_prefaulted -s 4M -t 2 -r 2 -v
	tr -s ' \n' ' ' <"$out" >line
	not grep -oE '[0-9]{4,} %' line
}

@test "-o writes the report to a file and nothing to standard output" {
	small anon_write -o report
	ended 0
	silent
	[ ! -s "$out" ]
	grep -q '^anon_write ' report
	small anon_write --json -o report
	json 'd["kind"] == "bench"' report
}

@test "-o takes a relative name, blanks and a device" {
	mkdir 'a b'
	small anon_write -o 'a b/my report'
	ended 0
	[ -s 'a b/my report' ]
	small anon_write -o /dev/null
	ended 0
	small anon_write -o /dev/stdout
	prints '^anon_write '
}

@test "-o on a directory is a usage error, before any work" {
	small anon_write -o .
	refuses 2 '-o \.: is a directory'
	[ ! -e "$PAGETOLL_RUNS" ]
}

@test "-o where nothing can be written fails before any work" {
	small anon_write -o nowhere/report
	refuses 5 '-o nowhere/report: No such file or directory'
	[ ! -e "$PAGETOLL_RUNS" ]
	be_nobody
	echo >locked
	chmod 444 locked
	small anon_write -o locked
	refuses 5 '-o locked: Permission denied'
	mkdir closed
	chmod 555 closed
	small anon_write -o closed/new
	refuses 5 '-o closed/new: Permission denied'
}

@test "-o on a full disk is an error; the run is kept" {
	small anon_write -o /dev/full
	refuses 5 '-o /dev/full: No space left on device'
	json 's[0]["status"] == "done"' "$(saved)"
}

@test "a full disk under standard output is an error that says so" {
	for form in text json csv html; do
		status=0
		timeout 20 "$PAGETOLL" bench anon_write -s 1M -t 1 -r 1 --format $form \
			>/dev/full 2>"$err" || status=$?
		: >"$out"
		refuses 5 'cannot write to standard output: No space left on device'
	done
	for command in '' --version list doctor 'bench --help'; do
		status=0
		# shellcheck disable=SC2086 # words
		timeout 20 "$PAGETOLL" $command >/dev/full 2>"$err" || status=$?
		refuses 5 'cannot write to standard output: No space left on device'
	done
}

@test "a closed standard output is an error; the run is kept" {
	status=0
	timeout 20 "$PAGETOLL" bench anon_write -s 1M -t 1 -r 1 >&- 2>"$err" || status=$?
	: >"$out"
	refuses 5 'cannot write to standard output'
	json 's[0]["status"] == "done"' "$(saved)"
}

@test "a reader that goes away ends the report in silence; the run is kept" {
	timeout 20 "$PAGETOLL" bench anon_write -s 1M -t 1 -r 1 2>"$err" | true
	silent
	json 's[0]["status"] == "done"' "$(saved)"
	timeout 20 "$PAGETOLL" list --json 2>"$err" | head -n 0
	silent
}

@test "a reader that goes away is no reason to complain where SIGPIPE is ignored" {
	trap '' PIPE
	timeout 20 "$PAGETOLL" bench anon_write -s 1M -t 1 -r 1 2>"$err" | true
	silent
}

@test "closed standard input and standard error change nothing" {
	status=0
	timeout 20 "$PAGETOLL" bench anon_write -s 1M -t 1 -r 1 --json <&- >"$out" 2>"$err" || status=$?
	ended 0
	json 's[0]["status"] == "done"'
	timeout 20 "$PAGETOLL" bench anon_write -s 1M -t 1 -r 1 --json >"$out" 2>&-
	json 's[0]["status"] == "done"'
	status=0
	timeout 20 "$PAGETOLL" bench nonsense <&- >&- 2>&- || status=$?
	[ "$status" = 2 ]
}

@test "with all three closed a file of the run is not mistaken for one of them" {
	timeout 20 "$PAGETOLL" bench file_warm anon_write -s 1M -t 1 -r 1 -o report --json <&- >&- 2>&-
	json 'all(x["verdict"] in ("valid", "noisy") for x in s)' report
}

@test "nothing but a terminal gets escape sequences" {
	small five_configs file_cold_random -d /dev/shm
	harmless "$out"
	export TERM=xterm-256color
	small five_configs file_cold_random -d /dev/shm
	harmless "$out"
	harmless "$err"
}

@test "--color always paints a pipe, never and NO_COLOR do not" {
	small five_configs --color always
	grep -q $'\e\[' "$out"
	small five_configs --color never
	harmless "$out"
	export NO_COLOR=1
	small five_configs
	harmless "$out"
	small five_configs --color always
	grep -q $'\e\[' "$out"
	small five_configs --color always --format csv
	harmless "$out"
	small five_configs --color always --json
	harmless "$out"
}

@test "a run is kept in the runs directory, whole, and under a name that sorts by time" {
	small anon_write
	first=$(saved)
	[[ ${first##*/} =~ ^20[0-9]{6}T[0-9]{6}\.[0-9]{3}Z-bench\.json$ ]]
	json 's[0]["name"] == "anon_write"' "$first"
	small anon_write
	[ "$(find runs -mindepth 1 | wc -l)" = 2 ]
	[ "$(find runs -name '*.json' | sort | head -n 1)" = "runs/${first##*/}" ]
}

@test "--no-save keeps nothing" {
	small anon_write --no-save
	ended 0
	[ ! -e "$PAGETOLL_RUNS" ]
}

@test "without any place for runs the run is reported, and said not to be saved" {
	status=0
	env -u HOME -u XDG_STATE_HOME -u PAGETOLL_RUNS timeout 20 "$PAGETOLL" \
		bench anon_write -s 1M -t 1 -r 1 >"$out" 2>"$err" </dev/null || status=$?
	complains 0 'not saved: no place for runs: set PAGETOLL_RUNS'
	prints '^anon_write '
}

@test "XDG_STATE_HOME and HOME are used in this order" {
	unset PAGETOLL_RUNS
	HOME=$dir/home XDG_STATE_HOME=$dir/state small anon_write
	[ "$(find state/pagetoll -name '*.json' | wc -l)" = 1 ]
	HOME=$dir/home small anon_write
	[ "$(find home/.local/state/pagetoll -name '*.json' | wc -l)" = 1 ]
}

@test "a runs directory that cannot be written: reported, not saved, and why" {
	be_nobody
	mkdir locked
	chmod 555 locked
	export PAGETOLL_RUNS=$dir/locked
	small anon_write
	complains 0 'not saved: .*locked.*: Permission denied'
	prints '^anon_write '
	export PAGETOLL_RUNS=$dir/locked/deeper
	small anon_write
	complains 0 'not saved: .*Permission denied'
}

@test "a runs directory that is a file: reported, not saved, and why" {
	echo >runs
	small anon_write
	complains 0 'not saved: .*runs: (Not a directory|File exists)'
	[ "$(cat runs)" = '' ]
}

@test "the umask of the user holds" {
	umask 077
	small anon_write
	[ "$(stat -c %a runs)" = 700 ]
	[ "$(stat -c %a "$(saved)")" = 600 ]
	export PAGETOLL_RUNS=$dir/deep/er/runs
	umask 022
	small anon_write
	[ "$(stat -c %a deep/er/runs "$(saved)" | xargs)" = '755 644' ]
}

@test "a umask that takes all rights away does not break the run" {
	be_nobody
	: >"$out" 2>"$err"
	umask 0777
	small anon_write
	umask 022
	ended 0
	prints '^anon_write '
}

@test "-q: nothing on standard error" {
	small five_configs -q
	ended 0
	silent
}

@test "no descriptor of the run is left to the trials' files: the report is the report" {
	small file_warm --json 4>four 5>five 6>six
	ended 0
	json 's[0]["status"] == "done"'
	[ ! -s four ] && [ ! -s five ] && [ ! -s six ]
}

@test "doctor reports, as text and as JSON, as an ordinary user too" {
	for i in root nobody; do
		[ $i = root ] || be_nobody
		toll doctor
		ended 0
		silent
		prints '^this machine'
		prints '^what can be measured'
		harmless "$out"
		toll doctor --json
		ended 0
		silent
		json 'd["kind"] == "doctor" and len(d["needs"]) >= 5 and d["machine"]["page_bytes"] >= 4096'
		json 'all(n["met"] == (n["reason"] is None) for n in d["needs"])'
		toll list --json
		ended 0
		json 'd["kind"] == "list" and len(s) >= 5 and d["suites"][0]["rows"]'
	done
}

@test "doctor, list: the directory of files" {
	toll doctor --dir nowhere
	refuses 2 'doctor: --dir nowhere: No such file or directory'
	toll list --dir nowhere
	refuses 2 'list: --dir nowhere: No such file or directory'
	toll doctor --dir /dev/shm --json
	ended 0
	json 'd["machine"]["filesystem"] == "tmpfs"'
	json '[n["met"] for n in d["needs"] if n["name"] == "cold_files"] == [False]'
}

@test "strings of the environment do no harm, in any output" {
	for evil in $'\e[31mred\a\r\n\t"x",\'=1+1' $'<script>alert(1)</script>&"\xff\u202e' "$(printf 'W%.0s' {1..3000})"; do
		export LANG=$evil LC_ALL=$evil HOME=$dir/$'h\e[31m\n' XDG_STATE_HOME=$evil COLUMNS=$evil \
			TERM=$evil NO_COLOR=$evil USER=$evil TMPDIR=$evil MALLOC_CHECK_=$evil
		for form in text csv json html; do
			toll bench anon_write -s 1M -t 1 -r 1 --format $form
			ended 0
			harmless "$out"
			harmless "$err"
			not grep -qF '<script>' "$out"
		done
		PAGETOLL_RUNS=/proc/$evil toll bench anon_write -s 1M -t 1 -r 1 --json
		ended 0
		harmless "$err"
		[ "$(wc -l <"$err")" = 1 ]
		PAGETOLL_RUNS=/nowhere/$evil toll show
		[ "$status" != 0 ]
		harmless "$err"
		for command in doctor list 'doctor --json' 'list --json'; do
			# shellcheck disable=SC2086
			toll $command
			ended 0
			harmless "$out"
		done
	done
}
