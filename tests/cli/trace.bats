#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pagetoll trace: who pays for page faults; what it is without perf, whom it runs CMD as, and its statuses.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

FAULTY=$(realpath -- "${FAULTY:-build/tests/cli/faulty}")
FAULTS=$(realpath -- "${FAULTS:-build/tests/trace/faults}")

# Prices of this machine, once for all tests: measured after each run they would take half a second.
setup_file() {
	PYTHON=$(python3 -c 'import sys; print(sys.executable)')
	PRICES=$BATS_FILE_TMPDIR/prices.json
	export PYTHON PRICES
	"$PAGETOLL" bench anon_write anon_read_zero anon_thp file_warm file_cold file_cold_random \
		-s 4M -t 3 -r 2 --no-save --json -o "$PRICES" 3>&-
}

# A run by counters alone, with these prices.
counted() { toll trace --source rusage --prices "$PRICES" "$@"; }

# A run by whatever works, without measuring prices where that is counters.
traced() {
	mkdir -p "$PAGETOLL_RUNS"
	cp "$PRICES" "$PAGETOLL_RUNS/20000101T000000.000Z-bench.json"
	toll trace "$@"
}

# The report as one line, on FILE.
reports() { # REGEX [FILE]
	tr -s ' \n' ' ' <"${2:-$err}" | grep -qE -- "$1" || { echo "expected: $1" && show; }
}

# Faults can be seen one by one here.
needs_perf() {
	toll trace --source perf -o /dev/null true
	[ "$status" = 0 ] || skip "needs perf events: $(sed 's/^pagetoll: trace: //' "$err")"
}

# From here on perf_event_open fails with ERRNO.
refuse_perf() { # ERRNO
	[ -x "${NO_PERF-}" ] || skip "needs the test helper no_perf: it is built by meson"
	prefix=("${prefix[@]}" "$NO_PERF" "$1")
	toll --version
	[ "$status" != 77 ] || skip "needs seccomp filters: this kernel or container refuses them"
}

# --- usage -------------------------------------------------------------------------------------------

@test "wrong usage is 2, and the command is not run" {
	while IFS='|' read -r args regex; do
		eval "toll trace $args"
		refuses 2 "trace: $regex"
	done <<-'EOF'
		|names neither a command nor a process
		--|names neither a command nor a process
		-p 1 sh -c "echo ran"|attaches to processes, by -p, or runs CMD; not both
		--tree sh -c "echo ran"|--tree goes with -p
		-p 1 --source rusage|-p: --source rusage has no counters
		-p 1 --as-root|--as-root is about CMD
		-p 1 --live|--live is about CMD
		-p 1 --prices x|--prices is for estimates
		-p 0|-p: '0' is no process number
		-p 1,x|-p: 'x' is no process number
		-p 1,|-p: '' is no process number
		-p -1|-p: '-1' is no process number
		-p 99999999999|-p: '99999999999' is no process number
		-p 1 -p 2|.*--pid
		--prices x --source perf sh -c "echo ran"|--prices is for estimates
		--min-latency 1ms sh -c "echo ran"|--min-latency and --kind choose faults for --each
		--kind cow sh -c "echo ran"|--min-latency and --kind choose faults for --each
		--each --kind cows sh -c "echo ran"|--kind: there is no kind 'cows'; did you mean 'cow'
		--each --kind cow, sh -c "echo ran"|--kind: there is no kind ''
		--deadline 1s --timing auto sh -c "echo ran"|--timing auto leaves out faults
		--json sh -c "echo ran"|--format json needs -o FILE
		--format csv sh -c "echo ran"|--format csv needs -o FILE
		--format folded -- sh -c "echo ran"|--format folded needs -o FILE
		--format html -o x sh -c "echo ran"|--format html: it takes one of text, json, csv, folded
		-o - sh -c "echo ran"|-o -: standard output is the command's
		--prices - sh -c "echo ran"|--prices -: standard input is the command's
		--source bpf sh -c "echo ran"|--source bpf: it takes one of auto, perf, rusage
		--sort size sh -c "echo ran"|--sort size: .* takes one of time, count, worst, mean
		--top 0 sh -c "echo ran"|--top 0: must be 1 at the least
		--deadline x sh -c "echo ran"|--deadline: 'x' is
		--bogus sh -c "echo ran"|unknown option '--bogus'
	EOF
	toll trace -o . sh -c 'echo ran'
	refuses 2 '-o \.: is a directory'
	toll trace -p "$(seq -s, 1 1025)"
	refuses 2 'trace: -p: more than 1024 processes'
}

@test "what counters cannot give is refused where counters are asked for" {
	for option in '--deadline 1s' --each '--duration 1' --no-chains '--timing all' --live '--sort count' '--top 3' '--format csv -o x' '--format folded -o x'; do
		eval "toll trace --source rusage $option sh -c 'echo ran'"
		refuses 2 "trace: ${option%% -o *}: --source rusage sees no single fault|trace: ${option%% *}: --source rusage sees no single fault"
	done
}

@test "every kind that --help names is one, and no other" {
	toll trace --help
	kinds=$(tr -s ' \n' ' ' <"$out" | sed -E 's/.*of these kinds, KIND\[,KIND\.\.\.\]: ([a-z, -]+) --deadline.*/\1/' | tr -d ' ')
	[ "$(tr , '\n' <<<"$kinds" | wc -l)" = 15 ]
	refuse_perf 1
	toll trace --each --kind "$kinds" true
	complains 125 'trace: --each: '
}

# --- the command is as it would be without us ------------------------------------------------------------

@test "the command has its arguments, input, output and exit status" {
	for source in auto rusage; do
		status=0
		echo word | "$PAGETOLL" trace --source $source -o report sh -c 'cat; echo "$1"; echo to-err >&2; exit 7' - 'a  b' \
			>"$out" 2>"$err" || status=$?
		ended 7
		[ "$(cat "$out")" = $'word\na  b' ]
		[ "$(cat "$err")" = to-err ]
		grep -q '^verdict ' report
	done
	for n in 0 1 2 125 126 127 255; do
		traced -q sh -c "exit $n"
		ended $n
	done
}

@test "options behind the command are the command's" {
	printf '#!/bin/sh\nprintf "%%s|" "$@"\n' >words
	chmod 755 words
	traced -o report ./words --json -q --help -o x -- -v -p 1
	ended 0
	[ "$(cat "$out")" = '--json|-q|--help|-o|x|--|-v|-p|1|' ]
	traced -o report -- ./words --help
	[ "$(cat "$out")" = '--help|' ]
}

@test "what cannot be run: 127 and 126, one sentence, and no report" {
	for source in auto rusage; do
		toll trace --source $source no-such-command
		refuses 127 'trace: no-such-command: No such file or directory'
		echo 'echo "$0 ran"' >script
		toll trace --source $source ./script
		refuses 126 'trace: ./script: Permission denied'
		toll trace --source $source .
		refuses 126 'trace: \.: Permission denied'
		toll trace --source $source ''
		refuses 127 'trace: : No such file or directory'
	done
}

@test "a command that dies of a signal: 128 + it" {
	for signal in KILL:9 SEGV:11 TERM:15 PIPE:13; do
		traced --json -o doc sh -c "kill -${signal%:*} \$\$"
		ended $((128 + ${signal#*:}))
		json "d['signal'] == ${signal#*:} and d['exit_status'] == $((128 + ${signal#*:}))" doc
	done
}

has_command() { cmd=$(pgrep -P "$pid" -x "$1"); } # NAME

@test "Ctrl-C ends the command and not the report; SIGTERM and SIGHUP are passed on" {
	mkdir runs
	cp "$PRICES" runs/20000101T000000.000Z-bench.json
	for signal in INT:130 TERM:143 HUP:129; do
		start trace sleep 20
		until_true 'has_command sleep'
		# SIGINT to all of them, as a terminal does
		kill -"${signal%:*}" -- "$([ "${signal%:*}" = INT ] && echo -)$pid"
		await
		ended "${signal#*:}"
		reports '^verdict '
	done
	start trace sh -c 'trap "exit 6" TERM; while :; do sleep 0.1; done'
	until_true 'has_command sh'
	sleep 0.2
	kill -TERM "$pid"
	await
	ended 6
}

# What a process is given beside arguments: signal mask and dispositions, limits, descriptors.
given='grep -E "^Sig(Blk|Ign|Cgt)|^Shd" /proc/self/status; ls /proc/self/fd; ulimit -a; umask; ps -o nice=,pgid= -p $$ | tr -s " "'

@test "the command has the signal mask and dispositions of the caller, and no descriptor of ours" {
	needs ps procps
	mkdir runs
	cp "$PRICES" runs/20000101T000000.000Z-bench.json
	for setting in '' 'trap "" INT QUIT CHLD' 'trap "" XFSZ TERM HUP' 'exec 0<&-' 'exec 5</dev/null'; do
		bash -c "$setting"$'\n'"exec sh -c '$given'" >expected 2>/dev/null 3>&-
		bash -c "$setting"$'\n'"exec '$PAGETOLL' trace -o report sh -c '$given'" >got 2>/dev/null 3>&-
		diff expected got || { echo "with: $setting" && false; }
	done
}

# --- the report ---------------------------------------------------------------------------------------------

@test "a document goes to -o, and is shown again" {
	counted --json -o doc "$FAULTY" touch 20
	ended 0
	silent
	json 'd["kind"] == "trace" and d["source"] == "rusage" and d["command"][1:] == ["touch", "20"]' doc
	toll show doc
	ended 0
	tells '^verdict .* ESTIMATE no fault was timed, '
	[ ! -e "$PAGETOLL_RUNS" ]
}

@test "a report that cannot be written is our failure, and said where it can be" {
	toll trace -o nowhere/x sh -c 'echo ran'
	refuses 125 '-o nowhere/x: No such file or directory'
	counted -o /dev/full true
	refuses 125 '-o /dev/full: No space left on device'
	for place in '2>/dev/full' '2>&-' '2> >(exec true)'; do
		status=0
		eval "'$PAGETOLL' trace --source rusage --prices '$PRICES' sh -c 'echo ran; sleep 0.2' >\"$out\" $place" || status=$?
		[ "$status" = 125 ] || show
		[ "$(cat "$out")" = ran ]
	done
}

@test "a report does not overwrite the prices it is made from" {
	cp "$PRICES" prices.json
	toll trace --source rusage --prices prices.json --json -o prices.json sh -c 'echo ran'
	refuses 2 '-o prices.json: is the document that is read'
}

@test "what a command's name holds does no harm to a terminal" {
	name=$'a\e[31mb\u202ec'
	printf '#!/bin/sh\n' >"$name"
	chmod 755 "$name"
	counted "./$name"
	ended 0
	reports ' command ./a\?\[31mb'
	harmless "$err"
	traced "./$name"x
	complains 127 'trace: ./a\?\[31mb'
	harmless "$err"
}

# --- without perf ---------------------------------------------------------------------------------------------

@test "perf refused (EPERM, EACCES, ENOSYS): an estimate, which says that it is one and why" {
	for errno in 1 13 38; do
		prefix=()
		refuse_perf $errno
		traced --json -o doc "$FAULTY" touch 20
		ended 0
		silent
		json 'd["source"] == "rusage" and d["estimate"] is True' doc
		json '[w["text"] for w in d["warnings"] if w["id"] == "estimate"][0].startswith("no fault was timed, times are counts times prices: ")' doc
		for quiet in '' -q; do
			traced $quiet "$FAULTY" touch 20
			ended 0
			reports '^verdict .* ESTIMATE no fault was timed, times are counts times prices: '
			not grep -q '^warning' "$err"
		done
	done
}

@test "perf refused: what only perf can serve fails, and the command is not run" {
	refuse_perf 1
	for option in '--source perf' '--deadline 1s' --each '--duration 1' '--format csv -o x' '--format folded -o x'; do
		eval "toll trace $option sh -c 'echo ran'"
		complains 125 "trace: ${option%% -o *}: |trace: ${option%% *}: "
		[ ! -s "$out" ]
	done
	toll trace -p $$
	refuses 125 'trace: -p: '
	# what only says how perf is to work is no reason
	traced -q --no-chains --timing all --sort count --top 3 true
	ended 0
}

@test "perf refused to an ordinary user: the lines that would give more" {
	be_nobody
	needs_perf
	refuse_perf 13
	cd open
	traced true
	ended 0
	reports " more sudo pagetoll trace -- CMD; or .*sudo setcap cap_perfmon\+ep $PAGETOLL "
	toll trace -p $$ --tree
	refuses 125 "trace: -p: .*; sudo pagetoll trace -p $$ --tree; or "
}

@test "perf_event_paranoid above 2: the line that lowers it" {
	needs_root 'writes kernel.perf_event_paranoid, and restores it'
	knob=/proc/sys/kernel/perf_event_paranoid
	before=$(cat $knob)
	be_nobody
	needs_perf
	restore+=("echo $before >$knob")
	echo 3 2>/dev/null >$knob || skip "needs to write $knob: refused"
	cd open
	traced true
	ended 0
	grep -q ESTIMATE "$err" || skip "needs a kernel that knows perf_event_paranoid 3: this one counts all the same"
	reports ' more sudo pagetoll trace -- CMD; or sudo sysctl kernel.perf_event_paranoid=2; or sudo setcap '
}

@test "an estimate is stat's" {
	stat_keys='sorted(d.keys()), [r["scenario"] for r in d["prices"]["rows"]], [b["id"] for b in d["blind_spots"]]'
	counted --json -o doc "$FAULTY" touch 20
	toll stat -p "$PRICES" --json -o stat "$FAULTY" touch 20
	[ "$(json "print($stat_keys) or True" doc)" = "$(json "print($stat_keys) or True" stat)" ]
	json 'not any(w["id"].startswith("estimate") for w in d["warnings"])' stat
}

# --- under sudo -------------------------------------------------------------------------------------------------

# From here on we are root for an ordinary user, as sudo says it.
under_sudo() { # [VARIABLE=VALUE...]
	needs_root 'is sudo for an ordinary user'
	read -r name uid gid home < <(getent passwd | awk -F: '$3 >= 1 && $6 ~ "^/" && $1 != "root" { print $1, $3, $4, $6; exit }')
	[ -n "$name" ] || skip "needs a user other than root: getent knows none"
	prefix=(env SUDO_UID="$uid" SUDO_GID="$gid" SUDO_USER="$name" HOME=/root USER=root LOGNAME=root "$@")
}

who='echo $(id -u) $(id -ru) $(id -g) $(id -G) $HOME $USER $LOGNAME; grep -E "^(Uid|Gid|CapEff)" /proc/self/status | tr "\n\t" "  "'

@test "under sudo the command runs as the user who called it, with groups and HOME" {
	under_sudo
	needs setpriv util-linux
	prefix+=(setpriv '--groups=0,4242') # root's, which must not be left
	for source in auto rusage; do
		traced --source $source -o report sh -c "$who"
		ended 0
		prints "^$uid $uid $gid $(id -G "$name") $home $name $name\$"
		prints "Uid: $uid $uid $uid $uid Gid: $gid $gid $gid $gid CapEff: 0000000000000000"
	done
	traced -o report cat /proc/self/environ
	[ "$(tr '\0' '\n' <"$out" | grep -E '^(HOME|USER|LOGNAME)=' | sort | tr '\n' ' ')" = "HOME=$home LOGNAME=$name USER=$name " ]
	traced -o report sh -c 'exit 9'
	ended 9
	grep -q '^verdict ' report
}

@test "--as-root, SUDO_UID 0, and no SUDO_UID: as we are" {
	under_sudo
	traced --as-root -o report sh -c "$who"
	prints '^0 0 0 .* /root root root$'
	prefix+=(SUDO_UID=0)
	traced -o report sh -c "$who"
	prints '^0 0 0 .* /root root root$'
	prefix=(env -u SUDO_UID)
	traced -o report id -u
	[ "$(cat "$out")" = 0 ]
	under_sudo
	toll stat -p "$PRICES" -o report id -u
	[ "$(cat "$out")" = 0 ]
}

@test "a SUDO_UID that makes no sense: the command is not run at all" {
	under_sudo
	for id in '' -1 x 4294967295 99999999999; do
		under_sudo SUDO_UID="$id"
		traced sh -c 'echo ran'
		refuses 125 "trace: SUDO_UID is '$id', and CMD must not run as root by accident"
		under_sudo SUDO_GID="$id"
		traced sh -c 'echo ran'
		refuses 125 "trace: SUDO_GID is '$id', and CMD must not run as root by accident"
	done
}

@test "a user who is in no database: the group that sudo names, and no home of root's" {
	under_sudo SUDO_UID=54321 SUDO_GID=54322 SUDO_USER=nobody-knows
	traced -o report sh -c "$who"
	prints '^54321 54321 54322 54322 /'
	prints_not /root
	prefix+=(-u SUDO_GID)
	prefix=(env SUDO_UID=54321)
	traced sh -c 'echo ran'
	refuses 125 'trace: user 54321 is not known here, and no group is given'
}

@test "where the user cannot be changed the command is not run as root" {
	under_sudo
	needs setpriv util-linux
	prefix+=(setpriv --bounding-set=-setuid)
	traced sh -c 'echo ran'
	refuses 125 'trace: cannot become the user that sh is to run as: Operation not permitted'
	prefix[-1]=--bounding-set=-setgid
	traced sh -c 'echo ran'
	refuses 125 'trace: cannot become the user that sh is to run as: Operation not permitted'
}

@test "what that user may not execute is not executed by root" {
	under_sudo
	mkdir closed
	printf '#!/bin/sh\necho ran\n' >closed/script
	chmod 755 closed/script
	chmod 700 closed
	traced ./closed/script
	refuses 126 'trace: ./closed/script: Permission denied'
	traced --as-root -q ./closed/script
	ended 0
	prints '^ran$'
}

@test "--as-root as an ordinary user is wrong usage" {
	be_nobody
	toll trace --as-root sh -c 'echo ran'
	refuses 2 'trace: --as-root: not root, and so CMD is neither'
}

# --- by perf ------------------------------------------------------------------------------------------------------

@test "perf: each fault of a first write is seen, and is of that kind" {
	needs_perf
	toll trace --json -o doc "$FAULTS" anon-write 5000
	ended 0
	prints '^faults=5000 counted=5000$'
	json 'd["source"] == "perf" and d["estimate"] is False and d["exit_status"] == 0' doc
	json '5000 <= {k["kind"]: k["count"] for k in d["by_kind"]}["anon-write"] < 5500' doc
	json 'd["totals"]["time_ns"] > 0 and d["reconciliation"]["user_traps"] >= 5000' doc
}

@test "perf: the culprit is the function that touches" {
	needs_perf
	for chains in '' --no-chains; do
		toll trace $chains --json -o doc "$FAULTS" anon-write 5000
		ended 0
		json 'd["by_site"][0]["function"] == "touch_pages" and d["by_site"][0]["kind"] == "anon-write"' doc
	done
}

@test "perf: text, csv and folded; --top and --sort" {
	needs_perf
	toll trace "$FAULTS" anon-write 5000
	ended 0
	reports 'anon-write 5,[0-9]{3} .* closes: '
	harmless "$err"
	toll trace --format csv -o rows "$FAULTS" anon-write 5000
	grep -q ',touch_pages,' rows
	toll trace --format folded -o stacks "$FAULTS" anon-write 5000
	grep -qE '^faults;.*touch_pages;.* [0-9]+$' stacks
	for sort in time count worst mean; do
		toll trace --top 1 --sort $sort "$FAULTS" zero-read 1000
		ended 0
	done
}

@test "perf: --each keeps each fault, and --kind and --min-latency choose" {
	needs_perf
	toll trace --each --kind anon-zero-read --json -o doc "$FAULTS" zero-read 1000
	ended 0
	json '1000 <= len(d["each"]) < 1200 and {f["kind"] for f in d["each"]} == {"anon-zero-read"}' doc
	toll trace --each --min-latency 1h --json -o doc "$FAULTS" zero-read 1000
	json 'not d.get("each")' doc
}

@test "perf: a deadline that is missed ends with 1, one that is met with CMD's status" {
	needs_perf
	toll trace --deadline 1ns "$FAULTS" storm 1 1
	ended 1
	toll trace --deadline 1h sh -c 'exit 3'
	ended 3
}

@test "perf: attaching by -p, to the report on standard output" {
	needs_perf
	"$FAULTS" storm 20 1 >/dev/null 3>&- &
	storm=$!
	restore+=("kill $storm 2>/dev/null")
	toll trace -p $storm --duration 500ms --json
	kill $storm
	ended 0
	json 'd["source"] == "perf" and d["totals"]["count"] > 100'
}

@test "perf: Ctrl-C ends an attached trace, and its report comes" {
	needs_perf
	"$FAULTS" idle 20 >/dev/null 3>&- &
	idle=$!
	restore+=("kill $idle 2>/dev/null")
	for signal in INT TERM HUP; do
		start trace -p $idle
		sleep 0.3
		kill -$signal "$pid"
		await
		ended 0
		prints '^verdict '
	done
	kill -0 $idle
}

@test "perf: a process that is not there cannot be attached to" {
	needs_perf
	toll trace -p 4194304 --duration 1
	refuses 125 'trace: -p: '
}

@test "perf: a report whose reader has gone is our failure, without a word" {
	needs_perf
	"$FAULTS" idle 20 >/dev/null 3>&- &
	restore+=("kill $! 2>/dev/null")
	status=0
	{ "$PAGETOLL" trace -p $! --duration 200ms 2>"$err" || echo $? >ended; } 3>&- | true
	[ "$(cat ended)" = 125 ]
	[ ! -s "$err" ]
	status=0
	"$PAGETOLL" trace -p $! --duration 200ms >/dev/full 2>"$err" 3>&- || status=$?
	complains 125 'trace: cannot write to standard output: No space left on device'
}

# --- by perf -----------------------------------------------------------------------------------------------------

# Each table is made of the same faults.
adds_up='all(sum(r[f] for r in d[t]) == d["totals"][f] for t in ("by_kind", "by_mapping", "by_site", "by_thread") for f in ("count", "major", "n_timed")) and all(abs(sum(r[f] for r in d[t]) - d["totals"][f]) <= 0.001 * d["totals"][f] + 1000 for t in ("by_kind", "by_mapping", "by_site", "by_thread") for f in ("time_ns", "raw_ns", "blocked_ns", "preempted_ns") if d["totals"][f] is not None)'

@test "tables add up to the totals, timed or not" {
	needs_perf
	# threads that take faults of several kinds, fast enough for most of them not to be timed
	cat >threads.py <<-'EOF'
		import mmap, sys, threading
		def work(i):
		    for n in range(20):
		        m = mmap.mmap(-1, 1 << 20)
		        with open(sys.executable, "rb") as f, mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ) as code:
		            for at in range(0, 1 << 19, mmap.PAGESIZE * (1 + i % 3)):
		                m[at] = code[at % len(code)] or 1
		        m.close()
		threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
		[t.start() for t in threads]
		[t.join() for t in threads]
	EOF
	toll trace --json -o doc "$PYTHON" -I -S threads.py
	ended 0
	json 'd["counts"]["untimed"]["count"] > 0' doc
	json "$adds_up" doc
	json 'd["totals"]["lost"] == 0' doc
}

@test "without descriptors for the events it fails at once, and the command is not run" {
	needs_perf
	for n in 5 8 12; do
		prefix=(timeout 10 bash -c "ulimit -n $n && exec \"\$@\"" -)
		toll trace sh -c 'echo ran'
		[ "$status" = 125 ] || [ "$status" = 127 ] || show # 127: not even the libraries can be opened
		[ ! -s "$out" ]
	done
}

@test "children that nobody waits for are in the bill, and the report says that rusage has not got them" {
	needs_perf
	cat >orphan.py <<-'EOF'
		import mmap, os, time
		read, write = os.pipe()
		if os.fork() == 0:
		    m = mmap.mmap(-1, 8 << 20)
		    for at in range(0, len(m), mmap.PAGESIZE):
		        m[at] = 1
		    os.write(write, b".")
		    os._exit(0)
		os.read(read, 1)
		os._exit(0)
	EOF
	toll trace --json -o doc "$PYTHON" -I -S orphan.py
	ended 0
	json 'd["reconciliation"]["unexplained"] < -64 or d["reconciliation"]["rusage_minor"] > 2000' doc
	json 'd["reconciliation"]["unexplained"] > -128 or any(w["id"] == "not-waited" for w in d["warnings"])' doc
}
