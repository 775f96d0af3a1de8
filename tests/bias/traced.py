# SPDX-License-Identifier: MIT
"""What bench-bill and bench-trace share: runs of the program `faults`, bare and traced, and medians with intervals."""
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile


def run(command, **more):
    """The standard output of a command; ends us where it fails, with what it said."""
    ran = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                         errors="replace", check=False, **more)
    if ran.returncode != 0:
        sys.exit("exit status %d of: %s\n%s%s" % (ran.returncode, " ".join(map(str, command)),
                                                  ran.stdout, ran.stderr))
    return ran.stdout


def figures(text):
    """The "key=number" of a line that `faults` prints."""
    found = {key: float(value) for key, value in re.findall(r"(\w+)=([0-9.]+)", text)}
    if "faults" not in found:
        sys.exit("faults: " + text.strip())
    return found


def need_perf(pagetoll):
    """Ends us where faults cannot be seen one by one."""
    ran = subprocess.run([pagetoll, "trace", "--source", "perf", "-o", "/dev/null", "true"],
                         stderr=subprocess.PIPE, encoding="utf-8", check=False)
    if ran.returncode != 0:
        sys.exit("not measured: " + ran.stderr.strip())


def traced(pagetoll, options, command, **more):
    """The document of a traced command, and its standard output."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "doc.json")
        out = run([pagetoll, "trace", "--source", "perf", "--json", "-o", path, *options, "--",
                   *command], **more)
        with open(path, encoding="utf-8") as file:
            return json.load(file), out


def interval(values):
    """(median, low, high): an interval of the median by order statistics that covers 95 % or more; of fewer than
    six values the range."""
    ordered = sorted(values)
    n, below, k = len(ordered), 0.0, 0
    for i in range(n // 2):
        below += math.comb(n, i) / 2 ** n
        if 2 * below > 0.05:
            break
        k = i
    return statistics.median(ordered), ordered[k], ordered[n - 1 - k]


def spread(values, form="%.2f"):
    """The same for people."""
    return "%s [%s, %s]" % tuple(form % value for value in interval(values))


def verdict(reached):
    """How bars are reported."""
    return "reached" if reached else "NOT REACHED"
