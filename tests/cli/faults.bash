# SPDX-License-Identifier: MIT
# What the tests of trace by perf share: runs of the program that takes faults of one kind, and sums that must close.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154

FAULTS=$(realpath -- "${FAULTS:-build/tests/trace/faults}")
CASES=$(realpath -- "${CASES:-build/tests/cases}")

# Faults can be seen one by one here; asked once a file as each user, since a trace takes a third of a second.
needs_perf() {
	local answer=$BATS_FILE_TMPDIR/perf-${#prefix[@]}
	[ -e "$answer" ] || {
		toll trace --source perf -o /dev/null true
		sed 's/^pagetoll: trace: //' "$err" >"$answer"
	}
	[ ! -s "$answer" ] || skip "needs perf events: $(cat "$answer")"
}

needs_perf_stat() {
	needs perf linux-perf
	needs setarch util-linux
	perf stat -x, -e page-faults:u true >/dev/null 2>&1 ||
		skip "needs perf stat: it counts no page faults here; install the linux-perf of this kernel"
	setarch -R true 2>/dev/null || skip "needs setarch -R: refused, as some containers do"
}

# A trace into doc, not by counters.
traced() { toll trace --source perf --json -o doc "$@"; }

# A trace of faults ARG..., options before it; $n is how many faults it says it took.
faulted() { # [OPTION...] KIND ARG...
	local options=()
	while [[ $1 == --* ]]; do
		options+=("$1" "$2")
		shift 2
	done
	traced "${options[@]}" "$FAULTS" "$@"
	[ "$status" != 77 ] || skip "needs what faults $1 takes: $(sed -n 's/^skip: //p' "$out")"
	ended 0
	n=$(sed -n 's/^faults=\([0-9]*\).*/\1/p' "$out")
	[ -n "$n" ]
}

# EXPRESSION is true of doc: k counts by kind, r the reconciliation, c what was counted beside, t totals.
told() { # EXPRESSION
	json "(lambda k, r, c, t: $1)(__import__('collections').Counter({x['kind']: x['count'] for x in d['by_kind']}), d['reconciliation'], {i: x['count'] for i, x in d['counts'].items()}, d['totals'])" doc ||
		{ json "print({x['kind']: x['count'] for x in d['by_kind']}, d['reconciliation'], {i: x['count'] for i, x in d['counts'].items()}, d['totals'])" doc || true; return 1; }
}

# Every trap is in the tables or in a count of its own, all tables agree, and rusage is explained.
adds_up() {
	told "t['count'] == r['user_traps'] + (r['kernel_traps'] or 0) - c['retried'] - c['unfinished'] - c['lost'] + c['unentered'] and t['count'] == sum(k.values()) == sum(x['count'] for x in d['by_mapping']) == sum(x['count'] for x in d['by_thread']) == sum(x['count'] for x in d['by_site'])"
	told "abs(r['unexplained']) <= 64 * t['processes']"
}

# The user traps of COMMAND are those that perf stat counts, where that counts the same twice. perf puts a folder in
# front of PATH and a variable beside it, so that the stack of what it runs begins elsewhere, which can be a page: the
# command gets the same from us.
as_perf_stat() { # COMMAND ARG...
	local once twice theirs
	once=$(perf_stat "$@")
	twice=$(perf_stat "$@")
	[ "$once" = "$twice" ] || { echo "$* has no fixed number of faults: $once, then $twice" && return 0; }
	perf_stat env -0
	mapfile -d '' -t theirs <"$dir/perf.out"
	status=0
	timeout 60 "${prefix[@]}" env -i "${theirs[@]}" setarch -R "$PAGETOLL" trace --source perf --json -o doc "$@" >"$out" 2>"$err" </dev/null 3>&- || status=$?
	ended 0
	told "r['user_traps'] == $once" || { echo "perf stat $*: $once" && return 1; }
	adds_up
}

perf_stat() { # COMMAND ARG...
	timeout 60 "${prefix[@]}" env -i PATH="$PATH" HOME="$HOME" setarch -R perf stat -x, -e page-faults:u "$@" 2>&1 >"$dir/perf.out" </dev/null 3>&- |
		sed -n 's/^\([0-9]*\),,page-faults:u.*/\1/p'
}

# COMMAND in a process group of its own, $pid_of, as whom pagetoll runs; it is ended with the test.
in_background() { # COMMAND ARG...
	"${prefix[@]}" setsid "$@" >/dev/null 2>&1 </dev/null 3>&- &
	pid_of=$!
	disown # its end is no news
	restore+=("kill -KILL -- -$pid_of 2>/dev/null || true")
}

# That process has so many threads.
has_tasks() { # N
	until_true "[ \"\$(ls /proc/$pid_of/task 2>/dev/null | wc -l)\" = $1 ]"
}

# A file of 4 MiB on a disk.
make_file() { # NAME
	head -c 4M /dev/urandom >"$1"
	"$FAULTS" file-cold "$1" >"$out" 2>&1 ||
		skip "needs a disk under $dir: its files stay in memory (status $?); set TMPDIR to a directory on one"
}
