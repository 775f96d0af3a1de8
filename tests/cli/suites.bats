#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The published experiments as suites: their rows, their relations, and what refuses them.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

# The files in DIR can be dropped from the page cache, as pagetoll itself finds out.
needs_disk() { # DIR
	toll doctor --dir "$1" --json
	json 'all(n["met"] for n in d["needs"] if n["name"] == "cold_files")' >/dev/null 2>&1 ||
		skip "needs a disk: the files in $1 stay in the page cache"
}

can_count_traps() {
	toll doctor --json
	json 'all(n["met"] for n in d["needs"] if n["name"].endswith("_traps"))' >/dev/null 2>&1 ||
		skip "needs perf events: pagetoll doctor says why not"
}

needs_thp() {
	toll doctor --json
	json 'all(n["met"] for n in d["needs"] if n["name"] == "thp")' >/dev/null 2>&1 ||
		skip "needs transparent huge pages: pagetoll doctor says why there are none"
}

# The relation whose text begins so.
holds() { json "[r['holds'] for r in d['relations'] if r['text'].startswith('''$1''')] == [True]"; }
differs() { # TEXT CAUSE
	json "[r['holds'] for r in d['relations'] if r['text'].startswith('''$1''')] == [False]"
	json "['''$2''' in r['cause'] for r in d['relations'] if r['text'].startswith('''$1''')] == [True]"
}

@test "two_verdicts: cold a major fault a page and nothing cached before, warm none and all cached" {
	needs_disk /var/tmp
	toll bench two_verdicts -s 2M -t 2 -r 2 -d /var/tmp --json
	ended 0
	json '[x["article"] for x in s] == ["cold", "warm", "readahead"]'
	json 'all(r["major"] == 512 * 4096 // s[0]["params"]["page_bytes"] and r["minor"] == 0 for r in s[0]["rounds"])'
	json 'all(r["resident_before"] == 0 and r["resident_after"] == s[0]["params"]["n_pages"] for r in s[0]["rounds"])'
	json 'all(r["major"] == 0 and r["minor"] > 0 for r in s[1]["rounds"])'
	json 'all(r["resident_before"] == r["resident_after"] == s[1]["params"]["n_pages"] for r in s[1]["rounds"])'
	holds 'nothing of the file is cached before'
	holds 'all of it is cached after'
	holds 'warm, there is no major fault'
	toll show
	tells 'Cached pages: cold 0 before, [0-9]+ after of [0-9]+; warm [0-9]+ before'
}

@test "two_verdicts where nothing can be cold: refused with the reason, and nothing is claimed" {
	mountpoint -q /dev/shm || skip "needs a tmpfs: none at /dev/shm"
	toll bench two_verdicts -s 2M -t 1 -r 1 -d /dev/shm
	complains 3 'nothing could run: file_cold_random: needs files that can leave the page cache: in /dev/shm \(tmpfs\) [0-9]+ of [0-9]+ pages stayed'
	tells 'skipped cold \(file_cold_random\), warm \(file_reread\), readahead \(file_cold\): needs files that can leave'
	prints_not '^(holds|differs|unknown)'
	toll show @last --json
	json 'all(x["status"] == "skipped" and x["verdict"] is None for x in s)'
	json 'all(r["holds"] is None for r in d["relations"])'
}

@test "denominator: the same touches are hundreds of faults, or tens of thousands, or none" {
	needs_thp
	toll bench denominator -t 2 -r 2 --json
	ended 0
	json '[x["params"]["n_pages"] for x in s] == [30000] * 4'
	huge=$(cat /sys/kernel/mm/transparent_hugepage/hpage_pmd_size)
	json "all(r['minor'] == 30000 // ($huge // s[0]['params']['page_bytes']) + 30000 % ($huge // s[0]['params']['page_bytes']) for r in s[0]['rounds'])"
	json 'all(r["minor"] == 30000 for r in s[1]["rounds"])'
	json 'all(r["minor"] == 0 for x in s[2:] for r in x["rounds"])'
	[ "$huge" != 2097152 ] || holds 'with THP 30,000 touches are 364 faults'
}

@test "throughput: populated pages are counted by rusage and are no traps; the cause is said" {
	can_count_traps
	toll bench throughput -t 1 -r 1 --json
	ended 0
	json 's[0]["params"]["n_pages"] == 512 << 20 >> (s[0]["params"]["page_bytes"].bit_length() - 1)'
	[ "$(getconf PAGESIZE)" != 4096 ] || holds 'demand paging takes 131,072 faults'
	differs 'populating takes 131,072 faults, too' 'perf counts 0 traps'
	json 's[0]["bytes_per_second"] > 0 and s[1]["bytes_per_second"] > 0 and s[2]["bytes_per_second"] is None'
}

@test "pagesize: prices by the access, page tables beside them" {
	needs_thp
	toll bench pagesize -s 16M -t 1 -r 1
	ended 0
	prints '^NS/ACCESS IN +chase_base +chase_thp'
	prints '^16 MiB +[0-9]+'
	prints '^PAGE TABLES +chase_base +chase_thp'
	toll show --json
	json '[x["params"]["size_bytes"] >> 20 for x in s if x["name"] == "chase_base"] == [1, 4, 16, 64, 256, 1024]'
	json 'all(x["status"] == "skipped" for x in s if x["params"]["size_bytes"] > 16 << 20)'
	json 'all(x["page_table_bytes"] > 0 for x in s if x["name"] == "chase_base" and x["rounds"])'
}

@test "counts of a pass are judged at the source's size alone, and nothing by one trial" {
	toll bench five_configs -s 4M -t 1 -r 2 --json
	ended 0
	json '["another size" in r["figure"] for r in d["relations"] if "1,601" in r["text"]] == [True]'
	json '["one trial" in r["figure"] for r in d["relations"] if r["text"] == "refault = cold"] == [True]'
	json 'all(r["holds"] is None for r in d["relations"] if "another size" in r["figure"] or "one trial" in r["figure"])'
}

@test "claims are kept in the document, and judged anew when it is read" {
	needs_thp
	toll bench denominator -t 2 -r 2 --json
	ended 0
	json 'all(r["claim"]["lo"] <= r["claim"]["hi"] for r in d["relations"])'
	holds 'populated ahead, no fault is left'
	"$PYTHON" -I -S -c '
import json
d = json.load(open("out"))
for x in d["scenarios"]:
	if x["name"] == "anon_populated":
		for r in x["rounds"]:
			r["minor"] += 700
json.dump(d, open("spoilt", "w"))'
	toll show spoilt --json
	ended 0
	json '[r["holds"] for r in d["relations"] if r["text"].startswith("populated ahead, no fault")] == [None]'
	toll show spoilt -v
	tells 'holds by the page THP costs a sixth: [0-9.]+ \[.*\] \(accepted: 0 to 0.4\)|unknown by the page THP costs'
}

@test "a warm file that loses pages during the run is INVALID, not warm" {
	needs_disk /var/tmp
	toll bench file_reread -s 8M -t 1 -r 2 -d /var/tmp --json
	ended 0
	start bench file_reread file_warm -s 8M -t 40 -r 5 -b 6 -d /var/tmp --json --no-save
	"$PYTHON" -I -S -c '
import os, sys, time
end = time.time() + 5
while time.time() < end:
	try:
		for fd in os.listdir("/proc/%s/fd" % sys.argv[1]):
			path = "/proc/%s/fd/%s" % (sys.argv[1], fd)
			if "/var/tmp" in os.readlink(path):
				f = os.open(path, os.O_RDONLY)
				os.posix_fadvise(f, 0, 0, os.POSIX_FADV_DONTNEED)
				os.close(f)
	except OSError:
		pass
	time.sleep(0.002)' "$pid"
	await
	[[ $status == 0 || $status == 4 ]] || show
	json 'all(r["resident_before"] == r["resident_after"] == x["params"]["n_pages"] or "not-cached" in r["marks"] for x in s for r in x["rounds"])'
	json 'any("not-cached" in r["marks"] for x in s for r in x["rounds"])' >/dev/null 2>&1 || skip "needs luck: no page was dropped at the right moment"
}
