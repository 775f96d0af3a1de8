#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The first thing that users see, and what they meet when they mistype.
# $status, $out and $err come from lib.bash; a change made in a test is meant to end with it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

load lib

@test "pagetoll alone prints twelve lines around the three questions" {
	toll
	ended 0
	silent
	[ "$(wc -l <"$out")" -le 12 ]
	[ "$(wc -l <"$out")" -ge 10 ]
	prints '^What does a fault cost here\?'
	prints '^Who pays, '
	prints '^What makes the bill smaller\?'
	prints 'pagetoll bench'
	prints 'pagetoll doctor'
	[ "$(awk '{ if (length > n) n = length } END { print n }' "$out")" -le 100 ]
}

@test "every command that the overview names exists" {
	toll
	while read -r name; do
		toll "$name" --help
		ended 0
	done < <(sed -nE 's/^  pagetoll ([a-z]+).*/\1/p' "$out")
}

@test "help, --help and -h print the overview" {
	toll
	cp "$out" all
	for word in help --help -h; do
		toll "$word"
		ended 0
		cmp "$out" all
	done
}

@test "--version and -V print one line" {
	for word in --version -V; do
		toll "$word"
		ended 0
		silent
		[[ $(cat "$out") =~ ^pagetoll\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	done
}

@test "each command teaches itself by --help, -h and help COMMAND alike" {
	for name in bench show list doctor explain stat trace; do
		toll "$name" --help
		ended 0
		silent
		prints "^usage: pagetoll $name "
		prints '^options:'
		prints '^examples:'
		cp "$out" all
		toll "$name" -h
		cmp "$out" all
		toll help "$name"
		ended 0
		cmp "$out" all
	done
}

@test "help is at most 80 columns wide where it is not folded by hand" {
	for name in bench show list doctor explain stat trace; do
		toll "$name" --help
		[ "$(sed '/^examples:/,$d' "$out" |
			awk '{ if (length > n) n = length } END { print n + 0 }')" -le 80 ]
	done
}

@test "bench --help names the exit statuses" {
	toll bench --help
	for n in 0 2 3 4 5 130; do tells "Exit status:.*\\b$n "; done
}

@test "trace --help names the exit statuses" {
	toll trace --help
	for n in 0 1 2 125 126 127; do tells "Exit status:.*\\b$n\\b"; done
}

@test "--help wins over a wrong option beside it" {
	toll bench --bogus -h
	ended 0
	prints '^usage:'
}

@test "behind -- a word is a name, not an option" {
	toll bench -- --help
	refuses 2 "no scenario or suite '--help'"
}

@test "an unknown command gets a suggestion" {
	toll benhc
	refuses 2 "unknown command 'benhc'; did you mean 'bench'\?"
	toll help benhc
	refuses 2 "did you mean 'bench'\?"
}

@test "an unknown command far from all others is told where the names are" {
	toll qqqqqqqq
	refuses 2 "unknown command 'qqqqqqqq'.*names them"
	toll ''
	refuses 2 "unknown command ''"
}

@test "an option before the command is refused" {
	toll --json bench
	refuses 2 "unknown option '--json'; a command comes first"
}

@test "a command's name cannot steer the terminal" {
	toll $'be\e[31m\nnch'
	refuses 2 'unknown command'
	harmless "$err"
}
