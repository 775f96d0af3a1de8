#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programs with one problem each, and the right answer beside them: tests/cases/*.expect. As root, as an ordinary user, and
# where perf is refused; and with the remedy applied the finding is gone.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154

load lib
load faults

# That of the tests: malloc would touch memory before the programs do.
unset MALLOC_PERTURB_

sources=$BATS_TEST_DIRNAME/../cases

expected() { # NAME KEY
	sed -n "s/^$2: *//p" "$sources/$1.expect"
}

# Runs a case, traced, and compares what is said with what is expected.
diagnosed() { # NAME [--fixed] [--counters]
	local name=$1 program=() options=()
	[ "${2-}" != --fixed ] || program=(--fixed)
	[ "${2-}" = --counters ] || options=(--source perf)
	[ "$(expected "$name" data-file)" != yes ] || {
		"$CASES/$name" --prepare . >prepared 2>&1 || skip "needs what $name needs: $(tail -n 1 prepared)"
		program+=(.)
	}
	chmod a+rw ./* 2>/dev/null || true
	toll trace "${options[@]}" --json -o doc "$CASES/$name" "${program[@]}"
	[ "$status" != 77 ] || skip "needs what $name needs: $(tail -n 1 "$err")"
	ended 0
	"$sources/check-case" "$sources/$name.expect" doc "${@:2}"
}

# All of them, or those that an ordinary user can run.
all_cases() { # [--fixed]
	local failed=0 name
	for name in "$sources"/*.expect; do
		name=$(basename "$name" .expect)
		[ "$(expected "$name" needs)" != root ] || [ "${#prefix[@]}" = 0 ] || continue
		[ "${1-}" != --fixed ] || [ -n "$(expected "$name" fixed-by)" ] || continue
		diagnosed "$name" "$@" || {
			echo "$name $*: not as expected (above)"
			failed=1
		}
	done
	[ "$failed" = 0 ]
}

@test "each case has its finding, and none that it must not have" {
	needs_perf
	all_cases
}

@test "each case has its finding, as an ordinary user" {
	be_nobody
	cd open
	needs_perf
	all_cases
}

@test "with the remedy in the code the finding is gone" {
	needs_perf
	all_cases --fixed
}

@test "where perf is refused counters still tell first touch, churn and nothing wrong" {
	[ -x "${NO_PERF-}" ] || skip "needs the test helper no_perf: it is built by meson"
	prefix=("$NO_PERF" 1)
	for name in first_touch malloc_churn cpu_bound; do
		diagnosed "$name" --counters
	done
}

# A program of tests/trace/problems.c, whose function that is to blame has its name.
has_problem() { # NAME ID [ARG]
	toll trace --source perf --json -o doc "$PROBLEMS" "$1" ${3+"$3"}
	[ "$status" != 77 ] || skip "needs what problems $1 takes: $(sed -n 's/^skip: //p' "$out")"
	json "[f['id'] for f in d['findings']][:1] == ['$2'] and (d['findings'][0]['culprit']['function'] or '').startswith('$1')" doc ||
		{ json "print([(f['id'], f['time_ns'], f['culprit'], f['evidence']) for f in d['findings']], d['by_site'][:2])" doc && return 1; }
}

@test "pages given back in place are decommit churn, and a heap that is trimmed is allocator churn" {
	needs_perf
	has_problem decommit decommit-churn
	has_problem trim allocator-churn
}

@test "threads that each begin on new memory, and a stack that grows" {
	needs_perf
	has_problem serve thread-first-touch
	has_problem recurse stack-first-touch
}

@test "faults that sleep for a lock, and for a handler in user space" {
	needs_perf
	has_problem contend mmap-lock-contention
	has_problem await uffd-handler-latency
}

@test "a child that writes to all that it inherited" {
	needs_perf
	has_problem child_writes cow-after-fork
}

@test "faults that end in a signal are findings whatever their time" {
	needs_perf
	has_problem behind_end fault-signal cut
	[ "$status" = 135 ]
	json "d['findings'][0]['culprit']['mapping'].endswith('/cut') and d['findings'][0]['severity'] == 'failed'" doc
	toll show doc
	grep -q '^1 *fault-signal' "$out"
	[ "$(cat /proc/sys/vm/nr_overcommit_hugepages)" = 0 ] && grep -q '^HugePages_Free: *0$' /proc/meminfo ||
		skip "needs an empty pool of huge pages"
	has_problem empty_pool hugetlb-pool-short
}

@test "an ordinary user who has locked all that may be locked" {
	needs prlimit util-linux
	be_nobody
	cd open
	prefix=("${prefix[@]}" prlimit --memlock=$((4 << 20)))
	needs_perf
	toll trace --source perf --json -o doc "$PROBLEMS" lock
	ended 0
	json "d['findings'][0]['id'] == 'memlock-limit' and '4 MiB' in d['findings'][0]['evidence']" doc
}

@test "more file than memory is cache thrashing" {
	needs_perf
	head -c 48M /dev/urandom >scan.dat
	in_cgroup 24M
	has_problem scan cache-thrash "$PWD/scan.dat"
}

@test "pages that come back from swap, and fills that press others out" {
	needs_perf
	with_swap
	in_cgroup 24M
	has_problem fill swap-in
	has_problem overfill reclaim-in-fault
}

# What people run all day: nothing wrong is found where nothing is wrong.
@test "ordinary programs have no finding but those of starting, of first touches and of cold files" {
	needs_perf
	head -c 8M /dev/urandom | od -An -tx8 | head -n 200000 >text
	printf '#include <stdio.h>\nint main(void) { return printf("x") != 1; }\n' >x.c
	local failed=0
	while read -r line; do
		toll trace --source perf --json -o doc sh -c "exec $line"
		[ -s doc ] || continue
		json "all(f['id'] in ('faults-not-the-problem', 'process-start', 'first-touch', 'cold-file', 'host-cold-memory', 'thp-fault-latency') for f in d['findings'])" doc || {
			echo "$line: $(json "print([(f['id'], f['evidence']) for f in d['findings']])" doc)"
			failed=1
		}
	done <<-'END'
		true
		ls -laR /usr/share/doc
		sort text
		sort -u text
		grep -c abc text
		wc text
		md5sum text
		gzip -c text
		xz -1 -c text
		tar cf - text
		awk '{ n += length($0) } END { print n }' text
		sed s/a/b/g text
		cp text copied
		cat text
		find /usr/include -name '*.h'
		cc -O2 -c x.c -o x.o
		bash -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done'
		python3 -c 'print(sum(range(1000000)))'
		perl -e 'print join(",", map { $_ * 2 } 1 .. 100000)'
		git --version
		sleep 0.3
		tr a-z A-Z < text
		diff text text
	END
	[ "$failed" = 0 ]
}
