#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What pagetoll explain says of findings: each of them, all of them, and what it does with other names.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

# The names of all findings, by their files in the source: one a line.
sources() {
	local file
	for file in "$HERE"/../../src/diagnose/*.c; do
		! grep -q '^FINDING(' "$file" || basename "$file" .c | tr _ -
	done
}

@test "without a name: each finding in one line, and how to go on" {
	toll explain
	ended 0
	silent
	prints '^FINDING +WHAT$'
	sed -n '2,/^$/p' "$out" | awk 'NF { print $1 }' >names
	sources | cmp - names
	[ "$(wc -l <names)" -ge 20 ]
	sed -n '2,/^$/p' "$out" | awk 'NF { if (NF < 2) exit 1 }'
	tail -n 1 "$out" | grep -q "'pagetoll explain FINDING' .*'pagetoll trace CMD'"
	[ "$(awk '{ if (length > n) n = length } END { print n }' "$out")" -le 100 ]
}

@test "each finding explains itself, in all its parts" {
	for id in $(sources); do
		toll explain "$id"
		ended 0
		silent
		harmless "$out"
		head -n 1 "$out" | grep -q "^$id: [a-z0-9]"
		for head in 'what' 'told' 'do' 'can be wrong' 'shown by'; do
			[ "$(grep -c "^$head  *[A-Za-z]" "$out")" = 1 ] || { echo "$id: $head" && show; }
		done
		[ "$(awk '{ if (length > n) n = length } END { print n }' "$out")" -le 100 ]
		# a title says what it is, and has no full stop; all else are sentences
		not grep -q '^[a-z0-9-]*: .*\.$' "$out"
		json_of "$id"
	done
}

json_of() { # ID
	toll explain --json "$1"
	ended 0
	silent
	json 'd["schema"] == 1 and d["kind"] == "explain" and len(d["findings"]) == 1'
	json "d['findings'][0]['id'] == '$1' and d['findings'][0]['severity'] in ('note', 'costs', 'failed')"
	json 'all(d["findings"][0][k].endswith(".") for k in ("what", "told", "todo", "false_alarm"))'
	json 'd["findings"][0].keys() == {"id", "title", "what", "told", "todo", "false_alarm", "severity"}'
}

@test "--json: all findings, with what the text says" {
	toll explain --json
	ended 0
	silent
	"$PYTHON" -I -S -c 'import json; print("\n".join(f["id"] for f in json.load(open("out"))["findings"]))' >names
	sources | cmp - names
	json 'all(f["what"] and f["title"] for f in d["findings"]) and len({f["what"] for f in d["findings"]}) == len(d["findings"])'
	cp "$out" all
	toll explain --format json
	cmp "$out" all
	toll explain swap-in
	tr -s ' \n' ' ' <"$out" >line
	"$PYTHON" -I -S -c '
import json
line = open("line").read()
f = [f for f in json.load(open("all"))["findings"] if f["id"] == "swap-in"][0]
for key in ("title", "what", "told", "todo", "false_alarm"):
	assert f[key] in line, key'
}

@test "underscores and capital letters are taken" {
	toll explain first-touch
	cp "$out" all
	for name in first_touch FIRST-TOUCH First_Touch; do
		toll explain $name
		ended 0
		cmp "$out" all
	done
	toll explain -- first-touch
	cmp "$out" all
}

@test "several names: each once, in the order given" {
	toll explain swap-in cold-file swap_in
	ended 0
	silent
	[ "$(grep -oE '^[a-z-]+: ' "$out" | tr -d '\n')" = 'swap-in: cold-file: ' ]
	toll explain --json swap-in cold-file SWAP-IN
	json '[f["id"] for f in d["findings"]] == ["swap-in", "cold-file"]'
	# shellcheck disable=SC2046
	toll explain --json $(sources) $(sources)
	json "[f['id'] for f in d['findings']] == '$(sources | tr '\n' ' ')'.split()"
}

@test "an unknown name gets a suggestion, and where the names are; nothing is explained" {
	toll explain frist-touch
	refuses 2 "no finding 'frist-touch'; did you mean 'first-touch'\? 'pagetoll explain' names them"
	toll explain Allocator_Chrun
	refuses 2 "no finding 'Allocator_Chrun'; did you mean 'allocator-churn'\?"
	toll explain swap-in qqqqqqqqqq
	refuses 2 "no finding 'qqqqqqqqqq'; 'pagetoll explain' names them"
	toll explain --json swap-in qqqqqqqqqq
	refuses 2 "no finding 'qqqqqqqqqq'"
	toll explain ''
	refuses 2 "no finding ''; 'pagetoll explain' names them"
	toll explain "first-touch$(printf '%*s' 5000 '' | tr ' ' x)"
	refuses 2 "no finding 'first-touchx"
	toll explain 'first touch'
	refuses 2 "did you mean 'first-touch'\?"
	toll explain --csv
	refuses 2 "unknown option '--csv'"
}

@test "a name cannot steer the terminal" {
	toll explain $'fir\e[31m\nst-touch\xff'
	refuses 2 'no finding'
	harmless "$err"
}

@test "a full disk and a closed pipe are no success" {
	[ -c /dev/full ] || skip 'needs /dev/full: it is not there; mount devtmpfs'
	for args in '' first-touch --json; do
		status=0
		# shellcheck disable=SC2086
		"$PAGETOLL" explain $args >/dev/full 2>"$err" || status=$?
		: >"$out"
		refuses 5 'cannot write to standard output: No space left'
		# the reader has gone, and knows it
		for ended in 141:default 5:ignore; do
			# shellcheck disable=SC2086
			{ sleep 0.1 && env "--${ended#*:}-signal=PIPE" "$PAGETOLL" explain $args 2>"$err" || echo $? >ended; } | true
			[ "$(cat ended)" = "${ended%:*}" ]
			silent
		done
	done
}

# Runs pagetoll on a terminal of COLUMNS; leaves $status, raw and screen.
on_terminal() { # COLUMNS ARGS...
	"$PYTHON" -c 'import os; os.openpty()' 2>/dev/null ||
		skip "needs a pseudo-terminal: /dev/pts offers none; mount devpts"
	local size=$1x2000
	shift
	status=0
	timeout -k 5 60 "$PYTHON" "$HERE/terminal.py" "$size" "$PAGETOLL" "$@" 3>&- || status=$?
	touch "$out" "$err"
}

@test "a terminal of 40 columns: no line is wider, and none is cut but titles" {
	export TERM=xterm
	for columns in 40 60; do
		# shellcheck disable=SC2046
		on_terminal $columns explain $(sources)
		ended 0
		grep -q '^wraps: *0$' facts || grep -q "'wraps': 0" facts
		[ "$(awk '{ if (length > n) n = length } END { print n }' screen)" -le $columns ]
		toll explain --json
		"$PYTHON" -I -S -c '
import json, re
screen = re.sub(r"\s+", " ", open("screen").read())
for f in json.load(open("out"))["findings"]:
	for key in ("id", "title", "what", "told", "todo", "false_alarm"):
		assert f[key] in screen, (f["id"], key)'
		on_terminal $columns explain
		ended 0
		grep -q "'wraps': 0" facts
		[ "$(awk '{ if (length > n) n = length } END { print n }' screen)" -le $columns ]
		sed -n '2,/^$/p' screen | awk 'NF { print $1 }' >names
		sources | cmp - names
	done
}

@test "colours on a terminal alone, and as --color and NO_COLOR say" {
	export TERM=xterm
	on_terminal 100 explain cold-file
	LC_ALL=C grep -q $'\e\\[33mcold-file\e\\[0m: ' raw
	toll explain cold-file
	harmless "$out"
	cp "$out" plain
	toll explain --color always cold-file
	LC_ALL=C grep -q $'^\e\\[33mcold-file\e\\[0m: ' "$out"
	sed 's/\x1b\[[0-9;]*m//g' "$out" | cmp - plain
	on_terminal 100 explain --color never cold-file
	not grep -q $'\e' raw
	export NO_COLOR=1
	on_terminal 100 explain cold-file
	not grep -q $'\e' raw
}

@test "what traces find can be looked up, and the manual and the completion have all names" {
	toll manual findings
	ended 0
	sed -n 's/^# \([a-z0-9-]*\)$/\1/p' "$out" >names
	sources | cmp - names
	toll manual completion
	grep -oE '^	explain\) names=".*"' "$out" >line
	for id in $(sources); do grep -q " ${id}[ \"]" line; done
	for doc in "$HERE"/../golden/docs/schema1-trace_*.json; do
		toll show --json "$doc"
		"$PYTHON" -I -S -c 'import json; print(*(f["id"] for f in json.load(open("out"))["findings"]))' >found
		[ -s found ]
		# shellcheck disable=SC2046
		toll explain $(cat found)
		ended 0
	done
}
