#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Two sides compared, a history, and a baseline: from outside.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

# variant FILE FACTOR MINUTE [KERNEL]: a run of a machine that does not exist, at FACTOR times its prices.
variant() {
	"$PYTHON" -I -S -c '
import json, sys

path, factor, minute, kernel = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]

def row(name, ns):
	rounds = [{"trial": t, "round": r, "block": t, "minor": 1000, "trap_user": 1000, "trap_kernel": 0,
		   "counted_minor": 1000, "elapsed_ns": int(1000 * ns * factor * (1 + 0.001 * t))}
		  for t in range(7) for r in range(3)]
	ledger = {"minor_per_page": [1, 1], "major_per_page": [0, 0], "trap_per_page": [1, 1]}
	return {"name": name, "status": "done", "ledger": ledger, "rounds": rounds,
		"params": {"n_pages": 1000, "page_bytes": 8192, "threads": 1, "access": "write"}}

document = {"schema": 1, "kind": "bench", "tool": {"name": "pagetoll", "version": "0.1.0"},
	    "started": "2026-02-03T04:%02d:00Z" % minute,
	    "machine": {"cpu": "made up", "kernel": kernel, "boot_id": "one", "page_bytes": 8192},
	    "scenarios": [row("anon_write", 2000), row("anon_refault", 1000)]}
with open(path, "w") as file:
	json.dump(document, file)
' "$1" "$2" "$3" "${4-6.1}"
}

# side DIRECTORY FACTOR MINUTE [KERNEL]: three runs that nearly agree, each other minute.
side() {
	mkdir -p "$1"
	variant "$1/1.json" "$2" "$3" "${4-6.1}"
	variant "$1/2.json" "$(bc -l <<<"$2 * 1.002")" $(($3 + 2)) "${4-6.1}"
	variant "$1/3.json" "$(bc -l <<<"$2 * 0.998")" $(($3 + 4)) "${4-6.1}"
}

@test "two runs of one thing are compared, and nothing is claimed" {
	small anon_write
	small anon_write
	toll compare @prev @last
	ended 0
	silent
	prints '^anon_write .* ns/page .*cannot tell$'
	tells 'how runs spread is not known'
	toll compare @prev @last --json
	json 'd["kind"] == "compare" and d["rows"][0]["ci"] is None and d["rows"][0]["ratio"] > 0'
	json 'd["a"]["documents"] == 1 and d["differs"] == []'
}

@test "three runs saved before make one against one possible" {
	side runs 1 0
	variant a.json 1 20
	variant b.json 1.2 21
	toll compare a.json b.json --json
	ended 0
	json 'all(r["verdict"] == "slower" and r["n_known"] == 3 for r in d["rows"])'
	rm runs/3.json
	toll compare a.json b.json --json
	json 'all(r["verdict"] == "cannot tell" and r["ci"] is None for r in d["rows"])'
}

@test "runs that are compared do not count among the earlier ones, nor those of another kernel" {
	side runs 1 0
	toll compare @prev @last --json
	json 'all(r["verdict"] == "cannot tell" and "n_known" not in r for r in d["rows"])'
	cp runs/3.json copy.json
	toll compare copy.json @last --json
	json 'all("n_known" not in r for r in d["rows"])'
	variant a.json 1 20 6.2
	variant b.json 1.2 21 6.2
	toll compare a.json b.json --json
	json 'all("n_known" not in r for r in d["rows"])'
}

@test "three a side: each verdict, each way" {
	side a 1 0
	side slow 1.1 1
	side fast 0.9 1
	side same 1 1
	toll compare a/ slow/
	ended 0
	silent
	prints '^anon_write +2006 +2207 +ns/page +1\.100 \[1\.0[0-9]+, 1\.1[0-9]+\] .*slower$'
	tells '3 documents a side; smallest change detectable [0-9.]+ %'
	toll compare a fast
	prints '^anon_refault .*faster$'
	toll compare a same
	prints '^anon_write .*no change$'
	toll compare a same -q
	[ "$(wc -l <"$out")" = 3 ]
	toll compare a slow -s 'anon_r*'
	prints '^anon_refault '
	prints_not '^anon_write '
	toll compare a slow -s nothing
	refuses 2 "compare: no row is called 'nothing'"
}

@test "--fail-if-slower and --bisect end as they say" {
	side a 1 0
	side slow 1.1 1
	side same 1 1
	variant one.json 1 9
	toll compare a slow
	ended 0
	toll compare a slow --fail-if-slower 5%
	ended 1
	toll compare a slow --fail-if-slower 20%
	ended 0
	toll compare slow a --fail-if-slower 0%
	ended 0
	toll compare a slow --bisect
	ended 1
	toll compare a same --bisect
	ended 0
	toll compare slow a --bisect
	ended 0
	variant two.json 1 8
	toll compare two.json one.json --bisect
	ended 125
	toll compare two.json one.json --fail-if-slower 5%
	ended 0
	toll compare a slow --bisect --fail-if-slower 20%
	ended 0
	toll compare a slow --bisect --fail-if-slower 5%
	ended 1
	toll compare a missing --bisect
	refuses 125 "no document 'missing'"
}

@test "--bisect does not call a failed write a bad commit" {
	side a 1 0
	status=0
	"$PAGETOLL" compare a a --bisect >/dev/full 2>"$err" || status=$?
	ended 125
	grep -q 'No space left' "$err"
}

@test "a kernel is a heading, another size a reason" {
	side a 1 0 6.1
	side b 1.1 1 6.2
	toll compare a b
	ended 0
	prints '^kernel differs: 6.1 -> 6.2$'
	sed -i 's/"n_pages": 1000, "page_bytes": 8192/"n_pages": 1000, "page_bytes": 16384/g' b/*.json
	toll compare a b
	refuses 2 'no row can be compared: anon_write: page size: 8 KiB against 16 KiB; and more'
}

@test "files in a directory that are no bench documents are said, and the rest is compared" {
	side a 1 0
	side b 1.1 1
	head -c 500 b/1.json >b/cut.json
	sed 's/"schema": 1/"schema": 9/' b/1.json >b/newer.json
	: >b/empty.json
	printf '{"schema": 1, "kind": "trace"}' >b/stat.json
	mkdir b/folder.json
	mkfifo b/fifo.json
	echo text >b/notes.txt
	toll compare a b
	ended 0
	silent
	tells 'warning 5 files of B left out: b/cut\.json: is no JSON, or cut off: .*; and more'
	tells 'warning 1 document of B left out: not of a bench'
	prints '^anon_write .*slower$'
}

@test "a single document that is broken is an error that names it" {
	side a 1 0
	head -c 500 a/1.json >cut.json
	toll compare a cut.json
	refuses 5 'compare: cut\.json: is no JSON, or cut off'
	sed 's/"schema": 1/"schema": 9/' a/1.json >newer.json
	toll compare newer.json a
	refuses 5 'newer\.json: is of schema 9, this pagetoll reads up to 1; use a newer pagetoll'
	printf '{"schema": 1, "kind": "trace"}' >stat.json
	toll compare a stat.json
	refuses 5 "stat\.json: is a document of kind 'trace', not 'bench'"
	mkdir bad
	cp cut.json bad/
	toll compare a bad
	refuses 5 'bad holds no bench document that can be read: bad/cut\.json'
	mkdir nothing
	toll compare a nothing
	refuses 2 "no document of 'pagetoll bench' in nothing"
	toll compare a missing
	refuses 2 "no document 'missing'"
}

@test "hostile documents are refused, or harmless" {
	variant good.json 1 0
	for word in 1e308 -1 NaN '"text"' 9223372036854775807 '[]' '{}'; do
		sed "s/\"elapsed_ns\": [0-9]*/\"elapsed_ns\": $word/" good.json >bad.json
		toll compare good.json bad.json
		refuses 5 'bad\.json: '
	done
	"$PYTHON" -c 'print("[" * 100000)' >bad.json
	toll compare good.json bad.json
	refuses 5 'bad\.json: '
	"$PYTHON" -c 'print("{\"schema\":1,\"kind\":\"bench\",\"scenarios\":[" + "{}," * 100000 + "{}]}")' >bad.json
	toll compare good.json bad.json
	refuses 5 'bad\.json: '
	sed 's/"anon_write"/"anon\\u001b[31m\\u202ewrite"/; s/"6.1"/"\\u001b]0;x\\u0007"/' good.json >bad.json
	toll compare bad.json bad.json
	ended 0
	harmless "$out"
	toll compare good.json bad.json --format csv
	ended 0
	harmless "$out"
	toll compare "$(printf 'a\033[31m')" good.json
	complains 2 'no document'
	harmless "$err"
}

@test "names that look like markup or formulas are text in every format" {
	variant good.json 1 0
	"$PYTHON" -c 'print(open("good.json").read().replace("anon_write", "=<script>\\\"&,"))' >odd.json
	toll compare odd.json odd.json --format html
	ended 0
	not grep -q '<script>' "$out"
	prints '=&lt;script&gt;'
	toll compare odd.json odd.json --format csv
	grep -qF "\"'=<script>\"\"&,\"" "$out"
	toll compare odd.json odd.json --json
	json 'd["rows"][0]["scenario"] == "=<script>\"&,"'
}

@test "a compare document is shown again in every format, and a broken one is an error" {
	side a 1 0
	side b 1.1 1
	toll compare a b --json -o compare.json
	ended 0
	toll compare a b
	cp "$out" first
	toll show compare.json
	ended 0
	cmp first "$out"
	for form in json csv html; do
		toll show compare.json --format $form
		ended 0
		silent
	done
	sed 's/"ci": \[[^]]*\]/"ci": [5, 6]/' compare.json >bad.json
	toll show bad.json
	refuses 5 'bad\.json: anon_write: the interval does not hold its ratio'
	for word in 1e308 -5 '"x"' null; do
		sed "s/\"detectable\": [0-9.e-]*/\"detectable\": $word/; s/\"n_a\": 3/\"n_a\": 1/" compare.json >bad.json
		toll show bad.json
		[[ $status == 0 || $status == 5 ]]
		harmless "$out"
	done
	head -c 900 compare.json >cut.json
	toll show cut.json
	refuses 5 'cut\.json: is no JSON, or cut off'
	toll compare compare.json a
	refuses 5 "is a document of kind 'compare', not 'bench'"
}

@test "a verdict that a document claims is not believed" {
	side a 1 0
	side b 1.1 1
	toll compare a b --json -o compare.json
	sed -i 's/"verdict": "slower"/"verdict": "faster"/' compare.json
	toll show compare.json --json
	json 'all(r["verdict"] == "slower" for r in d["rows"])'
}

@test "one directory is a history, no name the runs directory" {
	toll compare
	refuses 2 "compare: no run yet in .*runs; 'pagetoll bench' makes one"
	side runs 1 0
	variant runs/4.json 1.3 30
	variant runs/5.json 1.3 40 6.2
	export LC_ALL=C
	toll compare
	ended 0
	silent
	prints '^kernel changed: 6.1, 6.2$'
	prints '^anon_write +7\.8 MiB +5 +[0-9]+ +[0-9]+ +2608 +2608 +_+@@ '
	toll compare runs --json -s anon_write
	json 'd["of_history"] and len(d["rows"]) == 1'
	json 'd["rows"][0]["history"]["runs"] == 5 and d["rows"][0]["n_a"] == 4'
	json 'len(d["rows"][0]["history"]["prices"]) == 5'
	rm runs/5.json
	toll compare runs --fail-if-slower 10%
	ended 1
	prints '^anon_write .*slower$'
	toll compare runs --bisect
	ended 1
}

@test "the chart of a history is ASCII unless the locale is UTF-8" {
	side runs 1 0
	LC_ALL=C toll compare
	not grep -qP '[^\x00-\x7f]' "$out"
	LC_ALL=C.UTF-8 toll compare
	grep -q "$(printf '\342\226\210')" "$out"
}

@test "wrong usage is told before anything is read" {
	variant one.json 1 0
	toll compare one.json
	refuses 2 "'one\.json' is one document: name another"
	toll compare one.json one.json one.json
	refuses 2 'two sides, A and B, not 3'
	toll compare - -
	refuses 2 'standard input can be one side only'
	toll compare one.json one.json -o one.json
	refuses 2 '-o one\.json: is the document that is read'
	toll compare one.json one.json --fail-if-slower much
	refuses 2 "'much' is not a share"
	toll compare one.json one.json --bisect=yes
	refuses 2 '--bisect takes no value'
}

@test "standard input is one side, and a reader that goes away is no crash" {
	variant one.json 1 0
	variant two.json 1.1 1
	status=0
	"$PAGETOLL" compare one.json - --json <two.json >"$out" 2>"$err" || status=$?
	ended 0
	json 'd["b"]["name"] == "-" and abs(d["rows"][0]["ratio"] - 1.1) < 0.01'
	echo 0 >ended
	(trap '' PIPE && "$PAGETOLL" compare one.json two.json 2>"$err" || echo $? >ended) | true
	[[ $(cat ended) == 0 || $(cat ended) == 5 ]]
	silent
}

@test "the same run twice counts once" {
	side a 1 0
	side b 1.1 1
	cp b/1.json b/copy.json
	toll compare a b --json
	json 'd["b"]["documents"] == 3 and d["warnings"][0]["id"] == "twice"'
}

@test "all of A before B is said" {
	side a 1 0
	side b 1.1 30
	toll compare a b
	tells 'warning all of A was measured before B, so what drifts'
	toll compare b a
	tells 'warning all of B was measured before A, so what drifts'
}

@test "a baseline is read before anything is measured, and its changes are kept" {
	toll bench anon_write --baseline missing
	refuses 2 "bench: --baseline: no document 'missing'"
	variant other.json 1 0
	sed -i 's/anon_write/anon_thp/; s/anon_refault/anon_thp_ragged/' other.json
	small anon_write --baseline other.json
	refuses 2 'holds no row of those that are to be measured'
	[ ! -e runs ]
	head -c 500 other.json >cut.json
	toll bench anon_write --baseline cut.json
	refuses 5 'cut\.json: is no JSON, or cut off'
	small anon_write
	small anon_write --baseline @last
	ended 0
	silent
	prints ' CHANGE '
	tells 'CHANGE: this run \(B\) against @last \(A\)'
	cp "$out" first
	toll show @last
	cmp first "$out"
	toll show @last --json
	json 'd["baseline"]["name"] == "@last" and d["baseline"]["rows"][0]["scenario"] == "anon_write"'
	json 'd["baseline"]["rows"][0]["verdict"] == "cannot tell"'
	toll bench anon_write -s 2M -t 1 -r 1 --baseline @prev
	ended 0
	tells 'warning not compared with @prev: no row can be compared: anon_write: size'
}
