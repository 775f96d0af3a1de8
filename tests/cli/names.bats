#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Which rows a name, a suite or a glob becomes.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

@test "a scenario by its name is one row" {
	small anon_write --json
	ended 0
	json '[x["name"] for x in s] == ["anon_write"] and d["suite"] is None'
}

@test "a name given twice is run once" {
	small anon_write anon_write --json
	ended 0
	json 'len(s) == 1'
}

@test "a row of the suite by the article's name" {
	small anon_cold file_warm --json
	ended 0
	json '[x["name"] for x in s] == ["anon_write", "file_warm"] and d["suite"] is None'
	json 's[0]["article"] == "anon_cold" and s[0]["published"]["ns_per_page"] > 0'
}

@test "every row of the suite can be named alone" {
	toll list --json
	"$PYTHON" -I -S -c '
import json
for suite in json.load(open("out"))["suites"]:
	for row in suite["rows"]:
		if row["article"] and row.get("size_bytes", 0) <= 1 << 20:
			print(row["article"], row["scenario"])' >rows
	[ "$(wc -l <rows)" -ge 15 ]
	while read -r article scenario; do
		small "$article" --json
		[[ $status == 0 || $status == 3 ]] || show # 3: a pool of huge pages is empty
		json "s[0]['name'] == '$scenario'"
	done <rows
}

@test "no name is the suite quick: every scenario there is" {
	toll list --json
	"$PYTHON" -I -S -c '
import json
print(*[s["name"] for s in json.load(open("out"))["scenarios"]])' >names
	toll bench -s 256k -t 1 -r 1 --json
	ended 0
	json 'd["suite"]["name"] == "quick" and [x["name"] for x in s] == open("names").read().split()'
	toll bench quick -s 256k -t 1 -r 1 --json
	ended 0
	json '[x["name"] for x in s] == open("names").read().split()'
}

@test "a row with a size of its own keeps it, and is left out above --size" {
	toll bench base_1M base_4M -t 1 -r 1 --json
	ended 0
	json '[x["params"]["size_bytes"] >> 20 for x in s] == [1, 4] and all(x["status"] == "done" for x in s)'
	toll bench base_1M base_4M -s 2M -t 1 -r 1 --json
	ended 0
	json 's[0]["status"] == "done" and s[0]["params"]["size_bytes"] == 1 << 20'
	json 's[1]["status"] == "skipped" and s[1]["reason"] == "its size is above --size 2 MiB"'
}

@test "a glob names scenarios" {
	small 'anon_[wr]*' --json --no-save
	ended 0
	json 'len(s) >= 2 and all(x["name"].startswith(("anon_w", "anon_r")) for x in s)'
}

@test "a glob names rows of suites, behind scenarios" {
	small 'base_*' --json
	ended 0
	json 'len(s) > 1 and all(x["name"] == "chase_base" and x.get("article", "").startswith("base_") for x in s)'
	small 'anon_[cr]*' --json
	ended 0
	json '[x["name"] for x in s] == ["anon_read_zero", "anon_refault", "anon_write"]'
	json '[x.get("article") for x in s] == [None, None, "anon_cold"]'
}

@test "a glob prices a scenario once, however many rows have it" {
	small 'anon_*' 'file_*' --json
	[[ $status == 0 || $status == 3 ]] || show
	json 'len({x["name"] for x in s}) == len(s) - sum(x.get("article") == "anon_cold" for x in s)'
}

@test "a glob that names nothing is refused" {
	small 'zzz*'
	refuses 2 "no scenario or suite 'zzz\*'; 'pagetoll list' names them"
}

@test "an unknown name gets a suggestion from scenarios and suites" {
	small anon_wirte
	refuses 2 "no scenario or suite 'anon_wirte'; did you mean 'anon_write'\?"
	small five_confgs
	refuses 2 "did you mean 'five_configs'\?"
	small file_wrm
	refuses 2 "did you mean 'file_warm'\?"
}

@test "no name is suggested that is none" {
	for name in '[' x Q ab '*[' - _; do
		toll bench -s 1M -t 1 -r 1 -- "$name"
		refuses 2 "no scenario or suite '.*'; 'pagetoll list' names them"
		grep -qv "''" "$err" || show
	done
}

@test "one wrong name among right ones runs nothing" {
	small anon_write nonsense
	refuses 2 "'nonsense'"
	[ ! -e "$PAGETOLL_RUNS" ]
}

@test "an empty name is refused" {
	small ''
	refuses 2 "no scenario or suite ''"
}

@test "the suite takes -s, -t and -r instead of its own" {
	toll bench five_configs -s 2M -t 2 -r 2 --json
	ended 0
	json 'd["suite"]["name"] == "five_configs" and len(s) == 5'
	json 'd["options"]["trials"] == 2 and d["options"]["rounds"] == 2'
	json 'all(x["params"]["size_bytes"] == 2 << 20 for x in s)'
	json 'all(len(x["rounds"]) == 4 for x in s)'
	json 'len(d["relations"]) == 11'
}

@test "the suite's report has the article's names and its eleven relations" {
	toll bench five_configs -s 2M -t 1 -r 1
	ended 0
	prints '^ARTICLE +SCENARIO'
	for row in anon_cold anon_refault anon_prefault file_warm file_cold; do prints "^$row +"; done
	[ "$(grep -cE '^(holds|differs|unknown) ' "$out")" = 11 ]
}

@test "a scenario beside the suite is one more row" {
	small five_configs anon_read_zero --json
	ended 0
	json 'len(s) == 6 and d["suite"]["name"] == "five_configs"'
}

@test "the floor is measured once, and is in the document of every run" {
	small anon_write --json
	json 'd["floor"]["name"] == "memset_mapped" and len(d["floor"]["rounds"]) == 1'
	small memset_mapped --json
	json 'len(s) == 1 and d["floor"]["rounds"] == s[0]["rounds"]'
}

@test "a fault on a huge page has a price, as every fault has" {
	toll doctor --json
	json '[n["met"] for n in d["needs"] if n["name"] == "thp"] == [True]' ||
		skip "needs transparent huge pages: pagetoll doctor says why there are none"
	toll bench anon_thp -s 4M -t 1 -r 1 --json
	ended 0
	json 's[0]["pages_per_fault"] == s[0]["params"]["huge_page_bytes"] / s[0]["params"]["page_bytes"]'
	json 's[0]["ns_per_fault"]["median"] > s[0]["ns_per_page"]["median"]'
}

@test "list names what bench takes" {
	toll list
	ended 0
	silent
	for name in anon_write file_cold memset_mapped five_configs; do prints "^$name "; done
	toll list --json
	json 'd["kind"] == "list" and all(x["runs"] or x["reason"] for x in s)'
}

@test "list and doctor take no names" {
	toll list anon_write
	refuses 2 'takes no names'
	toll doctor anon_write
	refuses 2 'takes no names'
}
