# SPDX-License-Identifier: MIT
# What the tests of the command line share: running pagetoll, and looking at what came of it.
# shellcheck shell=bash
# Each test has a folder of its own, $dir, with $out and $err, the last run's output.
# shellcheck disable=SC2034

PAGETOLL=$(realpath -- "${PAGETOLL:-build/pagetoll}")
PATH=$PATH:/usr/sbin:/sbin
HERE=$BATS_TEST_DIRNAME
readonly HERE

# The interpreter itself: wrappers in front of it cost more time than a test.
setup_file() {
	PYTHON=$(python3 -c 'import sys; print(sys.executable)')
	export PYTHON
}

setup() {
	dir=$(mktemp -d "${TMPDIR:-/tmp}/pagetoll-cli.XXXXXX")
	chmod 755 "$dir"
	out=$dir/out err=$dir/err
	prefix=() pid=0 mounts=() groups=() restore=()
	export PAGETOLL_RUNS=$dir/runs TERM=dumb
	unset NO_COLOR COLUMNS XDG_STATE_HOME
	cd "$dir" || return
}

teardown() {
	local i
	if ((pid)); then kill -KILL "$pid" 2>/dev/null || true; fi
	for i in "${restore[@]}"; do eval "$i"; done
	for i in "${mounts[@]}"; do umount -l "$i" || true; done
	for i in "${groups[@]}"; do rmdir "$i" || true; done
	cd /
	rm -rf "$dir"
}

# --- running ---------------------------------------------------------------------------------------

# Runs pagetoll; leaves $status, $out and $err.
toll() {
	status=0
	timeout -k 5 60 "${prefix[@]}" "$PAGETOLL" "$@" >"$out" 2>"$err" </dev/null 3>&- || status=$?
}

# The shortest run there is.
small() { toll bench "$@" -s 1M -t 1 -r 1; }

# Begins a run in the background, $pid, that signals reach as they would from a terminal.
start() {
	PAGETOLL_TEST=$dir setsid env --default-signal=INT,TERM,HUP "${prefix[@]}" "$PAGETOLL" "$@" \
		>"$out" 2>"$err" </dev/null 3>&- &
	pid=$!
}

# The run has ended, or has become a zombie.
is_over() {
	local stat
	! { read -r stat <"/proc/$pid/stat"; } 2>/dev/null || [[ $stat == *') Z '* ]]
}

# The end of that run: its exit status.
await() {
	status=0
	until_true is_over 60 || kill -KILL "$pid"
	wait "$pid" || status=$?
	pid=0
}

# Polls until COMMAND, one word, succeeds; SECONDS at most.
until_true() { # COMMAND [SECONDS]
	local until=$((SECONDS + ${2-10}))
	while ((SECONDS <= until)); do
		! eval "$1" || return 0
		sleep 0.02
	done
	echo "waited ${2-10} s for: $1"
	return 1
}

is_stopped() { # PID
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null && [[ $stat == *') T '* ]]
}

is_gone() { ! kill -0 "$1" 2>/dev/null; }

# The run has a trial at work.
has_trial() { pgrep -P "$pid" -f __trial >/dev/null; }

# Processes of runs that start() began.
all_of_them() { grep -lzsxF "PAGETOLL_TEST=$dir" /proc/[0-9]*/environ || true; }

# From here on pagetoll runs as an ordinary user; $dir/open is theirs.
be_nobody() {
	mkdir -p "$dir/open"
	export PAGETOLL_RUNS=$dir/open/runs
	[[ $EUID == 0 ]] || return 0
	needs setpriv util-linux
	cp "$PAGETOLL" "$dir/pagetoll"
	PAGETOLL=$dir/pagetoll
	chmod 777 "$dir/open"
	prefix=(setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all)
}

needs() { command -v "$1" >/dev/null || skip "needs $1: not found; install the Debian package $2"; }
needs_root() { [[ $EUID == 0 ]] || skip "needs root: $1"; }

# From here on pagetoll sees an empty PATH.
without() { # PATH
	needs_root "hides $1"
	unshare -m mount -t tmpfs none "$1" 2>/dev/null ||
		skip "needs the right to mount: refused, as containers do"
	prefix=(unshare -m sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$1" "${prefix[@]}")
}

# From here on pagetoll has a /run of its own, $dir/run: what it keeps there is no other test's, nor the machine's.
private_run() {
	mkdir -p run
	prefix=(unshare -m sh -c 'mount --bind "$0" /run && exec "$@"' "$dir/run" "${prefix[@]}")
	"${prefix[@]}" true 2>/dev/null || skip 'needs the right to mount: refused, as containers do'
}

# Until this test ends no other that asks for it changes FILE, wherever on this machine it runs.
alone_with() { # FILE
	exec 8<"$1"
	flock -w 60 8 || skip "needs $1 for itself: another test keeps it"
}

# Makes a memory cgroup of LIMIT and has this test's commands run in it.
in_cgroup() { # LIMIT
	local group limit
	needs_root 'makes a memory cgroup'
	if [[ -d /sys/fs/cgroup/memory ]]; then
		group=/sys/fs/cgroup/memory/pagetoll-cli.$$ limit=memory.limit_in_bytes
	elif grep -qs memory /sys/fs/cgroup/cgroup.subtree_control; then
		group=/sys/fs/cgroup/pagetoll-cli.$$ limit=memory.max
	else
		skip "needs a memory cgroup: no memory controller at /sys/fs/cgroup"
	fi
	mkdir "$group" 2>/dev/null || skip "needs a memory cgroup: cannot make $group"
	groups+=("$group")
	echo "$1" >"$group/$limit" || skip "needs a memory cgroup: cannot write $group/$limit"
	prefix=(bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group")
}

# Swap of 200 MB, gone at the end.
with_swap() {
	local file
	! grep -q '^/' /proc/swaps || return 0
	needs swapon mount
	for file in "$dir/swap" "/var/tmp/pagetoll-cli-swap.$$"; do
		restore+=("swapoff '$file' 2>/dev/null; rm -f '$file'")
		head -c 200M /dev/zero >"$file"
		chmod 600 "$file"
		mkswap "$file" >/dev/null
		! swapon "$file" 2>/dev/null || return 0
	done
	skip 'needs swap: none is active and swapon of a file is refused; as root: swapon FILE'
}

# --- looking ---------------------------------------------------------------------------------------

show() {
	echo "status ${status-}"
	head -c 3000 "$out" | sed 's/^/out: /'
	head -c 3000 "$err" | sed 's/^/err: /'
	return 1
}

# COMMAND fails. (A bare ! would let a test go on.)
not() { ! "$@"; }

# The exit status was STATUS.
ended() { [[ $status == "$1" ]] || { echo "expected status $1" && show; }; }

# Standard error holds one sentence, and it matches REGEX; with it the exit status was STATUS.
complains() { # STATUS REGEX
	ended "$1"
	[[ $(wc -l <"$err") == 1 ]] || { echo "not one line" && show; }
	grep -qE "^pagetoll: " "$err" || { echo "whose sentence?" && show; }
	grep -qE -- "$2" "$err" || { echo "expected: $2" && show; }
}

# As above, and nothing was reported.
refuses() {
	complains "$@"
	[[ ! -s $out ]] || { echo "refused, and reported" && show; }
}

silent() { [[ ! -s $err ]] || { echo "not silent" && show; }; }
prints() { grep -qE -- "$1" "$out" || { echo "expected: $1" && show; }; }
prints_not() { ! grep -qE -- "$1" "$out" || { echo "not expected: $1" && show; }; }

# The report as one line, so that folding does not matter.
tells() { tr -s ' \n' ' ' <"$out" | grep -qE -- "$1" || { echo "expected: $1" && show; }; }

# EXPRESSION of Python is true of the document d and its scenarios s; FILE is the last output.
json() { # EXPRESSION [FILE]
	"$PYTHON" -I -S -c '
import json, sys

def refuse(word):
	sys.exit("no JSON: " + word)

with open(sys.argv[2], encoding="utf-8") as file:
	d = json.load(file, parse_constant=refuse)
s = d.get("scenarios", [])
if not eval(sys.argv[1]):
	sys.exit("false: " + sys.argv[1])
' "$1" "${2:-$out}" || { head -c 1000 "$err" && return 1; }
}

# The only document in the runs directory.
saved() {
	local all=("$PAGETOLL_RUNS"/*.json)
	[[ ${#all[@]} == 1 && -f ${all[0]} ]] || { ls -la "$PAGETOLL_RUNS" >&2 && return 1; }
	echo "${all[0]}"
}

# No control character but newlines, whatever the input held.
harmless() { # FILE
	! LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]' "$1"
}
