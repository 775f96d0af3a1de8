#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Two sides of one setting: pairs, verdicts, and what is refused before anything is begun.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154

load lib

needs_thp() {
	toll doctor --json
	json 'all(n["met"] for n in d["needs"] if n["name"] == "thp")' >/dev/null 2>&1 ||
		skip "needs transparent huge pages: pagetoll doctor says why there are none"
}

@test "an A/A run: as many trials on both sides, side by side in random order, and a row" {
	toll bench anon_write --ab same -s 1M -t 40 --json
	ended 0
	json 'd["ab"]["setting"] == "same" and [x["params"]["side"] for x in s] == ["a", "b"]'
	json '[len(x["rounds"]) for x in s] == [40, 40]'
	json 'all(a["trial"] == b["trial"] == a["block"] == b["block"] for a, b in zip(s[0]["rounds"], s[1]["rounds"]))'
	# both orders occur: 40 pairs in one order come up once in 2^39
	json '0 < sum(a["started_ns"] < b["started_ns"] for a, b in zip(s[0]["rounds"], s[1]["rounds"])) < 40'
	# nothing of another pair lies between the two of one
	json 'all(max(a["started_ns"], b["started_ns"]) < min(c["started_ns"], e["started_ns"]) for (a, b), (c, e) in zip(zip(s[0]["rounds"], s[1]["rounds"]), list(zip(s[0]["rounds"], s[1]["rounds"]))[1:]))'
	json 'len(d["ab"]["rows"]) == 1 and d["ab"]["rows"][0]["n_a"] == 40 and len(d["ab"]["rows"][0]["ci"]) == 2'
	json 'd["floor"] is None'
}

@test "without a number of trials it runs to the end of its budget, and says nothing of a shortfall" {
	toll bench anon_write --ab same -s 1M -b 1.5
	ended 0
	tells 'B/A: the middle of the ratios within [0-9]+ pairs of trials side by side, .* with its 99 % interval'
	prints_not 'budget'
}

@test "pages=base,thp: one fault a page on one side, one a huge page on the other, and faster" {
	needs_thp
	toll bench anon_write --ab pages=base,thp -s 4M -t 20 --json
	ended 0
	json '[x["params"]["pages"] for x in s] == ["base", "thp"]'
	json 'all(r["minor"] == s[0]["params"]["n_pages"] for r in s[0]["rounds"])'
	json 'all(r["minor"] == s[1]["params"]["size_bytes"] // s[1]["params"]["huge_page_bytes"] for r in s[1]["rounds"])'
	json 'd["ab"]["rows"][0]["verdict"] == "faster" and d["ab"]["rows"][0]["ratio"] < 0.8'
	toll show @last
	tells 'pages: base \(A\), thp \(B\)'
	tells 'anon_write [0-9.]+ [0-9.]+ ns/page 0\.[0-9]+ \[0\.[0-9]+, 0\.[0-9]+\] .* faster'
	toll show @last --format csv
	[[ $(cut -d, -f1 "$out" | grep -c anon_write) == 2 ]]
}

@test "pages of an empty pool: both sides are left out, each with the reason" {
	toll doctor --json
	json 'any(n["met"] for n in d["needs"] if n["name"] == "hugetlb")' >/dev/null 2>&1 &&
		skip "needs empty pools of huge pages: there are pages here"
	toll bench anon_write --ab pages=base,hugetlb -s 4M -t 9
	complains 3 'nothing could run'
	tells 'its other side, pages=hugetlb, cannot be run'
}

@test "what a setting cannot change is left out, the rest is run" {
	needs_thp
	toll bench anon_write anon_read_zero --ab pages=base,thp -s 4M -t 9 --json
	ended 0
	json '[x["status"] for x in s] == ["done", "done", "skipped", "skipped"]'
	json '"pages" in s[2]["reason"]'
	json '[r["verdict"] == "cannot tell" for r in d["ab"]["rows"]][1] and d["ab"]["rows"][1]["reason"]'
}

@test "--precision ends an A/A run before its budget" {
	toll bench anon_write --ab same -s 1M -p 50% -b 50
	ended 0
	toll show --json
	json '16 <= len(s[0]["rounds"]) == len(s[1]["rounds"]) <= 64'
}

@test "traps are counted in some trials, and the row still says a trap a page" {
	toll doctor --json
	json 'all(n["met"] for n in d["needs"] if n["name"].endswith("_traps"))' >/dev/null 2>&1 ||
		skip "needs perf events: pagetoll doctor says why not"
	toll bench anon_write --ab same -s 1M -t 20 --json
	ended 0
	json '[sum(r["trap"] is not None for r in x["rounds"]) for x in s] == [2, 2]'
	json 'all(0.99 < x["faults_per_page"]["trap"] < 1.02 for x in s)'
}

@test "settings that are none, and values that are none" {
	toll bench --ab pgaes=base,thp
	refuses 2 "no setting 'pgaes'; did you mean 'pages'"
	toll bench --ab pages=base
	refuses 2 'two values parted by a comma: base, thp, hugetlb or gigantic'
	toll bench --ab pages=base,thp,hugetlb
	refuses 2 'two values parted by a comma'
	toll bench --ab pages
	refuses 2 'two values'
	toll bench --ab pages=base,huge
	refuses 2 "there are no pages 'huge'"
	toll bench --ab same=1,2
	refuses 2 'same takes no values'
	toll bench --ab pages.x=base,thp
	refuses 2 'nothing stands behind a dot'
	toll bench --ab ''
	refuses 2 'is empty; it takes SETTING=A,B'
	toll bench --ab "$(head -c 3000 /dev/zero | tr '\0' x)"
	refuses 2 'too long'
	toll bench anon_write --system-changes
	refuses 2 'nothing would be changed without --ab'
	toll bench --ab $'pages=base,\e[31mthp'
	refuses 2 'there are no pages'
	harmless "$err"
}

@test "Ctrl-C: the pairs that were done are reported and saved" {
	start bench anon_write --ab same -s 1M -b 50
	until_true has_trial
	sleep 1
	kill -INT "$pid"
	await
	ended 130
	tells 'Interrupted'
	toll show --json
	json 'abs(len(s[0]["rounds"]) - len(s[1]["rounds"])) <= 1 and len(s[0]["rounds"]) > 2'
}

@test "list names the settings with their values" {
	toll list
	ended 0
	tells 'SETTING VALUES WHAT'
	tells 'pages base, thp, hugetlb or gigantic'
	toll list --json
	json '{"pages", "same"} <= {x["name"] for x in d["settings"]}'
}
