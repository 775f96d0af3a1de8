#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pagetoll stat: a command runs as it would without us, and its faults get the verdict they deserve.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

FAULTY=$(realpath -- "${FAULTY:-build/tests/cli/faulty}")

# Prices of this machine, once for all tests: measured after each run they would take half a second.
setup_file() {
	PYTHON=$(python3 -c 'import sys; print(sys.executable)')
	PRICES=$BATS_FILE_TMPDIR/prices.json
	export PYTHON PRICES
	"$PAGETOLL" bench anon_write anon_read_zero anon_thp file_warm file_cold file_cold_random \
		-s 4M -t 3 -r 2 --no-save --json -o "$PRICES" 3>&-
}

# A run with these prices; the report goes to $err, and the document to "doc" where the test wants one.
stat_text() { toll stat -p "$PRICES" "$@"; }
stat_json() { toll stat -p "$PRICES" --json -o doc "$@"; }

# The verdict of the document is ID.
verdict() { json "d['verdict']['id'] == '$1'" doc || { json 'print(d["verdict"], d["totals"], d["by_kind"])' doc; false; }; }

# The report as one line.
reports() { tr -s ' \n' ' ' <"$err" | grep -qE -- "$1" || { echo "expected: $1" && show; }; }

# --- the verdicts, on the real kernel ------------------------------------------------------------------

@test "first touch of 200 MB: fine" {
	stat_text "$FAULTY" touch 200
	ended 0
	[ ! -s "$out" ]
	reports '^verdict first-touch cost: fine; [0-9,]+ minor faults took about .* of its time'
	reports ' do nothing is wrong; to make it smaller: huge pages'
	harmless "$err"
	stat_json "$FAULTY" touch 200
	verdict first-touch
	json 'd["schema"] == 1 and d["kind"] == "trace" and d["source"] == "rusage" and d["estimate"] is True' doc
	page=$(getconf PAGESIZE)
	json "0 <= d['totals']['minor'] - (200 << 20) // $page < 1000 and d['totals']['count'] == d['totals']['minor'] + d['totals']['major']" doc
	json 'd["totals"]["time_lo_ns"] <= d["totals"]["time_ns"] <= d["totals"]["time_hi_ns"] and 0.05 < d["totals"]["share"] <= 1' doc
	json '190 << 20 < d["evidence"]["tree"]["max_resident_bytes"] < 250 << 20' doc
}

@test "huge pages: a few faults cost as much as they cost" {
	[[ $(</sys/kernel/mm/transparent_hugepage/enabled) != *'[never]'* ]] ||
		skip 'needs transparent huge pages: they are never given; echo madvise >/sys/kernel/mm/transparent_hugepage/enabled'
	stat_json "$FAULTY" huge 200
	json 'd["totals"]["minor"] < 2000 and 50 <= d["by_kind"][0]["count"] <= 200 and d["by_kind"][0]["kind"] == "thp"' doc
	json 'd["by_kind"][0]["time_ns"] > 0' doc
}

@test "the same memory again and again is no first touch" {
	stat_json "$FAULTY" churn 20 20
	verdict repeated-touch
	json '"times the memory that was ever resident" in d["verdict"]["text"] and "M_TRIM_THRESHOLD" in d["verdict"]["advice"]' doc
}

@test "a program that does nothing is exec and linking" {
	stat_json true
	json 'd["verdict"]["id"] in ("process-start", "faults-not-the-problem", "cold-file")' doc
	json '0 < d["totals"]["minor"] < 1000' doc
	stat_text true
	ended 0
	reports '^verdict (process start|faults are not the problem|cold file)'
}

@test "a program that computes: faults are not the problem" {
	stat_json "$FAULTY" compute 300
	verdict faults-not-the-problem
	json 'd["totals"]["share"] < 0.05 and "on the CPU" in d["verdict"]["advice"]' doc
}

@test "a program that sleeps: faults are not what it waits for" {
	stat_text sh -c '"$0" compute 300; sleep 1' "$FAULTY"
	reports '^verdict faults are not the problem.* do look elsewhere: it slept most of the time'
}

@test "a cold file: major faults, but no shortage" {
	head -c 12M /dev/urandom >file
	"$FAULTY" cold file || skip "needs a disk under $dir: its files stay in memory (status $?); set TMPDIR to a directory on one"
	stat_json "$FAULTY" cold file
	ended 0
	verdict cold-file
	page=$(getconf PAGESIZE)
	json "d['totals']['major'] >= 0.9 * (12 << 20) // $page and d['evidence']['tree']['disk_read_bytes'] >= 11 << 20" doc
	json '"short of RAM" in d["verdict"]["text"] and "would be wrong" in d["verdict"]["text"]' doc
}

@test "more memory than there is: short of RAM" {
	in_cgroup 48M
	with_swap
	stat_json "$FAULTY" touch 80 2
	ended 0
	verdict short-of-ram
	json '"short of RAM: must be fixed; " in d["verdict"]["text"] and "came back from swap" in d["verdict"]["text"]' doc
	json 'd["evidence"]["cgroup"]["limit_hits"] > 0 and d["evidence"]["cgroup"]["workingset_refault_anon"] > 1000' doc
	json '"everybody" in d["evidence"]["system"]["of"] and d["evidence"]["system"]["pswpin"] > 1000' doc
	stat_text -q sh -c '"$0" touch 80 2' "$FAULTY"
	reports '^verdict short of RAM: must be fixed; .* came back from swap.*, a memory cgroup.s limit was hit [0-9,]+ times'
}

@test "killed by the OOM killer: short of RAM, whatever the faults cost" {
	in_cgroup 48M
	[ ! -e "${groups[0]}/memory.swappiness" ] || echo 0 >"${groups[0]}/memory.swappiness"
	! grep -q '^/' /proc/swaps || skip 'needs a machine without swap: it has some; swapoff -a'
	stat_json "$FAULTY" touch 200
	ended 137
	verdict short-of-ram
	json 'd["signal"] == 9 and "while the OOM killer was at work" in d["verdict"]["text"]' doc
}

# --- the command is as it would be without us --------------------------------------------------------------

@test "the command has its arguments, input, output and exit status" {
	status=0
	echo word | "$PAGETOLL" stat -p "$PRICES" -o report sh -c 'cat; echo "$1"; echo to-err >&2; exit 7' - 'a  b' \
		>"$out" 2>"$err" || status=$?
	ended 7
	[ "$(cat "$out")" = $'word\na  b' ]
	[ "$(cat "$err")" = to-err ]
	grep -q '^verdict ' report
	for n in 0 1 2 125 126 127 255; do
		stat_text -q sh -c "exit $n"
		ended $n
	done
}

@test "options behind the command are the command's" {
	printf '#!/bin/sh\nprintf "%%s|" "$@"\n' >words
	chmod 755 words
	stat_text -o report ./words --json -q --help -o x -- -v
	ended 0
	[ "$(cat "$out")" = '--json|-q|--help|-o|x|--|-v|' ]
	stat_text -o report -- ./words --help
	[ "$(cat "$out")" = '--help|' ]
	toll stat --help
	prints '^usage: pagetoll stat '
	toll stat -o x -h true
	prints '^usage: pagetoll stat '
	mv words ./--json
	PATH=$dir:$PATH stat_text -o report -- --json word
	ended 0
	[ "$(cat "$out")" = 'word|' ]
}

# What a process is given beside arguments: signal mask and dispositions, limits, descriptors.
given='grep -E "^Sig(Blk|Ign|Cgt)|^Shd" /proc/self/status; ls /proc/self/fd; ulimit -a; umask; ps -o nice=,pgid= -p $$ | tr -s " "'

@test "the command has the signal mask and dispositions of the caller, and no descriptor of ours" {
	needs ps procps
	for setting in '' 'trap "" INT QUIT CHLD' 'trap "" XFSZ TERM HUP' 'exec 0<&-' 'exec 0<&- 2>&-' 'exec 5</dev/null'; do
		bash -c "$setting"$'\n'"exec sh -c '$given'" >expected 2>/dev/null 3>&-
		bash -c "$setting"$'\n'"exec '$PAGETOLL' stat -p '$PRICES' -o report sh -c '$given'" >got 2>/dev/null 3>&-
		diff expected got || { echo "with: $setting" && false; }
	done
}

@test "signals that the caller holds back are held back in the command, and no others" {
	cat >hold.py <<-'EOF'
		import os, signal, sys
		signal.signal(signal.SIGCHLD, signal.SIG_IGN)
		signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGTERM, signal.SIGINT])
		os.execvp(sys.argv[1], sys.argv[1:])
	EOF
	"$PYTHON" -I -S hold.py grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status >expected 3>&-
	"$PYTHON" -I -S hold.py "$PAGETOLL" stat -p "$PRICES" -o report grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status >got 3>&-
	diff expected got
	grep -q '^verdict ' report
}

@test "what cannot be run: 127 and 126, one sentence, and no report" {
	stat_text no-such-command
	refuses 127 'stat: no-such-command: No such file or directory'
	stat_text ./no/such
	refuses 127 'stat: ./no/such: No such file or directory'
	echo 'echo "$0 ran"' >script
	stat_text ./script
	refuses 126 'stat: ./script: Permission denied'
	stat_text .
	refuses 126 'stat: \.: Permission denied'
	chmod 755 script
	stat_text -q ./script
	ended 0
	prints 'script ran'
	stat_text ''
	refuses 127 'stat: : No such file or directory'
}

@test "a command that dies of a signal: 128 + it" {
	for signal in KILL:9 SEGV:11 TERM:15 PIPE:13; do
		stat_json sh -c "kill -${signal%:*} \$\$"
		ended $((128 + ${signal#*:}))
		json "d['signal'] == ${signal#*:} and d['exit_status'] == $((128 + ${signal#*:}))" doc
	done
	stat_text sh -c 'kill -KILL $$'
	reports 'killed by signal 9'
}

has_command() { cmd=$(pgrep -P "$pid" -x "$1"); } # NAME

@test "Ctrl-C reaches both and ends the command; the report comes all the same" {
	ulimit -c 0
	prefix=(env --default-signal=QUIT) # which the background of a script ignores
	for signal in INT:130 QUIT:131; do
		start stat -p "$PRICES" sleep 20
		until_true 'has_command sleep'
		kill -"${signal%:*}" -- "-$pid"
		await
		ended "${signal#*:}"
		reports '^verdict .* killed by signal'
	done
	start stat -p "$PRICES" sh -c 'trap "exit 5" INT; while :; do sleep 0.1; done'
	until_true 'has_command sh'
	sleep 0.2
	kill -INT "$pid"
	sleep 0.2
	kill -0 "$pid"
	kill -INT -- "-$pid"
	await
	ended 5
	reports '^verdict '
}

@test "SIGTERM and SIGHUP are passed on to the command" {
	for signal in TERM:143 HUP:129; do
		start stat -p "$PRICES" sleep 20
		until_true 'has_command sleep'
		kill -"${signal%:*}" "$pid"
		await
		ended "${signal#*:}"
		reports '^verdict '
	done
	start stat -p "$PRICES" sh -c 'trap "exit 6" TERM; while :; do sleep 0.1; done'
	until_true 'has_command sh'
	sleep 0.2
	kill -TERM "$pid"
	await
	ended 6
}

@test "a stopped command is waited for, and can be ended" {
	start stat -p "$PRICES" sleep 0.5
	until_true 'has_command sleep'
	kill -STOP "$cmd"
	sleep 0.7
	not is_over
	kill -CONT "$cmd"
	await
	ended 0
	reports '^verdict '
	start stat -p "$PRICES" sleep 20
	until_true 'has_command sleep'
	kill -STOP "$cmd"
	until_true 'is_stopped "$cmd"' # until it is, the next signal ends it, and there is nothing to go on with
	kill -TERM "$pid"
	kill -CONT "$cmd"
	await
	ended 143
}

@test "a signal while prices are measured cuts that short, and the report comes" {
	start stat true
	until_true has_trial
	kill -TERM "$pid"
	await
	ended 0
	reports '^verdict '
}

@test "children that the caller left behind are not taken for the command" {
	status=0
	timeout 20 bash -c 'sleep 0.1 & sleep 0.3 & exec "$@"' - "$PAGETOLL" stat -p "$PRICES" sh -c 'sleep 0.5; exit 3' \
		>"$out" 2>"$err" 3>&- || status=$?
	ended 3
}

# --- evidence and prices ------------------------------------------------------------------------------------

@test "descendants that were waited for count" {
	stat_json "$FAULTY" children 50
	ended 0
	page=$(getconf PAGESIZE)
	json "d['totals']['minor'] > 50 * (1 << 20) // $page > d['evidence']['process']['minor']" doc
	stat_text "$FAULTY" children 50
	reports ' faults [0-9,]+ minor, [0-9]+ major; the first process alone '
}

@test "a run too short to be sampled: null, with the reason" {
	stat_json true
	json 'd["evidence"]["samples"] > 0 or (d["evidence"]["smaps"]["rss_bytes"] is None and d["evidence"]["smaps"]["reason"] == "the run ended before the first sample")' doc
	json 'd["reconciliation"] == {"rusage_minor": d["totals"]["minor"], "rusage_major": d["totals"]["major"], "user_traps": None, "kernel_traps": None, "populated": None, "kernel_or_populated": None, "unexplained": None}' doc
	json '{"estimate", "before-exec", "first-process", "system-wide"} <= {b["id"] for b in d["blind_spots"]}' doc
}

@test "the first process's own counters" {
	stat_json sh -c '"$0" touch 20' "$FAULTY"
	json 'd["evidence"]["process"]["run_delay_ns"] is not None and 0 < d["evidence"]["process"]["minor"] <= d["totals"]["minor"]' doc
}

@test "a longer run is sampled" {
	stat_json sh -c '"$0" touch 20; exec sleep 0.4' "$FAULTY"
	json 'd["evidence"]["samples"] >= 2 and d["evidence"]["status"]["threads"] == 1 and d["evidence"]["smaps"]["rss_bytes"] > 0' doc
	json 'd["evidence"]["sampling_ns"] < d["wall_ns"]' doc
}

@test "an ordinary user has the same, with what cannot be read as null" {
	be_nobody
	cd open
	cp "$PRICES" prices.json
	PRICES=prices.json
	stat_json sleep 0.2
	ended 0
	json 'd["evidence"]["smaps"]["rss_bytes"] > 0 and d["evidence"]["process"]["minor"] > 0' doc
	json 'd["evidence"]["io"]["read_bytes"] is not None or "Permission denied" in d["evidence"]["io"]["reason"]' doc
	stat_text "$FAULTY" touch 200
	ended 0
	reports '^verdict first-touch cost: fine'
}

@test "a set-user-ID command cannot be looked into: null, with the reason" {
	needs_root 'makes a set-user-ID program'
	cp "$(type -P sleep)" asleep
	chmod 4755 asleep
	be_nobody
	[ "$("${prefix[@]}" sh -c './asleep 0.3 & sleep 0.1; stat -c %u /proc/$!/fd 2>/dev/null; wait')" != 65534 ] ||
		skip "needs a file system that honours set-user-ID: $dir is mounted nosuid; set TMPDIR to another"
	cd open
	cp "$PRICES" prices.json
	PRICES=prices.json
	stat_json ../asleep 0.2
	ended 0
	json 'd["evidence"]["io"]["read_bytes"] is None and d["evidence"]["io"]["reason"] == "/proc/PID/io: Permission denied"' doc
	json 'd["evidence"]["smaps"]["rss_bytes"] is None and "Permission denied" in d["evidence"]["smaps"]["reason"]' doc
	json 'd["evidence"]["process"]["minor"] > 0 and d["totals"]["minor"] > 0' doc
	stat_text -v ../asleep 0.2
	reports ' unknown /proc/PID/io: Permission denied'
}

@test "prices come from the newest saved run of this machine, else they are measured" {
	toll stat --json -o doc true
	ended 0
	json 'all(p["source"] == "measured after the run" and p["ns"] > 0 for p in d["prices"]["rows"]) and len(d["prices"]["rows"]) >= 3' doc
	[ ! -e "$PAGETOLL_RUNS" ]
	mkdir runs
	sed 's/"kernel": "/"kernel": "0.1-other-/' "$PRICES" >runs/30000101T000000.000Z-bench.json
	echo '{"schema": 1' >runs/29990101T000000.000Z-bench.json
	toll stat --json -o doc true
	json 'all(p["source"] == "measured after the run" for p in d["prices"]["rows"])' doc
	cp "$PRICES" runs/20000101T000000.000Z-bench.json
	toll stat --json -o doc true
	json 'all(p["source"].endswith("runs/20000101T000000.000Z-bench.json") for p in d["prices"]["rows"])' doc
	[ "$(find runs -type f | wc -l)" = 3 ]
	toll stat true
	reports ' prices anon_write [0-9.]+ [nu]s a fault, .* \(.*/runs/20000101T000000.000Z-bench.json\)'
}

@test "nothing is measured before the command has ended" {
	start stat sleep 0.7
	until_true 'has_command sleep'
	while has_command sleep; do
		not has_trial || not has_command sleep
		sleep 0.02
	done
	until_true has_trial
	await
	ended 0
}

@test "--prices names a document, of another machine with a warning" {
	sed 's/"kernel": "[^"]*"/"kernel": "0.1\\u001b[31m"/' "$PRICES" >other
	toll stat -p other true
	ended 0
	reports " warning the prices of other are another machine's \(its kernel is 0.1\?\[31m\)"
	harmless "$err"
	toll stat -p @last true
	refuses 2 'stat: --prices: no run yet in '
	toll stat -p nowhere sh -c 'echo ran'
	refuses 2 "stat: --prices: no document 'nowhere'"
	echo '[]' >broken
	toll stat -p broken sh -c 'echo ran'
	refuses 125 'stat: --prices: broken: is no pagetoll document'
	stat_json true
	toll stat -p doc sh -c 'echo ran'
	refuses 125 "stat: --prices: doc: is a document of kind 'trace', not 'bench'"
	sed 's/"name": "/"name": "x/' "$PRICES" >useless
	toll stat -p useless sh -c 'echo ran'
	refuses 2 'stat: --prices: useless: holds none of the prices needed'
}

# --- the report ---------------------------------------------------------------------------------------------

@test "wrong usage is 2, and the command is not run" {
	toll stat
	refuses 2 'stat: names no command to run'
	toll stat --
	refuses 2 'stat: names no command to run'
	toll stat --json sh -c 'echo ran'
	refuses 2 'stat: --format json needs -o FILE'
	toll stat --format json -- sh -c 'echo ran'
	refuses 2 'stat: --format json needs -o FILE'
	toll stat --format csv -o x sh -c 'echo ran'
	refuses 2 'stat: --format csv: it takes one of text, json'
	toll stat -o - sh -c 'echo ran'
	refuses 2 "stat: -o -: standard output is the command's"
	toll stat -p - sh -c 'echo ran'
	refuses 2 "stat: --prices -: standard input is the command's"
	toll stat -o . sh -c 'echo ran'
	refuses 2 '-o \.: is a directory'
	toll stat --bogus sh -c 'echo ran'
	refuses 2 "stat: unknown option '--bogus'"
	toll stat -o nowhere/x sh -c 'echo ran'
	refuses 125 '-o nowhere/x: No such file or directory'
}

@test "-q is the verdict alone, -v says what counters cannot see" {
	stat_text -q "$FAULTY" touch 100
	ended 0
	[ "$(grep -c '^[a-z]' "$err")" = 1 ]
	reports '^verdict first-touch cost: fine; '
	stat_text -v "$FAULTY" touch 100
	reports ' blind no fault was timed: '
	reports ' machine .* memory .* files '
	harmless "$err"
}

@test "--color paints the report" {
	stat_text --color always -q true
	grep -q $'\e\[' "$err"
	stat_text -q true
	harmless "$err"
}

@test "a report that cannot be written is our failure, and said where it can be" {
	stat_text -o /dev/full true
	refuses 125 '-o /dev/full: No space left on device'
	stat_json -o /dev/full sh -c 'exit 3'
	refuses 125 '-o /dev/full: No space left on device'
	for place in '2>/dev/full' '2>&-' '2> >(exec true)'; do
		status=0
		eval "'$PAGETOLL' stat -p '$PRICES' sh -c 'echo ran; sleep 0.2' >\"$out\" $place" || status=$?
		[ "$status" = 125 ] || show
		[ "$(cat "$out")" = ran ]
	done
	status=0
	"$PAGETOLL" stat -p "$PRICES" -o report sh -c 'exit 4' <&- >&- 2>&- || status=$?
	[ "$status" = 4 ]
	grep -q '^verdict ' report
}

@test "commands and arguments cannot steer the terminal, nor break the document" {
	evil=$'a\e[31m\n"\\\xff\xe2\x80\xae'
	ln -s "$(type -P true)" "$evil"
	long=$(head -c 100000 /dev/zero | tr '\0' x)
	stat_text "./$evil" "$evil" "$long"
	ended 0
	harmless "$err"
	not grep -q $'\u202e' "$err"
	reports ' command \./a\?\[31m\?"\\\?\? '
	[ "$(awk '{ if (length > n) n = length } END { print n }' "$err")" -le 100 ]
	stat_json "./$evil" "$evil" "$long"
	harmless doc
	json 'd["command"][1].startswith("a\x1b[31m\n\"\\?") and len(d["command"]) == 3 and len(d["command"][2]) < 2000 and d["command_cut"] is True' doc
	# shellcheck disable=SC2046 # words
	stat_json true $(seq 3000)
	json 'len(d["command"]) < 3001 and d["command_cut"] is True' doc
	stat_text $'no\e[31m\nsuch\xff'
	refuses 127 'stat: no\?\[31m\?such\?: No such file'
	harmless "$err"
}

@test "a document is shown again, as text and as JSON" {
	stat_json "$FAULTY" touch 100
	toll show doc
	ended 0
	silent
	prints '^verdict  first-touch cost: fine; '
	toll show - <doc
	toll show doc --json
	ended 0
	cmp "$out" doc
	toll show doc -v
	prints '^blind '
	toll show doc --format csv
	refuses 2 "--format csv: has no form for a command's faults by counters alone; there are json, text"
}

@test "a document with values that no run makes is refused or shown, never a crash" {
	stat_json "$FAULTY" touch 100
	cp doc good
	for edit in 's/"page_bytes": [0-9]+/"page_bytes": 0/' 's/"huge_page_bytes": [0-9]+/"huge_page_bytes": 1/' \
		's/"wall_ns": [0-9]+/"wall_ns": 0/' 's/"wall_ns": [0-9]+/"wall_ns": 9223372036854775807/' \
		's/"rusage_minor": [0-9]+/"rusage_minor": 2305843009213693951/' 's/"rusage_minor": [0-9]+/"rusage_minor": -1/' \
		's/"ns": [0-9.]+/"ns": 0/' 's/"ns": [0-9.]+/"ns": 1e300/' 's/"user_ns": [0-9]+/"user_ns": null/' \
		's/"max_resident_bytes": [0-9]+/"max_resident_bytes": 0/' 's/"n_cpus": [0-9]+/"n_cpus": 9223372036854775807/' \
		's/"command": \[/"command": [null, /' 's/"evidence": \{/"evidence": {"x": 5, /' 's/"rows": \[/"rows": [{}, /' \
		's/"source": "rusage"/"source": "perf"/' 's/"signal": null/"signal": 99999999999/'; do
		sed -E "$edit" good >edited
		not cmp -s good edited || { echo "does not match: $edit" && false; }
		for form in text json; do
			toll show edited --format $form -v
			[[ $status == 0 || $status == 5 ]] || { echo "$edit" && show; }
			[ "$status" = 0 ] || [ "$(wc -l <"$err")" = 1 ]
		done
	done
}
