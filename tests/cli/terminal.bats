#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a person sees while it runs: the live table, on terminals wide and narrow.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

# Runs pagetoll on a terminal; leaves $status, raw, screen and facts.
on_terminal() { # [option...] COLUMNSxLINES ARGS...
	local options=()
	"$PYTHON" -c 'import os; os.openpty()' 2>/dev/null ||
		skip "needs a pseudo-terminal: /dev/pts offers none; mount devpts"
	while [[ $1 == --* ]]; do options+=("$1") && shift; done
	local size=$1
	shift
	status=0
	timeout -k 5 60 "$PYTHON" "$HERE/terminal.py" "${options[@]}" "$size" "$PAGETOLL" "$@" \
		3>&- || status=$?
	touch "$out" "$err"
}

# EXPRESSION of Python is true of the facts f, the screen and the raw bytes.
facts() {
	"$PYTHON" -I -S -c '
import ast, re, sys
f = ast.literal_eval(open("facts").read())
screen = open("screen").read()
raw = open("raw", "rb").read()
if not eval(sys.argv[1]):
	sys.exit(f"false: {sys.argv[1]}\n{f}\n{screen}")
' "$1"
}

some_run=(bench five_configs -s 1M -t 2 -r 2)

setup_terminal() { export TERM=xterm; }

@test "the live table appears, with ~, and is gone at the end" {
	setup_terminal
	on_terminal --stdout=report --look-for='~' 100x30 "${some_run[@]}" --no-save
	ended 0
	facts 'f["seen_at"] is not None and f["draws"] >= 2'
	facts 'screen.strip() == ""'
	facts 'f["wraps"] == 0 and f["unknown"] == []'
	harmless report
	not grep -q '~' report
}

@test "where both are the terminal the report follows the live table" {
	setup_terminal
	on_terminal 100x60 "${some_run[@]}" --no-save
	ended 0
	facts '"~" not in screen and " of at most " not in screen'
	facts 'screen.startswith("five_configs: ") and "\nanon_cold " in screen'
	facts 'f["wraps"] == 0 and f["unknown"] == [] and b"\x1b[32m" in raw'
}

@test "the live table names what is being done and for how long at most" {
	setup_terminal
	on_terminal --stdout=report 100x30 "${some_run[@]}" -b 20 --no-save
	facts 'b" s of at most 20 s: " in raw and re.search(rb", trial \d of 2", raw)'
	facts 'b"writing a data file of 1 MiB in " in raw'
}

@test "the name of the saved run is left on the screen; -q leaves nothing" {
	setup_terminal
	on_terminal --stdout=report 120x30 "${some_run[@]}"
	facts 're.fullmatch(r"saved: .*/runs/\S+-bench\.json\n", screen)'
	on_terminal --stdout=report 120x30 "${some_run[@]}" -q
	facts 'raw == b""'
}

@test "narrow terminals: nothing of the live table wraps, nothing is left" {
	setup_terminal
	for size in 60x24 40x24 20x24 40x6 20x4; do
		on_terminal --stdout=report $size "${some_run[@]}" --no-save
		ended 0
		facts 'f["wraps"] == 0 and screen.strip() == "" and f["draws"] >= 2'
	done
}

@test "terminals too small for a table get none" {
	setup_terminal
	for size in 19x24 10x24 3x3 80x3 80x1; do
		on_terminal --stdout=report $size "${some_run[@]}" --no-save
		ended 0
		facts 'f["wraps"] == 0 and screen.strip() == ""'
	done
}

@test "a terminal of 40 columns: the report does not wrap, and says what was left out" {
	setup_terminal
	on_terminal 40x200 "${some_run[@]}" --no-save
	ended 0
	facts 'f["wraps"] == 0 and "(left out, as the terminal is 40 wide:" in screen'
}

@test "a terminal that says nothing about its size is taken for one of 80 columns" {
	setup_terminal
	on_terminal --stdout=report 0x0 "${some_run[@]}" --no-save
	ended 0
	facts 'f["wraps"] == 0 and screen.strip() == "" and f["draws"] >= 2'
}

@test "TERM=dumb and no TERM: no live table, no colour" {
	for TERM in dumb ''; do
		export TERM
		on_terminal 100x60 "${some_run[@]}" --no-save
		ended 0
		facts 'b"\x1b" not in raw and b"~" not in raw'
	done
	unset TERM
	on_terminal 100x60 "${some_run[@]}" --no-save
	facts 'b"\x1b" not in raw'
}

@test "NO_COLOR: the report on a terminal has no colour" {
	setup_terminal
	export NO_COLOR=1
	on_terminal 100x60 "${some_run[@]}" --no-save
	facts 're.search(rb"\x1b\[[0-9;]+m", raw) is None'
}

@test "Ctrl-C: the live table is taken away, the report of what was done follows" {
	setup_terminal
	on_terminal --interrupt=1 100x60 bench -s 8M -t 100 -r 20
	ended 130
	facts '"~" not in screen and "Interrupted: this is what was done until then." in screen'
	json 'd["interrupted"] is True' "$(saved)"
}

@test "Ctrl-C twice in a row ends it as well" {
	setup_terminal
	on_terminal --interrupt=1 --interrupt=1.02 100x60 bench -s 8M -t 100 -r 20
	ended 130
	facts '"~" not in screen'
}

@test "a directory's name cannot steer the terminal from the live table" {
	setup_terminal
	strange=$'st\e[5;31mra\nnge\tna\rme'
	mkdir "$strange"
	on_terminal --stdout=report 100x30 bench file_warm -s 1M -t 1 -r 1 --no-save -d "$strange"
	ended 0
	facts 'b"\x1b[5;31m" not in raw and screen.strip() == ""'
	on_terminal 200x60 bench file_warm -s 1M -t 1 -r 1 --no-save -d "$strange"
	facts 'b"\x1b[5;31m" not in raw'
}

@test "help is folded to the terminal" {
	setup_terminal
	on_terminal 60x200 bench --help
	ended 0
	facts 're.search(r"options:", screen)'
	facts 'all(len(line) <= 60 for line in screen.split("examples:")[0].splitlines())'
	facts 'not re.search(r"\S{58,}", screen.split("examples:")[0])'
}

# Faults can be seen one by one here.
needs_perf() {
	toll trace --source perf -o /dev/null true
	[ "$status" = 0 ] || skip "needs perf events: $(sed 's/^pagetoll: trace: //' "$err")"
}

@test "a trace with -p or --live has one line while it runs, and none where CMD has the terminal" {
	setup_terminal
	needs_perf
	sleep 20 3>&- &
	restore+=("kill $! 2>/dev/null")
	on_terminal --stdout=report --look-for=' faults (' 100x30 trace -p $! --duration 500ms
	ended 0
	facts 'f["seen_at"] is not None and screen.strip() == "" and f["wraps"] == 0 and f["unknown"] == []'
	on_terminal --look-for=' in faults ' 100x30 trace --live -o report sleep 0.5
	facts 'f["seen_at"] is not None and screen.strip() == ""'
	on_terminal 100x30 trace -o report sleep 0.5
	facts 'raw == b""'
	on_terminal --stdout=report 100x30 trace -q -p $! --duration 500ms
	facts 'raw == b""'
}
