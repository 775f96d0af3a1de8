#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Saved runs again, and files that are none.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

@test "show prints what bench printed, in every format" {
	for form in text csv json html; do
		small five_configs --format $form
		ended 0
		cp "$out" first
		toll show --format $form
		ended 0
		silent
		cmp first "$out"
	done
}

@test "@last and @prev are the last run and the one before" {
	small anon_write
	small anon_refault
	toll show @last --json
	json 's[0]["name"] == "anon_refault"'
	toll show --json
	json 's[0]["name"] == "anon_refault"'
	toll show @prev --json
	json 's[0]["name"] == "anon_write"'
}

@test "@last without a run, @prev with one, and words that mean nothing" {
	toll show
	refuses 2 "show: no run yet in .*runs; 'pagetoll bench' makes one"
	small anon_write
	toll show @prev
	refuses 2 'show: only one run yet in '
	toll show @first
	refuses 2 "'@first': there are @last and @prev"
	toll show ''
	refuses 2 "show: no document ''"
}

@test "a run by its name, with and without .json, and by its path" {
	small anon_write
	path=$(saved)
	name=${path##*/}
	for which in "$name" "${name%.json}" "$path" "runs/$name"; do
		toll show "$which" --json
		ended 0
		json 's[0]["name"] == "anon_write"'
	done
}

@test "a document from standard input" {
	small anon_write --json
	cp "$out" document
	n_csv=$("$PAGETOLL" show - --format csv <document | wc -l)
	[ "$n_csv" = 2 ]
	status=0
	"$PAGETOLL" show - </dev/null >"$out" 2>"$err" || status=$?
	refuses 5 'standard input: is empty'
	status=0
	"$PAGETOLL" show - <&- >"$out" 2>"$err" || status=$?
	refuses 5 'standard input: '
}

@test "what is not there" {
	toll show nowhere
	refuses 2 "show: no document 'nowhere', neither as a file nor in "
	toll show ./no/where.json
	refuses 2 'show: no document '
}

@test "one document at a time" {
	small anon_write
	toll show @last @last
	refuses 2 'show: one document at a time, not 2'
}

@test "a directory, and what cannot be read" {
	toll show .
	complains "$status" 'is a directory; name one document in it'
	[[ $status == 2 || $status == 5 ]] || show
	be_nobody
	echo '{}' >locked
	chmod 000 locked
	toll show locked
	refuses 5 'locked: Permission denied'
}

@test "files that are no documents: one sentence, status 5" {
	small anon_write --json
	cp "$out" good
	: >empty
	head -c 3000 /dev/urandom >garbage
	head -c 3000 /dev/zero >zeroes
	head -c 800 good >cut_early
	head -c -3 good >cut_late
	printf '[]' >array
	printf '{}' >object
	printf 'null' >null
	printf '"text"' >text
	printf '{"schema": 1, "kind": "trace"}' >trace
	printf '{"schema": 1}' >headless
	printf '{"schema": -1, "kind": "bench"}' >negative
	printf '{"schema": 1, "kind": "bench", "schema": 1}' >double
	printf '[%.0s' {1..100000} >deep
	for file in empty garbage zeroes cut_early cut_late array object null text trace headless negative double deep; do
		toll show $file
		refuses 5 "show: $file: "
		harmless "$err"
	done
	toll show /dev/null
	refuses 5 'is empty'
}

@test "a document of a newer schema asks for a newer pagetoll" {
	small anon_write --json
	sed 's/"schema": 1/"schema": 999/' "$out" >newer
	toll show newer
	refuses 5 'newer: is of schema 999, this pagetoll reads up to 1; use a newer pagetoll'
}

@test "a document with values that no run makes is refused or shown, never a crash" {
	small five_configs --json
	cp "$out" good
	for edit in 's/"n_pages": [0-9]+/"n_pages": 0/' 's/"n_pages": [0-9]+/"n_pages": 18446744073709551615/' \
		's/"elapsed_ns": [0-9]+/"elapsed_ns": 0/' 's/"elapsed_ns": [0-9]+/"elapsed_ns": -1/' \
		's/"elapsed_ns": [0-9]+/"elapsed_ns": 1e300/' 's/"minor": [0-9]+/"minor": 9223372036854775807/' \
		's/"trial": [0-9]+/"trial": 4294967295/' 's/"trial": [0-9]+/"trial": 99999/' \
		's/"rounds": \[/"rounds": [null, /' 's/"scenarios": \[/"scenarios": [[], /' \
		's/"name": "[a-z_]*"/"name": null/' 's/"name": "[a-z_]*"/"name": ""/' \
		's/"status": "done"/"status": "gone"/' 's/"machine": \{/"machine": {"x": [], /' \
		's/"trap_user": [0-9]+/"trap_user": -9/' 's/"marks": \[\]/"marks": [1, {}]/' \
		's/\[1, 1.01\]/[1]/' 's/\[1, 1.01\]/["a", "b"]/' 's/\[1, 1.01\]/[1e308, -1e308]/'; do
		sed -E "$edit" good >edited
		not cmp -s good edited || { echo "does not match: $edit" && false; }
		for form in text csv json html; do
			toll show edited --format $form
			[[ $status == 0 || $status == 5 ]] || { echo "$edit" && show; }
			[ "$status" = 0 ] || [ "$(wc -l <"$err")" = 1 ]
		done
	done
}

@test "texts in a document cannot steer the terminal, nor run in a spreadsheet or a browser" {
	small five_configs --json
	"$PYTHON" -I -S -c '
import json
d = json.load(open("out"))
evil = "=1+1\x1b[31m\x07\r\n\t,\"\u202e\u009b<script>x</script>]]>--><!--&\" onload=\"x" + 10000 * "W"
def spoil(value):
	if isinstance(value, dict):
		return {k: v if k in ("kind", "status", "verdict", "id") else spoil(v) for k, v in value.items()}
	if isinstance(value, list):
		return [spoil(v) for v in value]
	return evil if isinstance(value, str) else value
json.dump(spoil(d), open("evil", "w"))'
	for form in text csv json html; do
		toll show evil --format $form
		ended 0
		harmless "$out"
		not grep -q $'\u202e' "$out"
		[ $form != csv ] || not grep -qE '(^|,)"?=' "$out"
		[ $form != html ] || not grep -qE '<script|<!--|]]>|" onload="' "$out"
	done
	toll show evil -v
	harmless "$out"
}

@test "show -o and --color as bench has them" {
	small five_configs -q
	toll show -o report
	ended 0
	grep -q '^anon_cold ' report
	toll show --color always
	grep -q $'\e\[' "$out"
	toll show -o /dev/full
	refuses 5 '-o /dev/full: No space left on device'
}

@test "files in the runs directory that are no documents do not become the last run" {
	small anon_write --json
	touch runs/zzz.txt runs/.zzz.json runs/zzz.json.tmp
	mkdir runs/zzz.d
	toll show --json
	ended 0
	json 's[0]["name"] == "anon_write"'
}

@test "a runs directory that cannot be read is no empty one" {
	be_nobody
	mkdir locked
	chmod 000 locked
	export PAGETOLL_RUNS=$dir/locked
	toll show
	refuses 5 'locked.*: Permission denied'
}

@test "a document larger than any is refused before it fills memory" {
	printf '{"schema": 1, "kind": "bench", "x": "' >large
	truncate -s 300M large
	toll show large
	refuses 5 'show: large: '
}

@test "a page for a browser is one file that fetches nothing, its style the one its policy names" {
	small five_configs --format html -o page.html
	ended 0
	[ "$(head -n 1 page.html)" = '<!DOCTYPE html>' ]
	[ "$(tail -n 1 page.html)" = '</html>' ]
	not grep -qE '<(script|img|link|iframe|object|form|a) |https?://|@import|style=' page.html
	"$PYTHON" -I -S -c '
import base64, hashlib, re
page = open("page.html", encoding="utf-8").read()
style = page[page.index("<style>") + 7:page.index("</style>")]
named = re.search("style-src .sha256-([^\x27]*)", page).group(1)
assert named == base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(), named'
}

@test "a page of 500 rows" {
	small anon_write --json
	"$PYTHON" -I -S -c '
import json
d = json.load(open("out"))
d["scenarios"] = [dict(d["scenarios"][0], name="row_%d" % i) for i in range(500)]
json.dump(d, open("many", "w"))'
	needs prlimit util-linux
	prefix=(prlimit --data=100000000 "${prefix[@]}")
	toll show many --format html
	ended 0
	[ "$(grep -c '<tr><th scope="row" title' "$out")" = 500 ]
	[ "$(grep -c '>row_499</text>' "$out")" = 2 ]
}

@test "the document that is read is never the file that is written" {
	small anon_write --json
	cp "$out" x.json
	cp x.json kept
	ln -s x.json link.json
	ln x.json hard.json
	last=$(saved)
	cp "$last" kept.last
	for name in x.json ./x.json link.json hard.json "$dir/x.json"; do
		toll show x.json -o "$name" --format html
		refuses 2 "-o .*: is the document that is read, and would be lost; name another file"
		toll show "$name" -o x.json
		refuses 2 'is the document that is read'
		toll stat -p x.json -o "$name" touch begun
		refuses 2 'is the document that is read'
	done
	for name in @last "$(basename "$last" .json)"; do
		toll show "$name" -o "$last"
		refuses 2 'is the document that is read'
		toll stat -p "$name" -o "$last" touch begun
		refuses 2 'is the document that is read'
	done
	status=0
	# shellcheck disable=SC2094 # that it would be written is the point
	"$PAGETOLL" show - -o x.json <x.json >"$out" 2>"$err" || status=$?
	refuses 2 'is the document that is read'
	[ ! -e begun ]
	cmp x.json kept
	cmp "$last" kept.last
	cp x.json other.json
	toll show x.json -o other.json
	ended 0
	toll show x.json -o /dev/null
	ended 0
}

@test "a fault bill as text, csv and call chains; its tables as many rows as asked for, sorted as asked for" {
	bill=$HERE/../golden/docs/schema1-trace_load_table.json
	toll show "$bill" --format folded
	ended 0
	grep -qx 'loader;main;load_table;__memset_avx2_unaligned_erms;\[anon-write \[anon\]\] [0-9]*' "$out"
	toll show "$bill" --format csv
	ended 0
	[ "$(wc -l <"$out")" = 7 ]
	toll show "$bill" --top 1 --sort count
	ended 0
	grep -q '^and 5 more sites: ' "$out"
	toll show "$bill" --top 0
	refuses 2 '--top'
	toll show "$bill" --sort size
	refuses 2 'It takes one of time, count, worst, mean'
}

@test "forms that a document has not are refused, and say which it has" {
	bill=$HERE/../golden/docs/schema1-trace_load_table.json
	small anon_write
	toll show --format folded
	refuses 2 "--format folded: has no form for prices; there are csv, html, json, text"
	toll show --top 3
	refuses 2 'show: --top: the document has no fault bill'
	toll show --sort worst
	refuses 2 'show: --sort: the document has no fault bill'
	toll show "$bill" --format html
	refuses 2 '--format html: has no form for a fault bill; there are csv, folded, json, text'
	toll show "$HERE/../golden/docs/schema1-compare.json" --format folded
	refuses 2 '--format folded: has no form for a comparison; there are csv, html, json, text'
}
