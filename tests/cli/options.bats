#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What options take, and where each is refused.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

@test "sizes that are none are refused in one sentence" {
	for size in -5 '' abc 1e3 inf nan 0x1000 ' 4M' '4M ' . 1,5M 4Q M 4MM; do
		toll bench anon_write -t 1 -r 1 -s "$size"
		refuses 2 "--size: '$size' is not a size; write "
	done
	[ ! -e "$PAGETOLL_RUNS" ]
}

@test "sizes below a page are refused" {
	toll bench anon_write -s 0
	refuses 2 '--size 0: must be '
	for size in 1 4095 0.5p; do
		toll bench anon_write -s "$size"
		refuses 2 '--size .*: less than one page'
	done
}

@test "sizes beyond any address space are refused" {
	for size in 99999999999999999999 4611686018427387904 4194304T; do
		toll bench anon_write -s "$size"
		refuses 2 "'$size' is larger than any address space"
	done
	toll bench anon_write -s "$(printf '9%.0s' {1..400})"
	refuses 2 'larger than any address space'
}

@test "sizes in all their spellings" {
	page=$(getconf PAGESIZE)
	for size in 1048576 1024k 1024KiB 1M 1m 1MB 1MiB '1 MiB' 0.5M $((1048576 / page))p; do
		toll bench anon_write -t 1 -r 1 --json -s "$size"
		ended 0
		[ "$size" = 0.5M ] ||
			json 's[0]["params"]["size_bytes"] == 1 << 20 == d["options"]["size_bytes"]'
	done
	json 's[0]["params"]["n_pages"] * s[0]["params"]["page_bytes"] == 1 << 20'
}

@test "a size that no memory holds is a reason, not a death" {
	for size in 1000T 1T; do
		toll bench anon_write file_warm -s "$size" --json
		complains 3 'nothing could run: anon_write: a size of .* does not fit: .* leaves '
		json 'all(x["status"] == "skipped" and "does not fit" in x["reason"] for x in s)'
		json 'all(x["rounds"] == [] and x["ns_per_page"] is None or x["ns_per_page"]["n"] == 0 for x in s)'
	done
}

@test "rounds from 1 to 1000" {
	toll bench anon_write -s 1M -r 0
	refuses 2 '--rounds 0: must be 1 at the least'
	toll bench anon_write -s 1M -r 1001
	refuses 2 '--rounds 1001: must be 1000 at the most'
	for n in -1 1.5 x '' ' 1' 99999999999999999999; do
		toll bench anon_write -s 1M -r "$n"
		refuses 2 '--rounds: '
	done
	toll bench anon_write -s 256k -t 1 -r 1000 --json
	ended 0
	json 'len(s[0]["rounds"]) == 1000'
}

@test "trials from 1 to 10000" {
	toll bench anon_write -s 1M -t 0
	refuses 2 '--trials 0: must be 1 at the least'
	toll bench anon_write -s 1M -t 10001
	refuses 2 '--trials 10001: must be 10000 at the most'
	toll bench anon_write -s 1M -t 7 -r 2 --json
	ended 0
	json 'len({r["trial"] for r in s[0]["rounds"]}) == 7 and s[0]["ns_per_page"]["n"] == 7'
}

@test "budgets that are none are refused" {
	for budget in 0 1ns 0.1ms; do
		toll bench anon_write -s 1M -b "$budget"
		refuses 2 "--budget $budget: must be "
	done
	for budget in -1 '' x 1d 5e3; do
		toll bench anon_write -s 1M -b "$budget"
		refuses 2 "--budget: '$budget' is not a duration; write "
	done
	toll bench anon_write -s 1M -b 9999999999h
	refuses 2 'longer than a century'
}

@test "bare durations are seconds" {
	for budget in 2 2s 2000ms; do
		toll bench anon_write -s 1M -t 1 -r 1 -b "$budget" --json
		json 'd["options"]["budget_ns"] == 2_000_000_000'
	done
}

@test "a budget of nothing ends at once, with the reason in each row" {
	toll bench anon_write anon_refault anon_read_zero -s 8M -b 1ms --json
	[ "$status" = 0 ] || complains 3 'nothing could run: .*: the budget of 1 ms ended before its first round'
	json 'all("--budget" in x["reason"] for x in s if x["status"] == "skipped")'
	json 'sum(x["status"] == "skipped" for x in s) >= 2'
	json 'not d["interrupted"]'
}

@test "a short budget ends the run, and what was done is reported as such" {
	status=0
	timeout 20 "$PAGETOLL" bench -s 8M -t 100 -b 1s --json >"$out" 2>"$err" || status=$?
	ended 0
	silent
	json 'any(x["rounds"] for x in s) and all(len(x["rounds"]) < 500 for x in s)'
	json 'all(r["started_ns"] <= d["options"]["budget_ns"] + 1e9 for x in s for r in x["rounds"])'
	json 'any(w["id"] == "budget" and "budget of 1 s allowed" in w["text"] for w in d["warnings"])'
}

@test "a budget too short for all rows still has the right status" {
	toll bench five_configs -s 4M -t 50 -b 100ms
	[[ $status == 0 || $status == 3 ]] || show
}

@test "precisions from a ten-thousandth to 100 %" {
	toll bench anon_write -p 0
	refuses 2 '--precision 0: must be '
	toll bench anon_write -p 0.00001
	refuses 2 '--precision 0.00001: must be '
	for share in 200% 1.5 101%; do
		toll bench anon_write -p "$share"
		refuses 2 "'$share' is more than 100 %"
	done
	for share in -1% x '' 1%% %; do
		toll bench anon_write -p "$share"
		refuses 2 "'$share' is not a share; write "
	done
}

@test "--precision needs an interval that stopping does not spoil: ten trials" {
	toll bench anon_write -s 1M -r 1 -p 100% --json
	ended 0
	json 's[0]["ns_per_page"]["n"] >= 10 and d["options"]["precision"] == 1'
}

@test "a precision out of reach is reached for until the budget ends, and named" {
	toll bench anon_write -s 1M -r 1 -p 0.01% -b 1s --json
	ended 0
	json 's[0]["ns_per_page"]["n"] > 6'
	json 'any(w["id"] == "precision" and w["text"].startswith("anon_write: ") for w in d["warnings"])'
}

@test "a CPU that is not there is refused" {
	for cpu in 99999 4294967296 18446744073709551615; do
		small anon_write -c "$cpu"
		refuses 2 "--cpu $cpu: not among the CPUs allowed here, "
	done
	small anon_write -c -1
	refuses 2 "--cpu: '-1' is not a whole number"
}

@test "a CPU that taskset takes away is refused, another one is used" {
	needs taskset util-linux
	last=$(taskset -cp $$ | sed 's/.*[^0-9]//')
	first=$(taskset -cp $$ | sed -E 's/.*: ([0-9]+).*/\1/')
	[ "$first" != "$last" ] || skip "needs two CPUs: only CPU $first is allowed here"
	prefix=(taskset -c "$first")
	small anon_write -c "$last"
	refuses 2 "--cpu $last: not among the CPUs allowed here, $first\$"
	small anon_write --json
	ended 0
	json "d['options']['cpu'] == $first"
}

@test "the default CPU is the highest allowed" {
	needs taskset util-linux
	small anon_write --json
	json "d['options']['cpu'] == $(taskset -cp $$ | sed 's/.*[^0-9]//')"
}

@test "the same seed runs the same order, another one another" {
	order='[n for _, n in sorted((r["started_ns"], x["name"]) for x in s for r in x["rounds"])]'
	for i in 1 2 3; do
		toll bench 'anon_[wr]*' -s 256k -t 8 -r 1 --json --seed $((7 + i / 3))
		ended 0
		json 'd["options"]["seed"] in (7, 8)'
		"$PYTHON" -I -S -c "import json; s = json.load(open('out'))['scenarios']; print($order)" >"$i"
	done
	cmp 1 2
	not cmp -s 1 3
}

@test "blocks are interleaved: each has every scenario once" {
	toll bench 'anon_[wr]*' -s 256k -t 4 -r 2 --json
	json 'all({(r["block"], r["trial"]) for r in x["rounds"]} == {(i, i) for i in range(4)} for x in s)'
	json 'all(max(r["started_ns"] for x in s for r in x["rounds"] if r["block"] == b) < min(r["started_ns"] for x in s for r in x["rounds"] if r["block"] == b + 1) for b in range(3))'
}

@test "seeds up to what JSON keeps exact" {
	small anon_write --seed 9007199254740991 --json
	ended 0
	json 'd["options"]["seed"] == 2 ** 53 - 1'
	small anon_write --seed 9007199254740992
	refuses 2 '--seed 9007199254740992: must be '
	small anon_write --seed -1
	refuses 2 "--seed: '-1' is not a whole number"
}

@test "without a seed each run has its own, and says which" {
	small anon_write --json
	json 'd["options"]["seed"] > 0'
	cp "$out" one
	small anon_write --json
	not cmp -s <(grep '"seed"' one) <(grep '"seed"' "$out")
}

@test "unknown options get a suggestion" {
	toll bench --sise 1M
	refuses 2 "unknown option '--sise'; did you mean '--size'\?"
	toll bench --qqqqqq=1
	refuses 2 "unknown option '--qqqqqq'; --help lists them"
	toll bench -z
	refuses 2 "unknown option '-z'"
	toll show --size 1M
	refuses 2 "show: unknown option '--size'"
	toll bench $'--si\e[31mze' 1
	refuses 2 'unknown option'
	harmless "$err"
}

@test "options that lack a value, or must have none" {
	toll bench anon_write -s
	refuses 2 '--size needs a value: SIZE'
	toll bench anon_write --format
	refuses 2 '--format needs a value: FORMAT'
	toll bench anon_write --no-save=1
	refuses 2 '--no-save takes no value'
	toll bench anon_write --dir ''
	refuses 2 '--dir: is empty; it takes DIR'
}

@test "options stand before and behind names, short and long, joined and apart" {
	toll bench -s1M -t1 anon_write --rounds=1 --json -q
	ended 0
	json 's[0]["params"]["size_bytes"] == 1 << 20 and d["options"]["rounds"] == 1'
}

@test "of an option given twice the last one counts" {
	toll bench anon_write -s 64M -s 1M -t 9 -t 1 -r 1 --format csv --json
	ended 0
	json 's[0]["params"]["size_bytes"] == 1 << 20 and len(s[0]["rounds"]) == 1'
}

@test "unknown formats and colors get a suggestion" {
	small anon_write --format jsn
	refuses 2 "--format jsn: did you mean 'json'\?"
	small anon_write --format pdf
	refuses 2 '--format pdf: it takes one of text, json, csv, html'
	small anon_write --color sometimes
	refuses 2 '--color sometimes: it takes one of auto, always, never'
}

@test "another locale does not change what numbers mean" {
	export LC_ALL=de_DE.UTF-8
	small anon_write -b 1.5s --format csv
	ended 0
	[ "$(sed -n 2p "$out" | tr -cd , | wc -c)" = "$(sed -n 1p "$out" | tr -cd , | wc -c)" ]
}
