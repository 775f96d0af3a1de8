#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command on a terminal of its own: terminal.py [options] COLUMNSxLINES COMMAND...

Leaves in the current directory: raw (every byte that the terminal got), screen (what it showed in
the end) and facts (a Python dictionary). Exits as the command did, 128+n when it died of a signal.
"""
import argparse
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

ESCAPE = re.compile(rb"\x1b\[([0-9;?]*)([A-Za-z])")


class Screen:
    """As much of a terminal as a program may rely on that moves its cursor."""

    def __init__(self, columns, lines):
        self.columns = columns
        self.lines = [[" "] * columns for _ in range(lines)]
        self.row = self.column = 0
        self.wraps = 0
        self.unknown = []

    def feed(self, data):
        """Takes whole lines or more; sequences are not cut by the way they are read."""
        at = 0
        while at < len(data):
            match = ESCAPE.match(data, at)
            if match:
                self.escape(match.group(1).decode(), match.group(2).decode())
                at = match.end()
            elif data[at] == 0x1b or data[at] < 0x20 and data[at] not in b"\r\n":
                self.unknown.append(repr(data[at:at + 8]))
                at += 1
            else:
                length = 1 + sum(1 for b in data[at + 1:at + 4]
                                 if b & 0xc0 == 0x80) if data[at] >= 0xc0 else 1
                self.put(data[at:at + length].decode("utf-8", "replace"))
                at += length

    def escape(self, numbers, name):
        """One sequence."""
        count = int(numbers) if numbers.isdigit() else 1
        if name == "A":
            self.row = max(0, self.row - count)
        elif name == "J" and numbers in ("", "0"):
            self.lines[self.row][self.column:] = [" "] * (self.columns - self.column)
            for row in range(self.row + 1, len(self.lines)):
                self.lines[row] = [" "] * self.columns
        elif name == "K" and numbers in ("", "0"):
            self.lines[self.row][self.column:] = [" "] * (self.columns - self.column)
        elif name != "m":
            self.unknown.append(numbers + name)

    def put(self, char):
        """One character."""
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.row += 1
        else:
            if self.column == self.columns:
                self.wraps += 1
                self.column = 0
                self.row += 1
            self.scroll()
            self.lines[self.row][self.column] = char
            self.column += 1
        self.scroll()

    def scroll(self):
        """Below the last line there is a new one."""
        while self.row >= len(self.lines):
            self.lines.append([" "] * self.columns)
            del self.lines[0]
            self.row -= 1

    def text(self):
        """What is to be seen."""
        return "\n".join("".join(line).rstrip() for line in self.lines).rstrip() + "\n"


def start(options, columns, lines):
    """The command's process and the terminal's other end."""
    pid, master = pty.fork()
    if pid == 0:
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(0, termios.TIOCSWINSZ, size)
        if options.stdout:
            os.dup2(os.open(options.stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.execvp(options.command[0], options.command)
    return pid, master


def listen(options, master):
    """Everything that the terminal gets until the command has ended, and when it came."""
    began = time.monotonic()
    interrupts = list(options.interrupt)
    raw, seen_at = b"", None
    while time.monotonic() - began < options.timeout:
        if interrupts and time.monotonic() - began > interrupts[0]:
            os.write(master, b"\x03")
            del interrupts[0]
        if not select.select([master], [], [], 0.02)[0]:
            continue
        try:
            data = os.read(master, 65536)
        except OSError:
            data = b""
        if not data:
            break
        raw += data
        if seen_at is None and options.look_for and options.look_for.encode() in raw:
            seen_at = time.monotonic() - began
    return raw, seen_at


def main():
    """The exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--stdout", help="a file for standard output")
    parser.add_argument("--look-for", help="facts tell after how many seconds this came")
    parser.add_argument("--interrupt", type=float, action="append", default=[],
                        help="type Ctrl-C after so many seconds")
    parser.add_argument("--timeout", type=float, default=40)
    parser.add_argument("size")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    columns, lines = map(int, options.size.split("x"))
    pid, master = start(options, columns, lines)
    raw, seen_at = listen(options, master)
    if not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        time.sleep(0.5)
        if not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    screen = Screen(columns or 80, lines or 24)
    screen.feed(raw)
    with open("raw", "wb") as file:
        file.write(raw)
    with open("screen", "w", encoding="utf-8") as file:
        file.write(screen.text())
    with open("facts", "w", encoding="utf-8") as file:
        file.write(repr({"wraps": screen.wraps, "unknown": screen.unknown, "seen_at": seen_at,
                         "draws": raw.count(b"\x1b[J")}) + "\n")
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


sys.exit(main())
